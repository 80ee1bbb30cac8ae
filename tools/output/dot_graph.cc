// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/output/dot_graph.h"

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/passes/cost/op_costs.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

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

// The value of a constant that is a real number; "": it is none.
std::string ScalarOf(const Instruction& node) {
  const Shape& shape = node.shape();
  if (node.opcode() != Opcode::kConstant || !shape.is_scalar() ||
      IsComplex(shape.element_type())) {
    return "";
  }
  const absl::StatusOr<Literal> literal = node.literal();
  return literal.ok() ? absl::StrCat(literal->AsDouble(0)) : "";
}

std::string ShortShape(const Instruction& node) {
  constexpr size_t kMost = 60;
  const std::string text = node.shape().WithoutLayout().ToString();
  if (text.size() <= kMost) return text;
  return absl::StrCat(text.substr(0, kMost), "...");
}

// Name and operation, unless the name says it; what tells it apart; callees.
std::string LabelOf(const Instruction& node) {
  std::string label = std::string(node.text_name());
  const absl::string_view opcode = node.opcode_name();
  if (label.substr(0, label.find('.')) != opcode) {
    absl::StrAppend(&label, "\n", opcode);
  }
  if (node.opcode() == Opcode::kGetTupleElement) {
    absl::StrAppend(&label, "\nindex ",
                    As<GetTupleElementAttributes>(node.attributes()).index);
  } else if (const std::string value = ScalarOf(node); !value.empty()) {
    absl::StrAppend(&label, "\n", value);
  }
  absl::StrAppend(&label, "\n", ShortShape(node));
  for (int i = 0; i < node.callee_count(); ++i) {
    absl::StrAppend(&label, "\n", node.callee(i).name());
  }
  return label;
}

void AppendNode(const Instruction& node, absl::string_view id, bool is_root,
                std::string* text) {
  absl::StrAppend(text, "  ", id, " [label=",
                  absl::StrReplaceAll(DotText(LabelOf(node)), {{"\n", "\\n"}}),
                  ", fillcolor=\"", FillOf(node), "\"",
                  is_root ? ", penwidth=3" : "", "];\n");
}

}  // namespace

std::string DotGraph(const Computation& computation) {
  const Instruction root = computation.root();
  std::string text =
      absl::StrCat("digraph ", DotText(computation.name()),
                   " {\n  graph [nslimit=2, nslimit1=2];\n  node [shape=box, "
                   "style=filled, fontname=Helvetica, fontsize=11];\n"
                   "  edge [fontname=Helvetica, fontsize=9];\n");
  // A scalar stands beside each user: it would be far from most of them.
  int scalars = 0;
  for (const Instruction node : computation.instructions()) {
    const std::string id = absl::StrCat("n", node.index());
    if (node == root || ScalarOf(node).empty()) {
      AppendNode(node, id, node == root, &text);
    }
    for (int i = 0; i < node.operand_count(); ++i) {
      const Instruction operand = node.operand(i);
      std::string from = absl::StrCat("n", operand.index());
      if (!ScalarOf(operand).empty()) {
        from = absl::StrCat("s", scalars++);
        AppendNode(operand, from, /*is_root=*/false, &text);
      }
      absl::StrAppend(
          &text, "  ", from, " -> ", id,
          node.operand_count() > 1 ? absl::StrCat(" [label=", i, "]") : "",
          ";\n");
    }
  }
  return text + "}\n";
}

}  // namespace indim
