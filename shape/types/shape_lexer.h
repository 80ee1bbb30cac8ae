// SPDX-License-Identifier: Apache-2.0
// Reads the tokens of shape text, and makes errors with the column and the
// expected token. It scans the text once.

#ifndef INDIM_SHAPE_TYPES_SHAPE_LEXER_H_
#define INDIM_SHAPE_TYPES_SHAPE_LEXER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/shape/types/shape_reader.h"

namespace indim {

// Skips blanks and comments before each token.
class ShapeLexer {
 public:
  // `text` must outlive this.
  explicit ShapeLexer(absl::string_view text) : text_(text) {}

  absl::string_view text() const { return text_; }
  absl::string_view rest() const { return text_.substr(pos_); }
  size_t position() const { return pos_; }
  void Seek(size_t position) { pos_ = position; }
  bool AtEnd() const { return pos_ == text_.size(); }
  // The next character, whatever it is; '\0' at the end.
  char Peek() const { return AtEnd() ? '\0' : text_[pos_]; }
  bool ok() const { return error_.message.empty(); }
  // Of the last Fail.
  const ShapeTextError& error() const { return error_; }
  // The same with the text around it; OK without an error.
  absl::Status status() const;

  void SkipBlanks();
  // Whether the next token is `token`; doesn't take it.
  bool Ahead(absl::string_view token);
  bool AheadDigit();
  // Takes the next token if it is `token`.
  bool Eat(absl::string_view token);
  // Takes letters, digits, _ . -, not starting with a digit; empty where there
  // are none.
  absl::string_view EatName();

  // These return false after setting error(). `context` follows the token in
  // the message: "after a dim".
  bool Expect(absl::string_view token, absl::string_view context);
  // A number in 0..`most`. `what` is its name in the message.
  bool ReadNumber(absl::string_view what, int64_t most, int64_t* value);
  // A number with an optional '-'.
  bool ReadSigned(absl::string_view what, int64_t* value);
  bool ReadEnd();

  // Sets the error and returns false. `at` is the offset that it points to.
  bool Fail(size_t at, absl::string_view what);
  // Ends the error with what was probably meant; only the last call counts.
  void Suggest(absl::string_view meant);
  // Fails with "expected `what`, not" and the text that follows.
  bool FailExpected(absl::string_view what);

 private:
  bool SkipComment();
  // Digits behind a sign, 1 or -1.
  bool ReadDigits(absl::string_view what, int sign, int64_t most,
                  int64_t* value);

  absl::string_view text_;
  size_t pos_ = 0;
  ShapeTextError error_;
  size_t fail_size_ = 0;  // of its message, as Fail() wrote it
};

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_SHAPE_LEXER_H_
