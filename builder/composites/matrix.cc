// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/matrix.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/builder/composites/composite.h"
#include "indim/builder/composites/einsum.h"
#include "indim/shape/fixes/call_language.h"

namespace indim {
namespace {

using internal::Composite;

// Whether the sizes may be equal.
bool MayMatch(Dim x, Dim y) {
  return !x.is_static() || !y.is_static() || x == y;
}

Diagnostic BetweenDims(Code code, int x_dim, int y_dim) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.operand = 0;
  diagnostic.dim = x_dim;
  diagnostic.other_operand = 1;
  diagnostic.other_dim = y_dim;
  return diagnostic;
}

// The first mismatch of batch dims, paired from the last; nullopt: all match.
std::optional<Diagnostic> BatchMismatch(const Shape& x, const Shape& y) {
  for (int i = 3; i <= std::min(x.rank(), y.rank()); ++i) {
    const Dim a = x.dim(x.rank() - i), b = y.dim(y.rank() - i);
    if (a.is(1) || b.is(1) || MayMatch(a, b)) continue;
    return BetweenDims(Code::kBatchDims, x.rank() - i, y.rank() - i);
  }
  return std::nullopt;
}

// Whether `y` is a vector for each matrix of `x`, as long as its rows.
bool IsVectorPerMatrix(const Shape& x, const Shape& y) {
  if (x.rank() < 3 || y.rank() + 1 != x.rank() || !y.is_static()) return false;
  for (int i = 0; i + 2 < x.rank(); ++i) {
    if (x.dim(i) != y.dim(i)) return false;
  }
  return x.dim(x.rank() - 1) == y.dim(y.rank() - 1);
}

// A call that multiplies the two arrays, whose rows and columns don't match;
// "": there is none.
std::string InsteadOf(const Shape& x, const Shape& y) {
  if (IsVectorPerMatrix(x, y)) {
    const std::string sizes = absl::StrJoin(
        y.dims(), ",",
        [](auto* out, Dim dim) { absl::StrAppend(out, dim.ToString()); });
    return absl::StrCat(
        CallText(FixCall::kProduct,
                 {"x", CallText(FixCall::kReshape,
                                {"y", sizes + ",1", Name(y.element_type())})}),
        ", which multiplies each batch of x with its own vector of y");
  }
  if (x.rank() < 2 || y.rank() < 2 || BatchMismatch(x, y)) return "";
  const auto dim = [](const Shape& shape, int from_end) {
    return shape.dim(shape.rank() - from_end);
  };
  const struct {
    Dim row, column;
    FixCall call;
    const char* first;
    const char* second;
    const char* more;
  } calls[] = {
      {dim(x, 1), dim(y, 2), FixCall::kProduct, "x", "y", ""},
      {dim(x, 1), dim(y, 1), FixCall::kProductOfTransposedRight, "x", "y",
       ", which transposes y"},
      {dim(x, 2), dim(y, 2), FixCall::kProductOfTransposedLeft, "x", "y",
       ", which transposes x"},
      {dim(y, 1), dim(x, 2), FixCall::kProduct, "y", "x", ""},
      {dim(x, 2), dim(y, 1), FixCall::kProductOfTransposed, "x", "y",
       ", which transposes both"},
  };
  for (const auto& call : calls) {
    if (!MayMatch(call.row, call.column)) continue;
    return absl::StrCat(CallText(call.call, {call.first, call.second}),
                        call.more);
  }
  return "";
}

// Whether dim `x_dim` of operand 0 matches dim `y_dim` of operand 1 in size,
// and the batch dims match.
bool Multiplies(Composite& c, int x_dim, int y_dim) {
  const Shape& x = c.shape(0);
  const Shape& y = c.shape(1);
  if (!MayMatch(x.dim(x_dim), y.dim(y_dim))) {
    Diagnostic diagnostic = BetweenDims(Code::kMatrixDims, x_dim, y_dim);
    const std::string instead = InsteadOf(x, y);
    if (!instead.empty()) diagnostic.fix_of_call = instead;
    return c.Fail(std::move(diagnostic));
  }
  std::optional<Diagnostic> mismatch = BatchMismatch(x, y);
  return !mismatch || c.Fail(*std::move(mismatch));
}

Op Product(Composite& c, absl::string_view subscripts,
           std::optional<ElementType> preferred) {
  const Op result = internal::EinsumOf(c, subscripts, preferred);
  return c.ok() ? c.Done(result) : c.failed();
}

// pred: whether column - row is at most k.
Op BelowDiagonal(Composite& c, int64_t k) {
  const int64_t rank = c.shape(0).rank();
  const Op rows = c.IotaLike(c.operand(0), ElementType::kS64, rank - 2);
  const Op columns = c.IotaLike(c.operand(0), ElementType::kS64, rank - 1);
  return c.b().Le(columns - rows, c.Scalar(ElementType::kS64, k));
}

Op Triangle(const char* name, Op x, bool lower, Caller caller) {
  Composite c(name, {x}, caller);
  if (!c.RankedAtLeast(0, 2) || !c.AllMakable(0)) return c.failed();
  const Op zero = c.Scalar(c.type(0), 0);
  // The upper triangle is what isn't below the diagonal one further down.
  const Op below = BelowDiagonal(c, lower ? 0 : -1);
  return c.Done(lower ? c.b().Select(below, x, zero)
                      : c.b().Select(below, zero, x));
}

}  // namespace

