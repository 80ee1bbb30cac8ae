// Literals in HLO text: `5`, `{1, 2}`, `{ { 1, 2 }, { 3, 4 } }`,
// `( 1, {2, 3} )`, `nan(0x41)`, `(1, -2)` in complex arrays.

#ifndef INDIM_IR_TEXT_LITERAL_READER_H_
#define INDIM_IR_TEXT_LITERAL_READER_H_

#include <string>

#include "indim/ir/literal.h"
#include "indim/ir/text/lexer.h"
#include "indim/shape/shape.h"

namespace indim {

struct LiteralReaderOptions {
  // `{...}` stands for values that nobody has: an error by default. When
  // allowed, `elided` says so and no memory is spent on values.
  bool allow_elided = false;
};

struct ReadLiteralResult {
  std::string wire;     // canonical LiteralProto, layout as in `shape`
  bool elided = false;  // the text was {...}; wire is then the shape alone
};

// Reads a literal of `shape` (an array, tuple or token with its layout). Errors
// (false): nesting or counts that don't match the shape, a value that isn't of
// the element type or doesn't fit, {...}. One pass, time and memory in
// proportion to the text; braces around missing values cost nothing.
bool ReadLiteral(Lexer* lexer, const Shape& shape,
                 const LiteralReaderOptions& options, ReadLiteralResult* to);

// `f32[2] {1, 2}`: a literal that brings its shape (custom-call's literal=).
bool ReadTypedLiteral(Lexer* lexer, const LiteralReaderOptions& options,
                      ReadLiteralResult* to);

}  // namespace indim

#endif  // INDIM_IR_TEXT_LITERAL_READER_H_
