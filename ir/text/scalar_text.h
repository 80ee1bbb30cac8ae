// Scalar constants from bytes to text in one step: most constants that are
// printed whole.
//
// For ir/text/ alone.

#ifndef INDIM_IR_TEXT_SCALAR_TEXT_H_
#define INDIM_IR_TEXT_SCALAR_TEXT_H_

#include "absl/strings/string_view.h"
#include "indim/ir/text/text_buffer.h"
#include "indim/shape/shape.h"

namespace indim {

// Appends what Literal::ToString says of the canonical LiteralProto `literal`
// where that is a scalar of `shape`, whose ShapeProto bytes are `shape_wire`,
// and its value. False: it is something else, and nothing is appended.
bool AppendScalarText(const Shape& shape, absl::string_view shape_wire,
                      absl::string_view literal, TextBuffer* out);

}  // namespace indim

#endif  // INDIM_IR_TEXT_SCALAR_TEXT_H_
