// SPDX-License-Identifier: Apache-2.0
// Reads the text of a layout, "{1,0:T(8,128)S(1)}", after a shape.

#ifndef INDIM_SHAPE_TYPES_LAYOUT_READER_H_
#define INDIM_SHAPE_TYPES_LAYOUT_READER_H_

#include "indim/shape/types/layout.h"
#include "indim/shape/types/shape_lexer.h"

namespace indim {

// Whether a layout comes next. In HLO text a '{' after a shape may also start a
// computation's body; it starts a layout when a number or ':' follows.
bool IsLayoutAhead(ShapeLexer* lexer);

// Reads the layout of an array of `rank` dims. Returns false after setting
// lexer->error().
bool ReadLayout(ShapeLexer* lexer, int rank, Layout* layout);

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_LAYOUT_READER_H_
