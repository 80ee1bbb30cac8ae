// SPDX-License-Identifier: Apache-2.0
// What the readers of files have in common.

#ifndef INDIM_IO_READ_FILE_H_
#define INDIM_IO_READ_FILE_H_

#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/proto/hlo_module/module_wrapper.h"

namespace indim::internal {

// Reads the file `path` ("-": standard input) whole, and `read` makes a module
// of its bytes, which live as long as their owner. Opens the files that its
// constants refer to (proto/hlo_module/external_constants.h). Every error names
// the file; InvalidArgument also: the file is empty.
absl::StatusOr<WrappedModule> ReadFileWith(
    absl::string_view path,
    absl::FunctionRef<absl::StatusOr<WrappedModule>(
        absl::string_view bytes, std::shared_ptr<const std::string> owner)>
        read);

// The module, without its wrapper.
absl::StatusOr<Module> ModuleIn(absl::StatusOr<WrappedModule> read);

}  // namespace indim::internal

#endif  // INDIM_IO_READ_FILE_H_
