// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/tape.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "indim/builder/call_checks.h"
#include "indim/builder/recorder.h"
#include "indim/ir/shape_table.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/shape/types/type_mask.h"

namespace indim::internal {
namespace {

// Ops of no builder: none has this generation.
constexpr uint32_t kTapeGeneration = ~uint32_t{0};

const Shape& NoShape() {
  static const Shape* const kNone = new Shape();
  return *kNone;
}

}  // namespace

bool IsDifferentiable(const Shape& shape) {
  return Accepts(TypeMask::kFloatComplex, shape.element_type());
}

std::vector<Shape> LeafShapes(const Shape& shape) {
  std::vector<Shape> leaves;
  ForEachLeaf(shape, [&](const Shape& leaf) { leaves.push_back(leaf); });
  return leaves;
}

const Shape& ShapeIn(const ComputationBuilder& builder, Op op) {
  const Shape* const shape = RecorderOf(builder)->ShapeOf(op);
  return shape == nullptr ? NoShape() : *shape;
}

Op Tape::OpOf(size_t number) {
  return OpAccess::Make(nullptr, kTapeGeneration,
                        static_cast<uint32_t>(number));
}

const Shape& Tape::Kept(const Shape& shape) {
  ShapeTable& shapes = RecorderOf(primal_)->family()->pools().shapes();
  return shapes.shape(InternGiven(shape, &shapes));
}

const Attributes& Tape::Kept(const Attributes& attributes) {
  static const Attributes* const kNone = new Attributes();
  if (std::holds_alternative<NoAttributes>(attributes)) return *kNone;
  return attributes_.emplace_back(attributes);
}

Op Tape::Keep(TapeNode node) {
  nodes_.push_back(node);
  return OpOf(nodes_.size() - 1);
}

Op Tape::Step(Opcode opcode, absl::Span<const Op> operands,
              const Attributes& attributes, const Shape& result) {
  TapeNode node;
  node.kind = TapeNode::Kind::kStep;
  node.opcode = opcode;
  node.origin = origin_;
  node.first = static_cast<uint32_t>(operands_.size());
  node.count = static_cast<uint32_t>(operands.size());
  node.attributes = &attributes;
  node.shape = &result;
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  return Keep(node);
}

Op Tape::Argument(const Shape& shape) {
  TapeNode node;
  node.kind = TapeNode::Kind::kArgument;
  node.shape = &Kept(shape.WithoutLayout());
  return Keep(node);
}

Op Tape::In(Op primal) {
  if (is_forward_) return primal;
  auto [found, is_new] = in_.try_emplace(primal);
  if (is_new) {
    TapeNode node;
    node.value = primal;
    node.shape = &ShapeIn(primal_, primal);
    found->second = Keep(node);
  }
  return found->second;
}

Op Tape::PrimalZeros(const Shape& shape) {
  auto [found, is_new] = zeros_.try_emplace(shape.WithoutLayout());
  if (is_new) found->second = primal_.Splat(0, shape.WithoutLayout());
  return found->second;
}

Op Tape::Record(Opcode opcode, absl::Span<const Op> operands,
                const Attributes& attributes,
                const std::optional<Shape>& result,
                absl::Span<const Callee> callees) {
  if (is_forward_) {
    return primal_.AddInstruction(opcode, operands, attributes, result,
                                  callees);
  }
  const Attributes& kept = Kept(attributes);
  if (result) return Step(opcode, operands, kept, Kept(*result));
  absl::InlinedVector<const Shape*, 6> shapes;
  bool is_good = true;
  for (const Op operand : operands) {
    shapes.push_back(&ShapeOf(operand));
    is_good = is_good && shapes.back()->kind() != Shape::Kind::kNone;
  }
  OpInputs inputs;
  inputs.opcode = opcode;
  inputs.operands = shapes;
  inputs.attributes = &kept;
  InferContext context;
  std::optional<Shape> inferred;
  // What is poisoned in the primal builder is that builder's error.
  if (is_good) inferred = InferShape(&context, inputs);
  if (is_good && !inferred && status_.ok()) {
    const Diagnostic& why = context.diagnostics().front();
    status_ = ErrorWithCode(
        absl::StatusCode::kInvalidArgument, why.code,
        FormatMessage(why, {Info(opcode).wire, shapes, nullptr, {}}));
  }
  return Step(opcode, operands, kept, inferred ? Kept(*inferred) : NoShape());
}

Op Tape::RecordAs(const Shape& like, Opcode opcode,
                  absl::Span<const Op> operands, const Attributes& attributes,
                  absl::Span<const Callee> callees) {
  return is_forward_ ? primal_.AddInstruction(opcode, operands, attributes,
                                              like, callees)
                     : Step(opcode, operands, attributes, like);
}

std::vector<Tangent> Tape::Apply(LinearFunction function,
                                 absl::Span<const Tangent> tangents,
                                 absl::Span<const Shape> results) {
  if (is_forward_) return function.apply(tangents);
  std::vector<Op> operands;
  for (const Tangent& tangent : tangents) {
    operands.push_back(tangent ? *tangent : In(primal_.Tuple({})));
  }
  std::vector<Shape> shapes;
  for (const Shape& shape : results) shapes.push_back(shape.WithoutLayout());
  functions_.push_back(std::move(function));
  const Op step = Step(Opcode::kInvalid, operands, Kept(NoAttributes()),
                       Kept(Shape::Tuple(shapes)));
  nodes_.back().function = static_cast<uint32_t>(functions_.size());
  std::vector<Tangent> tangents_out;
  for (size_t i = 0; i < results.size(); ++i) {
    tangents_out.push_back(std::nullopt);
    if (!IsDifferentiable(results[i])) continue;
    tangents_out.back() =
        Step(Opcode::kGetTupleElement, {step},
             Kept(GetTupleElementAttributes{static_cast<int64_t>(i)}),
             Kept(shapes[i]));
  }
  return tangents_out;
}

Op Tape::Where(Op mask, Op tangent) {
  const Op zeros = Zeros(ShapeOf(tangent));
  return Elementwise(tangent, Opcode::kSelect, {In(mask), tangent, zeros});
}

Tangent Tape::Sum(const Tangent& a, const Tangent& b) {
  if (!a) return b;
  if (!b) return a;
  return Elementwise(*a, Opcode::kAdd, {*a, *b});
}

Op Tape::ConvertTo(ElementType type, Op tangent) {
  if (ShapeOf(tangent).element_type() == type) return tangent;
  Shape shape = ShapeOf(tangent);
  shape.set_element_type(type);
  return Record(Opcode::kConvert, {tangent}, NoAttributes(), shape);
}

}  // namespace indim::internal
