// A module as both sides of a comparison can read it.

#ifndef INDIM_BENCH_COMMON_MODULE_H_
#define INDIM_BENCH_COMMON_MODULE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace indim::bench {

// `bytes`, a HloModuleProto, as XLA of late 2023 takes it (peers.md): ids below
// 2^31, numbered anew, and none of what its text doesn't say, stack frames. An
// error: `bytes` are no module, or one whose ids aren't there.
absl::StatusOr<std::string> CommonModule(absl::string_view bytes);

}  // namespace indim::bench

#endif  // INDIM_BENCH_COMMON_MODULE_H_
