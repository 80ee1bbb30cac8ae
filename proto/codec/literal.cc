// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/literal.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/float_format.h"
#include "indim/ir/storage/literal_bytes.h"
#include "indim/ir/storage/memory.h"
#include "indim/proto/codec/literal_wire.h"
#include "indim/proto/wire/wire.h"

namespace indim {
namespace {

constexpr size_t kMaxVarint = kMaxVarintBytes;
constexpr uint64_t kMaxExpanded = uint64_t{1} << 31;

absl::Status NegativeSize(int64_t size) {
  return absl::InvalidArgumentError(
      absl::StrCat("a literal can't have the size ", size));
}

absl::Status NoStaticArray(const Shape& shape) {
  return absl::InvalidArgumentError(
      absl::StrCat("a literal needs a static array, not ", shape.ToString()));
}

// The static shape with these sizes, which must have `count` elements.
absl::StatusOr<Shape> ShapeOf(ElementType type, absl::Span<const int64_t> sizes,
                              size_t count) {
  for (int64_t size : sizes) {
    if (size < 0) return NegativeSize(size);
  }
  Shape shape = Shape::Of(type, sizes);
  const std::optional<int64_t> expected = shape.ElementCount();
  if (!expected || static_cast<uint64_t>(*expected) != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("a literal of shape ", shape.ToString(), " needs ",
                     expected ? absl::StrCat(*expected) : "too many",
                     " values, not ", count));
  }
  return shape;
}

// Appends one C++ value in a literal's format.
void AppendValue(bool value, std::string* out) { out->push_back(value); }
template <typename T>
void AppendValue(T value, std::string* out) {
  if constexpr (std::is_integral_v<T>) {
    AppendBits(static_cast<uint64_t>(value), sizeof(T), out);
  } else if constexpr (std::is_same_v<T, float>) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    AppendBits(bits, sizeof bits, out);
  } else {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    AppendBits(bits, sizeof bits, out);
  }
}

// An array of which each element is so many of the values.
template <typename T>
absl::StatusOr<Literal> FromSpan(ElementType type, absl::Span<const T> values,
                                 absl::Span<const int64_t> sizes,
                                 size_t per_element = 1) {
  const size_t elements = values.size() / per_element;
  absl::StatusOr<Shape> shape = ShapeOf(type, sizes, elements);
  if (!shape.ok()) return shape.status();
  std::string bytes;
  bytes.reserve(elements * static_cast<size_t>(ElementBytes(type)));
  for (T value : values) AppendValue(value, &bytes);
  return Literal::FromBytes(*shape, bytes);
}

// The bits of `value` as an integer type; nullopt when it doesn't fit, also for
// NaN and fractions.
std::optional<uint64_t> IntegerBits(const ElementTypeInfo& info, double value) {
  const bool is_signed = info.kind == ElementKind::kSigned;
  const double end = std::ldexp(1.0, info.bits - (is_signed ? 1 : 0));
  const double low = is_signed ? -end : 0.0;
  if (!(value >= low && value < end) || value != std::floor(value)) {
    return std::nullopt;
  }
  const uint64_t bits = is_signed
                            ? static_cast<uint64_t>(static_cast<int64_t>(value))
                            : static_cast<uint64_t>(value);
  // As in XLA, the bits above a small element's own are 0.
  return info.bits < 8 ? bits & ((uint64_t{1} << info.bits) - 1) : bits;
}

// Appends `value` as one element of `info`'s type; returns false when the type
// has no such value.
bool AppendConverted(const ElementTypeInfo& info, double value,
                     std::string* out) {
  const int bytes = ElementBytes(info.type);
  switch (info.kind) {
    case ElementKind::kPred:
      out->push_back(value != 0 ? 1 : 0);
      return true;
    case ElementKind::kSigned:
    case ElementKind::kUnsigned: {
      const std::optional<uint64_t> bits = IntegerBits(info, value);
      if (bits) AppendBits(*bits, bytes, out);
      return bits.has_value();
    }
    case ElementKind::kFloat:
      if (std::isnan(value) && !HasNan(info.type)) return false;
      AppendBits(EncodeFloat(info.type, value), bytes, out);
      return true;
    case ElementKind::kComplex:
      AppendBits(EncodeFloat(RealPart(info.type), value), bytes / 2, out);
      out->append(static_cast<size_t>(bytes / 2), '\0');
      return true;
    default:
      return false;
  }
}

