// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/composite_fixes.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/fixes/fix.h"

namespace indim::internal {
namespace {

// The nearest number that names a dim of `rank`, from either end.
int64_t NearestDim(int64_t dim, int64_t rank) {
  return std::clamp(dim, -rank, rank - 1);
}

// `operand` with 1s in front, up to `rank` dims.
std::optional<Shape> OfRank(const Shape& operand, int64_t rank) {
  if (operand.is_scalar() || !operand.has_rank() || operand.rank() > rank) {
    return std::nullopt;  // of a scalar nobody knows what it should be
  }
  Shape grown = Shape::Scalar(operand.element_type());
  for (int64_t i = operand.rank(); i < rank; ++i) grown.add_dim(Dim::Static(1));
  for (const Dim dim : operand.dims()) grown.add_dim(dim);
  return grown;
}

std::vector<int64_t> DimsOfOne(const Shape& shape) {
  std::vector<int64_t> ones;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d).is(1)) ones.push_back(d);
  }
  return ones;
}

// The operand at fault with the size of the dim that it is compared with.
std::optional<Shape> WithSizeOf(const Shape& at_fault, int dim,
                                const Shape& other, int other_dim) {
  if (dim < 0 || dim >= at_fault.rank() || other_dim < 0 ||
      other_dim >= other.rank()) {
    return std::nullopt;
  }
  Shape mended = at_fault.WithoutLayout();
  mended.set_dim(dim, other.dim(other_dim));
  return mended;
}

}  // namespace

std::string NumberText(absl::string_view what, int64_t number) {
  return CallText(FixCall::kArgument, {what, absl::StrCat(number)});
}

std::string ListText(absl::string_view what,
                     absl::Span<const int64_t> numbers) {
  return CallText(FixCall::kListArgument, {what, absl::StrJoin(numbers, ",")});
}

std::optional<Shape> WithAllowedType(const Shape& operand, TypeMask allowed) {
  if (operand.is_array()) {
    Shape mended = operand.WithoutLayout();
    mended.set_element_type(TypeIn(allowed, operand.element_type()));
    return mended;
  }
  if (!operand.is_tuple()) return std::nullopt;
  for (const Shape& element : operand.elements()) {
    if (element.is_array() && Accepts(allowed, element.element_type())) {
      return element.WithoutLayout();
    }
  }
  return std::nullopt;
}

std::optional<Shape> WithOneAt(const Shape& shape, int64_t dim, int64_t rank) {
  if (shape.rank() != rank - 1) return std::nullopt;
  Shape grown = Shape::Scalar(shape.element_type());
  for (int d = 0; d < rank; ++d) {
    grown.add_dim(d == dim ? Dim::Static(1) : shape.dim(d < dim ? d : d - 1));
  }
  return grown;
}

std::optional<std::string> DimsText(absl::string_view what,
                                    absl::Span<const int64_t> dims,
                                    int64_t rank) {
  std::vector<int64_t> named;
  for (int64_t dim : dims) {
    if (rank == 0) break;
    dim = NearestDim(dim, rank);
    if (dim < 0) dim += rank;
    if (!absl::c_linear_search(named, dim)) named.push_back(dim);
  }
  if (named.empty()) return std::nullopt;  // an empty list means all
  return ListText(what, named);
}

std::optional<DiagnosticArg> MendOf(const Diagnostic& diagnostic,
                                    absl::Span<const Shape> operands) {
  const auto number = [&](size_t i) {
    return std::get<int64_t>(diagnostic.args[i]);
  };
  const auto text = [&](size_t i) {
    return std::get<std::string>(diagnostic.args[i]);
  };
  const Shape* const at_fault =
      diagnostic.operand >= 0 &&
              static_cast<size_t>(diagnostic.operand) < operands.size()
          ? &operands[static_cast<size_t>(diagnostic.operand)]
          : nullptr;
  std::optional<Shape> shape;
  switch (diagnostic.code) {
    case Code::kDimIndexRange:
      if (number(2) == 0) return std::nullopt;
      return NumberText(text(0), NearestDim(number(1), number(2)));
    case Code::kAttributeRange:
      return NumberText(text(0), number(2));
    case Code::kPartDims:
      return std::get<Shape>(diagnostic.args[0]);
    case Code::kRankTooLow:
      if (at_fault != nullptr) shape = OfRank(*at_fault, number(0));
      break;
    case Code::kIndexRange: {
      const Dim size = at_fault->dim(diagnostic.dim);
      if (!size.has_upper() || size.upper() == 0) return std::nullopt;
      return NumberText(
          "index",
          std::clamp(number(0), size.is_static() ? -size.upper() : int64_t{0},
                     size.upper() - 1));
    }
    case Code::kSqueezeSize: {
      const std::vector<int64_t> ones = DimsOfOne(*at_fault);
      if (ones.empty()) return std::nullopt;
      return ListText("dims", ones);
    }
    case Code::kOperandRanksDiffer: {
      const auto other = static_cast<size_t>(diagnostic.other_operand);
      if (at_fault == nullptr || other >= operands.size()) return std::nullopt;
      shape = operands[other].WithoutLayout();
      shape->set_element_type(at_fault->element_type());
      break;
    }
    case Code::kSizesMustMatch: {
      const auto other = static_cast<size_t>(diagnostic.other_operand);
      if (at_fault == nullptr || other >= operands.size()) return std::nullopt;
      shape = WithSizeOf(*at_fault, diagnostic.dim, operands[other],
                         diagnostic.other_dim);
      break;
    }
    default:
      break;
  }
  if (shape) return *std::move(shape);
  return std::nullopt;
}

}  // namespace indim::internal
