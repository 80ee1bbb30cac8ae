// What is wrong with a text, as a good compiler says it: file, line, column,
// the line itself with a caret, what was expected.
//
//   affine.hlo:3:21: error: unknown op "ad", did you mean "add"?
//     y = f32[2] ad(x, x)
//                ^~

#ifndef INDIM_TEXT_BASE_TEXT_ERRORS_H_
#define INDIM_TEXT_BASE_TEXT_ERRORS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace indim {

// What a text without a file is called.
inline constexpr absl::string_view kNamelessText = "text";

// One error, in bytes of the text.
struct TextError {
  size_t offset = 0;  // where it begins
  size_t length = 0;  // how much is underlined; 0: a caret alone
  std::string message;
};

// Line and column of a byte, both from 1; a column counts bytes.
struct TextPosition {
  int64_t line = 1;
  int64_t column = 1;
};
TextPosition PositionOf(absl::string_view text, size_t offset);

// The errors of one text, in the order in which they were found. At most
// kMaxErrors are kept; the rest is counted.
class TextErrors {
 public:
  static constexpr size_t kMaxErrors = 20;

  // Does nothing when an error at the same offset is there already, so that
  // one mistake isn't told twice.
  void Add(size_t offset, size_t length, std::string message);

  bool empty() const { return count_ == 0; }
  int64_t count() const { return count_; }
  // How often Add was called, also where it did nothing.
  int64_t calls() const { return calls_; }
  const std::vector<TextError>& errors() const { return errors_; }

  // OK when there is none; else InvalidArgument with all errors rendered as
  // above (a long line is cut around the caret, what isn't printable escaped)
  // and the count of those not kept. `file` may be empty: then "text" stands
  // for it.
  // ErrorsOf takes them apart again.
  absl::Status ToStatus(absl::string_view file, absl::string_view text) const;

 private:
  std::vector<TextError> errors_;
  int64_t count_ = 0;
  int64_t calls_ = 0;
};

// One error of a status, for those who want them one by one.
struct PlacedError {
  TextPosition position;  // line 0: it has none
  std::string message;    // with the line and the caret below it
};

// The errors that `status` tells of: of one that ToStatus made each by itself
// (and, last and without a place, the count of those not kept), of any other
// its message. None of OK.
std::vector<PlacedError> ErrorsOf(const absl::Status& status);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_TEXT_ERRORS_H_
