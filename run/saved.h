// SPDX-License-Identifier: Apache-2.0
// The bytes of a saved executable: the plugin's own, preceded by what the
// plugin doesn't save.

#ifndef INDIM_RUN_SAVED_H_
#define INDIM_RUN_SAVED_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/run/compile/interface.h"

namespace indim::pjrt {

struct Saved {
  // Whose bytes these are: other plugins, and other versions of one, may load
  // them and fail when they run.
  std::string made_by;
  Interface interface;
  int64_t partitions = 1;
  absl::string_view bytes;
};

std::string WriteSaved(const Saved& saved);

// False: these aren't such bytes. `saved->bytes` views `serialized`.
bool ReadSaved(absl::string_view serialized, Saved* saved);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_SAVED_H_
