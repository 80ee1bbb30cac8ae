// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/dims/dim.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_expr_internal.h"

namespace indim {
namespace {

// Accepts digits only; SimpleAtoi alone would accept signs and blanks.
std::optional<int64_t> ParseSize(absl::string_view text) {
  int64_t value = 0;
  if (!std::all_of(text.begin(), text.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(text, &value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<Dim> Dim::Interval(int64_t lower, int64_t upper) {
  if (lower < 0 || lower > upper) return std::nullopt;
  if (lower == upper) return Static(lower);
  if (lower == 0) {
    if (upper == kInfinity) return Unknown();
    if (upper > kMaxBound) return std::nullopt;
    return Bounded(upper);
  }
  if (lower > kMaxIntervalEnd) return std::nullopt;
  if (upper != kInfinity && upper > kMaxIntervalEnd) return std::nullopt;
  const uint64_t upper_bits =
      upper == kInfinity ? kUpperMask : static_cast<uint64_t>(upper);
  return Dim(kIntervalTag | static_cast<uint64_t>(lower) << 31 | upper_bits);
}

Dim Dim::Hull(int64_t lower, int64_t upper) {
  lower = std::max<int64_t>(lower, 0);
  upper = std::max(lower, upper);
  if (std::optional<Dim> exact = Interval(lower, upper)) return *exact;
  // An end is too large. Giving up the lower end adds at most the sizes below
  // it; giving up the upper end adds infinitely many.
  if (upper <= kMaxBound) return Bounded(upper);
  if (lower == 0) return Unknown();
  return *Interval(std::min(lower, kMaxIntervalEnd), kInfinity);
}

int64_t Dim::SymbolicLower(uint64_t word) {
  return ExpressionAt(word & ~kSymbolicTag).lower;
}

int64_t Dim::SymbolicUpper(uint64_t word) {
  return ExpressionAt(word & ~kSymbolicTag).upper;
}

std::string Dim::ToString() const {
  if (is_static()) return absl::StrCat(size());
  if (is_symbolic()) return ExpressionAt(word_ & ~kSymbolicTag).text;
  if (is_bounded()) return absl::StrCat("<=", upper());
  if (is_unknown()) return "?";
  if (!has_upper()) return absl::StrCat(lower(), "..");
  return absl::StrCat(lower(), "..", upper());
}

std::optional<Dim> Dim::Parse(absl::string_view text) {
  if (text == "?") return Unknown();
  if (absl::ConsumePrefix(&text, "<=")) {
    const std::optional<int64_t> bound = ParseSize(text);
    if (!bound || *bound > kMaxBound) return std::nullopt;
    return Bounded(*bound);
  }
  const size_t dots = text.find("..");
  if (dots == absl::string_view::npos) {
    const std::optional<int64_t> size = ParseSize(text);
    if (size) return Static(*size);
    const absl::StatusOr<DimExpr> expr = ParseDimExpr(text);
    if (!expr.ok() || expr->is_constant()) return std::nullopt;
    return expr->ToDim();
  }
  const std::optional<int64_t> lower = ParseSize(text.substr(0, dots));
  const absl::string_view end = text.substr(dots + 2);
  const std::optional<int64_t> upper = end.empty() ? kInfinity : ParseSize(end);
  if (!lower || !upper) return std::nullopt;
  return Interval(*lower, *upper);
}

}  // namespace indim

template class absl::InlinedVector<indim::Dim, 4>;
template class absl::InlinedVector<int64_t, 4>;
