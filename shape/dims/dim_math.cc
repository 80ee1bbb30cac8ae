// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/dims/dim_math.h"

#include <algorithm>
#include <limits>

#include "indim/shape/dims/dim_expr.h"

namespace indim {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// kInfinity stays kInfinity; a sum or product that is too large becomes it.
int64_t SaturatedAdd(int64_t a, int64_t b) {
  if (a == Dim::kInfinity || b == Dim::kInfinity) return Dim::kInfinity;
  return CheckedAdd(a, b).value_or(Dim::kInfinity);
}

int64_t SaturatedMultiply(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (a == Dim::kInfinity || b == Dim::kInfinity) return Dim::kInfinity;
  return CheckedMultiply(a, b).value_or(Dim::kInfinity);
}

// At least one is symbolic, and the other is symbolic or static.
bool AreExpressions(Dim a, Dim b) {
  return a.is_exact() && b.is_exact() && !(a.is_static() && b.is_static());
}

// `expr`, or lower..upper where it is too large. nullopt: it is negative.
std::optional<Dim> ToDim(const DimExpr& expr, int64_t lower, int64_t upper) {
  if (const std::optional<Dim> dim = expr.ToDim()) return dim;
  if (expr.valid() && expr.upper() < 0) return std::nullopt;
  return Dim::Hull(lower, upper);
}

// The result, with sizes lower..upper, of an operation on `a` and `b`.
std::optional<Dim> Combine(Dim a, Dim b, int64_t lower, int64_t upper,
                           bool upper_is_finite) {
  if (!a.is_xla() || !b.is_xla()) return Dim::Hull(lower, upper);
  if (a.is_static() && b.is_static()) {
    if (upper == Dim::kInfinity) return std::nullopt;
    return Dim::Static(upper);
  }
  if (!upper_is_finite) return Dim::Unknown();
  if (upper > Dim::kMaxBound) return std::nullopt;
  return Dim::Bounded(upper);
}

}  // namespace

std::optional<Dim> AddDims(Dim a, Dim b) {
  if (a.is_static() && b.is_static()) {
    int64_t sum = 0;
    if (__builtin_add_overflow(a.size(), b.size(), &sum) || sum == kMax) {
      return std::nullopt;
    }
    return Dim::Static(sum);
  }
  const int64_t lower = SaturatedAdd(a.lower(), b.lower());
  const int64_t upper = SaturatedAdd(a.upper(), b.upper());
  if (AreExpressions(a, b)) return ToDim(DimExpr(a) + DimExpr(b), lower, upper);
  return Combine(a, b, lower, upper, a.has_upper() && b.has_upper());
}

std::optional<Dim> MultiplyDims(Dim a, Dim b) {
  // 0 times anything is 0, even times infinity.
  const bool zero = a.upper() == 0 || b.upper() == 0;
  const int64_t lower = SaturatedMultiply(a.lower(), b.lower());
  const int64_t upper = SaturatedMultiply(a.upper(), b.upper());
  if (AreExpressions(a, b)) return ToDim(DimExpr(a) * DimExpr(b), lower, upper);
  return Combine(a, b, lower, upper, zero || (a.has_upper() && b.has_upper()));
}

Dim MaxDims(Dim a, Dim b) {
  const int64_t lower = std::max(a.lower(), b.lower());
  const int64_t upper = std::max(a.upper(), b.upper());
  if (AreExpressions(a, b)) {
    return ToDim(DimExpr(a).Max(DimExpr(b)), lower, upper)
        .value_or(Dim::Hull(lower, upper));
  }
  return Combine(a, b, lower, upper, upper != kMax)
      .value_or(Dim::Hull(lower, upper));
}

std::optional<Dim> DivideDim(Dim d, int64_t count) {
  if (count <= 0) return std::nullopt;
  if (d.is_static()) {
    std::optional<int64_t> size = CheckedExactDivide(d.size(), count);
    if (!size) return std::nullopt;
    return Dim::Static(*size);
  }
  if (d.is_unknown()) return d;
  if (d.is_bounded()) return Dim::Bounded(d.upper() / count);
  if (d.is_symbolic()) {
    const DimExpr expr(d);
    if (expr.IsDivisible(count) == false) return std::nullopt;
    return ToDim(expr.FloorDivide(count), d.lower() / count,
                 d.has_upper() ? d.upper() / count : Dim::kInfinity);
  }
  const int64_t lower = d.lower() / count + (d.lower() % count != 0 ? 1 : 0);
  const int64_t upper = d.has_upper() ? d.upper() / count : Dim::kInfinity;
  if (lower > upper) return std::nullopt;
  return Dim::Hull(lower, upper);
}

