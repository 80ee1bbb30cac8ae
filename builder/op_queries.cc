// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/op_queries.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/codec/literal_proto.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::internal {

absl::StatusOr<Shape> OpQueries::shape(Op op) const {
  if (const Shape* shape = recorder_.ShapeOf(op)) return *shape;
  if (recorder_.is_none()) return recorder_.Failure(1);
  const OpenComputations& open = recorder_.open();
  const OpState op_state = open.StateOf(op);
  const bool is_own =
      op_state == OpState::kGood || op_state == OpState::kPoisoned;
  if (recorder_.built() && is_own) {
    return ErrorWithCode(
        absl::StatusCode::kInvalidArgument, Code::kUsedAfterBuild,
        "shape: the computation was built before; its module has the shape");
  }
  if (is_own) {
    Snapshots snapshots = recorder_.snapshots();
    const std::optional<CallDiagnostic> d = recorder_.log().About(
        open.DepthOf(*open.FrameOf(op)), OpAccess::Node(op), &snapshots);
    if (d) return ErrorOf(absl::StatusCode::kInvalidArgument, *d, d->text);
    return absl::InvalidArgumentError("shape: the op is of a failed call");
  }
  DiagnosticSubject subject;
  subject.op = "shape";
  const Diagnostic misuse = MisuseOf(recorder_, op, 0);
  return ErrorWithCode(absl::StatusCode::kInvalidArgument, misuse.code,
                       FormatMessage(misuse, subject));
}

const Attributes* OpQueries::attributes(Op op) const {
  if (recorder_.ShapeOf(op) == nullptr) return nullptr;
  const InstructionRecord& record =
      recorder_.open().FrameOf(op)->instructions[OpAccess::Node(op)];
  return &recorder_.family()->pools().attributes(record.opcode,
                                                 record.attribute_bytes);
}

absl::StatusOr<Opcode> OpQueries::opcode(Op op) const {
  if (recorder_.ShapeOf(op) == nullptr) return shape(op).status();
  return recorder_.open().FrameOf(op)->instructions[OpAccess::Node(op)].opcode;
}

absl::StatusOr<std::vector<Op>> OpQueries::operands(Op op) const {
  if (recorder_.ShapeOf(op) == nullptr) return shape(op).status();
  const Frame& frame = *recorder_.open().FrameOf(op);
  const InstructionRecord& record = frame.instructions[OpAccess::Node(op)];
  std::vector<Op> operands;
  for (uint32_t i = 0; i < record.operand_count; ++i) {
    operands.push_back(OpenComputations::OpIn(
        frame, frame.operands[record.first_operand + i]));
  }
  return operands;
}

absl::StatusOr<Literal> OpQueries::literal(Op op) const {
  if (recorder_.ShapeOf(op) == nullptr) return shape(op).status();
  const InstructionRecord& record =
      recorder_.open().FrameOf(op)->instructions[OpAccess::Node(op)];
  if (record.opcode != Opcode::kConstant) {
    return absl::InvalidArgumentError(
        absl::StrCat("literal: ", Describe(recorder_, op), " is no constant"));
  }
  const Pools& pools = recorder_.family()->pools();
  return ParseLiteralProto(
      AttributeBytesField(pools.attribute_bytes(record.attribute_bytes),
                          field::HloInstructionProto::kLiteral),
      pools.external_files());
}

}  // namespace indim::internal
