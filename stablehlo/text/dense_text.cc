// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/text/dense_text.h"

#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/charconv.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/float_format.h"
#include "indim/stablehlo/mlir/spelling.h"
#include "indim/stablehlo/text/mlir_float_text.h"

namespace indim::mlir {
namespace {

// The bits of one element: 1 for i1, which a byte holds otherwise.
int BitsOf(ElementType type) {
  return type == ElementType::kPred ? 1 : Info(type).bits;
}

uint64_t LowBits(int count) {
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

// The value of each digit; kNoDigit for other characters. Constants have
// millions of digits, whose order no branch predictor knows.
constexpr uint8_t kNoDigit = 0xFF;
constexpr std::array<uint8_t, 256> MakeDigits() {
  std::array<uint8_t, 256> digits = {};
  for (size_t c = 0; c < 256; ++c) digits[c] = kNoDigit;
  for (uint8_t i = 0; i < 16; ++i) {
    digits[static_cast<size_t>("0123456789ABCDEF"[i])] = i;
    digits[static_cast<size_t>("0123456789abcdef"[i])] = i;
  }
  return digits;
}
constexpr std::array<uint8_t, 256> kDigits = MakeDigits();

}  // namespace

bool ElementCount(const Type& type, int64_t* count) {
  *count = 1;
  bool empty = false;
  for (const int64_t dim : type.dims) {
    if (dim < 0) return false;
    if (dim == 0) empty = true;
    if (dim > 0 && *count > std::numeric_limits<int64_t>::max() / dim) {
      return false;
    }
    if (dim > 0) *count *= dim;
  }
  if (empty) *count = 0;
  return true;
}

ElementType DenseElement(const Ir& ir, const Type& type) {
  const Type& element = ir.type(type.element);
  return element.kind == TypeKind::kIndex ? ElementType::kS64
                                          : element.element_type;
}

absl::string_view ReadScalar(ElementType type, bool negative,
                             absl::string_view number, uint64_t* bits) {
  const int width = BitsOf(type);
  const bool hex = absl::StartsWith(number, "0x");
  const bool decimal = absl::StrContains(number, '.');
  if (IsFloat(type) && !hex) {
    if (!decimal) return "expected a number with a decimal point";
    double value = 0;
    const char* const end = number.data() + number.size();
    // Digits beyond the range give the nearest double, which is infinity or 0.
    absl::from_chars(number.data(), end, value);
    // MLIR reads the zero that f8E8M0FNU lacks as its smallest number.
    *bits = type == ElementType::kF8E8M0FNU && value == 0
                ? 0
                : EncodeFloat(type, negative ? -value : value);
    return "";
  }
  if (IsComplex(type)) return "expected a complex number, (1.0, 2.0)";
  if (decimal) return "expected an integer";
  const bool fits = hex ? absl::SimpleHexAtoi(number.substr(2), bits)
                        : absl::SimpleAtoi(number, bits);
  if (!fits || (*bits & ~LowBits(width)) != 0) {
    return "this integer doesn't fit its type";
  }
  if (!negative) return "";
  if (IsUnsigned(type) || IsFloat(type)) {
    return "a number of this type has no sign";
  }
  const uint64_t sign = uint64_t{1} << (width - 1);
  *bits = (~*bits + 1) & LowBits(width);
  if (*bits != 0 && (*bits & sign) == 0) {
    return "this integer doesn't fit its type";
  }
  return "";
}

void AppendScalar(ElementType type, uint64_t bits, std::string* bytes) {
  const int width = BitsOf(type);
  if (IsSigned(type) && width < 8) {  // a byte holds its sign as well
    const uint64_t sign = uint64_t{1} << (width - 1);
    bits = ((bits & LowBits(width)) ^ sign) - sign;
  }
  for (int i = 0; i < ElementBytes(type); ++i) {
    bytes->push_back(static_cast<char>(bits >> (8 * i)));
  }
}

uint64_t LoadScalar(ElementType type, const char* bytes) {
  uint64_t bits = 0;
  for (int i = 0; i < ElementBytes(type) && i < 8; ++i) {
    bits |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return bits & LowBits(BitsOf(type));
}

bool DecodeHex(absl::string_view digits, std::string* bytes) {
  if (digits.size() % 2 != 0) return false;
  const size_t begin = bytes->size();
  bytes->resize(begin + digits.size() / 2);
  char* to = bytes->data() + begin;
  uint8_t seen = 0;  // all bits of the values
  for (size_t i = 0; i < digits.size(); i += 2) {
    const uint8_t high = kDigits[static_cast<uint8_t>(digits[i])];
    const uint8_t low = kDigits[static_cast<uint8_t>(digits[i + 1])];
    seen |= high | low;
    *to++ = static_cast<char>(high << 4 | low);
  }
  return seen < 16;
}

bool UnpackRaw(ElementType type, int64_t count, Attribute* dense) {
  std::string& bytes = dense->text;
  const auto n = static_cast<uint64_t>(count);
  const auto size = static_cast<uint64_t>(ElementBytes(type));
  const auto limit = std::numeric_limits<uint64_t>::max() / (size + 1);
  if (n == 0) return bytes.empty();
  const bool pred = type == ElementType::kPred;
  if (pred && n > 1 && bytes.size() == (n + 7) / 8 && bytes.size() != n &&
      bytes.size() > 1) {
    std::string unpacked;
    for (uint64_t i = 0; i < n; ++i) {
      const auto byte = static_cast<unsigned char>(bytes[i / 8]);
      unpacked.push_back(static_cast<char>((byte >> (i % 8)) & 1));
    }
    bytes = std::move(unpacked);
    return true;
  }
  if (bytes.size() == size && n > 1) {
    // Of 2 to 8 bools, a byte that is all ones or zeros is a splat of bits.
    const auto byte = static_cast<unsigned char>(bytes[0]);
    if (pred && n <= 8 && byte != 0 && byte != 0xff) {
      bytes.clear();
      for (uint64_t i = 0; i < n; ++i) {
        bytes.push_back(static_cast<char>((byte >> i) & 1));
      }
      return true;
    }
    dense->splat = true;
  } else if (n > limit || bytes.size() != n * size) {
    return false;
  }
  if (BitsOf(type) >= 8) return true;
  for (char& c : bytes) {
    std::string byte;
    const auto bits = static_cast<unsigned char>(c);
    AppendScalar(type, pred ? (bits != 0 ? 1 : 0) : bits, &byte);
    c = byte[0];
  }
  return true;
}

void FindSplat(int64_t count, Attribute* dense) {
  if (dense->splat || count == 0) return;
  const std::string& bytes = dense->text;
  const size_t size = bytes.size() / static_cast<size_t>(count);
  // Equal elements: the bytes equal themselves, one element later.
  if (std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) !=
      0) {
    return;
  }
  dense->text.resize(size);
  dense->splat = true;
}

void AppendElement(ElementType type, const char* bytes, std::string* out) {
  if (IsComplex(type)) {
    const ElementType part = RealPart(type);
    out->push_back('(');
    AppendElement(part, bytes, out);
    out->push_back(',');
    AppendElement(part, bytes + ElementBytes(part), out);
    out->push_back(')');
    return;
  }
  uint64_t bits = LoadScalar(type, bytes);
  if (IsFloat(type)) return AppendFloat(type, bits, out);
  if (type == ElementType::kPred) {
    out->append(bits != 0 ? "true" : "false");
  } else if (IsSigned(type)) {
    const int unused = 64 - BitsOf(type);
    absl::StrAppend(out, static_cast<int64_t>(bits << unused) >> unused);
  } else {
    absl::StrAppend(out, bits);
  }
}

void AppendNested(ElementType type, absl::Span<const int64_t> dims,
                  absl::string_view bytes, std::string* out) {
  const auto size = static_cast<size_t>(ElementBytes(type));
  if (size == 0 || bytes.size() < size) return;
  const size_t count = bytes.size() / size;
  std::vector<int64_t> place(dims.size(), 0);
  out->append(dims.size(), '[');
  for (size_t i = 0; i < count; ++i) {
    AppendElement(type, bytes.data() + i * size, out);
    // The brackets that end behind this element begin again behind the comma.
    size_t ended = 0;
    while (ended < dims.size()) {
      const size_t d = dims.size() - 1 - ended;
      if (++place[d] < dims[d]) break;
      place[d] = 0;
      ++ended;
    }
    out->append(ended, ']');
    if (i + 1 == count) return;
    out->append(", ");
    out->append(ended, '[');
  }
}

void AppendRawHex(ElementType type, absl::string_view bytes, std::string* out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const int width = BitsOf(type);
  const auto mask =
      static_cast<unsigned char>(width < 8 ? LowBits(width) : 0xff);
  const size_t begin = out->size();
  out->resize(begin + 2 * bytes.size());
  char* to = &(*out)[begin];
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c & mask);
    *to++ = kDigits[byte >> 4];
    *to++ = kDigits[byte & 15];
  }
}

}  // namespace indim::mlir
