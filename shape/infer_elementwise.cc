// Shape functions of elementwise operations and of element type changes.
// Source: XLA's ShapeInference and, for scalars of select and clamp,
// XlaBuilder.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/shape/dim_math.h"
#include "indim/shape/infer_util.h"
#include "indim/shape/shape_functions.h"

namespace indim {
namespace {

// `shape` with elements of `type`, without its layout.
Shape WithType(const Shape& shape, ElementType type) {
  if (shape.is_unranked()) return Shape::Unranked(type);
  return Shape::Array(type, shape.dims());
}

// Same rank and Compatible dims; element types don't count. Unranked arrays go
// with anything.
bool SameDims(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return true;
  return a.rank() == b.rank() && std::equal(a.dims().begin(), a.dims().end(),
                                            b.dims().begin(), CompatibleDims);
}

}  // namespace

std::optional<Shape> InferSameAsOperand(InferContext*, const OpInputs& inputs) {
  return inputs.operands[0]->WithoutLayout();
}

std::optional<Shape> InferUnary(InferContext*, const OpInputs& inputs) {
  const Shape& operand = *inputs.operands[0];
  ElementType type = operand.element_type();
  const ResultType rule = Info(inputs.opcode).type;
  if (rule == ResultType::kReal) type = RealPart(type);
  if (rule == ResultType::kPred) type = ElementType::kPred;
  return WithType(operand, type);
}

// --- Two operands ------------------------------------------------------------
namespace {

// What a compare says about its elements, where that is not the default.
bool CheckComparisonType(InferContext* context, const OpInputs& inputs) {
  const ComparisonType type = inputs.attributes_as<CompareAttributes>().type;
  const ElementType element = inputs.operands[0]->element_type();
  const char* name = "";
  bool ok = true;
  switch (type) {
    case ComparisonType::kDefault:
      return true;
    case ComparisonType::kFloat:
      name = "FLOAT";
      ok = IsFloat(element) || IsComplex(element);
      break;
    case ComparisonType::kFloatTotalOrder:
      name = "TOTALORDER";
      ok = IsFloat(element);
      break;
    case ComparisonType::kSigned:
      name = "SIGNED";
      ok = IsSigned(element);
      break;
    case ComparisonType::kUnsigned:
      name = "UNSIGNED";
      ok = IsUnsigned(element) || element == ElementType::kPred;
      break;
  }
  if (ok) return true;
  return context->Error(Rule::kComparisonType, 0).Arg(std::string(name));
}

std::optional<ElementType> BinaryType(InferContext* context,
                                      const OpInputs& inputs) {
  std::optional<ElementType> common = CommonType(context, inputs, 0, 1);
  if (!common) return std::nullopt;
  switch (Info(inputs.opcode).type) {
    case ResultType::kPred:
      return ElementType::kPred;
    case ResultType::kComplex: {
      // Mixed floats have no complex type, and only f32 and f64 have one.
      const bool equal = inputs.operands[0]->element_type() ==
                         inputs.operands[1]->element_type();
      std::optional<ElementType> type = ComplexOf(*common);
      if (equal && type) return type;
      context->Error(Rule::kOperandTypeClass, equal ? 0 : 1)
          .Arg(std::string(equal ? "f32 or f64" : "of operand 0's type"));
      return std::nullopt;
    }
    default:
      return common;
  }
}

}  // namespace

std::optional<Shape> InferBinary(InferContext* context,
                                 const OpInputs& inputs) {
  if (!ExpectArray(context, inputs, 1)) return std::nullopt;
  std::optional<ElementType> type = BinaryType(context, inputs);
  if (!type) return std::nullopt;
  if (inputs.opcode == Opcode::kCompare &&
      !CheckComparisonType(context, inputs)) {
    return std::nullopt;
  }
  if (!context->is_builder() &&
      !SameDims(*inputs.operands[0], *inputs.operands[1])) {
    return context->Error(Rule::kImplicitBroadcast, 1)
        .Arg(inputs.operands[0]->WithoutLayout());
  }
  BroadcastPlan plan;
  // A plan that is made may have said what XLA's builder would get wrong about
  // it (Rule::kXlaPlacesAtEnd). It has sense and Indim expands it rightly, so
  // that is for who asks about the plan itself.
  std::vector<Diagnostic> said;
  if (!PlanBroadcast(BroadcastSpecOf(inputs), inputs.operands, &plan, &said)) {
    for (Diagnostic& d : said) {
      context->mutable_diagnostics()->push_back(std::move(d));
    }
    return std::nullopt;
  }
  context->mutable_conditions()->insert(context->mutable_conditions()->end(),
                                        plan.conditions.begin(),
                                        plan.conditions.end());
  if (plan.unranked) return Shape::Unranked(*type);
  return Shape::Array(*type, plan.dims);
}

namespace {
// Whether a size is a bound in one and exact in the other. XLA takes neither
// for the other here, though it does elsewhere.
bool OneIsBounded(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if ((a.dim(i).is_bounded() && b.dim(i).is_static()) ||
        (a.dim(i).is_static() && b.dim(i).is_bounded())) {
      return true;
    }
  }
  return false;
}
}  // namespace

