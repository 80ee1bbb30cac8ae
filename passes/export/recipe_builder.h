// SPDX-License-Identifier: Apache-2.0
// RecipeBuilder: makes the steps of an Expansion
// (proto/hlo_module/expansion.h).

#ifndef INDIM_PASSES_EXPORT_RECIPE_BUILDER_H_
#define INDIM_PASSES_EXPORT_RECIPE_BUILDER_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/pools.h"
#include "indim/proto/hlo_module/expansion.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Makes the steps of one expansion.
class RecipeBuilder {
 public:
  using Value = Expansion::Value;

  // `operands` are the shapes of the instruction's operands, `sharding` is the
  // instruction's (null: none).
  RecipeBuilder(absl::Span<const Shape* const> operands,
                const absl::string_view* sharding, Expansion* expansion)
      : operands_(operands), sharding_(sharding), recipe_(*expansion) {}

  const Shape& shape(Value value) const {
    return value >= 0 ? *operands_[static_cast<size_t>(value)]
                      : recipe_.steps[Expansion::StepOf(value)].shape;
  }

  // Each adds a step and returns its result.
  Value Convert(Value value, ElementType type);
  Value Reshape(Value value, const Shape& shape);
  // Dim d of `value` becomes dim dims[d] of `shape`. The step gets the
  // instruction's sharding.
  Value Broadcast(Value value, const Shape& shape, const DimIndices& dims);
  Value ConstantS32(int32_t value);                  // s32[]
  Value GetDimensionSize(Value value, int64_t dim);  // s32[]
  Value Equal(Value lhs, Value rhs);                 // pred[]
  Value Select(Value pred, Value on_true, Value on_false);
  // s32[n] from n values s32[].
  Value Stack(absl::Span<const Value> scalars);
  // XLA's custom-call mhlo.dynamic_broadcast_in_dim.
  Value DynamicBroadcastInDim(Value value, Value sizes, const Shape& shape,
                              const DimIndices& dims);

 private:
  Value Add(Opcode opcode, Shape shape, absl::Span<const Value> operands,
            OwnedAttributeBytes attribute_bytes);

  const absl::Span<const Shape* const> operands_;
  const absl::string_view* const sharding_;
  Expansion& recipe_;
};

// Gives a constant without a layout, and its literal, a layout, which XLA
// requires. Sets the changes in `expansion`.
void LayOutConstant(const Pools& pools, ShapeId shape,
                    AttributeBytesId attribute_bytes, Expansion* expansion);

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_RECIPE_BUILDER_H_
