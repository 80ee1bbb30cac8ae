// SPDX-License-Identifier: Apache-2.0
// Prints shapes as in HLO text: Shape::ToString(), with a comment before every
// fifth element of long tuples.
//
//   (f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[2]{0})

#ifndef INDIM_TEXT_PRINT_PRINTED_SHAPE_H_
#define INDIM_TEXT_PRINT_PRINTED_SHAPE_H_

#include <cstdint>
#include <string>

#include "indim/shape/types/shape.h"
#include "indim/text/base/text_buffer.h"

namespace indim {

// XLA numbers the elements of lists of shapes with any options.
inline constexpr int64_t kShapeInterval = 5;

// Appends `shape`, with its layouts if `layouts`. XLA: ShapeUtil::HumanString,
// HumanStringWithLayout.
void AppendPrintedShape(const Shape& shape, bool layouts, std::string* out);

// Appends the text before element `i` of a list that counts its elements every
// `interval`: nothing before the first, else ", " or ", /*index=5*/". 0: it
// doesn't count.
void AppendListSeparator(int64_t i, int64_t interval, std::string* out);
void AppendListSeparator(int64_t i, int64_t interval, TextBuffer* out);

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_PRINTED_SHAPE_H_
