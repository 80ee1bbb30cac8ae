#include "indim/edit/edit_graph.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/edit/insertion_state.h"
#include "indim/ir/final_names.h"
#include "indim/storage/sole_owner.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim::internal {
namespace {

using field::HloInstructionProto::kParameterNumber;

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
    low_halves_.Use(count);
  } else {
    for (uint32_t i = 0; i < count; ++i) {
      low_halves_.Use(int64_t{data.ids.low(i)});
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
    computation_ids_.Use(computation.record.id);
    LinkComputation(c, kNone);
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
    Report(what, Code::kEditOtherEditor, {ref ? "another Editor" : "no Editor"},
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
    Report(what, Code::kEditOtherEditor, {ref ? "another Editor" : "no Editor"},
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
  if (!is_new(node)) return old_->OpcodeName(node);
  const auto found = new_opcode_names_.find(node);
  return found == new_opcode_names_.end() ? absl::string_view() : found->second;
}

std::string EditGraph::NameOf(uint32_t node) const {
  const absl::string_view given = pools().name(records_[node].name);
  if (!given.empty()) return std::string(given);
  return absl::StrCat(FinalNames::BaseOf(OpcodeName(node)), ".",
                      NameNumber(node));
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
    for (const int64_t id : ControlPredecessors(
             pools().attribute_bytes(records_[user].attribute_bytes))) {
      const auto found =
          by_id.find(std::pair(computation_[user], id & kLowHalf));
      if (found != by_id.end()) control_->Add(found->second, user);
    }
  }
  return *control_;
}

bool EditGraph::has_layouts() const {
  if (has_layouts_) return *has_layouts_;
  has_layouts_ = false;
  const ShapeTable& shapes = old_->pools->shapes();
  for (const InstructionRecord& r : old_->instructions) {
    const Shape& shape = shapes.shape(r.shape);
    if (shape.has_rank() && shape.rank() > 0) {
      has_layouts_ = shape.layout() != nullptr;
      break;
    }
  }
  return *has_layouts_;
}

int64_t EditGraph::ParameterNumber(uint32_t node) const {
  return FieldList::Of(pools().attribute_bytes(records_[node].attribute_bytes))
      .Number(kParameterNumber);
}

const EditGraph::ParameterList& EditGraph::ParametersOf(uint32_t c) const {
  const auto known = parameters_.find(c);
  if (known != parameters_.end()) return known->second;
  ParameterList& list = parameters_[c];
  std::vector<uint32_t> found;
  for (uint32_t node = computations_[c].head; node != kNone;
       node = next_[node]) {
    if (records_[node].opcode == Opcode::kParameter) found.push_back(node);
  }
  list.by_number.assign(found.size(), kNone);
  size_t placed = 0;
  for (const uint32_t node : found) {
    const int64_t number = ParameterNumber(node);
    if (number < 0 || number >= static_cast<int64_t>(found.size())) continue;
    uint32_t& place = list.by_number[static_cast<size_t>(number)];
    placed += place == kNone;
    place = node;
  }
  list.complete = placed == found.size();
  if (!found.empty()) list.last = found.back();
  return list;
}

std::vector<uint32_t> EditGraph::CallersOf(uint32_t c) {
  if (callers_ == nullptr) {
    callers_ = std::make_unique<std::vector<std::vector<uint32_t>>>();
    for (uint32_t node = 0; node < node_count(); ++node) {
      if (!is_erased(node)) AddToCallers(node, Callees(node));
    }
  }
  if (c >= callers_->size()) return {};
  std::vector<uint32_t>& callers = (*callers_)[c];
  std::sort(callers.begin(), callers.end());
  callers.erase(std::unique(callers.begin(), callers.end()), callers.end());
  callers.erase(std::remove_if(callers.begin(), callers.end(),
                               [&](uint32_t node) {
                                 return is_erased(node) ||
                                        !absl::c_linear_search(Callees(node),
                                                               c);
                               }),
                callers.end());
  return callers;
}

const std::vector<uint32_t>& EditGraph::computation_order() const {
  if (!order_changed_) return order_;
  order_changed_ = false;
  order_.clear();
  for (uint32_t c = first_computation_; c != kNone; c = computations_[c].next) {
    order_.push_back(c);
  }
  return order_;
}

// --- Diagnostics -------------------------------------------------------------

EditDiagnostic EditGraph::Make(absl::string_view what, Code code,
                               std::vector<DiagnosticArg> args,
                               Caller caller) const {
  Diagnostic d;
  d.code = code;
  for (DiagnosticArg& arg : args) d.args.push_back(std::move(arg));
  DiagnosticSubject subject;
  subject.op = what;
  return Rendered(std::move(d), subject, caller.file, caller.line);
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
