// SPDX-License-Identifier: Apache-2.0
// Transposer: writes the transpose of a reverse tape: from the cotangents of
// its results the cotangents of its arguments.

#ifndef INDIM_GRAD_TRANSPOSER_H_
#define INDIM_GRAD_TRANSPOSER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/grad/emit.h"
#include "indim/grad/tape.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

class Transposer {
 public:
  // Writes into `out`; value_of gives the values of the primal builder there.
  Transposer(const Tape& tape, ComputationBuilder* out,
             std::function<Op(Op)> value_of)
      : tape_(tape),
        out_(*out),
        value_of_(std::move(value_of)),
        sums_(tape.size()),
        masks_(tape.size()) {}

  // Where a cotangent isn't 0: where each of these predicates, of the primal
  // builder, has the value beside it. The last selects that it came through say
  // so.
  using Mask = std::vector<std::pair<Op, bool>>;

  // Adds a cotangent of a tangent on the tape, of the mask of the step that is
  // transposed, and of `where`, if that isn't null.
  void Give(Op tangent, const Tangent& cotangent,
            const Mask::value_type* where = nullptr);
  // Adds one that is 0 but for `part`, which begins at `starts`. Such parts are
  // written into the sum at the end, in place: a loop that reads a slice in
  // each step takes linear time.
  void GivePart(Op tangent, Op part, std::vector<Op> starts);
  // From now on a tangent that is multiplied by factors, one after the other,
  // is multiplied by their product, if `needs_place` says of each that keeping
  // it takes place: then the product alone is kept.
  void MultiplyFactors(std::function<bool(Op)> needs_place);
  // Transposes the steps, from the last one. InvalidArgument: a step has no
  // transpose.
  absl::Status Run();
  // The cotangent of an argument, after Run().
  Tangent Take(Op argument);

  ComputationBuilder& out() const { return out_; }
  // The factor, or divisor, `value` of the step that is transposed, in its
  // builder, but 1 where the cotangent is 0 by its mask: an infinite or
  // undefined factor would make NaN of it. `factor` is the same of the primal
  // builder, value_of what gives predicates in the builder.
  Op WhereChosen(ComputationBuilder* builder, Op factor, Op value, bool divides,
                 const std::function<Op(Op)>& value_of) const;
  Op WhereChosen(Op factor, bool divides) const {
    return WhereChosen(&out_, factor, value_of_(factor), divides, value_of_);
  }
  // Zeros of a shape in out(), recorded once.
  Op Zeros(const Shape& shape);
  const Tape& tape() const { return tape_; }
  Op ValueOf(Op op) const { return value_of_(tape_.ValueOf(op)); }

 private:
  // Parts of a cotangent, and where they begin.
  using Parts = std::vector<std::pair<Op, std::vector<Op>>>;
  // What a cotangent has still to be multiplied with, or divided by, of the
  // primal builder.
  struct Factor {
    Op op;
    bool divides = false;
  };
  void TransposeFunction(const LinearFunction& function, Op step);
  // The factor of a step that multiplies one tangent; nullopt: it is none.
  std::optional<Factor> FactorOf(Op step, Op* tangent) const;
  // Hands a cotangent and its factors to the step before, or multiplies them.
  // False: the step is none that multiplies.
  bool HandFactorOn(Op step, Op cotangent);

  const Tape& tape_;
  ComputationBuilder& out_;
  std::function<Op(Op)> value_of_;
  std::vector<Tangent> sums_;  // by number on the tape
  std::vector<Mask> masks_;    // of sums_
  Mask mask_;                  // of the step that is transposed
  absl::flat_hash_map<Op, Parts> parts_;
  absl::flat_hash_map<Shape, Op> zeros_;
  // Cotangents of the results of a function.
  absl::flat_hash_map<Op, std::vector<Tangent>> results_;
  // Of MultiplyFactors().
  std::function<bool(Op)> needs_place_;
  std::vector<int> uses_;  // by number on the tape
  absl::flat_hash_map<Op, Factor> factors_;
};

// One step of the tape, to be transposed.
class TapeStep {
 public:
  TapeStep(Transposer* to, Op op, Op cotangent)
      : to_(*to),
        node_(to->tape().node(op)),
        operands_(to->tape().OperandsOf(node_)),
        cotangent_(cotangent) {}

  // The cotangent of its result.
  Op cotangent() const { return cotangent_; }
  Opcode opcode() const { return node_.opcode; }
  const Attributes& attributes() const { return *node_.attributes; }
  const Shape& shape() const { return *node_.shape; }
  size_t size() const { return operands_.size(); }
  bool is_linear(size_t i) const { return to_.tape().is_linear(operands_[i]); }
  const Shape& shape(size_t i) const {
    return to_.tape().ShapeOf(operands_[i]);
  }
  // Whether both operands are the same value.
  bool is_same(size_t i, size_t j) const {
    return operands_[i] == operands_[j];
  }
  // The value of an operand that isn't linear.
  Op value(size_t i) const { return to_.ValueOf(operands_[i]); }
  // The same, as a factor or divisor of the cotangent (WhereChosen).
  Op factor(size_t i, bool divides) const {
    return to_.WhereChosen(to_.tape().ValueOf(operands_[i]), divides);
  }
  // Whether that is a constant infinity or NaN, at all its places.
  bool is_infinite(size_t i) const;
  // Gives operand i a cotangent, if it is linear.
  void Give(size_t i, Op cotangent) const {
    if (is_linear(i)) to_.Give(operands_[i], cotangent);
  }
  // The same of a cotangent that is 0 where operand 0, a predicate, isn't
  // `chosen`.
  void GiveWhere(size_t i, Op cotangent, bool chosen) const {
    const Transposer::Mask::value_type where(to_.tape().ValueOf(operands_[0]),
                                             chosen);
    if (is_linear(i)) to_.Give(operands_[i], cotangent, &where);
  }
  void GivePart(size_t i, Op part, std::vector<Op> starts) const {
    if (is_linear(i)) to_.GivePart(operands_[i], part, std::move(starts));
  }
  ComputationBuilder& out() const { return to_.out(); }
  // Of out().
  Op Zeros(const Shape& shape) const { return to_.Zeros(shape); }
  Op Zero(ElementType type) const { return Zeros(Shape::Scalar(type)); }
  Op SumOver(Op x, DimIndices dims) const {
    return internal::SumOver(out(), x, std::move(dims),
                             [this](ElementType type) { return Zero(type); });
  }

 private:
  Transposer& to_;
  const TapeNode& node_;
  const absl::Span<const Op> operands_;
  const Op cotangent_;
};

}  // namespace indim::internal

#endif  // INDIM_GRAD_TRANSPOSER_H_
