// SPDX-License-Identifier: Apache-2.0
// The rules that op_costs.def names. Source: what XLA's partitioner makes of
// sharded operands (SpmdPartitioner, Shardy's propagation), forwards alone.

#include "indim/passes/cost/device_cuts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "indim/passes/cost/sizes.h"
#include "indim/shape/dims/free_dims.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::internal {
namespace {

// --- Parts of rules ----------------------------------------------------------

// Of what a graph that isn't valid lacks: nothing, which isn't cut.
const Shape& ShapeOf(const Instruction& node, int operand) {
  static const auto* const none = new Shape();
  return operand < node.operand_count() ? node.operand(operand).shape() : *none;
}
DeviceCut CutOf(const DeviceCuts& cuts, const Instruction& node, int operand) {
  return operand < node.operand_count() ? cuts.Of(node.operand(operand), 0)
                                        : DeviceCut();
}

// The part of `size` that the largest of `tiles` tiles is.
double ShareOfDim(const Amount& size, int64_t tiles) {
  if (tiles <= 1) return 1;
  const auto parts = static_cast<double>(tiles);
  if (!size.is_number() || !(size.number() > 0)) return 1 / parts;
  return std::ceil(size.number() / parts) / size.number();
}

bool IsSameSize(const Shape& a, int64_t i, const Shape& b, int64_t j) {
  return i >= 0 && j >= 0 && i < a.rank() && j < b.rank() &&
         a.dim(static_cast<int>(i)) == b.dim(static_cast<int>(j));
}

// Cuts the dims of one result, or of one loop over indices: no more tiles than
// there are devices, the first dims before the others.
class CutTiles {
 public:
  explicit CutTiles(const DeviceCuts& cuts) : left_(cuts.devices()) {}

  // As many as the dim gets of those wanted.
  int64_t Take(int64_t wanted) {
    if (wanted <= 1 || left_ % wanted != 0) return 1;
    left_ /= wanted;
    return wanted;
  }
  void Add(int64_t wanted) { cut_.tiles.push_back(Take(wanted)); }
  // Of operands that are all free the result is.
  DeviceCut Result(bool is_free) {
    if (absl::c_all_of(cut_.tiles, [](int64_t t) { return t == 1; })) {
      cut_.tiles.clear();
      cut_.is_free = is_free;
    }
    return std::move(cut_);
  }

 private:
  int64_t left_;
  DeviceCut cut_;
};

bool AreFree(const DeviceCuts& cuts, const Instruction& node) {
  for (int i = 0; i < node.operand_count(); ++i) {
    if (!CutOf(cuts, node, i).is_free) return false;
  }
  return true;
}

// --- Results -----------------------------------------------------------------

// Each dim as the dims of its number and size of operands of the result's rank:
// elementwise operations, and what takes or joins parts.
DeviceCut AlikeCut(const DeviceCuts& cuts, const Instruction& node,
                   size_t leaf) {
  const Shape& shape = node.shape();
  if (shape.is_tuple()) return CutOf(cuts, node, static_cast<int>(leaf));
  CutTiles tiles(cuts);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    int64_t most = 1;
    for (int i = 0; i < node.operand_count(); ++i) {
      const Shape& operand = ShapeOf(node, i);
      if (operand.rank() == shape.rank() && IsSameSize(operand, d, shape, d)) {
        most = std::max(most, CutOf(cuts, node, i).along(d));
      }
    }
    tiles.Add(most);
  }
  return tiles.Result(AreFree(cuts, node));
}

// The cuts of the dims that lhs and rhs share: batch and contracting ones.
int64_t Shared(const DeviceCut& lhs, absl::Span<const int64_t> lhs_dims,
               const DeviceCut& rhs, absl::Span<const int64_t> rhs_dims,
               size_t i) {
  return std::max(lhs.along(lhs_dims[i]),
                  i < rhs_dims.size() ? rhs.along(rhs_dims[i]) : 1);
}

