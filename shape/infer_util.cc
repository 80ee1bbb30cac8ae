#include "indim/shape/infer_util.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace indim {

bool ExpectArray(InferContext* context, const OpInputs& inputs, int i) {
  if (inputs.operands[i]->is_array()) return true;
  return context->Error(Rule::kOperandNotArray, i);
}

bool ExpectClass(InferContext* context, const OpInputs& inputs, int i,
                 OperandClass c) {
  if (c == OperandClass::kAny) return true;
  if (!ExpectArray(context, inputs, i)) return false;
  if (Accepts(c, inputs.operands[i]->element_type())) return true;
  return context->Error(Rule::kOperandTypeClass, i)
      .Arg(std::string(Describe(c)));
}

bool ExpectScalar(InferContext* context, const OpInputs& inputs, int i) {
  const Shape& operand = *inputs.operands[i];
  if (operand.is_scalar() || operand.is_unranked()) return true;
  return context->Error(Rule::kOperandNotScalar, i);
}

bool ExpectToken(InferContext* context, const OpInputs& inputs, int i) {
  if (inputs.operands[i]->is_token()) return true;
  return context->Error(Rule::kOperandNotToken, i);
}

std::optional<ElementType> CommonType(InferContext* context,
                                      const OpInputs& inputs, int i, int j) {
  if (!SameTypeIgnoringFloatPrecision(inputs.operands[i]->element_type(),
                                      inputs.operands[j]->element_type())) {
    context->Error(Rule::kOperandTypesDiffer, i).Other(j);
    return std::nullopt;
  }
  return HigherType(context, inputs, i, j);
}

std::optional<ElementType> HigherType(InferContext* context,
                                      const OpInputs& inputs, int i, int j) {
  std::optional<ElementType> type = HigherPrecision(
      inputs.operands[i]->element_type(), inputs.operands[j]->element_type());
  if (!type) context->Error(Rule::kNoCommonType, i).Other(j);
  return type;
}

bool ExpectDimIndex(InferContext* context, const OpInputs& inputs, int operand,
                    int64_t index, absl::string_view what) {
  const Shape& shape = *inputs.operands[operand];
  if (index >= 0 && (!shape.has_rank() || index < shape.rank())) return true;
  return context->Error(Rule::kDimIndexRange, operand)
      .Arg(std::string(what))
      .Arg(index)
      .Arg(int64_t{shape.rank()});
}

bool ExpectUniqueDimIndices(InferContext* context, const OpInputs& inputs,
                            int operand, absl::Span<const int64_t> indices,
                            absl::string_view what) {
  absl::flat_hash_set<int64_t> seen;
  for (int64_t index : indices) {
    if (!ExpectDimIndex(context, inputs, operand, index, what)) return false;
    if (!seen.insert(index).second) {
      return context->Error(Rule::kDimIndexRepeated, operand)
          .Arg(std::string(what))
          .Arg(index);
    }
  }
  return true;
}

const BroadcastSpec& BroadcastSpecOf(const OpInputs& inputs) {
  if (Info(inputs.opcode).attributes == AttributesKind::kCompare) {
    return inputs.attributes_as<CompareAttributes>().broadcast;
  }
  return inputs.attributes_as<ElementwiseAttributes>().broadcast;
}

std::optional<Shape> MakeTuple(InferContext* context,
                               std::vector<Shape> elements) {
  Shape tuple = Shape::Tuple(std::move(elements));
  if (tuple.is_none()) return context->Error(Rule::kNestsTooDeep);
  return tuple;
}

DiagnosticBuilder SizeOverflow(InferContext* context, int dim) {
  return context->Error(Rule::kSizeOverflow, -1, dim)
      .Arg(absl::StrCat("result dim ", dim));
}

}  // namespace indim
