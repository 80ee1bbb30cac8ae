// SPDX-License-Identifier: Apache-2.0
// The functions of op_costs.def. Source: XLA, HloCostAnalysis.

#include "indim/passes/cost/op_costs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "indim/passes/cost/device_cuts.h"
#include "indim/passes/cost/sizes.h"
#include "indim/shape/ops/attributes.h"

namespace indim::internal {
namespace {

constexpr double kFlopsOfMultiplyAdd = 2;

const Shape& OperandShape(const Instruction& node, int i) {
  return node.operand(i).shape();
}

// --- Operations --------------------------------------------------------------

Amount CountNone(const Instruction& /*node*/) { return Amount(0); }
Amount CountElements(const Instruction& node) {
  return ElementsOf(node.shape());
}
Amount CountElementsInAll(const Instruction& node) {
  return ElementsInAll(node.shape());
}

// Of each element of the result a product with each index that is summed.
Amount Products(const Instruction& node, Amount results) {
  const auto& dot = As<DotAttributes>(node.attributes());
  for (const int64_t dim : dot.lhs_contracting_dims) {
    results = results * SizeOf(OperandShape(node, 0), dim);
  }
  return Amount(kFlopsOfMultiplyAdd) * results;
}
Amount CountDot(const Instruction& node) {
  return Products(node, ElementsOf(node.shape()));
}
// Without as many leading dims of the result as there are dims of groups, as in
// XLA.
Amount CountRaggedDot(const Instruction& node) {
  const auto& dot = As<DotAttributes>(node.attributes());
  std::vector<Dim> dims(node.shape().dims().begin(), node.shape().dims().end());
  for (size_t i = 0; i < dot.rhs_group_dims.size(); ++i) {
    if (i < dims.size()) dims.erase(dims.begin() + static_cast<int64_t>(i));
  }
  Amount results(1);
  for (const Dim dim : dims) results = results * SizeOf(dim);
  return Products(node, results);
}

Amount CountConvolution(const Instruction& node) {
  const auto& conv = As<ConvolutionAttributes>(node.attributes());
  const Shape& input = OperandShape(node, 0);
  const Shape& kernel = OperandShape(node, 1);
  const auto groups = [](const Amount& size, int64_t count) {
    const auto number = static_cast<double>(std::max<int64_t>(count, 1));
    return size.is_number() ? Amount(std::floor(size.number() / number))
                            : size * Amount(1 / number);
  };
  Amount count =
      Amount(kFlopsOfMultiplyAdd) *
      groups(SizeOf(input, conv.dims.input_feature), conv.feature_group_count) *
      SizeOf(node.shape(), conv.dims.output_feature) *
      groups(SizeOf(input, conv.dims.input_batch), conv.batch_group_count);
  for (size_t i = 0; i < conv.window.size(); ++i) {
    const auto size = [&](const Shape& shape, const DimIndices& dims) {
      return i < dims.size() ? SizeOf(shape, dims[i]) : Amount(1);
    };
    count = count * ProductsInWindow(
                        conv.window[i], size(input, conv.dims.input_spatial),
                        size(kernel, conv.dims.kernel_spatial),
                        size(node.shape(), conv.dims.output_spatial));
  }
  return count;
}

Amount CountFft(const Instruction& node) {
  constexpr double kMultiplyAddsOfComplex = 4;
  double factor = kFlopsOfMultiplyAdd * kMultiplyAddsOfComplex;
  for (const int64_t size : As<FftAttributes>(node.attributes()).length) {
    factor *= size > 0 ? std::floor(std::log2(static_cast<double>(size))) : 0;
  }
  return ElementsOf(OperandShape(node, 0)) * Amount(factor);
}

Amount LastDim(const Shape& shape) { return SizeOf(shape, shape.rank() - 1); }

Amount CountTriangularSolve(const Instruction& node) {
  return Amount(kFlopsOfMultiplyAdd) * LastDim(OperandShape(node, 0)) *
         ElementsOf(OperandShape(node, 1));
}
Amount CountCholesky(const Instruction& node) {
  const Shape& a = OperandShape(node, 0);
  const Amount cubes = LastDim(a) * ElementsOf(a);
  return cubes.is_number() ? Amount(std::floor(cubes.number() / 3))
                           : cubes * Amount(1.0 / 3);
}

// n log2(n), the logarithm rounded up.
Amount CountSort(const Instruction& node) {
  const Amount elements = ElementsOf(OperandShape(node, 0));
  if (!elements.is_number()) {
    return elements * Amount::Named("log2(" + elements.ToString() + ")");
  }
  const double n = elements.number();
  return n > 1 ? Amount(n * std::ceil(std::log2(n))) : Amount(0);
}

// --- Bytes -------------------------------------------------------------------

Amount BytesNone(const Instruction& /*node*/) { return Amount(0); }
Amount BytesResult(const Instruction& node) {
  return node.opcode() == Opcode::kTuple ? BytesOf(node.shape())
                                         : BytesOfLeaves(node.shape());
}
Amount BytesOperands(const Instruction& node) {
  Amount sum;
  for (const Instruction operand : node.operands()) {
    sum += BytesOfLeaves(operand.shape());
  }
  return sum;
}
// A tuple is an operand of pointers.
Amount BytesAll(const Instruction& node) {
  Amount sum = BytesOfLeaves(node.shape());
  for (const Instruction operand : node.operands()) {
    sum += BytesOf(operand.shape());
  }
  return sum;
}

// Nothing moves where the layouts say the same order.
Amount BytesTranspose(const Instruction& node) {
  const Shape& from = OperandShape(node, 0);
  const Shape& to = node.shape();
  const auto& moved = As<DimensionsAttributes>(node.attributes()).dimensions;
  const auto order = [](const Shape& shape) {
    return shape.layout() != nullptr
               ? shape.layout()->minor_to_major
               : Layout::RowMajor(shape.rank()).minor_to_major;
  };
  const auto from_order = order(from), to_order = order(to);
  bool is_same = from.element_type() == to.element_type() &&
                 from_order.size() == to_order.size();
  for (size_t i = 0; is_same && i < to_order.size(); ++i) {
    const int64_t dim = to_order[i];
    is_same = dim >= 0 && static_cast<size_t>(dim) < moved.size() &&
              moved[static_cast<size_t>(dim)] == from_order[i];
  }
  return is_same ? Amount(0) : BytesAll(node);
}

Amount Twice(const Shape& shape) { return Amount(2) * BytesOf(shape); }
// Of starting indices XLA counts the first.
Amount FirstIndex(const Instruction& node, int i) {
  return i < node.operand_count() ? BytesOf(OperandShape(node, i)) : Amount(0);
}
Amount BytesSlice(const Instruction& node) { return Twice(node.shape()); }
Amount BytesDynamicSlice(const Instruction& node) {
  return Twice(node.shape()) + FirstIndex(node, 1);
}
Amount BytesGather(const Instruction& node) { return BytesDynamicSlice(node); }
Amount BytesDynamicUpdateSlice(const Instruction& node) {
  return Twice(OperandShape(node, 1)) + FirstIndex(node, 2);
}
// Operands, indices, updates; there are as many operands as updates.
int ScatterOperands(const Instruction& node) {
  return (node.operand_count() - 1) / 2;
}
Amount BytesScatter(const Instruction& node) {
  const int n = ScatterOperands(node);
  Amount updates;
  for (int i = 0; i < n; ++i) updates += BytesOf(OperandShape(node, n + 1 + i));
  return Amount(3) * updates + BytesOf(OperandShape(node, n));
}
// Half of the triangular operand is read.
Amount BytesTriangularSolve(const Instruction& node) {
  return BytesOf(node.shape()) + BytesOf(OperandShape(node, 1)) +
         Amount(0.5) * BytesOf(OperandShape(node, 0));
}
Amount BytesCholesky(const Instruction& node) {
  return BytesOf(OperandShape(node, 0));
}
Amount BytesOfArrays(const Shape& shape) {
  if (!shape.is_tuple()) return shape.is_array() ? BytesOf(shape) : Amount(0);
  Amount sum;
  for (const Shape& element : shape.elements()) sum += BytesOfArrays(element);
  return sum;
}
Amount BytesAllReduce(const Instruction& node) {
  Amount sum = BytesOfArrays(node.shape());
  for (const Instruction operand : node.operands()) {
    sum += BytesOf(operand.shape());
  }
  return sum;
}
Amount BytesFusion(const Instruction& node) { return BytesOfFusion(node); }

// --- Applications ------------------------------------------------------------

Amount AppliedNone(const Instruction& /*node*/, int /*callee*/) {
  return Amount(0);
}
Amount AppliedMap(const Instruction& node, int /*callee*/) {
  return ElementsOf(node.shape());
}
Amount AppliedReduce(const Instruction& node, int /*callee*/) {
  return ElementsOf(OperandShape(node, 0)) - ElementsOf(node.shape());
}
Amount AppliedScan(const Instruction& node, int /*callee*/) {
  return ElementsOf(OperandShape(node, 1));
}
Amount AppliedScatter(const Instruction& node, int /*callee*/) {
  return ElementsOf(OperandShape(node, ScatterOperands(node) + 1));
}

Amount WindowElements(const std::vector<WindowDim>& window) {
  double product = 1;
  for (const WindowDim& dim : window) product *= static_cast<double>(dim.size);
  return Amount(product);
}

// XLA takes a window that covers its whole dim at each place for a reduction
// that is broadcast. -1: it is none.
int64_t WholeDim(const std::vector<WindowDim>& window, const Shape& result) {
  int64_t wide = 0, padded = 0, whole = -1;
  for (size_t i = 0; i < window.size(); ++i) {
    const WindowDim& dim = window[i];
    wide += dim.size != 1 ? 1 : 0;
    padded += dim.padding_low != 0 || dim.padding_high != 0 ? 1 : 0;
    if (whole < 0 && dim.size != 1 && dim.padding_low != 0 &&
        dim.padding_low == dim.padding_high &&
        dim.padding_low < INT64_MAX / 2 &&
        dim.size == 2 * dim.padding_low + 1) {
      whole = static_cast<int64_t>(i);
    }
  }
  if (wide != 1 || padded != 1 || !result.is_array() || whole < 0) return -1;
  const Amount size = SizeOf(result, whole);
  const auto low =
      static_cast<double>(window[static_cast<size_t>(whole)].padding_low);
  return size.is_number() && size.number() - 1 == low ? whole : -1;
}

Amount AppliedReduceWindow(const Instruction& node, int /*callee*/) {
  const auto& window = As<WindowAttributes>(node.attributes()).window;
  const Amount results = ElementsOf(node.shape());
  const int64_t whole = WholeDim(window, node.shape());
  if (whole < 0) return (WindowElements(window) - Amount(1)) * results;
  const double size = SizeOf(node.shape(), whole).number();
  if (size == 0) return Amount(0);
  return (results.is_number() ? Amount(std::floor(results.number() / size))
                              : results * Amount(1 / size)) +
         Amount(size - 1);
}

// The first callee selects, the second one scatters.
Amount AppliedSelectAndScatter(const Instruction& node, int callee) {
  const Amount sources = ElementsOf(OperandShape(node, 1));
  if (callee == 1) return sources;
  const auto& window = As<WindowAttributes>(node.attributes()).window;
  return sources * (WindowElements(window) - Amount(1));
}

// --- Groups of devices -------------------------------------------------------

std::optional<DeviceGroups> GroupsNone(const Instruction& /*node*/) {
  return std::nullopt;
}
std::optional<DeviceGroups> GroupsReplicas(const Instruction& node) {
  const ReplicaGroups& groups =
      As<CollectiveAttributes>(node.attributes()).replica_groups;
  DeviceGroups found{groups.iota_groups, groups.iota_group_size};
  for (const std::vector<int64_t>& group : groups.groups) {
    ++found.count;
    found.size = std::max(found.size, static_cast<int64_t>(group.size()));
  }
  return found;
}
std::optional<DeviceGroups> GroupsPairs(const Instruction& node) {
  const auto& permute = As<CollectivePermuteAttributes>(node.attributes());
  return DeviceGroups{static_cast<int64_t>(permute.source_target_pairs.size()),
                      2};
}

}  // namespace

Amount ProductsInWindow(const WindowDim& window, const Amount& input,
                        const Amount& kernel, const Amount& output) {
  constexpr int64_t kMost = 1 << 30;
  const auto is_small = [](int64_t n) { return n >= -kMost && n <= kMost; };
  const Amount all = kernel * output;
  for (const Amount* size : {&input, &kernel, &output}) {
    if (!size->is_number() || !(size->number() <= static_cast<double>(kMost)))
      return all;
  }
  if (!is_small(window.stride) || !is_small(window.padding_low) ||
      !is_small(window.window_dilation) || !is_small(window.base_dilation) ||
      window.base_dilation < 1 || window.stride < 1) {
    return all;
  }
  // Output o and element k of the kernel meet position at(o, k) of the dilated
  // input; it counts where an element of the input is there. For each k: the
  // outputs that do are every period-th one from the first on.
  const auto inputs = static_cast<int64_t>(input.number());
  const auto outputs = static_cast<int64_t>(output.number());
  const auto kernels = static_cast<int64_t>(kernel.number());
  const int64_t base = window.base_dilation, stride = window.stride;
  constexpr int64_t kMostSteps = int64_t{1} << 24;
  if (kernels * base > kMostSteps) return all;
  const int64_t last = (inputs - 1) * base;  // of the dilated input
  double count = 0;
  for (int64_t k = 0; k < kernels && inputs > 0; ++k) {
    const int64_t offset = k * window.window_dilation - window.padding_low;
    // at(o, k) = o * stride + offset.
    int64_t low = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
    const int64_t room = last - offset;
    if (room < 0) continue;
    const int64_t high = std::min(outputs - 1, room / stride);
    int64_t tried = 0;
    while (tried < base && low <= high && (low * stride + offset) % base != 0) {
      ++low;
      ++tried;
    }
    if (low > high || tried == base) continue;
    int64_t period = 1;
    while (period * stride % base != 0) ++period;
    count += static_cast<double>((high - low) / period + 1);
  }
  return Amount(count);
}

const OpCostRow& OpCostOf(Opcode opcode) {
  static const std::array<OpCostRow, 256>* const table = [] {
    auto* const rows = new std::array<OpCostRow, 256>();
    rows->fill({&CountNone, &CountNone, &BytesAll, &AppliedNone,
                ResultPlace::kOwn, &kCutWhole, &GroupsNone});
#define INDIM_OP_COST(op, flops, transcendentals, bytes, applied, place, cut, \
                      groups)                                                 \
  (*rows)[static_cast<size_t>(Opcode::k##op)] = {                             \
      &Count##flops,     &Count##transcendentals, &Bytes##bytes,              \
      &Applied##applied, ResultPlace::k##place,   &kCut##cut,                 \
      &Groups##groups};
#include "indim/passes/cost/op_costs.def"
#undef INDIM_OP_COST
    return rows;
  }();
  return (*table)[static_cast<size_t>(opcode)];
}

}  // namespace indim::internal
