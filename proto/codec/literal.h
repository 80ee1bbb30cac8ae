// SPDX-License-Identifier: Apache-2.0
// Literal: a constant's value, an array of elements or a tuple of literals.
//
// Elements are bytes in row-major order (whatever layout the file has),
// little-endian, each in a whole number of bytes: pred and the types below 8
// bits take one byte, complex types take two components.
//
//   Literal v = Literal::Vector({1.0f, 2.0f, 3.0f});                // f32[3]
//   Literal m = *Literal::Array(absl::MakeSpan(values), {2, 3});    // f32[2,3]
//   Literal s = Literal::Scalar(uint64_t{1} << 63);                 // u64[]
//   Literal h = *Literal::Scalar(ElementType::kBF16, 0.5);
//   Literal z = *Literal::Splat(ElementType::kF32, 0, {1 << 15, 1 << 15});
//   v.ToString() == "{1, 2, 3}";
//
// An array of equal elements keeps one element (a splat): 4 GB of zeros take no
// memory, in a Literal or in a module, until they are written.

#ifndef INDIM_PROTO_CODEC_LITERAL_H_
#define INDIM_PROTO_CODEC_LITERAL_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/proto/codec/number.h"  // IWYU pragma: export
#include "indim/shape/types/shape.h"

namespace indim {

class ExternalFiles;

namespace internal {

// The type of the two components of a std::complex<float> or <double>; void: T
// is something else. It looks at T's members, so that this header can do
// without <complex>, which is long.
template <typename T, typename = void>
struct Components {
  using type = void;
};
template <typename T>
struct Components<T, std::void_t<typename T::value_type,
                                 decltype(std::declval<const T&>().real()),
                                 decltype(std::declval<const T&>().imag())>> {
  using Component = typename T::value_type;
  static constexpr bool kIsFloat =
      std::is_same_v<Component, float> || std::is_same_v<Component, double>;
  using type =
      std::conditional_t<kIsFloat && sizeof(T) == 2 * sizeof(Component),
                         Component, void>;
};
template <typename T>
using ComponentOf = typename Components<T>::type;

}  // namespace internal

class Literal {
 public:
  // No value: shape().is_none().
  Literal() = default;

  // An array of the element type that matches the C++ type, with these sizes,
  // row-major. InvalidArgument: the product of `sizes` is not values.size().
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
  // Of std::complex<float> or <double>, in a span, a vector or an array.
  template <typename List,
            typename T = typename decltype(absl::MakeConstSpan(
                std::declval<const List&>()))::value_type,
            typename Component = internal::ComponentOf<T>,
            typename = std::enable_if_t<!std::is_void_v<Component>>>
  static absl::StatusOr<Literal> Array(const List& values,
                                       absl::Span<const int64_t> sizes) {
    const absl::Span<const T> all = absl::MakeConstSpan(values);
    return ArrayOfPairs(
        absl::Span<const Component>(
            reinterpret_cast<const Component*>(all.data()), 2 * all.size()),
        sizes);
  }

  // An array of any element type, each value converted to it. Floats round to
  // nearest even; integers must be whole and fit (else InvalidArgument); pred
  // is value != 0; complex types get imaginary part 0. InvalidArgument also for
  // NaN in a type without NaN.
  static absl::StatusOr<Literal> FromDoubles(ElementType type,
                                             absl::Span<const double> values,
                                             absl::Span<const int64_t> sizes);

  // A scalar of the element type that matches the C++ type: a bool, an integer
  // of 8 to 64 bits, a float, a double, a std::complex of these.
  template <typename T>
  static Literal Scalar(T value);
  // A scalar of any element type. An integer keeps all its bits:
  // InvalidArgument if an integer type can't hold it, the nearest value in a
  // float type. Otherwise as FromDoubles.
  static absl::StatusOr<Literal> Scalar(ElementType type, Number value);

  // An array of bytes as described above. `shape` must be a static array (its
  // layout is dropped), and `bytes` must have its size, else InvalidArgument.
  static absl::StatusOr<Literal> FromBytes(const Shape& shape,
                                           absl::string_view bytes);

  // An array with bounded dims: `bytes` holds as many elements as the bounds
  // allow, `sizes` the run-time size of each dim. InvalidArgument: a dim of
  // `shape` is neither static nor bounded, a size is outside its dim, or the
  // number of bytes is wrong.
  static absl::StatusOr<Literal> Bounded(const Shape& shape,
                                         absl::string_view bytes,
                                         absl::Span<const int32_t> sizes);

