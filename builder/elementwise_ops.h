// ElementwiseOps: the elementwise operations of ComputationBuilder.
// RecorderHolder: the base of all groups of its operations.

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

// Recorder::None() is nobody's, and stays.
struct RecorderDeleter {
  void operator()(Recorder* recorder) const;
};
using RecorderHandle = std::unique_ptr<Recorder, RecorderDeleter>;

// Holds the builder's recorder: Recorder::None() after the builder was moved
// away.
class RecorderHolder {
 protected:
  explicit RecorderHolder(RecorderHandle recorder);
  ~RecorderHolder();
  RecorderHolder(RecorderHolder&&) noexcept;
  RecorderHolder& operator=(RecorderHolder&&) noexcept;

  RecorderHandle recorder_;
};

}  // namespace internal

// A part of ComputationBuilder; the comment at the head of
// computation_builder.h applies to every call.
class ElementwiseOps : public internal::RecorderHolder {
 public:
  // --- Elementwise, two operands ---------------------------------------------
  // Both operands are arrays of one element type, or of two float types; the
  // result then has the more general one. The ranks are equal, or one operand
  // is a scalar, or the call has broadcast_dimensions: broadcast_dimensions[i]
  // is the dim of the higher-rank operand that matches dim i of the other one.
  // Then dims of size 1 stretch. shape/broadcast/broadcast.h has the rules,
  // XLA's and others. Errors: IND0001..IND0032 about broadcasting, IND0102 and
  // IND0103 about types. An operand may be a number (op.h): IND0636, IND0637.
  // Source: XLA, InferBinaryOpShape.

  // Any element type. For pred, Add and Max are "or", Min is "and".
  Op Add(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kAdd, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Max(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kMaximum, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Min(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kMinimum, lhs, rhs, broadcast_dimensions, caller);
  }
  // Any element type. For pred it is "and".
  Op Mul(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kMultiply, lhs, rhs, broadcast_dimensions, caller);
  }
  // Integers: the high half of the product.
  Op Mulhi(const Operand& lhs, const Operand& rhs,
           const BroadcastArg& broadcast_dimensions = {},
           Caller caller = Caller::Here()) {
    return Binary(Opcode::kMulhi, lhs, rhs, broadcast_dimensions, caller);
  }
  // Any element type except pred.
  Op Sub(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kSubtract, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Div(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kDivide, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Rem(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kRemainder, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Pow(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kPower, lhs, rhs, broadcast_dimensions, caller);
  }
  // Floats and complex.
  Op Atan2(const Operand& lhs, const Operand& rhs,
           const BroadcastArg& broadcast_dimensions = {},
           Caller caller = Caller::Here()) {
    return Binary(Opcode::kAtan2, lhs, rhs, broadcast_dimensions, caller);
  }
  // pred and integers.
  Op And(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kAnd, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Or(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Binary(Opcode::kOr, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Xor(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kXor, lhs, rhs, broadcast_dimensions, caller);
  }
  // Integers; XLA takes any element type except pred.
  Op ShiftLeft(const Operand& lhs, const Operand& rhs,
               const BroadcastArg& broadcast_dimensions = {},
               Caller caller = Caller::Here()) {
    return Binary(Opcode::kShiftLeft, lhs, rhs, broadcast_dimensions, caller);
  }
  Op ShiftRightArithmetic(const Operand& lhs, const Operand& rhs,
                          const BroadcastArg& broadcast_dimensions = {},
                          Caller caller = Caller::Here()) {
    return Binary(Opcode::kShiftRightArithmetic, lhs, rhs, broadcast_dimensions,
                  caller);
  }
  Op ShiftRightLogical(const Operand& lhs, const Operand& rhs,
                       const BroadcastArg& broadcast_dimensions = {},
                       Caller caller = Caller::Here()) {
    return Binary(Opcode::kShiftRightLogical, lhs, rhs, broadcast_dimensions,
                  caller);
  }
  // A complex number of real part lhs and imaginary part rhs, both f32 or both
  // f64.
  Op Complex(const Operand& lhs, const Operand& rhs,
             const BroadcastArg& broadcast_dimensions = {},
             Caller caller = Caller::Here()) {
    return Binary(Opcode::kComplex, lhs, rhs, broadcast_dimensions, caller);
  }
  // Comparisons; the result is pred. The type of lhs gives the ComparisonType.
  Op Eq(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kEq, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Ne(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kNe, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Ge(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kGe, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Gt(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kGt, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Le(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kLe, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Lt(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kLt, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  // Any direction and type. kDefault depends on lhs: float (also for complex),
  // signed, or unsigned (also for pred). A type that doesn't fit the elements:
  // IND0114.
  Op Compare(const Operand& lhs, const Operand& rhs,
             ComparisonDirection direction,
             const BroadcastArg& broadcast_dimensions = {},
             ComparisonType type = ComparisonType::kDefault,
             Caller caller = Caller::Here());

  // --- Elementwise, one operand ----------------------------------------------
  // Each comment gives the allowed element types (else IND0102). The operand is
  // an array of any dims; the result has the same dims. Source: XLA,
  // InferUnaryOpShape.

  // Signed integers, floats, complex. Abs of complex is real.
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
  // Floats and complex; the result is real. Real of a float is the float.
  Op Real(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kReal, operand, caller);
  }
  Op Imag(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kImag, operand, caller);
  }
  // Floats. Round takes halves away from zero.
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
  // pred and integers, bit by bit.
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
  // Any shape, also tuples and tokens.
  Op Copy(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kCopy, operand, caller);
  }
  // Floats: rounds to these numbers of bits, and back to the type. IND0120:
  // exponent_bits < 1 or mantissa_bits < 0.
  Op ReducePrecision(Op operand, int exponent_bits, int mantissa_bits,
                     Caller caller = Caller::Here());

  // --- Elementwise, three and more -------------------------------------------

  // pred has the dims of the others, or is pred[]; on_true and on_false have
  // equal dims and types (float types may differ); a scalar goes with any dims.
  // Errors: IND0103, IND0115, IND0119. For two tuples it records, as XLA's
  // builder does, a conditional whose branches return their operands:
  // IND0402..IND0406. Source: XLA, InferSelectShape, TernaryOp.
  Op Select(Op pred, const Operand& on_true, const Operand& on_false,
            Caller caller = Caller::Here());
  // The result has the operand's shape; min and max have that shape or are
  // scalars. Errors: IND0103, IND0115. Source: XLA, InferClampShape, TernaryOp.
  Op Clamp(const Operand& min, const Operand& operand, const Operand& max,
           Caller caller = Caller::Here());
  // Applies `computation`, which takes scalars, at each position of the
  // operands. They have equal dims; `dimensions` lists all of them, 0..rank-1.
  // Errors: IND0115, IND0121, IND0401..IND0403. Source: XLA, InferMapShape.
  Op Map(absl::Span<const Op> operands, const Callee& computation,
         absl::Span<const int64_t> dimensions, Caller caller = Caller::Here());

 protected:
  using RecorderHolder::RecorderHolder;
  ~ElementwiseOps() = default;
  ElementwiseOps(ElementwiseOps&&) noexcept = default;
  ElementwiseOps& operator=(ElementwiseOps&&) noexcept = default;

 private:
  Op Unary(Opcode opcode, Op operand, Caller caller);
  Op Binary(Opcode opcode, const Operand& lhs, const Operand& rhs,
            const BroadcastArg& broadcast, Caller caller);
};

}  // namespace indim

#endif  // INDIM_BUILDER_ELEMENTWISE_OPS_H_
