// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/values/scalar.h"

#include <cmath>
#include <cstring>

#include "absl/strings/string_view.h"
#include "indim/ir/storage/float_format.h"
#include "indim/ir/storage/literal_bytes.h"
#include "indim/proto/codec/literal.h"

namespace indim {
namespace {

// The low info.bits bits, extended to 64.
uint64_t Extended(const ElementTypeInfo& info, uint64_t bits) {
  if (info.bits >= 64) return bits;
  const uint64_t sign = uint64_t{1} << (info.bits - 1);
  bits &= sign | (sign - 1);
  return info.kind == ElementKind::kSigned ? (bits ^ sign) - sign : bits;
}

double LoadFloat(ElementType type, const char* bytes, int width) {
  return DecodeFloat(
      type,
      BitsAt(absl::string_view(bytes, static_cast<size_t>(width)), 0, width));
}

uint64_t FloatCode(ElementType type, double value) {
  if (type != ElementType::kF32) return EncodeFloat(type, value);
  const float rounded = static_cast<float>(value);
  uint32_t code;
  std::memcpy(&code, &rounded, sizeof code);
  return code;
}

void StoreBits(uint64_t bits, int width, char* bytes) {
  for (int i = 0; i < width; ++i) {
    bytes[i] = static_cast<char>(bits >> (8 * i));
  }
}

// Truncates to an integer, saturated to the type's range; NaN gives 0.
uint64_t Truncated(const ElementTypeInfo& info, double value) {
  if (std::isnan(value)) return 0;
  const bool is_signed = info.kind == ElementKind::kSigned;
  const int digits = info.bits - (is_signed ? 1 : 0);
  const double end = std::ldexp(1.0, digits);
  const uint64_t largest =
      digits >= 64 ? ~uint64_t{0} : (uint64_t{1} << digits) - 1;
  if (value >= end) return largest;
  if (is_signed) {
    return value <= -end ? ~largest
                         : static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  return value <= 0 ? 0 : static_cast<uint64_t>(value);
}

// An integer as a double that rounds to every narrower type as the integer
// would: its last bit is set where bits are lost.
double ToDouble(const ElementTypeInfo& from, ElementType to, uint64_t bits) {
  const bool negative =
      from.kind == ElementKind::kSigned && static_cast<int64_t>(bits) < 0;
  uint64_t size = negative ? 0 - bits : bits;
  if (to != ElementType::kF64 && size >> 53 != 0) {
    constexpr uint64_t kLost = (uint64_t{1} << 11) - 1;
    const uint64_t sticky = (size & kLost) != 0 ? uint64_t{1} << 11 : 0;
    size = (size & ~kLost) | sticky;
  }
  const double value = static_cast<double>(size);
  return negative ? -value : value;
}

}  // namespace

Scalar LoadScalar(ElementType type, const char* bytes) {
  const ElementTypeInfo& info = Info(type);
  const int width = ElementBytes(type);
  switch (info.kind) {
    case ElementKind::kFloat:
      return Scalar::Float(LoadFloat(type, bytes, width));
    case ElementKind::kComplex: {
      const ElementType part = RealPart(type);
      return {LoadFloat(part, bytes, width / 2),
              LoadFloat(part, bytes + width / 2, width / 2), 0};
    }
    case ElementKind::kPred:
      return Scalar::Pred(bytes[0] != 0);
    default: {
      const absl::string_view view(bytes, static_cast<size_t>(width));
      return Scalar::Bits(Extended(info, BitsAt(view, 0, width)));
    }
  }
}

void StoreScalar(ElementType type, const Scalar& value, char* bytes) {
  const ElementTypeInfo& info = Info(type);
  const int width = ElementBytes(type);
  switch (info.kind) {
    case ElementKind::kFloat:
      return StoreBits(FloatCode(type, value.re), width, bytes);
    case ElementKind::kComplex: {
      const ElementType part = RealPart(type);
      StoreBits(FloatCode(part, value.re), width / 2, bytes);
      StoreBits(FloatCode(part, value.im), width / 2, bytes + width / 2);
      return;
    }
    case ElementKind::kPred:
      bytes[0] = value.bits != 0 ? 1 : 0;
      return;
    default: {
      // As in a Literal, the bits above a small element's own are 0.
      const uint64_t mask =
          info.bits >= 8 ? ~uint64_t{0} : (uint64_t{1} << info.bits) - 1;
      StoreBits(value.bits & mask, width, bytes);
    }
  }
}

Scalar RoundedTo(ElementType type, const Scalar& value) {
  char bytes[16];
  StoreScalar(type, value, bytes);
  return LoadScalar(type, bytes);
}

// --- Conversion --------------------------------------------------------------

Scalar ConvertScalar(ElementType from, ElementType to, const Scalar& value) {
  const ElementTypeInfo& source = Info(from);
  const ElementTypeInfo& target = Info(to);
  const bool inexact = IsFloat(from) || IsComplex(from);
  switch (target.kind) {
    case ElementKind::kPred:
      // Of a complex number the real part, as for every other type.
      return Scalar::Pred(inexact ? value.re != 0 : value.bits != 0);
    case ElementKind::kSigned:
    case ElementKind::kUnsigned:
      return Scalar::Bits(inexact ? Truncated(target, value.re) : value.bits);
    case ElementKind::kFloat:
      return Scalar::Float(inexact ? value.re
                                   : ToDouble(source, to, value.bits));
    case ElementKind::kComplex:
      if (inexact) return {value.re, IsComplex(from) ? value.im : 0, 0};
      return Scalar::Float(ToDouble(source, RealPart(to), value.bits));
    default:
      return {};
  }
}

}  // namespace indim
