// SPDX-License-Identifier: Apache-2.0
// Tape: the linear part of a computation, as it is made: tangents as functions
// of the tangents that come in.
//
// Rules write what doesn't depend on tangents (partial derivatives, masks,
// indices) into the builder `primal`, and operations on tangents onto the tape.
// A forward tape records both in the builder: then its results are the
// tangents. A reverse tape keeps the linear part to itself; a Transposer reads
// it from the end and writes its transpose (transposer.h). Its tangents are Ops
// of no builder.

#ifndef INDIM_GRAD_TAPE_H_
#define INDIM_GRAD_TAPE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/builder/op_access.h"
#include "indim/ir/ids.h"
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

// A value and its tangents.
struct Traced {
  Op value;
  TangentLeaves tangents;
};

// Whether arrays of this type have tangents: floats and complex numbers.
bool IsDifferentiable(const Shape& shape);
// The parts of a shape that aren't tuples, depth first.
std::vector<Shape> LeafShapes(const Shape& shape);
// The shape of an op of `builder`, for as long as the builder lives;
// Kind::kNone for a poisoned one.
const Shape& ShapeIn(const ComputationBuilder& builder, Op op);

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

// One operation on a reverse tape.
struct TapeNode {
  enum class Kind : uint8_t {
    kValue,     // of the primal builder: it isn't linear
    kArgument,  // a tangent that comes in
    kStep
  };
  Kind kind = Kind::kValue;
  Opcode opcode = Opcode::kInvalid;
  MetadataId origin;      // of steps
  uint32_t function = 0;  // 1 + its number in functions_; 0: an operation
  uint32_t first = 0, count = 0;  // its operands
  const Attributes* attributes = nullptr;
  const Shape* shape = nullptr;
  Op value;  // kValue
};

class Tape {
 public:
  enum class Mode : uint8_t { kForward, kReverse };
  // `primal` must outlive the tape.
  Tape(ComputationBuilder* primal, Mode mode)
      : primal_(*primal), is_forward_(mode == Mode::kForward) {}
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  bool is_forward() const { return is_forward_; }
  ComputationBuilder& primal() const { return primal_; }
  // The metadata of steps of a reverse tape from now on; returns what it was.
  MetadataId origin() const { return origin_; }
  MetadataId set_origin(MetadataId origin) {
    return std::exchange(origin_, origin);
  }
  // OK, or the first error of a step of a reverse tape.
  const absl::Status& status() const { return status_; }

  // --- Values ----------------------------------------------------------------

  // A tangent that comes in: of a reverse tape.
  Op Argument(const Shape& shape);
  // A value of the primal builder, for use in Record().
  Op In(Op primal);
  // Zeros of a shape, of the primal builder, and as a value.
  Op PrimalZeros(const Shape& shape);
  Op Zeros(const Shape& shape) { return In(PrimalZeros(shape)); }
  // The tangent, or zeros.
  Op OrZeros(const Tangent& tangent, const Shape& shape) {
    return tangent ? *tangent : Zeros(shape);
  }
  const Shape& ShapeOf(Op op) const {
    return is_forward_ ? ShapeIn(primal_, op) : *node(op).shape;
  }

  // --- Operations on tangents ------------------------------------------------

  // Any operation that is linear in those of its operands that are tangents.
  // One with callees has a `result`.
  Op Record(Opcode opcode, absl::Span<const Op> operands,
            const Attributes& attributes = NoAttributes(),
            const std::optional<Shape>& result = {},
            absl::Span<const Callee> callees = {});
  Op Record(Opcode opcode, std::initializer_list<Op> operands,
            const Attributes& attributes = NoAttributes(),
            const std::optional<Shape>& result = {}) {
    return Record(opcode, absl::Span<const Op>(operands), attributes, result);
  }
  // One with a result as `like`, a shape of an op of the primal builder or of
  // this tape, and `attributes` that outlive the tape.
  Op RecordAs(const Shape& like, Opcode opcode, absl::Span<const Op> operands,
              const Attributes& attributes,
              absl::Span<const Callee> callees = {});
  // A function that gives tangents of these shapes.
  std::vector<Tangent> Apply(LinearFunction function,
                             absl::Span<const Tangent> tangents,
                             absl::Span<const Shape> results);

  // `factor`, `divisor`, `mask` are of the primal builder, of the tangent's
  // dims.
  Op Times(Op tangent, Op factor) {
    return Elementwise(tangent, Opcode::kMultiply, {tangent, In(factor)});
  }
  Op Over(Op tangent, Op divisor) {
    return Elementwise(tangent, Opcode::kDivide, {tangent, In(divisor)});
  }
  // The tangent where `mask` holds, else 0.
  Op Where(Op mask, Op tangent);
  Op Negative(Op tangent) {
    return Elementwise(tangent, Opcode::kNegate, {tangent});
  }
  // a + b.
  Tangent Sum(const Tangent& a, const Tangent& b);
  // Converted to another element type, if it has another one.
  Op ConvertTo(ElementType type, Op tangent);

  // --- What was recorded (of a reverse tape) ---------------------------------

  // Nodes by number; operands come first.
  size_t size() const { return nodes_.size(); }
  static size_t NumberOf(Op op) { return OpAccess::Node(op); }
  static Op OpOf(size_t number);
  const TapeNode& node(Op op) const { return nodes_[NumberOf(op)]; }
  absl::Span<const Op> OperandsOf(const TapeNode& node) const {
    return absl::MakeConstSpan(operands_).subspan(node.first, node.count);
  }
  bool is_linear(Op op) const {
    return node(op).kind != TapeNode::Kind::kValue;
  }
  // The value in the primal builder that an op which isn't linear stands for.
  Op ValueOf(Op op) const { return node(op).value; }
  // The function of a step; null: it is an operation.
  const LinearFunction* FunctionOf(const TapeNode& node) const {
    return node.function == 0 ? nullptr : &functions_[node.function - 1];
  }

 private:
  // An operation whose result is as `tangent`.
  Op Elementwise(Op tangent, Opcode opcode,
                 std::initializer_list<Op> operands) {
    return is_forward_
               ? Record(opcode, operands)
               : Step(opcode, operands, Kept(NoAttributes()), ShapeOf(tangent));
  }
  // The same for as long as the tape lives: the one that the primal builder's
  // family has.
  const Shape& Kept(const Shape& shape);
  const Attributes& Kept(const Attributes& attributes);
  Op Keep(TapeNode node);
  Op Step(Opcode opcode, absl::Span<const Op> operands,
          const Attributes& attributes, const Shape& result);

  ComputationBuilder& primal_;
  const bool is_forward_;
  absl::flat_hash_map<Shape, Op> zeros_;
  // Of a reverse tape.
  std::vector<TapeNode> nodes_;
  std::vector<Op> operands_;
  std::deque<Attributes> attributes_;
  std::vector<LinearFunction> functions_;
  absl::flat_hash_map<Op, Op> in_;  // by op of the primal builder
  MetadataId origin_;
  absl::Status status_;
};

}  // namespace indim::internal

#endif  // INDIM_GRAD_TAPE_H_
