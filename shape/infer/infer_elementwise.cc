// SPDX-License-Identifier: Apache-2.0
// Shape functions of elementwise operations and of element type changes.
// Source: XLA's ShapeInference and, for scalars of select and clamp,
// XlaBuilder.

#include <algorithm>
#include <string>

#include "indim/shape/dims/dim_math.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/infer/reducer.h"

namespace indim {
namespace {

// `shape` with elements of `type`, without its layout.
Shape WithType(const Shape& shape, ElementType type) {
  if (shape.is_unranked()) return Shape::Unranked(type);
  return Shape::Array(type, shape.dims());
}

// --- Three operands ----------------------------------------------------------

// Dims of the three operands as the builder makes them alike: it broadcasts a
// scalar to the dims of the first array. An unranked operand is assumed to have
// these dims too.
struct Ternary {
  bool unranked = false;  // no operand gives dims
  DimVector dims[3];
};

// The dims of a broadcast scalar: XLA makes them static, with bounds as sizes,
// unless some dim is unknown.
DimVector ScalarTarget(const Shape& target) {
  DimVector dims(target.dims().begin(), target.dims().end());
  if (target.is_unbounded()) return dims;
  for (Dim& dim : dims) {
    if (dim.is_bounded()) dim = Dim::Static(dim.upper());
  }
  return dims;
}

// Places the operands, whose dims must be compatible.
Ternary PlaceTernary(const OpInputs& inputs) {
  Ternary result;
  int target = -1;
  bool some_unranked = false;
  for (int i = 0; i < 3; ++i) {
    const Shape& operand = *inputs.operands[i];
    if (operand.is_unranked()) some_unranked = true;
    if (target < 0 && operand.rank() > 0) target = i;
  }
  if (target < 0) {
    result.unranked = some_unranked;
    return result;
  }
  const Shape& array = *inputs.operands[target];
  for (int i = 0; i < 3; ++i) {
    const Shape& operand = *inputs.operands[i];
    if (operand.is_scalar()) {
      result.dims[i] = ScalarTarget(array);
    } else {
      const Shape& dims = operand.is_unranked() ? array : operand;
      result.dims[i].assign(dims.dims().begin(), dims.dims().end());
    }
  }
  return result;
}

// In a graph operand `i` must not be a scalar where `other` is an array.
bool CheckNoScalar(InferContext* context, const OpInputs& inputs, int i,
                   int other) {
  if (context->is_builder() ||
      DimsAreCompatible(*inputs.operands[i], *inputs.operands[other])) {
    return true;
  }
  return context->Diagnose(Code::kImplicitBroadcast, i)
      .Arg(inputs.operands[other]->WithoutLayout());
}

// A dim of select's result. Where one value's size is unknown, the other
// value's size decides; else an unknown size of pred wins.
std::optional<Dim> SelectDim(Dim pred, Dim on_true, Dim on_false) {
  std::optional<Dim> value = MostSpecificDim(on_true, on_false);
  if (!value || on_true.is_unknown() || on_false.is_unknown()) return value;
  if (pred.is_unknown() && value->is_xla()) return pred;
  return MostSpecificDim(*value, pred);
}

// XlaBuilder broadcasts scalar operands of a map only to static dims.
bool CheckScalarTarget(InferContext* context, const Shape& array, int scalar,
                       int target) {
  if (array.is_static()) return true;
  return context->Diagnose(Code::kShapesDiffer, scalar).Other(target);
}

// The operand that gives the result's dims: the first, or the first array where
// that is a scalar. nullopt after a diagnostic when shapes don't match.
std::optional<int> MapTarget(InferContext* context, const OpInputs& inputs) {
  int target = 0;
  int scalar = -1;  // an operand that is broadcast
  int unranked = inputs.operands[0]->is_unranked() ? 0 : -1;
  for (size_t i = 1; i < inputs.operands.size(); ++i) {
    const int index = static_cast<int>(i);
    const Shape& operand = *inputs.operands[i];
    const Shape& array = *inputs.operands[target];
    if (operand.is_unranked()) unranked = index;
    if (DimsAreCompatible(operand, array)) {
      AddEqualDimsConditions(context, array, operand);
      if (array.is_unranked()) target = index;
      continue;
    }
    const bool stretches = context->is_builder() &&
                           SameTypeIgnoringFloatPrecision(
                               operand.element_type(), array.element_type());
    if (stretches && operand.is_scalar()) {
      scalar = index;
    } else if (stretches && array.is_scalar()) {
      scalar = target;
      target = index;
    } else {
      context->Diagnose(Code::kShapesDiffer, index).Other(target);
      return std::nullopt;
    }
  }
  // Scalars stretch, so beside scalars an unranked operand may be an array.
  if (context->is_builder() && unranked >= 0 &&
      inputs.operands[target]->is_scalar()) {
    return unranked;
  }
  if (scalar >= 0 &&
      !CheckScalarTarget(context, *inputs.operands[target], scalar, target)) {
    return std::nullopt;
  }
  return target;
}

// The callee must take a scalar of each operand's type and return a scalar.
bool CheckMapCallee(InferContext* context, const OpInputs& inputs,
                    const Signature& callee) {
  if (callee.parameters.size() != inputs.operands.size()) {
    return context->Diagnose(Code::kCalleeArity)
        .Arg(CalleeRole(inputs.opcode, 0))
        .Arg(static_cast<int64_t>(callee.parameters.size()))
        .Arg(static_cast<int64_t>(inputs.operands.size()));
  }
  if (!callee.result.is_scalar()) {
    return context->Diagnose(Code::kCalleeResult)
        .Arg(CalleeRole(inputs.opcode, 0))
        .Arg(callee.result)
        .Arg(std::string("a scalar"))
        .Arg(std::string());
  }
  for (size_t i = 0; i < callee.parameters.size(); ++i) {
    const Shape& parameter = callee.parameters[i];
    if (parameter.is_scalar() &&
        SameTypeIgnoringFloatPrecision(parameter.element_type(),
                                       inputs.operands[i]->element_type())) {
      continue;
    }
    return context->Diagnose(Code::kCalleeParameter, static_cast<int>(i))
        .Arg(CalleeRole(inputs.opcode, 0))
        .Arg(static_cast<int64_t>(i))
        .Arg(parameter)
        .Arg(std::string(", not a scalar of the operand's element type"));
  }
  return ExpectParameterTypes(context, inputs, callee,
                              static_cast<int>(callee.parameters.size()));
}

// The width that bitcast-convert uses. For a pred it is one bit in XLA's
// builder, whose answers are recorded, and eight bits, as it is stored, in
// XLA's verifier.
int BitcastBits(const InferContext& context, ElementType type) {
  return type == ElementType::kPred && context.is_builder() ? 1
                                                            : Info(type).bits;
}

}  // namespace

std::optional<Shape> InferSelect(InferContext* context,
                                 const OpInputs& inputs) {
  const Ternary placed = PlaceTernary(inputs);
  std::optional<ElementType> type = HigherType(context, inputs, 1, 2);
  if (!type || !CheckNoScalar(context, inputs, 2, 1)) return std::nullopt;
  if (!inputs.operands[0]->is_scalar() &&
      !CheckNoScalar(context, inputs, 1, 0)) {
    return std::nullopt;
  }
  if (placed.unranked) return Shape::Unranked(*type);
  DimVector dims;
  for (size_t i = 0; i < placed.dims[0].size(); ++i) {
    std::optional<Dim> dim =
        SelectDim(placed.dims[0][i], placed.dims[1][i], placed.dims[2][i]);
    if (!dim) {
      return context->Diagnose(Code::kShapesDiffer, 2, static_cast<int>(i))
          .Other(1, static_cast<int>(i));
    }
    dims.push_back(*dim);
  }
  return Shape::Array(*type, dims);
}

std::optional<Shape> InferClamp(InferContext* context, const OpInputs& inputs) {
  const Ternary placed = PlaceTernary(inputs);
  for (int i : {0, 2}) {
    if (inputs.operands[i]->is_scalar()) continue;
    if (!CheckNoScalar(context, inputs, 1, i)) return std::nullopt;
    if (!std::equal(placed.dims[i].begin(), placed.dims[i].end(),
                    placed.dims[1].begin(), CompatibleDims)) {
      return context->Diagnose(Code::kShapesDiffer, i).Other(1);
    }
  }
  // The operand's own type, even where min and max are more general.
  const ElementType type = inputs.operands[1]->element_type();
  if (placed.unranked) return Shape::Unranked(type);
  return Shape::Array(type, placed.dims[1]);
}

// --- Map ---------------------------------------------------------------------
std::optional<Shape> InferMap(InferContext* context, const OpInputs& inputs) {
  std::optional<int> target = MapTarget(context, inputs);
  if (!target) return std::nullopt;
  const Signature& callee = *inputs.callees[0];
  if (!CheckMapCallee(context, inputs, callee)) return std::nullopt;
  const Shape& array = *inputs.operands[*target];
  const DimIndices& dims =
      inputs.attributes_as<DimensionsAttributes>().dimensions;
  bool in_order =
      !array.has_rank() || static_cast<int>(dims.size()) == array.rank();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != static_cast<int64_t>(i)) in_order = false;
  }
  if (!in_order) {
    return context->Diagnose(Code::kMapDimensions, *target)
        .Arg(int64_t{array.rank()} - 1);
  }
  return WithType(array, callee.result.element_type());
}

