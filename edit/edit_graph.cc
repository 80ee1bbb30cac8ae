#include "indim/edit/edit_graph.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/edit/insertion_state.h"
#include "indim/ir/final_names.h"
#include "indim/storage/sole_owner.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim::internal {
namespace {

using field::HloInstructionProto::kControlPredecessorIds;
using field::HloInstructionProto::kParameterNumber;

constexpr int64_t kLowHalf = 0xffffffff;
// Between the keys of neighbours of the module.
constexpr uint64_t kKeyStep = uint64_t{1} << 32;
// Between a new node and the one before it, where there is room.
constexpr uint64_t kNewKeyStep = uint64_t{1} << 16;

uint64_t NextSerial() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

EditGraph::EditGraph(Module module)
    : serial_(NextSerial()),
      module_(std::move(module)),
      old_(&DataOf(module_)) {
  ReadNodes();
  ReadComputations();
}

EditGraph::~EditGraph() {
  for (InsertionState* insertion : insertions_) insertion->Abandon();
}

void EditGraph::ReadNodes() {
  const ModuleData& data = *old_;
  const uint32_t count = static_cast<uint32_t>(data.instructions.size());
  records_ = data.instructions;
  operands_ = data.operands;
  computation_.resize(count, kNone);
  next_.resize(count, kNone);
  previous_.resize(count, kNone);
  keys_.resize(count);
  flags_.resize(count, kErased);  // of no computation, until one has it
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const ComputationRecord& record = data.computations[c];
    for (uint32_t i = 0; i < record.count; ++i) {
      const uint32_t node = record.first + i;
      const InstructionRecord& r = records_[node];
      for (uint32_t k = 0; k < r.operand_count; ++k) {
        operands_[r.first_operand + k] += record.first;
      }
      computation_[node] = c;
      if (i > 0) previous_[node] = node - 1;
      if (i + 1 < record.count) next_[node] = node + 1;
      keys_[node] = (uint64_t{i} + 1) * kKeyStep;
      flags_[node] = 0;
    }
  }
  if (data.ids.empty()) {
    last_low_ = count;
  } else {
    for (uint32_t i = 0; i < count; ++i) {
      last_low_ = std::max(last_low_, int64_t{data.ids.low(i)});
      has_high_ |= data.ids.high(i) != 0;
    }
  }
}

void EditGraph::ReadComputations() {
  const ModuleData& data = *old_;
  computations_.resize(data.computations.size());
  for (uint32_t c = 0; c < computations_.size(); ++c) {
    EditComputation& computation = computations_[c];
    computation.record = data.computations[c];
    computation.count = computation.record.count;
    if (computation.count > 0) {
      computation.head = computation.record.first;
      computation.tail = computation.head + computation.count - 1;
      computation.root = computation.record.first + computation.record.root;
    }
    last_computation_id_ =
        std::max(last_computation_id_, computation.record.id);
    order_.push_back(c);
  }
  if (!computations_.empty()) entry_ = data.entry;
}

// --- References --------------------------------------------------------------

bool EditGraph::CheckOpen(absl::string_view what, Caller caller) {
  if (finished_) Report(what, Code::kEditAfterFinish, {}, caller);
  return !finished_;
}

uint32_t EditGraph::Check(absl::string_view what, InstructionRef ref,
                          Caller caller) {
  if (!CheckOpen(what, caller)) return kNone;
  if (!IsOurs(ref)) {
    Report(what, Code::kEditOtherEditor, {ref ? "another Editor" : "none"},
           caller);
    return kNone;
  }
  const uint32_t node = NodeOf(ref);
  if (node == kNone) {
    Report(what, Code::kEditErased, {NameOf(ref.number_)}, caller);
  }
  return node;
}

uint32_t EditGraph::Check(absl::string_view what, ComputationRef ref,
                          Caller caller) {
  if (!CheckOpen(what, caller)) return kNone;
  if (!IsOurs(ref)) {
    Report(what, Code::kEditOtherEditor, {ref ? "another Editor" : "none"},
           caller);
    return kNone;
  }
  const uint32_t c = ComputationOf(ref);
  if (c == kNone) {
    Report(what, Code::kEditErased, {ComputationName(ref.number_)}, caller);
  }
  return c;
}

