// SPDX-License-Identifier: Apache-2.0
// Shapes in the notations of the documents that speak of broadcasting.

#ifndef INDIM_TOOLS_EXPLAIN_QUESTION_SHAPE_H_
#define INDIM_TOOLS_EXPLAIN_QUESTION_SHAPE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/types/shape.h"

namespace indim {

enum class ShapeNotation { kHlo, kSizes, kMlir, kOpenVino };

// What the shapes of one question have in common.
struct NotationsSeen {
  // The last one that isn't kHlo; kHlo: there was no other.
  ShapeNotation notation = ShapeNotation::kHlo;
  // False: no shape had an element type, and f32 stands for them.
  bool has_types = false;
};

// Reads a shape at the start of *text, blanks before it skipped, and removes it
// from there:
//
//   f32[2,?]   (f32[2], s32[])   token[]     HLO
//   (2, 3)  [2, 3]  (3,)  ()  2x3            sizes alone
//   tensor<2x?xf32>  tensor<*xf32>           MLIR; vector<4xf32> too
//   Shape(2, 3)  Shape(,)                    OpenVINO
//
// A "(" with a type behind it begins an HLO tuple. After an error *text is
// somewhere inside the shape.
absl::StatusOr<Shape> ConsumeQuestionShape(absl::string_view* text,
                                           NotationsSeen* seen);

// "f32[2,?]", or "[2,?]" where no types were given.
std::string ShapeText(bool has_types, const Shape& shape);

// InvalidArgument: "'REST' isn't EXPECTED; a question looks like ...".
absl::Status NoQuestion(absl::string_view rest, absl::string_view expected);

// The name that `text` begins with: letters, digits, - and _.
absl::string_view LeadingName(absl::string_view text);

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_QUESTION_SHAPE_H_
