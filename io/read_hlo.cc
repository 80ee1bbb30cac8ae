// SPDX-License-Identifier: Apache-2.0
#include "indim/io/read_hlo.h"

#include <memory>
#include <string>
#include <utility>

#include "indim/io/read_file.h"
#include "indim/proto/hlo_module/module_wrapper.h"

namespace indim {

absl::StatusOr<Module> ReadHloFile(absl::string_view path,
                                   const ParseOptions& options) {
  ParseOptions named = options;
  named.file = std::string(path);
  return internal::ModuleIn(internal::ReadFileWith(
      path,
      [&named](absl::string_view bytes, std::shared_ptr<const std::string>)
          -> absl::StatusOr<WrappedModule> {
        absl::StatusOr<Module> module = ParseHloText(bytes, named);
        if (!module.ok()) return module.status();
        return WrappedModule{*std::move(module), {}};
      }));
}

}  // namespace indim
