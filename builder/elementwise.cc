// Elementwise operations of ComputationBuilder that need more than an opcode.

#include <memory>
#include <utility>

#include "indim/builder/computation_builder.h"
#include "indim/builder/elementwise_ops.h"
#include "indim/builder/recorder.h"

namespace indim {
namespace internal {

void RecorderDeleter::operator()(Recorder* recorder) const {
  if (!recorder->is_none()) delete recorder;
}

RecorderHolder::RecorderHolder(RecorderHandle recorder)
    : recorder_(std::move(recorder)) {}
RecorderHolder::~RecorderHolder() = default;
RecorderHolder::RecorderHolder(RecorderHolder&& other) noexcept
    : recorder_(
          std::exchange(other.recorder_, RecorderHandle(&Recorder::None()))) {}
RecorderHolder& RecorderHolder::operator=(RecorderHolder&& other) noexcept {
  recorder_ = std::exchange(other.recorder_, RecorderHandle(&Recorder::None()));
  return *this;
}

}  // namespace internal

Op ElementwiseOps::Unary(Opcode opcode, Op operand, Caller caller) {
  return recorder_->Unary(opcode, operand, caller);
}
Op ElementwiseOps::Binary(Opcode opcode, const Operand& lhs, const Operand& rhs,
                          const BroadcastArg& broadcast, Caller caller) {
  return recorder_->Binary(opcode, lhs, rhs, broadcast.spec(), caller);
}
Op ElementwiseOps::Compare(const Operand& lhs, const Operand& rhs,
                           ComparisonDirection direction,
                           const BroadcastArg& broadcast_dimensions,
                           ComparisonType type, Caller caller) {
  return recorder_->Compare(
      lhs, rhs, {direction, type, broadcast_dimensions.spec()}, caller);
}

Op ElementwiseOps::ReducePrecision(Op operand, int exponent_bits,
                                   int mantissa_bits, Caller caller) {
  const Attributes attributes =
      ReducePrecisionAttributes{exponent_bits, mantissa_bits};
  return recorder_->Record({Opcode::kReducePrecision, {operand}, &attributes},
                           caller);
}
namespace {

// A computation that returns its parameter.
Callee Identity(const Shape& shape) {
  ComputationBuilder b("identity");
  b.set_record_locations(false);
  return b.Build(b.Parameter(0, shape));
}

}  // namespace

Op ElementwiseOps::Select(Op pred, const Operand& on_true,
                          const Operand& on_false, Caller caller) {
  Op values[2], failed;
  if (!recorder_->MakeScalars(Opcode::kSelect, {on_true, on_false}, 0, caller,
                              values, &failed)) {
    return failed;
  }
  const Op operands[] = {pred, values[0], values[1]};
  const Shape* a = recorder_->ShapeOf(values[0]);
  const Shape* b = recorder_->ShapeOf(values[1]);
  if (a != nullptr && b != nullptr && a->is_tuple() && b->is_tuple()) {
    const Callee branches[] = {Identity(*a), Identity(*b)};
    return recorder_->Record(
        {Opcode::kConditional, operands, nullptr, nullptr, branches}, caller);
  }
  return recorder_->Record({Opcode::kSelect, operands}, caller);
}
Op ElementwiseOps::Clamp(const Operand& min, const Operand& operand,
                         const Operand& max, Caller caller) {
  Op operands[3], failed;
  if (!recorder_->MakeScalars(Opcode::kClamp, {min, operand, max}, 1, caller,
                              operands, &failed)) {
    return failed;
  }
  return recorder_->Record({Opcode::kClamp, operands}, caller);
}
Op ElementwiseOps::Map(absl::Span<const Op> operands, const Callee& computation,
                       absl::Span<const int64_t> dimensions, Caller caller) {
  const Attributes attributes =
      DimensionsAttributes{DimIndices(dimensions.begin(), dimensions.end())};
  return recorder_->Record({Opcode::kMap, operands, &attributes, nullptr,
                            absl::MakeConstSpan(&computation, 1)},
                           caller);
}

}  // namespace indim
