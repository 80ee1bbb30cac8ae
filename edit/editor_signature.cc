// Editor: parameters, results, and the entry.

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/edit/copy_nodes.h"
#include "indim/edit/edit_graph.h"
#include "indim/edit/editor.h"
#include "indim/edit/tuple_sharding.h"
#include "indim/shape/ops/attributes.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {

using internal::EditGraph;
using internal::EntryChanges;
using internal::kNone;

namespace {

using field::HloInstructionProto::kParameterNumber;
using field::HloInstructionProto::kSharding;

std::vector<int64_t> CountUp(size_t count) {
  std::vector<int64_t> numbers(count);
  for (size_t k = 0; k < count; ++k) numbers[k] = static_cast<int64_t>(k);
  return numbers;
}

// The list of what became of the entry's parameters, before a change.
std::vector<int64_t>& ParametersOf(EditGraph* graph, size_t count) {
  auto& parameters = graph->mutable_entry_changes().parameters;
  if (!parameters) parameters = CountUp(count);
  return *parameters;
}

void SetNumber(EditGraph* graph, uint32_t parameter, int64_t number) {
  FieldList fields(WireMessage::kHloInstructionProto);
  fields.Append(
      graph->pools().attribute_bytes(graph->record(parameter).attribute_bytes));
  fields.SetNumber(kParameterNumber, number);
  graph->SetAttributeBytes(parameter, fields.ToAttributeBytes().view());
}

// The root of `c`, which gets `elements` as a tuple. `from` and `wrapped` as in
// ShardingOfElements.
uint32_t SetElements(EditGraph* graph, uint32_t c,
                     const std::vector<uint32_t>& elements,
                     absl::Span<const int64_t> from, bool wrapped) {
  const uint32_t old = graph->at(c).root;
  const Shape before = graph->pools().shapes().shape(graph->record(old).shape);
  const Shape shape = internal::TupleOf(*graph, elements);
  InstructionRecord record =
      internal::NewRecord(graph, Opcode::kTuple, shape, NoAttributes());
  const bool is_tuple = graph->record(old).opcode == Opcode::kTuple;
  if (is_tuple && !wrapped) {
    record.attribute_bytes = graph->record(old).attribute_bytes;
  }
  record.metadata = graph->record(old).metadata;
  bool sharded = false;
  const std::string sharding(AttributeBytesField(
      graph->pools().attribute_bytes(graph->record(old).attribute_bytes),
      kSharding, &sharded));
  if (sharded) {
    const auto moved =
        internal::ShardingOfElements(sharding, before, shape, from, wrapped);
    const AttributeBytesView bytes =
        graph->pools().attribute_bytes(record.attribute_bytes);
    record.attribute_bytes = graph->MutablePools().AddAttributeBytes(
        (moved ? WithField(bytes, kSharding, *moved)
               : WithoutField(bytes, kSharding))
            .view());
  }
  if (is_tuple && !wrapped && graph->uses().first(old) == kNone &&
      !absl::c_linear_search(elements, old)) {
    graph->SetOperands(old, elements);
    InstructionRecord& r = graph->Touch(old);
    r.shape = record.shape;
    r.attribute_bytes = record.attribute_bytes;
    return old;
  }
  const uint32_t root =
      graph->Add(record, elements, {}, c, kNone, graph->place(old));
  graph->SetRoot(c, root);
  return root;
}

}  // namespace

InstructionRef Editor::AddParameter(ComputationRef computation,
                                    const Shape& shape, absl::string_view name,
                                    Caller caller) {
  EditGraph& g = graph();
  const uint32_t c = g.Check("AddParameter", computation, caller);
  if (c == kNone) return InstructionRef();
  const std::vector<uint32_t> parameters = g.Parameters(c);
  uint32_t last = kNone;
  for (const uint32_t node : parameters) {
    if (node != kNone && (last == kNone || g.key(node) > g.key(last))) {
      last = node;
    }
  }
  if (c == g.entry()) {
    ParametersOf(&g, parameters.size()).push_back(EntryChanges::kNew);
  }
  InstructionRecord record = internal::NewRecord(
      &g, Opcode::kParameter,
      g.has_layouts() && !shape.has_layout_anywhere()
          ? shape.WithDefaultLayout()
          : shape,
      ParameterAttributes{static_cast<int64_t>(parameters.size())});
  const uint32_t node =
      g.Add(record, {}, {}, c, last == kNone ? g.at(c).head : g.next(last),
            last == kNone ? kNone : g.place(last));
  g.SignatureChanged(c);
  const InstructionRef ref = g.Ref(node);
  if (!name.empty()) SetName(ref, name, caller);
  return ref;
}