Pools& EditGraph::MutablePools() {
  if (own_ == nullptr) {
    // Nobody else can see a pool of a module that nobody else has.
    std::shared_ptr<const ModuleData> data = ModuleAccess::Release(&module_);
    const bool sole = IsSoleOwner(data) && IsSoleOwner(data->pools);
    own_ =
        sole && !escaped_ ? data->pools : std::make_shared<Pools>(*data->pools);
    module_ = ModuleOf(std::move(data));
  } else if (escaped_) {
    own_ = std::make_shared<Pools>(*own_);
  }
  escaped_ = false;
  return *own_;
}

std::shared_ptr<Pools> EditGraph::SharePools() const {
  return own_ != nullptr ? own_ : old_->pools;
}

// --- Looking -----------------------------------------------------------------

absl::string_view EditGraph::OpcodeName(uint32_t node) const {
  if (!records_[node].unknown_opcode) return Name(records_[node].opcode);
  return is_new(node)
             ? absl::string_view(
                   new_nodes_[node - old_->instructions.size()].opcode_name)
             : old_->OpcodeName(node);
}

std::string EditGraph::NameOf(uint32_t node) const {
  const absl::string_view given = pools().name(records_[node].name);
  if (!given.empty()) return std::string(given);
  // In a file's module the editor itself names new nodes, and briefly.
  const bool brief = is_new(node) && old_->names_as_read;
  return absl::StrCat(FinalNames::BaseOf(OpcodeName(node)), ".",
                      brief ? id(node) & kLowHalf : id(node));
}

std::string EditGraph::ComputationName(uint32_t c) const {
  return std::string(pools().name(computations_[c].record.name));
}

UseLists& EditGraph::uses() {
  if (uses_ != nullptr) return *uses_;
  uses_ = std::make_unique<UseLists>(node_count(),
                                     static_cast<uint32_t>(operands_.size()));
  // Backwards, so that the lists begin with the first user.
  for (uint32_t node = node_count(); node-- > 0;) {
    if (is_erased(node)) continue;
    const InstructionRecord& r = records_[node];
    for (uint32_t k = r.operand_count; k-- > 0;) {
      uses_->Link(r.first_operand + k, node, operands_[r.first_operand + k]);
    }
  }
  return *uses_;
}

bool EditGraph::HasControl(uint32_t node) const {
  return !pools()
              .attribute_bytes(records_[node].attribute_bytes)
              .control.empty();
}

ControlEdges& EditGraph::control() {
  if (control_ != nullptr) return *control_;
  control_ = std::make_unique<ControlEdges>();
  std::vector<uint32_t> users;
  for (uint32_t node = 0; node < node_count(); ++node) {
    if (records_[node].attribute_bytes && !is_erased(node) &&
        HasControl(node)) {
      users.push_back(node);
    }
  }
  if (users.empty()) return *control_;
  // Only the low halves of ids count.
  absl::flat_hash_map<std::pair<uint32_t, int64_t>, uint32_t> by_id;
  for (uint32_t node = 0; node < node_count(); ++node) {
    if (!is_erased(node))
      by_id.emplace(std::pair(computation_[node], id(node) & kLowHalf), node);
  }
  for (const uint32_t user : users) {
    FieldList fields(WireMessage::kHloInstructionProto);
    fields.Append(
        pools().attribute_bytes(records_[user].attribute_bytes).control);
    for (const int64_t id : fields.Numbers(kControlPredecessorIds)) {
      const auto found =
          by_id.find(std::pair(computation_[user], id & kLowHalf));
      if (found != by_id.end()) control_->Add(found->second, user);
    }
  }
  return *control_;
}