// --- Element types -----------------------------------------------------------
std::optional<Shape> InferBitcastConvert(InferContext* context,
                                         const OpInputs& inputs) {
  const Shape& operand = *inputs.operands[0];
  const ElementType type = inputs.declared->element_type();
  if (IsComplex(operand.element_type()) != IsComplex(type)) {
    return context->Diagnose(Code::kConvertComplex, 0).Arg(type);
  }
  const int from = BitcastBits(*context, operand.element_type());
  const int to = BitcastBits(*context, type);
  if (from == 0 || to == 0 || std::max(from, to) % std::min(from, to) != 0) {
    return context->Diagnose(Code::kConvertWidths, 0).Arg(type);
  }
  Shape result = WithType(operand, type);
  if (from == to || operand.is_unranked()) return result;
  if (from > to) {  // one element becomes a row of narrower elements
    result.add_dim(Dim::Static(from / to));
    return result;
  }
  const int64_t ratio = to / from;
  const int last = operand.rank() - 1;
  // XLA compares sizes and bounds, and refuses an unknown size here.
  if (last < 0 || operand.dim(last).is_unknown() ||
      !CompatibleDims(operand.dim(last), Dim::Static(ratio))) {
    return context->Diagnose(Code::kConvertLastDim, 0, last)
        .Arg(type)
        .Arg(ratio);
  }
  if (!operand.dim(last).is_static()) {
    context->AddConditions(
        {{Condition::Kind::kEqual, DimRef{0, last}, Dim::Static(ratio)}});
  }
  return Shape::Array(type, operand.dims().subspan(0, last));
}

}  // namespace indim
