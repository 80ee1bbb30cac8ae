// Elementwise ops of ComputationBuilder: one line of opcode each.

#include <memory>
#include <utility>

#include "indim/builder/computation_builder.h"
#include "indim/builder/elementwise_ops.h"
#include "indim/builder/recorder.h"

namespace indim {
namespace {

Op Unary(internal::Recorder* recorder, Opcode opcode, Op operand,
         Caller caller) {
  return recorder == nullptr ? Op() : recorder->Unary(opcode, operand, caller);
}

Op Binary(internal::Recorder* recorder, Opcode opcode, Op lhs, Op rhs,
          const BroadcastArg& broadcast, Caller caller) {
  return recorder == nullptr
             ? Op()
             : recorder->Binary(opcode, lhs, rhs, broadcast.spec(), caller);
}

Op Comparison(internal::Recorder* recorder, Op lhs, Op rhs,
              ComparisonDirection direction, const BroadcastArg& broadcast,
              ComparisonType type, Caller caller) {
  return recorder == nullptr
             ? Op()
             : recorder->Compare(lhs, rhs, {direction, type, broadcast.spec()},
                                 caller);
}

}  // namespace

namespace internal {

RecorderHolder::RecorderHolder(std::unique_ptr<Recorder> recorder)
    : recorder_(std::move(recorder)) {}
RecorderHolder::~RecorderHolder() = default;
RecorderHolder::RecorderHolder(RecorderHolder&&) noexcept = default;
RecorderHolder& RecorderHolder::operator=(RecorderHolder&&) noexcept = default;

}  // namespace internal

Op ElementwiseOps::Add(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                       Caller caller) {
  return Binary(recorder_.get(), Opcode::kAdd, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ElementwiseOps::Max(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                       Caller caller) {
  return Binary(recorder_.get(), Opcode::kMaximum, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ElementwiseOps::Min(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                       Caller caller) {
  return Binary(recorder_.get(), Opcode::kMinimum, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ElementwiseOps::Mul(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                       Caller caller) {
  return Binary(recorder_.get(), Opcode::kMultiply, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ElementwiseOps::Mulhi(Op lhs, Op rhs,
                         const BroadcastArg& broadcast_dimensions,
                         Caller caller) {
  return Binary(recorder_.get(), Opcode::kMulhi, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ElementwiseOps::Sub(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                       Caller caller) {
  return Binary(recorder_.get(), Opcode::kSubtract, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ElementwiseOps::Div(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                       Caller caller) {
  return Binary(recorder_.get(), Opcode::kDivide, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ElementwiseOps::Rem(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                       Caller caller) {
  return Binary(recorder_.get(), Opcode::kRemainder, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ElementwiseOps::Pow(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                       Caller caller) {
  return Binary(recorder_.get(), Opcode::kPower, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ElementwiseOps::Atan2(Op lhs, Op rhs,
                         const BroadcastArg& broadcast_dimensions,
                         Caller caller) {
  return Binary(recorder_.get(), Opcode::kAtan2, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ElementwiseOps::And(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                       Caller caller) {
  return Binary(recorder_.get(), Opcode::kAnd, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ElementwiseOps::Or(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                      Caller caller) {
  return Binary(recorder_.get(), Opcode::kOr, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ElementwiseOps::Xor(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                       Caller caller) {
  return Binary(recorder_.get(), Opcode::kXor, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ElementwiseOps::ShiftLeft(Op lhs, Op rhs,
                             const BroadcastArg& broadcast_dimensions,
                             Caller caller) {
  return Binary(recorder_.get(), Opcode::kShiftLeft, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ElementwiseOps::ShiftRightArithmetic(
    Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions, Caller caller) {
  return Binary(recorder_.get(), Opcode::kShiftRightArithmetic, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ElementwiseOps::ShiftRightLogical(Op lhs, Op rhs,
                                     const BroadcastArg& broadcast_dimensions,
                                     Caller caller) {
  return Binary(recorder_.get(), Opcode::kShiftRightLogical, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ElementwiseOps::Complex(Op lhs, Op rhs,
                           const BroadcastArg& broadcast_dimensions,
                           Caller caller) {
  return Binary(recorder_.get(), Opcode::kComplex, lhs, rhs,
                broadcast_dimensions, caller);
}

Op ElementwiseOps::Eq(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                      Caller caller) {
  return Compare(lhs, rhs, ComparisonDirection::kEq, broadcast_dimensions,
                 ComparisonType::kDefault, caller);
}
Op ElementwiseOps::Ne(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                      Caller caller) {
  return Compare(lhs, rhs, ComparisonDirection::kNe, broadcast_dimensions,
                 ComparisonType::kDefault, caller);
}
Op ElementwiseOps::Ge(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                      Caller caller) {
  return Compare(lhs, rhs, ComparisonDirection::kGe, broadcast_dimensions,
                 ComparisonType::kDefault, caller);
}
Op ElementwiseOps::Gt(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                      Caller caller) {
  return Compare(lhs, rhs, ComparisonDirection::kGt, broadcast_dimensions,
                 ComparisonType::kDefault, caller);
}
Op ElementwiseOps::Le(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                      Caller caller) {
  return Compare(lhs, rhs, ComparisonDirection::kLe, broadcast_dimensions,
                 ComparisonType::kDefault, caller);
}
Op ElementwiseOps::Lt(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions,
                      Caller caller) {
  return Compare(lhs, rhs, ComparisonDirection::kLt, broadcast_dimensions,
                 ComparisonType::kDefault, caller);
}
Op ElementwiseOps::Compare(Op lhs, Op rhs, ComparisonDirection direction,
                           const BroadcastArg& broadcast_dimensions,
                           ComparisonType type, Caller caller) {
  return Comparison(recorder_.get(), lhs, rhs, direction, broadcast_dimensions,
                    type, caller);
}

Op ElementwiseOps::Abs(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kAbs, operand, caller);
}
Op ElementwiseOps::Sign(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kSign, operand, caller);
}
Op ElementwiseOps::Acos(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kAcos, operand, caller);
}
Op ElementwiseOps::Acosh(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kAcosh, operand, caller);
}
Op ElementwiseOps::Asin(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kAsin, operand, caller);
}
Op ElementwiseOps::Asinh(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kAsinh, operand, caller);
}
Op ElementwiseOps::Atanh(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kAtanh, operand, caller);
}
Op ElementwiseOps::Cos(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kCos, operand, caller);
}
Op ElementwiseOps::Cosh(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kCosh, operand, caller);
}
Op ElementwiseOps::Exp(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kExp, operand, caller);
}
Op ElementwiseOps::Expm1(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kExpm1, operand, caller);
}
Op ElementwiseOps::Log(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kLog, operand, caller);
}
Op ElementwiseOps::Log1p(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kLog1p, operand, caller);
}
Op ElementwiseOps::Logistic(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kLogistic, operand, caller);
}
Op ElementwiseOps::Rsqrt(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kRsqrt, operand, caller);
}
Op ElementwiseOps::Sin(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kSin, operand, caller);
}
Op ElementwiseOps::Sinh(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kSinh, operand, caller);
}
Op ElementwiseOps::Sqrt(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kSqrt, operand, caller);
}
Op ElementwiseOps::Tan(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kTan, operand, caller);
}
Op ElementwiseOps::Tanh(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kTanh, operand, caller);
}
Op ElementwiseOps::Real(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kReal, operand, caller);
}
Op ElementwiseOps::Imag(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kImag, operand, caller);
}
Op ElementwiseOps::Cbrt(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kCbrt, operand, caller);
}
Op ElementwiseOps::Ceil(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kCeil, operand, caller);
}
Op ElementwiseOps::Erf(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kErf, operand, caller);
}
Op ElementwiseOps::Floor(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kFloor, operand, caller);
}
Op ElementwiseOps::RoundNearestEven(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kRoundNearestEven, operand, caller);
}
Op ElementwiseOps::IsFinite(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kIsFinite, operand, caller);
}
Op ElementwiseOps::Not(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kNot, operand, caller);
}
Op ElementwiseOps::Clz(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kClz, operand, caller);
}
Op ElementwiseOps::PopulationCount(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kPopulationCount, operand, caller);
}
Op ElementwiseOps::Copy(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kCopy, operand, caller);
}
Op ElementwiseOps::Neg(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kNegate, operand, caller);
}
Op ElementwiseOps::Round(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kRoundNearestAfz, operand, caller);
}