Op MatMul(Op x, Op y, std::optional<ElementType> preferred_element_type,
          Caller caller) {
  Composite c("MatMul", {x, y}, caller);
  if (!c.RankedAtLeast(0, 1, TypeMask::kNumber) ||
      !c.RankedAtLeast(1, 1, TypeMask::kNumber)) {
    return c.failed();
  }
  const int x_rank = c.shape(0).rank(), y_rank = c.shape(1).rank();
  if (!Multiplies(c, x_rank - 1, std::max(y_rank - 2, 0))) return c.failed();
  const absl::string_view subscripts =
      x_rank == 1 ? (y_rank == 1 ? "j,j->" : "j,...jk->...k")
                  : (y_rank == 1 ? "...ij,j->...i" : "...ij,...jk->...ik");
  return Product(c, subscripts, preferred_element_type);
}

Op BatchDot(Op x, bool transpose_x, Op y, bool transpose_y,
            std::optional<ElementType> preferred_element_type, Caller caller) {
  Composite c("BatchDot", {x, y}, caller);
  if (!c.RankedAtLeast(0, 2, TypeMask::kNumber) ||
      !c.RankedAtLeast(1, 2, TypeMask::kNumber)) {
    return c.failed();
  }
  if (!Multiplies(c, c.shape(0).rank() - (transpose_x ? 2 : 1),
                  c.shape(1).rank() - (transpose_y ? 1 : 2))) {
    return c.failed();
  }
  const absl::string_view subscripts =
      transpose_x ? (transpose_y ? "...ji,...kj->...ik" : "...ji,...jk->...ik")
                  : (transpose_y ? "...ij,...kj->...ik" : "...ij,...jk->...ik");
  return Product(c, subscripts, preferred_element_type);
}

Op TransposeInMinorDims(Op x, Caller caller) {
  Composite c("TransposeInMinorDims", {x}, caller);
  if (!c.RankedAtLeast(0, 2)) return c.failed();
  std::vector<int64_t> permutation;
  for (int64_t d = 0; d < c.shape(0).rank(); ++d) permutation.push_back(d);
  std::swap(permutation[permutation.size() - 1],
            permutation[permutation.size() - 2]);
  return c.Done(c.b().Transpose(x, permutation));
}

Op IdentityMatrix(ComputationBuilder& b, ElementType type, SizeArg rows,
                  SizeArg columns, Caller caller) {
  Composite c("IdentityMatrix", b, caller);
  if (!c.IsSize("rows", rows) || !c.IsSize("columns", columns)) {
    return c.failed();
  }
  const Shape shape =
      Shape::Array(ElementType::kS64, {rows.dim(), columns.dim()});
  const Op equal = c.b().Eq(c.b().Iota(shape, 0), c.b().Iota(shape, 1));
  return c.Done(c.b().ConvertElementType(equal, type));
}

Op GetMatrixDiagonal(Op x, int64_t k, Caller caller) {
  Composite c("GetMatrixDiagonal", {x}, caller);
  if (!c.RankedAtLeast(0, 2)) return c.failed();
  const int rank = c.shape(0).rank();
  const Dim rows = c.shape(0).dim(rank - 2), columns = c.shape(0).dim(rank - 1);
  for (int d : {rank - 2, rank - 1}) {
    if (c.shape(0).dim(d).is_static()) continue;
    c.Fail(Code::kStaticNeeded, {}, 0, d);
    return c.failed();
  }
  // The diagonal starts at [row, column].
  const int64_t row = k >= 0 ? 0 : k <= -rows.size() ? rows.size() : -k;
  const int64_t column = k <= 0 ? 0 : std::min<int64_t>(k, columns.size());
  const int64_t length = std::min(rows.size() - row, columns.size() - column);
  // One index vector [row, column] for each element.
  ComputationBuilder& b = c.b();
  const Shape places = Shape::Of(ElementType::kS64, {length, 1});
  const Op along = b.Iota(places, 0);
  const Op starts = b.ConcatInDim({along + c.Scalar(ElementType::kS64, row),
                                   along + c.Scalar(ElementType::kS64, column)},
                                  1);
  GatherAttributes gather;
  for (int d = 0; d < rank - 2; ++d) {
    gather.offset_dims.push_back(d);
    gather.slice_sizes.emplace_back();
    if (!c.SizeOf(0, d, "the sizes of a gather's slices",
                  &gather.slice_sizes.back())) {
      return c.failed();
    }
  }
  gather.collapsed_slice_dims = {rank - 2, rank - 1};
  gather.start_index_map = {rank - 2, rank - 1};
  gather.index_vector_dim = 1;
  const int64_t one = length > 0 ? 1 : 0;  // 0: the diagonal is empty
  gather.slice_sizes.push_back(one);
  gather.slice_sizes.push_back(one);
  return c.Done(b.Gather(x, starts, gather));
}

Op TriangleMask(Op x, int64_t k, Caller caller) {
  Composite c("TriangleMask", {x}, caller);
  if (!c.RankedAtLeast(0, 2) || !c.AllMakable(0)) return c.failed();
  return c.Done(BelowDiagonal(c, k));
}

Op LowerTriangle(Op x, Caller caller) {
  return Triangle("LowerTriangle", x, true, caller);
}
Op UpperTriangle(Op x, Caller caller) {
  return Triangle("UpperTriangle", x, false, caller);
}

}  // namespace indim
