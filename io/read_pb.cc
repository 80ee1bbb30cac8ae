// SPDX-License-Identifier: Apache-2.0
#include "indim/io/read_pb.h"

#include <memory>
#include <string>
#include <utility>

#include "indim/io/read_file.h"
#include "indim/proto/hlo_module/wrapped_module.h"

namespace indim {

absl::StatusOr<Module> ReadPbBytes(absl::string_view bytes) {
  return internal::ModuleIn(ReadAnyModuleProto(bytes));
}

absl::StatusOr<Module> ReadPbFile(absl::string_view path) {
  return internal::ModuleIn(internal::ReadFileWith(
      path,
      [](absl::string_view bytes, std::shared_ptr<const std::string> owner) {
        return ReadAnyModuleProto(bytes, std::move(owner));
      }));
}

}  // namespace indim
