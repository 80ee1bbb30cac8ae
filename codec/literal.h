// Literal: a constant's value. A shape and its elements, or a tuple of
// literals.
//
// Elements are kept as bytes, row-major (whatever the layout of the shape on
// the wire), little-endian, each in a whole number of bytes: pred and the types
// below 8 bits take one byte, complex types two components.
//
//   Literal v = Literal::Vector({1.0f, 2.0f, 3.0f});                // f32[3]
//   Literal m = *Literal::Array(absl::MakeSpan(values), {2, 3});    // f32[2,3]
//   Literal s = Literal::Scalar(uint64_t{1} << 63);                 // u64[]
//   Literal h = *Literal::Scalar(ElementType::kBF16, 0.5);
//   Literal z = *Literal::Splat(ElementType::kF32, 0, {1 << 15, 1 << 15});
//   v.ToString() == "{1, 2, 3}";
//
// Elements that are all the same are kept once (a splat): 4 GB of zeros take no
// memory, in a module no more than in a Literal, until they are written.

#ifndef INDIM_CODEC_LITERAL_H_
#define INDIM_CODEC_LITERAL_H_

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/types/shape.h"

namespace indim {

class ExternalFiles;

// A number as it was written: an integer of up to 64 bits or a double, neither
// of which becomes the other. Any C++ number is one.
class Number {
 public:
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  constexpr Number(T value)  // NOLINT
      : is_integer_(std::is_integral_v<T>) {
    if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_signed_v<T>) is_negative_ = value < 0;
      bits_ = static_cast<uint64_t>(value);
    } else {
      real_ = static_cast<double>(value);
    }
  }

  bool is_integer() const { return is_integer_; }
  bool is_negative() const { return is_negative_; }  // of an integer
  // Of an integer, without its sign.
  uint64_t magnitude() const { return is_negative_ ? -bits_ : bits_; }
  // Of an integer the nearest one.
  double AsDouble() const;
  // "-3", "0.5"
  std::string ToString() const;

 private:
  bool is_integer_;
  bool is_negative_ = false;
  uint64_t bits_ = 0;  // two's complement
  double real_ = 0;
};

class Literal {
 public:
  // A token-less nothing: shape().is_none().
  Literal() = default;

