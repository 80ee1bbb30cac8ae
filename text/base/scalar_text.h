// Scalar constants from bytes to text in one step: most constants that are
// printed whole.
//
// For text/ alone.

#ifndef INDIM_TEXT_BASE_SCALAR_TEXT_H_
#define INDIM_TEXT_BASE_SCALAR_TEXT_H_

#include "absl/strings/string_view.h"
#include "indim/shape/types/shape.h"
#include "indim/text/base/text_buffer.h"

namespace indim {

// Appends what Literal::ToString says of the canonical LiteralProto `literal`
// where that is a scalar of `shape`, whose ShapeProto bytes are `shape_wire`,
// and its value. False: it is something else, and nothing is appended.
bool AppendScalarText(const Shape& shape, absl::string_view shape_wire,
                      absl::string_view literal, TextBuffer* out);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_SCALAR_TEXT_H_
