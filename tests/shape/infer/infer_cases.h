// SPDX-License-Identifier: Apache-2.0
// Asking shape inference in tests: shapes as text in, the answer as text out.

#ifndef INDIM_TESTS_SHAPE_INFER_INFER_CASES_H_
#define INDIM_TESTS_SHAPE_INFER_INFER_CASES_H_

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/tests/parsed_shape.h"

namespace indim {

// {"f32[]", "f32[]"} -> "f32[]": the last is the result.
inline Signature Callee(const std::vector<std::string>& parameters,
                        absl::string_view result) {
  Signature signature;
  for (const std::string& parameter : parameters) {
    signature.parameters.push_back(S(parameter));
  }
  signature.result = S(result);
  return signature;
}

// An operation, all of it owned.
struct Op {
  std::string name;  // "add"
  std::vector<std::string> operands;
  Attributes attributes = {};
  std::vector<Signature> callees = {};
  std::string declared = "";  // "": none
};

// Holds what OpInputs points to.
class OpCase {
 public:
  explicit OpCase(const Op& op) : op_(op) {
    for (const std::string& operand : op_.operands) {
      shapes_.push_back(S(operand));
    }
    for (const Shape& shape : shapes_) operands_.push_back(&shape);
    for (const Signature& callee : op_.callees) callees_.push_back(&callee);
    if (!op_.declared.empty()) declared_ = S(op_.declared);
    inputs_.opcode = OpcodeFromName(op_.name).value_or(Opcode::kInvalid);
    EXPECT_NE(inputs_.opcode, Opcode::kInvalid) << op_.name;
    inputs_.operands = operands_;
    inputs_.attributes = &op_.attributes;
    inputs_.callees = callees_;
    if (!op_.declared.empty()) inputs_.declared = &declared_;
  }
  OpCase(const OpCase&) = delete;
  OpCase& operator=(const OpCase&) = delete;
  const OpInputs& inputs() const { return inputs_; }

 private:
  Op op_;
  std::vector<Shape> shapes_;
  std::vector<const Shape*> operands_;
  std::vector<const Signature*> callees_;
  Shape declared_;
  OpInputs inputs_;
};

// The slug of the first error, "" when there is none.
inline std::string FirstError(const InferContext& context) {
  for (const Diagnostic& diagnostic : context.diagnostics()) {
    if (diagnostic.severity() == Severity::kError) {
      return std::string(Info(diagnostic.code).slug);
    }
  }
  return "";
}

// "f32[2]", or the slug of the first error: "operand-count".
inline std::string Infer(const Op& op,
                         InferPolicy policy = InferPolicy::kBuilder) {
  const OpCase op_case(op);
  InferContext context(policy);
  const std::optional<Shape> shape = InferShape(&context, op_case.inputs());
  EXPECT_EQ(shape.has_value(), !context.has_error()) << op.name;
  return shape ? shape->ToString() : FirstError(context);
}

// An operation, and what Infer answers.
struct OpAnswer {
  Op op;
  const char* answer;
};

inline void ExpectAnswers(const std::vector<OpAnswer>& answers,
                          InferPolicy policy = InferPolicy::kBuilder) {
  for (const OpAnswer& a : answers) {
    EXPECT_EQ(Infer(a.op, policy), a.answer)
        << a.op.name << " " << absl::StrJoin(a.op.operands, " ");
  }
}

inline Attributes BroadcastDims(DimIndices dims) {
  ElementwiseAttributes attributes;
  attributes.broadcast.dimensions = std::move(dims);
  return attributes;
}

}  // namespace indim

#endif  // INDIM_TESTS_SHAPE_INFER_INFER_CASES_H_