// A double that rounds to every shorter float as `magnitude` would: if bits are
// lost, its last bit is set, so that it is not a tie and lies on the right side
// of one.
double RoundedToOdd(uint64_t magnitude) {
  int lost = 0;
  while ((magnitude >> lost) >= uint64_t{1} << 53) ++lost;
  uint64_t kept = magnitude >> lost;
  if (kept << lost != magnitude) kept |= 1;
  return std::ldexp(static_cast<double>(kept), lost);
}

// AppendConverted for an integer, without losing bits.
bool AppendInteger(const ElementTypeInfo& info, Number value,
                   std::string* out) {
  const uint64_t magnitude = value.magnitude();
  const int bytes = ElementBytes(info.type);
  switch (info.kind) {
    case ElementKind::kPred:
      out->push_back(magnitude != 0 ? 1 : 0);
      return true;
    case ElementKind::kSigned:
    case ElementKind::kUnsigned: {
      const bool is_signed = info.kind == ElementKind::kSigned;
      const uint64_t top = uint64_t{1} << (info.bits - 1);
      const uint64_t greatest = is_signed ? top - 1 : top - 1 + top;
      const uint64_t least = is_signed ? top : 0;
      if (magnitude > (value.is_negative() ? least : greatest)) return false;
      const uint64_t bits = value.is_negative() ? -magnitude : magnitude;
      // As in XLA, the bits above a small element's own are 0.
      AppendBits(info.bits < 8 ? bits & ((uint64_t{1} << info.bits) - 1) : bits,
                 bytes, out);
      return true;
    }
    case ElementKind::kFloat:
    case ElementKind::kComplex: {
      const bool is_f64 =
          info.type == ElementType::kF64 || info.type == ElementType::kC128;
      const double size = RoundedToOdd(magnitude);
      return AppendConverted(info,
                             is_f64                ? value.AsDouble()
                             : value.is_negative() ? -size
                                                   : size,
                             out);
    }
    default:
      return false;
  }
}

// The low `bits` bits as a two's complement number.
int64_t SignExtend(uint64_t value, int bits) {
  const uint64_t sign = uint64_t{1} << (bits - 1);
  if (bits < 64) value &= (uint64_t{1} << bits) - 1;
  return static_cast<int64_t>((value ^ sign) - sign);
}

// Whether `bytes` is `unit` repeated.
bool IsRepeated(absl::string_view bytes, absl::string_view unit) {
  return absl::StartsWith(bytes, unit) &&
         bytes.substr(unit.size()) ==
             bytes.substr(0, bytes.size() - unit.size());
}

}  // namespace

int ElementBytes(ElementType type) { return (Info(type).bits + 7) / 8; }

absl::StatusOr<Literal> Literal::Array(absl::Span<const bool> values,
                                       absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kPred, values, sizes);
}
absl::StatusOr<Literal> Literal::Array(absl::Span<const int8_t> values,
                                       absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kS8, values, sizes);
}
absl::StatusOr<Literal> Literal::Array(absl::Span<const int16_t> values,
                                       absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kS16, values, sizes);
}
absl::StatusOr<Literal> Literal::Array(absl::Span<const int32_t> values,
                                       absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kS32, values, sizes);
}
absl::StatusOr<Literal> Literal::Array(absl::Span<const int64_t> values,
                                       absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kS64, values, sizes);
}
absl::StatusOr<Literal> Literal::Array(absl::Span<const uint8_t> values,
                                       absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kU8, values, sizes);
}
absl::StatusOr<Literal> Literal::Array(absl::Span<const uint16_t> values,
                                       absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kU16, values, sizes);
}
absl::StatusOr<Literal> Literal::Array(absl::Span<const uint32_t> values,
                                       absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kU32, values, sizes);
}
absl::StatusOr<Literal> Literal::Array(absl::Span<const uint64_t> values,
                                       absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kU64, values, sizes);
}
absl::StatusOr<Literal> Literal::Array(absl::Span<const float> values,
                                       absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kF32, values, sizes);
}
absl::StatusOr<Literal> Literal::Array(absl::Span<const double> values,
                                       absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kF64, values, sizes);
}
absl::StatusOr<Literal> Literal::ArrayOfPairs(absl::Span<const float> values,
                                              absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kC64, values, sizes, 2);
}
absl::StatusOr<Literal> Literal::ArrayOfPairs(absl::Span<const double> values,
                                              absl::Span<const int64_t> sizes) {
  return FromSpan(ElementType::kC128, values, sizes, 2);
}

