// SPDX-License-Identifier: Apache-2.0
// Questions of `indim explain` about broadcasting, in the notations of the
// documents that speak of it.

#ifndef INDIM_TOOLS_EXPLAIN_EXPLAIN_QUESTION_H_
#define INDIM_TOOLS_EXPLAIN_EXPLAIN_QUESTION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/tools/explain/question_shape.h"

namespace indim {

struct BroadcastQuestion {
  // kInvalid: shapes alone, separated by commas.
  Opcode opcode = Opcode::kInvalid;
  std::vector<Shape> operands;
  // False: the notation has no element types, and f32 stands for them.
  bool has_types = false;
  // The shapes are sizes alone, (2,3), as in several documents, and no rule is
  // named: another rule may be meant than NumPy's.
  bool sizes_alone = false;
  // What is written about broadcasting. Its rule is the one of the document
  // whose notation it is, unless the question names one: XLA's for f32[2,3],
  // OpenVINO's pdpd where an axis is given, else NumPy's.
  BroadcastSpec spec;
  // The op's other attributes (a compare's direction), of an instruction that
  // was read whole; nullopt: what the op has where none are given.
  std::optional<Attributes> attributes;
  std::string attributes_text;  // of those: "direction=LT"
  // It is an instruction of a module: its result must be what XLA's builder
  // (of a recorded graph) or verifier accepts, not only the trait.
  std::optional<InferPolicy> node;
  std::string text;                // of the instruction; "": made of the rest
  std::vector<std::string> names;  // of operands; empty: they have none
  // Behind "->": a recorded result, to be verified.
  std::optional<Shape> result;
};

// Reads one of
//
//   f32[4] + f32[1,2] {0}
//   add(f32[4], f32[1,2]), broadcast_dimensions={0}
//   (2,1) and (2,3) broadcast to (2,3)
//   tensor<?x4xf32> + tensor<4xf32> -> tensor<4x4xf32>
//   "any.op"(%a, %b) : (tensor<1xi32>, tensor<4xi32>) -> tensor<4xi32>
//   Shape(2, 3, 4, 5), Shape(3, 4) axis=1
//   A: Shape(2, 3) B: Shape(   3) Result: Shape(2, 3)
//
// with an operator, an op's name or a comma between any number of operands,
// then perhaps broadcast_dimensions (in braces or parentheses, or named),
// axis=N, rule=NAME or the rule's name,
// and a result behind `->`. InvalidArgument for any other text, with the place
// and what was expected there.
absl::StatusOr<BroadcastQuestion> ReadBroadcastQuestion(absl::string_view text);

// "f32[2,?]", or "[2,?]" where no types were given.
inline std::string ShapeText(const BroadcastQuestion& question,
                             const Shape& shape) {
  return ShapeText(question.has_types, shape);
}

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_EXPLAIN_QUESTION_H_
