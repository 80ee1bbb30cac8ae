// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/float_text.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/ir/storage/float_format.h"

namespace indim {
namespace {

// Room for 17 digits, a sign, a point and an exponent.
constexpr size_t kBuffer = 40;

// Formats like printf's %.{digits}g.
absl::string_view General(double value, int digits, char* buffer) {
  const auto done = std::to_chars(buffer, buffer + kBuffer, value,
                                  std::chars_format::general, digits);
  return absl::string_view(buffer, static_cast<size_t>(done.ptr - buffer));
}

// Appends the digits d.ddd times 10^exponent in the format of %.{precision}g.
void AppendGeneral(absl::string_view digits, int exponent, int precision,
                   std::string* out) {
  if (exponent < -4 || exponent >= precision) {
    out->push_back(digits[0]);
    if (digits.size() > 1) {
      out->push_back('.');
      out->append(digits.data() + 1, digits.size() - 1);
    }
    const int size = exponent < 0 ? -exponent : exponent;
    absl::StrAppend(out, exponent < 0 ? "e-" : "e+", size < 10 ? "0" : "",
                    size);
    return;
  }
  if (exponent < 0) {
    out->append("0.");
    out->append(static_cast<size_t>(-exponent - 1), '0');
    out->append(digits.data(), digits.size());
    return;
  }
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) {
    out->append(digits.data(), digits.size());
    out->append(whole - digits.size(), '0');
    return;
  }
  out->append(digits.data(), whole);
  out->push_back('.');
  out->append(digits.data() + whole, digits.size() - whole);
}

// Appends `value`, which is finite, not zero and not subnormal, if at most
// `few` digits represent it exactly enough to read it back.
template <typename T>
bool AppendShort(T value, int few, std::string* out) {
  char buffer[kBuffer];
  const auto done = std::to_chars(buffer, buffer + kBuffer, value,
                                  std::chars_format::scientific);
  // -d.ddde+XX
  const char* p = buffer;
  if (*p == '-') ++p;
  char digits[kBuffer];
  size_t count = 0;
  for (; *p != 'e'; ++p) {
    if (*p != '.') digits[count++] = *p;
  }
  if (count > static_cast<size_t>(few)) return false;
  int exponent = 0;
  for (const char* q = p + 2; q != done.ptr; ++q) {
    exponent = exponent * 10 + (*q - '0');
  }
  if (p[1] == '-') exponent = -exponent;
  if (buffer[0] == '-') out->push_back('-');
  AppendGeneral(absl::string_view(digits, count), exponent, few, out);
  return true;
}

inline uint64_t Bits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline uint64_t Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

bool ReadBack(absl::string_view text, float* value) {
  return absl::SimpleAtof(text, value);
}
bool ReadBack(absl::string_view text, double* value) {
  return absl::SimpleAtod(text, value);
}

// `few`: the digits of a decimal number that T keeps; `many`: the digits that T
// needs.
template <typename T>
void AppendValue(T value, ElementType type, int few, int many,
                 std::string* out) {
  // Fast path for most constants: small integers.
  constexpr T kSmall = 1000000;
  if (value > -kSmall && value < kSmall) {
    const int32_t whole = static_cast<int32_t>(value);
    if (static_cast<T>(whole) == value) {
      if (whole == 0 && std::signbit(value)) out->push_back('-');
      absl::StrAppend(out, whole);
      return;
    }
  }
  if (!std::isfinite(value)) return AppendFloatText(type, Bits(value), out);
  char buffer[kBuffer];
  if (std::isnormal(value)) {
    if (AppendShort(value, few, out)) return;
  } else {
    const absl::string_view text = General(value, few, buffer);
    T back = 0;
    if (ReadBack(text, &back) && back == value) {
      out->append(text.data(), text.size());
      return;
    }
  }
  const absl::string_view text = General(value, many, buffer);
  out->append(text.data(), text.size());
}

void AppendNan(const ElementTypeInfo& info, uint64_t code, std::string* out) {
  const bool negative = (code >> (info.bits - 1) & 1) != 0 &&
                        info.type != ElementType::kF8E8M0FNU;
  out->append(negative ? "-nan" : "nan");
  const int digits = info.significand - 1;
  if (!HasNanPayload(info.type)) return;
  const uint64_t payload = code & ((uint64_t{1} << digits) - 1);
  if (payload != uint64_t{1} << (digits - 1)) {
    absl::StrAppend(out, "(0x", absl::Hex(payload), ")");
  }
}

}  // namespace

bool HasNanPayload(ElementType type) {
  switch (type) {
    case ElementType::kF64:
    case ElementType::kF32:
    case ElementType::kF16:
    case ElementType::kBF16:
    case ElementType::kF8E5M2:
    case ElementType::kF8E4M3:
    case ElementType::kF8E3M4:
      return true;
    default:
      return false;
  }
}

void AppendFloatText(ElementType type, uint64_t code, std::string* out) {
  if (!IsFloat(type)) return;
  const double value = DecodeFloat(type, code);
  if (std::isnan(value)) return AppendNan(Info(type), code, out);
  if (std::isinf(value)) {
    out->append(value < 0 ? "-inf" : "inf");
  } else if (type == ElementType::kF64) {
    AppendValue(value, type, 15, 17, out);
  } else if (type == ElementType::kF32) {
    AppendValue(static_cast<float>(value), type, 6, 9, out);
  } else {
    // 1 + ceil(significand * log10(2)), C++'s max_digits10.
    const int digits =
        1 + static_cast<int>(std::ceil(Info(type).significand * 0.30102999566));
    char buffer[kBuffer];
    const absl::string_view text = General(value, digits, buffer);
    out->append(text.data(), text.size());
  }
}

}  // namespace indim
