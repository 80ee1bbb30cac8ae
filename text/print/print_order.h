// SPDX-License-Identifier: Apache-2.0
// The order in which XLA prints computations and instructions, which differs
// from the file's.

#ifndef INDIM_TEXT_PRINT_PRINT_ORDER_H_
#define INDIM_TEXT_PRINT_PRINT_ORDER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/id_index.h"

namespace indim {

// IdOrder: positions of instructions in their computation, sorted by the low 32
// bits of their ids: the order in which XLA keeps them.
class IdOrder {
 public:
  // `data` must outlive this.
  explicit IdOrder(const ModuleData& data);

  absl::Span<const uint32_t> Of(uint32_t computation) const {
    return absl::MakeConstSpan(positions_)
        .subspan(first_[computation], data_.computations[computation].count);
  }

 private:
  // Appends the positions of a computation with these ids.
  void Sort(absl::Span<const uint32_t> ids);

  const ModuleData& data_;
  // First 0, 1, 2, ..., for all computations with ascending ids; then the
  // positions of each other computation.
  std::vector<uint32_t> positions_;
  std::vector<size_t> first_;    // in positions_, of each computation
  std::vector<uint32_t> slots_;  // buffer of Sort
};

// Indices of computations, callees first: the uncalled ones in the order of the
// module, before each its callees that are new (XLA:
// HloModule::MakeComputationPostOrder).
std::vector<uint32_t> ComputationOrder(const ModuleData& data);

// InstructionOrder: the order of instructions, for one computation after the
// other.
class InstructionOrder {
 public:
  // `data` must outlive this.
  explicit InstructionOrder(const ModuleData& data);

  // Whether the module has a schedule.
  bool is_scheduled() const { return is_scheduled_; }
  // Whether an instruction has control predecessors.
  bool has_control() const { return has_control_; }

  // Positions in `computation` in printed order: its schedule's, if it has one
  // (and `scheduled`); else unused instructions by id, before each its operands
  // and control predecessors that are new (XLA:
  // HloComputation::MakeInstructionPostOrder).
  std::vector<uint32_t> Of(uint32_t computation, bool scheduled);

  const IdOrder& by_id() const { return by_id_; }

  // Positions of an instruction's control predecessors, without those that
  // aren't in the computation.
  std::vector<uint32_t> ControlPredecessors(uint32_t computation,
                                            uint32_t position);

 private:
  void ReadSchedule();
  // False: the computation has no schedule.
  bool UseSchedule(uint32_t computation, std::vector<uint32_t>* order);
  // Appends the predecessors of `root`, and `root`.
  void Visit(uint32_t computation, uint32_t root, std::vector<uint32_t>* order);
  const IdIndex& IndexOf(uint32_t computation);

  const ModuleData& data_;
  const IdOrder by_id_;
  bool is_scheduled_ = false;
  bool has_control_ = false;  // whether an instruction has control predecessors
  // Ids of scheduled instructions, by the id of the computation.
  absl::flat_hash_map<int64_t, std::vector<int64_t>> schedule_;

  IdIndex index_;  // of indexed_
  std::optional<uint32_t> indexed_;
  std::vector<uint32_t> stack_;
  std::vector<uint8_t> state_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_PRINT_ORDER_H_
