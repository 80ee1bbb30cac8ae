// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/output/model_explorer.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/ir/report.h"
#include "indim/tools/output/json_writer.h"
#include "indim/tools/output/node_names.h"

namespace indim {
namespace {

using Texts = std::vector<std::string>;

std::string KeyValue(absl::string_view key, absl::string_view value) {
  return JsonWriter().Add("key", key).Add("value", value).text();
}

Texts AttributesOf(const Instruction& node) {
  Texts attributes = {KeyValue("hlo", InstructionText(node))};
  const std::string source = SourceLineOf(node);
  if (!source.empty()) attributes.push_back(KeyValue("source", source));
  return attributes;
}

Texts EdgesTo(const Instruction& node) {
  Texts edges;
  for (const Instruction operand : node.operands()) {
    edges.push_back(JsonWriter()
                        .Add("sourceNodeId", operand.text_name())
                        .Add("sourceNodeOutputId", "0")
                        .Add("targetNodeInputId", absl::StrCat(edges.size()))
                        .text());
  }
  return edges;
}

std::string NodeJson(const Instruction& node) {
  Texts callees;
  for (int i = 0; i < node.callee_count(); ++i) {
    callees.emplace_back(node.callee(i).name());
  }
  const Texts output = {
      JsonWriter()
          .Add("id", "0")
          .AddList("attrs", {KeyValue("shape", node.shape().ToString())})
          .text()};
  return JsonWriter()
      .Add("id", node.text_name())
      .Add("label", node.opcode_name())
      .Add("namespace", ScopeOf(node))
      .AddTexts("subgraphIds", callees)
      .AddList("attrs", AttributesOf(node))
      .AddList("incomingEdges", EdgesTo(node))
      .AddList("outputsMetadata", output)
      .text();
}

std::string GraphJson(const Computation& computation) {
  Texts nodes;
  for (const Instruction node : computation.instructions()) {
    nodes.push_back(NodeJson(node));
  }
  return JsonWriter()
      .Add("id", computation.name())
      .AddList("nodes", nodes)
      .text();
}

}  // namespace

std::string ModelExplorerJson(const Module& module) {
  Texts graphs;
  for (const Computation computation : module.computations()) {
    graphs.insert(computation.is_entry() ? graphs.begin() : graphs.end(),
                  GraphJson(computation));
  }
  return JsonWriter()
      .Add("label", module.name())
      .AddList("graphs", graphs)
      .text();
}

}  // namespace indim