bool EditGraph::has_layouts() const {
  const ShapeTable& shapes = old_->pools->shapes();
  for (const InstructionRecord& r : old_->instructions) {
    const Shape& shape = shapes.shape(r.shape);
    if (shape.has_rank() && shape.rank() > 0) {
      return shape.layout() != nullptr;
    }
  }
  return false;
}

int64_t EditGraph::ParameterNumber(uint32_t node) const {
  FieldList fields(WireMessage::kHloInstructionProto);
  fields.Append(pools().attribute_bytes(records_[node].attribute_bytes));
  return fields.Number(kParameterNumber);
}

std::vector<uint32_t> EditGraph::Parameters(uint32_t c) const {
  std::vector<uint32_t> found;
  for (uint32_t node = computations_[c].head; node != kNone;
       node = next_[node]) {
    if (records_[node].opcode == Opcode::kParameter) found.push_back(node);
  }
  std::vector<uint32_t> by_number(found.size(), kNone);
  for (const uint32_t node : found) {
    const int64_t number = ParameterNumber(node);
    if (number >= 0 && number < static_cast<int64_t>(found.size())) {
      by_number[static_cast<size_t>(number)] = node;
    }
  }
  return by_number;
}

std::vector<uint32_t> EditGraph::CallersOf(uint32_t c) const {
  std::vector<uint32_t> callers;
  for (uint32_t node = 0; node < node_count(); ++node) {
    if (records_[node].callee_count == 0 || is_erased(node)) continue;
    const absl::Span<const uint32_t> callees = Callees(node);
    if (std::find(callees.begin(), callees.end(), c) != callees.end()) {
      callers.push_back(node);
    }
  }
  return callers;
}

// --- Changes -----------------------------------------------------------------

int64_t EditGraph::NextId(uint32_t c) {
  const EditComputation& computation = computations_[c];
  int64_t high = 0;
  if (has_high_) {
    high = (computation.head != kNone ? id(computation.head)
                                      : computation.record.id << 32) &
           ~kLowHalf;
  }
  return high | ++last_low_;
}

void EditGraph::Relabel(uint32_t c) {
  uint64_t key = 0;
  for (uint32_t node = computations_[c].head; node != kNone;
       node = next_[node]) {
    keys_[node] = key += kKeyStep;
  }
}

void EditGraph::Link(uint32_t node, uint32_t c, uint32_t before) {
  EditComputation& computation = computations_[c];
  const uint32_t after = before == kNone ? computation.tail : previous_[before];
  computation_[node] = c;
  next_[node] = before;
  previous_[node] = after;
  (after == kNone ? computation.head : next_[after]) = node;
  (before == kNone ? computation.tail : previous_[before]) = node;
  ++computation.count;
  computation.touched = true;
  const uint64_t low = after == kNone ? 0 : keys_[after];
  if (before == kNone) {
    keys_[node] = low + kKeyStep;
  } else {
    const uint64_t step = std::min((keys_[before] - low) / 2, kNewKeyStep);
    keys_[node] = low + step;
    if (step == 0) Relabel(c);
  }
}

// Operands and callees lie behind the others.
uint32_t EditGraph::Add(InstructionRecord record,
                        absl::Span<const uint32_t> operands,
                        absl::Span<const uint32_t> callees, uint32_t c,
                        uint32_t before, uint32_t place) {
  changed_ = true;
  const uint32_t node = node_count();
  record.first_operand = static_cast<uint32_t>(operands_.size());
  record.operand_count = static_cast<uint32_t>(operands.size());
  record.SetCalleeCount(callees.size());
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  operands_.insert(operands_.end(), callees.begin(), callees.end());
  const int64_t id = NextId(c);
  records_.push_back(record);
  computation_.push_back(c);
  next_.push_back(kNone);
  previous_.push_back(kNone);
  keys_.push_back(0);
  flags_.push_back(kTouched | kRenamed);
  new_nodes_.push_back({id, place, ""});
  Link(node, c, before);
  if (uses_ != nullptr) {
    uses_->AddNodes(1);
    uses_->AddSlots(static_cast<uint32_t>(operands.size() + callees.size()));
    for (uint32_t k = record.operand_count; k-- > 0;) {
      uses_->Link(record.first_operand + k, node, operands[k]);
    }
  }
  for (const uint32_t operand : operands) CheckOrder(node, operand);
  if (!callees.empty()) calls_disordered_ = true;
  if (computations_[c].root == kNone) computations_[c].root = node;
  return node;
}

