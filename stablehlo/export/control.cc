// SPDX-License-Identifier: Apache-2.0
// Writes calls, control flow, tuples and custom calls.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "indim/ir/module_access.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/types/leaf_range.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/stablehlo/export/custom_call.h"
#include "indim/stablehlo/export/exporters.h"
#include "indim/stablehlo/export/loop_captures.h"

namespace indim::stablehlo_export {
namespace {

// func.call of the callee, on the values of its arguments.
void EmitCall(NodeExport* node) {
  if (node->instruction().callee_count() != 1) {
    node->Refuse("calls no computation", "give it a computation");
    return;
  }
  const std::vector<ValueId> arguments =
      node->Operands(0, internal::ArgumentCount(node->instruction()));
  node->Set("callee", node->CalleeSymbol());
  node->EmitResult("func.call", arguments);
}

}  // namespace

void ExportCall(NodeExport* node) {
  if (node->fields().Number(field::HloInstructionProto::kIsComposite) != 0) {
    return ExportComposite(node);
  }
  EmitCall(node);
}

void ExportFusion(NodeExport* node) { EmitCall(node); }

void ExportWhile(NodeExport* node) {
  // The callees are body and condition, the regions condition and body.
  std::vector<RegionId>& regions = node->regions();
  if (regions.size() == 2) std::swap(regions[0], regions[1]);
  const std::vector<bool> captures = LoopCaptures(node->instruction());
  if (captures.empty()) return ExportPlain(node);
  const std::vector<ValueId> operands = node->Operands();
  const auto leaves = node->ResultTypes();
  const std::vector<TypeId> types(leaves.begin(), leaves.end());
  node->LeaveOut(captures);
  const std::vector<ValueId> kept =
      node->Emit("stablehlo.while", WithoutCaptures(operands, captures),
                 WithoutCaptures(types, captures));
  std::vector<ValueId> results;
  size_t next = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    results.push_back(captures[i] ? operands[i] : kept[next++]);
  }
  node->SetResult(std::move(results));
}

// The branches have no arguments: they use the values of their operand.
void ExportConditional(NodeExport* node) {
  const bool pred = node->instruction().operand(0).shape().element_type() ==
                    ElementType::kPred;
  const std::vector<ValueId> selector = node->Operands(0, 1);
  node->EmitResult(pred ? "stablehlo.if" : "stablehlo.case", selector);
}

void ExportTuple(NodeExport* node) { node->SetResult(node->Operands()); }

void ExportGetTupleElement(NodeExport* node) {
  const Shape& tuple = node->instruction().operand(0).shape();
  const int64_t index = node->As<GetTupleElementAttributes>().index;
  const absl::Span<const ValueId> leaves =
      node->writer().ValuesOf(node->instruction().operand(0));
  const size_t first = LeavesAt(tuple, {index}).first;
  const size_t count = LeafCount(node->shape());
  if (first > leaves.size() || count > leaves.size() - first) {
    node->Refuse("takes a part of the start of an asynchronous operation",
                 "take it from the done");
    return;
  }
  const auto part = leaves.subspan(first, count);
  node->SetResult({part.begin(), part.end()});
}

void ExportAddDependency(NodeExport* node) {
  const std::vector<ValueId> operands = node->Operands();
  std::vector<ValueId> values =
      node->Emit("stablehlo.optimization_barrier", operands,
                 node->ir().types_of(operands));
  if (!values.empty()) values.pop_back();
  node->SetResult(std::move(values));
}

// Its result is the copy, the operand and a context.
void ExportCopyStart(NodeExport* node) {
  std::vector<ValueId> values = node->Operands();
  const std::vector<ValueId> copy = values;
  values.insert(values.end(), copy.begin(), copy.end());
  values.push_back(MlirWriter::Nothing());
  node->SetResult(std::move(values));
}

}  // namespace indim::stablehlo_export
