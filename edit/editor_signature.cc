// SPDX-License-Identifier: Apache-2.0
// Editor: parameters, results, and the entry.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/edit/copy_nodes.h"
#include "indim/edit/edit_session.h"
#include "indim/edit/editor.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attributes.h"
#include "indim/sharding/sharding.h"

namespace indim {

using internal::EditSession;
using internal::EntryChanges;
using internal::kNone;

namespace {

using field::HloInstructionProto::kSharding;

std::vector<int64_t> CountUp(size_t count) {
  std::vector<int64_t> numbers(count);
  for (size_t k = 0; k < count; ++k) numbers[k] = static_cast<int64_t>(k);
  return numbers;
}

// The list of what became of the entry's parameters, before a change.
std::vector<int64_t>& ParametersOf(EditSession* graph, size_t count) {
  auto& parameters = graph->mutable_entry_changes().parameters;
  if (!parameters) parameters = CountUp(count);
  return *parameters;
}

// `list` without the elements at these places, which rise.
template <typename T>
void EraseAt(absl::Span<const int64_t> places, std::vector<T>* list) {
  if (places.empty()) return;
  size_t kept = static_cast<size_t>(places[0]), next = 0;
  for (size_t k = kept; k < list->size(); ++k) {
    if (next < places.size() && static_cast<size_t>(places[next]) == k) {
      ++next;
    } else {
      (*list)[kept++] = (*list)[k];
    }
  }
  list->resize(kept);
}

std::vector<int64_t> SortedOnce(absl::Span<const int64_t> numbers) {
  std::vector<int64_t> sorted(numbers.begin(), numbers.end());
  absl::c_sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

// Whether parameter `number` can go; else it is reported why not.
bool MayGo(EditSession* graph, const char* what, uint32_t c, int64_t number,
           Caller caller) {
  EditSession& g = *graph;
  const std::vector<uint32_t>& parameters = g.Parameters(c);
  const size_t k = static_cast<size_t>(number);
  if (number < 0 || k >= parameters.size() || parameters[k] == kNone) {
    g.Report(what, Code::kEditIndex,
             {g.ComputationName(c), "parameter", number,
              static_cast<int64_t>(parameters.size())},
             caller);
    return false;
  }
  const uint32_t node = parameters[k];
  const uint32_t use = g.uses().first(node);
  if (use != kNone || g.at(c).root == node) {
    g.Report(what, Code::kEditInUse,
             {g.NameOf(node), use == kNone
                                  ? "it is the root"
                                  : g.NameOf(g.uses().user(use)) + " uses it"},
             caller);
    return false;
  }
  if (!g.control().successors(node).empty()) {
    g.Report(what, Code::kEditControl,
             {g.NameOf(node), g.NameOf(g.control().successors(node)[0])},
             caller);
    return false;
  }
  return true;
}

// RemoveParameters of a computation that was checked.
void RemoveAll(EditSession* graph, const char* what, uint32_t c,
               absl::Span<const int64_t> given, Caller caller) {
  EditSession& g = *graph;
  const std::vector<int64_t> numbers = SortedOnce(given);
  for (const int64_t number : numbers) {
    if (!MayGo(&g, what, c, number, caller)) return;
  }
  if (numbers.empty()) return;
  if (c == g.entry()) {
    EraseAt(numbers, &ParametersOf(&g, g.Parameters(c).size()));
  }
  g.RemoveParameters(c, numbers);
  g.SignatureChanged(c);
  for (const uint32_t call : g.CallersOf(c)) {
    const Opcode opcode = g.record(call).opcode;
    if (opcode != Opcode::kCall && opcode != Opcode::kFusion) continue;
    const absl::Span<const uint32_t> span = g.Operands(call);
    std::vector<uint32_t> operands(span.begin(), span.end());
    if (static_cast<size_t>(numbers[0]) >= operands.size()) continue;
    EraseAt(numbers, &operands);
    g.SetOperands(call, operands);
  }
}

// The root of `c`, which gets `elements` as a tuple. `from` and `wrapped` as in
// ShardingOfElements.
uint32_t SetElements(EditSession* graph, uint32_t c,
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
        ShardingOfElements(sharding, before, shape, from, wrapped);
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

// AddResults of a computation that was checked; returns the root.
uint32_t AddAll(EditSession* graph, const char* what, uint32_t c,
                absl::Span<const InstructionRef> values, Caller caller) {
  EditSession& g = *graph;
  const uint32_t root = g.at(c).root;
  std::vector<uint32_t> added;
  for (const InstructionRef value : values) {
    const uint32_t node = g.Check(what, value, caller);
    if (node == kNone) return kNone;
    if (g.computation(node) != c || root == kNone) {
      g.Report(what, Code::kEditComputation,
               {g.NameOf(node), g.ComputationName(g.computation(node)),
                "the result", g.ComputationName(c)},
               caller);
      return kNone;
    }
    added.push_back(node);
  }
  if (added.empty()) return root;
  const bool wraps = g.record(root).opcode != Opcode::kTuple;
  std::vector<uint32_t> elements = {root};
  if (!wraps) {
    const absl::Span<const uint32_t> span = g.Operands(root);
    elements.assign(span.begin(), span.end());
  }
  const size_t before = elements.size();
  std::vector<int64_t> from = CountUp(before);
  elements.insert(elements.end(), added.begin(), added.end());
  from.resize(elements.size(), EntryChanges::kNew);
  const uint32_t now = SetElements(&g, c, elements, from, wraps);
  if (c == g.entry()) {
    EntryChanges& changes = g.mutable_entry_changes();
    if (wraps) {
      changes.results = from;
      changes.wrapped = true;
    } else {
      if (!changes.results) changes.results = CountUp(before);
      changes.results->resize(elements.size(), EntryChanges::kNew);
    }
  }
  g.SignatureChanged(c);
  return now;
}

// RemoveResults of a computation that was checked.
void RemoveElements(EditSession* graph, const char* what, uint32_t c,
                    absl::Span<const int64_t> given, Caller caller) {
  EditSession& g = *graph;
  const uint32_t root = g.at(c).root;
  if (root == kNone || g.record(root).opcode != Opcode::kTuple) {
    g.Report(what, Code::kEditNoTuple,
             {root == kNone ? "there is none" : g.NameOf(root)}, caller);
    return;
  }
  const absl::Span<const uint32_t> span = g.Operands(root);
  std::vector<uint32_t> elements(span.begin(), span.end());
  const int64_t count = static_cast<int64_t>(elements.size());
  const std::vector<int64_t> indices = SortedOnce(given);
  for (const int64_t index : indices) {
    if (index >= 0 && index < count) continue;
    g.Report(what, Code::kEditIndex,
             {g.ComputationName(c), "result", index, count}, caller);
    return;
  }
  if (indices.empty()) return;
  std::vector<int64_t> from = CountUp(elements.size());
  if (c == g.entry()) {
    EntryChanges& changes = g.mutable_entry_changes();
    if (!changes.results) changes.results = from;
    EraseAt(indices, &*changes.results);
  }
  EraseAt(indices, &from);
  EraseAt(indices, &elements);
  SetElements(&g, c, elements, from, false);
  g.SignatureChanged(c);
}

}  // namespace

InstructionRef Editor::AddParameter(ComputationRef computation,
                                    const Shape& shape, absl::string_view name,
                                    Caller caller) {
  EditSession& g = session();
  const uint32_t c = g.Check("AddParameter", computation, caller);
  if (c == kNone) return InstructionRef();
  const size_t count = g.Parameters(c).size();
  const uint32_t last = g.LastParameter(c);
  if (c == g.entry()) {
    ParametersOf(&g, count).push_back(EntryChanges::kNew);
  }
  InstructionRecord record =
      internal::NewRecord(&g, Opcode::kParameter,
                          g.has_layouts() && !shape.has_layout_anywhere()
                              ? shape.WithDefaultLayout()
                              : shape,
                          ParameterAttributes{static_cast<int64_t>(count)});
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
  EditSession& g = session();
  constexpr char kWhat[] = "RemoveParameter";
  const uint32_t c = g.Check(kWhat, computation, caller);
  if (c != kNone) RemoveAll(&g, kWhat, c, {number}, caller);
}

void Editor::RemoveParameters(ComputationRef computation,
                              absl::Span<const int64_t> numbers,
                              Caller caller) {
  EditSession& g = session();
  constexpr char kWhat[] = "RemoveParameters";
  const uint32_t c = g.Check(kWhat, computation, caller);
  if (c != kNone) RemoveAll(&g, kWhat, c, numbers, caller);
}

InstructionRef Editor::AddResult(ComputationRef computation,
                                 InstructionRef value, Caller caller) {
  EditSession& g = session();
  constexpr char kWhat[] = "AddResult";
  const uint32_t c = g.Check(kWhat, computation, caller);
  if (c == kNone) return InstructionRef();
  return g.Ref(AddAll(&g, kWhat, c, {value}, caller));
}

InstructionRef Editor::AddResults(ComputationRef computation,
                                  absl::Span<const InstructionRef> values,
                                  Caller caller) {
  EditSession& g = session();
  constexpr char kWhat[] = "AddResults";
  const uint32_t c = g.Check(kWhat, computation, caller);
  if (c == kNone) return InstructionRef();
  return g.Ref(AddAll(&g, kWhat, c, values, caller));
}

void Editor::RemoveResult(ComputationRef computation, int64_t index,
                          Caller caller) {
  EditSession& g = session();
  constexpr char kWhat[] = "RemoveResult";
  const uint32_t c = g.Check(kWhat, computation, caller);
  if (c != kNone) RemoveElements(&g, kWhat, c, {index}, caller);
}

void Editor::RemoveResults(ComputationRef computation,
                           absl::Span<const int64_t> indices, Caller caller) {
  EditSession& g = session();
  constexpr char kWhat[] = "RemoveResults";
  const uint32_t c = g.Check(kWhat, computation, caller);
  if (c != kNone) RemoveElements(&g, kWhat, c, indices, caller);
}

void Editor::SetEntry(ComputationRef computation, Caller caller) {
  EditSession& g = session();
  const uint32_t c = g.Check("SetEntry", computation, caller);
  if (c == kNone || c == g.entry()) return;
  g.SetEntry(c);
  g.SignatureChanged(c);
}

}  // namespace indim
