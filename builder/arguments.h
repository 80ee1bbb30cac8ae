// Arguments of ComputationBuilder's calls: a shape as a text, a matching of
// dims as a list, and what has no attribute struct of its own.

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

// A shape, as a text ("f32[8,784]", see ParseShape) or as a Shape. A text that
// is no shape makes the call that got it an error (IND0604).
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

// How operands of a binary op are matched: broadcast_dimensions as a list, or a
// BroadcastRule, or a whole BroadcastSpec. Nothing: XLA's rule without
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

// How a window's padding is chosen: so that the result is as large as the
// operand divided by the strides, rounded up (what is odd goes to the high
// side); or none.
enum class Padding { kSame, kValid };

// How exact a transcendental function's result must be: as the platform's
// default, or as exact as it can; with a tolerance, within all of its bounds.
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
