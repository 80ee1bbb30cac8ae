// SPDX-License-Identifier: Apache-2.0
// Asynchronous operations: StableHLO's futures are what HLO's starts give.

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/ops/collectives.h"

namespace indim::stablehlo_import {
namespace {

using mlir::AsyncHalves;

// Adds the done of `start`, whose results have the shape `result` as far as
// that is known; nullopt: it is no start.
std::optional<Node> AddDone(HloWriter* writer, Node start, Shape result) {
  const InstructionRecord record = writer->record(start);
  const Shape given = writer->shape(start);
  if (const AsyncHalves* const halves = mlir::FindRow(
          mlir::kAsyncHalves, &AsyncHalves::start, record.opcode)) {
    result = OpImport::Refined(
        result, halves->keeps_operand ? given.elements()[1] : given);
    return writer->Add(halves->done, result, NoAttributes(), {start});
  }
  if (record.opcode != Opcode::kAsyncStart) return std::nullopt;
  result = OpImport::Refined(result, given.elements()[1]);
  // As in XLA, only the start names the computation.
  return writer->Add(Opcode::kAsyncDone, result, AsyncAttributes(), {start});
}

}  // namespace

Node FinishFuture(HloWriter* writer, Node start, const Shape& future) {
  const bool single = future.tuple_size() == 1;
  const std::optional<Node> done =
      AddDone(writer, start, single ? future.elements()[0] : future);
  if (!done.has_value()) return start;
  return single ? writer->Tuple({*done}) : *done;
}

void LowerAsyncStart(OpImport* op) {
  HloWriter& writer = op->writer();
  const uint32_t callee = op->importer().callees()[0];
  const ModuleData& data = writer.data();
  const ComputationRecord& computation = data.computations[callee];
  const InstructionRecord root = data.Record(callee, computation.root);
  const Shape result = writer.pools().shapes().shape(root.shape);
  const Signature signature = writer.SignatureOf(callee);
  if (op->operand_count() != signature.parameters.size()) {
    return op->Error(absl::StrCat("number of operands (", op->operand_count(),
                                  ") must match number of region arguments (",
                                  signature.parameters.size(), ")"));
  }
  for (size_t i = 0; i < op->operand_count(); ++i) {
    if (Compatible(op->operand_shape(i), signature.parameters[i])) continue;
    return op->Error(absl::StrCat("operand type ",
                                  op->operand_shape(i).ToString(), " at index ",
                                  i, " must match the region's argument type"));
  }
  const Shape& future = op->result_shape();
  if (future.tuple_size() == 1 && !Compatible(future.elements()[0], result)) {
    op->Incompatible(result, future.elements()[0]);
    return;
  }
  const bool plain = computation.count == op->operand_count() + 1;
  const AsyncHalves* const halves =
      mlir::FindRow(mlir::kAsyncHalves, &AsyncHalves::whole, root.opcode);
  if (halves != nullptr && plain && op->operand_count() == 1) {
    const Shape shape = halves->keeps_operand
                            ? Shape::Tuple({op->operand_shape(0), result})
                            : result;
    const absl::Span<const uint32_t> callees = data.Callees(root);
    const std::vector<uint32_t> reducer(callees.begin(), callees.end());
    const Node node =
        writer.Add(halves->start, writer.pools().shapes().Intern(shape),
                   root.attribute_bytes, op->operands(), reducer);
    AddCommonAttributes(op, node);
    writer.TakeBack(callee);  // the start says it all
    return op->SetFuture(node);
  }
  if (!plain) {
    // HLO starts one operation, and this one became several: it is done where
    // it is started, and the future is the tuple of what it gives.
    const Node call = op->Emit(Opcode::kCall, result, NoAttributes(),
                               op->operands(), {callee});
    AddCommonAttributes(op, call);
    return op->SetFuture(result.is_tuple() ? call : writer.Tuple({call}));
  }
  std::vector<Shape> operands;
  for (size_t i = 0; i < op->operand_count(); ++i) {
    operands.push_back(op->operand_shape(i));
  }
  const Node node =
      op->Emit(Opcode::kAsyncStart,
               Shape::Tuple({Shape::Tuple(std::move(operands)), result,
                             Shape::Scalar(ElementType::kU32)}),
               AsyncAttributes(), op->operands(), {callee});
  AddCommonAttributes(op, node);
  op->SetFuture(node);
}

void LowerAsyncDone(OpImport* op) {
  const Node start = op->operand(0);
  const std::optional<Node> done =
      AddDone(&op->writer(), start, op->ResultsShape());
  if (done.has_value()) {
    AddCommonAttributes(op, *done);
    return op->SetResults(*done);
  }
  // The function that gave the future has finished it.
  if (op->writer().record(start).opcode == Opcode::kParameter) {
    return op->Error("operand isn't the result of an async_start");
  }
  op->SetResults(start, /*tuple_of_one=*/true);
}

}  // namespace indim::stablehlo_import