// Batch dims, then those of each operand that are neither these nor summed.
CutTiles DotTiles(const DeviceCuts& cuts, const Instruction& node) {
  const auto& dot = As<DotAttributes>(node.attributes());
  const DeviceCut lhs = CutOf(cuts, node, 0), rhs = CutOf(cuts, node, 1);
  const DeviceCut& made = cuts.Of(node, 0);
  CutTiles tiles(cuts);
  int64_t dim = 0;
  for (size_t i = 0; i < dot.lhs_batch_dims.size(); ++i) {
    tiles.Add(std::max(made.along(dim++), Shared(lhs, dot.lhs_batch_dims, rhs,
                                                 dot.rhs_batch_dims, i)));
  }
  const auto add = [&](int operand, const DeviceCut& cut,
                       const DimIndices& batch, const DimIndices& summed) {
    for (const int64_t d :
         FreeDims(ShapeOf(node, operand).rank(), batch, summed)) {
      tiles.Add(std::max(made.along(dim++), cut.along(d)));
    }
  };
  add(0, lhs, dot.lhs_batch_dims, dot.lhs_contracting_dims);
  add(1, rhs, dot.rhs_batch_dims, dot.rhs_contracting_dims);
  return tiles;
}
DeviceCut DotCut(const DeviceCuts& cuts, const Instruction& node,
                 size_t /*leaf*/) {
  return DotTiles(cuts, node).Result(AreFree(cuts, node));
}

// Of a convolution: what cuts each dim of the result.
CutTiles ConvolutionTiles(const DeviceCuts& cuts, const Instruction& node) {
  const auto& conv = As<ConvolutionAttributes>(node.attributes());
  const DeviceCut input = CutOf(cuts, node, 0), kernel = CutOf(cuts, node, 1);
  const DeviceCut& made = cuts.Of(node, 0);
  DimIndices wanted(static_cast<size_t>(node.shape().rank()), 1);
  const auto want = [&](int64_t dim, int64_t tiles) {
    if (dim < 0 || dim >= node.shape().rank()) return;
    int64_t& most = wanted[static_cast<size_t>(dim)];
    most = std::max({most, tiles, made.along(dim)});
  };
  want(conv.dims.output_batch,
       conv.batch_group_count > 1 ? 1 : input.along(conv.dims.input_batch));
  want(conv.dims.output_feature,
       std::max(kernel.along(conv.dims.kernel_output_feature),
                conv.feature_group_count > 1
                    ? input.along(conv.dims.input_feature)
                    : 1));
  const size_t spatial =
      std::min(conv.dims.output_spatial.size(), conv.dims.input_spatial.size());
  for (size_t i = 0; i < spatial; ++i) {
    want(conv.dims.output_spatial[i], input.along(conv.dims.input_spatial[i]));
  }
  CutTiles tiles(cuts);
  for (const int64_t tile : wanted) tiles.Add(tile);
  return tiles;
}
DeviceCut ConvolutionCut(const DeviceCuts& cuts, const Instruction& node,
                         size_t /*leaf*/) {
  return ConvolutionTiles(cuts, node).Result(AreFree(cuts, node));
}

// New dims may be cut as users like.
DeviceCut BroadcastCut(const DeviceCuts& cuts, const Instruction& node,
                       size_t /*leaf*/) {
  const auto& dims = As<DimensionsAttributes>(node.attributes()).dimensions;
  const DeviceCut from = CutOf(cuts, node, 0);
  DimIndices wanted(static_cast<size_t>(node.shape().rank()), 1);
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    if (IsSameSize(ShapeOf(node, 0), d, node.shape(), dims[i])) {
      wanted[static_cast<size_t>(dims[i])] = from.along(d);
    }
  }
  CutTiles tiles(cuts);
  for (const int64_t tile : wanted) tiles.Add(tile);
  return tiles.Result(/*is_free=*/true);
}

DeviceCut TransposeCut(const DeviceCuts& cuts, const Instruction& node,
                       size_t /*leaf*/) {
  const DeviceCut from = CutOf(cuts, node, 0);
  CutTiles tiles(cuts);
  for (const int64_t dim :
       As<DimensionsAttributes>(node.attributes()).dimensions) {
    tiles.Add(from.along(dim));
  }
  return tiles.Result(from.is_free);
}

