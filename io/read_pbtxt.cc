// SPDX-License-Identifier: Apache-2.0
#include "indim/io/read_pbtxt.h"

#include <memory>
#include <string>

#include "indim/io/read_file.h"
#include "indim/proto/hlo_module/proto_text.h"

namespace indim {

absl::StatusOr<Module> ReadPbtxtFile(absl::string_view path) {
  return internal::ModuleIn(internal::ReadFileWith(
      path, [](absl::string_view bytes, std::shared_ptr<const std::string>) {
        return ReadAnyModuleText(bytes);
      }));
}

}  // namespace indim
