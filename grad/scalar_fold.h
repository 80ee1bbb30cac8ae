// SPDX-License-Identifier: Apache-2.0
// What the computation of a reduction is.

#ifndef INDIM_GRAD_SCALAR_FOLD_H_
#define INDIM_GRAD_SCALAR_FOLD_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "indim/builder/computation_builder.h"
#include "indim/ir/module.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

class Primal;
class Tape;

// The fold of two scalars that a computation is, whichever parameter comes
// first.
enum class ScalarFold : uint8_t {
  kOther,
  kAdd,
  kMultiply,
  kMaximum,
  kMinimum,
  kFirst,   // its first parameter
  kSecond,  // its second parameter: a scatter that assigns
};
ScalarFold ScalarFoldOf(const Computation& computation);
// The fold of array `i` of `count` that a computation folds together: kOther if
// it uses another array's scalars.
ScalarFold ScalarFoldOf(const Computation& computation, int i, int count);
// The fold of a scatter's array `i` of `count` with what its computation makes
// of the updates alone: kAdd of x + f(u) and of x - f(u), kMultiply of x f(u)
// and of x / f(u). Of the fold's identity and the updates, the computation
// gives what is folded. kOther: there is no such fold.
ScalarFold UpdateFoldOf(const Computation& computation, int i, int count);

// x + y of scalars of the shape's element type: the one that sums of the
// builder's family share.
Callee AdderOf(ComputationBuilder* builder, const Shape& shape);
// What a sum on the tape calls: on a reverse tape nothing.
std::vector<Callee> AddersOf(const Tape& tape, const Shape& shape);

// Sets the tangent of a reduce-window by maximum (or minimum), whose window has
// no dilation and no negative padding: that of the first of equal elements.
// Source: JAX.
absl::Status TangentOfWindowExtremum(Primal& node, bool maximum);

// A reduction by any computation as a tree of elementwise operations.
absl::StatusOr<Module> ExpandReduce(const Instruction& node);
// Whether each array of a scatter has an UpdateFoldOf.
bool FoldsUpdates(const Instruction& scatter);
// A scatter that FoldsUpdates, and one by any computation whose windows don't
// overlap.
absl::StatusOr<Module> ExpandScatter(const Instruction& node);
// A reduction of windows as windows that are cut out and reduced.
absl::StatusOr<Module> ExpandReduceWindow(const Instruction& node);

}  // namespace indim::internal

#endif  // INDIM_GRAD_SCALAR_FOLD_H_
