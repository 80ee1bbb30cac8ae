// The order in which XLA prints computations and instructions, which is not
// that of the file.

#ifndef INDIM_TEXT_PRINT_PRINT_ORDER_H_
#define INDIM_TEXT_PRINT_PRINT_ORDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "indim/ir/module_data.h"
#include "indim/storage/id_index.h"

namespace indim {

// Positions of instructions in their computation, sorted by the low 32 bits of
// their ids: the order in which XLA keeps them.
class IdOrder {
 public:
  // `data` must outlive this.
  explicit IdOrder(const ModuleData& data);

  absl::Span<const uint32_t> Of(uint32_t computation) const {
    return absl::MakeConstSpan(positions_)
        .subspan(first_[computation], data_.computations[computation].count);
  }

 private:
  // Appends the positions of a computation whose ids are these.
  void Sort(absl::Span<const uint32_t> ids);

  const ModuleData& data_;
  // 0, 1, 2, ..., for all computations whose ids ascend; then, one after the
  // other, the positions of those whose ids don't.
  std::vector<uint32_t> positions_;
  std::vector<size_t> first_;    // in positions_, of each computation
  std::vector<uint32_t> slots_;  // scratch
};

// Indices of computations, callees first: those that nobody calls in the order
// of the module, before each what it calls, at first sight (XLA:
// HloModule::MakeComputationPostOrder).
std::vector<uint32_t> ComputationOrder(const ModuleData& data);

// Orders of the instructions of one computation after the other.
class InstructionOrder {
 public:
  // `data` must outlive this.
  explicit InstructionOrder(const ModuleData& data);

  // The module has a schedule.
  bool is_scheduled() const { return is_scheduled_; }

  // Positions in `computation` in the order to print: its schedule's when it
  // has one (and `scheduled`); else what nobody uses by ids, before each its
  // operands and control predecessors, at first sight (XLA:
  // HloComputation::MakeInstructionPostOrder).
  std::vector<uint32_t> Of(uint32_t computation, bool scheduled);

  const IdOrder& by_id() const { return by_id_; }

  // Positions of an instruction's control predecessors; those that are not in
  // the computation are left out.
  std::vector<uint32_t> ControlPredecessors(uint32_t computation,
                                            uint32_t position);

 private:
  void ReadSchedule();
  // False: the computation has none.
  bool UseSchedule(uint32_t computation, std::vector<uint32_t>* order);
  // Appends what `root` needs and `root`.
  void Visit(uint32_t computation, uint32_t root, std::vector<uint32_t>* order);
  const IdIndex& IndexOf(uint32_t computation);

  const ModuleData& data_;
  const IdOrder by_id_;
  bool is_scheduled_ = false;
  bool has_control_ = false;  // some instruction has control predecessors
  // Ids of instructions, by the id of the computation.
  absl::flat_hash_map<int64_t, std::vector<int64_t>> schedule_;

  IdIndex index_;  // of indexed_
  std::optional<uint32_t> indexed_;
  std::vector<uint32_t> stack_;
  std::vector<uint8_t> state_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_PRINT_ORDER_H_
