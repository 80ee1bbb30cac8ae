// SPDX-License-Identifier: Apache-2.0
// Editor: copies, inlining and outlining.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "indim/edit/copy_nodes.h"
#include "indim/edit/edit_session.h"
#include "indim/edit/editor.h"
#include "indim/ir/final_names.h"
#include "indim/ir/stable_order.h"
#include "indim/shape/ops/attributes.h"

namespace indim {

using internal::EditSession;
using internal::kNone;
using internal::NodeMap;

namespace {

// --- Outlining ---------------------------------------------------------------

class Outliner {
 public:
  // `region` is in order, in one computation.
  Outliner(EditSession* graph, std::vector<uint32_t> region)
      : graph_(*graph),
        region_(std::move(region)),
        inside_(region_.begin(), region_.end()),
        c_(graph->computation(region_[0])) {}

  // A node outside that needs the region and is needed by it; kNone: none.
  uint32_t Obstacle() const;
  // The call.
  uint32_t Run(absl::string_view name);

 private:
  void FindBorder();
  void CopyInside(uint32_t to);
  void ReplaceOutputs(uint32_t call, uint32_t before, uint32_t place);
  void ReplaceOutside(uint32_t node, uint32_t by);

  EditSession& graph_;
  const std::vector<uint32_t> region_;
  const absl::flat_hash_set<uint32_t> inside_;
  const uint32_t c_;
  std::vector<uint32_t> inputs_, outputs_;
};

uint32_t Outliner::Obstacle() const {
  const uint32_t first = *std::min_element(
      region_.begin(), region_.end(),
      [this](uint32_t a, uint32_t b) { return graph_.key(a) < graph_.key(b); });
  // Outside nodes that the region needs, each with the one nearest to it.
  std::vector<uint32_t> open;
  absl::flat_hash_set<uint32_t> seen;
  const auto add = [&](uint32_t node) {
    if (!inside_.contains(node) && graph_.MayDepend(node, first) &&
        seen.insert(node).second) {
      open.push_back(node);
    }
  };
  for (const uint32_t node : region_) {
    for (const uint32_t operand : graph_.Operands(node)) add(operand);
  }
  while (!open.empty()) {
    const uint32_t node = open.back();
    open.pop_back();
    for (const uint32_t operand : graph_.Operands(node)) {
      if (inside_.contains(operand)) return node;
      add(operand);
    }
  }
  return kNone;
}

void Outliner::FindBorder() {
  absl::flat_hash_set<uint32_t> seen;
  internal::UseLists& uses = graph_.uses();
  for (const uint32_t node : region_) {
    for (const uint32_t operand : graph_.Operands(node)) {
      if (!inside_.contains(operand) && seen.insert(operand).second) {
        inputs_.push_back(operand);
      }
    }
    bool leaves = graph_.at(c_).root == node;
    for (uint32_t slot = uses.first(node); slot != kNone && !leaves;
         slot = uses.next(slot)) {
      leaves = !inside_.contains(uses.user(slot));
    }
    if (leaves) outputs_.push_back(node);
  }
}

void Outliner::CopyInside(uint32_t to) {
  NodeMap map;
  for (size_t k = 0; k < inputs_.size(); ++k) {
    InstructionRecord parameter = internal::NewRecord(
        &graph_, Opcode::kParameter,
        graph_.pools().shapes().shape(graph_.record(inputs_[k]).shape),
        ParameterAttributes{static_cast<int64_t>(k)});
    map[inputs_[k]] =
        graph_.Add(parameter, {}, {}, to, kNone, graph_.place(inputs_[k]));
  }
  for (const uint32_t node : region_) {
    internal::CopyNode(&graph_, node, to, kNone, kNone, &map);
  }
  std::vector<uint32_t> results;
  for (const uint32_t node : outputs_) results.push_back(map[node]);
  if (results.size() == 1) {
    graph_.SetRoot(to, results[0]);
    return;
  }
  const InstructionRecord tuple =
      internal::NewRecord(&graph_, Opcode::kTuple,
                          internal::TupleOf(graph_, results), NoAttributes());
  graph_.SetRoot(to, graph_.Add(tuple, results, {}, to, kNone,
                                graph_.place(region_.back())));
}

void Outliner::ReplaceOutside(uint32_t node, uint32_t by) {
  internal::UseLists& uses = graph_.uses();
  for (uint32_t slot = uses.first(node); slot != kNone;) {
    const uint32_t user = uses.user(slot);
    const uint32_t index = slot - graph_.record(user).first_operand;
    slot = uses.next(slot);
    if (!inside_.contains(user)) graph_.SetOperand(user, index, by);
  }
  if (graph_.at(c_).root == node) graph_.SetRoot(c_, by);
}

void Outliner::ReplaceOutputs(uint32_t call, uint32_t before, uint32_t place) {
  if (outputs_.size() == 1) return ReplaceOutside(outputs_[0], call);
  for (size_t k = 0; k < outputs_.size(); ++k) {
    const InstructionRecord element = internal::NewRecord(
        &graph_, Opcode::kGetTupleElement,
        graph_.pools().shapes().shape(graph_.record(outputs_[k]).shape),
        GetTupleElementAttributes{static_cast<int64_t>(k)});
    ReplaceOutside(outputs_[k],
                   graph_.Add(element, {call}, {}, c_, before, place));
  }
}

uint32_t Outliner::Run(absl::string_view name) {
  FindBorder();
  const uint32_t to = graph_.AddComputation(name, ComputationRecord(), c_);
  CopyInside(to);
  const uint32_t last = region_.back();
  const uint32_t before = graph_.next(last);
  InstructionRecord record = internal::NewRecord(
      &graph_, Opcode::kCall,
      graph_.pools().shapes().shape(graph_.record(graph_.at(to).root).shape),
      NoAttributes());
  record.metadata = graph_.record(last).metadata;
  const uint32_t call =
      graph_.Add(record, inputs_, {to}, c_, before, graph_.place(last));
  ReplaceOutputs(call, before, graph_.place(last));
  for (auto node = region_.rbegin(); node != region_.rend(); ++node) {
    graph_.Remove(*node);
  }
  return call;
}

// Whether nodes can be copied in order. In a cycle copies would use the
// originals: then it reports what the cycle is.
bool CanCopy(EditSession* g, absl::string_view what,
             const std::vector<uint32_t>& cycle, Caller caller) {
  if (cycle.empty()) return true;
  std::vector<std::string> names;
  for (const uint32_t node : cycle) names.push_back(g->NameOf(node));
  g->Report(what, Code::kEditCycle, {internal::CycleText(names)}, caller);
  return false;
}

// Whether its name is one that a new instruction would get: "add.17".
bool HasMadeName(const EditSession& graph, uint32_t node) {
  absl::string_view name = graph.pools().name(graph.record(node).name);
  return absl::ConsumePrefix(&name,
                             FinalNames::BaseOf(graph.OpcodeName(node))) &&
         absl::ConsumePrefix(&name, ".") && !name.empty() &&
         absl::c_all_of(name, absl::ascii_isdigit);
}

}  // namespace

// --- Copies ------------------------------------------------------------------

InstructionRef Editor::Clone(InstructionRef instruction, Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("Clone", instruction, caller);
  if (node == kNone) return InstructionRef();
  if (g.record(node).opcode == Opcode::kParameter) {
    g.Report("Clone", Code::kEditParameter, {g.NameOf(node)}, caller);
    return InstructionRef();
  }
  const uint32_t copy = internal::CopyNode(
      &g, node, g.computation(node), g.next(node), kNone, /*map=*/nullptr);
  if (HasMadeName(g, node)) g.Touch(copy).name = NameId();
  return g.Ref(copy);
}

ComputationRef Editor::CloneComputation(ComputationRef computation,
                                        absl::string_view name, Caller caller) {
  EditSession& g = session();
  const uint32_t c = g.Check("CloneComputation", computation, caller);
  if (c == kNone) return ComputationRef();
  const std::string its_name =
      name.empty() ? g.ComputationName(c) : std::string(name);
  std::vector<uint32_t> cycle;
  const std::vector<uint32_t> order = internal::InOrder(&g, c, &cycle);
  if (!CanCopy(&g, "CloneComputation", cycle, caller)) return ComputationRef();
  const uint32_t to = g.AddComputation(its_name, g.at(c).record, c);
  NodeMap map;
  for (const uint32_t node : order) {
    internal::CopyNode(&g, node, to, kNone, kNone, &map);
  }
  if (g.at(c).root != kNone) g.SetRoot(to, map[g.at(c).root]);
  return g.RefOfComputation(to);
}

// --- Calls -------------------------------------------------------------------

InstructionRef Editor::InlineCall(InstructionRef call, Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("InlineCall", call, caller);
  if (node == kNone) return InstructionRef();
  const uint32_t callee =
      g.record(node).opcode == Opcode::kCall && g.Callees(node).size() == 1
          ? g.Callees(node)[0]
          : kNone;
  const std::vector<uint32_t> parameters =
      callee == kNone ? std::vector<uint32_t>() : g.Parameters(callee);
  if (callee == kNone || g.at(callee).root == kNone ||
      parameters.size() != g.Operands(node).size() ||
      absl::c_linear_search(parameters, kNone) ||
      callee == g.computation(node)) {
    g.Report("InlineCall", Code::kEditNoCall, {g.NameOf(node)}, caller);
    return InstructionRef();
  }
  if (g.control().Any(node)) {
    g.Report("InlineCall", Code::kEditControl,
             {g.NameOf(node), "another instruction"}, caller);
    return InstructionRef();
  }
  std::vector<uint32_t> cycle;
  const std::vector<uint32_t> order = internal::InOrder(&g, callee, &cycle);
  if (!CanCopy(&g, "InlineCall", cycle, caller)) return InstructionRef();
  if (g.record(node).attribute_bytes) {
    g.Report("InlineCall", Code::kEditStateDropped,
             {"what is said of " + g.NameOf(node) +
                  " (sharding, frontend attributes, ...)",
              "the call is replaced by what it calls"},
             caller);
  }
  NodeMap map;
  for (size_t k = 0; k < parameters.size(); ++k) {
    map[parameters[k]] = g.Operands(node)[k];
  }
  const uint32_t c = g.computation(node);
  for (const uint32_t inner : order) {
    if (g.record(inner).opcode == Opcode::kParameter) continue;
    const uint32_t copy =
        internal::CopyNode(&g, inner, c, node, g.place(node), &map);
    // A fusion must own its body.
    if (g.record(copy).opcode == Opcode::kFusion) {
      SetCallee(g.Ref(copy), 0, CloneComputation(callees(g.Ref(copy))[0]));
    }
  }
  const InstructionRef result = g.Ref(map[g.at(callee).root]);
  ReplaceAllUses(call, result, caller);
  g.Remove(node);
  return result;
}

InstructionRef Editor::Outline(absl::Span<const InstructionRef> instructions,
                               absl::string_view name, Caller caller) {
  EditSession& g = session();
  constexpr char kWhat[] = "Outline";
  if (!g.CheckOpen(kWhat, caller)) return InstructionRef();
  std::vector<uint32_t> nodes;
  for (const InstructionRef instruction : instructions) {
    const uint32_t node = g.Check(kWhat, instruction, caller);
    if (node == kNone) return InstructionRef();
    nodes.push_back(node);
    Code wrong = Code::kNone;
    std::vector<DiagnosticArg> args = {g.NameOf(node)};
    if (g.record(node).opcode == Opcode::kParameter) {
      wrong = Code::kEditParameter;
    } else if (g.control().Any(node)) {
      wrong = Code::kEditControl;
      args.push_back("another instruction");
    } else if (g.computation(node) != g.computation(nodes[0])) {
      wrong = Code::kEditComputation;
      args.push_back(g.ComputationName(g.computation(node)));
      args.push_back(g.NameOf(nodes[0]));
      args.push_back(g.ComputationName(g.computation(nodes[0])));
    }
    if (wrong != Code::kNone) {
      g.Report(kWhat, wrong, std::move(args), caller);
      return InstructionRef();
    }
  }
  if (nodes.empty()) {
    g.Report(kWhat, Code::kEditRegion, {"no instruction was given"}, caller);
    return InstructionRef();
  }
  std::sort(nodes.begin(), nodes.end(),
            [&g](uint32_t a, uint32_t b) { return g.key(a) < g.key(b); });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  std::vector<uint32_t> cycle;
  Outliner outliner(&g, internal::InOrder(&g, nodes, &cycle));
  if (!CanCopy(&g, kWhat, cycle, caller)) return InstructionRef();
  const uint32_t obstacle = outliner.Obstacle();
  if (obstacle != kNone) {
    g.Report(
        kWhat, Code::kEditRegion,
        {g.NameOf(obstacle) + " needs one of them and is needed by another"},
        caller);
    return InstructionRef();
  }
  return g.Ref(outliner.Run(name));
}

}  // namespace indim
