#include "indim/shape/infer/infer_components.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/opcode.h"

namespace indim {
namespace {

// How much of the operands a question may look at.
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

// With one element type, the first operand's.
Shape OfType(Shape shape, ElementType type) {
  if (shape.is_array()) shape.set_element_type(type);
  return shape;
}

// --- Ranks that aren't written -----------------------------------------------

Shape OfUnknownDims(const Shape& array, size_t rank) {
  return Shape::Array(array.element_type(), DimVector(rank, Dim::Unknown()));
}

// `array` with the dims of `like`, which it must have at run time.
Shape WithDimsOf(const Shape& array, const Shape& like) {
  Shape result = OfUnknownDims(array, like.dims().size());
  for (int i = 0; i < like.rank(); ++i) {
    const Dim dim = like.dim(i);
    if (dim.is_static() || dim.is_symbolic()) result.set_dim(i, dim);
  }
  return result;
}

// What a constraint on several operands says of those of unknown rank.
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

// What attributes say of the first `count` operands: a window has a dim for
// each of theirs, a scatter says what becomes of each.
void FillRanks(size_t count, size_t rank, std::vector<Shape>* operands) {
  for (size_t i = 0; i < std::min(count, operands->size()); ++i) {
    Shape& operand = (*operands)[i];
    if (operand.is_unranked()) operand = OfUnknownDims(operand, rank);
  }
}

// Operands of unknown rank, as far as what the op declares, its attributes and
// the other operands tell it.
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

// --- Questions ---------------------------------------------------------------

// InferShape on operands that are blurred, and of one type where `type` says.
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
  // Where only sizes must be given, the type doesn't need them.
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

// `part` of each array of `shape`.
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

// The result, whatever the element types.
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
  // Some operations need more to say anything.
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

std::optional<Shape> InferReturnType(const OpInputs& inputs) {
  InferContext context;
  return InferShape(&context, inputs);
}

}  // namespace indim
