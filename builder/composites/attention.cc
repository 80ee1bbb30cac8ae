// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/attention.h"

#include <cmath>
#include <limits>
#include <vector>

#include "indim/builder/composites/composite.h"
#include "indim/builder/composites/einsum.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/matrix.h"
#include "indim/builder/composites/selection.h"

namespace indim {
namespace {

using internal::Composite;

constexpr int kRank = 4;
constexpr int kHeads = 2, kSize = 3;

// Each head of key and value serves `group` heads of the query.
struct Heads {
  Dim of_query, of_key;
  int64_t group = 1;
};

// False: an error.
bool Check(Composite& c, Heads* heads) {
  for (size_t i = 0; i < 3; ++i) {
    if (!c.Ranked(i, TypeMask::kFloat)) return false;
    if (c.shape(i).rank() != kRank) {
      return c.Fail(Code::kRankTooLow, {int64_t{kRank}}, static_cast<int>(i));
    }
  }
  heads->of_query = c.shape(0).dim(kHeads);
  heads->of_key = c.shape(1).dim(kHeads);
  const Dim query = heads->of_query, key = heads->of_key;
  if (query == key || !query.is_static() || !key.is_static()) return true;
  if (key.size() == 0 || query.size() % key.size() != 0) {
    Shape wanted = c.shape(1).WithoutLayout();
    wanted.set_dim(kHeads, query);
    return c.Fail(Code::kPartDims, {wanted, c.shape(0).WithoutLayout()}, 1);
  }
  heads->group = query.size() / key.size();
  return true;
}

// `op` with dim `dim`, heads, as two dims, or back.
Op WithGroups(Composite& c, Op op, int dim, const Heads& heads) {
  const Shape shape = c.ShapeOf(op);
  DimVector dims;
  for (int d = 0; d < shape.rank(); ++d) {
    if (d != dim) {
      dims.push_back(shape.dim(d));
    } else {
      dims.push_back(heads.of_key);
      dims.push_back(Dim::Static(heads.group));
    }
  }
  return c.b().Reshape(op, dims);
}
Op WithoutGroups(Composite& c, Op op, int dim, const Heads& heads) {
  const Shape shape = c.ShapeOf(op);
  DimVector dims;
  for (int d = 0; d < shape.rank(); ++d) {
    if (d == dim) dims.push_back(heads.of_query);
    if (d != dim && d != dim + 1) dims.push_back(shape.dim(d));
  }
  return c.b().Reshape(op, dims);
}

// query . key of all heads: [batch, heads, queries, keys].
Op Scores(Composite& c, const Heads& heads, ElementType type) {
  const Op query = c.operand(0), key = c.operand(1);
  if (heads.group == 1) return Einsum("btnh,bsnh->bnts", {query, key}, type);
  const Op scores = Einsum("btkgh,bskh->bkgts",
                           {WithGroups(c, query, kHeads, heads), key}, type);
  return WithoutGroups(c, scores, 1, heads);
}

Op Weighted(Composite& c, const Heads& heads, Op weights, ElementType type) {
  const Op value = c.operand(2);
  if (heads.group == 1)
    return Einsum("bnts,bsnh->btnh", {weights, value}, type);
  const Op mean = Einsum("bkgts,bskh->btkgh",
                         {WithGroups(c, weights, 1, heads), value}, type);
  return WithoutGroups(c, mean, kHeads, heads);
}

}  // namespace

Op DotProductAttention(Op query, Op key, Op value,
                       const AttentionOptions& options, Caller caller) {
  std::vector<Op> operands = {query, key, value};
  if (options.mask) operands.push_back(*options.mask);
  if (options.bias) operands.push_back(*options.bias);
  Composite c("DotProductAttention", operands, caller);
  Heads heads;
  if (!Check(c, &heads)) return c.failed();
  const Dim size = c.shape(0).dim(kSize);
  if (!options.scale && !size.is_static()) {
    c.Fail(Code::kStaticNeeded, {}, 0, kSize);
    return c.failed();
  }
  const double scale = options.scale.value_or(
      1 / std::sqrt(static_cast<double>(size.is_static() ? size.size() : 1)));
  const ElementType type =
      Info(c.type(0)).bits < 32 ? ElementType::kF32 : c.type(0);
  Op scores = Scores(c, heads, type) * c.Scalar(type, scale);
  if (!c.IsGood(scores)) return c.Done(scores);
  if (options.bias) {
    scores =
        c.b().Add(scores, c.Narrow(*options.bias, type), BroadcastRule::kNumpy);
  }
  // Not minus infinity: a query that sees no key would get NaN.
  const double least = type == ElementType::kF64
                           ? std::numeric_limits<double>::max()
                           : std::numeric_limits<float>::max();
  const Op unseen = c.Scalar(type, -0.7 * least);
  if (options.mask) scores = Where(*options.mask, scores, unseen);
  if (options.causal) scores = Where(TriangleMask(scores), scores, unseen);
  const Op weights = c.Narrow(Softmax(scores), c.type(1));
  return c.Done(c.Narrow(Weighted(c, heads, weights, type), c.type(0)));
}

}  // namespace indim
