// SPDX-License-Identifier: Apache-2.0
// The shape function of ops whose rows declare the whole result form.

#include <utility>
#include <vector>

#include "indim/shape/dims/dim_math.h"
#include "indim/shape/infer/check_constraint.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/infer/shape_functions.h"

namespace indim {
namespace {

// The element type that the row's ResultType gives for these operands.
std::optional<ElementType> ResultElementType(const OpInputs& inputs,
                                             ResultType type) {
  const auto operand = [&](int i) {
    return inputs.operands[i]->element_type();
  };
  switch (type) {
    case ResultType::kSame:
      return operand(0);
    case ResultType::kReal:
      return RealPart(operand(0));
    case ResultType::kCommon:
      if (operand(0) == operand(1)) return operand(0);
      return HigherPrecision(operand(0), operand(1));
    case ResultType::kComplex:
      return ComplexOf(operand(0));
    case ResultType::kPred:
      return ElementType::kPred;
    case ResultType::kRecorded:
      return inputs.declared->element_type();
    case ResultType::kFixed:
    case ResultType::kEach:
    case ResultType::kOther:
      break;
  }
  return std::nullopt;
}

// `shape` with the result's element type, without its layout.
Shape WithResultType(const OpInputs& inputs, const ResultForm& form,
                     const Shape& shape) {
  if (!shape.is_array()) return shape.WithoutLayout();
  const ElementType type =
      ResultElementType(inputs, form.element).value_or(shape.element_type());
  if (shape.is_unranked()) return Shape::Unranked(type);
  return Shape::Array(type, shape.dims());
}

// The result for operands in a graph, where nothing stretches, and whose dims
// are compatible: dims of one place have one size.
Shape UnstretchedResult(InferContext* context, const OpInputs& inputs,
                        ElementType type) {
  const Shape &a = *inputs.operands[0], &b = *inputs.operands[1];
  Shape result = Shape::Scalar(type);
  for (int i = 0; i < a.rank(); ++i) {
    context->Require({Condition::Kind::kEqual, a.dim(i), b.dim(i)});
    result.add_dim(MostSpecificDim(a.dim(i), b.dim(i)).value_or(a.dim(i)));
  }
  return result;
}

// Two arrays of equal static dims, without broadcast_dimensions: under every
// rule that aligns from the right nothing stretches and no condition remains.
bool IsPlain(const BroadcastSpec& spec, const Shape& a, const Shape& b) {
  if (!TakesEqualDims(spec) || !a.has_rank() || !b.has_rank() ||
      a.rank() != b.rank()) {
    return false;
  }
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i) || !a.dim(i).is_static()) return false;
  }
  return true;
}

// Plans the broadcast of the operands' dims; the plan's conditions become the
// inference's.
std::optional<Shape> BroadcastResult(InferContext* context,
                                     const OpInputs& inputs,
                                     const ResultForm& form) {
  const ElementType type = *ResultElementType(inputs, form.element);
  const BroadcastSpec& spec = BroadcastSpecOf(inputs);
  if (IsPlain(spec, *inputs.operands[0], *inputs.operands[1])) {
    return Shape::Array(type, inputs.operands[0]->dims());
  }
  if (!context->is_builder() &&
      !DimsAreCompatible(*inputs.operands[0], *inputs.operands[1])) {
    return context->Diagnose(Code::kImplicitBroadcast, 1)
        .Arg(inputs.operands[0]->WithoutLayout());
  }
  const Shape &a = *inputs.operands[0], &b = *inputs.operands[1];
  if (!context->is_builder() && a.has_rank() && b.has_rank() &&
      (a.is_symbolic() || b.is_symbolic())) {
    return UnstretchedResult(context, inputs, type);
  }
  BroadcastPlan plan;
  // A successful plan may come with a warning about what XLA's builder gets
  // wrong (Code::kXlaPlacesAtEnd). Indim expands such a plan correctly, so the
  // warning is only for callers of PlanBroadcast.
  std::vector<Diagnostic> diagnostics;
  if (!PlanBroadcast(spec, inputs.operands, &plan, &diagnostics)) {
    for (Diagnostic& d : diagnostics) {
      context->mutable_diagnostics()->push_back(std::move(d));
    }
    return std::nullopt;
  }
  context->AddConditions(plan.conditions);
  if (plan.unranked) return Shape::Unranked(type);
  return Shape::Array(type, plan.dims);
}

