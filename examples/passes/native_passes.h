// Passes in C++, for pjrt::RegisterPass (run/pass.h). docs/passes.md shows what
// they do.

#ifndef INDIM_EXAMPLES_PASSES_NATIVE_PASSES_H_
#define INDIM_EXAMPLES_PASSES_NATIVE_PASSES_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "indim/ir/module.h"
#include "indim/run/custom_call.h"

namespace indim {

// A rewrite by a pattern: every tanh becomes a clamp to [-1, 1].
absl::StatusOr<std::optional<Module>> HardTanh(const Module& module);

// A call of this program's own code, target "softsign", in the place of fusions
// that are a tanh.
absl::StatusOr<std::optional<Module>> CallSoftsign(const Module& module);
absl::Status Softsign(const pjrt::CustomCall& call);

// Watches the f32 arrays of the entry, by calls of target "watch": the run
// fails at the first one that has a NaN, with its name.
absl::StatusOr<std::optional<Module>> WatchForNan(const Module& module);
absl::Status Watch(const pjrt::CustomCall& call);

}  // namespace indim

#endif  // INDIM_EXAMPLES_PASSES_NATIVE_PASSES_H_
