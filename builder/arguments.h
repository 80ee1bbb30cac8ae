// SPDX-License-Identifier: Apache-2.0
// Types of arguments in ComputationBuilder's calls that have no attribute
// struct: a shape or its text, sizes, dims, indices, a matching of dims, the
// layout of a convolution, padding, accuracy.

#ifndef INDIM_BUILDER_ARGUMENTS_H_
#define INDIM_BUILDER_ARGUMENTS_H_

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/broadcast/broadcast_spec.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"

namespace indim {

// A shape, as a Shape or as its text ("f32[8,784]", see ParseShape). A call
// that gets an invalid text records an error (IND0604).
class ShapeArg {
 public:
  ShapeArg(const char* text);         // NOLINT
  ShapeArg(const std::string& text);  // NOLINT
  ShapeArg(absl::string_view text);   // NOLINT
  ShapeArg(Shape shape);              // NOLINT
  const absl::StatusOr<Shape>& shape() const { return shape_; }

 private:
  absl::StatusOr<Shape> shape_;
};

// The limit of a slice, or a size of a dynamic slice: as far as the dim goes.
inline constexpr int64_t kWhole = std::numeric_limits<int64_t>::max();

// The size of a dim: a number, or a Dim, which may have a name.
class SizeArg {
 public:
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T> &&
                                                    !std::is_same_v<T, bool>>>
  constexpr SizeArg(T number)  // NOLINT
      : number_(static_cast<int64_t>(number)) {}
  constexpr SizeArg(Dim dim) : dim_(dim) {}  // NOLINT

  // nullopt: it is a Dim.
  constexpr std::optional<int64_t> number() const {
    return dim_ ? std::nullopt : std::optional<int64_t>(number_);
  }
  // A negative number is an unknown size.
  constexpr Dim dim() const {
    return dim_ ? *dim_ : number_ < 0 ? Dim::Unknown() : Dim::Static(number_);
  }

 private:
  int64_t number_ = 0;
  std::optional<Dim> dim_;
};

// The sizes of an array, for as long as one call takes:
//
//   b.Reshape(x, {8, n, 2})             // Dim n = b.shape(y)->dim(0);
//   b.Reshape(x, b.shape(y)->dims())
//   b.Reshape(x, sizes)                 // a vector or a span of int64_t
//
// It refers to the list that it is made of, as absl::Span does.
class SizesArg {
  template <typename List, typename T>
  using IfListOf =
      std::enable_if_t<std::is_convertible_v<const List&, absl::Span<const T>>>;

 public:
  SizesArg() = default;
  SizesArg(std::initializer_list<int64_t> sizes)  // NOLINT
      : list_(absl::Span<const int64_t>(sizes)) {}
  SizesArg(std::initializer_list<SizeArg> sizes)  // NOLINT
      : list_(absl::Span<const SizeArg>(sizes)) {}
  template <typename List, typename = IfListOf<List, int64_t>>
  SizesArg(const List& sizes)  // NOLINT
      : list_(absl::Span<const int64_t>(sizes)) {}
  template <typename List, typename = IfListOf<List, Dim>, typename = void>
  SizesArg(const List& sizes)  // NOLINT
      : list_(absl::Span<const Dim>(sizes)) {}
  template <typename List, typename = IfListOf<List, SizeArg>, typename = void,
            typename = void>
  SizesArg(const List& sizes)  // NOLINT
      : list_(absl::Span<const SizeArg>(sizes)) {}

  size_t size() const;
  // 0 <= i < size().
  SizeArg operator[](size_t i) const;
  // The list, if it was made of numbers.
  const absl::Span<const int64_t>* numbers() const;

 private:
  std::variant<absl::Span<const int64_t>, absl::Span<const Dim>,
               absl::Span<const SizeArg>>
      list_;
};

// Dims of an operand, for as long as one call takes: a number, or a list.
// DimsArg() or {} stands for all of them, an empty span or vector for none. It
// refers to the list that it is made of, as absl::Span does.
class DimsArg {
 public:
  DimsArg() = default;
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T> &&
                                                    !std::is_same_v<T, bool>>>
  DimsArg(T dim) : one_(static_cast<int64_t>(dim)) {}  // NOLINT
  DimsArg(std::initializer_list<int64_t> dims)         // NOLINT
      : dims_(absl::Span<const int64_t>(dims)) {}
  DimsArg(absl::Span<const int64_t> dims) : dims_(dims) {}    // NOLINT
  DimsArg(const std::vector<int64_t>& dims) : dims_(dims) {}  // NOLINT
  DimsArg(const DimIndices& dims) : dims_(dims) {}            // NOLINT
  // nullopt: all. The list lives as long as this.
  std::optional<absl::Span<const int64_t>> dims() const {
    return one_ ? absl::Span<const int64_t>(&*one_, 1) : dims_;
  }

