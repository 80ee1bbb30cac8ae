// SPDX-License-Identifier: Apache-2.0
// Builds: the end of a recording, as a module, or as a callee of its family.

#ifndef INDIM_BUILDER_BUILD_H_
#define INDIM_BUILDER_BUILD_H_

#include <optional>

#include "absl/container/inlined_vector.h"
#include "indim/builder/build_options.h"
#include "indim/builder/op.h"
#include "indim/builder/open_computations.h"
#include "indim/builder/recorder.h"
#include "indim/builder/shared_state.h"
#include "indim/ir/ids.h"
#include "indim/ir/module_data.h"

namespace indim::internal {

// A nullopt root: the last op recorded.
BuildResult BuildModule(Recorder* recorder, std::optional<Op> root,
                        const BuildOptions& options, Caller caller);
Callee BuildCallee(Recorder* recorder, std::optional<Op> root, Caller caller);

// The signature in the form of SharedState::Adopt.
absl::InlinedVector<ShapeId, 6> SignatureOf(const Frame& frame);
// Moves the instructions out, as one computation.
ModuleData TakeRecords(const SharedState& shared, Frame* frame);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_BUILD_H_