int64_t NumberOf(const OpInputs& inputs, const AttributeRef& attribute) {
  return inputs.attributes != nullptr ? attribute.numbers(*inputs.attributes)[0]
                                      : attribute.numbers(NoAttributes())[0];
}

Shape PartOf(const OpInputs& inputs, const ResultPart& part) {
  switch (part.kind) {
    case ResultPart::Kind::kOperand:
      return inputs.operands[part.operand]->WithoutLayout();
    case ResultPart::Kind::kElement: {
      const int64_t element = part.attribute != nullptr
                                  ? NumberOf(inputs, *part.attribute)
                                  : part.element;
      return inputs.operands[part.operand]->elements()[element].WithoutLayout();
    }
    case ResultPart::Kind::kVector: {
      const Shape& operand = *inputs.operands[part.operand];
      const Dim size =
          operand.has_rank()
              ? operand.dim(static_cast<int>(NumberOf(inputs, *part.attribute)))
              : Dim::Unknown();
      return Shape::Array(operand.element_type(), {size});
    }
    case ResultPart::Kind::kScalar:
      return Shape::Scalar(part.type);
    case ResultPart::Kind::kToken:
      break;
  }
  return Shape::Token();
}

std::vector<Shape> OperandsOf(const OpInputs& inputs) {
  std::vector<Shape> shapes;
  shapes.reserve(inputs.operands.size());
  for (const Shape* operand : inputs.operands) {
    shapes.push_back(operand->WithoutLayout());
  }
  return shapes;
}

std::vector<Shape> PartsOf(const OpInputs& inputs, const ResultForm& form) {
  std::vector<Shape> parts;
  parts.reserve(static_cast<size_t>(form.part_count));
  for (int i = 0; i < form.part_count; ++i) {
    parts.push_back(PartOf(inputs, form.parts[i]));
  }
  return parts;
}

}  // namespace

std::optional<Shape> DeclaredResult(InferContext* context,
                                    const OpInputs& inputs,
                                    const ResultForm& form) {
  switch (form.kind) {
    case ResultForm::Kind::kFunction:
      return std::nullopt;
    case ResultForm::Kind::kOperand:
      return WithResultType(inputs, form, *inputs.operands[form.operand]);
    case ResultForm::Kind::kRankedOf: {
      const bool ranked = inputs.operands[form.operand]->has_rank();
      return WithResultType(
          inputs, form, *inputs.operands[ranked ? form.operand : form.other]);
    }
    case ResultForm::Kind::kBroadcast:
      return BroadcastResult(context, inputs, form);
    case ResultForm::Kind::kFixed:
      if (form.size < 0) return Shape::Scalar(form.type);
      return Shape::Of(form.type, {form.size});
    case ResultForm::Kind::kPart:
      return PartOf(inputs, form.parts[0]);
    case ResultForm::Kind::kTuple:
      return MakeTuple(context, PartsOf(inputs, form));
    case ResultForm::Kind::kOperandTuple:
      return MakeTuple(context, OperandsOf(inputs));
    case ResultForm::Kind::kOperands:
      if (inputs.operands.size() == 1) {
        return inputs.operands[0]->WithoutLayout();
      }
      return MakeTuple(context, OperandsOf(inputs));
    case ResultForm::Kind::kRecorded:
      return inputs.declared->WithoutLayout();
    case ResultForm::Kind::kRecordedDims:
      return WithResultType(inputs, form, *inputs.declared);
    case ResultForm::Kind::kCallee:
      return inputs.callees[0]->result.WithoutLayout();
  }
  return std::nullopt;
}

std::optional<Shape> InferDeclared(InferContext* context,
                                   const OpInputs& inputs) {
  return DeclaredResult(context, inputs, DeclarationOf(inputs.opcode).result);
}

}  // namespace indim
