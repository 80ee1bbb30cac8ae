// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/marks.h"

#include <cstddef>
#include <iterator>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/composites/composite.h"
#include "indim/builder/op_queries.h"
#include "indim/builder/op_settings.h"
#include "indim/grad/tape.h"
#include "indim/ir/gradient_mark.h"

namespace indim {

namespace internal {

void MarkCheckpoint(const ComputationBuilder& b,
                    const std::vector<Op>& results) {
  if (!results.empty()) {
    SetGradientMark(RecorderOf(b), results[0], kCheckpointMark);
  }
}
void MarkCustom(const ComputationBuilder& b, const std::vector<Op>& results) {
  if (!results.empty()) SetGradientMark(RecorderOf(b), results[0], kCustomMark);
}
bool SetGradientMark(Recorder* recorder, Op op, absl::string_view mark) {
  const OpQueries queries(*recorder);
  absl::StatusOr<Opcode> opcode = queries.opcode(op);
  if (mark != kStopMark) {
    if (GradientMarkNamed(mark) == GradientMark::kUnknown) return false;
    if (opcode.ok() && *opcode == Opcode::kGetTupleElement) {
      op = (*queries.operands(op))[0];
      opcode = queries.opcode(op);
    }
    if (!opcode.ok() || *opcode != Opcode::kCall) return false;
  }
  OpSettings(recorder).SetFrontendAttribute(op, kGradientMark, mark, Caller());
  return true;
}

void RecordRule(
    ComputationBuilder& b, absl::string_view name, bool is_jvp,
    const std::vector<Op>& of,
    const std::function<std::vector<Op>(const std::vector<Op>&)>& linear,
    Caller caller) {
  const auto is_float = [&](Op op) { return IsDifferentiable(ShapeIn(b, op)); };
  // The values themselves stand for their tangents.
  std::vector<Op> stand_ins;
  absl::c_copy_if(of, std::back_inserter(stand_ins), is_float);
  const std::vector<Op> results = b.Call(
      absl::StrCat(name, is_jvp ? "_jvp" : "_vjp"), stand_ins,
      [&](const std::vector<Op>& tangents) {
        std::vector<Op> all = of;
        size_t next = 0;
        for (Op& op : all) {
          if (is_float(op) && next < tangents.size()) op = tangents[next++];
        }
        return linear(all);
      },
      caller);
  if (results.empty()) return;
  // Values from outside are operands of the call too, behind these.
  SetGradientMark(RecorderOf(b), results[0],
                  is_jvp ? absl::StrCat(kJvpMark, ":", stand_ins.size())
                         : std::string(kVjpMark));
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