  // The value of a token, which holds nothing.
  static Literal Token();
  // A splat: every element is `value`, converted as in Scalar. Errors are
  // Scalar's, and InvalidArgument when the elements would take more than 2^56
  // bytes.
  static absl::StatusOr<Literal> Splat(ElementType type, Number value,
                                       absl::Span<const int64_t> sizes);
  // A splat of the bytes of one element, for a static array.
  static absl::StatusOr<Literal> Splat(const Shape& shape,
                                       absl::string_view element);

  // A tuple; a default Literal when the elements nest deeper than shapes can.
  static Literal Tuple(std::vector<Literal> elements);

  // f32[n] from a list.
  static Literal Vector(std::initializer_list<float> values);

  // The shape, without a layout. A value read from a file keeps bounded dims
  // and their run-time sizes (dynamic_sizes).
  const Shape& shape() const { return shape_; }
  // The bytes of all elements; for a splat the bytes of one element.
  absl::string_view bytes() const { return bytes_; }
  bool is_splat() const { return splat_; }
  // Whether it is an array of several elements whose bytes are equal, splat or
  // not.
  bool has_equal_elements() const;
  // The number of elements of an array; 0 for anything else.
  int64_t element_count() const;
  // The value with the bytes of all its elements. ResourceExhausted: they take
  // more than 2 GiB.
  absl::StatusOr<Literal> Expanded() const;
  absl::Span<const Literal> elements() const { return elements_; }
  absl::Span<const int32_t> dynamic_sizes() const { return dynamic_sizes_; }

  // Element `i` (row-major) as a double, exact except for 64-bit integers
  // beyond 2^53; a complex element's real part. 0 when there is no such
  // element.
  double AsDouble(int64_t i) const;

  // The text that XLA prints, on one line: "1.5", "{1, 2}", "{ { 1, 2 }, { 3, 4
  // } }", "( 1, {2, 3} )". It has at most `max_elements` elements, then "...".
  // "{...}" stands for a splat of which it would print more than 2^28 elements,
  // and for an array without elements that needs more than 2^20 lists
  // (f32[2000000,0]).
  std::string ToString(int64_t max_elements = 1000) const;
  // Limits, so that a few bytes don't become an arbitrarily long text.
  static constexpr int64_t kMaxSplatElements = int64_t{1} << 28;
  static constexpr int64_t kMaxEmptyLists = int64_t{1} << 20;

  // Equal shapes, element bytes and run-time sizes (so 0 and -0 differ, and NaN
  // equals NaN).
  friend bool operator==(const Literal& a, const Literal& b);
  friend bool operator!=(const Literal& a, const Literal& b) {
    return !(a == b);
  }

 private:
  friend absl::StatusOr<Literal> ParseLiteralProto(absl::string_view wire,
                                                   const ExternalFiles* files);
  // Of complex numbers, each of which is two values.
  static absl::StatusOr<Literal> ArrayOfPairs(absl::Span<const float> values,
                                              absl::Span<const int64_t> sizes);
  static absl::StatusOr<Literal> ArrayOfPairs(absl::Span<const double> values,
                                              absl::Span<const int64_t> sizes);

  Shape shape_;
  std::string bytes_;
  bool splat_ = false;  // bytes_ holds one of several equal elements
  std::vector<Literal> elements_;
  std::vector<int32_t> dynamic_sizes_;
};

namespace internal {

// The type for which Literal::Array accepts elements of T; void: none.
template <typename T>
struct Native {
  using Signed = std::conditional_t<
      sizeof(T) == 1, int8_t,
      std::conditional_t<sizeof(T) == 2, int16_t,
                         std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>>;
  static constexpr bool kIsItself =
      std::is_same_v<T, bool> || std::is_same_v<T, float> ||
      std::is_same_v<T, double> || !std::is_void_v<ComponentOf<T>>;
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
  // The shape has one element, so this can't fail.
  return *Array(absl::Span<const N>(&element, 1), {});
}

// Bytes per element in a Literal.
int ElementBytes(ElementType type);

}  // namespace indim

#endif  // INDIM_PROTO_CODEC_LITERAL_H_
