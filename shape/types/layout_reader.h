// The text of layouts, "{1,0:T(8,128)S(1)}", as part of a shape's.

#ifndef INDIM_SHAPE_TYPES_LAYOUT_READER_H_
#define INDIM_SHAPE_TYPES_LAYOUT_READER_H_

#include "indim/shape/types/layout.h"
#include "indim/shape/types/shape_lexer.h"

namespace indim {

// In HLO text a '{' after a shape may also start a computation's body. It
// starts a layout when a number or ':' follows.
bool IsLayoutAhead(ShapeLexer* lexer);

// Takes the layout of an array of `rank` dims. False: lexer->status() says why.
bool ReadLayout(ShapeLexer* lexer, int rank, Layout* layout);

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_LAYOUT_READER_H_
