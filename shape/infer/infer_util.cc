// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/infer/infer_util.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/infer/infer_sizes.h"

namespace indim {

bool ExpectArray(InferContext* context, const OpInputs& inputs, int i) {
  if (inputs.operands[i]->is_array()) return true;
  return context->Diagnose(Code::kOperandNotArray, i);
}

bool ExpectClass(InferContext* context, const OpInputs& inputs, int i,
                 TypeMask c) {
  if (c == TypeMask::kAny) return true;
  if (!ExpectArray(context, inputs, i)) return false;
  if (Accepts(c, inputs.operands[i]->element_type())) return true;
  return context->Diagnose(Code::kOperandTypeClass, i).Arg(Describe(c));
}

bool ExpectScalar(InferContext* context, const OpInputs& inputs, int i) {
  const Shape& operand = *inputs.operands[i];
  if (operand.is_scalar() || operand.is_unranked()) return true;
  return context->Diagnose(Code::kOperandNotScalar, i);
}

bool ExpectToken(InferContext* context, const OpInputs& inputs, int i) {
  if (inputs.operands[i]->is_token()) return true;
  return context->Diagnose(Code::kOperandNotToken, i);
}

int FirstRanked(const OpInputs& inputs, int count) {
  for (int i = 0; i < count; ++i) {
    if (inputs.operands[i]->has_rank()) return i;
  }
  return -1;
}

bool ExpectArity(InferContext* context, const OpInputs& inputs, int callee,
                 size_t count) {
  const size_t arity = inputs.callees[callee]->parameters.size();
  if (arity == count) return true;
  return context->Diagnose(Code::kCalleeArity)
      .Arg(CalleeRole(inputs.opcode, callee))
      .Arg(static_cast<int64_t>(arity))
      .Arg(static_cast<int64_t>(count));
}

bool ExpectArgument(InferContext* context, const OpInputs& inputs, int operand,
                    int callee, int parameter) {
  const Shape& taken = inputs.callees[callee]->parameters[parameter];
  if (Compatible(*inputs.operands[operand], taken)) {
    AddEqualDimsConditions(context, *inputs.operands[operand], taken);
    return true;
  }
  return context->Diagnose(Code::kCalleeParameter, operand)
      .Arg(CalleeRole(inputs.opcode, callee))
      .Arg(int64_t{parameter})
      .Arg(taken)
      .Arg(DifferenceText(*inputs.operands[operand], taken));
}

namespace {

// The indices of the elements that are not Compatible, in two tuples of one
// size.
std::vector<int> ElementsThatDiffer(const Shape& a, const Shape& b) {
  std::vector<int> differ;
  for (int i = 0; i < a.tuple_size(); ++i) {
    if (!Compatible(a.elements()[i], b.elements()[i])) differ.push_back(i);
  }
  return differ;
}

}  // namespace

std::string DifferenceText(const Shape& a, const Shape& b) {
  const Shape* x = &a;
  const Shape* y = &b;
  std::vector<std::string> path;
  size_t others = 0;
  while (x->is_tuple() && y->is_tuple() && x->tuple_size() == y->tuple_size()) {
    const std::vector<int> differ = ElementsThatDiffer(*x, *y);
    if (differ.empty()) break;
    if (path.empty()) others = differ.size() - 1;
    path.push_back(absl::StrCat(differ[0]));
    x = &x->elements()[differ[0]];
    y = &y->elements()[differ[0]];
  }
  const bool sizes_differ =
      x->is_tuple() && y->is_tuple() && x->tuple_size() != y->tuple_size();
  if (path.empty() && !sizes_differ) return "";
  const std::string place =
      path.empty() ? ""
      : path.size() == 1
          ? absl::StrCat(" at element ", path[0])
          : absl::StrCat(" at element {", absl::StrJoin(path, ","), "}");
  return absl::StrCat(
      ";", place,
      sizes_differ ? absl::StrCat(" they have ", x->tuple_size(), " and ",
                                  y->tuple_size(), " elements")
                   : absl::StrCat(" they are ", x->WithoutLayout().ToString(),
                                  " and ", y->WithoutLayout().ToString()),
      others == 0   ? ""
      : others == 1 ? ", as at another"
                    : absl::StrCat(", as at ", others, " others"));
}

bool ExpectOneValue(InferContext* context, const OpInputs& inputs, int callee) {
  const std::vector<Shape>& parameters = inputs.callees[callee]->parameters;
  if (parameters.size() < 2) return ExpectArity(context, inputs, callee, 1);
  std::vector<Shape> elements;
  for (const Shape& parameter : parameters) {
    elements.push_back(parameter.WithoutLayout());
  }
  return context->Diagnose(Code::kTupleParameter)
      .Arg(CalleeRole(inputs.opcode, callee))
      .Arg(Number(parameters.size()))
      .Arg(Shape::Tuple(std::move(elements)));
}

bool DimsAreCompatible(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return true;
  return a.dims() == b.dims() ||
         (a.rank() == b.rank() && std::equal(a.dims().begin(), a.dims().end(),
                                             b.dims().begin(), CompatibleDims));
}

std::optional<ElementType> UnsignedOfWidth(int bits) {
  for (const ElementTypeInfo& info : AllElementTypes()) {
    if (info.kind == ElementKind::kUnsigned && info.bits == bits) {
      return info.type;
    }
  }
  return std::nullopt;
}

std::optional<ElementType> CommonType(InferContext* context,
                                      const OpInputs& inputs, int i, int j) {
  if (!SameTypeIgnoringFloatPrecision(inputs.operands[i]->element_type(),
                                      inputs.operands[j]->element_type())) {
    context->Diagnose(Code::kOperandTypesDiffer, i).Other(j);
    return std::nullopt;
  }
  return HigherType(context, inputs, i, j);
}

std::optional<ElementType> HigherType(InferContext* context,
                                      const OpInputs& inputs, int i, int j) {
  std::optional<ElementType> type = HigherPrecision(
      inputs.operands[i]->element_type(), inputs.operands[j]->element_type());
  if (!type) context->Diagnose(Code::kNoCommonType, i).Other(j);
  return type;
}

bool ExpectDimIndex(InferContext* context, const OpInputs& inputs, int operand,
                    int64_t index, absl::string_view what) {
  const Shape& shape = *inputs.operands[operand];
  if (index >= 0 && (!shape.has_rank() || index < shape.rank())) return true;
  return context->Diagnose(Code::kDimIndexRange, operand)
      .Arg(std::string(what))
      .Arg(index)
      .Arg(int64_t{shape.rank()});
}

bool ExpectUniqueDimIndices(InferContext* context, const OpInputs& inputs,
                            int operand, absl::Span<const int64_t> indices,
                            absl::string_view what) {
  // Only long lists, which nobody writes by hand, need a set.
  constexpr size_t kFew = 16;
  absl::flat_hash_set<int64_t> seen;
  for (size_t i = 0; i < indices.size(); ++i) {
    const int64_t index = indices[i];
    if (!ExpectDimIndex(context, inputs, operand, index, what)) return false;
    const bool repeated =
        indices.size() > kFew
            ? !seen.insert(index).second
            : absl::c_linear_search(indices.subspan(0, i), index);
    if (repeated) {
      return context->Diagnose(Code::kDimIndexRepeated, operand)
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

bool TakesEqualDims(const BroadcastSpec& spec) {
  return !spec.dimensions.has_value() && spec.rule != BroadcastRule::kPdpd;
}

std::optional<Shape> MakeTuple(InferContext* context,
                               std::vector<Shape> elements) {
  Shape tuple = Shape::Tuple(std::move(elements));
  if (tuple.is_none()) return context->Diagnose(Code::kNestsTooDeep);
  return tuple;
}

DiagnosticBuilder SizeOverflow(InferContext* context, int dim) {
  return context->Diagnose(Code::kSizeOverflow, -1, dim)
      .Arg(absl::StrCat("result dim ", dim));
}

}  // namespace indim
