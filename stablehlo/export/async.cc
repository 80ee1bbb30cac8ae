// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/async.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/stablehlo/export/exporters.h"
#include "indim/stablehlo/ops/collectives.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_export {
namespace {

using mlir::AsyncHalves;
using mlir::FindRow;
using mlir::kAsyncHalves;

bool IsStartOrUpdate(Opcode opcode) {
  return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate ||
         FindRow(kAsyncHalves, &AsyncHalves::start, opcode) != nullptr;
}

bool IsUpdateOrDone(Opcode opcode) {
  return opcode == Opcode::kAsyncUpdate || opcode == Opcode::kAsyncDone ||
         FindRow(kAsyncHalves, &AsyncHalves::done, opcode) != nullptr;
}

// Whether the result of a start begins with its operands. `half` tells whether
// `opcode` is the start or the done.
bool KeepsOperands(Opcode AsyncHalves::*half, Opcode opcode) {
  const AsyncHalves* const halves = FindRow(kAsyncHalves, half, opcode);
  return halves == nullptr || halves->keeps_operand;
}

TypeId FutureOf(absl::Span<const TypeId> parts, Ir* ir) {
  mlir::Type future(TypeKind::kFuture);
  future.parts.assign(parts.begin(), parts.end());
  return ir->Intern(std::move(future));
}

// The types of the values that the done of a start gives. A start's shape is
// its operands, its results and contexts; of an all-reduce it is the results.
std::vector<TypeId> DoneTypes(NodeExport* node) {
  const Shape& shape = node->shape();
  if (!KeepsOperands(&AsyncHalves::start, node->opcode()) ||
      !shape.is_tuple() || shape.tuple_size() < 2) {
    return node->writer().types().Leaves(shape);
  }
  return node->writer().types().Leaves(shape.elements()[1]);
}

// Sets the values of a start that was written as the operation itself.
void SetStarted(const std::vector<ValueId>& operands,
                const std::vector<ValueId>& results, NodeExport* node) {
  std::vector<ValueId> values;
  if (KeepsOperands(&AsyncHalves::start, node->opcode())) values = operands;
  values.insert(values.end(), results.begin(), results.end());
  values.resize(node->ResultTypes().size(), MlirWriter::Nothing());
  node->SetResult(std::move(values));
}

// The region of an async_start: `op` on its arguments.
RegionId RegionOf(absl::string_view op, absl::Span<const ValueId> operands,
                  absl::Span<const TypeId> types, NodeExport* node) {
  Ir& ir = node->ir();
  const RegionId region = ir.AddRegion();
  const BlockId block = ir.AddBlock(region);
  const AttrId location = node->writer().locations().Of(node->instruction());
  std::vector<ValueId> arguments;
  for (const ValueId operand : operands) {
    arguments.push_back(
        ir.AddArgument(block, ir.type_of(operand), {}, location));
  }
  Ir::OpParts parts;
  parts.name = ir.Intern(op);
  parts.operands = arguments;
  parts.results = types;
  parts.properties = node->TakeProperties();
  parts.regions = std::exchange(node->regions(), {});
  parts.location = location;
  parts.offset = OffsetOf(node->instruction());
  const OpId inner = ir.AddOp(block, std::move(parts));
  ir.AddOp(block, "stablehlo.return", ir.results(ir.op(inner)), {});
  return region;
}

}  // namespace

void EmitStart(absl::string_view op, NodeExport* node) {
  Ir& ir = node->ir();
  const std::vector<ValueId> operands = node->Operands();
  const std::vector<TypeId> types = DoneTypes(node);
  if (operands.size() == 1 && types.size() == 1 &&
      !node->writer().Escapes(node->instruction())) {
    node->regions() = {RegionOf(op, operands, types, node)};
    const TypeId future = FutureOf(types, &ir);
    node->SetResult(node->Emit("stablehlo.async_start", operands, {future}));
    return;
  }
  if (op == "stablehlo.collective_permute" && operands.size() != 1) {
    node->Refuse("has several operands",
                 "write a collective-permute-start for each");
    return;
  }
  SetStarted(operands, node->Emit(op, operands, types), node);
}

void ExportAsyncStart(NodeExport* node) {
  const std::vector<ValueId> operands = node->Operands();
  const std::vector<TypeId> types = DoneTypes(node);
  if (!node->regions().empty()) {
    const TypeId future = FutureOf(types, &node->ir());
    node->SetResult(node->Emit("stablehlo.async_start", operands, {future}));
    return;
  }
  if (node->instruction().callee_count() != 1) {
    node->Refuse("starts no computation", "give it a computation");
    return;
  }
  node->Set("callee", node->CalleeSymbol());
  SetStarted(operands, node->Emit("func.call", operands, types), node);
}

// Also of a copy-start, whose first part is the copy.
void ExportDone(NodeExport* node) {
  const Instruction start = node->instruction().operand(0);
  const auto values = node->writer().ValuesOf(start);
  Ir& ir = node->ir();
  const auto types = node->ResultTypes();
  if (values.size() == 1 &&
      ir.type(ir.type_of(values[0])).kind == TypeKind::kFuture) {
    node->SetResult(node->Emit("stablehlo.async_done", values, types));
    return;
  }
  size_t first = 0;
  if (KeepsOperands(&AsyncHalves::done, node->opcode()) &&
      node->opcode() != Opcode::kCopyDone && start.shape().is_tuple() &&
      start.shape().tuple_size() > 0) {
    first = LeafCount(start.shape().elements()[0]);
  }
  if (first > values.size() || types.size() > values.size() - first) {
    node->Refuse("isn't the done of its operand", "give it the start");
    return;
  }
  const auto results = values.subspan(first, types.size());
  node->SetResult({results.begin(), results.end()});
}

bool IsAsyncRegion(MlirWriter* writer, const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kAsyncStart ||
      instruction.callee_count() != 1 || instruction.operand_count() != 1 ||
      writer->Escapes(instruction)) {
    return false;
  }
  const Computation callee = instruction.callee(0);
  const Instruction root = callee.root();
  return callee.instruction_count() == 2 && root.operand_count() == 1 &&
         root.shape().is_array() && root.operand(0).shape().is_array() &&
         absl::c_linear_search(mlir::kStartedCollectives, root.opcode());
}

void MarkEscaping(const ModuleData& data, uint32_t c,
                  absl::flat_hash_set<uint32_t>* escaping) {
  const absl::Span<const InstructionRecord> records = data.Instructions(c);
  bool any = false;
  for (const InstructionRecord& r : records) {
    any = any || IsStartOrUpdate(r.opcode);
  }
  if (!any) return;
  const auto mark = [&](uint32_t i) {
    if (IsStartOrUpdate(records[i].opcode)) {
      escaping->insert(data.Position(c, i));
    }
  };
  mark(data.computations[c].root);
  // Users before what they use, so that an update passes it on to its start.
  for (uint32_t i = static_cast<uint32_t>(records.size()); i-- > 0;) {
    const InstructionRecord& r = records[i];
    const bool passes_on = r.opcode == Opcode::kAsyncUpdate &&
                           escaping->contains(data.Position(c, i));
    if (IsUpdateOrDone(r.opcode) && !passes_on) continue;
    for (const uint32_t operand : data.Operands(r)) mark(operand);
  }
}

}  // namespace indim::stablehlo_export
