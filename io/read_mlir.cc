// SPDX-License-Identifier: Apache-2.0
#include "indim/io/read_mlir.h"

#include <memory>
#include <string>
#include <utility>

#include "indim/io/read_file.h"
#include "indim/proto/hlo_module/module_wrapper.h"

namespace indim {

absl::StatusOr<Module> ReadMlirFile(absl::string_view path,
                                    const StablehloReadOptions& options) {
  StablehloReadOptions named = options;
  named.name = std::string(path);
  return internal::ModuleIn(internal::ReadFileWith(
      path,
      [&named](absl::string_view bytes, std::shared_ptr<const std::string>)
          -> absl::StatusOr<WrappedModule> {
        absl::StatusOr<Module> module = ReadStablehlo(bytes, named);
        if (!module.ok()) return module.status();
        return WrappedModule{*std::move(module), {}};
      }));
}

}  // namespace indim
