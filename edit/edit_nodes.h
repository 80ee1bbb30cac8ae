// SPDX-License-Identifier: Apache-2.0
// EditNodes: the instructions of an edited module, as flat arrays.
//
// A node is an instruction: the module's instructions have their positions as
// numbers, new ones follow; a number is never used again. Each computation is a
// list of nodes. Keys order the nodes of a computation: an operand has a lower
// key than its users, unless the computation is marked as disordered
// (edit_graph.h, which changes them).

#ifndef INDIM_EDIT_EDIT_NODES_H_
#define INDIM_EDIT_EDIT_NODES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/edit/use_lists.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/column.h"

namespace indim::internal {

class EditNodes {
 public:
  static constexpr uint32_t kNone = internal::kNone;
  // The half of an instruction's id that counts where a field names it.
  static constexpr int64_t kLowHalf = 0xffffffff;

  const Module& module() const { return module_; }
  const ModuleData& old() const { return *old_; }
  const Pools& pools() const { return own_ != nullptr ? *own_ : *old_->pools; }
  // Pools that may grow: the module's, or a copy if others share them.
  Pools& MutablePools();
  std::shared_ptr<Pools> SharePools() const;

  uint32_t node_count() const { return static_cast<uint32_t>(records_.size()); }
  // Its slice of operands is read by Operands() and Callees().
  const InstructionRecord& record(uint32_t node) const {
    return records_[node];
  }
  absl::Span<const uint32_t> Operands(uint32_t node) const {
    const InstructionRecord& r = records_[node];
    return absl::MakeConstSpan(operands_).subspan(r.first_operand,
                                                  r.operand_count);
  }
  absl::Span<const uint32_t> Callees(uint32_t node) const {
    const InstructionRecord& r = records_[node];
    return absl::MakeConstSpan(operands_).subspan(
        r.first_operand + r.operand_count, r.callee_count);
  }
  uint32_t computation(uint32_t node) const { return computation_[node]; }
  uint32_t next(uint32_t node) const { return next_[node]; }
  uint32_t previous(uint32_t node) const { return previous_[node]; }
  uint64_t key(uint32_t node) const { return keys_[node]; }
  bool is_new(uint32_t node) const { return node >= old_->instructions.size(); }
  bool is_erased(uint32_t node) const { return (flags_[node] & kErased) != 0; }
  // Whether its record changed since the module, or it is new.
  bool is_touched(uint32_t node) const {
    return (flags_[node] & kTouched) != 0;
  }
  // Whether its name is new.
  bool is_renamed(uint32_t node) const {
    return (flags_[node] & kRenamed) != 0;
  }
  int64_t id(uint32_t node) const {
    return is_new(node) ? new_nodes_[node - old_->instructions.size()].id
                        : old_->InstructionId(node);
  }
  // The old instruction beside which a new node stands; an old node stands at
  // itself. kNone: none.
  uint32_t place(uint32_t node) const {
    return is_new(node) ? new_nodes_[node - old_->instructions.size()].place
                        : node;
  }
  absl::string_view OpcodeName(uint32_t node) const;
  std::string NameOf(uint32_t node) const;
  // The number in the name of a node that has none of its own: "add.17".
  int64_t NameNumber(uint32_t node) const {
    // In a file's module the editor itself names new nodes, and briefly.
    return is_new(node) && old_->names_as_read ? id(node) & kLowHalf : id(node);
  }
  // The opcode's name of a new node whose opcode the table lacks.
  void SetOpcodeName(uint32_t node, absl::string_view name);
  bool HasControl(uint32_t node) const;
  int64_t ParameterNumber(uint32_t node) const;
  // Whether arrays of the module have layouts.
  bool has_layouts() const;
  // The pools are in a module that others may read.
  void PoolsEscaped() { escaped_ = true; }

 protected:
  explicit EditNodes(Module module);

  // Between the keys of neighbours of the module.
  static constexpr uint64_t kKeyStep = uint64_t{1} << 32;
  enum Flag : uint8_t { kErased = 1, kTouched = 2, kRenamed = 4 };
  struct NewNode {
    int64_t id;
    uint32_t place;
  };

  // Gives a node that stands in its list, and nodes behind it, keys.
  void MakeRoom(uint32_t node);

  Module module_;
  const ModuleData* old_;
  std::shared_ptr<Pools> own_;  // null: the module's are not changed
  bool escaped_ = false;

  Column<InstructionRecord> records_;
  Column<uint32_t> operands_;  // of nodes; then of computations
  Column<uint32_t> computation_, next_, previous_;
  Column<uint64_t> keys_;
  Column<uint8_t> flags_;
  Column<NewNode> new_nodes_;
  std::map<uint32_t, std::string> new_opcode_names_;  // of few, by node
  mutable std::optional<bool> has_layouts_;
};

}  // namespace indim::internal

#endif  // INDIM_EDIT_EDIT_NODES_H_
