// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/passes/extract.h"

#include "indim/edit/copy_nodes.h"
#include "indim/edit/edit_session.h"
#include "indim/edit/passes/dead_code.h"

namespace indim {

using internal::EditSession;
using internal::kNone;

namespace {

// The nodes of references to computation `c`; empty: one is wrong.
bool NodesOf(EditSession* graph, absl::Span<const InstructionRef> refs,
             uint32_t* c, std::vector<uint32_t>* nodes, Caller caller) {
  for (const InstructionRef ref : refs) {
    const uint32_t node = graph->Check("ExtractCone", ref, caller);
    if (node == kNone) return false;
    if (*c == kNone) *c = graph->computation(node);
    if (graph->computation(node) != *c) {
      graph->Report("ExtractCone", Code::kEditComputation,
                    {graph->NameOf(node),
                     graph->ComputationName(graph->computation(node)),
                     "other results", graph->ComputationName(*c)},
                    caller);
      return false;
    }
    nodes->push_back(node);
  }
  return true;
}

uint32_t RootOf(EditSession* graph, uint32_t c,
                const std::vector<uint32_t>& results) {
  if (results.size() == 1) return results[0];
  const InstructionRecord tuple =
      internal::NewRecord(graph, Opcode::kTuple,
                          internal::TupleOf(*graph, results), NoAttributes());
  return graph->Add(tuple, results, {}, c, kNone, graph->place(results.back()));
}

// Makes uses of `node` uses of a new parameter with its name.
void Cut(Editor* editor, EditSession* graph, uint32_t node, Caller caller) {
  const Shape shape = graph->pools().shapes().shape(graph->record(node).shape);
  const InstructionRef parameter = editor->AddParameter(
      editor->computation(graph->Ref(node)), shape, "", caller);
  const NameId name = graph->record(node).name;
  const uint32_t made = graph->NodeOf(parameter);
  graph->Touch(made).name = name;
  graph->ReplaceUses(node, made);
}

}  // namespace

void ExtractCone(Editor* editor, absl::Span<const InstructionRef> results,
                 const ExtractOptions& options, Caller caller) {
  EditSession& graph = EditSession::Of(editor);
  if (!graph.CheckOpen("ExtractCone", caller)) return;
  uint32_t c = kNone;
  std::vector<uint32_t> nodes, inputs;
  if (!NodesOf(&graph, results, &c, &nodes, caller)) return;
  if (nodes.empty()) {
    graph.Report("ExtractCone", Code::kEditRegion, {"no result was given"},
                 caller);
    return;
  }
  if (!NodesOf(&graph, options.inputs, &c, &inputs, caller)) return;
  if (c != graph.entry()) {
    graph.SetEntry(c);
  } else {
    graph.mutable_entry_changes().results.reset();
    graph.mutable_entry_changes().wrapped = false;
    graph.mutable_entry_changes().result_replaced = true;
  }
  graph.SignatureChanged(c);
  graph.SetRoot(c, RootOf(&graph, c, nodes));
  internal::EraseUnneeded(&graph, c);
  for (const uint32_t input : inputs) {
    if (!graph.is_erased(input) &&
        graph.record(input).opcode != Opcode::kParameter) {
      Cut(editor, &graph, input, caller);
    }
  }
  internal::EraseUnneeded(&graph, c);
  if (options.keep_parameters) return;
  const std::vector<InstructionRef> parameters =
      editor->parameters(editor->entry());
  for (size_t k = parameters.size(); k-- > 0;) {
    if (parameters[k] && !editor->users(parameters[k]).size() &&
        editor->root(editor->entry()) != parameters[k] &&
        !graph.control().Any(graph.NodeOf(parameters[k]))) {
      editor->RemoveParameter(editor->entry(), static_cast<int64_t>(k), caller);
    }
  }
}

}  // namespace indim
