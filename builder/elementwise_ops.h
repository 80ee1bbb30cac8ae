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
         Caller caller = Caller::Here());
  Op Max(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Min(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  // Any element type; of pred: and.
  Op Mul(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  // The high half of the product of integers.
  Op Mulhi(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
           Caller caller = Caller::Here());
  // Anything but pred.
  Op Sub(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Div(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Rem(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Pow(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  // Floats and complex.
  Op Atan2(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
           Caller caller = Caller::Here());
  // Pred and integers.
  Op And(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Or(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  Op Xor(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  // Integers; XLA takes anything but pred.
  Op ShiftLeft(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
               Caller caller = Caller::Here());
  Op ShiftRightArithmetic(Op lhs, Op rhs,
                          const BroadcastArg& broadcast_dimensions = {},
                          Caller caller = Caller::Here());
  Op ShiftRightLogical(Op lhs, Op rhs,
                       const BroadcastArg& broadcast_dimensions = {},
                       Caller caller = Caller::Here());
  // Real and imaginary part, both f32 or both f64.
  Op Complex(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
             Caller caller = Caller::Here());
  // Comparisons: the result is pred. Compare with the type of lhs.
  Op Eq(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  Op Ne(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  Op Ge(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  Op Gt(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  Op Le(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  Op Lt(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
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
  Op Abs(Op operand, Caller caller = Caller::Here());
  Op Sign(Op operand, Caller caller = Caller::Here());
  // Integers, floats, complex.
  Op Neg(Op operand, Caller caller = Caller::Here());
  // Floats and complex.
  Op Acos(Op operand, Caller caller = Caller::Here());
  Op Acosh(Op operand, Caller caller = Caller::Here());
  Op Asin(Op operand, Caller caller = Caller::Here());
  Op Asinh(Op operand, Caller caller = Caller::Here());
  Op Atanh(Op operand, Caller caller = Caller::Here());
  Op Cos(Op operand, Caller caller = Caller::Here());
  Op Cosh(Op operand, Caller caller = Caller::Here());
  Op Exp(Op operand, Caller caller = Caller::Here());
  Op Expm1(Op operand, Caller caller = Caller::Here());
  Op Log(Op operand, Caller caller = Caller::Here());
  Op Log1p(Op operand, Caller caller = Caller::Here());
  Op Logistic(Op operand, Caller caller = Caller::Here());
  Op Rsqrt(Op operand, Caller caller = Caller::Here());
  Op Sin(Op operand, Caller caller = Caller::Here());
  Op Sinh(Op operand, Caller caller = Caller::Here());
  Op Sqrt(Op operand, Caller caller = Caller::Here());
  Op Tan(Op operand, Caller caller = Caller::Here());
  Op Tanh(Op operand, Caller caller = Caller::Here());
  // Floats and complex; the component, of a float the float.
  Op Real(Op operand, Caller caller = Caller::Here());
  Op Imag(Op operand, Caller caller = Caller::Here());
  // Floats. Round: halves away from zero.
  Op Cbrt(Op operand, Caller caller = Caller::Here());
  Op Ceil(Op operand, Caller caller = Caller::Here());
  Op Erf(Op operand, Caller caller = Caller::Here());
  Op Floor(Op operand, Caller caller = Caller::Here());
  Op Round(Op operand, Caller caller = Caller::Here());
  Op RoundNearestEven(Op operand, Caller caller = Caller::Here());
  // Floats; the result is pred.
  Op IsFinite(Op operand, Caller caller = Caller::Here());
  // Pred and integers, bit by bit.
  Op Not(Op operand, Caller caller = Caller::Here());
  // Integers.
  Op Clz(Op operand, Caller caller = Caller::Here());
  Op PopulationCount(Op operand, Caller caller = Caller::Here());
  // Anything, tuples and tokens too.
  Op Copy(Op operand, Caller caller = Caller::Here());
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
};

}  // namespace indim

#endif  // INDIM_BUILDER_ELEMENTWISE_OPS_H_