std::optional<Dim> MapDim(Dim d, SizeFunction size) {
  if (d.is_unknown()) return d;
  int64_t upper = Dim::kInfinity;
  if (d.has_upper()) {
    std::optional<int64_t> largest = size(d.upper());
    if (!largest || *largest < 0) return std::nullopt;
    upper = *largest;
  }
  if (d.is_static()) return Dim::Static(upper);
  if (d.is_bounded()) {
    if (upper > Dim::kMaxBound) return std::nullopt;
    return Dim::Bounded(upper);
  }
  // Where `size` has no result for the smallest sizes, the result starts at 0.
  const int64_t lower = size(d.lower()).value_or(0);
  return Dim::Hull(std::min(std::max<int64_t>(lower, 0), upper), upper);
}

std::optional<Dim> MostSpecificDim(Dim a, Dim b) {
  if (a == b || b.is_unknown()) return a;
  if (a.is_unknown()) return b;
  if (a.is_symbolic() || b.is_symbolic()) {
    if (DimsEqual(a, b) == Answer::kRefuted) return std::nullopt;
    if (a.is_static() || b.is_static()) return a.is_static() ? a : b;
    return a.is_symbolic() ? a : b;
  }
  if (!a.is_interval() && !b.is_interval()) {
    // n or <=n on either side: the bounds must agree.
    if (a.upper() != b.upper()) return std::nullopt;
    return a.is_bounded() ? a : b;
  }
  const int64_t lower = std::max(a.lower(), b.lower());
  const int64_t upper = std::min(a.upper(), b.upper());
  if (lower > upper) return std::nullopt;
  return Dim::Hull(lower, upper);
}

Answer DimsEqual(Dim a, Dim b) {
  if (a.is_static() && b.is_static()) {
    return a == b ? Answer::kProven : Answer::kRefuted;
  }
  if (a.upper() < b.lower() || b.upper() < a.lower()) return Answer::kRefuted;
  if (a.lower() == a.upper() && b.lower() == b.upper()) return Answer::kProven;
  if (!AreExpressions(a, b)) return Answer::kDepends;
  if (a == b) return Answer::kProven;
  const DimExpr difference = DimExpr(a) - DimExpr(b);
  if (!difference.valid()) return Answer::kDepends;
  if (difference == DimExpr(0)) return Answer::kProven;
  // For example, no multiple of 2 is 1.
  const int64_t modulus = difference.congruence().modulus;
  const bool never = difference.lower() > 0 || difference.upper() < 0 ||
                     (modulus > 0 && difference.IsDivisible(modulus) == false);
  return never ? Answer::kRefuted : Answer::kDepends;
}

Answer DimsLessOrEqual(Dim a, Dim b) {
  if (a.upper() <= b.lower()) return Answer::kProven;
  if (a.lower() > b.upper()) return Answer::kRefuted;
  if (!AreExpressions(a, b)) return Answer::kDepends;
  const DimExpr difference = DimExpr(a) - DimExpr(b);
  return difference.upper() <= 0  ? Answer::kProven
         : difference.lower() > 0 ? Answer::kRefuted
                                  : Answer::kDepends;
}

Answer DimOneOrEqual(Dim a, Dim b) {
  const Answer equal = DimsEqual(a, b);
  if (!a.Contains(1)) return equal;
  if (a.is_symbolic() && DimIs(a, 1) == Answer::kRefuted) return equal;
  if (equal == Answer::kProven || DimIs(a, 1) == Answer::kProven) {
    return Answer::kProven;
  }
  // 1..2 with 2, 0..1 with 0: each size of `a` is 1 or equals b.
  const int64_t other = a.lower() == 1 ? a.upper() : a.lower();
  const bool two_sizes = a.upper() - a.lower() == 1;
  return two_sizes && DimIs(b, other) == Answer::kProven ? Answer::kProven
                                                         : Answer::kDepends;
}

Answer DimDivisible(Dim d, int64_t divisor) {
  if (d.is_exact()) {
    const std::optional<bool> divides = DimExpr(d).IsDivisible(divisor);
    if (!divides) return Answer::kDepends;
    return *divides ? Answer::kProven : Answer::kRefuted;
  }
  if (divisor == 1 || d.upper() == 0) return Answer::kProven;
  // Whether a multiple of `divisor` lies in lower..upper.
  const bool possible =
      !d.has_upper() || d.upper() / divisor * divisor >= d.lower();
  return possible ? Answer::kDepends : Answer::kRefuted;
}

}  // namespace indim
