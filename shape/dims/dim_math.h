// SPDX-License-Identifier: Apache-2.0
// DimMath: arithmetic on, and comparison of, sizes that may be unknown.
//
// Shape functions compute on sizes only through these functions. Arithmetic on
// plain numbers is checked (checked_math.h; 2^63-1 is the largest size).
// Arithmetic on Dims follows three rules:
//
//   * Operands that XLA has (n, <=n, ?) give XLA's result: static if all are
//     static; else `?` if an operand has no upper end; else `<=`. The lower end
//     is always 0: 3 + ? is ?.
//   * If an operand is an interval (2..5, 2..), the result is the tightest Dim
//     that holds every possible size: 3 + (2..5) is 5..8.
//   * Symbolic operands, with each other or with static ones, give an
//     expression: 3 + n is n+3. An expression that is too large (dim_expr.h),
//     or has an operand of another kind, gives the interval of its values.
//
//   AddDims(Dim::Static(3), Dim::Bounded(4))   // <=7
//   MapDim(d, [&](int64_t n) { return CheckedAdd(n, low); })
//   if (DimsLessOrEqual(window, d) == Answer::kRefuted) return Diagnose(...);

#ifndef INDIM_SHAPE_DIMS_DIM_MATH_H_
#define INDIM_SHAPE_DIMS_DIM_MATH_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "indim/shape/dims/checked_math.h"
#include "indim/shape/dims/dim.h"

namespace indim {

// --- Dims -------------------------------------------------------------------
// nullopt: a static size passes 2^63-1, or a bound passes Dim::kMaxBound.

std::optional<Dim> AddDims(Dim a, Dim b);
std::optional<Dim> MultiplyDims(Dim a, Dim b);
// Never fails.
Dim MaxDims(Dim a, Dim b);
// d / count, for count > 0 that must divide the size. nullopt: it certainly
// doesn't divide. Where run time decides, a bound is rounded down.
std::optional<Dim> DivideDim(Dim d, int64_t count);

// Applies `size` to every size of `d`: a static dim gives a static one, `<=n`
// gives `<=size(n)`, `?` gives `?`, an interval the tightest hull. `size` must
// be non-decreasing; it returns nullopt, or a negative number, where there is
// no result. nullopt when the largest size of `d` has no result (`size` is not
// called for the missing end of `?` and `lo..`).
using SizeFunction = absl::FunctionRef<std::optional<int64_t>(int64_t)>;
std::optional<Dim> MapDim(Dim d, SizeFunction size);

// The dim that two operands with one size allow in common.
//   n,n -> n   n,? -> n   n,<=n -> <=n   <=n,? -> <=n   ?,? -> ?
// Intervals intersect, and any dim is more specific than `?`. Of an expression
// and a size the result is the size; else it is the (first) expression. nullopt
// when no size is in both and, as in XLA, for n with <=m and for <=n with <=m,
// where n != m. Source: XLA, InferMostSpecificDimAndBound.
std::optional<Dim> MostSpecificDim(Dim a, Dim b);

// --- Comparisons ------------------------------------------------------------
// The answer over every pair of sizes that the two dims allow.
enum class Answer : uint8_t {
  kProven,   // holds for all pairs
  kRefuted,  // holds for no pair
  kDepends,  // run time decides
};
// Two dims are independent: `?` with `?` depends. But an expression has one
// value: n == n is proven; n == n+1 and 2*n == 2*m+1 are refuted. Comparisons
// use the difference: 2*n <= n+5 is decided by the bounds of 2*n-n-5.
Answer DimsEqual(Dim a, Dim b);
Answer DimsLessOrEqual(Dim a, Dim b);
inline Answer DimIs(Dim d, int64_t size) {
  return DimsEqual(d, Dim::Static(size));
}
// Whether a == 1 or a == b.
Answer DimOneOrEqual(Dim a, Dim b);
// Whether `divisor` (> 0) divides d.
Answer DimDivisible(Dim d, int64_t divisor);

}  // namespace indim

#endif  // INDIM_SHAPE_DIMS_DIM_MATH_H_
