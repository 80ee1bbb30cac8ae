// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/shaping.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/builder/composites/composite.h"
#include "indim/builder/composites/composite_fixes.h"

namespace indim {
namespace {

using internal::Composite;

// Most poisoned pieces after an error: nobody uses more.
constexpr int64_t kMaxPieces = 1000;

// Whether dim `dim` of operand 0 can be cut. `sizes` gives the sizes of the
// pieces for its size, or nullopt; `into` says into what, `instead` what would
// do for its size ("": nothing).
bool CanSplit(
    Composite& c, int64_t* dim, const std::string& into,
    absl::FunctionRef<std::optional<std::vector<int64_t>>(int64_t)> sizes_of,
    absl::FunctionRef<std::string(int64_t)> instead,
    std::vector<int64_t>* sizes) {
  if (!c.Ranked(0) || !c.ResolveDim(0, "dim", dim)) return false;
  const Dim size = c.shape(0).dim(static_cast<int>(*dim));
  std::optional<std::vector<int64_t>> cut;
  if (size.is_static()) cut = sizes_of(size.size());
  if (!cut) {
    Diagnostic wrong;
    wrong.code = Code::kSplitSizes;
    wrong.args = {into};
    wrong.operand = 0;
    wrong.dim = static_cast<int32_t>(*dim);
    const std::string fix = size.is_static() ? instead(size.size()) : "";
    if (!fix.empty()) wrong.fix_of_call = fix;
    return c.Fail(std::move(wrong));
  }
  *sizes = *std::move(cut);
  return true;
}

// Each piece is a composite of its own, so that it gets the sharding in scope.
std::vector<Op> Pieces(
    const char* name, Op x, int64_t dim, int64_t count, const std::string& into,
    Caller caller,
    absl::FunctionRef<std::optional<std::vector<int64_t>>(int64_t)> sizes_of,
    absl::FunctionRef<std::string(int64_t)> instead) {
  std::vector<int64_t> sizes;
  {
    Composite c(name, {x}, caller);
    if (!CanSplit(c, &dim, into, sizes_of, instead, &sizes)) {
      return std::vector<Op>(static_cast<size_t>(std::min(
                                 std::max<int64_t>(count, 1), kMaxPieces)),
                             c.failed());
    }
  }
  std::vector<Op> pieces;
  int64_t start = 0;
  for (const int64_t size : sizes) {
    Composite c(name, {x}, caller);
    pieces.push_back(c.Done(c.b().SliceInDim(x, start, start + size, 1, dim)));
    start += size;
  }
  return pieces;
}

// `op` with 1s at the sorted `dims` of the result.
Op WithOnes(Composite& c, Op op, absl::Span<const int64_t> dims) {
  const Shape shape = c.ShapeOf(op);
  Shape result = Shape::Scalar(shape.element_type());
  DimIndices places;
  size_t next = 0;
  for (int d = 0;
       result.rank() < shape.rank() + static_cast<int>(dims.size());) {
    if (next < dims.size() && dims[next] == result.rank()) {
      result.add_dim(Dim::Static(1));
      ++next;
    } else {
      places.push_back(result.rank());
      result.add_dim(shape.dim(d++));
    }
  }
  return c.BroadcastTo(op, result, places);
}

}  // namespace

std::vector<Op> Split(Op x, int64_t count, int64_t dim, Caller caller) {
  return Pieces(
      "Split", x, dim, count, absl::StrCat(count, " equal parts"), caller,
      [&](int64_t size) -> std::optional<std::vector<int64_t>> {
        if (count < 1 || size % count != 0) return std::nullopt;
        // No more slices than there are elements: a size of 0 makes
        // no end of parts.
        if (count > std::max<int64_t>(size, kMaxPieces)) {
          return std::nullopt;
        }
        return std::vector<int64_t>(static_cast<size_t>(count), size / count);
      },
      [&](int64_t size) {
        int64_t divisor = std::clamp<int64_t>(count, 1, kMaxPieces);
        while (size % divisor != 0) --divisor;
        return internal::NumberText("count", divisor);
      });
}

std::vector<Op> SplitBySizes(Op x, absl::Span<const int64_t> sizes, int64_t dim,
                             Caller caller) {
  return Pieces(
      "SplitBySizes", x, dim, static_cast<int64_t>(sizes.size()),
      absl::StrCat("parts of ", absl::StrJoin(sizes, ", ")), caller,
      [&](int64_t size) -> std::optional<std::vector<int64_t>> {
        int64_t left = size;
        for (const int64_t part : sizes) {
          if (part < 0 || part > left) return std::nullopt;
          left -= part;
        }
        if (left != 0) return std::nullopt;
        return std::vector<int64_t>(sizes.begin(), sizes.end());
      },
      [&](int64_t size) -> std::string {
        std::vector<int64_t> fitting(sizes.begin(), sizes.end());
        for (size_t i = 0; i < fitting.size(); ++i) {
          if (fitting[i] < 0 || fitting[i] > size) return "";
          if (i + 1 == fitting.size()) fitting[i] = size;
          size -= fitting[i];
        }
        return fitting.empty() ? "" : internal::ListText("sizes", fitting);
      });
}

Op Stack(absl::Span<const Op> arrays, int64_t dim, Caller caller) {
  Composite c("Stack", arrays, caller);
  if (!c.ok()) return c.failed();
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!c.Ranked(i)) return c.failed();
  }
  if (!c.ResolveDim(0, c.shape(0).rank() + 1, "dim", &dim)) return c.failed();
  std::vector<Op> grown;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Shape &first = c.shape(0), &own = c.shape(i);
    Diagnostic wrong;
    wrong.operand = static_cast<int32_t>(i);
    wrong.other_operand = 0;
    if (own.rank() != first.rank()) wrong.code = Code::kOperandRanksDiffer;
    for (int d = 0; wrong.code == Code::kNone && d < own.rank(); ++d) {
      if (!own.dim(d).is_static() || !first.dim(d).is_static() ||
          own.dim(d) == first.dim(d)) {
        continue;
      }
      wrong.code = Code::kSizesMustMatch;
      wrong.dim = wrong.other_dim = d;
    }
    if (wrong.code != Code::kNone) {
      c.Fail(std::move(wrong));
      return c.failed();
    }
    grown.push_back(WithOnes(c, arrays[i], {dim}));
  }
  return c.Done(c.b().ConcatInDim(grown, dim));
}