void Editor::RemoveParameter(ComputationRef computation, int64_t number,
                             Caller caller) {
  EditGraph& g = graph();
  constexpr char kWhat[] = "RemoveParameter";
  const uint32_t c = g.Check(kWhat, computation, caller);
  if (c == kNone) return;
  const std::vector<uint32_t> parameters = g.Parameters(c);
  const size_t k = static_cast<size_t>(number);
  if (number < 0 || k >= parameters.size() || parameters[k] == kNone) {
    g.Report(kWhat, Code::kEditIndex,
             {g.ComputationName(c), "parameter", number,
              static_cast<int64_t>(parameters.size())},
             caller);
    return;
  }
  const uint32_t node = parameters[k];
  const uint32_t use = g.uses().first(node);
  if (use != kNone || g.at(c).root == node) {
    g.Report(kWhat, Code::kEditInUse,
             {g.NameOf(node), use == kNone
                                  ? "it is the root"
                                  : g.NameOf(g.uses().user(use)) + " uses it"},
             caller);
    return;
  }
  if (!g.control().successors(node).empty()) {
    g.Report(kWhat, Code::kEditControl,
             {g.NameOf(node), g.NameOf(g.control().successors(node)[0])},
             caller);
    return;
  }
  if (c == g.entry()) {
    std::vector<int64_t>& list = ParametersOf(&g, parameters.size());
    list.erase(list.begin() + number);
  }
  g.Remove(node);
  for (size_t i = k + 1; i < parameters.size(); ++i) {
    if (parameters[i] != kNone) {
      SetNumber(&g, parameters[i], static_cast<int64_t>(i) - 1);
    }
  }
  g.SignatureChanged(c);
  for (const uint32_t call : g.CallersOf(c)) {
    const Opcode opcode = g.record(call).opcode;
    if (opcode != Opcode::kCall && opcode != Opcode::kFusion) continue;
    const absl::Span<const uint32_t> span = g.Operands(call);
    std::vector<uint32_t> operands(span.begin(), span.end());
    if (k >= operands.size()) continue;
    operands.erase(operands.begin() + number);
    g.SetOperands(call, operands);
  }
}

InstructionRef Editor::AddResult(ComputationRef computation,
                                 InstructionRef value, Caller caller) {
  EditGraph& g = graph();
  constexpr char kWhat[] = "AddResult";
  const uint32_t c = g.Check(kWhat, computation, caller);
  if (c == kNone) return InstructionRef();
  const uint32_t node = g.Check(kWhat, value, caller);
  const uint32_t root = g.at(c).root;
  if (node == kNone) return InstructionRef();
  if (g.computation(node) != c || root == kNone) {
    g.Report(kWhat, Code::kEditComputation,
             {g.NameOf(node), g.ComputationName(g.computation(node)),
              "the result", g.ComputationName(c)},
             caller);
    return InstructionRef();
  }
  const bool wraps = g.record(root).opcode != Opcode::kTuple;
  std::vector<uint32_t> elements = {root};
  std::vector<int64_t> from = {0};
  if (!wraps) {
    const absl::Span<const uint32_t> span = g.Operands(root);
    elements.assign(span.begin(), span.end());
    from = CountUp(elements.size());
  }
  elements.push_back(node);
  from.push_back(EntryChanges::kNew);
  const uint32_t now = SetElements(&g, c, elements, from, wraps);
  if (c == g.entry()) {
    EntryChanges& changes = g.mutable_entry_changes();
    if (wraps) {
      changes.results = from;
      changes.wrapped = true;
    } else {
      if (!changes.results) changes.results = CountUp(elements.size() - 1);
      changes.results->push_back(EntryChanges::kNew);
    }
  }
  g.SignatureChanged(c);
  return g.Ref(now);
}

void Editor::RemoveResult(ComputationRef computation, int64_t index,
                          Caller caller) {
  EditGraph& g = graph();
  constexpr char kWhat[] = "RemoveResult";
  const uint32_t c = g.Check(kWhat, computation, caller);
  if (c == kNone) return;
  const uint32_t root = g.at(c).root;
  if (root == kNone || g.record(root).opcode != Opcode::kTuple) {
    g.Report(kWhat, Code::kEditNoTuple,
             {root == kNone ? "there is none" : g.NameOf(root)}, caller);
    return;
  }
  const absl::Span<const uint32_t> span = g.Operands(root);
  std::vector<uint32_t> elements(span.begin(), span.end());
  if (index < 0 || index >= static_cast<int64_t>(elements.size())) {
    g.Report(kWhat, Code::kEditIndex,
             {g.ComputationName(c), "result", index,
              static_cast<int64_t>(elements.size())},
             caller);
    return;
  }
  std::vector<int64_t> from = CountUp(elements.size());
  if (c == g.entry()) {
    EntryChanges& changes = g.mutable_entry_changes();
    if (!changes.results) changes.results = from;
    changes.results->erase(changes.results->begin() + index);
  }
  from.erase(from.begin() + index);
  elements.erase(elements.begin() + index);
  SetElements(&g, c, elements, from, false);
  g.SignatureChanged(c);
}

void Editor::SetEntry(ComputationRef computation, Caller caller) {
  EditGraph& g = graph();
  const uint32_t c = g.Check("SetEntry", computation, caller);
  if (c == kNone || c == g.entry()) return;
  g.SetEntry(c);
  g.SignatureChanged(c);
}

}  // namespace indim
