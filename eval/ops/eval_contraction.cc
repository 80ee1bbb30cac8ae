// SPDX-License-Identifier: Apache-2.0
// Dot, scaled-dot, ragged-dot.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/ops/eval_product.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/shape/dims/free_dims.h"

namespace indim {
namespace {

using Offsets = std::vector<int64_t>;

// The offset of each position over `dims` of an array.
Offsets OffsetsOver(const Value& array, const DimIndices& dims) {
  const Sizes strides = Selected(StridesOf(array.sizes()), dims);
  Offsets offsets;
  for (Counter i(Selected(array.sizes(), dims)); !i.done(); i.Next()) {
    offsets.push_back(LinearIndex(i.index(), strides));
  }
  return offsets;
}

// The dims of a dot; each list is in the order of the result.
struct DotDims {
  DimIndices lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
  DimIndices lhs_free, rhs_free;
};

// `pairs` and `others` must name distinct dims of operand `operand`.
bool ExpectDistinct(Evaluation& e, int operand, const DimIndices& pairs,
                    const DimIndices& others) {
  DimIndices all = pairs;
  all.insert(all.end(), others.begin(), others.end());
  std::sort(all.begin(), all.end());
  for (size_t i = 0; i < all.size(); ++i) {
    if (!e.ExpectDim(operand, all[i])) return false;
    if (i > 0 && all[i] == all[i - 1]) {
      e.Fail(absl::StrCat("dim ", all[i], " of operand ", operand,
                          " is there twice"));
      return false;
    }
  }
  return true;
}

bool ExpectEqualSizes(Evaluation& e, const DimIndices& lhs,
                      const DimIndices& rhs) {
  if (lhs.size() == rhs.size() && Selected(e.operand(0).sizes(), lhs) ==
                                      Selected(e.operand(1).sizes(), rhs)) {
    return true;
  }
  e.Fail("its batch or contracting dims are paired with dims of other sizes");
  return false;
}

std::optional<DotDims> ReadDot(Evaluation& e, const DimIndices& rhs_group) {
  const auto& a = e.attributes_as<DotAttributes>();
  if (!e.ExpectArrays() ||
      !ExpectDistinct(e, 0, a.lhs_contracting_dims, a.lhs_batch_dims) ||
      !ExpectDistinct(e, 1, a.rhs_contracting_dims, a.rhs_batch_dims) ||
      !ExpectEqualSizes(e, a.lhs_contracting_dims, a.rhs_contracting_dims) ||
      !ExpectEqualSizes(e, a.lhs_batch_dims, a.rhs_batch_dims)) {
    return std::nullopt;
  }
  return DotDims{
      a.lhs_batch_dims,
      a.rhs_batch_dims,
      a.lhs_contracting_dims,
      a.rhs_contracting_dims,
      FreeDims(e.operand(0).rank(), a.lhs_contracting_dims, a.lhs_batch_dims),
      FreeDims(e.operand(1).rank(), a.rhs_contracting_dims, a.rhs_batch_dims,
               rhs_group)};
}

// The offsets in one operand of each batch, free and contracted position.
struct DotOffsets {
  Offsets batch, free, contracted;
};

Sizes DotSizes(const Evaluation& e, const DotDims& dims) {
  Sizes sizes = Selected(e.operand(0).sizes(), dims.lhs_batch);
  for (int64_t size : Selected(e.operand(0).sizes(), dims.lhs_free)) {
    sizes.push_back(size);
  }
  for (int64_t size : Selected(e.operand(1).sizes(), dims.rhs_free)) {
    sizes.push_back(size);
  }
  return sizes;
}

// result[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, j, k]. `lhs` and `rhs`
// hold the operands' elements as numbers.
std::optional<Value> Contract(Evaluation& e, const DotDims& dims,
                              ElementType type, const std::vector<Scalar>& lhs,
                              const std::vector<Scalar>& rhs) {
  ArrayMaker result;
  if (!e.NewArray(type, DotSizes(e, dims), &result)) return std::nullopt;
  if (result.count() == 0) return std::move(result).Finish();
  const DotOffsets l = {OffsetsOver(e.operand(0), dims.lhs_batch),
                        OffsetsOver(e.operand(0), dims.lhs_free),
                        OffsetsOver(e.operand(0), dims.lhs_contracting)};
  const DotOffsets r = {OffsetsOver(e.operand(1), dims.rhs_batch),
                        OffsetsOver(e.operand(1), dims.rhs_free),
                        OffsetsOver(e.operand(1), dims.rhs_contracting)};
  const ElementKind kind = Info(type).kind;
  int64_t at = 0;
  for (size_t b = 0; b < l.batch.size(); ++b) {
    for (int64_t i : l.free) {
      for (int64_t j : r.free) {
        if (!e.Charge(static_cast<int64_t>(l.contracted.size()))) {
          return std::nullopt;
        }
        Scalar sum;
        for (size_t k = 0; k < l.contracted.size(); ++k) {
          AddProduct(
              kind, lhs[static_cast<size_t>(l.batch[b] + i + l.contracted[k])],
              rhs[static_cast<size_t>(r.batch[b] + j + r.contracted[k])], &sum);
        }
        result.Set(at++, sum);
      }
    }
  }
  return std::move(result).Finish();
}

// Operand `i` times its scale, which has one number for each block. A scalar
// scale only marks a missing scale and counts as 1.
std::optional<std::vector<Scalar>> Scaled(Evaluation& e, int i,
                                          ElementType type) {
  const Value& operand = e.operand(i);
  const Value& scale = e.operand(i + 2);
  std::vector<Scalar> elements = Elements(operand, type);
  if (!IsFloat(type) || !IsFloat(scale.type())) return e.FailType(i + 2);
  if (scale.is_scalar()) return elements;
  const Sizes own = operand.sizes(), blocks = scale.sizes();
  const Sizes strides = StridesOf(blocks);
  if (own.size() != blocks.size()) {
    return e.Fail("a scale must have the rank of its operand");
  }
  for (size_t d = 0; d < own.size(); ++d) {
    if (blocks[d] == 0 ? own[d] != 0 : own[d] % blocks[d] != 0) {
      return e.Fail(absl::StrCat("dim ", d, " of operand ", i, " can't be cut ",
                                 "into ", blocks[d], " blocks"));
    }
  }
  size_t number = 0;
  for (Counter n(own); !n.done(); n.Next(), ++number) {
    Sizes block;
    for (size_t d = 0; d < own.size(); ++d) {
      block.push_back(n.index()[d] / (own[d] / blocks[d]));
    }
    elements[number].re *= scale.At(LinearIndex(block, strides)).re;
  }
  return elements;
}

// Finds the group of each row of lhs. Operand 2 gives the sizes of the groups
// into which the ragged dim is cut: one list for all, or, with more dims, a
// list for each position over the dims before the ragged one.
class RaggedGroups {
 public:
  RaggedGroups(const Value& sizes, const DimIndices& prefix, int64_t ragged)
      : sizes_(sizes),
        prefix_(sizes.rank() > 1 ? prefix : DimIndices()),
        ragged_(static_cast<size_t>(ragged)),
        count_(sizes.size(sizes.rank() - 1)) {}

