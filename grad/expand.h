// SPDX-License-Identifier: Apache-2.0
// What expansions (operations as modules of simpler ones) begin and end with.

#ifndef INDIM_GRAD_EXPAND_H_
#define INDIM_GRAD_EXPAND_H_

#include <vector>

#include "absl/status/statusor.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/ir/module.h"

namespace indim::internal {

// The operands of `node` as parameters of `b`, whose lines would be those of
// this library.
std::vector<Op> Parameters(ComputationBuilder& b, const Instruction& node);

// The module that gives `root`, with explicit broadcasts.
absl::StatusOr<Module> Finished(ComputationBuilder& b, Op root);

// An operation on bounded dims, `[<=n]`, as one on arrays of the bounds' sizes:
// of the rows of rules.def with kAtBounds. `module` is the node's.
// Unimplemented: it can't be told so.
absl::StatusOr<Module> ExpandAtBounds(const Module& module,
                                      const Instruction& node);

}  // namespace indim::internal

#endif  // INDIM_GRAD_EXPAND_H_
