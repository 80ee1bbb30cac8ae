#include "indim/io/read_pbtxt.h"

#include <memory>
#include <string>
#include <utility>

#include "indim/hlo_proto/module_wrapper.h"
#include "indim/hlo_proto/proto_text.h"
#include "indim/io/read_file.h"

namespace indim {

absl::StatusOr<Module> ReadPbtxtFile(absl::string_view path) {
  return internal::ModuleIn(internal::ReadFileWith(
      path, [](absl::string_view bytes, std::shared_ptr<const std::string>) {
        return ReadAnyModuleText(bytes);
      }));
}

}  // namespace indim
