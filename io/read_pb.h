// SPDX-License-Identifier: Apache-2.0
// Reading .pb files alone: serialized modules (HloModuleProto, or a message
// that wraps one). read.h reads every format; a program that includes this
// header instead is linked with no reader of text.

#ifndef INDIM_IO_READ_PB_H_
#define INDIM_IO_READ_PB_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"

namespace indim {

// Reads a module from serialized bytes. The module doesn't refer to `bytes`.
// InvalidArgument: the bytes aren't a module.
absl::StatusOr<Module> ReadPbBytes(absl::string_view bytes);

// Reads a module from a file ("-": standard input), and opens the files that
// its constants refer to. Every error names the file. NotFound,
// PermissionDenied and other errors of the operating system: it can't be read.
// InvalidArgument: it is empty, or isn't a module.
absl::StatusOr<Module> ReadPbFile(absl::string_view path);

}  // namespace indim

#endif  // INDIM_IO_READ_PB_H_
