// SPDX-License-Identifier: Apache-2.0
// The errors that an absl::Status tells of: their codes, their places and the
// name of the file. A Status carries them beside its message, as one payload;
// nobody reads them out of the message again.
//
// The message is in words alone: an error's code is not in it. ErrorText makes
// the text that people see; the tools, the C interface and the plugins' border
// call it, once.
//
//   status.message()   "the module takes 2 arguments, not 1"
//   ErrorText(status)  "the module takes 2 arguments, not 1  [IND0854]"
//   CodeOf(status)     Code::kEvalArgument
//
// A report, such as that of a reader of text, is rendered by whoever knows the
// lines around its errors. Its message is whole: ErrorText adds nothing.

#ifndef INDIM_SHAPE_DIAGNOSTICS_STATUS_ERRORS_H_
#define INDIM_SHAPE_DIAGNOSTICS_STATUS_ERRORS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim {

// Line and column of a byte, from 1; a column counts bytes.
struct TextPosition {
  int64_t line = 0;  // 0: no position
  int64_t column = 0;
};

// --- Reading a Status --------------------------------------------------------

// One error of a Status.
struct PlacedError {
  Code code = Code::kNone;
  TextPosition position;
  // One line, without the place and the name of the file: "can't open it: No
  // such file or directory".
  std::string message;
  // Further lines, a newline before each: the line of the text, and the caret.
  std::string below;
  // Both; of an error without a position ErrorText, which names the file.
  std::string text;
  // What would have worked, which `below` has too; "": not known.
  std::string fix = "";
  // What it is about; -1: not known.
  int32_t operand = -1;
  int32_t dim = -1;
};

// The errors in `status`; none for OK. Those without a code get `otherwise`.
// The last may tell, without a position, how many others there are.
std::vector<PlacedError> ErrorsOf(const absl::Status& status,
                                  Code otherwise = Code::kFileUnreadable);

// The code of the first error; kNone: it has none.
Code CodeOf(const absl::Status& status);

// Whether the message is a report, of whole lines with places and codes.
bool IsReport(const absl::Status& status);

// The whole text for people. What is wrong with a file goes without its code
// (IND0800, IND12nn), which `indim check` tells.
std::string ErrorText(const absl::Status& status);

// `message` with the code behind its first line: "...  [IND1104]".
std::string WithCode(absl::string_view message, Code code);

// --- Making one --------------------------------------------------------------

absl::Status ErrorWithCode(absl::StatusCode kind, Code code,
                           absl::string_view message);

// "can't WHAT FILE: WHY". WithFileName tells what "-" is.
absl::Status FileError(absl::StatusCode kind, absl::string_view what,
                       absl::string_view file, absl::string_view why);

// The place of an error in a report, and its words there.
struct ReportedError {
  Code code = Code::kNone;
  TextPosition position;
  size_t begin = 0;
  size_t size = 0;
  // Of its words: those of the fix.
  size_t fix_begin = 0;
  size_t fix_size = 0;
  int32_t operand = -1;
  int32_t dim = -1;
};
// InvalidArgument whose message is a report. `names_file`: each line that has a
// place names the file.
absl::Status ReportError(absl::string_view report,
                         absl::Span<const ReportedError> errors,
                         bool names_file);
// A report of an error with this code.
absl::Status ReportError(absl::StatusCode kind, Code code,
                         absl::string_view report);

// --- Adding to one -----------------------------------------------------------

// `status` with the name of the file before its message, unless the message has
// it already. "-" appears as standard input.
absl::Status WithFileName(absl::string_view path, const absl::Status& status);
// `status`, whose message has the name of the file already.
absl::Status NamesFile(const absl::Status& status);
// `status` with `note` behind its message.
absl::Status WithNote(const absl::Status& status, absl::string_view note);

// The payload is text for logs; a Status from another process gets it again.
inline constexpr absl::string_view kErrorsPayload = "indim.errors";

}  // namespace indim

#endif  // INDIM_SHAPE_DIAGNOSTICS_STATUS_ERRORS_H_
