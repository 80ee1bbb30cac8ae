// SPDX-License-Identifier: Apache-2.0
// Reshape and dynamic-reshape.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/memory.h"

namespace indim {
namespace {

// A range of operand dims and a range of result dims with the same elements.
struct DimRun {
  size_t from_begin = 0, from_end = 0;
  size_t to_begin = 0, to_end = 0;
};

Sizes Part(const Sizes& sizes, size_t begin, size_t end) {
  return Sizes(sizes.begin() + static_cast<int64_t>(begin),
               sizes.begin() + static_cast<int64_t>(end));
}

// The shortest runs of equal product of two lists with equal products.
// Remaining sizes of 1 at the end belong to the last run. One run where a size
// is 0.
std::vector<DimRun> RunsOf(const Sizes& from, const Sizes& to) {
  if (CountOf(from) == int64_t{0} || (from.empty() && to.empty())) {
    return {{0, from.size(), 0, to.size()}};
  }
  std::vector<DimRun> runs;
  DimRun run;
  int64_t from_product = 1, to_product = 1;
  while (run.from_end < from.size() || run.to_end < to.size()) {
    const bool take_from =
        run.from_end < from.size() && from_product <= to_product;
    const bool take_to = run.to_end < to.size() && to_product <= from_product;
    if (take_from) from_product *= from[run.from_end++];
    if (take_to) to_product *= to[run.to_end++];
    if (from_product != to_product) continue;
    const bool left_over =
        run.from_begin == run.from_end || run.to_begin == run.to_end;
    if (left_over && !runs.empty()) {
      runs.back().from_end = run.from_end;
      runs.back().to_end = run.to_end;
    } else {
      runs.push_back(run);
    }
    run = {run.from_end, run.from_end, run.to_end, run.to_end};
    from_product = to_product = 1;
  }
  return runs;
}

// Whether an array of `sizes` holds the first elements of one of `bounds`, in
// row-major order.
bool IsFront(const Sizes& sizes, const Sizes& bounds, size_t begin,
             size_t end) {
  bool first = true;
  for (size_t d = begin; d < end; ++d) {
    if (sizes[d] != bounds[d] && !first) return false;
    first = first && bounds[d] == 1;
  }
  return true;
}

// The visible sizes of the result, and whether the operand's memory, reshaped,
// is the result's memory.
struct Cut {
  Sizes sizes;
  bool in_front = true;
};

// Whether a run splits one dim into several.
bool Splits(const DimRun& run, const Sizes& from, const Sizes& to) {
  const auto count = [](const Sizes& sizes) {
    return std::count_if(sizes.begin(), sizes.end(),
                         [](int64_t size) { return size != 1; });
  };
  return count(Part(from, run.from_begin, run.from_end)) == 1 &&
         count(Part(to, run.to_begin, run.to_end)) > 1;
}

// In a run, the one bounded result dim gets the size that the other dims leave
// of the run's elements. Where a dim is split and no result dim is bounded, the
// whole bound counts, memory included: the recorded shape omits the operand's
// bound (IND0965). Otherwise the result doesn't have the recorded size.
std::optional<Cut> CutOf(Evaluation& e, const Sizes& bounds,
                         const Shape& declared, const Sizes& to_bounds) {
  const Sizes own = e.operand(0).sizes();
  Cut cut = {to_bounds, true};
  for (const DimRun& run : RunsOf(bounds, to_bounds)) {
    const Sizes live = Part(own, run.from_begin, run.from_end);
    if (live == Part(bounds, run.from_begin, run.from_end)) continue;
    Sizes rest;
    int open = -1;
    for (size_t d = run.to_begin; d < run.to_end; ++d) {
      if (!declared.dim(static_cast<int>(d)).is_bounded()) {
        rest.push_back(to_bounds[d]);
      } else if (open < 0) {
        open = static_cast<int>(d);
      } else {
        return e.Fail("more than one size of its result isn't known");
      }
    }
    const int64_t count = CountOf(live).value_or(0);
    const int64_t row = CountOf(rest).value_or(0);
    if (open >= 0 && row != 0 && count % row != 0) {
      Diagnostic diagnostic;
      diagnostic.code = Code::kEvalReshapeRow;
      diagnostic.args = {count, row, int64_t{open}};
      return e.Error(std::move(diagnostic));
    }
    if (open < 0 && !Splits(run, bounds, to_bounds)) {
      return e.Fail(absl::StrCat("it can't put ", e.operand(0).count(),
                                 " elements into ", declared.ToString()));
    }
    if (open >= 0) {
      cut.sizes[static_cast<size_t>(open)] = row == 0 ? 0 : count / row;
    }
    cut.in_front = cut.in_front &&
                   IsFront(own, bounds, run.from_begin, run.from_end) &&
                   IsFront(cut.sizes, to_bounds, run.to_begin, run.to_end);
  }
  return cut;
}

// The dims' bounds; nullopt: a dim has no bound.
std::optional<Sizes> BoundsOf(const Shape& shape) {
  Sizes bounds;
  for (const Dim dim : shape.dims()) {
    if (!dim.is_static() && !dim.is_bounded()) return std::nullopt;
    bounds.push_back(dim.size());
  }
  return bounds;
}

// The operand's bounds, from the graph or from its memory.
std::optional<Sizes> OperandBounds(const Evaluation& e) {
  const Value& operand = e.operand(0);
  if (operand.memory() != nullptr) return operand.memory()->sizes();
  const Shape* recorded = e.recorded_operand(0);
  return recorded != nullptr && recorded->has_rank() ? BoundsOf(*recorded)
                                                     : operand.sizes();
}

// The elements in the sizes of `declared`, of whose dims at most one may be
// unknown: it gets the size that fits.
std::optional<Value> ReshapeTo(Evaluation& e, const Shape& declared) {
  const Value& operand = e.operand(0);
  Sizes sizes;
  int open = -1;
  bool several = false;
  for (int i = 0; i < declared.rank(); ++i) {
    const Dim dim = declared.dim(i);
    if (!dim.is_static()) {
      several = several || open >= 0;
      open = i;
    }
    sizes.push_back(dim.is_static() ? dim.size() : 1);
  }
  if (several) {
    return e.Fail("more than one size of its result isn't known");
  }
  const std::optional<int64_t> rest = CountOf(sizes);
  if (!rest) return e.Fail("its result has too many elements");
  if (open >= 0) {
    const int64_t size = *rest == 0 ? 0 : operand.count() / *rest;
    if (!declared.dim(open).Contains(size)) {
      return e.Fail(
          absl::StrCat("dim ", open, " of its result would be ", size));
    }
    sizes[static_cast<size_t>(open)] = size;
  }
  if (CountOf(sizes) != operand.count()) {
    return e.Fail(absl::StrCat("it can't put ", operand.count(),
                               " elements into ", declared.ToString()));
  }
  return operand.Reshaped(sizes);
}

}  // namespace

// Bounded dims count with their bounds. Source: XLA, which divides the run-time
// size by the ratio of the bounds (dynamic_dimension_inference.cc).
std::optional<Value> EvalReshape(Evaluation& e) {
  const Shape* declared = e.DeclaredArray();
  if (declared == nullptr || !e.ExpectArrays()) return std::nullopt;
  const Value& operand = e.operand(0);
  const std::optional<Sizes> bounds = OperandBounds(e);
  const std::optional<Sizes> to_bounds = BoundsOf(*declared);
  if (!bounds || !to_bounds || bounds->size() != operand.sizes().size() ||
      !CountOf(*bounds) || CountOf(*bounds) != CountOf(*to_bounds)) {
    return ReshapeTo(e, *declared);
  }
  const std::optional<Cut> cut = CutOf(e, *bounds, *declared, *to_bounds);
  if (!cut) return std::nullopt;
  const Value* whole = WholeOperand(e, 0);
  if (cut->in_front && whole != nullptr) {
    return LiveOf(e, whole->Reshaped(*to_bounds), cut->sizes, declared);
  }
  const std::optional<int64_t> count = CountOf(cut->sizes);
  if (count == operand.count()) return operand.Reshaped(cut->sizes);
  return e.FailMemory(0, count.value_or(0), operand.count());
}

// Operands: an array, then the size of each result dim.
std::optional<Value> EvalDynamicReshape(Evaluation& e) {
  if (!e.ExpectArrays()) return std::nullopt;
  Sizes sizes;
  for (int i = 1; i < e.operand_count(); ++i) {
    const Value& size = e.operand(i);
    if (!size.is_scalar() || !IsIntegral(size.type())) return e.FailType(i);
    if (size.At(0).integer() < 0) return e.Fail("a size is below 0");
    sizes.push_back(size.At(0).integer());
  }
  if (CountOf(sizes) != e.operand(0).count()) {
    return e.Fail(absl::StrCat("it can't put ", e.operand(0).count(),
                               " elements into the sizes that it is given"));
  }
  return e.operand(0).Reshaped(sizes);
}

}  // namespace indim
