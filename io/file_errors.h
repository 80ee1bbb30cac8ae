// Errors that name the file.

#ifndef INDIM_IO_FILE_ERRORS_H_
#define INDIM_IO_FILE_ERRORS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace indim {

// `status` with the name of the file before its message, unless the message has
// the name already. "-" appears as standard input.
absl::Status WithFileName(absl::string_view path, const absl::Status& status);

}  // namespace indim

#endif  // INDIM_IO_FILE_ERRORS_H_
