// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/text/mlir_float_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/float_format.h"

namespace indim::mlir {
namespace {

// A natural number of any size, in base 2^32, the lowest digit first.
class Natural {
 public:
  explicit Natural(uint64_t value)
      : digits_{static_cast<uint32_t>(value),
                static_cast<uint32_t>(value >> 32)} {
    Trim();
  }

  bool zero() const { return digits_.empty(); }
  int64_t bits() const {
    if (zero()) return 0;
    int64_t top = 0;
    for (uint32_t d = digits_.back(); d != 0; d >>= 1) ++top;
    return 32 * static_cast<int64_t>(digits_.size() - 1) + top;
  }

  void Multiply(uint32_t factor) {
    uint64_t carry = 0;
    for (uint32_t& digit : digits_) {
      carry += uint64_t{digit} * factor;
      digit = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) digits_.push_back(static_cast<uint32_t>(carry));
  }

  // Divides, and returns the remainder.
  uint32_t Divide(uint32_t divisor) {
    uint64_t rest = 0;
    for (size_t i = digits_.size(); i > 0; --i) {
      rest = (rest << 32) | digits_[i - 1];
      digits_[i - 1] = static_cast<uint32_t>(rest / divisor);
      rest %= divisor;
    }
    Trim();
    return static_cast<uint32_t>(rest);
  }

  // Multiplies by, or divides by, base^count. base^step must fit 32 bits.
  template <typename F>
  static void Steps(uint32_t base, int step, int64_t count, F apply) {
    while (count > 0) {
      uint32_t factor = 1;
      const int64_t n = std::min<int64_t>(step, count);
      for (int64_t i = 0; i < n; ++i) factor *= base;
      apply(factor);
      count -= n;
    }
  }
  void MultiplyPower(uint32_t base, int step, int64_t count) {
    Steps(base, step, count, [this](uint32_t factor) { Multiply(factor); });
  }
  void DividePower(uint32_t base, int step, int64_t count) {
    Steps(base, step, count, [this](uint32_t factor) { Divide(factor); });
  }

 private:
  void Trim() {
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
  }

  std::vector<uint32_t> digits_;
};

// digits * 10^exponent; no zeros at the end.
struct Decimal {
  std::string digits;
  int64_t exponent = 0;
};

// A positive finite number in at most `precision` digits, as LLVM cuts it:
// binary digits beyond the precision are dropped first, and then a half is
// rounded up.
Decimal Cut(double value, int precision) {
  int binary = 0;
  const double fraction = std::frexp(value, &binary);
  auto significand = static_cast<uint64_t>(std::ldexp(fraction, 53));
  binary -= 53;
  while (significand % 2 == 0) {
    significand /= 2;
    ++binary;
  }
  Natural number(significand);
  Decimal decimal;
  if (binary >= 0) {
    number.MultiplyPower(2, 31, binary);
  } else {  // n / 2^b = n * 5^b / 10^b
    number.MultiplyPower(5, 13, -int64_t{binary});
    decimal.exponent = binary;
  }
  const int64_t enough = (precision * 196 + 58) / 59;
  const int64_t removable = (number.bits() - enough) * 59 / 196;
  if (number.bits() > enough && removable > 0) {
    decimal.exponent += removable;
    number.DividePower(10, 9, removable);
  }
  while (!number.zero()) {
    decimal.digits.push_back(static_cast<char>('0' + number.Divide(10)));
  }
  std::reverse(decimal.digits.begin(), decimal.digits.end());
  std::string& digits = decimal.digits;
  const auto most = static_cast<size_t>(precision);
  if (digits.size() > most) {
    const bool up = digits[most] >= '5';
    decimal.exponent += static_cast<int64_t>(digits.size() - most);
    digits.resize(most);
    size_t i = most;
    while (up && i > 0 && digits[i - 1] == '9') digits[--i] = '0';
    if (up && i > 0) {
      ++digits[i - 1];
    } else if (up) {
      digits.insert(digits.begin(), '1');
    }
  }
  while (digits.size() > 1 && digits.back() == '0') {
    digits.pop_back();
    ++decimal.exponent;
  }
  return decimal;
}

// d.dddddde+XX, if it has the same bits again.
bool AppendSixDigits(ElementType type, uint64_t bits, double value,
                     std::string* out) {
  constexpr int kDigits = 6;
  std::string text = "0.000000e+00";
  if (value != 0) {
    Decimal decimal = Cut(std::abs(value), kDigits);
    const int64_t first =
        decimal.exponent + static_cast<int64_t>(decimal.digits.size()) - 1;
    decimal.digits.resize(kDigits + 1, '0');
    const int64_t size = std::abs(first);
    text =
        absl::StrCat(decimal.digits.substr(0, 1), ".", decimal.digits.substr(1),
                     first < 0 ? "e-" : "e+", size < 10 ? "0" : "", size);
  }
  double again = 0;
  absl::from_chars(text.data(), text.data() + text.size(), again);
  if (std::signbit(value)) again = -again;
  if (EncodeFloat(type, again) != bits) return false;
  absl::StrAppend(out, std::signbit(value) ? "-" : "", text);
  return true;
}

// As many digits as any value of the type keeps. False: they have no decimal
// point.
bool AppendAllDigits(ElementType type, double value, std::string* out) {
  constexpr int64_t kMostZeros = 3;
  const int precision = 2 + Info(type).significand * 59 / 196;
  const Decimal decimal = Cut(std::abs(value), precision);
  const std::string& digits = decimal.digits;
  const auto count = static_cast<int64_t>(digits.size());
  const int64_t last = decimal.exponent;  // the power of ten of the last digit
  const int64_t first = last + count - 1;
  const bool scientific = last >= 0
                              ? last > kMostZeros || count + last > precision
                              : first < 0 && -first > kMostZeros;
  if (!scientific && last >= 0) return false;
  if (std::signbit(value)) out->push_back('-');
  if (scientific) {
    absl::StrAppend(out, digits.substr(0, 1), ".",
                    count == 1 ? "0" : digits.substr(1),
                    first < 0 ? "E-" : "E+", std::abs(first));
  } else if (first >= 0) {
    const auto point = static_cast<size_t>(first) + 1;
    absl::StrAppend(out, digits.substr(0, point), ".", digits.substr(point));
  } else {
    out->append("0.");
    out->append(static_cast<size_t>(-first - 1), '0');
    out->append(digits);
  }
  return true;
}

}  // namespace

void AppendFloat(ElementType type, uint64_t bits, std::string* out) {
  const double value = DecodeFloat(type, bits);
  if (std::isfinite(value) && (AppendSixDigits(type, bits, value, out) ||
                               AppendAllDigits(type, value, out))) {
    return;
  }
  char hex[20];
  std::snprintf(hex, sizeof(hex), "0x%llX",
                static_cast<unsigned long long>(bits));
  out->append(hex);
}

}  // namespace indim::mlir
