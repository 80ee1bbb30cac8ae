// SPDX-License-Identifier: Apache-2.0
// InsertionState: an Insertion that is open, and its splice into the graph.
//
// Instructions in use are parameters of the insertion's builder, which stand
// for them; computations in use are callees declared by their signature, whose
// names say which computation they stand for. The splice replaces both.

#ifndef INDIM_EDIT_INSERTION_STATE_H_
#define INDIM_EDIT_INSERTION_STATE_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "indim/builder/computation_builder.h"
#include "indim/edit/edit_session.h"
#include "indim/ir/link.h"
#include "indim/ir/module.h"

namespace indim::internal {

class InsertionState {
 public:
  // New nodes go before `before` of computation `c`, with text position `place`
  // (EditSession::Add). kNone as `c`: the call that opened it was wrong, and
  // the recorded ops are dropped.
  InsertionState(EditSession* graph, uint32_t c, uint32_t before,
                 uint32_t place);
  ~InsertionState();
  InsertionState(const InsertionState&) = delete;
  InsertionState& operator=(const InsertionState&) = delete;

  ComputationBuilder& builder() { return builder_; }
  // `ref` is the graph's, or wrong, which is reported.
  Op Use(InstructionRef ref, Caller caller);
  Callee UseComputation(ComputationRef ref, Caller caller);
  // Inserts the recorded ops, once. `root` is an op, which must be the
  // builder's. False: there are errors.
  bool Splice(Op root, Caller caller);
  bool Splice(Caller caller) { return Splice(first_, caller); }
  // The instruction that an op became. A default reference before Splice, and
  // for other ops.
  InstructionRef RefOf(Op op) const;

  // `node` is about to leave its place.
  void Leave(uint32_t node);
  // The graph is about to go.
  void Abandon() {
    graph_ = nullptr;
    done_ = true;
  }

 private:
  void CheckUse(const ModuleData& built, Caller caller, bool* ok);
  bool Expand(Module* built);
  void Copy(const ModuleData& built);
  // Copies the instructions of computation `from` behind each other.
  // `node_of` has an entry for each, kNone where it must be copied.
  void CopyNodes(const ModuleData& built, uint32_t from, uint32_t to,
                 uint32_t before, IdMap* map, std::vector<uint32_t>* node_of);
  uint32_t RealComputation(const ModuleData& built, uint32_t c) const;

  EditSession* graph_;  // null: it is gone
  const uint32_t computation_;
  uint32_t before_;
  const uint32_t place_;
  bool done_ = false;
  bool use_failed_ = false;

  ComputationBuilder builder_;
  // Parameter 0, which stands for nothing: so there is always an op.
  Op first_;
  std::vector<uint32_t> in_use_;             // nodes by parameter number
  absl::flat_hash_map<uint32_t, Op> op_of_;  // by node in use
  absl::flat_hash_map<uint32_t, Callee> callee_of_;
  // The graph's computation for each computation that was built.
  std::vector<uint32_t> computation_of_;
  std::vector<uint32_t> node_of_op_;  // after the splice
};

}  // namespace indim::internal

#endif  // INDIM_EDIT_INSERTION_STATE_H_