  int64_t count() const { return count_; }
  // -1: after the last group.
  int64_t Of(const Sizes& lhs_index) const {
    int64_t first = 0;
    for (size_t i = 0; i < prefix_.size(); ++i) {
      first = first * sizes_.size(static_cast<int>(i)) +
              lhs_index[static_cast<size_t>(prefix_[i])];
    }
    // Sizes may be anything; a size above the rest takes all of it.
    uint64_t left = static_cast<uint64_t>(lhs_index[ragged_]);
    for (int64_t g = 0; g < count_; ++g) {
      const int64_t size =
          std::max<int64_t>(sizes_.At(first * count_ + g).integer(), 0);
      if (left < static_cast<uint64_t>(size)) return g;
      left -= static_cast<uint64_t>(size);
    }
    return -1;
  }

 private:
  const Value& sizes_;
  const DimIndices prefix_;
  const size_t ragged_;
  const int64_t count_;
};

DimIndices UntilRagged(const DimIndices& dims, int64_t ragged) {
  return DimIndices(dims.begin(), std::find(dims.begin(), dims.end(), ragged));
}

// The dims of lhs for whose positions group sizes may be given one by one.
DimIndices GroupPrefix(const DotDims& dims, int64_t ragged) {
  DimIndices prefix = UntilRagged(dims.lhs_batch, ragged);
  if (absl::c_linear_search(dims.lhs_batch, ragged)) return prefix;
  const DimIndices& own = absl::c_linear_search(dims.lhs_contracting, ragged)
                              ? dims.lhs_contracting
                              : dims.lhs_free;
  for (int64_t dim : UntilRagged(own, ragged)) prefix.push_back(dim);
  return prefix;
}

bool ExpectGroups(Evaluation& e, const DimIndices& prefix) {
  const Value& sizes = e.operand(2);
  if (!IsIntegral(sizes.type()) || sizes.rank() < 1) {
    e.FailType(2);
    return false;
  }
  if (sizes.rank() == 1) return true;
  Sizes expected = Selected(e.operand(0).sizes(), prefix);
  expected.push_back(sizes.size(sizes.rank() - 1));
  if (sizes.sizes() == expected) return true;
  e.Fail("its group sizes don't fit operand 0");
  return false;
}

void Place(const DimIndices& dims, const Sizes& index, Sizes* place) {
  for (size_t i = 0; i < dims.size(); ++i) {
    (*place)[static_cast<size_t>(dims[i])] = index[i];
  }
}

}  // namespace

std::optional<Value> EvalDot(Evaluation& e) {
  const std::optional<DotDims> dims = ReadDot(e, {});
  if (!dims) return std::nullopt;
  const std::optional<ElementType> type = ProductType(e);
  if (!type || !ChargeElements(e)) return std::nullopt;
  return Contract(e, *dims, *type, Elements(e.operand(0), *type),
                  Elements(e.operand(1), *type));
}

// --- Scaled dot --------------------------------------------------------------

// Operands: lhs, rhs, lhs's scale, rhs's scale.
std::optional<Value> EvalScaledDot(Evaluation& e) {
  const std::optional<DotDims> dims = ReadDot(e, {});
  if (!dims) return std::nullopt;
  const std::optional<ElementType> type = ProductType(e);
  if (!type || !ChargeElements(e)) return std::nullopt;
  const auto lhs = Scaled(e, 0, *type);
  if (!lhs) return std::nullopt;
  const auto rhs = Scaled(e, 1, *type);
  if (!rhs) return std::nullopt;
  return Contract(e, *dims, *type, *lhs, *rhs);
}

// --- Ragged dot --------------------------------------------------------------

// If the ragged dim of lhs is free, each group has its own rhs; if it is
// contracted, the result has a product for each group. Rows outside all groups
// give 0. If it is a batch dim, the groups change nothing. Source: XLA,
// ragged_dot_rewriter.cc.
std::optional<Value> EvalRaggedDot(Evaluation& e) {
  const auto& a = e.attributes_as<DotAttributes>();
  const std::optional<DotDims> dims = ReadDot(e, a.rhs_group_dims);
  if (!dims) return std::nullopt;
  if (a.lhs_ragged_dims.size() != 1 || !e.ExpectDim(0, a.lhs_ragged_dims[0])) {
    return e.Fail("it needs one ragged dim");
  }
  const int64_t ragged = a.lhs_ragged_dims[0];
  const bool by_group = absl::c_linear_search(dims->lhs_contracting, ragged);
  const bool own_rhs = absl::c_linear_search(dims->lhs_free, ragged);
  const DimIndices prefix = GroupPrefix(*dims, ragged);
  if (!ExpectGroups(e, prefix)) return std::nullopt;
  const RaggedGroups groups(e.operand(2), prefix, ragged);
  const bool is_batch = absl::c_linear_search(dims->lhs_batch, ragged);
  if (a.rhs_group_dims.size() != (own_rhs ? 1u : 0u) ||
      (own_rhs && (!e.ExpectDim(1, a.rhs_group_dims[0]) ||
                   e.operand(1).size(static_cast<int>(a.rhs_group_dims[0])) !=
                       groups.count()))) {
    return e.Fail("operand 1 must have one group dim");
  }
  const std::optional<ElementType> type = ProductType(e);
  if (!type || !ChargeElements(e)) return std::nullopt;
  const std::vector<Scalar> lhs = Elements(e.operand(0), *type);
  const std::vector<Scalar> rhs = Elements(e.operand(1), *type);
  if (is_batch) return Contract(e, *dims, *type, lhs, rhs);
  Sizes sizes = DotSizes(e, *dims);
  if (by_group) sizes.insert(sizes.begin(), groups.count());
  ArrayMaker result;
  if (!e.NewArray(*type, sizes, &result)) return std::nullopt;

  const Sizes l_strides = StridesOf(e.operand(0).sizes());
  const Sizes r_strides = StridesOf(e.operand(1).sizes());
  const Sizes contracted =
      Selected(e.operand(0).sizes(), dims->lhs_contracting);
  const ElementKind kind = Info(*type).kind;
  int64_t at = 0;
  for (Counter i(sizes); !i.done(); i.Next(), ++at) {
    Sizes l(l_strides.size(), 0), r(r_strides.size(), 0);
    const auto begin = i.index().begin() + (by_group ? 1 : 0);
    const auto free = begin + static_cast<int64_t>(dims->lhs_batch.size());
    const auto last = free + static_cast<int64_t>(dims->lhs_free.size());
    Place(dims->lhs_batch, Sizes(begin, free), &l);
    Place(dims->rhs_batch, Sizes(begin, free), &r);
    Place(dims->lhs_free, Sizes(free, last), &l);
    Place(dims->rhs_free, Sizes(last, i.index().end()), &r);
    Scalar sum;
    for (Counter k(contracted); !k.done(); k.Next()) {
      if (!e.Charge(1 + groups.count())) return std::nullopt;
      Place(dims->lhs_contracting, k.index(), &l);
      Place(dims->rhs_contracting, k.index(), &r);
      const int64_t group = groups.Of(l);
      if (group < 0 || (by_group && group != i.index()[0])) continue;
      if (own_rhs) r[static_cast<size_t>(a.rhs_group_dims[0])] = group;
      AddProduct(kind, lhs[static_cast<size_t>(LinearIndex(l, l_strides))],
                 rhs[static_cast<size_t>(LinearIndex(r, r_strides))], &sum);
    }
    result.Set(at, sum);
  }
  return std::move(result).Finish();
}

}  // namespace indim