Op ExpandDims(Op x, absl::Span<const int64_t> dims, Caller caller) {
  Composite c("ExpandDims", {x}, caller);
  if (!c.Ranked(0)) return c.failed();
  std::vector<int64_t> places(dims.begin(), dims.end());
  const int64_t rank = c.shape(0).rank() + static_cast<int64_t>(dims.size());
  if (!c.ResolveDims(0, rank, "dims", &places)) return c.failed();
  return c.Done(places.empty() ? x : WithOnes(c, x, places));
}

Op Squeeze(Op x, const DimsArg& dims, Caller caller) {
  Composite c("Squeeze", {x}, caller);
  if (!c.Ranked(0)) return c.failed();
  std::vector<int64_t> gone;
  if (dims.dims()) {
    gone.assign(dims.dims()->begin(), dims.dims()->end());
    if (!c.ResolveDims(0, "dims", &gone)) return c.failed();
  }
  Shape result = Shape::Scalar(c.type(0));
  for (int d = 0; d < c.shape(0).rank(); ++d) {
    const Dim size = c.shape(0).dim(d);
    if (dims.dims() ? !absl::c_binary_search(gone, d) : !size.is(1)) {
      result.add_dim(size);
    } else if (!size.is(1)) {
      c.Fail(Code::kSqueezeSize, {}, 0, d);
      return c.failed();
    }
  }
  return c.Done(result.rank() == c.shape(0).rank() ? x
                                                   : c.ReshapeTo(x, result));
}

Op Tile(Op x, absl::Span<const int64_t> reps, Caller caller) {
  Composite c("Tile", {x}, caller);
  if (!c.Ranked(0)) return c.failed();
  const int64_t rank = c.shape(0).rank();
  const int64_t given = static_cast<int64_t>(reps.size());
  // Each repeated dim is a new dim before its own; a reshape makes them one.
  Shape apart = Shape::Scalar(c.type(0)), result = apart;
  DimIndices places;
  for (int64_t d = std::min<int64_t>(0, rank - given); d < rank; ++d) {
    const int64_t place = d - rank + given;
    const int64_t times = place < 0 ? 1 : reps[static_cast<size_t>(place)];
    const Dim own =
        d < 0 ? Dim::Static(1) : c.shape(0).dim(static_cast<int>(d));
    if (times < 0) {
      Diagnostic wrong;
      wrong.code = Code::kAttributeRange;
      wrong.args = {std::string("reps"), times, int64_t{0}};
      std::vector<int64_t> positive(reps.begin(), reps.end());
      for (int64_t& n : positive) n = n < 0 ? 1 : n;
      wrong.fix_of_call = internal::ListText("reps", positive);
      c.Fail(std::move(wrong));
      return c.failed();
    }
    if (times != 1) apart.add_dim(Dim::Static(times));
    if (d >= 0) {
      places.push_back(apart.rank());
      apart.add_dim(own);
    } else if (times == 1) {
      apart.add_dim(own);
    }
    if (times != 1 && !own.is_static()) {
      c.Fail(Code::kSizeUnsayable, {std::string("repeated sizes")}, 0, d);
      return c.failed();
    }
    int64_t size = own.size();
    if (times != 1 && __builtin_mul_overflow(size, times, &size)) {
      c.Fail(Code::kSizeOverflow, {std::string("a repeated size")});
      return c.failed();
    }
    result.add_dim(times == 1 ? own : Dim::Static(size));
  }
  const Op spread = c.BroadcastTo(x, apart, places);
  return c.Done(apart.dims() == result.dims() ? spread
                                              : c.ReshapeTo(spread, result));
}

}  // namespace indim
