// Elementwise ops of ComputationBuilder: one line of opcode each.

#include "indim/builder/computation_builder.h"
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

Op ComputationBuilder::Add(Op lhs, Op rhs,
                           const BroadcastArg& broadcast_dimensions,
                           Caller caller) {
  return Binary(recorder_.get(), Opcode::kAdd, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ComputationBuilder::Max(Op lhs, Op rhs,
                           const BroadcastArg& broadcast_dimensions,
                           Caller caller) {
  return Binary(recorder_.get(), Opcode::kMaximum, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ComputationBuilder::Min(Op lhs, Op rhs,
                           const BroadcastArg& broadcast_dimensions,
                           Caller caller) {
  return Binary(recorder_.get(), Opcode::kMinimum, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ComputationBuilder::Mul(Op lhs, Op rhs,
                           const BroadcastArg& broadcast_dimensions,
                           Caller caller) {
  return Binary(recorder_.get(), Opcode::kMultiply, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ComputationBuilder::Mulhi(Op lhs, Op rhs,
                             const BroadcastArg& broadcast_dimensions,
                             Caller caller) {
  return Binary(recorder_.get(), Opcode::kMulhi, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ComputationBuilder::Sub(Op lhs, Op rhs,
                           const BroadcastArg& broadcast_dimensions,
                           Caller caller) {
  return Binary(recorder_.get(), Opcode::kSubtract, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ComputationBuilder::Div(Op lhs, Op rhs,
                           const BroadcastArg& broadcast_dimensions,
                           Caller caller) {
  return Binary(recorder_.get(), Opcode::kDivide, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ComputationBuilder::Rem(Op lhs, Op rhs,
                           const BroadcastArg& broadcast_dimensions,
                           Caller caller) {
  return Binary(recorder_.get(), Opcode::kRemainder, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ComputationBuilder::Pow(Op lhs, Op rhs,
                           const BroadcastArg& broadcast_dimensions,
                           Caller caller) {
  return Binary(recorder_.get(), Opcode::kPower, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ComputationBuilder::Atan2(Op lhs, Op rhs,
                             const BroadcastArg& broadcast_dimensions,
                             Caller caller) {
  return Binary(recorder_.get(), Opcode::kAtan2, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ComputationBuilder::And(Op lhs, Op rhs,
                           const BroadcastArg& broadcast_dimensions,
                           Caller caller) {
  return Binary(recorder_.get(), Opcode::kAnd, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ComputationBuilder::Or(Op lhs, Op rhs,
                          const BroadcastArg& broadcast_dimensions,
                          Caller caller) {
  return Binary(recorder_.get(), Opcode::kOr, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ComputationBuilder::Xor(Op lhs, Op rhs,
                           const BroadcastArg& broadcast_dimensions,
                           Caller caller) {
  return Binary(recorder_.get(), Opcode::kXor, lhs, rhs, broadcast_dimensions,
                caller);
}
Op ComputationBuilder::ShiftLeft(Op lhs, Op rhs,
                                 const BroadcastArg& broadcast_dimensions,
                                 Caller caller) {
  return Binary(recorder_.get(), Opcode::kShiftLeft, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ComputationBuilder::ShiftRightArithmetic(
    Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions, Caller caller) {
  return Binary(recorder_.get(), Opcode::kShiftRightArithmetic, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ComputationBuilder::ShiftRightLogical(
    Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions, Caller caller) {
  return Binary(recorder_.get(), Opcode::kShiftRightLogical, lhs, rhs,
                broadcast_dimensions, caller);
}
Op ComputationBuilder::Complex(Op lhs, Op rhs,
                               const BroadcastArg& broadcast_dimensions,
                               Caller caller) {
  return Binary(recorder_.get(), Opcode::kComplex, lhs, rhs,
                broadcast_dimensions, caller);
}

Op ComputationBuilder::Eq(Op lhs, Op rhs,
                          const BroadcastArg& broadcast_dimensions,
                          Caller caller) {
  return Compare(lhs, rhs, ComparisonDirection::kEq, broadcast_dimensions,
                 ComparisonType::kDefault, caller);
}
Op ComputationBuilder::Ne(Op lhs, Op rhs,
                          const BroadcastArg& broadcast_dimensions,
                          Caller caller) {
  return Compare(lhs, rhs, ComparisonDirection::kNe, broadcast_dimensions,
                 ComparisonType::kDefault, caller);
}
Op ComputationBuilder::Ge(Op lhs, Op rhs,
                          const BroadcastArg& broadcast_dimensions,
                          Caller caller) {
  return Compare(lhs, rhs, ComparisonDirection::kGe, broadcast_dimensions,
                 ComparisonType::kDefault, caller);
}
Op ComputationBuilder::Gt(Op lhs, Op rhs,
                          const BroadcastArg& broadcast_dimensions,
                          Caller caller) {
  return Compare(lhs, rhs, ComparisonDirection::kGt, broadcast_dimensions,
                 ComparisonType::kDefault, caller);
}
Op ComputationBuilder::Le(Op lhs, Op rhs,
                          const BroadcastArg& broadcast_dimensions,
                          Caller caller) {
  return Compare(lhs, rhs, ComparisonDirection::kLe, broadcast_dimensions,
                 ComparisonType::kDefault, caller);
}
Op ComputationBuilder::Lt(Op lhs, Op rhs,
                          const BroadcastArg& broadcast_dimensions,
                          Caller caller) {
  return Compare(lhs, rhs, ComparisonDirection::kLt, broadcast_dimensions,
                 ComparisonType::kDefault, caller);
}
Op ComputationBuilder::Compare(Op lhs, Op rhs, ComparisonDirection direction,
                               const BroadcastArg& broadcast_dimensions,
                               ComparisonType type, Caller caller) {
  return Comparison(recorder_.get(), lhs, rhs, direction, broadcast_dimensions,
                    type, caller);
}

Op ComputationBuilder::Abs(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kAbs, operand, caller);
}
Op ComputationBuilder::Sign(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kSign, operand, caller);
}
Op ComputationBuilder::Acos(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kAcos, operand, caller);
}
Op ComputationBuilder::Acosh(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kAcosh, operand, caller);
}
Op ComputationBuilder::Asin(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kAsin, operand, caller);
}
Op ComputationBuilder::Asinh(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kAsinh, operand, caller);
}
Op ComputationBuilder::Atanh(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kAtanh, operand, caller);
}
Op ComputationBuilder::Cos(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kCos, operand, caller);
}
Op ComputationBuilder::Cosh(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kCosh, operand, caller);
}
Op ComputationBuilder::Exp(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kExp, operand, caller);
}
Op ComputationBuilder::Expm1(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kExpm1, operand, caller);
}
Op ComputationBuilder::Log(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kLog, operand, caller);
}
Op ComputationBuilder::Log1p(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kLog1p, operand, caller);
}
Op ComputationBuilder::Logistic(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kLogistic, operand, caller);
}
Op ComputationBuilder::Rsqrt(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kRsqrt, operand, caller);
}
Op ComputationBuilder::Sin(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kSin, operand, caller);
}
Op ComputationBuilder::Sinh(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kSinh, operand, caller);
}
Op ComputationBuilder::Sqrt(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kSqrt, operand, caller);
}
Op ComputationBuilder::Tan(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kTan, operand, caller);
}
Op ComputationBuilder::Tanh(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kTanh, operand, caller);
}
Op ComputationBuilder::Real(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kReal, operand, caller);
}
Op ComputationBuilder::Imag(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kImag, operand, caller);
}
Op ComputationBuilder::Cbrt(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kCbrt, operand, caller);
}
Op ComputationBuilder::Ceil(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kCeil, operand, caller);
}
Op ComputationBuilder::Erf(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kErf, operand, caller);
}
Op ComputationBuilder::Floor(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kFloor, operand, caller);
}
Op ComputationBuilder::RoundNearestEven(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kRoundNearestEven, operand, caller);
}
Op ComputationBuilder::IsFinite(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kIsFinite, operand, caller);
}
Op ComputationBuilder::Not(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kNot, operand, caller);
}
Op ComputationBuilder::Clz(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kClz, operand, caller);
}
Op ComputationBuilder::PopulationCount(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kPopulationCount, operand, caller);
}
Op ComputationBuilder::Copy(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kCopy, operand, caller);
}
Op ComputationBuilder::Neg(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kNegate, operand, caller);
}
Op ComputationBuilder::Round(Op operand, Caller caller) {
  return Unary(recorder_.get(), Opcode::kRoundNearestAfz, operand, caller);
}

