// Questions of `indim explain` about broadcasting, in the notations of the
// documents that speak of it.

#ifndef INDIM_TOOLS_EXPLAIN_QUESTION_H_
#define INDIM_TOOLS_EXPLAIN_QUESTION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/broadcast.h"
#include "indim/shape/opcode.h"
#include "indim/shape/shape.h"

namespace indim {

struct BroadcastQuestion {
  // kInvalid: shapes alone, separated by commas.
  Opcode opcode = Opcode::kInvalid;
  std::vector<Shape> operands;
  // False: the notation has no element types, and f32 stands for them.
  bool has_types = false;
  // What is written about broadcasting. Its rule is the one of the document
  // whose notation it is, unless the question names one: XLA's for f32[2,3],
  // OpenVINO's pdpd where an axis is given, else NumPy's.
  BroadcastSpec spec;
  // Behind "->": a recorded result, to be verified.
  std::optional<Shape> result;
};

// Reads one of
//
//   f32[4] + f32[1,2] {0}                    an operator or an op's name
//   between add(f32[4], f32[1,2]), broadcast_dimensions={0} (2,1) + (1,3) sizes
//   alone, as NumPy's and XLA's tensor<?x4xf32> + tensor<4xf32>          MLIR
//   Shape(2, 3, 4, 5), Shape(3, 4) axis=1    OpenVINO
//
// each with any number of operands, then perhaps broadcast_dimensions (in
// braces, or named), axis=N, rule=NAME, and `-> SHAPE`. InvalidArgument for any
// other text, with the place and what was expected there.
absl::StatusOr<BroadcastQuestion> ReadBroadcastQuestion(absl::string_view text);

// "f32[2,?]", or "[2,?]" where no types were given.
std::string ShapeText(const BroadcastQuestion& question, const Shape& shape);

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_QUESTION_H_