// Dims that are split or joined keep the cut of their first one, if the first
// part has tiles of equal size. Both ways.
DeviceCut Reshaped(const DeviceCuts& cuts, const DeviceCut& cut,
                   const Shape& from, const Shape& to) {
  DimIndices wanted(static_cast<size_t>(to.rank()), 1);
  if (!from.is_static() || !to.is_static()) {
    return DeviceCut{{}, cut.is_free};
  }
  // Runs of dims of the same product; dims of 1 belong to none.
  const auto next = [](const Shape& shape, int i) {
    while (i < shape.rank() && shape.dim(i).size() == 1) ++i;
    return i;
  };
  int i = next(from, 0), j = next(to, 0);
  while (i < from.rank() && j < to.rank()) {
    const int64_t tiles = cut.along(i);
    if (tiles > 1 && from.dim(i).size() % tiles == 0 &&
        to.dim(j).size() % tiles == 0) {
      wanted[static_cast<size_t>(j)] = tiles;
    }
    int64_t a = from.dim(i).size(), b = to.dim(j).size();
    i = next(from, i + 1);
    j = next(to, j + 1);
    while (a != b) {
      if (a < b && i < from.rank()) {
        a *= from.dim(i).size();
        i = next(from, i + 1);
      } else if (b < a && j < to.rank()) {
        b *= to.dim(j).size();
        j = next(to, j + 1);
      } else {
        break;
      }
    }
  }
  CutTiles tiles(cuts);
  for (const int64_t tile : wanted) tiles.Add(tile);
  return tiles.Result(cut.is_free);
}
DeviceCut ReshapeCut(const DeviceCuts& cuts, const Instruction& node,
                     size_t /*leaf*/) {
  return Reshaped(cuts, CutOf(cuts, node, 0), ShapeOf(node, 0), node.shape());
}
DeviceCut AskReshape(const DeviceCuts& cuts, const Instruction& node,
                     int /*operand*/) {
  return Reshaped(cuts, cuts.Of(node, 0), node.shape(), ShapeOf(node, 0));
}

DeviceCut ReduceCut(const DeviceCuts& cuts, const Instruction& node,
                    size_t leaf) {
  const auto& dims = As<DimensionsAttributes>(node.attributes()).dimensions;
  const int operand = static_cast<int>(leaf);
  const DeviceCut from = CutOf(cuts, node, operand);
  CutTiles tiles(cuts);
  for (int64_t d = 0; d < ShapeOf(node, operand).rank(); ++d) {
    if (!absl::c_linear_search(dims, d)) tiles.Add(from.along(d));
  }
  return tiles.Result(from.is_free);
}

// Of the indices the dims of places, of the operand those that slices have
// whole.
DeviceCut GatherCut(const DeviceCuts& cuts, const Instruction& node,
                    size_t /*leaf*/) {
  const auto& gather = As<GatherAttributes>(node.attributes());
  const Shape& operand = ShapeOf(node, 0);
  const DeviceCut from = CutOf(cuts, node, 0), places = CutOf(cuts, node, 1);
  const auto is_gone = [&](int64_t d) {
    return absl::c_linear_search(gather.collapsed_slice_dims, d) ||
           absl::c_linear_search(gather.operand_batching_dims, d);
  };
  int64_t slice = 0, place = 0;
  CutTiles tiles(cuts);
  for (int64_t d = 0; d < node.shape().rank(); ++d) {
    if (!absl::c_linear_search(gather.offset_dims, d)) {
      if (place == gather.index_vector_dim) ++place;
      tiles.Add(places.along(place++));
      continue;
    }
    while (is_gone(slice)) ++slice;
    tiles.Add(IsSameSize(operand, slice, node.shape(), d) ? from.along(slice)
                                                          : 1);
    ++slice;
  }
  return tiles.Result(AreFree(cuts, node));
}

DeviceCut ViewCut(const DeviceCuts& cuts, const Instruction& node,
                  size_t leaf) {
  if (node.operand_count() == 0) return DeviceCut();
  return cuts.Of(node.operand(0), leaf);
}
DeviceCut OperandCut(const DeviceCuts& cuts, const Instruction& node,
                     size_t leaf) {
  return CutOf(cuts, node, static_cast<int>(leaf));
}
DeviceCut WholeCut(const DeviceCuts& /*cuts*/, const Instruction& /*node*/,
                   size_t /*leaf*/) {
  return DeviceCut();
}
DeviceCut FreeCut(const DeviceCuts& /*cuts*/, const Instruction& /*node*/,
                  size_t /*leaf*/) {
  return DeviceCut{{}, /*is_free=*/true};
}