absl::StatusOr<Literal> Literal::FromDoubles(ElementType type,
                                             absl::Span<const double> values,
                                             absl::Span<const int64_t> sizes) {
  const ElementTypeInfo& info = Info(type);
  absl::StatusOr<Shape> shape = ShapeOf(type, sizes, values.size());
  if (!shape.ok()) return shape.status();
  std::string bytes;
  bytes.reserve(values.size() * static_cast<size_t>(ElementBytes(type)));
  for (double value : values) {
    if (!AppendConverted(info, value, &bytes)) {
      return absl::InvalidArgumentError(
          absl::StrCat(value, " is not a value of ", info.name));
    }
  }
  return FromBytes(*shape, bytes);
}

double Number::AsDouble() const {
  if (!is_integer_) return real_;
  const double size = static_cast<double>(magnitude());
  return is_negative_ ? -size : size;
}

std::string Number::ToString() const {
  return is_integer_ ? absl::StrCat(is_negative_ ? "-" : "", magnitude())
                     : absl::StrCat(real_);
}

absl::StatusOr<Literal> Literal::Scalar(ElementType type, Number value) {
  const ElementTypeInfo& info = Info(type);
  std::string bytes;
  if (!(value.is_integer() ? AppendInteger(info, value, &bytes)
                           : AppendConverted(info, value.AsDouble(), &bytes))) {
    return absl::InvalidArgumentError(
        absl::StrCat(value.ToString(), " is not a value of ", info.name));
  }
  return FromBytes(Shape::Scalar(type), bytes);
}

absl::StatusOr<Literal> Literal::FromBytes(const Shape& shape,
                                           absl::string_view bytes) {
  const std::optional<int64_t> count = shape.ElementCount();
  const int width = ElementBytes(shape.element_type());
  if (!shape.has_rank() || !shape.is_static() || width == 0) {
    return NoStaticArray(shape);
  }
  if (!count || bytes.size() % static_cast<size_t>(width) != 0 ||
      bytes.size() / static_cast<size_t>(width) !=
          static_cast<uint64_t>(*count)) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes.size(), " bytes are not a literal of shape ",
                     shape.ToString(), ", whose elements take ", width));
  }
  Literal literal;
  literal.shape_ = shape.WithoutLayout();
  literal.bytes_ = std::string(bytes);
  return literal;
}

absl::StatusOr<Literal> Literal::Bounded(const Shape& shape,
                                         absl::string_view bytes,
                                         absl::Span<const int32_t> sizes) {
  Shape bounds = shape.WithoutLayout();
  bool ok =
      shape.has_rank() && sizes.size() == static_cast<size_t>(shape.rank());
  for (int i = 0; ok && i < shape.rank(); ++i) {
    const Dim dim = shape.dim(i);
    ok = (dim.is_static() || dim.is_bounded()) &&
         dim.Contains(sizes[static_cast<size_t>(i)]);
    bounds.set_dim(i, Dim::Static(dim.size()));
  }
  if (!ok) {
    return absl::InvalidArgumentError(
        absl::StrCat("a literal of shape ", shape.ToString(),
                     " can't have these run-time sizes"));
  }
  absl::StatusOr<Literal> literal = FromBytes(bounds, bytes);
  if (!literal.ok()) return literal.status();
  literal->shape_ = shape.WithoutLayout();
  literal->dynamic_sizes_.assign(sizes.begin(), sizes.end());
  return literal;
}

Literal Literal::Token() {
  Literal literal;
  literal.shape_ = Shape::Token();
  return literal;
}

bool Literal::has_equal_elements() const {
  if (splat_) return true;
  const auto width = static_cast<size_t>(ElementBytes(shape_.element_type()));
  // Each byte equals the one an element before it.
  return shape_.is_array() && width > 0 && bytes_.size() > width &&
         std::memcmp(bytes_.data(), bytes_.data() + width,
                     bytes_.size() - width) == 0;
}

absl::StatusOr<Literal> Literal::Splat(ElementType type, Number value,
                                       absl::Span<const int64_t> sizes) {
  absl::StatusOr<Literal> element = Scalar(type, value);
  if (!element.ok()) return element;
  for (int64_t size : sizes) {
    if (size < 0) return NegativeSize(size);
  }
  return Splat(Shape::Of(type, sizes), element->bytes());
}

