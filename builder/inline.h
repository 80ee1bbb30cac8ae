// SPDX-License-Identifier: Apache-2.0
// Inlining a module's entry into the computation that is recorded
// (ComputationBuilder::Inline).

#ifndef INDIM_BUILDER_INLINE_H_
#define INDIM_BUILDER_INLINE_H_

#include "absl/types/span.h"
#include "indim/builder/op.h"
#include "indim/builder/recorder.h"
#include "indim/ir/module.h"

namespace indim::internal {

Op InlineEntry(Recorder* recorder, const Module& module,
               absl::Span<const Op> arguments, Caller caller);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_INLINE_H_
