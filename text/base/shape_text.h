// SPDX-License-Identifier: Apache-2.0
// Reads shapes within HLO text.

#ifndef INDIM_TEXT_BASE_SHAPE_TEXT_H_
#define INDIM_TEXT_BASE_SHAPE_TEXT_H_

#include "indim/shape/types/shape.h"
#include "indim/text/base/lexer.h"

namespace indim {

// Reads the shape that begins at the current token (shape/types/shape.h has its
// grammar), and moves to the token after it. `fill_layouts`: arrays without a
// layout get the row-major one, as in XLA's reader. False after an error.
bool ReadShape(Lexer* lexer, bool fill_layouts, Shape* shape);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_SHAPE_TEXT_H_
