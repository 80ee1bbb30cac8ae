// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/insertion_state.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/builder/op_access.h"
#include "indim/builder/sharding.h"
#include "indim/ir/module_builder.h"
#include "indim/ir/render_diagnostic.h"
#include "indim/passes/export/expand_broadcasts.h"
#include "indim/passes/export/lay_out.h"

namespace indim::internal {
namespace {

// Before the number of the computation that a callee stands for. No name of a
// user's begins so.
constexpr absl::string_view kStandIn = "\1computation ";

// The name of the parameter that no instruction stands for.
constexpr absl::string_view kNobody = "\1";

}  // namespace

InsertionState::InsertionState(EditSession* graph, uint32_t c, uint32_t before,
                               uint32_t place)
    : graph_(graph),
      computation_(c),
      before_(before),
      place_(place),
      builder_("insertion"),
      first_(builder_.Parameter(0, "pred[]", kNobody)),
      in_use_(1, kNone) {
  graph_->insertions().push_back(this);
}

InsertionState::~InsertionState() {
  if (graph_ == nullptr) return;
  std::vector<InsertionState*>& all = graph_->insertions();
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
}

void InsertionState::Leave(uint32_t node) {
  if (before_ == node) before_ = graph_->next(node);
}

Op InsertionState::Use(InstructionRef ref, Caller caller) {
  if (graph_ == nullptr) return Op();
  const uint32_t node = graph_->Check("Use", ref, caller);
  if (node == kNone || computation_ == kNone) {
    use_failed_ = true;
    return Op();
  }
  if (graph_->computation(node) != computation_) {
    graph_->Report("Use", Code::kEditComputation,
                   {graph_->NameOf(node),
                    graph_->ComputationName(graph_->computation(node)),
                    "the insertion", graph_->ComputationName(computation_)},
                   caller);
    use_failed_ = true;
    return Op();
  }
  const auto found = op_of_.find(node);
  if (found != op_of_.end()) return found->second;
  const size_t number = in_use_.size();
  const ScopedSharding none(&builder_, std::nullopt);
  // It has the instruction's name: errors of the calls that take it print it.
  const Op op = builder_.Parameter(
      static_cast<int64_t>(number),
      graph_->pools().shapes().shape(graph_->record(node).shape),
      graph_->NameOf(node), caller);
  in_use_.push_back(node);
  op_of_.emplace(node, op);
  return op;
}

Callee InsertionState::UseComputation(ComputationRef ref, Caller caller) {
  const uint32_t c =
      graph_ == nullptr ? kNone : graph_->Check("UseComputation", ref, caller);
  if (c == kNone) {
    use_failed_ = true;
    return Callee(absl::StatusOr<Module>(
        absl::InvalidArgumentError("the computation can't be used")));
  }
  const auto found = callee_of_.find(c);
  if (found != callee_of_.end()) return found->second;
  const auto shape_of = [&](uint32_t node) {
    const ShapeTable& shapes = graph_->pools().shapes();
    return shapes.shape(node == kNone ? ShapeId() : graph_->record(node).shape);
  };
  Signature signature;
  for (const uint32_t node : graph_->Parameters(c)) {
    signature.parameters.push_back(shape_of(node));
  }
  signature.result = shape_of(graph_->at(c).root);
  ModuleBuilder builder;
  const uint32_t declared =
      builder.Declare(absl::StrCat(kStandIn, c), signature);
  const Callee callee(builder.Finish(declared, ""));
  callee_of_.emplace(c, callee);
  return callee;
}

// Parameters must be the stand-ins, unchanged, and what they stand for must
// still be here.
void InsertionState::CheckUse(const ModuleData& built, Caller caller,
                              bool* ok) {
  const auto wrong = [&](Code code, std::vector<DiagnosticArg> args) {
    graph_->Report("Insert", code, std::move(args), caller);
    *ok = false;
  };
  for (const InstructionRecord& r : built.Instructions(built.entry)) {
    if (r.opcode != Opcode::kParameter) continue;
    const size_t number = static_cast<size_t>(built.ParameterNumber(r));
    if (number >= in_use_.size()) {
      wrong(Code::kEditParameter, {"an Insertion's Parameter()"});
      continue;
    }
    const uint32_t node = in_use_[number];
    if (node == kNone) continue;
    if (graph_->is_erased(node)) {
      wrong(Code::kEditErased, {graph_->NameOf(node)});
    } else if (graph_->computation(node) != computation_) {
      wrong(Code::kEditComputation,
            {graph_->NameOf(node),
             graph_->ComputationName(graph_->computation(node)),
             "the insertion", graph_->ComputationName(computation_)});
    } else if (!absl::StartsWith(built.pools->name(r.name),
                                 graph_->NameOf(node)) ||
               built.pools->attribute_bytes(r.attribute_bytes)
                       .after_callees.size() != 0) {
      wrong(Code::kEditOfUsed, {graph_->NameOf(node)});
    }
  }
}

bool InsertionState::Expand(Module* built) {
  ExpandResult expanded = ExpandBroadcasts(std::move(*built));
  *built = std::move(expanded.module);
  for (const ModuleDiagnostic& d : expanded.report.diagnostics()) {
    graph_->Keep(Rendered(*built, d));
  }
  if (!expanded.report.ok()) return false;
  if (graph_->has_layouts()) *built = LayOut(std::move(*built));
  return true;
}

bool InsertionState::Splice(Op root, Caller caller) {
  if (done_) return graph_ != nullptr;
  done_ = true;
  BuildResult result = builder_.Build(root, caller);
  for (const CallDiagnostic& d : builder_.diagnostics()) {
    // Of a wrong Use there is an error already.
    if (use_failed_ && d.diagnostic.code == Code::kOpDefault) continue;
    graph_->Keep(d);
  }
  if (!result.ok() || use_failed_ || computation_ == kNone) return false;
  Module built = *std::move(result);
  bool ok = true;
  CheckUse(DataOf(built), caller, &ok);
  if (!ok) return false;
  const uint32_t ops = DataOf(built).computations[DataOf(built).entry].count;
  const uint32_t first = DataOf(built).computations[DataOf(built).entry].first;
  if (!graph_->old().recorded && !Expand(&built)) return false;
  const ModuleData& data = DataOf(built);
  Copy(data);
  // Ids are still those that Build() gave.
  const ComputationRecord& entry = data.computations[data.entry];
  absl::flat_hash_map<int64_t, uint32_t> by_id;
  for (uint32_t i = 0; i < entry.count; ++i) {
    by_id[data.InstructionId(entry.first + i)] = node_of_op_[i];
  }
  std::vector<uint32_t> nodes;
  for (uint32_t i = 0; i < ops; ++i) {
    nodes.push_back(by_id[int64_t{first} + i + 1]);
  }
  node_of_op_ = std::move(nodes);
  return true;
}

uint32_t InsertionState::RealComputation(const ModuleData& built,
                                         uint32_t c) const {
  absl::string_view name = built.pools->name(built.computations[c].name);
  uint32_t number;
  if (!absl::ConsumePrefix(&name, kStandIn) ||
      !absl::SimpleAtoi(name, &number)) {
    return kNone;
  }
  return number;
}

void InsertionState::Copy(const ModuleData& built) {
  IdMap map(built.pools, &graph_->MutablePools());
  computation_of_.assign(built.computations.size(), kNone);
  for (uint32_t c = 0; c < built.computations.size(); ++c) {
    if (c == built.entry) continue;
    computation_of_[c] = RealComputation(built, c);
    if (computation_of_[c] != kNone) continue;
    const ComputationRecord& record = built.computations[c];
    ComputationRecord other = record;
    other.other_fields = map.Map(record.other_fields);
    const uint32_t to = graph_->AddComputation(built.pools->name(record.name),
                                               other, computation_);
    std::vector<uint32_t> node_of(record.count, kNone);
    CopyNodes(built, c, to, kNone, &map, &node_of);
    graph_->SetRoot(to, node_of[record.root]);
    computation_of_[c] = to;
  }
  node_of_op_.assign(built.computations[built.entry].count, kNone);
  const absl::Span<const InstructionRecord> entry =
      built.Instructions(built.entry);
  for (uint32_t i = 0; i < entry.size(); ++i) {
    if (entry[i].opcode != Opcode::kParameter) continue;
    node_of_op_[i] =
        in_use_[static_cast<size_t>(built.ParameterNumber(entry[i]))];
  }
  CopyNodes(built, built.entry, computation_, before_, &map, &node_of_op_);
}

void InsertionState::CopyNodes(const ModuleData& built, uint32_t from,
                               uint32_t to, uint32_t before, IdMap* map,
                               std::vector<uint32_t>* node_of) {
  const ComputationRecord& computation = built.computations[from];
  absl::flat_hash_map<uint64_t, uint32_t> by_id;  // for control dependencies
  std::vector<uint32_t> operands, callees;
  for (uint32_t i = 0; i < computation.count; ++i) {
    const uint32_t position = computation.first + i;
    InstructionRecord r = built.instructions[position];
    const bool stands_in =
        from == built.entry && r.opcode == Opcode::kParameter;
    by_id[static_cast<uint64_t>(built.InstructionId(position))] = i;
    if (stands_in) continue;
    operands.clear();
    for (const uint32_t k : built.Operands(r))
      operands.push_back((*node_of)[k]);
    callees.clear();
    for (const uint32_t c : built.Callees(r)) {
      callees.push_back(computation_of_[c]);
    }
    const AttributeBytesView bytes =
        built.pools->attribute_bytes(r.attribute_bytes);
    std::vector<uint32_t> before_it;
    if (bytes.control.empty()) {
      r.attribute_bytes = map->Map(r.attribute_bytes);
    } else {
      const std::string control = MapControl(
          bytes.control, [&](uint64_t id) -> std::optional<uint64_t> {
            const auto found = by_id.find(id);
            if (found == by_id.end()) return std::nullopt;
            before_it.push_back((*node_of)[found->second]);
            return static_cast<uint64_t>(graph_->id(before_it.back()));
          });
      r.attribute_bytes = graph_->MutablePools().AddAttributeBytes(
          {bytes.before_id, control, bytes.after_callees});
    }
    const bool unknown = r.unknown_opcode;
    r.unknown_opcode = 0;
    r.shape = map->Map(r.shape);
    r.metadata = map->Map(r.metadata);
    r.name = map->Map(r.name);
    const uint32_t node = graph_->Add(r, operands, callees, to, before, place_);
    if (unknown) graph_->SetOpcodeName(node, built.OpcodeName(position));
    (*node_of)[i] = node;
    graph_->AddControl(node, before_it);
  }
}

InstructionRef InsertionState::RefOf(Op op) const {
  if (graph_ == nullptr || !OpAccess::SameBuilder(op, first_)) {
    return InstructionRef();
  }
  const uint32_t i = OpAccess::Node(op);
  return graph_->Ref(i < node_of_op_.size() ? node_of_op_[i] : kNone);
}

}  // namespace indim::internal
