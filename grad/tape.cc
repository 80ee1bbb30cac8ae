// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/tape.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/shape/types/type_mask.h"

namespace indim::internal {
namespace {

// In the linear builder a function stands as a custom call, which is never
// built.
constexpr char kFunctionTarget[] = "linear";

}  // namespace

bool IsDifferentiable(const Shape& shape) {
  return Accepts(TypeMask::kFloatComplex, shape.element_type());
}

std::vector<Shape> LeafShapes(const Shape& shape) {
  std::vector<Shape> leaves;
  ForEachLeaf(shape, [&](const Shape& leaf) { leaves.push_back(leaf); });
  return leaves;
}

Shape ShapeIn(const ComputationBuilder& builder, Op op) {
  absl::StatusOr<Shape> shape = builder.shape(op);
  return shape.ok() ? *std::move(shape) : Shape();
}

Op Tape::Argument(const Shape& shape) {
  const Op op = linear_->Parameter(shape.WithoutLayout());
  is_linear_.insert(op);
  return op;
}

Op Tape::In(Op primal) {
  if (is_forward()) return primal;
  auto [found, is_new] = in_.try_emplace(primal);
  if (is_new) {
    found->second = linear_->Parameter(ShapeIn(*primal_, primal));
    value_of_.emplace(found->second, primal);
  }
  return found->second;
}

Op Tape::Zeros(const Shape& shape) {
  auto [found, is_new] = zeros_.try_emplace(shape.WithoutLayout());
  if (is_new) found->second = primal_->Splat(0, shape.WithoutLayout());
  return In(found->second);
}

Op Tape::Record(Opcode opcode, absl::Span<const Op> operands,
                const Attributes& attributes,
                const std::optional<Shape>& result,
                absl::Span<const Callee> callees) {
  return Keep(
      linear_->AddInstruction(opcode, operands, attributes, result, callees));
}

std::vector<Tangent> Tape::Apply(LinearFunction function,
                                 absl::Span<const Tangent> tangents,
                                 absl::Span<const Shape> results) {
  if (is_forward()) return function.apply(tangents);
  std::vector<Op> operands;
  for (const Tangent& tangent : tangents) {
    operands.push_back(tangent ? *tangent : In(primal_->Tuple({})));
  }
  CustomCallAttributes call;
  call.target = kFunctionTarget;
  std::vector<Shape> shapes;
  for (const Shape& shape : results) shapes.push_back(shape.WithoutLayout());
  const Op step = Record(Opcode::kCustomCall, operands, call,
                         Shape::Tuple(std::move(shapes)));
  functions_.emplace(step, std::move(function));
  std::vector<Tangent> tangents_out;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!IsDifferentiable(results[i])) {
      tangents_out.push_back(std::nullopt);
      continue;
    }
    tangents_out.push_back(
        Record(Opcode::kGetTupleElement, {step},
               GetTupleElementAttributes{static_cast<int64_t>(i)}));
  }
  return tangents_out;
}

Op Tape::Where(Op mask, Op tangent) {
  const Op zeros = Zeros(ShapeOf(tangent));
  return Record(Opcode::kSelect, {In(mask), tangent, zeros});
}

Tangent Tape::Sum(const Tangent& a, const Tangent& b) {
  if (!a) return b;
  if (!b) return a;
  return Record(Opcode::kAdd, {*a, *b});
}

Op Tape::ConvertTo(ElementType type, Op tangent) {
  Shape shape = ShapeOf(tangent);
  if (shape.element_type() == type) return tangent;
  shape.set_element_type(type);
  return Record(Opcode::kConvert, {tangent}, NoAttributes(), shape);
}

const LinearFunction* Tape::FunctionOf(Op step) const {
  const auto found = functions_.find(step);
  return found == functions_.end() ? nullptr : &found->second;
}

}  // namespace indim::internal
