// A shape in the middle of HLO text.

#ifndef INDIM_IR_TEXT_SHAPE_TEXT_H_
#define INDIM_IR_TEXT_SHAPE_TEXT_H_

#include "indim/ir/text/lexer.h"
#include "indim/shape/shape.h"

namespace indim {

// Reads the shape that begins at the present token (shape/shape.h has its
// grammar) and goes on after it. `fill_layouts`: arrays without a layout get
// the row-major one, as XLA's reader gives them. False after an error.
bool ReadShape(Lexer* lexer, bool fill_layouts, Shape* shape);

}  // namespace indim

#endif  // INDIM_IR_TEXT_SHAPE_TEXT_H_
