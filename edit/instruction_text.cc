// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/instruction_text.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "indim/edit/pattern_node.h"
#include "indim/ir/append_record.h"
#include "indim/proto/codec/literal_proto.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/text/print/hlo_printer.h"

namespace indim::internal {
namespace {

// A module of the node alone: its operands are instructions without operands,
// its callees computations without instructions, all with their names.
Module Alone(const EditSession& graph, uint32_t node) {
  auto data = std::make_shared<ModuleData>();
  data->pools = graph.SharePools();
  data->names_as_read = true;
  const auto add = [&](uint32_t copied, absl::Span<const uint32_t> operands,
                       absl::Span<const uint32_t> callees) {
    AppendRecordLike(graph.record(copied), operands, callees, &data->operands,
                     &data->instructions)
        .unknown_opcode = 0;
  };
  for (const uint32_t c : graph.Callees(node)) {
    ComputationRecord& callee = data->computations.emplace_back();
    callee.name = graph.at(c).record.name;
  }
  const uint32_t callees = static_cast<uint32_t>(data->computations.size());
  for (const uint32_t operand : graph.Operands(node)) add(operand, {}, {});
  const uint32_t operands = static_cast<uint32_t>(data->instructions.size());
  std::vector<uint32_t> numbers(std::max(operands, callees));
  std::iota(numbers.begin(), numbers.end(), 0);
  const absl::Span<const uint32_t> all = numbers;
  add(node, all.first(operands), all.first(callees));
  ComputationRecord& computation = data->computations.emplace_back();
  computation.count = operands + 1;
  computation.root = operands;
  data->entry = callees;
  return ModuleOf(std::move(data));
}

}  // namespace

absl::StatusOr<Literal> LiteralOf(const EditSession& graph, uint32_t node) {
  bool present = false;
  const absl::string_view wire = AttributeBytesField(
      graph.pools().attribute_bytes(graph.record(node).attribute_bytes),
      field::HloInstructionProto::kLiteral, &present);
  if (!present) return absl::NotFoundError("there is no literal");
  return ParseLiteralProto(wire, graph.pools().external_files());
}

bool HasAttributes(
    const EditSession& graph, uint32_t node,
    const std::vector<std::pair<std::string, std::string>>& attributes) {
  const Module alone = Alone(graph, node);
  PrintOptions options;
  options.percent = options.result_shape = false;
  options.index_interval = 0;
  const std::string text =
      HloPrinter(alone, options)
          .InstructionText(DataOf(alone).entry,
                           graph.record(node).operand_count,
                           /*named=*/false);
  std::vector<std::pair<std::string, std::string>> found;
  // Behind the operands.
  size_t at = EndOfValue(text, 0, /*colon_ends=*/false);
  while (at < text.size()) {
    const size_t begin = text.find_first_not_of(", ", at);
    if (begin == std::string::npos) break;
    at = EndOfValue(text, begin, /*colon_ends=*/false);
    if (at == begin) break;
    const std::string part = text.substr(begin, at - begin);
    const size_t equals = part.find('=');
    if (equals == std::string::npos) continue;
    found.emplace_back(part.substr(0, equals),
                       WithoutBlanks(part.substr(equals + 1)));
  }
  return std::all_of(
      attributes.begin(), attributes.end(), [&found](const auto& wanted) {
        return std::find(found.begin(), found.end(), wanted) != found.end();
      });
}

}  // namespace indim::internal
