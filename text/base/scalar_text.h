// Prints scalar constants directly from their bytes: most constants that are
// printed whole.
//
// For text/ only.

#ifndef INDIM_TEXT_BASE_SCALAR_TEXT_H_
#define INDIM_TEXT_BASE_SCALAR_TEXT_H_

#include "absl/strings/string_view.h"
#include "indim/shape/types/shape.h"
#include "indim/text/base/text_buffer.h"

namespace indim {

// Appends Literal::ToString's text of the canonical LiteralProto `literal`, if
// it is a scalar of `shape` (with ShapeProto bytes `shape_wire`) with its
// value. False: it isn't, and nothing was appended.
bool AppendScalarText(const Shape& shape, absl::string_view shape_wire,
                      absl::string_view literal, TextBuffer* out);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_SCALAR_TEXT_H_
