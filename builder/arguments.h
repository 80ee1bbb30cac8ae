// What arguments of ComputationBuilder's calls may be written as: a shape as a
// text, a matching of dims as a list.

#ifndef INDIM_BUILDER_ARGUMENTS_H_
#define INDIM_BUILDER_ARGUMENTS_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/broadcast.h"
#include "indim/shape/shape.h"

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

}  // namespace indim

#endif  // INDIM_BUILDER_ARGUMENTS_H_
