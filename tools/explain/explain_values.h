// SPDX-License-Identifier: Apache-2.0
// Broadcasting with values, drawn as XLA's document draws it: the matrices as
// they are given, after each step, and the result.

#ifndef INDIM_TOOLS_EXPLAIN_EXPLAIN_VALUES_H_
#define INDIM_TOOLS_EXPLAIN_EXPLAIN_VALUES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/types/shape.h"
#include "indim/tools/explain/explain_question.h"

namespace indim {

// An array of known sizes, its elements as text, row-major.
struct DrawnArray {
  Shape shape;
  std::vector<std::string> cells;
  // By element: it is a copy, which a step made.
  std::vector<bool> copies;
};

struct DrawnStep {
  std::string name;  // "as given", "InDim", "degenerate"
  std::vector<DrawnArray> operands;
};

struct ValueDrawing {
  std::string sign;  // "+", "maximum"; "," of shapes without an operation
  std::vector<DrawnStep> steps;
  std::optional<DrawnArray> result;  // nullopt: no operation
};

// How many elements a result may have that is drawn.
inline constexpr size_t kMaxDrawn = 256;

// The values of the operands: literals as HLO text has them, with semicolons
// between, "{1,2,3,4};{{5,6}}". "counted": 1, 2, 3, ... through all operands;
// so is an operand whose literal is left out. InvalidArgument: sizes that
// aren't known or too many, a literal that doesn't fit, operands that don't
// match.
absl::StatusOr<ValueDrawing> DrawValues(const BroadcastQuestion& question,
                                        absl::string_view values);

// A block for each step:
//
//   InDim
//     f32[4,2]   f32[1,2]
//     |1 1|    + |5 6|
//     |2 2|
std::string ValuesText(const BroadcastQuestion& question,
                       const ValueDrawing& drawing);
// {"steps":[{"name":...,"operands":[{"shape":...,"values":[[1],[2]]}]}],
// "result":{"shape":...,"values":...}}
std::string ValuesJson(const BroadcastQuestion& question,
                       const ValueDrawing& drawing);

// The lines of an array: rows between bars, of three and more dims each matrix
// under its place, "[0,:,:]".
std::vector<std::string> ArrayLines(const DrawnArray& array);

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_EXPLAIN_VALUES_H_
