// The elementwise operations of ComputationBuilder, and what all groups of its
// operations stand on.

#ifndef INDIM_BUILDER_ELEMENTWISE_OPS_H_
#define INDIM_BUILDER_ELEMENTWISE_OPS_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/op.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

namespace internal {

// Holds what a builder records. Null when the builder was moved away: calls
// then do nothing and return default Ops.
class RecorderHolder {
 protected:
  explicit RecorderHolder(std::unique_ptr<Recorder> recorder);
  ~RecorderHolder();
  RecorderHolder(RecorderHolder&&) noexcept;
  RecorderHolder& operator=(RecorderHolder&&) noexcept;

  std::unique_ptr<Recorder> recorder_;
};

}  // namespace internal

// A part of ComputationBuilder (computation_builder.h), whose comment tells
// what holds for every call.
class ElementwiseOps : public internal::RecorderHolder {
 public:
  // --- Elementwise, two operands ---------------------------------------------
  // Both arrays of one element type, or of two float types: then the result has
  // the more general one. Ranks must be equal, or one operand a scalar, or
  // broadcast_dimensions given: broadcast_dimensions[i] is the dim of the
  // operand of higher rank that dim i of the other one is matched with. Then
  // dims of size 1 stretch. The rules, and others than XLA's, are in
  // shape/broadcast/broadcast.h. Errors: IND0001..IND0032 about broadcasting,
  // IND0102 and IND0103 about types. Source: XLA, InferBinaryOpShape.

