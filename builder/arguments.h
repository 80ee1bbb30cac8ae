// Types of arguments in ComputationBuilder's calls that have no attribute
// struct: a shape or its text, a matching of dims, padding, accuracy.

#ifndef INDIM_BUILDER_ARGUMENTS_H_
#define INDIM_BUILDER_ARGUMENTS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/broadcast/broadcast.h"
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

// The dims to reduce; none, or {}: all. Negative dims count from the end.
class DimsArg {
 public:
  DimsArg() = default;
  DimsArg(std::initializer_list<int64_t> dims)  // NOLINT
      : dims_(std::vector<int64_t>(dims)) {}
  DimsArg(absl::Span<const int64_t> dims)  // NOLINT: an empty span is no dims
      : dims_(std::vector<int64_t>(dims.begin(), dims.end())) {}
  DimsArg(const std::vector<int64_t>& dims) : dims_(dims) {}  // NOLINT
  const std::optional<std::vector<int64_t>>& dims() const { return dims_; }

 private:
  std::optional<std::vector<int64_t>> dims_;
};

// The padding of a window. kSame: the result is as large as the operand divided
// by the strides, rounded up (the high side gets the odd element). kValid: no
// padding.
enum class Padding { kSame, kValid };

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
