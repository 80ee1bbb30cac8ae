// SPDX-License-Identifier: Apache-2.0
#include "indim/run/compile/default_flags.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"

namespace indim::pjrt {
namespace {

struct DefaultFlag {
  absl::string_view platform;
  absl::string_view name;
  bool value;
};
constexpr DefaultFlag kDefaultFlags[] = {
#define INDIM_PJRT_DEFAULT_FLAG(platform, name, value) {platform, name, value},
#include "indim/run/compile/default_flags.def"
#undef INDIM_PJRT_DEFAULT_FLAG
};

}  // namespace

void AddDefaultFlags(absl::string_view platform, absl::string_view environment,
                     CompileOptions* options) {
  for (const DefaultFlag& row : kDefaultFlags) {
    if (row.platform != platform || absl::StrContains(environment, row.name) ||
        absl::c_any_of(options->flags, [&row](const XlaFlag& flag) {
          return flag.name == row.name;
        })) {
      continue;
    }
    options->flags.push_back({std::string(row.name), row.value});
  }
}

}  // namespace indim::pjrt