std::optional<Shape> InferStochasticConvert(InferContext* context,
                                            const OpInputs& inputs) {
  if (!ExpectArray(context, inputs, 1)) return std::nullopt;
  if (inputs.declared == nullptr || !inputs.declared->is_array()) {
    return context->Error(Rule::kResultShapeNeeded);
  }
  const Shape& operand = *inputs.operands[0];
  const Shape& random = *inputs.operands[1];
  const int bits = Info(operand.element_type()).bits;
  if (!IsUnsigned(random.element_type()) ||
      Info(random.element_type()).bits != bits) {
    return context->Error(Rule::kTypeMismatch, 1).Arg(absl::StrCat("u", bits));
  }
  if (!SameDims(operand, random) || OneIsBounded(operand, random)) {
    return context->Error(Rule::kShapesDiffer, 0).Other(1);
  }
  return WithType(operand.is_unranked() ? random : operand,
                  inputs.declared->element_type());
}

// --- Three operands ----------------------------------------------------------
namespace {

// Dims of the three operands once the builder has made them alike: a scalar
// among arrays is broadcast to the first array's dims. An unranked operand is
// taken to have these dims as well.
struct Ternary {
  bool unranked = false;  // nothing says what the dims are
  DimVector dims[3];
};

// What a broadcast scalar becomes: XLA makes it static, by the bounds, unless
// some dim is unknown.
DimVector ScalarTarget(const Shape& target) {
  DimVector dims(target.dims().begin(), target.dims().end());
  if (target.is_unbounded()) return dims;
  for (Dim& dim : dims) {
    if (dim.is_bounded()) dim = Dim::Static(dim.upper());
  }
  return dims;
}

std::optional<Ternary> PlaceTernary(InferContext* context,
                                    const OpInputs& inputs) {
  Ternary result;
  int target = -1;
  bool some_unranked = false;
  for (int i = 0; i < 3; ++i) {
    if (!ExpectArray(context, inputs, i)) return std::nullopt;
    const Shape& operand = *inputs.operands[i];
    if (operand.is_unranked()) some_unranked = true;
    if (!operand.has_rank() || operand.is_scalar()) continue;
    if (target < 0) target = i;
    if (!SameDims(*inputs.operands[target], operand)) {
      context->Error(Rule::kShapesDiffer, i).Other(target);
      return std::nullopt;
    }
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

// In HLO itself operand `i` may not be a scalar where `other` is an array.
bool CheckNoScalar(InferContext* context, const OpInputs& inputs, int i,
                   int other) {
  if (context->is_builder() ||
      SameDims(*inputs.operands[i], *inputs.operands[other])) {
    return true;
  }
  return context->Error(Rule::kImplicitBroadcast, i)
      .Arg(inputs.operands[other]->WithoutLayout());
}

// A dim of select's result. An unknown size of the values is settled by the
// other value alone; else an unknown one of pred wins.
std::optional<Dim> SelectDim(Dim pred, Dim on_true, Dim on_false) {
  std::optional<Dim> value = MostSpecificDim(on_true, on_false);
  if (!value || on_true.is_unknown() || on_false.is_unknown()) return value;
  if (pred.is_unknown() && value->is_xla()) return pred;
  return MostSpecificDim(*value, pred);
}

}  // namespace

std::optional<Shape> InferSelect(InferContext* context,
                                 const OpInputs& inputs) {
  std::optional<Ternary> placed = PlaceTernary(context, inputs);
  if (!placed) return std::nullopt;
  if (inputs.operands[0]->element_type() != ElementType::kPred) {
    return context->Error(Rule::kTypeMismatch, 0).Arg(ElementType::kPred);
  }
  std::optional<ElementType> type = CommonType(context, inputs, 1, 2);
  if (!type || !CheckNoScalar(context, inputs, 2, 1)) return std::nullopt;
  if (!inputs.operands[0]->is_scalar() &&
      !CheckNoScalar(context, inputs, 1, 0)) {
    return std::nullopt;
  }
  if (placed->unranked) return Shape::Unranked(*type);
  DimVector dims;
  for (size_t i = 0; i < placed->dims[0].size(); ++i) {
    std::optional<Dim> dim =
        SelectDim(placed->dims[0][i], placed->dims[1][i], placed->dims[2][i]);
    if (!dim) {
      return context->Error(Rule::kShapesDiffer, 2, static_cast<int>(i))
          .Other(1, static_cast<int>(i));
    }
    dims.push_back(*dim);
  }
  return Shape::Array(*type, dims);
}

std::optional<Shape> InferClamp(InferContext* context, const OpInputs& inputs) {
  std::optional<Ternary> placed = PlaceTernary(context, inputs);
  if (!placed) return std::nullopt;
  for (int i : {0, 2}) {
    if (!CommonType(context, inputs, 1, i)) return std::nullopt;
    if (inputs.operands[i]->is_scalar()) continue;
    if (!CheckNoScalar(context, inputs, 1, i)) return std::nullopt;
    if (!std::equal(placed->dims[i].begin(), placed->dims[i].end(),
                    placed->dims[1].begin(), CompatibleDims)) {
      return context->Error(Rule::kShapesDiffer, i).Other(1);
    }
  }
  // The operand's own type, also where min and max are more general.
  const ElementType type = inputs.operands[1]->element_type();
  if (placed->unranked) return Shape::Unranked(type);
  return Shape::Array(type, placed->dims[1]);
}

// --- Map ---------------------------------------------------------------------
namespace {

// XlaBuilder broadcasts scalars of a map, to static dims only.
bool CheckScalarTarget(InferContext* context, const Shape& array, int scalar,
                       int target) {
  if (array.is_static()) return true;
  return context->Error(Rule::kShapesDiffer, scalar).Other(target);
}

// The operand whose dims the result has: the first, or the first array where
// it is a scalar. nullopt with a diagnostic when shapes don't go together.
std::optional<int> MapTarget(InferContext* context, const OpInputs& inputs) {
  int target = 0;
  int scalar = -1;  // an operand that is broadcast
  int unranked = inputs.operands[0]->is_unranked() ? 0 : -1;
  for (size_t i = 1; i < inputs.operands.size(); ++i) {
    const int index = static_cast<int>(i);
    if (!ExpectArray(context, inputs, index)) return std::nullopt;
    const Shape& operand = *inputs.operands[i];
    const Shape& array = *inputs.operands[target];
    if (operand.is_unranked()) unranked = index;
    if (SameDims(operand, array)) {
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
      context->Error(Rule::kShapesDiffer, index).Other(target);
      return std::nullopt;
    }
  }
  // Scalars stretch, so next to them an unranked operand may be an array.
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

// Every operand of `signature` and its result are scalars of fitting types.
bool CheckMapCallee(InferContext* context, const OpInputs& inputs,
                    const Signature& callee) {
  if (callee.parameters.size() != inputs.operands.size()) {
    return context->Error(Rule::kCalleeArity)
        .Arg(int64_t{0})
        .Arg(static_cast<int64_t>(callee.parameters.size()))
        .Arg(static_cast<int64_t>(inputs.operands.size()));
  }
  if (!callee.result.is_scalar()) {
    return context->Error(Rule::kCalleeResult)
        .Arg(int64_t{0})
        .Arg(callee.result)
        .Arg(std::string("a scalar"));
  }
  for (size_t i = 0; i < callee.parameters.size(); ++i) {
    const Shape& parameter = callee.parameters[i];
    if (parameter.is_scalar() &&
        SameTypeIgnoringFloatPrecision(parameter.element_type(),
                                       inputs.operands[i]->element_type())) {
      continue;
    }
    return context->Error(Rule::kCalleeParameter, static_cast<int>(i))
        .Arg(int64_t{0})
        .Arg(static_cast<int64_t>(i))
        .Arg(parameter);
  }
  return true;
}

}  // namespace

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
    return context->Error(Rule::kMapDimensions, *target)
        .Arg(int64_t{array.rank()} - 1);
  }
  return WithType(array, callee.result.element_type());
}

// --- Element types -----------------------------------------------------------
std::optional<Shape> InferConvert(InferContext* context,
                                  const OpInputs& inputs) {
  if (inputs.declared == nullptr || !inputs.declared->is_array()) {
    return context->Error(Rule::kResultShapeNeeded);
  }
  return WithType(*inputs.operands[0], inputs.declared->element_type());
}

namespace {
// Width as bitcast-convert counts it: a pred is one bit, however it is stored.
int BitcastBits(ElementType type) {
  return type == ElementType::kPred ? 1 : Info(type).bits;
}
}  // namespace

std::optional<Shape> InferBitcastConvert(InferContext* context,
                                         const OpInputs& inputs) {
  if (inputs.declared == nullptr || !inputs.declared->is_array()) {
    return context->Error(Rule::kResultShapeNeeded);
  }
  const Shape& operand = *inputs.operands[0];
  const ElementType type = inputs.declared->element_type();
  if (IsComplex(operand.element_type()) != IsComplex(type)) {
    return context->Error(Rule::kConvertComplex, 0).Arg(type);
  }
  const int from = BitcastBits(operand.element_type());
  const int to = BitcastBits(type);
  if (from == 0 || to == 0 || std::max(from, to) % std::min(from, to) != 0) {
    return context->Error(Rule::kConvertWidths, 0).Arg(type);
  }
  Shape result = WithType(operand, type);
  if (from == to || operand.is_unranked()) return result;
  if (from > to) {  // one element becomes a row of narrower ones
    result.add_dim(Dim::Static(from / to));
    return result;
  }
  const int64_t ratio = to / from;
  const int last = operand.rank() - 1;
  // XLA compares sizes and bounds, and takes no unknown size here.
  if (last < 0 || operand.dim(last).is_unknown() ||
      !CompatibleDims(operand.dim(last), Dim::Static(ratio))) {
    return context->Error(Rule::kConvertLastDim, 0, last).Arg(type).Arg(ratio);
  }
  if (!operand.dim(last).is_static()) {
    context->mutable_conditions()->push_back(
        {SizeCondition::Kind::kIs, {0, last}, {}, ratio});
  }
  return Shape::Array(type, operand.dims().subspan(0, last));
}

std::optional<Shape> InferReducePrecision(InferContext* context,
                                          const OpInputs& inputs) {
  const auto& bits = inputs.attributes_as<ReducePrecisionAttributes>();
  if (bits.exponent_bits < 1) {
    return context->Error(Rule::kAttributeRange)
        .Arg(std::string("exponent_bits"))
        .Arg(bits.exponent_bits)
        .Arg(int64_t{1});
  }
  if (bits.mantissa_bits < 0) {
    return context->Error(Rule::kAttributeRange)
        .Arg(std::string("mantissa_bits"))
        .Arg(bits.mantissa_bits)
        .Arg(int64_t{0});
  }
  return inputs.operands[0]->WithoutLayout();
}

}  // namespace indim