Op ElementwiseOps::ReducePrecision(Op operand, int exponent_bits,
                                   int mantissa_bits, Caller caller) {
  const Attributes attributes =
      ReducePrecisionAttributes{exponent_bits, mantissa_bits};
  return internal::OrNothing(recorder_.get(),
                             {Opcode::kReducePrecision, {operand}, &attributes},
                             caller);
}
namespace {

// A computation that returns what it is given.
Callee Identity(const Shape& shape) {
  ComputationBuilder b("identity");
  b.set_record_locations(false);
  return b.Build(b.Parameter(0, shape));
}

}  // namespace

Op ElementwiseOps::Select(Op pred, Op on_true, Op on_false, Caller caller) {
  if (recorder_ == nullptr) return Op();
  const Shape* a = recorder_->ShapeOf(on_true);
  const Shape* b = recorder_->ShapeOf(on_false);
  const Op operands[] = {pred, on_true, on_false};
  if (a != nullptr && b != nullptr && a->is_tuple() && b->is_tuple()) {
    const Callee branches[] = {Identity(*a), Identity(*b)};
    return recorder_->Record(
        {Opcode::kConditional, operands, nullptr, nullptr, branches}, caller);
  }
  return recorder_->Record({Opcode::kSelect, operands}, caller);
}
Op ElementwiseOps::Clamp(Op min, Op operand, Op max, Caller caller) {
  return internal::OrNothing(recorder_.get(),
                             {Opcode::kClamp, {min, operand, max}}, caller);
}
Op ElementwiseOps::Map(absl::Span<const Op> operands, const Callee& computation,
                       absl::Span<const int64_t> dimensions, Caller caller) {
  const Attributes attributes =
      DimensionsAttributes{DimIndices(dimensions.begin(), dimensions.end())};
  return internal::OrNothing(recorder_.get(),
                             {Opcode::kMap, operands, &attributes, nullptr,
                              absl::MakeConstSpan(&computation, 1)},
                             caller);
}

}  // namespace indim
