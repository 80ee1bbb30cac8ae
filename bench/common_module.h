// SPDX-License-Identifier: Apache-2.0
// Converts a module to a form that both sides of a comparison can read.

#ifndef INDIM_BENCH_COMMON_MODULE_H_
#define INDIM_BENCH_COMMON_MODULE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace indim::bench {

// `bytes`, a HloModuleProto, in a form that XLA of late 2023 accepts
// (peers.md): with new ids below 2^31, and without stack frames and fields that
// its text lacks. An error: `bytes` aren't a module, or refer to missing ids.
absl::StatusOr<std::string> CommonModule(absl::string_view bytes);

}  // namespace indim::bench

#endif  // INDIM_BENCH_COMMON_MODULE_H_