// --- Back to operands --------------------------------------------------------

DeviceCut AskNone(const DeviceCuts& /*cuts*/, const Instruction& /*node*/,
                  int /*operand*/) {
  return DeviceCut();
}

// As the result, where the sizes are the same.
DeviceCut AskAlike(const DeviceCuts& cuts, const Instruction& node,
                   int operand) {
  const Shape& shape = ShapeOf(node, operand);
  const DeviceCut& made = cuts.Of(node, 0);
  if (node.shape().is_tuple() || shape.rank() != node.shape().rank()) {
    return DeviceCut();
  }
  CutTiles tiles(cuts);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    tiles.Add(IsSameSize(shape, d, node.shape(), d) ? made.along(d) : 1);
  }
  return tiles.Result(/*is_free=*/false);
}

// Of a dot: what both operands share as the other one has it, the rest as the
// result.
DeviceCut AskDot(const DeviceCuts& cuts, const Instruction& node, int operand) {
  if (operand > 1 || node.operand_count() < 2) return DeviceCut();
  const auto& dot = As<DotAttributes>(node.attributes());
  const bool is_lhs = operand == 0;
  const DeviceCut other = CutOf(cuts, node, 1 - operand);
  DimIndices wanted(static_cast<size_t>(ShapeOf(node, operand).rank()), 1);
  const auto share = [&](const DimIndices& lhs, const DimIndices& rhs) {
    const DimIndices &own = is_lhs ? lhs : rhs, &of_other = is_lhs ? rhs : lhs;
    for (size_t i = 0; i < std::min(own.size(), of_other.size()); ++i) {
      const auto d = static_cast<size_t>(own[i]);
      if (d < wanted.size()) wanted[d] = other.along(of_other[i]);
    }
  };
  share(dot.lhs_batch_dims, dot.rhs_batch_dims);
  share(dot.lhs_contracting_dims, dot.rhs_contracting_dims);
  CutTiles tiles(cuts);
  for (const int64_t tile : wanted) tiles.Add(tile);
  return tiles.Result(/*is_free=*/false);
}

DeviceCut AskTranspose(const DeviceCuts& cuts, const Instruction& node,
                       int /*operand*/) {
  const auto& dims = As<DimensionsAttributes>(node.attributes()).dimensions;
  DimIndices wanted(dims.size(), 1);
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto d = static_cast<size_t>(dims[i]);
    if (d < wanted.size()) {
      wanted[d] = cuts.Of(node, 0).along(static_cast<int64_t>(i));
    }
  }
  CutTiles tiles(cuts);
  for (const int64_t tile : wanted) tiles.Add(tile);
  return tiles.Result(/*is_free=*/false);
}

// --- Shares ------------------------------------------------------------------

double OfOperand(const DeviceCuts& cuts, const Instruction& node, int operand) {
  return ShareOf(CutOf(cuts, node, operand), ShapeOf(node, operand));
}
double OfFirst(const DeviceCuts& cuts, const Instruction& node) {
  return OfOperand(cuts, node, 0);
}
double OfSecond(const DeviceCuts& cuts, const Instruction& node) {
  return OfOperand(cuts, node, 1);
}
double OfLast(const DeviceCuts& cuts, const Instruction& node) {
  return OfOperand(cuts, node, node.operand_count() - 1);
}

// Calls f(leaf's shape, its cut) for the leaves of the value.
template <typename F>
void ForEachCut(const DeviceCuts& cuts, const Instruction& node, const F& f) {
  size_t leaf = 0;
  ForEachLeaf(node.shape(),
              [&](const Shape& array) { f(array, cuts.Of(node, leaf++)); });
}

// Of the first array.
double OfResult(const DeviceCuts& cuts, const Instruction& node) {
  double share = -1;
  ForEachCut(cuts, node, [&](const Shape& array, const DeviceCut& cut) {
    if (share < 0) share = ShareOf(cut, array);
  });
  return share < 0 ? 1 : share;
}

