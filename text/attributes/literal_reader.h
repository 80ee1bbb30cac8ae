// SPDX-License-Identifier: Apache-2.0
// Reads literals in HLO text: `5`, `{1, 2}`, `{ { 1, 2 }, { 3, 4 } }`, `( 1,
// {2, 3} )`, `nan(0x41)`, `(1, -2)` in complex arrays.

#ifndef INDIM_TEXT_ATTRIBUTES_LITERAL_READER_H_
#define INDIM_TEXT_ATTRIBUTES_LITERAL_READER_H_

#include <string>

#include "indim/proto/codec/literal.h"
#include "indim/shape/types/shape.h"
#include "indim/text/base/lexer.h"

namespace indim {

struct LiteralReaderOptions {
  // Accept `{...}`, which stands for omitted values, and set `elided`, without
  // memory for values. Otherwise it is an error.
  bool allow_elided = false;
};

struct ReadLiteralResult {
  std::string wire;  // canonical LiteralProto, layout as in `shape`
  // The text was {...}: wire is only the shape (in a tuple, the element's).
  bool elided = false;
};

// Reads a literal of `shape` (an array or a tuple of arrays). False after an
// error: nesting or counts that don't match the shape, a value that isn't of
// the element type or doesn't fit, {...}, a shape without values. It takes one
// pass; time and memory are proportional to the text, also with braces around
// missing values.
//
// The shape in `wire` is the one that XLA gives to the constant: bounds are
// sizes (f32[<=3] has 3 elements), layouts are filled in, elements aren't
// packed.
//
// Values follow XLA's rules, except where XLA's reader loses information: "-0"
// is -0.0 (XLA prints it so and reads it as 0), and each part of a complex
// number may be a NaN (XLA's reader lets the real part decide). {...} may also
// stand for a scalar or a tuple.
bool ReadLiteral(Lexer* lexer, const Shape& shape,
                 const LiteralReaderOptions& options, ReadLiteralResult* to);

// Reads `f32[2]{0} {1, 2}`: a literal with its shape (custom-call's literal=).
// An array must have its layout, because braces after a shape without one would
// be read as the layout.
bool ReadTypedLiteral(Lexer* lexer, const LiteralReaderOptions& options,
                      ReadLiteralResult* to);

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_LITERAL_READER_H_
