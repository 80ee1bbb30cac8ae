// SPDX-License-Identifier: Apache-2.0
// Tables of shape functions: a query as text, its answer as text.
//
//   Query q = {Opcode::kTranspose, {"f32[2,3]"}, Dimensions({1, 0})};
//   EXPECT_EQ(Ask(q), "f32[3,2]");
//
// An answer is the result's shape; or "!" and the slugs of all errors, by
// spaces ("!dims-differ"). Warnings follow either, each after " ~". An error
// without a shape missing, or the other way round, is "broken".

#ifndef INDIM_TESTS_SHAPE_INFER_INFER_TESTING_H_
#define INDIM_TESTS_SHAPE_INFER_INFER_TESTING_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

struct Query {
  Opcode opcode = Opcode::kInvalid;
  std::vector<std::string> operands = {};
  Attributes attributes = NoAttributes();
  std::string declared = "";              // "": none
  std::vector<std::string> callees = {};  // "f32[] f32[] -> f32[]"
};

// A reducer, as a callee.
inline constexpr char kSum[] = "f32[] f32[] -> f32[]";

std::string Ask(const Query& query, InferPolicy policy = InferPolicy::kBuilder);
inline std::string AskVerifier(const Query& query) {
  return Ask(query, InferPolicy::kVerifier);
}

// The run-time conditions of the answer, by "; ".
std::string Conditions(const Query& query);

// An answer of a form that takes a context: what Ask would print.
std::string AnswerText(const InferContext& context,
                       const std::optional<Shape>& shape);

inline DimensionsAttributes Dimensions(DimIndices dimensions) {
  DimensionsAttributes attributes;
  attributes.dimensions = std::move(dimensions);
  return attributes;
}

}  // namespace indim

#endif  // INDIM_TESTS_SHAPE_INFER_INFER_TESTING_H_