  // Any element type; of pred: or, or, and.
  Op Add(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kAdd, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Max(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kMaximum, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Min(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kMinimum, lhs, rhs, broadcast_dimensions, caller);
  }
  // Any element type; of pred: and.
  Op Mul(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kMultiply, lhs, rhs, broadcast_dimensions, caller);
  }
  // The high half of the product of integers.
  Op Mulhi(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
           Caller caller = Caller::Here()) {
    return Binary(Opcode::kMulhi, lhs, rhs, broadcast_dimensions, caller);
  }
  // Anything but pred.
  Op Sub(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kSubtract, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Div(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kDivide, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Rem(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kRemainder, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Pow(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kPower, lhs, rhs, broadcast_dimensions, caller);
  }
  // Floats and complex.
  Op Atan2(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
           Caller caller = Caller::Here()) {
    return Binary(Opcode::kAtan2, lhs, rhs, broadcast_dimensions, caller);
  }
  // Pred and integers.
  Op And(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kAnd, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Or(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Binary(Opcode::kOr, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Xor(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kXor, lhs, rhs, broadcast_dimensions, caller);
  }
  // Integers; XLA takes anything but pred.
  Op ShiftLeft(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
               Caller caller = Caller::Here()) {
    return Binary(Opcode::kShiftLeft, lhs, rhs, broadcast_dimensions, caller);
  }
  Op ShiftRightArithmetic(Op lhs, Op rhs,
                          const BroadcastArg& broadcast_dimensions = {},
                          Caller caller = Caller::Here()) {
    return Binary(Opcode::kShiftRightArithmetic, lhs, rhs, broadcast_dimensions,
                  caller);
  }
  Op ShiftRightLogical(Op lhs, Op rhs,
                       const BroadcastArg& broadcast_dimensions = {},
                       Caller caller = Caller::Here()) {
    return Binary(Opcode::kShiftRightLogical, lhs, rhs, broadcast_dimensions,
                  caller);
  }
  // Real and imaginary part, both f32 or both f64.
  Op Complex(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
             Caller caller = Caller::Here()) {
    return Binary(Opcode::kComplex, lhs, rhs, broadcast_dimensions, caller);
  }
  // Comparisons: the result is pred. Compare with the type of lhs.
  Op Eq(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kEq, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Ne(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kNe, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Ge(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kGe, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Gt(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kGt, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Le(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kLe, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Lt(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kLt, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  // Any direction and type; kDefault is chosen by lhs: float (also complex),
  // signed or unsigned (also pred). A type that doesn't go with the elements:
  // IND0114.
  Op Compare(Op lhs, Op rhs, ComparisonDirection direction,
             const BroadcastArg& broadcast_dimensions = {},
             ComparisonType type = ComparisonType::kDefault,
             Caller caller = Caller::Here());

  // --- Elementwise, one operand ----------------------------------------------
  // An array of the class said (IND0102), of any dims, which the result has
  // too. Source: XLA, InferUnaryOpShape.

  // Signed integers, floats, complex; Abs of complex is real.
  Op Abs(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kAbs, operand, caller);
  }
  Op Sign(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kSign, operand, caller);
  }
  // Integers, floats, complex.
  Op Neg(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kNegate, operand, caller);
  }
  // Floats and complex.
  Op Acos(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kAcos, operand, caller);
  }
  Op Acosh(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kAcosh, operand, caller);
  }
  Op Asin(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kAsin, operand, caller);
  }
  Op Asinh(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kAsinh, operand, caller);
  }
  Op Atanh(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kAtanh, operand, caller);
  }
  Op Cos(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kCos, operand, caller);
  }
  Op Cosh(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kCosh, operand, caller);
  }
  Op Exp(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kExp, operand, caller);
  }
  Op Expm1(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kExpm1, operand, caller);
  }
  Op Log(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kLog, operand, caller);
  }
  Op Log1p(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kLog1p, operand, caller);
  }
  Op Logistic(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kLogistic, operand, caller);
  }
  Op Rsqrt(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kRsqrt, operand, caller);
  }
  Op Sin(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kSin, operand, caller);
  }
  Op Sinh(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kSinh, operand, caller);
  }
  Op Sqrt(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kSqrt, operand, caller);
  }
  Op Tan(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kTan, operand, caller);
  }
  Op Tanh(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kTanh, operand, caller);
  }
  // Floats and complex; the component, of a float the float.
  Op Real(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kReal, operand, caller);
  }
  Op Imag(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kImag, operand, caller);
  }
  // Floats. Round: halves away from zero.
  Op Cbrt(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kCbrt, operand, caller);
  }
  Op Ceil(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kCeil, operand, caller);
  }
  Op Erf(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kErf, operand, caller);
  }
  Op Floor(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kFloor, operand, caller);
  }
  Op Round(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kRoundNearestAfz, operand, caller);
  }
  Op RoundNearestEven(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kRoundNearestEven, operand, caller);
  }
  // Floats; the result is pred.
  Op IsFinite(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kIsFinite, operand, caller);
  }
  // Pred and integers, bit by bit.
  Op Not(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kNot, operand, caller);
  }
  // Integers.
  Op Clz(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kClz, operand, caller);
  }
  Op PopulationCount(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kPopulationCount, operand, caller);
  }
  // Anything, tuples and tokens too.
  Op Copy(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kCopy, operand, caller);
  }
  // Floats, rounded to these many bits and back. IND0120: exponent_bits < 1 or
  // mantissa_bits < 0.
  Op ReducePrecision(Op operand, int exponent_bits, int mantissa_bits,
                     Caller caller = Caller::Here());

  // --- Elementwise, three and more -------------------------------------------

  // pred of the dims of the others, or pred[]; on_true and on_false of equal
  // dims and types (floats may mix). A scalar goes with anything. Errors:
  // IND0103, IND0115, IND0119. Of two tuples, as in XLA's builder, a
  // conditional of computations that return what they are given:
  // IND0402..IND0406. Source: XLA, InferSelectShape, TernaryOp.
  Op Select(Op pred, Op on_true, Op on_false, Caller caller = Caller::Here());
  // The result is the operand's shape; min and max have it too, or are scalars.
  // Errors: IND0103, IND0115. Source: XLA, InferClampShape, TernaryOp.
  Op Clamp(Op min, Op operand, Op max, Caller caller = Caller::Here());
  // `computation`, of scalars, on each position of the operands, which have
  // equal dims; `dimensions` are all of them, 0..rank-1. Errors: IND0115,
  // IND0121, IND0401..IND0403. Source: XLA, InferMapShape.
  Op Map(absl::Span<const Op> operands, const Callee& computation,
         absl::Span<const int64_t> dimensions, Caller caller = Caller::Here());

 protected:
  using RecorderHolder::RecorderHolder;
  ~ElementwiseOps() = default;
  ElementwiseOps(ElementwiseOps&&) noexcept = default;
  ElementwiseOps& operator=(ElementwiseOps&&) noexcept = default;

 private:
  Op Unary(Opcode opcode, Op operand, Caller caller);
  Op Binary(Opcode opcode, Op lhs, Op rhs, const BroadcastArg& broadcast,
            Caller caller);
};

}  // namespace indim

#endif  // INDIM_BUILDER_ELEMENTWISE_OPS_H_
