// Files: read whole, written whole or not at all.

#ifndef INDIM_IR_FILE_H_
#define INDIM_IR_FILE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace indim {

// The bytes of a file. "-" is standard input. NotFound, PermissionDenied or
// InvalidArgument (a directory, a read error, a file that shrank), with the
// path and the system's reason.
absl::StatusOr<std::string> ReadFile(absl::string_view path);

// Writes `bytes` to a temporary file beside `path` and renames it, so that
// `path` is either as it was or complete; its mode is kept. "-" is standard
// output; a path that is no regular file (a device, a pipe) is written
// directly. Errors as above; ResourceExhausted when the disk is full.
absl::Status WriteFile(absl::string_view path, absl::string_view bytes);

}  // namespace indim

#endif  // INDIM_IR_FILE_H_
