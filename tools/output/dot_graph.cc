// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/output/dot_graph.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/passes/cost/op_costs.h"

namespace indim {
namespace {

// In quotes, as Graphviz reads it.
std::string DotText(absl::string_view text) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

// Colours by kind: inputs, what calls, elementwise operations, others that
// compute, data that moves.
absl::string_view FillOf(const Instruction& node) {
  if (node.operand_count() == 0) return "#ffe9a8";
  if (node.callee_count() > 0) return "#d8c8f0";
  if (Info(node.opcode()).has(kElementwise)) return "#ffffff";
  return internal::OpCostOf(node.opcode()).flops(node) == Amount(0) ? "#cfe6cf"
                                                                    : "#ffc4b8";
}

}  // namespace

std::string DotGraph(const Computation& computation) {
  const Instruction root = computation.root();
  std::string text =
      absl::StrCat("digraph ", DotText(computation.name()),
                   " {\n  node [shape=box, style=filled, fontsize=11];\n");
  for (const Instruction node : computation.instructions()) {
    std::string label =
        absl::StrCat(node.text_name(), "\n", node.opcode_name(), "\n",
                     node.shape().WithoutLayout().ToString());
    for (int i = 0; i < node.callee_count(); ++i) {
      absl::StrAppend(&label, "\n", node.callee(i).name());
    }
    absl::StrAppend(&text, "  n", node.index(), " [label=",
                    absl::StrReplaceAll(DotText(label), {{"\n", "\\n"}}),
                    ", fillcolor=\"", FillOf(node), "\"",
                    node == root ? ", penwidth=3" : "", "];\n");
    for (int i = 0; i < node.operand_count(); ++i) {
      absl::StrAppend(
          &text, "  n", node.operand(i).index(), " -> n", node.index(),
          node.operand_count() > 1 ? absl::StrCat(" [label=", i, "]") : "",
          ";\n");
    }
  }
  return text + "}\n";
}

}  // namespace indim
