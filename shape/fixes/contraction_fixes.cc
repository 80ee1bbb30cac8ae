// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/fixes/contraction_fixes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/fixes/fix_candidates.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/ops/attributes.h"

namespace indim {
namespace {

// --- Convolutions -----------------------------------------------------------

constexpr int kInput = 0;
constexpr int kKernel = 1;

// The order of an array's dims, a letter each: b and f (in a kernel o and i),
// and * for the spatial dims.
struct UsualLayout {
  absl::string_view input;
  absl::string_view kernel;
  // Input and kernel follow one convention. Other pairs are guessed only for a
  // kernel that looks like one.
  bool of_one_habit;
};
constexpr UsualLayout kUsualLayouts[] = {
    {"bf*", "oi*", true},  {"b*f", "*io", true},  {"b*f", "o*i", true},
    {"bf*", "*io", false}, {"b*f", "oi*", false}, {"bf*", "io*", false},
};

// The dim of letter `letter` in `layout`, for an array with `spatial` spatial
// dims; for '*' the first of them.
int64_t PlaceOf(absl::string_view layout, char letter, int64_t spatial) {
  const size_t at = layout.find(letter);
  const bool after = at > layout.find('*');
  return Number(at) + (after ? spatial - 1 : 0);
}

DimIndices SpatialOf(absl::string_view layout, int64_t spatial) {
  DimIndices dims;
  const int64_t first = PlaceOf(layout, '*', spatial);
  for (int64_t i = 0; i < spatial; ++i) dims.push_back(first + i);
  return dims;
}

// Dimension numbers where the result has the input's layout.
ConvolutionDims DimsOf(const UsualLayout& layout, int64_t spatial) {
  ConvolutionDims dims;
  dims.input_batch = PlaceOf(layout.input, 'b', spatial);
  dims.input_feature = PlaceOf(layout.input, 'f', spatial);
  dims.input_spatial = SpatialOf(layout.input, spatial);
  dims.kernel_input_feature = PlaceOf(layout.kernel, 'i', spatial);
  dims.kernel_output_feature = PlaceOf(layout.kernel, 'o', spatial);
  dims.kernel_spatial = SpatialOf(layout.kernel, spatial);
  dims.output_batch = dims.input_batch;
  dims.output_feature = dims.input_feature;
  dims.output_spatial = dims.input_spatial;
  return dims;
}

// Whether the kernel is square, and no larger than its number of features.
bool LooksLikeKernel(const Shape& kernel, const ConvolutionDims& dims) {
  const auto size = [&](int64_t dim) {
    return kernel.dim(static_cast<int>(dim)).upper();
  };
  const int64_t features = std::max(size(dims.kernel_input_feature),
                                    size(dims.kernel_output_feature));
  return absl::c_all_of(dims.kernel_spatial, [&](int64_t dim) {
    return size(dim) == size(dims.kernel_spatial[0]) && size(dim) <= features;
  });
}

bool HasEmptyDim(const Shape& shape) {
  return absl::c_any_of(shape.dims(), [](Dim dim) { return dim.is(0); });
}

// `a` with other dimension numbers. The window covers the kernel's dims; its
// other settings stay if it had as many dims.
ConvolutionAttributes WithDims(ConvolutionAttributes a, ConvolutionDims dims,
                               const Shape& kernel) {
  if (a.window.size() != dims.kernel_spatial.size()) {
    a.window.assign(dims.kernel_spatial.size(), WindowDim());
  }
  for (size_t i = 0; i < a.window.size(); ++i) {
    const Dim size = kernel.dim(static_cast<int>(dims.kernel_spatial[i]));
    if (size.has_upper()) a.window[i].size = size.upper();
  }
  a.dims = std::move(dims);
  return a;
}

bool IsAboutDims(Code code) {
  switch (code) {
    case Code::kConvolutionDimsEmpty:
    case Code::kConvolutionRank:
    case Code::kConvolutionLabels:
    case Code::kGroupsDivide:
    case Code::kKernelFeatures:
    case Code::kKernelOutputDynamic:
    case Code::kKernelWindow:
      return true;
    default:
      return false;
  }
}

// The name of an array's layout, where dims `first` and `second` have these
// letters and the spatial dims those of `places`.
std::string LayoutName(int64_t first, char first_letter, int64_t second,
                       char second_letter, const DimIndices& spatial,
                       absl::string_view places) {
  std::string name(spatial.size() + 2, '?');
  const auto put = [&](int64_t dim, char letter) {
    if (dim >= 0 && dim < Number(name.size())) {
      name[static_cast<size_t>(dim)] = letter;
    }
  };
  put(first, first_letter);
  put(second, second_letter);
  for (size_t i = 0; i < spatial.size() && i < places.size(); ++i) {
    put(spatial[i], places[i]);
  }
  return name;
}

std::string ConvolutionText(const ConvolutionDims& d, absl::string_view x,
                            absl::string_view w) {
  const size_t spatial = d.input_spatial.size();
  const absl::string_view letters =
      absl::string_view("DHW").substr(3 - spatial);
  const absl::string_view digits = absl::string_view("012").substr(0, spatial);
  const auto input = [&](char batch, char feature, absl::string_view places) {
    return LayoutName(d.input_batch, batch, d.input_feature, feature,
                      d.input_spatial, places);
  };
  const auto kernel = [&](char out, char in, absl::string_view places) {
    return LayoutName(d.kernel_output_feature, out, d.kernel_input_feature, in,
                      d.kernel_spatial, places);
  };
  const std::string labels = input('b', 'f', digits);
  const std::string x_dims = input('N', 'C', letters);
  const std::string w_dims = kernel('O', 'I', letters);
  return absl::StrCat(
      x, " is ", x_dims, " and ", w, " is ", w_dims, ": ",
      CallText(
          FixCall::kConvolution,
          {x, w,
           absl::StrCat(labels, "_", kernel('o', 'i', digits), "->", labels),
           absl::StrCat(x_dims, ",", w_dims, "->", x_dims)}));
}

// --- Dots -------------------------------------------------------------------

std::string ProductText(const DotAttributes& d, absl::string_view x,
                        absl::string_view y) {
  const bool transposed =
      d.rhs_contracting_dims[0] > Number(d.rhs_batch_dims.size());
  return absl::StrCat(DotText(FixCall::kContract, d, x, y, ""),
                      " multiplies batch by batch, as ",
                      CallText(transposed ? FixCall::kProductOfTransposedRight
                                          : FixCall::kProduct,
                               {x, y}),
                      " does");
}

}  // namespace

std::string DotText(FixCall call, const DotAttributes& d, absl::string_view x,
                    absl::string_view y, absl::string_view changed) {
  const std::string lists[] = {
      ListText(d.lhs_contracting_dims), ListText(d.rhs_contracting_dims),
      ListText(d.lhs_batch_dims), ListText(d.rhs_batch_dims)};
  return CallText(call,
                  {x, y, lists[0], lists[1], lists[2], lists[3], changed});
}

std::vector<Fix> ConvolutionLayouts(const OpInputs& inputs,
                                    const Diagnostic& diagnostic) {
  constexpr int kMaxSpatial = 3;
  if (inputs.opcode != Opcode::kConvolution || !IsAboutDims(diagnostic.code) ||
      inputs.operands.size() < 2) {
    return {};
  }
  const Shape& input = *inputs.operands[kInput];
  const Shape& kernel = *inputs.operands[kKernel];
  const int64_t spatial = int64_t{input.rank()} - 2;
  if (!input.has_rank() || !kernel.has_rank() ||
      input.rank() != kernel.rank() || spatial < 1 || spatial > kMaxSpatial) {
    return {};
  }
  std::vector<Fix> fixes;
  for (const UsualLayout& layout : kUsualLayouts) {
    ConvolutionDims dims = DimsOf(layout, spatial);
    if (!layout.of_one_habit && !LooksLikeKernel(kernel, dims)) continue;
    Fix fix;
    fix.what = Fix::What::kContraction;
    fix.attributes = WithDims(inputs.attributes_as<ConvolutionAttributes>(),
                              std::move(dims), kernel);
    const std::optional<Shape> result = ResultOf(inputs, fix);
    if (!result ||
        (HasEmptyDim(*result) && !HasEmptyDim(input) && !HasEmptyDim(kernel))) {
      continue;
    }
    fixes.push_back(std::move(fix));
  }
  return fixes;
}

std::optional<Fix> BatchedProduct(const OpInputs& inputs) {
  const auto& given = inputs.attributes_as<DotAttributes>();
  if (inputs.opcode != Opcode::kDot || inputs.operands.size() < 2 ||
      !given.lhs_batch_dims.empty() || !given.rhs_batch_dims.empty()) {
    return std::nullopt;
  }
  const Shape& x = *inputs.operands[0];
  const Shape& y = *inputs.operands[1];
  if (x.rank() < 3 || x.rank() != y.rank()) return std::nullopt;
  DotAttributes product = given;
  for (int i = 0; i + 2 < x.rank(); ++i) {
    if (x.dim(i) != y.dim(i)) return std::nullopt;
    product.lhs_batch_dims.push_back(i);
    product.rhs_batch_dims.push_back(i);
  }
  product.lhs_contracting_dims = {x.rank() - 1};
  for (const int with : {y.rank() - 2, y.rank() - 1}) {
    if (!CompatibleDims(x.dim(x.rank() - 1), y.dim(with))) continue;
    product.rhs_contracting_dims = {with};
    Fix fix;
    fix.what = Fix::What::kContraction;
    fix.attributes = product;
    return fix;
  }
  return std::nullopt;
}

std::string ContractionText(const Fix& fix,
                            absl::Span<const std::string> names) {
  const auto name = [&](size_t i) -> std::string {
    return i < names.size() ? names[i] : absl::StrCat("operand ", i);
  };
  const std::string x = name(0), y = name(1);
  if (const auto* a = std::get_if<DotAttributes>(&fix.attributes)) {
    return ProductText(*a, x, y);
  }
  return ConvolutionText(As<ConvolutionAttributes>(fix.attributes).dims, x, y);
}

}  // namespace indim
