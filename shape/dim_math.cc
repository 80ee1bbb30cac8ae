#include "indim/shape/dim_math.h"

#include <algorithm>
#include <limits>

namespace indim {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// kInfinity stays kInfinity, and so does what is too large to be a size.
int64_t SaturatedAdd(int64_t a, int64_t b) {
  if (a == Dim::kInfinity || b == Dim::kInfinity) return Dim::kInfinity;
  return CheckedAdd(a, b).value_or(Dim::kInfinity);
}

int64_t SaturatedMultiply(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (a == Dim::kInfinity || b == Dim::kInfinity) return Dim::kInfinity;
  return CheckedMultiply(a, b).value_or(Dim::kInfinity);
}

// The result of an operation on `a` and `b` whose sizes are in lower..upper.
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

std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

std::optional<int64_t> CheckedSubtract(int64_t a, int64_t b) {
  int64_t difference;
  if (__builtin_sub_overflow(a, b, &difference)) return std::nullopt;
  return difference;
}

std::optional<int64_t> CheckedMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<int64_t> CheckedCeilDivide(int64_t a, int64_t b) {
  if (a < 0 || b <= 0) return std::nullopt;
  return a / b + (a % b != 0 ? 1 : 0);
}

std::optional<int64_t> CheckedExactDivide(int64_t a, int64_t b) {
  if (a < 0 || b <= 0 || a % b != 0) return std::nullopt;
  return a / b;
}

std::optional<int64_t> CheckedProduct(absl::Span<const int64_t> factors) {
  int64_t product = 1;
  bool overflow = false;
  bool zero = false;
  for (int64_t factor : factors) {
    if (factor < 0) return std::nullopt;
    if (factor == 0) zero = true;
    if (__builtin_mul_overflow(product, std::max<int64_t>(factor, 1),
                               &product)) {
      overflow = true;
      product = 1;
    }
  }
  if (zero) return 0;
  if (overflow) return std::nullopt;
  return product;
}

std::optional<Dim> AddDims(Dim a, Dim b) {
  return Combine(a, b, SaturatedAdd(a.lower(), b.lower()),
                 SaturatedAdd(a.upper(), b.upper()),
                 a.has_upper() && b.has_upper());
}

std::optional<Dim> MultiplyDims(Dim a, Dim b) {
  // 0 times anything is 0, however large.
  const bool zero = a.upper() == 0 || b.upper() == 0;
  return Combine(a, b, SaturatedMultiply(a.lower(), b.lower()),
                 SaturatedMultiply(a.upper(), b.upper()),
                 zero || (a.has_upper() && b.has_upper()));
}

Dim MaxDims(Dim a, Dim b) {
  const int64_t lower = std::max(a.lower(), b.lower());
  const int64_t upper = std::max(a.upper(), b.upper());
  return Combine(a, b, lower, upper, upper != kMax)
      .value_or(Dim::Hull(lower, upper));
}

Dim MinDims(Dim a, Dim b) {
  const int64_t lower = std::min(a.lower(), b.lower());
  const int64_t upper = std::min(a.upper(), b.upper());
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
  // Sizes that can't be at all leave 0 as the smallest that can.
  const int64_t lower = size(d.lower()).value_or(0);
  return Dim::Hull(std::min(std::max<int64_t>(lower, 0), upper), upper);
}

std::optional<Dim> MostSpecificDim(Dim a, Dim b) {
  if (a == b || b.is_unknown()) return a;
  if (a.is_unknown()) return b;
  if (!a.is_interval() && !b.is_interval()) {
    // n or <=n on either side; the bound is the number that must agree.
    if (a.upper() != b.upper()) return std::nullopt;
    return a.is_bounded() ? a : b;
  }
  const int64_t lower = std::max(a.lower(), b.lower());
  const int64_t upper = std::min(a.upper(), b.upper());
  if (lower > upper) return std::nullopt;
  return Dim::Hull(lower, upper);
}

Answer DimsEqual(Dim a, Dim b) {
  if (a.upper() < b.lower() || b.upper() < a.lower()) return Answer::kRefuted;
  if (a.lower() == a.upper() && b.lower() == b.upper()) return Answer::kProven;
  return Answer::kDepends;
}

Answer DimsLessOrEqual(Dim a, Dim b) {
  if (a.upper() <= b.lower()) return Answer::kProven;
  if (a.lower() > b.upper()) return Answer::kRefuted;
  return Answer::kDepends;
}

Answer DimOneOrEqual(Dim a, Dim b) {
  const Answer equal = DimsEqual(a, b);
  if (!a.Contains(1)) return equal;
  if (equal == Answer::kProven || DimIs(a, 1) == Answer::kProven) {
    return Answer::kProven;
  }
  // 1..2 with 2, 0..1 with 0: each size of `a` is one of the two.
  const int64_t other = a.lower() == 1 ? a.upper() : a.lower();
  const bool two_sizes = a.upper() - a.lower() == 1;
  return two_sizes && DimIs(b, other) == Answer::kProven ? Answer::kProven
                                                         : Answer::kDepends;
}

}  // namespace indim
