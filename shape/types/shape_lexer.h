// Tokens of shapes' text: takes them off the front, and tells what else was
// expected where. Goes over the text once.

#ifndef INDIM_SHAPE_TYPES_SHAPE_LEXER_H_
#define INDIM_SHAPE_TYPES_SHAPE_LEXER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace indim {

// Blanks and comments before a token are skipped.
class ShapeLexer {
 public:
  // `text` must outlive this.
  explicit ShapeLexer(absl::string_view text) : text_(text) {}

  absl::string_view text() const { return text_; }
  absl::string_view rest() const { return text_.substr(pos_); }
  size_t position() const { return pos_; }
  void Seek(size_t position) { pos_ = position; }
  bool AtEnd() const { return pos_ == text_.size(); }
  // The next character as it is; '\0' at the end.
  char Peek() const { return AtEnd() ? '\0' : text_[pos_]; }
  // What Fail was told; OK before.
  const absl::Status& status() const { return status_; }

  void SkipBlanks();
  // The next token without taking it.
  bool Ahead(absl::string_view token);
  bool AheadDigit();
  // Takes the next token, if it is this one.
  bool Eat(absl::string_view token);
  // Takes letters, digits, _ . -, not starting with a digit; empty: none here.
  absl::string_view EatName();

  // These set status() where they return false. `context`: what the message
  // says after the token, "after a dim".
  bool Expect(absl::string_view token, absl::string_view context);
  // A number of 0 to `most`. `what`: what it is called.
  bool ReadNumber(absl::string_view what, int64_t most, int64_t* value);
  // A number that may have a '-'.
  bool ReadSigned(absl::string_view what, int64_t* value);
  bool ReadEnd();

  // Always false. `at`: the offset that the message points to.
  bool Fail(size_t at, absl::string_view what);
  // "expected `what`, not" what is there.
  bool FailExpected(absl::string_view what);

 private:
  bool SkipComment();

  absl::string_view text_;
  size_t pos_ = 0;
  absl::Status status_;
};

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_SHAPE_LEXER_H_