void EditGraph::SetOpcodeName(uint32_t node, absl::string_view name) {
  records_[node].unknown_opcode = 1;
  new_nodes_[node - old_->instructions.size()].opcode_name = std::string(name);
}

void EditGraph::CheckOrder(uint32_t user, uint32_t value) {
  if (keys_[value] >= keys_[user]) {
    computations_[computation_[user]].disordered = true;
  }
}

void EditGraph::Unuse(uint32_t node) {
  if (uses_ == nullptr) return;
  const InstructionRecord& r = records_[node];
  for (uint32_t k = 0; k < r.operand_count; ++k) {
    uses_->Unlink(r.first_operand + k, operands_[r.first_operand + k]);
  }
}

void EditGraph::AddControl(uint32_t successor,
                           absl::Span<const uint32_t> predecessors) {
  if (predecessors.empty()) return;
  for (const uint32_t predecessor : predecessors) {
    CheckOrder(successor, predecessor);
    // Edges that are found later find this one too.
    if (control_ != nullptr) control_->Add(predecessor, successor);
  }
}

void EditGraph::Remove(uint32_t node) {
  changed_ = true;
  for (InsertionState* insertion : insertions_) insertion->Leave(node);
  Unuse(node);
  if (control_ != nullptr) control_->RemoveBefore(node);
  EditComputation& computation = computations_[computation_[node]];
  const uint32_t before = previous_[node];
  const uint32_t after = next_[node];
  (before == kNone ? computation.head : next_[before]) = after;
  (after == kNone ? computation.tail : previous_[after]) = before;
  if (computation.root == node) computation.root = kNone;
  --computation.count;
  computation.touched = true;
  flags_[node] |= kErased;
}

void EditGraph::SetOperand(uint32_t node, uint32_t index, uint32_t value) {
  InstructionRecord& r = Touch(node);
  const uint32_t slot = r.first_operand + index;
  if (uses_ != nullptr) {
    uses_->Unlink(slot, operands_[slot]);
    uses_->Link(slot, node, value);
  }
  operands_[slot] = value;
  CheckOrder(node, value);
}

void EditGraph::SetOperands(uint32_t node, absl::Span<const uint32_t> values) {
  Unuse(node);
  const std::vector<uint32_t> callees(Callees(node).begin(),
                                      Callees(node).end());
  InstructionRecord& r = Touch(node);
  r.first_operand = static_cast<uint32_t>(operands_.size());
  r.operand_count = static_cast<uint32_t>(values.size());
  operands_.insert(operands_.end(), values.begin(), values.end());
  operands_.insert(operands_.end(), callees.begin(), callees.end());
  if (uses_ != nullptr) {
    uses_->AddSlots(static_cast<uint32_t>(values.size() + callees.size()));
    for (uint32_t k = r.operand_count; k-- > 0;) {
      uses_->Link(r.first_operand + k, node, values[k]);
    }
  }
  for (const uint32_t value : values) CheckOrder(node, value);
}

void EditGraph::SetCallee(uint32_t node, uint32_t index, uint32_t callee) {
  const InstructionRecord& r = Touch(node);
  operands_[r.first_operand + r.operand_count + index] = callee;
  calls_disordered_ = true;
}

InstructionRecord& EditGraph::Touch(uint32_t node) {
  changed_ = true;
  flags_[node] |= kTouched;
  computations_[computation_[node]].touched = true;
  return records_[node];
}

void EditGraph::SetAttributeBytes(uint32_t node, AttributeBytesView bytes) {
  const AttributeBytesId id = MutablePools().AddAttributeBytes(bytes);
  Touch(node).attribute_bytes = id;
}

