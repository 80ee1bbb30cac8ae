// SPDX-License-Identifier: Apache-2.0
// Errors in a text, rendered as by a compiler: file, line, column, the expected
// token, and the line with a caret.
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
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim {

// The name of a text without a file.
inline constexpr absl::string_view kNamelessText = "text";

// One error, in bytes of the text.
struct TextError {
  size_t offset = 0;  // where it begins
  size_t length = 0;  // number of underlined characters; 0: a caret alone
  std::string message;
  Code code = Code::kFileUnreadable;
  std::string fix = "";  // what would have worked; "": not known
  int32_t operand = -1;  // what it is about; -1: not known
  int32_t dim = -1;
};

// Where a byte stands.
TextPosition PositionOf(absl::string_view text, size_t offset);

// The errors of one text, in the order in which they were found. It keeps at
// most kMaxErrors and counts the rest.
class TextErrors {
 public:
  static constexpr size_t kMaxErrors = 20;

  // Adds an error, unless there is one at this offset already: each mistake is
  // reported once.
  void Add(size_t offset, size_t length, std::string message,
           Code code = Code::kFileUnreadable);
  void Add(TextError error);

  bool empty() const { return count_ == 0; }
  int64_t count() const { return count_; }
  // How often Add was called, also in vain.
  int64_t calls() const { return calls_; }
  const std::vector<TextError>& errors() const { return errors_; }

  // OK without errors; else InvalidArgument with all errors rendered as above
  // (long lines cut around the caret, unprintable bytes escaped) and the number
  // of those not kept. An empty `file` becomes "text". ErrorsOf
  // (status_errors.h) separates the errors again.
  absl::Status ToStatus(absl::string_view file, absl::string_view text) const;

 private:
  std::vector<TextError> errors_;
  int64_t count_ = 0;
  int64_t calls_ = 0;
};

}  // namespace indim

#endif  // INDIM_TEXT_BASE_TEXT_ERRORS_H_
