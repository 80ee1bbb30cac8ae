// SPDX-License-Identifier: Apache-2.0
// Inlining into the computation that is recorded: a module's entry
// (ComputationBuilder::Inline), or a computation of the builder's family.

#ifndef INDIM_BUILDER_INLINE_H_
#define INDIM_BUILDER_INLINE_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "indim/builder/op.h"
#include "indim/builder/recorder.h"
#include "indim/ir/module.h"

namespace indim::internal {

Op InlineEntry(Recorder* recorder, const Module& module,
               absl::Span<const Op> arguments, Caller caller);

// Records what a callee of this family does to arguments that fit. Returns the
// elements of its root, if that is an operation tuple, else its root alone:
// `count` Ops. Elements of tuples in it are read where they came from. Names
// and control dependencies stay behind.
std::vector<Op> InlineCallee(Recorder* recorder, const Callee& callee,
                             absl::Span<const Op> arguments, size_t count);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_INLINE_H_