void EditGraph::SetName(uint32_t node, absl::string_view name) {
  const NameId id = MutablePools().AddName(name);
  Touch(node).name = id;
  flags_[node] |= kRenamed;
}

void EditGraph::SetRoot(uint32_t c, uint32_t root) {
  changed_ = true;
  computations_[c].root = root;
  computations_[c].touched = true;
}

void EditGraph::ReplaceUses(uint32_t node, uint32_t by) {
  UseLists& lists = uses();
  for (uint32_t slot = lists.first(node); slot != kNone;
       slot = lists.first(node)) {
    const uint32_t user = lists.user(slot);
    SetOperand(user, slot - records_[user].first_operand, by);
  }
  const uint32_t c = computation_[node];
  if (computations_[c].root == node) SetRoot(c, by);
}

void EditGraph::ReplaceEach(const Column<uint32_t>& to) {
  uses_ = nullptr;
  for (uint32_t node = 0; node < node_count(); ++node) {
    if (is_erased(node)) continue;
    const InstructionRecord& r = records_[node];
    bool touched = false;
    for (uint32_t k = r.first_operand; k < r.first_operand + r.operand_count;
         ++k) {
      const uint32_t replacement = to[operands_[k]];
      touched |= replacement != operands_[k];
      operands_[k] = replacement;
    }
    if (touched) Touch(node);
  }
  for (uint32_t c = 0; c < computation_count(); ++c) {
    const uint32_t root = computations_[c].root;
    if (root != kNone && to[root] != root) SetRoot(c, to[root]);
  }
}

// --- Computations ------------------------------------------------------------

uint32_t EditGraph::AddComputation(absl::string_view name,
                                   const ComputationRecord& other,
                                   uint32_t before) {
  changed_ = true;
  const uint32_t c = computation_count();
  EditComputation computation;
  computation.record = other;
  computation.record.name = MutablePools().AddName(name);
  computation.record.id = ++last_computation_id_;
  computation.record.program_shape = {};
  computation.record.program_shape_when_empty = WhenEmpty::kMake;
  computation.is_new = computation.touched = true;
  computations_.push_back(std::move(computation));
  order_.insert(std::find(order_.begin(), order_.end(), before), c);
  return c;
}

void EditGraph::RemoveComputation(uint32_t c) {
  while (computations_[c].head != kNone) Remove(computations_[c].tail);
  computations_[c].erased = true;
  order_.erase(std::find(order_.begin(), order_.end(), c));
}

void EditGraph::SetEntry(uint32_t c) {
  changed_ = true;
  entry_ = c;
  entry_changes_ = EntryChanges();
  entry_changes_.entry_changed = true;
}

void EditGraph::SignatureChanged(uint32_t c) {
  computations_[c].signature_changed = true;
}

// --- Diagnostics -------------------------------------------------------------

EditDiagnostic EditGraph::Make(absl::string_view what, Code code,
                               std::vector<DiagnosticArg> args,
                               Caller caller) const {
  EditDiagnostic d;
  d.diagnostic.code = code;
  for (DiagnosticArg& arg : args) d.diagnostic.args.push_back(std::move(arg));
  DiagnosticSubject subject;
  subject.op = what;
  const bool is_error = d.diagnostic.severity() == Severity::kError;
  d.text = absl::StrCat(
      caller.line > 0 ? absl::StrCat(caller.file, ":", caller.line, ": ") : "",
      is_error ? "error: " : "warning: ", FormatMessage(d.diagnostic, subject),
      "  [", CodeText(code), "]\n");
  return d;
}

void EditGraph::Report(absl::string_view what, Code code,
                       std::vector<DiagnosticArg> args, Caller caller) {
  Keep(Make(what, code, std::move(args), caller));
}

void EditGraph::CloseInsertion(InsertionState* state) {
  insertions_.erase(std::remove(insertions_.begin(), insertions_.end(), state),
                    insertions_.end());
}

}  // namespace indim::internal
