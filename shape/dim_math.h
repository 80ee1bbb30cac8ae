// DimMath: arithmetic and comparison of sizes that may not be known.
//
// Shape functions never compute on raw sizes. On plain numbers every operation
// is checked (2^63-1 is the largest size); on Dims it follows two rules:
//
//   * Operands that XLA can spell (n, <=n, ?) give what XLA gives: all static,
//     a static; else no upper end, `?`; else `<=`. Nothing is claimed about the
//     lower end: 3 + ? is ?.
//   * As soon as one operand is an interval (2..5, 2..) the result is the
//     tightest Dim that holds every possible size: 3 + (2..5) is 5..8.
//
//   AddDims(Dim::Static(3), Dim::Bounded(4))   // <=7
//   MapDim(d, [&](int64_t n) { return CheckedAdd(n, low); })
//   if (DimsLessOrEqual(window, d) == Answer::kRefuted) return Error(...);

#ifndef INDIM_SHAPE_DIM_MATH_H_
#define INDIM_SHAPE_DIM_MATH_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "indim/shape/dim.h"

namespace indim {

// --- Numbers ----------------------------------------------------------------
// nullopt where the exact result does not fit in int64_t.
std::optional<int64_t> CheckedAdd(int64_t a, int64_t b);
std::optional<int64_t> CheckedSubtract(int64_t a, int64_t b);
std::optional<int64_t> CheckedMultiply(int64_t a, int64_t b);
// a / b rounded towards +infinity; nullopt unless a >= 0 and b > 0.
std::optional<int64_t> CheckedCeilDivide(int64_t a, int64_t b);
// a / b when b divides a; nullopt when it does not, or unless a >= 0 and b > 0.
std::optional<int64_t> CheckedExactDivide(int64_t a, int64_t b);
// Product of all; 1 for none. A 0 anywhere makes it 0, whatever the others are.
// nullopt when it does not fit or a factor is negative.
std::optional<int64_t> CheckedProduct(absl::Span<const int64_t> factors);

// --- Dims -------------------------------------------------------------------
// nullopt: a static size would pass 2^63-1, a bound Dim::kMaxBound.

std::optional<Dim> AddDims(Dim a, Dim b);
std::optional<Dim> MultiplyDims(Dim a, Dim b);
// Never fails.
Dim MaxDims(Dim a, Dim b);
Dim MinDims(Dim a, Dim b);
// d / count, count > 0, for sizes that `count` divides: a static one that it
// does not is nullopt, other dims leave it to run time (bounds round down).
std::optional<Dim> DivideDim(Dim d, int64_t count);

// `size` applied to every size of `d`: static to static, `<=n` to `<=size(n)`,
// `?` to `?`, intervals to the tightest hull. `size` must be non-decreasing; it
// returns nullopt, or a negative number, for a size that can't be. nullopt when
// `d`'s largest size (of a `?` or `lo..`: no size is asked) has no result.
using SizeFunction = absl::FunctionRef<std::optional<int64_t>(int64_t)>;
std::optional<Dim> MapDim(Dim d, SizeFunction size);

// The dim that is both: what two operands that must agree there have in common.
//   n,n -> n   n,? -> n   n,<=n -> <=n   <=n,? -> <=n   ?,? -> ?
// Intervals intersect; `?` gives way to all. nullopt when no size is in both,
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
// Two dims are taken as independent: ? with ? depends.
Answer DimsEqual(Dim a, Dim b);
Answer DimsLessOrEqual(Dim a, Dim b);
inline Answer DimIs(Dim d, int64_t size) {
  return DimsEqual(d, Dim::Static(size));
}
// a == 1 or a == b.
Answer DimOneOrEqual(Dim a, Dim b);

}  // namespace indim

#endif  // INDIM_SHAPE_DIM_MATH_H_
