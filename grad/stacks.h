// SPDX-License-Identifier: Apache-2.0
// Stacks: arrays in which a loop keeps a value of each of its steps.

#ifndef INDIM_GRAD_STACKS_H_
#define INDIM_GRAD_STACKS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// The stack of `count` values of a shape.
Shape StackOf(const Shape& shape, int64_t count);
// The number of a step, or of steps.
Op ConstantSteps(ComputationBuilder& b, int64_t number);
// Where the value of step k begins in a stack of arrays of this rank.
std::vector<Op> StackStarts(ComputationBuilder& b, Op k, int rank);
// The values of step k in stacks.
std::vector<Op> Unstacked(ComputationBuilder& b, absl::Span<const Op> stacks,
                          Op k);
// The elements of a tuple from `first` on.
std::vector<Op> ElementsFrom(ComputationBuilder& b, Op tuple, int64_t first);
// Its arrays in order, which may be in tuples, behind those that are there.
void AddLeaves(ComputationBuilder& b, Op op, std::vector<Op>* leaves);
Shape TupleShapeOf(const ComputationBuilder& b, const std::vector<Op>& parts);

// The loop that runs backwards: from step `last` to 0. `step` takes the number
// of the step, the cotangents and `others`, and gives the next cotangents.
using StepBack = std::function<std::vector<Op>(
    ComputationBuilder&, Op, absl::Span<const Op>, absl::Span<const Op>)>;
std::vector<Op> RunBackwards(ComputationBuilder& b, Op last,
                             absl::Span<const Op> cotangents,
                             absl::Span<const Op> others, const StepBack& step);

}  // namespace indim::internal

#endif  // INDIM_GRAD_STACKS_H_
