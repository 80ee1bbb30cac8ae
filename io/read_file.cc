// SPDX-License-Identifier: Apache-2.0
#include "indim/io/read_file.h"

#include <utility>

#include "absl/status/status.h"
#include "indim/ir/module.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/external_constants.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::internal {

absl::StatusOr<WrappedModule> ReadFileWith(
    absl::string_view path,
    absl::FunctionRef<absl::StatusOr<WrappedModule>(
        absl::string_view bytes, std::shared_ptr<const std::string> owner)>
        read) {
  absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return WithFileName(path, bytes.status());
  if (bytes->empty()) {
    return WithFileName(path, absl::InvalidArgumentError("the file is empty"));
  }
  auto owner = std::make_shared<const std::string>(*std::move(bytes));
  absl::StatusOr<WrappedModule> wrapped = read(*owner, owner);
  if (!wrapped.ok()) return WithFileName(path, wrapped.status());
  absl::StatusOr<Module> module =
      OpenExternalConstants(std::move(wrapped->module), path);
  if (!module.ok()) return WithFileName(path, module.status());
  wrapped->module = *std::move(module);
  return wrapped;
}

absl::StatusOr<Module> ModuleIn(absl::StatusOr<WrappedModule> read) {
  if (!read.ok()) return read.status();
  return std::move(read->module);
}

}  // namespace indim::internal