 private:
  std::optional<int64_t> one_;
  std::optional<absl::Span<const int64_t>> dims_;
};

// NumPy's start:stop:stride along a dim. A number below 0 counts from the end
// of the dim, one beyond an end means that end, and nullopt (or {}) the first
// or the last element, whichever the stride comes to. The stride isn't 0; with
// a negative one the elements come in reverse.
struct Range {
  constexpr Range(std::optional<int64_t> start, std::optional<int64_t> stop,
                  int64_t stride = 1)
      : start(start), stop(stop), stride(stride) {}
  std::optional<int64_t> start;
  std::optional<int64_t> stop;
  int64_t stride;
};
// All elements along a dim.
inline constexpr Range kAll = Range(std::nullopt, std::nullopt);

// A new dim of size 1, and all dims that other indices leave over (NumPy's
// newaxis and ...).
struct NewAxis {};
inline constexpr NewAxis kNewAxis;
struct Ellipsis {};
inline constexpr Ellipsis kEllipsis;

// How a binary op matches its operands: broadcast_dimensions as a list, a
// BroadcastRule, or a whole BroadcastSpec. The default is XLA's rule without
// dimensions.
class BroadcastArg {
 public:
  BroadcastArg() = default;
  BroadcastArg(std::initializer_list<int64_t> dimensions);      // NOLINT
  BroadcastArg(absl::Span<const int64_t> dimensions);           // NOLINT
  BroadcastArg(const std::vector<int64_t>& dimensions);         // NOLINT
  BroadcastArg(const DimIndices& dimensions);                   // NOLINT
  BroadcastArg(BroadcastRule rule);                             // NOLINT
  BroadcastArg(BroadcastSpec spec) : spec_(std::move(spec)) {}  // NOLINT
  const BroadcastSpec& spec() const { return spec_; }

 private:
  BroadcastSpec spec_;
};

// Which dims of a convolution are which: as numbers, or as a text like
// "NHWC,HWIO->NHWC", see ParseConvolutionDims. A call that gets an invalid text
// records an error (IND0653).
class ConvolutionDimsArg {
 public:
  ConvolutionDimsArg(ConvolutionDims dims)
      : dims_(std::move(dims)) {}               // NOLINT
  ConvolutionDimsArg(const char* text);         // NOLINT
  ConvolutionDimsArg(const std::string& text);  // NOLINT
  ConvolutionDimsArg(absl::string_view text);   // NOLINT
  const absl::StatusOr<ConvolutionDims>& dims() const { return dims_; }

 private:
  absl::StatusOr<ConvolutionDims> dims_;
};

// The dims of lhs, of the kernel and of the result of a convolution, a letter
// each: N batch, C feature; in the kernel O output feature, I input feature;
// any other letter or digit is a spatial dim, which all three have. Their order
// in the kernel is their order in the window. InvalidArgument: the mistake, the
// text, and a caret under the place. Source: JAX, conv_dimension_numbers.
absl::StatusOr<ConvolutionDims> ParseConvolutionDims(absl::string_view text);

// The padding of a window. kSame: the result is as large as the operand divided
// by the strides, rounded up (the high side gets the odd element). kValid: no
// padding.
enum class Padding { kSame, kValid };

// The padding of a window that has an entry for each dim of an array: a
// Padding, or (low, high) for each dim. It refers to the list that it is made
// of, as absl::Span does.
class PaddingArg {
 public:
  using Pair = std::pair<int64_t, int64_t>;
  PaddingArg(Padding padding) : padding_(padding) {}                // NOLINT
  PaddingArg(std::initializer_list<Pair> pairs) : pairs_(pairs) {}  // NOLINT
  PaddingArg(absl::Span<const Pair> pairs) : pairs_(pairs) {}       // NOLINT
  PaddingArg(const std::vector<Pair>& pairs) : pairs_(pairs) {}     // NOLINT

  // Null: it is pairs().
  const Padding* padding() const { return padding_ ? &*padding_ : nullptr; }
  absl::Span<const Pair> pairs() const { return pairs_; }

 private:
  std::optional<Padding> padding_;
  absl::Span<const Pair> pairs_;
};

// How accurate a transcendental function's result must be: the platform's
// default, or `highest`, the best it can, or within all bounds of `tolerance`.
struct ResultAccuracy {
  struct Tolerance {
    double absolute = 0;
    double relative = 0;
    int64_t ulps = 0;  // units of the last place
  };
  bool highest = false;
  std::optional<Tolerance> tolerance = {};
};

}  // namespace indim

#endif  // INDIM_BUILDER_ARGUMENTS_H_
