// Shapes as HLO text prints them: Shape::ToString(), but in tuples of more than
// five elements every fifth is announced by a comment.
//
//   (f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[2]{0})

#ifndef INDIM_TEXT_PRINT_PRINTED_SHAPE_H_
#define INDIM_TEXT_PRINT_PRINTED_SHAPE_H_

#include <cstdint>
#include <string>

#include "indim/shape/types/shape.h"

namespace indim {

// Appends `shape`, without its layouts unless `layouts`. XLA:
// ShapeUtil::HumanString, HumanStringWithLayout.
void AppendPrintedShape(const Shape& shape, bool layouts, std::string* out);

// What stands before element `i` of a list whose elements are counted every
// `interval`: nothing before the first, ", " or ", /*index=5*/". 0: not
// counted.
void AppendListSeparator(int64_t i, int64_t interval, std::string* out);

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_PRINTED_SHAPE_H_