Op ComputationBuilder::ReducePrecision(Op operand, int exponent_bits,
                                       int mantissa_bits, Caller caller) {
  const Attributes attributes =
      ReducePrecisionAttributes{exponent_bits, mantissa_bits};
  return internal::OrNothing(recorder_.get(),
                             {Opcode::kReducePrecision, {operand}, &attributes},
                             caller);
}
Op ComputationBuilder::Select(Op pred, Op on_true, Op on_false, Caller caller) {
  return internal::OrNothing(
      recorder_.get(), {Opcode::kSelect, {pred, on_true, on_false}}, caller);
}
Op ComputationBuilder::Clamp(Op min, Op operand, Op max, Caller caller) {
  return internal::OrNothing(recorder_.get(),
                             {Opcode::kClamp, {min, operand, max}}, caller);
}
Op ComputationBuilder::Map(absl::Span<const Op> operands,
                           const Callee& computation,
                           absl::Span<const int64_t> dimensions,
                           Caller caller) {
  const Attributes attributes =
      DimensionsAttributes{DimIndices(dimensions.begin(), dimensions.end())};
  return internal::OrNothing(recorder_.get(),
                             {Opcode::kMap, operands, &attributes, nullptr,
                              absl::MakeConstSpan(&computation, 1)},
                             caller);
}

}  // namespace indim
