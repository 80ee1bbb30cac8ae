// SPDX-License-Identifier: Apache-2.0
// Where a result's dims come from: inference is asked once more, with a name
// for each size of the operands.

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/tools/explain/explain_node.h"

namespace indim {
namespace {

constexpr size_t kLetters = 26;

std::vector<std::string> DimTexts(const Shape& shape) {
  std::vector<std::string> texts;
  for (const Dim dim : shape.dims()) texts.push_back(dim.ToString());
  return texts;
}

std::vector<const Shape*> Arrays(const Shape& result) {
  std::vector<const Shape*> arrays;
  if (result.is_array()) return {&result};
  if (!result.is_tuple()) return arrays;
  for (const Shape& element : result.elements()) arrays.push_back(&element);
  return arrays;
}

// `shape` with a name for each dim; unchanged where it has none.
Shape WithNames(const Shape& shape, size_t operand) {
  Shape named = shape.WithoutLayout();
  if (!shape.has_rank()) return named;
  for (int d = 0; d < shape.rank(); ++d) {
    const std::string name =
        absl::StrCat(std::string(1, static_cast<char>('a' + operand)), d);
    const std::optional<Dim> dim = SymbolDim(name);
    if (dim) named.set_dim(d, *dim);
  }
  return named;
}

std::vector<std::string> PartNames(
    int rank, absl::string_view other,
    std::initializer_list<std::pair<absl::string_view, const DimIndices*>>
        parts) {
  std::vector<std::string> names(static_cast<size_t>(rank), std::string(other));
  for (const auto& [name, dims] : parts) {
    for (const int64_t d : *dims) {
      if (d >= 0 && d < rank) names[static_cast<size_t>(d)] = std::string(name);
    }
  }
  return names;
}

}  // namespace

NodeInputsOf::NodeInputsOf(const NodeQuestion& question) {
  for (const Shape& shape : question.operands) operands_.push_back(&shape);
  for (const Signature& callee : question.callees) callees_.push_back(&callee);
  inputs_.opcode = question.opcode;
  inputs_.operands = operands_;
  inputs_.attributes = &question.attributes;
  inputs_.callees = callees_;
  inputs_.declared = question.recorded ? &*question.recorded : nullptr;
}

std::optional<SizeFormulas> NameSizes(const NodeQuestion& question,
                                      const Shape& result) {
  if (Info(question.opcode).result == ResultSource::kGiven ||
      question.operands.size() > kLetters) {
    return std::nullopt;
  }
  NodeQuestion named = question;
  SizeFormulas sizes;
  bool any = false;
  for (size_t i = 0; i < named.operands.size(); ++i) {
    Shape& operand = named.operands[i];
    operand = WithNames(operand, i);
    any = any || (operand.has_rank() && operand.rank() > 0);
    sizes.operands.push_back(operand.has_rank() ? ShapeText(false, operand)
                                                : "");
  }
  if (!any) return std::nullopt;
  InferContext context(question.policy);
  const NodeInputsOf inputs(named);
  const std::optional<Shape> inferred = InferShape(&context, inputs.inputs());
  if (!inferred) return std::nullopt;
  const std::vector<const Shape*> arrays = Arrays(*inferred);
  const std::vector<const Shape*> actual = Arrays(result);
  if (arrays.size() != actual.size()) return std::nullopt;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const bool dims = arrays[i]->has_rank() && actual[i]->has_rank() &&
                      arrays[i]->rank() == actual[i]->rank();
    if (!dims && actual[i]->has_rank()) return std::nullopt;
    sizes.results.push_back(dims ? DimTexts(*arrays[i])
                                 : std::vector<std::string>{});
  }
  for (const Condition& condition : context.conditions()) {
    const std::optional<Condition> by_name =
        WithSizes(condition, inputs.inputs().operands, &*inferred);
    std::string text = by_name ? ToString(*by_name) : "";
    if (by_name && !absl::c_linear_search(sizes.conditions, text)) {
      sizes.conditions.push_back(std::move(text));
    }
  }
  return sizes;
}

std::vector<std::string> DimParts(const NodeQuestion& question, int operand) {
  if (operand > 1) return {};
  const Shape& shape = question.operands[static_cast<size_t>(operand)];
  if (!shape.has_rank()) return {};
  const int rank = shape.rank();
  if (const auto* dot = std::get_if<DotAttributes>(&question.attributes)) {
    if (operand == 0) {
      return PartNames(rank, "free",
                       {{"contracting", &dot->lhs_contracting_dims},
                        {"batch", &dot->lhs_batch_dims}});
    }
    return PartNames(rank, "free",
                     {{"contracting", &dot->rhs_contracting_dims},
                      {"batch", &dot->rhs_batch_dims},
                      {"group", &dot->rhs_group_dims}});
  }
  if (const auto* conv =
          std::get_if<ConvolutionAttributes>(&question.attributes)) {
    const ConvolutionDims& dims = conv->dims;
    const DimIndices batch = {dims.input_batch}, feature = {dims.input_feature},
                     input = {dims.kernel_input_feature},
                     output = {dims.kernel_output_feature};
    if (operand == 0) {
      return PartNames(rank, "?",
                       {{"batch", &batch},
                        {"feature", &feature},
                        {"spatial", &dims.input_spatial}});
    }
    return PartNames(rank, "?",
                     {{"input feature", &input},
                      {"output feature", &output},
                      {"spatial", &dims.kernel_spatial}});
  }
  return {};
}

}  // namespace indim
