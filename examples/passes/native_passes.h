// Passes in C++, for pjrt::EditingPass (run/pass.h). docs/passes.md shows what
// they do.

#ifndef INDIM_EXAMPLES_PASSES_NATIVE_PASSES_H_
#define INDIM_EXAMPLES_PASSES_NATIVE_PASSES_H_

#include "absl/status/status.h"
#include "indim/edit/editor.h"
#include "indim/run/custom_call.h"

namespace indim {

// A rewrite by a pattern: every tanh becomes a clamp to [-1, 1].
absl::Status HardTanh(Editor& editor);

// A call of this program's own code, target "softsign", in the place of fusions
// that are a tanh.
absl::Status CallSoftsign(Editor& editor);
absl::Status Softsign(const pjrt::CustomCall& call);

// Watches the f32 arrays of the entry, by calls of target "watch": the run
// fails at the first one that has a NaN, with its name.
absl::Status WatchForNan(Editor& editor);
absl::Status Watch(const pjrt::CustomCall& call);

}  // namespace indim

#endif  // INDIM_EXAMPLES_PASSES_NATIVE_PASSES_H_
