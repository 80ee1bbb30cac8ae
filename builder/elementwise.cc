// SPDX-License-Identifier: Apache-2.0
// Elementwise operations of ComputationBuilder that need more than an opcode.

#include <utility>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/builder/elementwise_ops.h"
#include "indim/builder/record_util.h"
#include "indim/builder/regions.h"

namespace indim {
Op ElementwiseOps::Unary(Opcode opcode, Op operand, Caller caller) {
  return recorder()->Unary(opcode, operand, caller);
}
Op ElementwiseOps::ReducePrecision(Op operand, int exponent_bits,
                                   int mantissa_bits, Caller caller) {
  const Attributes attributes =
      ReducePrecisionAttributes{exponent_bits, mantissa_bits};
  return recorder()->Record({Opcode::kReducePrecision, {operand}, &attributes},
                            caller);
}
namespace {

// A computation that returns its parameter.
Callee Identity(const Shape& shape) {
  ComputationBuilder b("identity");
  b.set_record_locations(false);
  return b.Build(b.Parameter(0, shape));
}

}  // namespace

Op ElementwiseOps::Select(Op pred, const Operand& on_true,
                          const Operand& on_false, Caller caller) {
  Op values[2], failed;
  if (!internal::MakeScalars(recorder(), Opcode::kSelect, {on_true, on_false},
                             0, caller, values, &failed)) {
    return failed;
  }
  const Op operands[] = {pred, values[0], values[1]};
  const Shape* a = recorder()->ShapeOf(values[0]);
  const Shape* b = recorder()->ShapeOf(values[1]);
  if (a != nullptr && b != nullptr && a->is_tuple() && b->is_tuple()) {
    const Callee branches[] = {Identity(*a), Identity(*b)};
    return recorder()->Record(
        {Opcode::kConditional, operands, nullptr, nullptr, branches}, caller);
  }
  return recorder()->Record({Opcode::kSelect, operands}, caller);
}
Op ElementwiseOps::Clamp(const Operand& min, const Operand& operand,
                         const Operand& max, Caller caller) {
  Op operands[3], failed;
  if (!internal::MakeScalars(recorder(), Opcode::kClamp, {min, operand, max}, 1,
                             caller, operands, &failed)) {
    return failed;
  }
  return recorder()->Record({Opcode::kClamp, operands}, caller);
}
Op ElementwiseOps::Map(absl::Span<const Op> operands, const Callee& computation,
                       absl::Span<const int64_t> dimensions, Caller caller) {
  const Attributes attributes =
      DimensionsAttributes{DimIndices(dimensions.begin(), dimensions.end())};
  return recorder()->Record({Opcode::kMap, operands, &attributes, nullptr,
                             absl::MakeConstSpan(&computation, 1)},
                            caller);
}

Op ElementwiseOps::Map(absl::Span<const Op> operands, Region body,
                       absl::Span<const int64_t> dimensions, Caller caller) {
  return internal::Regions(recorder())
      .Map(std::move(body), operands, dimensions, caller);
}

Op ElementwiseOps::MapOf(internal::Ops operands, internal::OneResult function,
                         Caller caller) {
  std::vector<Shape> shapes, scalars;
  Op failed;
  if (!ShapesOf(recorder(), Opcode::kMap, operands, &shapes, &failed, caller) ||
      !ScalarShapesOf(recorder(), Opcode::kMap, operands, &scalars, &failed,
                      caller)) {
    return failed;
  }
  Region region =
      internal::Regions(recorder())
          .Begin("mapped", scalars, CaptureForm::kScalarParameters, caller);
  internal::Regions(recorder())
      .End(&region, {function(region.arguments())}, caller);
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; !shapes.empty() && d < shapes[0].rank(); ++d) {
    dimensions.push_back(d);
  }
  return Map(operands, std::move(region), dimensions, caller);
}

}  // namespace indim