// Of operands and result each its own, by their bytes.
double OfEach(const DeviceCuts& cuts, const Instruction& node) {
  double all = 0, own = 0;
  const auto add = [&](const Shape& array, const DeviceCut& cut) {
    const double bytes = BytesOf(array).Estimate();
    all += bytes;
    own += bytes * ShareOf(cut, array);
  };
  ForEachCut(cuts, node, add);
  for (const Instruction operand : node.operands()) {
    ForEachCut(cuts, operand, add);
  }
  return all > 0 ? own / all : 1;
}

// The tiles of the result, and of what is summed.
double OfDot(const DeviceCuts& cuts, const Instruction& node) {
  const auto& dot = As<DotAttributes>(node.attributes());
  const DeviceCut lhs = CutOf(cuts, node, 0), rhs = CutOf(cuts, node, 1);
  CutTiles tiles = DotTiles(cuts, node);
  double share = 1;
  for (size_t i = 0; i < dot.lhs_contracting_dims.size(); ++i) {
    share *= ShareOfDim(SizeOf(ShapeOf(node, 0), dot.lhs_contracting_dims[i]),
                        tiles.Take(Shared(lhs, dot.lhs_contracting_dims, rhs,
                                          dot.rhs_contracting_dims, i)));
  }
  return share * ShareOf(tiles.Result(false), node.shape());
}

double OfConvolution(const DeviceCuts& cuts, const Instruction& node) {
  const auto& conv = As<ConvolutionAttributes>(node.attributes());
  CutTiles tiles = ConvolutionTiles(cuts, node);
  double share = 1;
  if (conv.feature_group_count <= 1) {
    const int64_t summed = conv.dims.input_feature;
    share = ShareOfDim(
        SizeOf(ShapeOf(node, 0), summed),
        tiles.Take(std::max(
            CutOf(cuts, node, 0).along(summed),
            CutOf(cuts, node, 1).along(conv.dims.kernel_input_feature))));
  }
  return share * ShareOf(tiles.Result(false), node.shape());
}

}  // namespace

double ShareOf(const DeviceCut& cut, const Shape& shape) {
  double share = 1;
  for (size_t d = 0; d < cut.tiles.size(); ++d) {
    share *= ShareOfDim(SizeOf(shape, static_cast<int64_t>(d)), cut.tiles[d]);
  }
  return share;
}

DeviceCut CommonCut(const DeviceCut& a, const DeviceCut& b) {
  if (a.is_free) return b;
  if (b.is_free || a == b) return a;
  if (a.tiles.size() != b.tiles.size()) return DeviceCut();
  DeviceCut common = a;
  for (size_t d = 0; d < a.tiles.size(); ++d) {
    if (a.tiles[d] != b.tiles[d]) common.tiles[d] = 1;
  }
  return common;
}

const CutRule kCutAlike = {AlikeCut, AskAlike, OfResult, OfEach};
const CutRule kCutPart = {AlikeCut, AskNone, OfResult, OfResult};
const CutRule kCutUpdate = {AlikeCut, AskAlike, OfSecond, OfSecond};
const CutRule kCutDot = {DotCut, AskDot, OfDot, OfEach};
const CutRule kCutConvolution = {ConvolutionCut, AskNone, OfConvolution,
                                 OfEach};
const CutRule kCutBroadcast = {BroadcastCut, AskNone, OfResult, OfEach};
const CutRule kCutTranspose = {TransposeCut, AskTranspose, OfResult, OfEach};
const CutRule kCutReshape = {ReshapeCut, AskReshape, OfResult, OfEach};
const CutRule kCutReduce = {ReduceCut, AskNone, OfFirst, OfEach};
const CutRule kCutWindow = {AlikeCut, AskAlike, OfFirst, OfEach};
const CutRule kCutGather = {GatherCut, AskNone, OfResult, OfResult};
const CutRule kCutScatter = {OperandCut, AskAlike, OfLast, OfLast};
const CutRule kCutView = {ViewCut, AskNone, OfResult, OfEach};
const CutRule kCutWhole = {WholeCut, AskNone, OfResult, OfEach};
const CutRule kCutFree = {FreeCut, AskNone, OfResult, OfEach};

}  // namespace indim::internal
