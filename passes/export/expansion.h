// Expansion: the instructions that replace an instruction when its implicit
// broadcasts become explicit, outside a graph. Equal nodes share one expansion.
// instruction_emitter.h adds the instructions to a graph, expanded_writer.h
// writes their bytes.

#ifndef INDIM_PASSES_EXPORT_EXPANSION_H_
#define INDIM_PASSES_EXPORT_EXPANSION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/pools.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/wire/attribute_bytes.h"

namespace indim {

struct Expansion {
  // A value: k >= 0 is operand k of the instruction; -1, -2, ... are the
  // results of the steps, in order.
  using Value = int32_t;
  using Values = absl::InlinedVector<Value, 3>;
  static Value StepValue(size_t step) { return -1 - static_cast<Value>(step); }
  static size_t StepOf(Value value) { return static_cast<size_t>(-1 - value); }

  // A new instruction before the expanded one.
  struct Step {
    Opcode opcode;
    Shape shape;
    OwnedAttributeBytes attribute_bytes;
    Values operands;
  };
  std::vector<Step> steps;
  // The operands of the instruction itself; without steps they are unchanged.
  Values operands;
  // Set where they change.
  std::optional<Shape> shape;
  std::optional<OwnedAttributeBytes> attribute_bytes;

  bool keeps_all() const { return steps.empty() && !shape && !attribute_bytes; }
};

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

#endif  // INDIM_PASSES_EXPORT_EXPANSION_H_
