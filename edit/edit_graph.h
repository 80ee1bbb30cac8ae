// EditGraph: the graph behind an Editor, as flat arrays that edits change.
//
// A node is an instruction: the module's instructions have their positions as
// numbers, new ones follow; a number is never used again. Each computation is a
// list of nodes. Keys order the nodes of a computation: an operand has a lower
// key than its users, unless the computation is marked as disordered.
//
// These calls check nothing; Editor's calls check before they use them.

#ifndef INDIM_EDIT_EDIT_GRAPH_H_
#define INDIM_EDIT_EDIT_GRAPH_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/op.h"
#include "indim/edit/control_edges.h"
#include "indim/edit/edit_result.h"
#include "indim/edit/editor.h"
#include "indim/edit/entry_changes.h"
#include "indim/edit/fresh_ids.h"
#include "indim/edit/refs.h"
#include "indim/edit/use_lists.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/storage/column.h"

namespace indim::internal {

class InsertionState;

class EditGraph {
 public:
  static constexpr uint32_t kNone = internal::kNone;
  // The half of an instruction's id that counts where a field names it.
  static constexpr int64_t kLowHalf = 0xffffffff;

  explicit EditGraph(Module module);
  ~EditGraph();
  EditGraph(const EditGraph&) = delete;
  EditGraph& operator=(const EditGraph&) = delete;

  static EditGraph& Of(Editor* editor) { return editor->graph(); }
  static const EditGraph& Of(const Editor& editor) { return editor.graph(); }

  // --- References ------------------------------------------------------------

  InstructionRef Ref(uint32_t node) const {
    return node == kNone ? InstructionRef() : InstructionRef(serial_, node);
  }
  ComputationRef RefOfComputation(uint32_t c) const {
    return c == kNone ? ComputationRef() : ComputationRef(serial_, c);
  }
  // kNone: another Editor's, a default one, or erased.
  uint32_t NodeOf(InstructionRef ref) const {
    return IsOurs(ref) && !is_erased(ref.number_) ? ref.number_ : kNone;
  }
  uint32_t ComputationOf(ComputationRef ref) const {
    return IsOurs(ref) && !computations_[ref.number_].erased ? ref.number_
                                                             : kNone;
  }
  bool IsOurs(InstructionRef ref) const {
    return ref.editor_ == serial_ && ref.number_ < records_.size();
  }
  bool IsOurs(ComputationRef ref) const {
    return ref.editor_ == serial_ && ref.number_ < computations_.size();
  }

  // NodeOf and ComputationOf for the call `what`, which report a wrong
  // reference (IND1000, IND1001), and any call after Finish() (IND1003).
  uint32_t Check(absl::string_view what, InstructionRef ref, Caller caller);
  uint32_t Check(absl::string_view what, ComputationRef ref, Caller caller);
  // False: the graph is finished, which is reported.
  bool CheckOpen(absl::string_view what, Caller caller);

  // --- Nodes -----------------------------------------------------------------

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
  UseLists& uses();
  // Forgets the lists, before many changes; uses() builds them again.
  void DropUses() { uses_ = nullptr; }
  ControlEdges& control();
  bool HasControl(uint32_t node) const;
  // Whether arrays of the module have layouts.
  bool has_layouts() const;

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
    uint32_t next = kNone, previous = kNone;  // in the order of computations
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
  const std::vector<uint32_t>& computation_order() const;
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
  int64_t ParameterNumber(uint32_t node) const;
  std::string ComputationName(uint32_t c) const;
  std::vector<uint32_t> CallersOf(uint32_t c);

  // --- Changes ---------------------------------------------------------------

  bool changed() const { return changed_; }
  // Adds a node to computation `c` before node `before` (kNone: at the end).
  // `record` gives all but the slice of operands. `place` as place().
  uint32_t Add(InstructionRecord record, absl::Span<const uint32_t> operands,
               absl::Span<const uint32_t> callees, uint32_t c, uint32_t before,
               uint32_t place);
  // The opcode's name of a new node whose opcode the table lacks.
  void SetOpcodeName(uint32_t node, absl::string_view name);
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

  // --- Diagnostics -----------------------------------------------------------

  // A diagnostic about the call `what`.
  EditDiagnostic Make(absl::string_view what, Code code,
                      std::vector<DiagnosticArg> args, Caller caller) const;
  // Keeps one.
  void Report(absl::string_view what, Code code,
              std::vector<DiagnosticArg> args, Caller caller);
  void Keep(EditDiagnostic diagnostic) {
    diagnostics_.push_back(std::move(diagnostic));
  }
  const std::vector<EditDiagnostic>& diagnostics() const {
    return diagnostics_;
  }
  // Takes those from number `first` on: for callers that report errors
  // themselves, call by call, and whose Finish() needn't know of them.
  std::vector<EditDiagnostic> TakeDiagnostics(size_t first) {
    std::vector<EditDiagnostic> taken;
    for (size_t i = first; i < diagnostics_.size(); ++i) {
      taken.push_back(std::move(diagnostics_[i]));
    }
    if (first < diagnostics_.size()) diagnostics_.resize(first);
    return taken;
  }
  bool finished() const { return finished_; }
  void SetFinished() { finished_ = true; }
  // The pools are in a module that others may read.
  void PoolsEscaped() { escaped_ = true; }
  // All Insertions of this graph.
  void OpenInsertion(InsertionState* state) { insertions_.push_back(state); }
  void CloseInsertion(InsertionState* state);
  const std::vector<InsertionState*>& insertions() const { return insertions_; }

  // --- Ids -------------------------------------------------------------------

  // Whether the module's ids have high halves.
  bool has_high_halves() const { return has_high_; }

 private:
  // Between the keys of neighbours of the module.
  static constexpr uint64_t kKeyStep = uint64_t{1} << 32;
  enum Flag : uint8_t { kErased = 1, kTouched = 2, kRenamed = 4 };
  struct NewNode {
    int64_t id;
    uint32_t place;
  };
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

  void ReadNodes();
  void ReadComputations();
  int64_t NextId(uint32_t c);
  void Link(uint32_t node, uint32_t c, uint32_t before);
  void LinkComputation(uint32_t c, uint32_t before);
  // Gives a node that stands in its list, and nodes behind it, keys.
  void MakeRoom(uint32_t node);
  void CheckOrder(uint32_t user, uint32_t value);
  void Unuse(uint32_t node);

  const uint64_t serial_;
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
  std::unique_ptr<UseLists> uses_;                    // null: not made yet
  std::unique_ptr<ControlEdges> control_;             // likewise
  mutable std::map<uint32_t, ParameterList> parameters_;
  // By computation: nodes that call it, and some that did. Null: not made yet.
  std::unique_ptr<std::vector<std::vector<uint32_t>>> callers_;
  mutable std::optional<bool> has_layouts_;

  std::vector<EditComputation> computations_;
  uint32_t first_computation_ = kNone, last_computation_ = kNone;
  // The list as a vector, while nothing changes it.
  mutable std::vector<uint32_t> order_;
  mutable bool order_changed_ = true;
  bool calls_disordered_ = false;
  uint32_t entry_ = kNone;
  EntryChanges entry_changes_;

  bool has_high_ = false;
  FreshIds low_halves_{kLowHalf};  // of instructions' ids
  FreshIds computation_ids_{std::numeric_limits<int64_t>::max()};

  bool changed_ = false;
  bool finished_ = false;
  std::vector<EditDiagnostic> diagnostics_;
  std::vector<InsertionState*> insertions_;
};

}  // namespace indim::internal

#endif  // INDIM_EDIT_EDIT_GRAPH_H_