  // Elements of the C++ type that matches the element type; `sizes` is the
  // shape, row-major. InvalidArgument: their product is not values.size().
  static absl::StatusOr<Literal> Array(absl::Span<const bool> values,
                                       absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> Array(absl::Span<const int8_t> values,
                                       absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> Array(absl::Span<const int16_t> values,
                                       absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> Array(absl::Span<const int32_t> values,
                                       absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> Array(absl::Span<const int64_t> values,
                                       absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> Array(absl::Span<const uint8_t> values,
                                       absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> Array(absl::Span<const uint16_t> values,
                                       absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> Array(absl::Span<const uint32_t> values,
                                       absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> Array(absl::Span<const uint64_t> values,
                                       absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> Array(absl::Span<const float> values,
                                       absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> Array(absl::Span<const double> values,
                                       absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> Array(
      absl::Span<const std::complex<float>> values,
      absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> Array(
      absl::Span<const std::complex<double>> values,
      absl::Span<const int64_t> sizes);

  // Any element type, each value converted to it: floats round to nearest even,
  // integers must fit and be whole (else InvalidArgument), pred is value != 0,
  // complex types get imaginary part 0. InvalidArgument also for NaN in a type
  // that has none.
  static absl::StatusOr<Literal> FromDoubles(ElementType type,
                                             absl::Span<const double> values,
                                             absl::Span<const int64_t> sizes);

  // One element of the C++ type that matches its element type: a bool, an
  // integer of 8 to 64 bits, a float, a double, a std::complex of these.
  template <typename T>
  static Literal Scalar(T value);
  // One of any element type, of which an integer loses nothing: one that an
  // integer type can't hold is InvalidArgument, a float is the one nearest to
  // it. Else as FromDoubles.
  static absl::StatusOr<Literal> Scalar(ElementType type, Number value);

  // Bytes as described above. `shape` is a static array (its layout, if any, is
  // dropped); InvalidArgument when it isn't or the count of bytes doesn't
  // match.
  static absl::StatusOr<Literal> FromBytes(const Shape& shape,
                                           absl::string_view bytes);

  // The same of an array with bounded dims: as many elements as the bounds say,
  // and the size that each dim has at run time. InvalidArgument: `shape` has
  // other dims than static and bounded ones, a size is outside its dim, or the
  // count of bytes doesn't match.
  static absl::StatusOr<Literal> Bounded(const Shape& shape,
                                         absl::string_view bytes,
                                         absl::Span<const int32_t> sizes);

  // The value of a token: nothing.
  static Literal Token();
  // A splat: every element is `value`, converted as by Scalar. The errors are
  // Scalar's, and InvalidArgument when the elements would take more than 2^56
  // bytes.
  static absl::StatusOr<Literal> Splat(ElementType type, Number value,
                                       absl::Span<const int64_t> sizes);
  // The same of the bytes of one element, and of a static array.
  static absl::StatusOr<Literal> Splat(const Shape& shape,
                                       absl::string_view element);

  // A default Literal when the elements nest deeper than shapes can.
  static Literal Tuple(std::vector<Literal> elements);

  // f32[n] from a list.
  static Literal Vector(std::initializer_list<float> values);

  // No layout. For a value read from a file: bounded dims and their run-time
  // sizes are kept (dynamic_sizes).
  const Shape& shape() const { return shape_; }
  // Of all elements; of a splat those of one element.
  absl::string_view bytes() const { return bytes_; }
  bool is_splat() const { return splat_; }
  // How many elements an array has; 0 for anything else.
  int64_t element_count() const;
  // The same value with the bytes of all elements in it. ResourceExhausted:
  // they take more than 2 GiB.
  absl::StatusOr<Literal> Expanded() const;
  absl::Span<const Literal> elements() const { return elements_; }
  absl::Span<const int32_t> dynamic_sizes() const { return dynamic_sizes_; }

  // Element `i` (row-major) as a double, exact for everything but 64-bit
  // integers beyond 2^53; a complex one's real part. 0 when there is no such
  // element.
  double AsDouble(int64_t i) const;

  // XLA's spelling, on one line: "1.5", "{1, 2}", "{ { 1, 2 }, { 3, 4 } }",
  // "( 1, {2, 3} )"; at most `max_elements` are spelled, then "...". "{...}"
  // for a splat of which more than 2^28 would be, and for an array without
  // elements that takes more than 2^20 lists to say so (f32[2000000,0]).
  std::string ToString(int64_t max_elements = 1000) const;
  // A few bytes must not become any amount of text.
  static constexpr int64_t kMostOfSplat = int64_t{1} << 28;
  static constexpr int64_t kMostEmptyLists = int64_t{1} << 20;

  // Equal shapes, bytes of elements and run-time sizes (so 0 and -0 differ, NaN
  // equals NaN).
  friend bool operator==(const Literal& a, const Literal& b);
  friend bool operator!=(const Literal& a, const Literal& b) {
    return !(a == b);
  }

 private:
  friend absl::StatusOr<Literal> ParseLiteralProto(absl::string_view wire,
                                                   const ExternalFiles* files);

  Shape shape_;
  std::string bytes_;
  bool splat_ = false;  // more than one element, of which bytes_ has one
  std::vector<Literal> elements_;
  std::vector<int32_t> dynamic_sizes_;
};

namespace internal {

// The C++ type whose elements Literal::Array takes for T; void: there is none.
template <typename T>
struct Native {
  using Signed = std::conditional_t<
      sizeof(T) == 1, int8_t,
      std::conditional_t<sizeof(T) == 2, int16_t,
                         std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>>;
  static constexpr bool kIsItself =
      std::is_same_v<T, bool> || std::is_same_v<T, float> ||
      std::is_same_v<T, double> || std::is_same_v<T, std::complex<float>> ||
      std::is_same_v<T, std::complex<double>>;
  static constexpr bool kIsInteger =
      std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8;
  using type = std::conditional_t<
      kIsItself, T,
      std::conditional_t<!kIsInteger, void,
                         std::conditional_t<std::is_signed_v<T>, Signed,
                                            std::make_unsigned_t<Signed>>>>;
};
template <typename T>
using NativeOf = typename Native<T>::type;

}  // namespace internal

template <typename T>
Literal Literal::Scalar(T value) {
  using N = internal::NativeOf<T>;
  static_assert(!std::is_void_v<N>,
                "an element is a bool, a number or a complex number");
  const N element = static_cast<N>(value);
  // One value for a shape of one.
  return *Array(absl::Span<const N>(&element, 1), {});
}

// Bytes per element in a Literal.
int ElementBytes(ElementType type);

// Canonical LiteralProto bytes; the shape gets the row-major layout. XLA reads
// no values of s1, u1, f6e3m2fn and f6e2m3fn; they are written all the same. A
// splat stays one, in a field of ours: inside a module writers make XLA's form
// of it.
std::string SerializeLiteralProto(const Literal& literal);

// The same of an array's bytes as in a Literal, but with the layout of `shape`
// (row-major without one) and the values in its order, as XLA's own literals.
// `shape` is a static array and the count of bytes is its.
std::string SerializeArrayLiteral(const Shape& shape, std::string bytes);

// Appends what XLA prints between the parentheses of a constant whose canonical
// LiteralProto bytes are `wire`: all of it, or, unless `large`, "{...}" for
// more than 10 elements and for tuples. "{...}" too where there is no such
// literal. `files` as for ParseLiteralProto.
void AppendConstantText(absl::string_view wire, bool large, std::string* out,
                        const ExternalFiles* files = nullptr);

// Reads a canonical LiteralProto, its values in the order that the layout says.
// InvalidArgument: no shape, a count of values that isn't the element count,
// values in the field of another type, tuples that don't match. Values outside
// of it are read from `files`: FailedPrecondition where the file isn't among
// them, InvalidArgument where it was cut short or altered.
absl::StatusOr<Literal> ParseLiteralProto(absl::string_view wire,
                                          const ExternalFiles* files = nullptr);

}  // namespace indim

#endif  // INDIM_CODEC_LITERAL_H_
