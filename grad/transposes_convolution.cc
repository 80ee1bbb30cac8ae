// SPDX-License-Identifier: Apache-2.0
// The transpose of a convolution: convolutions of the cotangent. Source: JAX,
// whose paddings and groups these are.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/grad/emit.h"
#include "indim/grad/rules.h"
#include "indim/grad/transposer.h"

namespace indim::internal {
namespace {

int64_t Dilated(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

// Splits `groups` out of dim `from`, and multiplies dim `to` by it (as its
// major part).
Op MoveGroups(ComputationBuilder& b, Op x, int64_t groups, int64_t from,
              int64_t to) {
  const Shape shape = ShapeIn(b, x);
  // Dims of x, with the groups before what is left of dim `from`.
  DimIndices split, sizes, permutation, merged;
  int64_t group_place = 0;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    int64_t size = shape.dim(static_cast<int>(i)).size();
    if (i == from) {
      group_place = static_cast<int64_t>(split.size());
      split.push_back(groups);
      size /= groups;
    }
    split.push_back(size);
  }
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t place = i < from ? i : i + 1;
    int64_t size = split[static_cast<size_t>(place)];
    if (i == to) {
      permutation.push_back(group_place);
      size *= groups;
    }
    permutation.push_back(place);
    merged.push_back(size);
  }
  return b.Reshape(TransposeBy(b, b.Reshape(x, SizesArg(split)), permutation),
                   SizesArg(merged));
}

// The spatial dims of the kernel whose window isn't (or is) reversed.
DimIndices KernelDims(const ConvolutionAttributes& c, bool reversed) {
  DimIndices dims;
  for (size_t i = 0; i < c.window.size(); ++i) {
    if (c.window[i].window_reversal == reversed) {
      dims.push_back(c.dims.kernel_spatial[i]);
    }
  }
  return dims;
}

Op Reversed(ComputationBuilder& b, Op x, const DimIndices& dims) {
  return dims.empty() ? x : b.Rev(x, dims);
}

int64_t SizeOf(const Shape& shape, int64_t dim) {
  return shape.dim(static_cast<int>(dim)).size();
}

// Sizes with dilation, of spatial dim i.
struct DilatedSizes {
  DilatedSizes(const TapeStep& step, const ConvolutionAttributes& c, size_t i)
      : in(Dilated(SizeOf(step.shape(0), c.dims.input_spatial[i]),
                   c.window[i].base_dilation)),
        kernel(Dilated(SizeOf(step.shape(1), c.dims.kernel_spatial[i]),
                       c.window[i].window_dilation)),
        out(Dilated(SizeOf(step.shape(), c.dims.output_spatial[i]),
                    c.window[i].stride)) {}
  int64_t in, kernel, out;
};

Op LhsCotangent(const TapeStep& step, const ConvolutionAttributes& c) {
  ComputationBuilder& b = step.out();
  const ConvolutionDims& d = c.dims;
  Op kernel = step.value(1);
  const int64_t groups =
      c.feature_group_count > 1 ? c.feature_group_count : c.batch_group_count;
  if (groups > 1) {
    kernel = MoveGroups(b, kernel, groups, d.kernel_output_feature,
                        d.kernel_input_feature);
  }
  kernel = Reversed(b, kernel, KernelDims(c, /*reversed=*/false));
  ConvolutionAttributes back;
  back.feature_group_count = groups;
  back.precision = c.precision;
  ConvolutionDims& n = back.dims;
  n.input_batch = d.output_batch;
  n.input_feature = d.output_feature;
  n.input_spatial = d.output_spatial;
  n.kernel_input_feature = d.kernel_output_feature;
  n.kernel_output_feature = d.kernel_input_feature;
  n.kernel_spatial = d.kernel_spatial;
  n.output_batch = d.input_batch;
  n.output_feature = d.input_feature;
  n.output_spatial = d.input_spatial;
  for (size_t i = 0; i < c.window.size(); ++i) {
    const WindowDim& w = c.window[i];
    const DilatedSizes sizes(step, c, i);
    WindowDim dim;
    dim.size = w.size;
    dim.stride = w.base_dilation;
    dim.base_dilation = w.stride;
    dim.window_dilation = w.window_dilation;
    dim.padding_low = sizes.kernel - w.padding_low - 1;
    dim.padding_high =
        sizes.in + sizes.kernel - 1 - sizes.out - dim.padding_low;
    back.window.push_back(dim);
  }
  Op g = b.ConvGeneral(step.cotangent(), kernel, back,
                       step.shape().element_type());
  if (c.batch_group_count > 1) {
    g = MoveGroups(b, g, c.batch_group_count, d.input_feature, d.input_batch);
  }
  return g;
}

Op RhsCotangent(const TapeStep& step, const ConvolutionAttributes& c) {
  ComputationBuilder& b = step.out();
  const ConvolutionDims& d = c.dims;
  ConvolutionAttributes back;
  back.precision = c.precision;
  if (c.batch_group_count > 1) {
    back.feature_group_count = c.batch_group_count;
  } else {
    back.batch_group_count = c.feature_group_count;
  }
  ConvolutionDims& n = back.dims;
  n.input_batch = d.input_feature;
  n.input_feature = d.input_batch;
  n.input_spatial = d.input_spatial;
  n.kernel_input_feature = d.output_batch;
  n.kernel_output_feature = d.output_feature;
  n.kernel_spatial = d.output_spatial;
  n.output_batch = d.kernel_input_feature;
  n.output_feature = d.kernel_output_feature;
  n.output_spatial = d.kernel_spatial;
  for (size_t i = 0; i < c.window.size(); ++i) {
    const WindowDim& w = c.window[i];
    const DilatedSizes sizes(step, c, i);
    WindowDim dim;
    dim.size = SizeOf(step.shape(), d.output_spatial[i]);
    dim.stride = w.window_dilation;
    dim.base_dilation = w.base_dilation;
    dim.window_dilation = w.stride;
    dim.padding_low = w.padding_low;
    dim.padding_high = sizes.out - sizes.in + sizes.kernel - w.padding_low - 1;
    back.window.push_back(dim);
  }
  const Op g = b.ConvGeneral(step.value(0), step.cotangent(), back,
                             step.shape().element_type());
  return Reversed(b, g, KernelDims(c, /*reversed=*/true));
}

}  // namespace

void TransposeConvolution(const TapeStep& step) {
  ComputationBuilder& b = step.out();
  const auto& c = As<ConvolutionAttributes>(step.attributes());
  if (step.shape().ElementCount() == 0) return;
  if (step.is_linear(0) && step.shape(0).ElementCount() != 0) {
    step.Give(
        0, ConvertTo(b, LhsCotangent(step, c), step.shape(0).element_type()));
  }
  if (step.is_linear(1) && step.shape(1).ElementCount() != 0) {
    step.Give(
        1, ConvertTo(b, RhsCotangent(step, c), step.shape(1).element_type()));
  }
}

}  // namespace indim::internal
