// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/passes/fold_constants.h"

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "indim/edit/copy_nodes.h"
#include "indim/edit/edit_session.h"
#include "indim/edit/instruction_text.h"
#include "indim/edit/side_effects.h"
#include "indim/eval/evaluator.h"
#include "indim/ir/constant_bytes.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim {

using internal::EditSession;

namespace {

using field::HloInstructionProto::kSharding;

class GraphFolder {
 public:
  GraphFolder(EditSession* graph, const FoldOptions& options)
      : graph_(*graph), options_(options), effects_(*graph) {}

  int64_t Run();

 private:
  bool MayFold(uint32_t node);
  bool IsSmall(uint32_t node) const;
  // nullopt: not a constant, or without its values.
  const Literal* ValueOf(uint32_t node);
  std::optional<Literal> Evaluate(uint32_t node);
  void Replace(uint32_t node, const Literal& value);
  bool IsFused(uint32_t c);
  void EraseUnusedConstants(uint32_t c);

  EditSession& graph_;
  const FoldOptions& options_;
  const internal::SideEffects effects_;
  absl::flat_hash_map<uint32_t, std::optional<Literal>> values_;
};

bool GraphFolder::IsSmall(uint32_t node) const {
  const Shape& shape = graph_.pools().shapes().shape(graph_.record(node).shape);
  if (!shape.is_array() || !shape.is_static()) return false;
  // A literal is row-major, and a constant is laid out as its literal.
  if (shape.layout() != nullptr &&
      !(shape == shape.WithoutLayout().WithDefaultLayout())) {
    return false;
  }
  int64_t elements = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t size = shape.dim(i).size();
    if (size != 0 && elements > options_.max_elements / size) return false;
    elements *= size;
  }
  return elements <= options_.max_elements;
}

bool GraphFolder::MayFold(uint32_t node) {
  const InstructionRecord& r = graph_.record(node);
  return r.operand_count > 0 && WhyNotEvaluated(r.opcode).empty() &&
         IsSmall(node) && !effects_.Of(node) && !graph_.control().Any(node) &&
         absl::c_all_of(graph_.Callees(node),
                        [this](uint32_t c) {
                          return !graph_.at(c).touched && !graph_.at(c).is_new;
                        }) &&
         absl::c_all_of(graph_.Operands(node), [this](uint32_t operand) {
           return graph_.record(operand).opcode == Opcode::kConstant ||
                  values_.contains(operand);
         });
}

const Literal* GraphFolder::ValueOf(uint32_t node) {
  auto [found, is_new] = values_.try_emplace(node);
  if (is_new && graph_.record(node).opcode == Opcode::kConstant) {
    absl::StatusOr<Literal> literal = internal::LiteralOf(graph_, node);
    if (literal.ok()) found->second = *std::move(literal);
  }
  return found->second ? &*found->second : nullptr;
}

std::optional<Literal> GraphFolder::Evaluate(uint32_t node) {
  std::vector<Literal> operands;
  for (const uint32_t operand : graph_.Operands(node)) {
    const Literal* value = ValueOf(operand);
    if (value == nullptr) return std::nullopt;
    operands.push_back(*value);
  }
  std::vector<Computation> callees;
  for (const uint32_t c : graph_.Callees(node)) {
    callees.push_back(graph_.module().computation(static_cast<int>(c)));
  }
  const InstructionRecord& r = graph_.record(node);
  const Shape& shape = graph_.pools().shapes().shape(r.shape);
  OpCall call;
  call.opcode = r.opcode;
  call.operands = operands;
  call.attributes = &graph_.pools().attributes(r.opcode, r.attribute_bytes);
  call.callees = callees;
  call.declared = &shape;
  absl::StatusOr<Literal> value = EvaluateOp(call, options_.limits);
  if (!value.ok() || !SameStructure(value->shape(), shape)) return std::nullopt;
  return *std::move(value);
}

void GraphFolder::Replace(uint32_t node, const Literal& value) {
  InstructionRecord record = graph_.record(node);
  const AttributeBytesView old =
      graph_.pools().attribute_bytes(record.attribute_bytes);
  OwnedAttributeBytes bytes = ConstantBytes(value);
  bool sharded = false;
  const absl::string_view sharding =
      AttributeBytesField(old, kSharding, &sharded);
  if (sharded) bytes = WithField(bytes.view(), kSharding, sharding);
  record.opcode = Opcode::kConstant;
  record.name = NameId();
  record.attribute_bytes =
      graph_.MutablePools().AddAttributeBytes(bytes.view());
  const uint32_t constant = graph_.Add(record, {}, {}, graph_.computation(node),
                                       node, graph_.place(node));
  graph_.ReplaceUses(node, constant);
  graph_.Remove(node);
  values_[constant] = value;
}

// A fusion's body holds nothing that isn't used.
void GraphFolder::EraseUnusedConstants(uint32_t c) {
  for (const uint32_t node : internal::InOrder(&graph_, c)) {
    if (graph_.record(node).opcode == Opcode::kConstant &&
        graph_.at(c).root != node &&
        graph_.uses().first(node) == internal::kNone) {
      graph_.Remove(node);
    }
  }
}

bool GraphFolder::IsFused(uint32_t c) {
  return absl::c_any_of(graph_.CallersOf(c), [this](uint32_t caller) {
    return graph_.record(caller).opcode == Opcode::kFusion;
  });
}

int64_t GraphFolder::Run() {
  int64_t folded = 0;
  const std::vector<uint32_t> order = graph_.computation_order();
  for (const uint32_t c : order) {
    const int64_t before = folded;
    for (const uint32_t node : internal::InOrder(&graph_, c)) {
      if (!MayFold(node)) continue;
      const std::optional<Literal> value = Evaluate(node);
      if (!value) continue;
      Replace(node, *value);
      ++folded;
    }
    if (folded > before && IsFused(c)) EraseUnusedConstants(c);
  }
  return folded;
}

}  // namespace

int64_t FoldConstants(Editor* editor, const FoldOptions& options,
                      Caller caller) {
  EditSession& graph = EditSession::Of(editor);
  if (!graph.CheckOpen("FoldConstants", caller)) return 0;
  return GraphFolder(&graph, options).Run();
}

}  // namespace indim
