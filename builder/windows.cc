// SPDX-License-Identifier: Apache-2.0
// Operations with a window: reduce-window and select-and-scatter of FoldOps,
// convolutions of ArrayOps.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/record_util.h"

namespace indim {
namespace {

using internal::One;
using internal::Recorder;
using internal::WithCallees;

using Pads = std::vector<std::pair<int64_t, int64_t>>;

int64_t At(absl::Span<const int64_t> list, size_t i) {
  return list.empty() ? 1 : list[i];
}

// The window of a builder's call: lists that have an entry per dim, or none.
struct WindowLists {
  absl::Span<const int64_t> sizes;
  absl::Span<const int64_t> strides;
  absl::Span<const std::pair<int64_t, int64_t>> padding;
  absl::Span<const int64_t> base_dilations;
  absl::Span<const int64_t> window_dilations;
  absl::Span<const bool> reversal;
};

using Texts = std::vector<std::string>;

// The entries of a list as texts of a call.
Texts Entries(absl::Span<const int64_t> list) {
  Texts entries;
  for (const int64_t value : list) entries.push_back(absl::StrCat(value));
  return entries;
}
Texts Entries(absl::Span<const std::pair<int64_t, int64_t>> list) {
  Texts entries;
  for (const auto& [low, high] : list) {
    entries.push_back(absl::StrCat("{", low, ",", high, "}"));
  }
  return entries;
}
Texts Entries(absl::Span<const bool> list) {
  Texts entries;
  for (const bool value : list) entries.push_back(value ? "true" : "false");
  return entries;
}

std::string ListText(const char* name, const Texts& entries) {
  return absl::StrCat(name, "={", absl::StrJoin(entries, ","), "}");
}

// IND0632: a list that isn't empty has another number of entries than `dims`.
// If all entries are equal, the fix repeats them for each dim.
template <typename T>
bool ExpectEntries(InferContext* context, const char* name,
                   absl::Span<const T> list, size_t dims) {
  // Longer lists are rarely written by hand.
  constexpr size_t kMax = 16;
  if (list.empty() || list.size() == dims) return true;
  Texts entries = Entries(list.subspan(0, kMax));
  if (list.size() > kMax) entries.push_back("...");
  std::string fix;
  if (dims > 0 && dims <= kMax &&
      std::equal(entries.begin() + 1, entries.end(), entries.begin())) {
    fix = absl::StrCat("; to fix: ", ListText(name, Texts(dims, entries[0])));
  }
  return context->Diagnose(Code::kWindowListCount)
      .Arg(ListText(name, entries))
      .Arg(static_cast<int64_t>(list.size()))
      .Arg(static_cast<int64_t>(dims))
      .Arg(std::string("window dim"))
      .Arg(std::move(fix));
}

// nullopt: a list has the wrong length (IND0632).
std::optional<std::vector<WindowDim>> ReadWindow(InferContext* context,
                                                 const WindowLists& lists) {
  const size_t dims = lists.sizes.size();
  if (!ExpectEntries(context, "window_strides", lists.strides, dims) ||
      !ExpectEntries(context, "padding", lists.padding, dims) ||
      !ExpectEntries(context, "base_dilations", lists.base_dilations, dims) ||
      !ExpectEntries(context, "window_dilations", lists.window_dilations,
                     dims) ||
      !ExpectEntries(context, "window_reversal", lists.reversal, dims)) {
    return std::nullopt;
  }
  std::vector<WindowDim> window(dims);
  for (size_t i = 0; i < dims; ++i) {
    window[i].size = lists.sizes[i];
    window[i].stride = At(lists.strides, i);
    window[i].base_dilation = At(lists.base_dilations, i);
    window[i].window_dilation = At(lists.window_dilations, i);
    if (!lists.padding.empty()) {
      window[i].padding_low = lists.padding[i].first;
      window[i].padding_high = lists.padding[i].second;
    }
    window[i].window_reversal = !lists.reversal.empty() && lists.reversal[i];
  }
  return window;
}

// The padding for base / stride positions, rounded up. Source: XLA,
// MakePadding.
std::pair<int64_t, int64_t> SamePadding(int64_t base, int64_t window,
                                        int64_t stride) {
  if (window < 1 || stride < 1 || base < 1) return {0, 0};
  // From the last position to the end: 1..stride.
  const int64_t rest = base - (base - 1) / stride * stride;
  const int64_t total = std::max<int64_t>(0, window - rest);
  return {total / 2, total - total / 2};
}

// The padding of a window whose dim i slides over dim dims[i] of operand 0.
// IND0634: it depends on an unknown size.
std::optional<Pads> ReadPadding(InferContext* context, const Shape& operand,
                                absl::Span<const int64_t> dims,
                                const WindowLists& lists, Padding padding) {
  Pads pads(lists.sizes.size());
  if (padding == Padding::kValid) return pads;
  for (size_t i = 0; i < pads.size() && i < dims.size(); ++i) {
    const int64_t stride =
        i < lists.strides.size() ? lists.strides[i] : int64_t{1};
    const bool trivial = lists.sizes[i] == 1 && stride == 1;
    if (trivial || dims[i] < 0 || dims[i] >= operand.rank()) continue;
    const Dim base = operand.dim(static_cast<int>(dims[i]));
    if (!base.is_static()) {
      context->Diagnose(Code::kPaddingSize, 0, static_cast<int>(dims[i]));
      return std::nullopt;
    }
    pads[i] = SamePadding(base.size(), lists.sizes[i], stride);
  }
  return pads;
}

// The same of a window over all dims of `operand`; none where it has no rank.
std::optional<Pads> PaddingOf(InferContext* context, const Shape* operand,
                              const WindowLists& lists, Padding padding) {
  if (operand == nullptr || !operand->has_rank()) {
    return Pads(lists.sizes.size());
  }
  DimIndices dims(static_cast<size_t>(operand->rank()));
  absl::c_iota(dims, 0);
  return ReadPadding(context, *operand, dims, lists, padding);
}

Op Reject(Recorder* recorder, Opcode opcode, absl::Span<const Op> operands,
          InferContext* context, Caller caller) {
  return recorder->Reject(opcode, operands,
                          std::move(*context->mutable_diagnostics()), caller);
}

std::vector<Op> Joined(absl::Span<const Op> a, absl::Span<const Op> b) {
  std::vector<Op> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

// The default: batch, feature, spatial dims; output feature, input feature,
// spatial dims. The number of spatial dims is the operands'; a list of another
// length doesn't change it. If their ranks differ or aren't known it is
// `entries`, provided that an operand fits.
ConvolutionDims DefaultDims(const Recorder* recorder, Op lhs, Op rhs,
                            size_t entries) {
  size_t spatial = entries;
  bool fits = false;
  for (const Op op : {rhs, lhs}) {
    const Shape* shape = recorder->ShapeOf(op);
    if (shape == nullptr || !shape->has_rank() || shape->rank() < 2) continue;
    const size_t own = static_cast<size_t>(shape->rank()) - 2;
    fits = fits || own == entries;
    spatial = own;
  }
  if (fits) spatial = entries;
  ConvolutionDims dims;
  dims.input_feature = dims.output_feature = 1;
  dims.kernel_input_feature = 1;
  for (size_t i = 0; i < spatial; ++i) {
    dims.input_spatial.push_back(static_cast<int64_t>(i) + 2);
  }
  dims.kernel_spatial = dims.output_spatial = dims.input_spatial;
  return dims;
}

// The kernel's spatial sizes. A dim that the kernel lacks counts as 1; the
// shape function reports it later. IND0612, IND0634: they aren't known.
std::optional<std::vector<int64_t>> KernelSizes(InferContext* context,
                                                const Shape& kernel,
                                                const ConvolutionDims& dims) {
  if (kernel.is_unranked()) {
    context->Diagnose(Code::kRankNeeded, 1);
    return std::nullopt;
  }
  std::vector<int64_t> sizes;
  for (int64_t dim : dims.kernel_spatial) {
    sizes.push_back(1);
    if (dim < 0 || dim >= kernel.rank()) continue;
    const Dim size = kernel.dim(static_cast<int>(dim));
    if (!size.is_static() && !size.is_bounded()) {
      context->Diagnose(Code::kPaddingSize, 1, static_cast<int>(dim));
      return std::nullopt;
    }
    sizes.back() = size.size();
  }
  return sizes;
}

// IND0653.
Op RejectDims(Recorder* recorder, Op lhs, Op rhs,
              const ConvolutionDimsArg& dims, Caller caller) {
  return recorder->Reject(
      Opcode::kConvolution, {lhs, rhs}, Code::kConvolutionText,
      {std::string(dims.dims().status().message())}, caller);
}

}  // namespace

// --- Reduce-window ----------------------------------------------------------

Op FoldOps::ReduceWindow(absl::Span<const Op> operands,
                         absl::Span<const Op> init_values,
                         const Callee& computation,
                         absl::Span<const WindowDim> window, Caller caller) {
  return WithCallees(recorder(), Opcode::kReduceWindow,
                     Joined(operands, init_values),
                     WindowAttributes{{window.begin(), window.end()}},
                     One(computation), caller);
}

Op FoldOps::ReduceWindow(Op operand, Op init_value, const Callee& computation,
                         absl::Span<const WindowDim> window, Caller caller) {
  return ReduceWindow(absl::MakeConstSpan(&operand, 1),
                      absl::MakeConstSpan(&init_value, 1), computation, window,
                      caller);
}

Op FoldOps::ReduceWindow(Op operand, Op init_value, const Callee& computation,
                         absl::Span<const int64_t> window_dimensions,
                         absl::Span<const int64_t> window_strides,
                         Padding padding, Caller caller) {
  return ReduceWindow(absl::MakeConstSpan(&operand, 1),
                      absl::MakeConstSpan(&init_value, 1), computation,
                      window_dimensions, window_strides, padding, caller);
}

Op FoldOps::ReduceWindow(absl::Span<const Op> operands,
                         absl::Span<const Op> init_values,
                         const Callee& computation,
                         absl::Span<const int64_t> window_dimensions,
                         absl::Span<const int64_t> window_strides,
                         Padding padding, Caller caller) {
  InferContext context;
  const auto pads = PaddingOf(
      &context, operands.empty() ? nullptr : recorder()->ShapeOf(operands[0]),
      {window_dimensions, window_strides, {}, {}, {}, {}}, padding);
  if (!pads) {
    return Reject(recorder(), Opcode::kReduceWindow,
                  Joined(operands, init_values), &context, caller);
  }
  return ReduceWindowWithGeneralPadding(operands, init_values, computation,
                                        window_dimensions, window_strides, {},
                                        {}, *pads, caller);
}

Op FoldOps::ReduceWindowWithGeneralPadding(
    absl::Span<const Op> operands, absl::Span<const Op> init_values,
    const Callee& computation, absl::Span<const int64_t> window_dimensions,
    absl::Span<const int64_t> window_strides,
    absl::Span<const int64_t> base_dilations,
    absl::Span<const int64_t> window_dilations,
    absl::Span<const std::pair<int64_t, int64_t>> padding, Caller caller) {
  InferContext context;
  const auto window = ReadWindow(&context, {window_dimensions,
                                            window_strides,
                                            padding,
                                            base_dilations,
                                            window_dilations,
                                            {}});
  if (!window) {
    return Reject(recorder(), Opcode::kReduceWindow,
                  Joined(operands, init_values), &context, caller);
  }
  return ReduceWindow(operands, init_values, computation, *window, caller);
}

// --- Select-and-scatter -----------------------------------------------------

Op FoldOps::SelectAndScatter(Op operand, const Callee& select,
                             absl::Span<const WindowDim> window, Op source,
                             Op init_value, const Callee& scatter,
                             Caller caller) {
  const Callee callees[] = {select, scatter};
  return WithCallees(
      recorder(), Opcode::kSelectAndScatter, {operand, source, init_value},
      WindowAttributes{{window.begin(), window.end()}}, callees, caller);
}

Op FoldOps::SelectAndScatter(Op operand, const Callee& select,
                             absl::Span<const int64_t> window_dimensions,
                             absl::Span<const int64_t> window_strides,
                             Padding padding, Op source, Op init_value,
                             const Callee& scatter, Caller caller) {
  InferContext context;
  const auto pads =
      PaddingOf(&context, recorder()->ShapeOf(operand),
                {window_dimensions, window_strides, {}, {}, {}, {}}, padding);
  if (!pads) {
    return Reject(recorder(), Opcode::kSelectAndScatter,
                  {operand, source, init_value}, &context, caller);
  }
  return SelectAndScatterWithGeneralPadding(operand, select, window_dimensions,
                                            window_strides, *pads, source,
                                            init_value, scatter, caller);
}

Op FoldOps::SelectAndScatterWithGeneralPadding(
    Op operand, const Callee& select,
    absl::Span<const int64_t> window_dimensions,
    absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, Op source,
    Op init_value, const Callee& scatter, Caller caller) {
  InferContext context;
  const auto window = ReadWindow(
      &context, {window_dimensions, window_strides, padding, {}, {}, {}});
  if (!window) {
    return Reject(recorder(), Opcode::kSelectAndScatter,
                  {operand, source, init_value}, &context, caller);
  }
  return SelectAndScatter(operand, select, *window, source, init_value, scatter,
                          caller);
}

// --- Convolution ------------------------------------------------------------

Op ArrayOps::ConvGeneral(Op lhs, Op rhs,
                         const ConvolutionAttributes& attributes,
                         std::optional<ElementType> preferred_element_type,
                         Caller caller) {
  const Attributes held = attributes;
  const Shape type =
      Shape::Scalar(preferred_element_type.value_or(ElementType::kInvalid));
  return recorder()->Record({Opcode::kConvolution,
                             {lhs, rhs},
                             &held,
                             preferred_element_type ? &type : nullptr},
                            caller);
}

Op ArrayOps::Conv(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
                  Padding padding, int64_t feature_group_count,
                  int64_t batch_group_count,
                  const PrecisionConfig& precision_config,
                  std::optional<ElementType> preferred_element_type,
                  Caller caller) {
  return ConvWithGeneralDimensions(
      lhs, rhs, window_strides, padding,
      DefaultDims(recorder(), lhs, rhs, window_strides.size()),
      feature_group_count, batch_group_count, precision_config,
      preferred_element_type, caller);
}

Op ArrayOps::ConvWithGeneralPadding(
    Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding,
    int64_t feature_group_count, int64_t batch_group_count,
    const PrecisionConfig& precision_config,
    std::optional<ElementType> preferred_element_type, Caller caller) {
  return ConvGeneral(
      lhs, rhs, window_strides, padding,
      DefaultDims(recorder(), lhs, rhs,
                  std::max(window_strides.size(), padding.size())),
      feature_group_count, batch_group_count, precision_config,
      preferred_element_type, caller);
}

Op ArrayOps::ConvWithGeneralDimensions(
    Op lhs, Op rhs, absl::Span<const int64_t> window_strides, Padding padding,
    const ConvolutionDimsArg& dimension_numbers, int64_t feature_group_count,
    int64_t batch_group_count, const PrecisionConfig& precision_config,
    std::optional<ElementType> preferred_element_type, Caller caller) {
  if (!dimension_numbers.dims().ok()) {
    return RejectDims(recorder(), lhs, rhs, dimension_numbers, caller);
  }
  const ConvolutionDims& dims = *dimension_numbers.dims();
  const Shape* base = recorder()->ShapeOf(lhs);
  const Shape* kernel = recorder()->ShapeOf(rhs);
  Pads pads;
  if (base != nullptr && kernel != nullptr && base->has_rank() &&
      kernel->is_array()) {
    InferContext context;
    const auto sizes = KernelSizes(&context, *kernel, dims);
    std::optional<Pads> read;
    if (sizes) {
      read = ReadPadding(&context, *base, dims.input_spatial,
                         {*sizes, window_strides, {}, {}, {}, {}}, padding);
    }
    if (!read) {
      return Reject(recorder(), Opcode::kConvolution, {lhs, rhs}, &context,
                    caller);
    }
    pads = *std::move(read);
  }
  return ConvGeneral(lhs, rhs, window_strides, pads, dimension_numbers,
                     feature_group_count, batch_group_count, precision_config,
                     preferred_element_type, caller);
}

Op ArrayOps::ConvGeneral(Op lhs, Op rhs,
                         absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         const ConvolutionDimsArg& dimension_numbers,
                         int64_t feature_group_count, int64_t batch_group_count,
                         const PrecisionConfig& precision_config,
                         std::optional<ElementType> preferred_element_type,
                         Caller caller) {
  return ConvGeneralDilated(lhs, rhs, window_strides, padding, {}, {},
                            dimension_numbers, feature_group_count,
                            batch_group_count, precision_config,
                            preferred_element_type, {}, caller);
}

Op ArrayOps::ConvGeneralDilated(
    Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding,
    absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation,
    const ConvolutionDimsArg& dimension_numbers, int64_t feature_group_count,
    int64_t batch_group_count, const PrecisionConfig& precision_config,
    std::optional<ElementType> preferred_element_type,
    absl::Span<const bool> window_reversal, Caller caller) {
  if (!dimension_numbers.dims().ok()) {
    return RejectDims(recorder(), lhs, rhs, dimension_numbers, caller);
  }
  ConvolutionAttributes attributes;
  attributes.dims = *dimension_numbers.dims();
  attributes.feature_group_count = feature_group_count;
  attributes.batch_group_count = batch_group_count;
  attributes.precision = precision_config;
  const Shape* kernel = recorder()->ShapeOf(rhs);
  // The shape function reports empty dimension numbers, before any list.
  if (kernel != nullptr && kernel->is_array() && !attributes.dims.empty()) {
    InferContext context;
    const auto sizes = KernelSizes(&context, *kernel, attributes.dims);
    std::optional<std::vector<WindowDim>> window;
    if (sizes) {
      window =
          ReadWindow(&context, {*sizes, window_strides, padding, lhs_dilation,
                                rhs_dilation, window_reversal});
    }
    if (!window) {
      return Reject(recorder(), Opcode::kConvolution, {lhs, rhs}, &context,
                    caller);
    }
    attributes.window = *std::move(window);
  }
  return ConvGeneral(lhs, rhs, attributes, preferred_element_type, caller);
}

}  // namespace indim
