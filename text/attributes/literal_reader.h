// Literals in HLO text: `5`, `{1, 2}`, `{ { 1, 2 }, { 3, 4 } }`,
// `( 1, {2, 3} )`, `nan(0x41)`, `(1, -2)` in complex arrays.

#ifndef INDIM_TEXT_ATTRIBUTES_LITERAL_READER_H_
#define INDIM_TEXT_ATTRIBUTES_LITERAL_READER_H_

#include <string>

#include "indim/codec/literal.h"
#include "indim/shape/types/shape.h"
#include "indim/text/base/lexer.h"

namespace indim {

struct LiteralReaderOptions {
  // `{...}` stands for values that nobody has: an error by default. When
  // allowed, `elided` says so and no memory is spent on values.
  bool allow_elided = false;
};

struct ReadLiteralResult {
  std::string wire;     // canonical LiteralProto, layout as in `shape`
  bool elided = false;  // the text was {...}; wire is then the shape alone
                        // (of a tuple: that element's is)
};

// Reads a literal of `shape` (an array or a tuple of arrays). Errors (false):
// nesting or counts that don't match the shape, a value that isn't of the
// element type or doesn't fit, {...}, a shape without values. One pass, time
// and memory in proportion to the text; braces around missing values cost
// nothing.
//
// The literal's shape is that of the wire, and XLA gives it to the constant
// too: bounds are sizes (f32[<=3] has 3 elements), layouts are filled in,
// elements aren't packed.
//
// XLA's rules for values, and where we keep what XLA's reader loses: "-0" is
// -0.0 (XLA prints it so and reads it as 0), a complex number's parts may be
// NaNs by themselves (XLA's reader lets the real part decide). {...} may stand
// for a scalar or a tuple too.
bool ReadLiteral(Lexer* lexer, const Shape& shape,
                 const LiteralReaderOptions& options, ReadLiteralResult* to);

// `f32[2]{0} {1, 2}`: a literal that brings its shape (custom-call's literal=).
// An array says its layout, or its values would be taken for one.
bool ReadTypedLiteral(Lexer* lexer, const LiteralReaderOptions& options,
                      ReadLiteralResult* to);

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_LITERAL_READER_H_
