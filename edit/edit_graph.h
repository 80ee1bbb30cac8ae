// SPDX-License-Identifier: Apache-2.0
// EditGraph: the graph behind an Editor: its instructions (edit_nodes.h), their
// uses and control dependencies, the computations, and changes of all these.
//
// These calls check nothing; Editor's calls check before they use them
// (edit_session.h).

#ifndef INDIM_EDIT_EDIT_GRAPH_H_
#define INDIM_EDIT_EDIT_GRAPH_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/edit/computation_order.h"
#include "indim/edit/control_edges.h"
#include "indim/edit/edit_nodes.h"
#include "indim/edit/entry_changes.h"
#include "indim/edit/fresh_ids.h"
#include "indim/edit/use_lists.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/column.h"

namespace indim::internal {

class InsertionState;

class EditGraph : public EditNodes {
 public:
  explicit EditGraph(Module module);
  EditGraph(const EditGraph&) = delete;
  EditGraph& operator=(const EditGraph&) = delete;

  // --- Edges -----------------------------------------------------------------

  UseLists& uses();
  // Forgets the lists, before many changes; uses() builds them again.
  void DropUses() { uses_ = nullptr; }
  ControlEdges& control();
  // Appends what must come before `node`: its operands, and its control
  // predecessors.
  void AddNeeds(uint32_t node, std::vector<uint32_t>* needs);
  // Whether `user` may depend on `value`: it has a higher key, or the order of
  // their computation says nothing.
  bool MayDepend(uint32_t user, uint32_t value) const {
    return keys_[user] > keys_[value] ||
           computations_[computation_[user]].disordered;
  }

  // --- Computations ----------------------------------------------------------

  struct EditComputation {
    ComputationRecord record;  // root, first and count as in the module
    uint32_t root = kNone;     // node
    uint32_t head = kNone, tail = kNone;
    uint32_t count = 0;
    bool is_new = false;
    bool erased = false;
    bool touched = false;     // its list or one of its nodes changed
    bool disordered = false;  // an operand may follow its user
    bool signature_changed = false;
  };
  uint32_t computation_count() const {
    return static_cast<uint32_t>(computations_.size());
  }
  const EditComputation& at(uint32_t c) const { return computations_[c]; }
  // Callees first, unless calls_disordered().
  const std::vector<uint32_t>& computation_order() const {
    return order_.all();
  }
  bool calls_disordered() const { return calls_disordered_; }
  uint32_t entry() const { return entry_; }
  const EntryChanges& entry_changes() const { return entry_changes_; }
  EntryChanges& mutable_entry_changes() {
    changed_ = true;
    return entry_changes_;
  }
  // Nodes by parameter number; kNone where no parameter has the number. The
  // reference is valid until the next change.
  const std::vector<uint32_t>& Parameters(uint32_t c) const {
    return ParametersOf(c).by_number;
  }
  // The last parameter in order; kNone: there is none.
  uint32_t LastParameter(uint32_t c) const { return ParametersOf(c).last; }
  std::string ComputationName(uint32_t c) const;
  std::vector<uint32_t> CallersOf(uint32_t c);

  // --- Changes ---------------------------------------------------------------

  bool changed() const { return changed_; }
  // Adds a node to computation `c` before node `before` (kNone: at the end).
  // `record` gives all but the slice of operands. `place` as place().
  uint32_t Add(InstructionRecord record, absl::Span<const uint32_t> operands,
               absl::Span<const uint32_t> callees, uint32_t c, uint32_t before,
               uint32_t place);
  // The attribute bytes of `successor` name them already.
  void AddControl(uint32_t successor, absl::Span<const uint32_t> predecessors);
  void Remove(uint32_t node);
  // Removes parameters of `c` that nothing uses, by their numbers, which rise;
  // higher numbers become lower.
  void RemoveParameters(uint32_t c, absl::Span<const int64_t> numbers);
  void SetOperand(uint32_t node, uint32_t index, uint32_t value);
  void SetOperands(uint32_t node, absl::Span<const uint32_t> values);
  void SetCallee(uint32_t node, uint32_t index, uint32_t callee);
  // For changes of other members of the record.
  InstructionRecord& Touch(uint32_t node);
  void SetAttributeBytes(uint32_t node, AttributeBytesView bytes);
  void SetName(uint32_t node, absl::string_view name);
  void SetRoot(uint32_t c, uint32_t root);
  // Every use of `node`, also as a root, becomes one of `by`, which doesn't
  // depend on it.
  void ReplaceUses(uint32_t node, uint32_t by);
  // Each operand and root `node` becomes to[node]. `to` has an entry for each
  // node and maps to a node of the same computation with a lower key, or to
  // itself.
  void ReplaceEach(const Column<uint32_t>& to);

  // Adds an empty computation before `before` in the order (kNone: at the end).
  // `other` gives its other fields.
  uint32_t AddComputation(absl::string_view name,
                          const ComputationRecord& other, uint32_t before);
  void RemoveComputation(uint32_t c);
  void SetEntry(uint32_t c);
  void SignatureChanged(uint32_t c);
  // The Insertions that are open; they leave a node that is removed.
  std::vector<InsertionState*>& insertions() { return insertions_; }

 private:
  // The parameters of a computation, once they are asked for.
  struct ParameterList {
    std::vector<uint32_t> by_number;
    uint32_t last = kNone;
    bool complete = false;  // each number has one
  };
  const ParameterList& ParametersOf(uint32_t c) const;
  // Keeps the list up to date with a new node.
  void AddToParameters(uint32_t node, uint32_t c);
  void AddToCallers(uint32_t node, absl::Span<const uint32_t> callees);

  int64_t NextId(uint32_t c);
  void Link(uint32_t node, uint32_t c, uint32_t before);
  void CheckOrder(uint32_t user, uint32_t value);
  void Unuse(uint32_t node);

  std::unique_ptr<UseLists> uses_;         // null: not made yet
  std::unique_ptr<ControlEdges> control_;  // likewise
  mutable std::map<uint32_t, ParameterList> parameters_;
  // By computation: nodes that call it, and some that did. Null: not made yet.
  std::unique_ptr<std::vector<std::vector<uint32_t>>> callers_;

  std::vector<EditComputation> computations_;
  ComputationOrder order_;
  bool calls_disordered_ = false;
  uint32_t entry_ = kNone;
  EntryChanges entry_changes_;

  bool has_high_ = false;
  FreshIds low_halves_{kLowHalf};  // of instructions' ids
  FreshIds computation_ids_{std::numeric_limits<int64_t>::max()};

  bool changed_ = false;
  std::vector<InsertionState*> insertions_;
};

}  // namespace indim::internal

#endif  // INDIM_EDIT_EDIT_GRAPH_H_
