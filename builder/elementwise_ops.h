// SPDX-License-Identifier: Apache-2.0
// ElementwiseOps: the elementwise operations of ComputationBuilder with one
// operand, and with three and more. computation_builder.h has the binary ones.

#ifndef INDIM_BUILDER_ELEMENTWISE_OPS_H_
#define INDIM_BUILDER_ELEMENTWISE_OPS_H_

#include <cstdint>
#include <type_traits>

#include "absl/types/span.h"
#include "indim/builder/builder_part.h"
#include "indim/builder/lambda.h"
#include "indim/builder/op.h"
#include "indim/builder/region.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

// A part of ComputationBuilder; the comment at the head of
// computation_builder.h applies to every call.
class ElementwiseOps : public internal::BuilderPart<ElementwiseOps> {
 public:
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
  // Source: XLA 0.12; older XLA doesn't know it.
  Op Exp2(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kExp2, operand, caller);
  }
  Op Expm1(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kExpm1, operand, caller);
  }
  Op Log(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kLog, operand, caller);
  }
  // Source: XLA 0.12; older XLA doesn't know it.
  Op Log2(Op operand, Caller caller = Caller::Here()) {
    return Unary(Opcode::kLog2, operand, caller);
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
  // function(elements...) at each position of the operands, arrays of equal
  // dims: of one, two or three scalars, or of a span of them. It can use
  // scalars of the enclosing computation (else IND0625).
  template <typename Function, typename = internal::IfMapped<Function>>
  Op Map(absl::Span<const Op> operands, Function&& function,
         Caller caller = Caller::Here()) {
    return MapOf(operands, internal::ScalarsOf(function), caller);
  }
  template <typename Function,
            typename = std::enable_if_t<std::is_invocable_v<Function&, Op>>>
  Op Map(Op operand, Function&& function, Caller caller = Caller::Here()) {
    return Map(absl::MakeConstSpan(&operand, 1), function, caller);
  }

  // A region of form kScalarParameters with one result. What it captures is
  // broadcast to the dims of the operands.
  Op Map(absl::Span<const Op> operands, Region body,
         absl::Span<const int64_t> dimensions, Caller caller = Caller::Here());

 private:
  friend class ComputationBuilder;
  ElementwiseOps() = default;

  Op Unary(Opcode opcode, Op operand, Caller caller);
  Op MapOf(internal::Ops operands, internal::OneResult function, Caller caller);
};

}  // namespace indim

#endif  // INDIM_BUILDER_ELEMENTWISE_OPS_H_