absl::StatusOr<Literal> Literal::Splat(const Shape& shape,
                                       absl::string_view element) {
  const size_t width = static_cast<size_t>(ElementBytes(shape.element_type()));
  if (!shape.has_rank() || !shape.is_static() || width == 0) {
    return NoStaticArray(shape);
  }
  if (element.size() != width) {
    return absl::InvalidArgumentError(absl::StrCat(
        element.size(), " bytes are not an element of ", shape.ToString()));
  }
  const std::optional<int64_t> count = shape.ElementCount();
  // In a file an element takes at most this many bytes.
  if (!count || !PayloadSize(*count, std::max(width, kMaxVarint))) {
    return absl::InvalidArgumentError(
        absl::StrCat("a literal can't be as large as ", shape.ToString()));
  }
  Literal literal;
  literal.shape_ = shape.WithoutLayout();
  literal.splat_ = *count > 1;
  if (*count > 0) literal.bytes_ = std::string(element);
  return literal;
}

int64_t Literal::element_count() const {
  return shape_.is_array() ? shape_.ElementCount().value_or(0) : 0;
}

absl::StatusOr<Literal> Literal::Expanded() const {
  Literal result = *this;
  if (splat_) {
    const std::optional<uint64_t> size =
        PayloadSize(element_count(), bytes_.size());
    if (!size || *size > kMaxExpanded) {
      return absl::ResourceExhaustedError(absl::StrCat(
          shape_.ToString(), " takes ", size ? absl::StrCat(*size) : "too many",
          " bytes, more than ", kMaxExpanded));
    }
    if (!CanAllocate(*size)) {
      return absl::ResourceExhaustedError(
          absl::StrCat(shape_.ToString(), " takes ", *size,
                       " bytes, which don't fit into memory"));
    }
    result.bytes_.reserve(static_cast<size_t>(*size));
    while (result.bytes_.size() < *size) result.bytes_ += bytes_;
    result.splat_ = false;
  }
  for (Literal& element : result.elements_) {
    absl::StatusOr<Literal> expanded = element.Expanded();
    if (!expanded.ok()) return expanded;
    element = *std::move(expanded);
  }
  return result;
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  std::vector<Shape> shapes;
  for (const Literal& element : elements) shapes.push_back(element.shape());
  Literal literal;
  literal.shape_ = Shape::Tuple(std::move(shapes));
  if (!literal.shape_.is_none()) literal.elements_ = std::move(elements);
  return literal;
}

Literal Literal::Vector(std::initializer_list<float> values) {
  Literal literal;
  literal.shape_ =
      Shape::Of(ElementType::kF32, {static_cast<int64_t>(values.size())});
  for (float value : values) AppendValue(value, &literal.bytes_);
  return literal;
}

double Literal::AsDouble(int64_t i) const {
  const ElementTypeInfo& info = Info(shape_.element_type());
  const size_t width = static_cast<size_t>(ElementBytes(info.type));
  if (splat_ && i >= 0 && i < element_count()) i = 0;
  if (width == 0 || i < 0 ||
      static_cast<uint64_t>(i) >= bytes_.size() / width) {
    return 0;
  }
  const ElementType part = RealPart(info.type);
  const uint64_t bits =
      BitsAt(bytes_, static_cast<size_t>(i) * width, ElementBytes(part));
  switch (info.kind) {
    case ElementKind::kSigned:
      return static_cast<double>(SignExtend(bits, info.bits));
    case ElementKind::kFloat:
    case ElementKind::kComplex:
      return DecodeFloat(part, bits);
    case ElementKind::kPred:
      return bits != 0 ? 1 : 0;
    default:
      return static_cast<double>(
          info.bits < 64 ? bits & ((uint64_t{1} << info.bits) - 1) : bits);
  }
}

bool operator==(const Literal& a, const Literal& b) {
  if (a.shape_ != b.shape_ || a.elements_ != b.elements_ ||
      a.dynamic_sizes_ != b.dynamic_sizes_) {
    return false;
  }
  if (a.splat_ == b.splat_) return a.bytes_ == b.bytes_;
  return a.splat_ ? IsRepeated(b.bytes_, a.bytes_)
                  : IsRepeated(a.bytes_, b.bytes_);
}

}  // namespace indim
