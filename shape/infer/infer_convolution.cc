// SPDX-License-Identifier: Apache-2.0
// Shape function of convolution.
//
// The result has the input's batch, the kernel's output features and, in each
// spatial dim, the number of positions of the kernel over the input. Features,
// or the batch, may be split into groups: each group of features convolves with
// its own part of the kernel, each group of the batch with its own output
// features.
//
// Source: XLA, InferConvolveShape, which XLA's verifier uses as well.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/shape/dims/dim_math.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/infer/window.h"

namespace indim {
namespace {

constexpr int kInput = 0;
constexpr int kKernel = 1;

// `first`, `second` and `spatial` must name each dim of a rank once.
bool ExpectAllDims(InferContext* context, absl::string_view what, int64_t first,
                   int64_t second, const DimIndices& spatial, int64_t rank) {
  DimIndices all = spatial;
  all.push_back(first);
  all.push_back(second);
  std::sort(all.begin(), all.end());
  bool ok = Number(all.size()) == rank;
  for (size_t i = 0; ok && i < all.size(); ++i) ok = all[i] == Number(i);
  if (ok) return true;
  return context->Diagnose(Code::kConvolutionLabels)
      .Arg(std::string(what))
      .Arg(rank);
}

// At most one of the two counts may be over 1.
bool ExpectOneGroupCount(InferContext* context,
                         const ConvolutionAttributes& a) {
  if (a.batch_group_count == 1 || a.feature_group_count == 1) return true;
  return context->Diagnose(Code::kTwoGroupCounts)
      .Arg(a.batch_group_count)
      .Arg(a.feature_group_count);
}

// The spatial lists must have the window's length, and name the dims of arrays
// with two dims more.
bool ExpectDimNumbers(InferContext* context, const OpInputs& inputs,
                      const ConvolutionAttributes& a) {
  const ConvolutionDims& d = a.dims;
  if (d.empty()) return context->Diagnose(Code::kConvolutionDimsEmpty, kInput);
  const int64_t rank = Number(a.window.size()) + 2;
  for (int i : {kInput, kKernel}) {
    const Shape& operand = *inputs.operands[i];
    if (!operand.has_rank() || operand.rank() == rank) continue;
    return context->Diagnose(Code::kConvolutionRank, i)
        .Arg(Number(a.window.size()))
        .Arg(rank);
  }
  return ExpectAllDims(context, "input", d.input_batch, d.input_feature,
                       d.input_spatial, rank) &&
         ExpectAllDims(context, "kernel", d.kernel_input_feature,
                       d.kernel_output_feature, d.kernel_spatial, rank) &&
         ExpectAllDims(context, "output", d.output_batch, d.output_feature,
                       d.output_spatial, rank);
}

// `groups` must divide dim `dim` of operand `operand`. A bound counts as a
// size; XLA can't split an unknown dim.
bool ExpectDivisible(InferContext* context, const OpInputs& inputs, int operand,
                     int64_t dim, int64_t groups) {
  const Dim size = inputs.operands[operand]->dim(static_cast<int>(dim));
  if (size.is_symbolic() && DimDivisible(size, groups) != Answer::kRefuted) {
    AddDivisibleCondition(context, inputs, {operand, static_cast<int>(dim)},
                          groups);
    return true;
  }
  const bool counts = size.is_static() || size.is_bounded();
  if (counts ? size.size() % groups == 0 : groups == 1 || !size.is_unknown()) {
    return true;
  }
  return context->Diagnose(Code::kGroupsDivide, operand, static_cast<int>(dim))
      .Arg(groups);
}

// The group counts must divide the dims that they split, and one group of the
// input's features must be what the kernel takes (with N:M sparsity, block_size
// times what it stores). Unknown features match only unknown ones.
bool ExpectFeatures(InferContext* context, const OpInputs& inputs,
                    const ConvolutionAttributes& a) {
  const Shape& input = *inputs.operands[kInput];
  const Shape& kernel = *inputs.operands[kKernel];
  const ConvolutionDims& d = a.dims;
  if (input.has_rank() &&
      !(ExpectDivisible(context, inputs, kInput, d.input_batch,
                        a.batch_group_count) &&
        ExpectDivisible(context, inputs, kInput, d.input_feature,
                        a.feature_group_count))) {
    return false;
  }
  if (kernel.has_rank() &&
      !(ExpectDivisible(context, inputs, kKernel, d.kernel_output_feature,
                        a.batch_group_count) &&
        ExpectDivisible(context, inputs, kKernel, d.kernel_output_feature,
                        a.feature_group_count))) {
    return false;
  }
  if (!input.has_rank() || !kernel.has_rank()) return true;
  const int input_feature = static_cast<int>(d.input_feature);
  const int kernel_feature = static_cast<int>(d.kernel_input_feature);
  const std::optional<Dim> group =
      DivideDim(input.dim(input_feature), a.feature_group_count);
  const std::optional<Dim> taken = MultiplyDims(
      kernel.dim(kernel_feature),
      Dim::Static(std::max<int64_t>(a.rhs_sparsity.block_size, 1)));
  if (group && taken && group->is_unknown() == taken->is_unknown() &&
      CompatibleDims(*group, *taken)) {
    if (group->is_symbolic() || taken->is_symbolic()) {
      context->Require({Condition::Kind::kEqual, *group, *taken});
    }
    return true;
  }
  return context->Diagnose(Code::kKernelFeatures, kKernel, kernel_feature)
      .Other(kInput, input_feature)
      .Arg(a.feature_group_count);
}

// The window repeats the kernel's sizes, which must be known; the number of
// output features must be known too.
bool ExpectKernel(InferContext* context, const OpInputs& inputs,
                  const ConvolutionAttributes& a) {
  const Shape& kernel = *inputs.operands[kKernel];
  if (!kernel.has_rank()) return true;
  const int output = static_cast<int>(a.dims.kernel_output_feature);
  if (!kernel.dim(output).is_exact()) {
    return context->Diagnose(Code::kKernelOutputDynamic, kKernel, output);
  }
  for (size_t i = 0; i < a.window.size(); ++i) {
    const int spatial = static_cast<int>(a.dims.kernel_spatial[i]);
    const Dim size = kernel.dim(spatial);
    if ((size.is_static() || size.is_bounded()) &&
        size.size() == a.window[i].size) {
      continue;
    }
    if (size.is_symbolic() && size.Contains(a.window[i].size) &&
        context->Require(
            {Condition::Kind::kEqual, size, Dim::Static(a.window[i].size)})) {
      continue;
    }
    return context->Diagnose(Code::kKernelWindow, kKernel, spatial)
        .Arg(Number(i))
        .Arg(a.window[i].size);
  }
  return true;
}

// A kernel that is smaller at run time has at least as many positions. XLA
// keeps the number and marks it as a bound.
Dim WithDynamicKernel(Dim positions, Dim kernel) {
  if (kernel.is_exact() || !positions.is_static()) return positions;
  return Dim::Bounded(positions.size());
}

// The result's dims; those that an operand of unknown rank determines are
// unknown.
std::optional<DimVector> ResultDims(InferContext* context,
                                    const OpInputs& inputs,
                                    const ConvolutionAttributes& a) {
  const Shape& input = *inputs.operands[kInput];
  const Shape& kernel = *inputs.operands[kKernel];
  DimVector dims(a.window.size() + 2, Dim::Unknown());
  if (kernel.has_rank()) {
    dims[a.dims.output_feature] =
        kernel.dim(static_cast<int>(a.dims.kernel_output_feature));
  }
  if (!input.has_rank()) return dims;
  const std::optional<Dim> batch = DivideDim(
      input.dim(static_cast<int>(a.dims.input_batch)), a.batch_group_count);
  if (!batch) {
    context
        ->Diagnose(Code::kGroupsDivide, kInput,
                   static_cast<int>(a.dims.input_batch))
        .Arg(a.batch_group_count);
    return std::nullopt;
  }
  dims[a.dims.output_batch] = *batch;
  for (size_t i = 0; i < a.window.size(); ++i) {
    const WindowBase base = {kInput, static_cast<int>(a.dims.input_spatial[i])};
    const int result_dim = static_cast<int>(a.dims.output_spatial[i]);
    std::optional<Dim> positions =
        WindowPositions(context, inputs, base, a.window[i], result_dim);
    if (!positions) return std::nullopt;
    if (kernel.has_rank()) {
      positions = WithDynamicKernel(
          *positions, kernel.dim(static_cast<int>(a.dims.kernel_spatial[i])));
    }
    dims[result_dim] = *positions;
  }
  return dims;
}

}  // namespace

// The element type is the declared one, whatever it is, else the more general
// of the operands' types.
std::optional<Shape> InferConvolution(InferContext* context,
                                      const OpInputs& inputs) {
  const auto& a = inputs.attributes_as<ConvolutionAttributes>();
  if (!ExpectOneGroupCount(context, a) ||
      !ExpectDimNumbers(context, inputs, a) ||
      !ExpectFeatures(context, inputs, a) ||
      !ExpectKernel(context, inputs, a)) {
    return std::nullopt;
  }
  const std::optional<DimVector> dims = ResultDims(context, inputs, a);
  if (!dims) return std::nullopt;
  if (inputs.declared != nullptr && inputs.declared->is_array()) {
    return Shape::Array(inputs.declared->element_type(), *dims);
  }
  const std::optional<ElementType> type =
      HigherType(context, inputs, kInput, kKernel);
  if (!type) return std::nullopt;
  return Shape::Array(*type, *dims);
}

}  // namespace indim
