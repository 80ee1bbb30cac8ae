// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/infer/infer_components.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/opcode.h"

namespace indim {
namespace {

// What inference hides of the operands.
enum class Blur { kNothing, kSizes, kRanks };

// `shape` without the sizes, or the ranks, of its arrays.
Shape Blurred(const Shape& shape, Blur blur) {
  if (shape.is_array()) {
    if (blur == Blur::kRanks) return Shape::Unranked(shape.element_type());
    if (blur == Blur::kNothing || shape.is_unranked()) return shape;
    const DimVector dims(shape.dims().size(), Dim::Unknown());
    return Shape::Array(shape.element_type(), dims);
  }
  if (!shape.is_tuple()) return shape;
  std::vector<Shape> elements;
  for (const Shape& element : shape.elements()) {
    elements.push_back(Blurred(element, blur));
  }
  return Shape::Tuple(std::move(elements));
}

// `shape` with element type `type`, where it is an array.
Shape OfType(Shape shape, ElementType type) {
  if (shape.is_array()) shape.set_element_type(type);
  return shape;
}

// --- Ranks that the other operands or the attributes determine ---------------

Shape OfUnknownDims(const Shape& array, size_t rank) {
  return Shape::Array(array.element_type(), DimVector(rank, Dim::Unknown()));
}

// `array` with the static and symbolic dims of `like`: at run time both have
// the same dims.
Shape WithDimsOf(const Shape& array, const Shape& like) {
  Shape result = OfUnknownDims(array, like.dims().size());
  for (int i = 0; i < like.rank(); ++i) {
    const Dim dim = like.dim(i);
    if (dim.is_static() || dim.is_symbolic()) result.set_dim(i, dim);
  }
  return result;
}

// Fills in unknown ranks and dims of operands that `c` ties to a ranked
// operand.
void FillRanks(const Constraint& c, std::vector<Shape>* operands) {
  if (c.kind != ConstraintKind::kSameDims &&
      c.kind != ConstraintKind::kExactDims &&
      c.kind != ConstraintKind::kSameShape &&
      c.kind != ConstraintKind::kSameRank) {
    return;
  }
  const int count = static_cast<int>(operands->size());
  std::vector<size_t> all;
  if (c.other >= 0 && c.other < count) all.push_back(c.other);
  for (int i = c.operands.begin(count); i < c.operands.end(count); ++i) {
    all.push_back(static_cast<size_t>(i));
  }
  const auto ranked = std::find_if(all.begin(), all.end(), [&](size_t i) {
    return (*operands)[i].has_rank();
  });
  if (ranked == all.end()) return;
  const Shape like = (*operands)[*ranked];
  for (const size_t i : all) {
    Shape& operand = (*operands)[i];
    if (!operand.is_unranked()) continue;
    operand = c.kind == ConstraintKind::kSameRank
                  ? OfUnknownDims(operand, like.dims().size())
                  : WithDimsOf(operand, like);
  }
}

// Gives the first `count` operands rank `rank` where their rank is unknown.
void FillRanks(size_t count, size_t rank, std::vector<Shape>* operands) {
  for (size_t i = 0; i < std::min(count, operands->size()); ++i) {
    Shape& operand = (*operands)[i];
    if (operand.is_unranked()) operand = OfUnknownDims(operand, rank);
  }
}

// Fills in unknown ranks of operands, as far as the op's constraints, its
// attributes and the other operands determine them.
void FillRanks(const OpInputs& inputs, std::vector<Shape>* operands) {
  for (const Constraint& c : DeclarationOf(inputs.opcode).constraints) {
    FillRanks(c, operands);
  }
  if (inputs.attributes == nullptr || operands->empty()) return;
  const size_t half = std::max<size_t>(1, operands->size() / 2);
  if (const auto* window = std::get_if<WindowAttributes>(inputs.attributes)) {
    const bool has_source = inputs.opcode == Opcode::kSelectAndScatter;
    FillRanks(has_source ? 2 : half, window->window.size(), operands);
  } else if (const auto* scatter =
                 std::get_if<ScatterAttributes>(inputs.attributes)) {
    FillRanks(half,
              scatter->update_window_dims.size() +
                  scatter->inserted_window_dims.size() +
                  scatter->input_batching_dims.size(),
              operands);
  } else if (inputs.opcode == Opcode::kDynamicUpdateSlice &&
             operands->size() > 1) {
    Shape& update = (*operands)[1];
    Shape& operand = (*operands)[0];
    if (update.has_rank()) FillRanks(1, update.dims().size(), operands);
    if (operand.has_rank() && update.is_unranked()) {
      update = OfUnknownDims(update, operand.dims().size());
    }
  }
}

// --- Inference from part of the operands -------------------------------------

// InferShape on blurred operands, all of element type `type` where that is
// given.
std::optional<Shape> Ask(const OpInputs& inputs, Blur blur,
                         std::optional<ElementType> type = std::nullopt) {
  std::vector<Shape> shapes;
  std::vector<const Shape*> operands;
  for (const Shape* operand : inputs.operands) {
    if (operand == nullptr) return std::nullopt;
    shapes.push_back(Blurred(*operand, blur));
    if (type) shapes.back() = OfType(std::move(shapes.back()), *type);
  }
  if (blur != Blur::kRanks) FillRanks(inputs, &shapes);
  for (const Shape& shape : shapes) operands.push_back(&shape);
  OpInputs asked = inputs;
  asked.operands = operands;
  // Ops of kSizesGiven need only sizes from a record; the element type follows
  // without them.
  Shape open;
  if (inputs.declared == nullptr && blur == Blur::kRanks && !shapes.empty() &&
      Info(inputs.opcode).result == ResultSource::kSizesGiven) {
    open = Shape::Unranked(shapes[0].element_type());
    asked.declared = &open;
  }
  InferContext context;
  return InferShape(&context, asked);
}

void Flatten(const Shape& shape, std::vector<const Shape*>* arrays) {
  if (shape.is_array()) arrays->push_back(&shape);
  for (const Shape& element : shape.elements()) Flatten(element, arrays);
}

// Applies `part` to each array of `shape`.
template <typename Part, typename Function>
std::optional<std::vector<std::optional<Part>>> Parts(
    const std::optional<Shape>& shape, Function part) {
  if (!shape) return std::nullopt;
  std::vector<const Shape*> arrays;
  Flatten(*shape, &arrays);
  std::vector<std::optional<Part>> parts;
  for (const Shape* array : arrays) parts.push_back(part(*array));
  return parts;
}

std::optional<int> RankOf(const Shape& array) {
  if (!array.has_rank()) return std::nullopt;
  return array.rank();
}

std::optional<DimVector> DimsOf(const Shape& array) {
  if (!array.has_rank()) return std::nullopt;
  return DimVector(array.dims().begin(), array.dims().end());
}

// InferShape; where it fails, again with operand 0's element type for all.
std::optional<Shape> AskWithAnyTypes(const OpInputs& inputs, Blur blur) {
  std::optional<Shape> shape = Ask(inputs, blur);
  if (!shape && !inputs.operands.empty() && inputs.operands[0] != nullptr) {
    shape = Ask(inputs, blur, inputs.operands[0]->element_type());
  }
  return shape;
}

}  // namespace

std::optional<std::vector<std::optional<ElementType>>> InferElementTypes(
    const OpInputs& inputs) {
  std::optional<Shape> shape = Ask(inputs, Blur::kRanks);
  // Some operations have no answer without ranks or sizes.
  if (!shape) shape = Ask(inputs, Blur::kSizes);
  if (!shape) shape = Ask(inputs, Blur::kNothing);
  return Parts<ElementType>(
      shape, [](const Shape& array) -> std::optional<ElementType> {
        return array.element_type();
      });
}

std::optional<std::vector<std::optional<int>>> InferRanks(
    const OpInputs& inputs) {
  std::optional<Shape> shape = AskWithAnyTypes(inputs, Blur::kSizes);
  if (!shape) shape = AskWithAnyTypes(inputs, Blur::kNothing);
  return Parts<int>(shape, RankOf);
}

std::optional<std::vector<std::optional<DimVector>>> InferDims(
    const OpInputs& inputs) {
  return Parts<DimVector>(AskWithAnyTypes(inputs, Blur::kNothing), DimsOf);
}

std::vector<ShapedTypeComponents> InferComponents(const OpInputs& inputs) {
  const auto types = InferElementTypes(inputs);
  const auto ranks = InferRanks(inputs);
  const auto dims = InferDims(inputs);
  size_t count = 0;
  if (types) count = std::max(count, types->size());
  if (ranks) count = std::max(count, ranks->size());
  if (dims) count = std::max(count, dims->size());
  std::vector<ShapedTypeComponents> components(count);
  for (size_t i = 0; i < count; ++i) {
    if (types && i < types->size()) components[i].element_type = (*types)[i];
    if (ranks && i < ranks->size()) components[i].rank = (*ranks)[i];
    if (dims && i < dims->size()) components[i].dims = (*dims)[i];
    if (components[i].dims) {
      components[i].rank = static_cast<int>(components[i].dims->size());
    }
  }
  return components;
}

}  // namespace indim
