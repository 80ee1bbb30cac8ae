// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/limits.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace indim::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

absl::Status NoSuch(ElementType type) {
  return absl::InvalidArgumentError(
      absl::StrCat(Name(type), " has no such value"));
}

absl::StatusOr<Literal> Scalar(ElementType type, double value) {
  return Literal::FromDoubles(type, {value}, {});
}

// Whether `type` represents `value` exactly.
bool Holds(ElementType type, double value) {
  const absl::StatusOr<Literal> literal = Scalar(type, value);
  return literal.ok() && literal->AsDouble(0) == value;
}

// The extremes of 64-bit integers aren't doubles.
absl::StatusOr<Literal> IntegerEnd(ElementType type, bool greatest) {
  const int bits = Info(type).bits;
  if (type == ElementType::kS64) {
    const int64_t end = greatest ? std::numeric_limits<int64_t>::max()
                                 : std::numeric_limits<int64_t>::min();
    return Literal::Array(absl::Span<const int64_t>(&end, 1), {});
  }
  if (type == ElementType::kU64) {
    const uint64_t end = greatest ? std::numeric_limits<uint64_t>::max() : 0;
    return Literal::Array(absl::Span<const uint64_t>(&end, 1), {});
  }
  if (IsUnsigned(type)) {
    return Scalar(type, greatest ? std::ldexp(1.0, bits) - 1 : 0);
  }
  const double half = std::ldexp(1.0, bits - 1);
  return Scalar(type, greatest ? half - 1 : -half);
}

// The largest value with all digits 1. In formats whose topmost codes are NaN
// or infinity it is a step or two lower.
double GreatestFloat(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  const double step =
      std::ldexp(1.0, info.overflow_exponent - info.significand);
  double value = std::ldexp(1.0, info.overflow_exponent - 1) * 2 - step;
  if (info.overflow_exponent == 1024) {
    return std::numeric_limits<double>::max();
  }
  while (value > 0 && !Holds(type, value)) value -= step;
  return value;
}

}  // namespace

absl::StatusOr<Literal> GreatestFiniteLiteral(ElementType type) {
  if (type == ElementType::kPred) return Scalar(type, 1);
  if (IsIntegral(type)) return IntegerEnd(type, true);
  if (!IsFloat(type)) return NoSuch(type);
  return Scalar(type, GreatestFloat(type));
}

absl::StatusOr<Literal> LeastFiniteLiteral(ElementType type) {
  if (type == ElementType::kPred) return Scalar(type, 0);
  if (IsIntegral(type)) return IntegerEnd(type, false);
  if (!IsFloat(type)) return NoSuch(type);
  // A type without a sign: its smallest power of two.
  if (type == ElementType::kF8E8M0FNU) {
    return Scalar(type, std::ldexp(1.0, -127));
  }
  return Scalar(type, -GreatestFloat(type));
}

absl::StatusOr<Literal> GreatestLiteral(ElementType type) {
  if (IsFloat(type) && Holds(type, kInfinity)) return Scalar(type, kInfinity);
  return GreatestFiniteLiteral(type);
}

absl::StatusOr<Literal> LeastLiteral(ElementType type) {
  if (IsFloat(type) && Holds(type, -kInfinity)) return Scalar(type, -kInfinity);
  return LeastFiniteLiteral(type);
}

absl::StatusOr<Literal> EpsilonLiteral(ElementType type) {
  if (!IsFloat(type)) return NoSuch(type);
  return Scalar(type, std::ldexp(1.0, 1 - Info(type).significand));
}

absl::StatusOr<Literal> NanLiteral(ElementType type) {
  if (!IsFloat(type)) return NoSuch(type);
  return Scalar(type, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace indim::internal
