// SPDX-License-Identifier: Apache-2.0
// indim dot: a computation as a graph for Graphviz.

#include <cstdint>
#include <iostream>
#include <string>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"

namespace indim {
namespace {

// In quotes, as Graphviz reads it.
std::string DotText(absl::string_view text) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

// Colours by kind: inputs, products, what calls, data that moves.
absl::string_view FillOf(const Instruction& node) {
  switch (node.opcode()) {
    case Opcode::kParameter:
    case Opcode::kConstant:
      return "#ffe9a8";
    case Opcode::kDot:
    case Opcode::kConvolution:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
      return "#ffc4b8";
    default:
      return node.callee_count() > 0                 ? "#d8c8f0"
             : Info(node.opcode()).has(kElementwise) ? "#ffffff"
                                                     : "#cfe6cf";
  }
}

void PrintDot(const Computation& computation) {
  const Instruction root = computation.root();
  std::cout << "digraph " << DotText(computation.name())
            << " {\n  node [shape=box, style=filled, fontsize=11];\n";
  for (const Instruction node : computation.instructions()) {
    std::string label =
        absl::StrCat(node.text_name(), "\n", node.opcode_name(), "\n",
                     node.shape().WithoutLayout().ToString());
    for (int i = 0; i < node.callee_count(); ++i) {
      absl::StrAppend(&label, "\n", node.callee(i).name());
    }
    std::cout << "  n" << node.index() << " [label="
              << absl::StrReplaceAll(DotText(label), {{"\n", "\\n"}})
              << ", fillcolor=\"" << FillOf(node) << "\""
              << (node == root ? ", penwidth=3" : "") << "];\n";
    for (int i = 0; i < node.operand_count(); ++i) {
      std::cout << "  n" << node.operand(i).index() << " -> n" << node.index();
      if (node.operand_count() > 1) std::cout << " [label=" << i << "]";
      std::cout << ";\n";
    }
  }
  std::cout << "}\n";
}

}  // namespace

int RunDot(absl::Span<const std::string> arguments) {
  const std::string& file = arguments[0];
  const absl::StatusOr<WrappedModule> read = ReadModuleAndWarn(file);
  if (!read.ok()) return Fail(WithFileName(file, read.status()));
  const Module& module = read->module;
  for (const Computation computation : module.computations()) {
    if (arguments.size() > 1 ? computation.name() != arguments[1]
                             : !computation.is_entry()) {
      continue;
    }
    const int64_t most = absl::GetFlag(FLAGS_max_nodes);
    if (computation.instruction_count() > most) {
      std::cerr << "indim: " << computation.name() << " has "
                << computation.instruction_count()
                << " instructions, more than Graphviz draws well; "
                   "--max-nodes allows more than "
                << most << "\n";
      return kExitErrors;
    }
    PrintDot(computation);
    return kExitOk;
  }
  std::cerr << "indim: no computation is called "
            << (arguments.size() > 1 ? arguments[1] : "the entry") << "\n";
  return kExitErrors;
}

}  // namespace indim
