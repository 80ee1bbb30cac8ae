// DimMath: arithmetic and comparison of sizes that may not be known.
//
// Shape functions never compute on raw sizes. On plain numbers every operation
// is checked (checked_math.h; 2^63-1 is the largest size); on Dims it follows
// three rules:
//
//   * Operands that XLA can spell (n, <=n, ?) give what XLA gives: all static,
//     a static; else no upper end, `?`; else `<=`. Nothing is claimed about the
//     lower end: 3 + ? is ?.
//   * As soon as one operand is an interval (2..5, 2..) the result is the
//     tightest Dim that holds every possible size: 3 + (2..5) is 5..8.
//   * Symbolic operands, among themselves or with static ones, give the
//     expression: 3 + n is n+3. One that is too large to keep (dim_expr.h)
//     gives the interval of its values, as does one with any other operand.
//
//   AddDims(Dim::Static(3), Dim::Bounded(4))   // <=7
//   MapDim(d, [&](int64_t n) { return CheckedAdd(n, low); })
//   if (DimsLessOrEqual(window, d) == Answer::kRefuted) return Error(...);

#ifndef INDIM_SHAPE_DIMS_DIM_MATH_H_
#define INDIM_SHAPE_DIMS_DIM_MATH_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "indim/shape/dims/checked_math.h"
#include "indim/shape/dims/dim.h"

namespace indim {

// --- Dims -------------------------------------------------------------------
// nullopt: a static size would pass 2^63-1, a bound Dim::kMaxBound.

std::optional<Dim> AddDims(Dim a, Dim b);
std::optional<Dim> MultiplyDims(Dim a, Dim b);
// Never fails.
Dim MaxDims(Dim a, Dim b);
// d / count, count > 0, for sizes that `count` divides: one that it certainly
// does not is nullopt, others leave it to run time (bounds round down).
std::optional<Dim> DivideDim(Dim d, int64_t count);

// `size` applied to every size of `d`: static to static, `<=n` to `<=size(n)`,
// `?` to `?`, intervals to the tightest hull. `size` must be non-decreasing; it
// returns nullopt, or a negative number, for a size that can't be. nullopt when
// `d`'s largest size (of a `?` or `lo..`: no size is asked) has no result.
using SizeFunction = absl::FunctionRef<std::optional<int64_t>(int64_t)>;
std::optional<Dim> MapDim(Dim d, SizeFunction size);

// The dim that is both: what two operands that must agree there have in common.
//   n,n -> n   n,? -> n   n,<=n -> <=n   <=n,? -> <=n   ?,? -> ?
// Intervals intersect; `?` gives way to all. Of an expression and a size it is
// the size, else the (first) expression. nullopt when no size is in both,
// and, as in XLA, for n with <=m and for <=n with <=m, where n != m.
// Source: XLA, InferMostSpecificDimAndBound.
std::optional<Dim> MostSpecificDim(Dim a, Dim b);

// --- Comparisons ------------------------------------------------------------
// Over every pair of sizes that the two dims allow.
enum class Answer : uint8_t {
  kProven,   // holds for all of them
  kRefuted,  // holds for none
  kDepends,  // run time decides
};
// Two dims are taken as independent, ? with ? depends; but an expression has
// one value: n with n is proven equal, n with n+1 refuted, and so is 2*n with
// 2*m+1. Intervals overlap or they don't: 2*n <= n+5 is asked of 2*n-n-5.
Answer DimsEqual(Dim a, Dim b);
Answer DimsLessOrEqual(Dim a, Dim b);
inline Answer DimIs(Dim d, int64_t size) {
  return DimsEqual(d, Dim::Static(size));
}
// a == 1 or a == b.
Answer DimOneOrEqual(Dim a, Dim b);
// `divisor` (> 0) divides d.
Answer DimDivisible(Dim d, int64_t divisor);

}  // namespace indim

#endif  // INDIM_SHAPE_DIMS_DIM_MATH_H_
