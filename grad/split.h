// SPDX-License-Identifier: Apache-2.0
// SplitComputation: reverse mode of a computation that others run: a callee, or
// the body of a loop.

#ifndef INDIM_GRAD_SPLIT_H_
#define INDIM_GRAD_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/tape.h"
#include "indim/ir/module.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// The name of what is made of a computation.
std::string PartName(const Computation& computation, absl::string_view part);

// Forward mode of a computation in `b`, whose parameters become its own and
// then tangents of the leaves that are `active`. Errors: Linearizer's.
absl::StatusOr<Traced> TangentsIn(ComputationBuilder* b,
                                  GradientContext* context,
                                  const Computation& computation,
                                  const CallChain* site,
                                  const ActiveLeaves& active,
                                  const ActiveLeaves& wanted);

// Two computations: forward(arguments) gives the result, and the values that
// the other one needs; backward(cotangents, those) gives the cotangents of the
// arguments. Not kept are constants, what its caller has anyway (below), and
// what costs nothing to make from those. Of a computation that is no loop's
// body, all that is kept is one value if there is much of it: then each call of
// it is a few instructions.
class SplitComputation {
 public:
  // What backward takes behind the cotangents: number `index` of what forward
  // keeps, or what the caller has: the argument `index`, or, of a loop's body,
  // the element `index` of its state.
  struct Source {
    bool is_kept = false;
    int64_t index = 0;
  };

  // `known` are the elements of its state that a loop's body hands on, or that
  // are known from the number of the step; null: it is no body.
  SplitComputation(ComputationBuilder* family, const Computation& computation,
                   const std::vector<int64_t>* known);

  // `active` are the leaves of all arguments that have tangents, `wanted` those
  // of the result whose tangents someone wants. Of a loop's body all of these
  // have cotangents, zeros if need be; else only those that can differ from 0.
  // Errors: Linearizer's.
  absl::Status Record(GradientContext* context, const CallChain* site,
                      const ActiveLeaves& active, const ActiveLeaves& wanted);

  // How a computation runs: called, or written out, for what runs it alone.
  enum class Runs : uint8_t { kCalled, kWrittenOut };
  // Runs forward. Returns the result; what it keeps is added to `kept`.
  Op RunForward(ComputationBuilder& b, absl::Span<const Op> arguments,
                Runs runs, std::vector<Op>* kept) const;
  // Runs backward: a cotangent for each of results() in, one for each of
  // arguments() out. `given` gives what the caller has.
  std::vector<Op> RunBackward(ComputationBuilder& b,
                              absl::Span<const Op> cotangents,
                              absl::Span<const Op> kept,
                              const std::function<Op(int64_t)>& given,
                              Runs runs) const;

  // A computation that needs nothing kept: it takes the cotangents and the
  // arguments of forward, and computes again what it needs.
  Callee BuildAgain(ComputationBuilder* family) const;

  // The leaves of the result, and of the arguments, that have cotangents.
  const std::vector<size_t>& results() const { return results_; }
  const std::vector<size_t>& arguments() const { return arguments_; }
  // The types of what forward keeps.
  const std::vector<Shape>& kept_shapes() const { return kept_shapes_; }
  const std::vector<Source>& sources() const { return sources_; }

 private:
  Op InBackward(Op value);
  Op MadeAgain(Op value);
  bool IsFree(Op value) const;
  bool IsFree(Op value, int* budget) const;
  bool IsGiven(Op value, int64_t* index) const;
  Op Kept(Op value);
  static std::vector<Op> ResultsOf(ComputationBuilder& b, const Callee& callee,
                                   absl::Span<const Op> operands, size_t count,
                                   Runs runs);
  void Pack();
  // Whether backward gives its only gradient, and no tuple.
  bool IsOne() const { return known_ == nullptr && arguments_.size() == 1; }
  absl::Status Transpose(const Tape& tape, const Traced& result,
                         absl::Span<const Traced> arguments,
                         const ActiveLeaves& wanted);

  const Computation computation_;
  const std::vector<int64_t>* const known_;
  GradientContext* context_ = nullptr;
  ComputationBuilder forward_, backward_;
  std::vector<Op> parameters_;  // of forward
  std::vector<Op> kept_;        // in forward
  absl::flat_hash_map<Op, Op> in_backward_;
  std::vector<Shape> kept_shapes_;
  std::vector<Source> sources_;
  std::vector<size_t> results_, arguments_;
  Callee forward_callee_, backward_callee_;
};

}  // namespace indim::internal

#endif  // INDIM_GRAD_SPLIT_H_
