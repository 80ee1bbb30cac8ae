// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/export/recipe_builder.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/constant_bytes.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"

namespace indim {
namespace {

using field::HloInstructionProto::kBackendConfig;
using field::HloInstructionProto::kSharding;

}  // namespace

// XLA compares a constant's shape, including layouts, with its literal's and
// refuses a literal without a layout. Uses the layout that either has; else the
// row-major one.
void LayOutConstant(const Pools& pools, ShapeId shape_id,
                    AttributeBytesId attribute_bytes_id, Expansion* expansion) {
  const Shape& shape = pools.shapes().shape(shape_id);
  absl::string_view literal =
      AttributeBytesField(pools.attribute_bytes(attribute_bytes_id),
                          field::HloInstructionProto::kLiteral);
  WireReader reader(literal);
  uint32_t tag = 0;
  absl::string_view wire;
  if (!reader.ReadTag(&tag) ||
      tag != MakeTag(field::LiteralProto::kShape, WireType::kLengthDelimited) ||
      !reader.ReadLengthDelimited(&wire)) {
    return;  // no value, or one without a shape: unchanged
  }
  const absl::StatusOr<Shape> value = ParseShapeProto(wire);
  if (!value.ok() || !SameStructure(*value, shape)) return;
  const Shape laid_out = shape.has_layout_anywhere()
                             ? shape.WithDefaultLayout()
                             : value->WithDefaultLayout();
  if (!(laid_out == shape)) expansion->shape = laid_out;
  if (value->has_layout_anywhere()) return;
  std::string with_layout;
  wire_fields::AppendBytes(field::LiteralProto::kShape,
                           SerializeShapeProto(laid_out), &with_layout);
  with_layout.append(reader.cursor(), reader.remaining());
  expansion->attribute_bytes =
      WithField(pools.attribute_bytes(attribute_bytes_id),
                field::HloInstructionProto::kLiteral, with_layout);
}

RecipeBuilder::Value RecipeBuilder::Add(Opcode opcode, Shape shape,
                                        absl::Span<const Value> operands,
                                        OwnedAttributeBytes attribute_bytes) {
  recipe_.steps.push_back({opcode,
                           std::move(shape),
                           std::move(attribute_bytes),
                           {operands.begin(), operands.end()}});
  return Expansion::StepValue(recipe_.steps.size() - 1);
}

RecipeBuilder::Value RecipeBuilder::Convert(Value value, ElementType type) {
  Shape result = shape(value).WithoutLayout();
  result.set_element_type(type);
  return Add(Opcode::kConvert, std::move(result), {value},
             EncodeAttributes(Opcode::kConvert, NoAttributes()));
}

RecipeBuilder::Value RecipeBuilder::Reshape(Value value, const Shape& shape) {
  return Add(Opcode::kReshape, shape, {value},
             EncodeAttributes(Opcode::kReshape, DimensionsAttributes()));
}

RecipeBuilder::Value RecipeBuilder::Broadcast(Value value, const Shape& shape,
                                              const DimIndices& dims) {
  OwnedAttributeBytes attribute_bytes =
      EncodeAttributes(Opcode::kBroadcast, DimensionsAttributes{dims});
  if (sharding_ != nullptr) {
    attribute_bytes = WithField(attribute_bytes.view(), kSharding, *sharding_);
  }
  return Add(Opcode::kBroadcast, shape, {value}, std::move(attribute_bytes));
}

RecipeBuilder::Value RecipeBuilder::ConstantS32(int32_t value) {
  const absl::StatusOr<Literal> literal =
      Literal::Array(absl::MakeConstSpan(&value, 1), {});
  return Add(Opcode::kConstant,
             Shape::Scalar(ElementType::kS32).WithDefaultLayout(), {},
             ConstantBytes(*literal));
}

RecipeBuilder::Value RecipeBuilder::GetDimensionSize(Value value, int64_t dim) {
  return Add(
      Opcode::kGetDimensionSize, Shape::Scalar(ElementType::kS32), {value},
      EncodeAttributes(Opcode::kGetDimensionSize, DimensionsAttributes{{dim}}));
}

RecipeBuilder::Value RecipeBuilder::Equal(Value lhs, Value rhs) {
  return Add(Opcode::kCompare, Shape::Scalar(ElementType::kPred), {lhs, rhs},
             EncodeAttributes(Opcode::kCompare, CompareAttributes()));
}

RecipeBuilder::Value RecipeBuilder::Select(Value pred, Value on_true,
                                           Value on_false) {
  return Add(Opcode::kSelect, shape(on_true).WithoutLayout(),
             {pred, on_true, on_false},
             EncodeAttributes(Opcode::kSelect, NoAttributes()));
}

RecipeBuilder::Value RecipeBuilder::Stack(absl::Span<const Value> scalars) {
  const Shape one = Shape::Of(ElementType::kS32, {1});
  Expansion::Values rows;
  for (const Value scalar : scalars) rows.push_back(Reshape(scalar, one));
  if (rows.size() == 1) return rows[0];
  const int64_t count = static_cast<int64_t>(rows.size());
  return Add(Opcode::kConcatenate, Shape::Of(ElementType::kS32, {count}), rows,
             EncodeAttributes(Opcode::kConcatenate, DimensionsAttributes{{0}}));
}

RecipeBuilder::Value RecipeBuilder::DynamicBroadcastInDim(
    Value value, Value sizes, const Shape& shape, const DimIndices& dims) {
  CustomCallAttributes attributes;
  attributes.target = "mhlo.dynamic_broadcast_in_dim";
  attributes.api_version = 1;
  const OwnedAttributeBytes call =
      EncodeAttributes(Opcode::kCustomCall, attributes);
  return Add(Opcode::kCustomCall, shape, {value, sizes},
             WithField(call.view(), kBackendConfig,
                       absl::StrCat("{broadcast_dimensions=[",
                                    absl::StrJoin(dims, ","), "]}")));
}

}  // namespace indim
