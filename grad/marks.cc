// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/marks.h"

#include "absl/status/statusor.h"
#include "indim/builder/composites/composite.h"
#include "indim/builder/op_queries.h"
#include "indim/builder/op_settings.h"
#include "indim/grad/tape.h"
#include "indim/ir/gradient_mark.h"

namespace indim {

namespace internal {
namespace {

void MarkCall(const ComputationBuilder& b, const std::vector<Op>& results,
              absl::string_view mark) {
  if (!results.empty()) SetGradientMark(RecorderOf(b), results[0], mark);
}

}  // namespace

void MarkCheckpoint(const ComputationBuilder& b,
                    const std::vector<Op>& results) {
  MarkCall(b, results, kCheckpointMark);
}
void MarkCustom(const ComputationBuilder& b, const std::vector<Op>& results) {
  MarkCall(b, results, kCustomMark);
}
void MarkVjp(const ComputationBuilder& b, const std::vector<Op>& results) {
  MarkCall(b, results, kVjpMark);
}

bool SetGradientMark(Recorder* recorder, Op op, absl::string_view mark) {
  const OpQueries queries(*recorder);
  absl::StatusOr<Opcode> opcode = queries.opcode(op);
  if (mark != kStopMark) {
    if (mark != kCheckpointMark && mark != kCustomMark && mark != kVjpMark) {
      return false;
    }
    if (opcode.ok() && *opcode == Opcode::kGetTupleElement) {
      op = (*queries.operands(op))[0];
      opcode = queries.opcode(op);
    }
    if (!opcode.ok() || *opcode != Opcode::kCall) return false;
  }
  OpSettings(recorder).SetFrontendAttribute(op, kGradientMark, mark, Caller());
  return true;
}

std::vector<Op> DifferentiableOps(ComputationBuilder& b, std::vector<Op> ops) {
  std::vector<Op> some;
  for (const Op op : ops) {
    if (IsDifferentiable(ShapeIn(b, op))) some.push_back(op);
  }
  return some;
}

std::vector<Op> WithCotangents(ComputationBuilder& b, std::vector<Op> ops,
                               absl::Span<const Op> cotangents) {
  for (Op& op : ops) {
    if (cotangents.empty() || !IsDifferentiable(ShapeIn(b, op))) continue;
    op = cotangents.front();
    cotangents.remove_prefix(1);
  }
  return ops;
}

}  // namespace internal

// A convert, since all formats keep it.
Op StopGradient(Op x, Caller caller) {
  internal::Composite c("StopGradient", {x}, caller);
  if (!c.Elements(0, TypeMask::kArray)) return c.failed();
  const Op stopped = c.b().ConvertElementType(x, c.type(0));
  internal::SetGradientMark(RecorderOf(c.b()), stopped, internal::kStopMark);
  return c.Done(stopped);
}

}  // namespace indim
