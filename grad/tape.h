// SPDX-License-Identifier: Apache-2.0
// Tape: the linear part of a computation, as it is made: tangents as functions
// of the tangents that come in.
//
// Rules write what doesn't depend on tangents (partial derivatives, masks,
// indices) into the builder `primal`, and operations on tangents onto the tape.
// A forward tape records both in one builder: then its results are the
// tangents. A reverse tape keeps the linear part in a builder of its own, which
// is never built: a Transposer reads it from the end and writes its transpose
// (transposer.h).

#ifndef INDIM_GRAD_TAPE_H_
#define INDIM_GRAD_TAPE_H_

#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// A tangent or a cotangent of one array. nullopt: a zero that is known when the
// graph is made, for which nothing is emitted.
using Tangent = std::optional<Op>;
// Those of a value, one for each array in it, depth first; also for parts that
// have none, such as integers and tokens.
using TangentLeaves = absl::InlinedVector<Tangent, 1>;

// Whether arrays of this type have tangents: floats and complex numbers.
bool IsDifferentiable(const Shape& shape);
// The parts of a shape that aren't tuples, depth first.
std::vector<Shape> LeafShapes(const Shape& shape);
// The shape of an op of `builder`; Kind::kNone for a poisoned one.
Shape ShapeIn(const ComputationBuilder& builder, Op op);

// A linear function with more than one step, such as a loop: a reverse tape
// keeps it as one.
struct LinearFunction {
  // Records the function of the tangents in `builder` (a forward tape).
  std::function<std::vector<Tangent>(absl::Span<const Tangent> tangents)> apply;
  // Records its transpose in `builder`. `value_of` gives the ops of the primal
  // builder there. Returns a cotangent for each tangent that came in.
  std::function<std::vector<Tangent>(ComputationBuilder* builder,
                                     const std::function<Op(Op)>& value_of,
                                     absl::Span<const Tangent> cotangents)>
      transpose;
};

class Tape {
 public:
  // Both must outlive the tape. The same one twice: a forward tape.
  Tape(ComputationBuilder* primal, ComputationBuilder* linear)
      : primal_(primal), linear_(linear) {}
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  bool is_forward() const { return primal_ == linear_; }
  ComputationBuilder& primal() const { return *primal_; }
  ComputationBuilder& linear() const { return *linear_; }

  // --- Values ----------------------------------------------------------------

  // A tangent that comes in: of a reverse tape.
  Op Argument(const Shape& shape);
  // A value of the primal builder, for use in Record().
  Op In(Op primal);
  // Zeros of a shape, as a value.
  Op Zeros(const Shape& shape);
  // The tangent, or zeros.
  Op OrZeros(const Tangent& tangent, const Shape& shape) {
    return tangent ? *tangent : Zeros(shape);
  }
  Shape ShapeOf(Op op) const { return ShapeIn(*linear_, op); }

  // --- Operations on tangents ------------------------------------------------

  // Any operation that is linear in those of its operands that are tangents.
  Op Record(Opcode opcode, absl::Span<const Op> operands,
            const Attributes& attributes = NoAttributes(),
            const std::optional<Shape>& result = {},
            absl::Span<const Callee> callees = {});
  Op Record(Opcode opcode, std::initializer_list<Op> operands,
            const Attributes& attributes = NoAttributes(),
            const std::optional<Shape>& result = {}) {
    return Record(opcode, absl::Span<const Op>(operands), attributes, result);
  }
  // A function that gives tangents of these shapes.
  std::vector<Tangent> Apply(LinearFunction function,
                             absl::Span<const Tangent> tangents,
                             absl::Span<const Shape> results);

  // `factor`, `divisor`, `mask` are of the primal builder, of the tangent's
  // dims.
  Op Times(Op tangent, Op factor) {
    return Record(Opcode::kMultiply, {tangent, In(factor)});
  }
  Op Over(Op tangent, Op divisor) {
    return Record(Opcode::kDivide, {tangent, In(divisor)});
  }
  // The tangent where `mask` holds, else 0.
  Op Where(Op mask, Op tangent);
  Op Negative(Op tangent) { return Record(Opcode::kNegate, {tangent}); }
  // a + b.
  Tangent Sum(const Tangent& a, const Tangent& b);
  // Converted to another element type, if it has another one.
  Op ConvertTo(ElementType type, Op tangent);

  // --- What was recorded (of a reverse tape) ---------------------------------

  absl::Span<const Op> steps() const { return steps_; }
  bool is_linear(Op op) const { return is_linear_.contains(op); }
  // The value in the primal builder that an op which isn't linear stands for.
  Op ValueOf(Op op) const { return value_of_.at(op); }
  // The function of a step; null: it is an operation.
  const LinearFunction* FunctionOf(Op step) const;

 private:
  Op Keep(Op op) {
    if (!is_forward()) {
      steps_.push_back(op);
      is_linear_.insert(op);
    }
    return op;
  }

  ComputationBuilder* primal_;
  ComputationBuilder* linear_;
  absl::flat_hash_map<Shape, Op> zeros_;
  // Of a reverse tape.
  absl::flat_hash_map<Op, Op> in_;        // by op of the primal builder
  absl::flat_hash_map<Op, Op> value_of_;  // the other way round
  absl::flat_hash_set<Op> is_linear_;
  std::vector<Op> steps_;
  absl::flat_hash_map<Op, LinearFunction> functions_;
};

}  // namespace indim::internal

#endif  // INDIM_GRAD_TAPE_H_
