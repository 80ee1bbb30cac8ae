// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/fixes/stablehlo_fix.h"

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/fixes/change.h"
#include "indim/shape/types/element_type.h"

namespace indim {
namespace {

std::string ListInBrackets(absl::Span<const int64_t> numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ", "), "]");
}

std::string DotDims(const DotAttributes& d) {
  std::string text;
  if (!d.lhs_batch_dims.empty()) {
    text = absl::StrCat("batching_dims = ", ListInBrackets(d.lhs_batch_dims),
                        " x ", ListInBrackets(d.rhs_batch_dims), ", ");
  }
  return absl::StrCat(
      text, "contracting_dims = ", ListInBrackets(d.lhs_contracting_dims),
      " x ", ListInBrackets(d.rhs_contracting_dims));
}

std::string Ranges(const SliceAttributes& slice) {
  std::vector<std::string> dims;
  for (size_t i = 0; i < slice.limits.size(); ++i) {
    const int64_t start = i < slice.starts.size() ? slice.starts[i] : 0;
    const int64_t stride = i < slice.strides.size() ? slice.strides[i] : 1;
    dims.push_back(absl::StrCat(start, ":", slice.limits[i],
                                stride == 1 ? "" : absl::StrCat(":", stride)));
  }
  return absl::StrCat("[", absl::StrJoin(dims, ", "), "]");
}

// What the form of `inputs`' operation has for the attributes after `fix`.
std::string Attribute(const Fix& fix, const OpInputs& inputs) {
  OwnedInputs mended(inputs);
  mended.Apply(fix);
  switch (inputs.opcode) {
    case Opcode::kBroadcast:
    case Opcode::kTranspose:
    case Opcode::kReverse:
      return absl::StrCat("dims = ", ListInBrackets(fix.numbers));
    case Opcode::kReduce:
      return absl::StrCat("dimensions = ", ListInBrackets(fix.numbers));
    case Opcode::kConcatenate:
    case Opcode::kIota:
      return absl::StrCat("dim = ", absl::StrJoin(fix.numbers, ", "));
    case Opcode::kDot:
      return DotDims(As<DotAttributes>(mended.attributes));
    case Opcode::kSlice:
      return Ranges(As<SliceAttributes>(mended.attributes));
    default:
      return "";
  }
}

}  // namespace

std::string MlirTypeText(const Shape& shape) {
  if (!shape.is_array() || !shape.has_rank()) {
    return shape.WithoutLayout().ToString();
  }
  std::string text = "tensor<";
  for (const Dim dim : shape.dims()) {
    absl::StrAppend(&text, dim.is_static() ? absl::StrCat(dim.size()) : "?",
                    "x");
  }
  return absl::StrCat(text, MlirName(shape.element_type()), ">");
}

std::string StablehloChange(const Shape& from, const Shape& to,
                            absl::string_view name) {
  if (!from.is_array() || !to.is_array() || !from.is_static() ||
      !to.is_static()) {
    return "";
  }
  const auto operation = [&](absl::string_view op, absl::string_view with) {
    return absl::StrCat("stablehlo.", op, " %", name, with, " : (",
                        MlirTypeText(from), ") -> ", MlirTypeText(to));
  };
  if (from.dims() == to.dims()) {
    return from.element_type() == to.element_type() ? ""
                                                    : operation("convert", "");
  }
  if (from.element_type() != to.element_type()) return "";
  if (SameElementCount(from, to)) return operation("reshape", "");
  const std::optional<DimIndices> dims = DimsForBroadcast(from, to);
  return dims ? operation("broadcast_in_dim",
                          absl::StrCat(", dims = ", ListInBrackets(*dims)))
              : "";
}

std::string StablehloFixText(const Fix& fix, const OpInputs& inputs,
                             absl::Span<const std::string> names) {
  const auto index = static_cast<size_t>(fix.index);
  switch (fix.what) {
    case Fix::What::kOperand: {
      std::string change;
      if (index < inputs.operands.size() && index < names.size()) {
        change =
            StablehloChange(*inputs.operands[index], fix.shape, names[index]);
      }
      return change.empty() ? absl::StrCat("operand ", index, " of type ",
                                           MlirTypeText(fix.shape))
                            : absl::StrCat(change, " as operand ", index);
    }
    case Fix::What::kAttribute:
    case Fix::What::kContraction:
      return Attribute(fix, inputs);
    case Fix::What::kRecorded:
      return absl::StrCat("a result of type ", MlirTypeText(fix.shape));
    case Fix::What::kCallee:
    case Fix::What::kBroadcast:
    case Fix::What::kOperandCount:
    case Fix::What::kSwapped:
    case Fix::What::kUnwrapped:
      break;
  }
  return "";
}

}  // namespace indim
