// SPDX-License-Identifier: Apache-2.0
// Converts between ShapeProto, LayoutProto and ProgramShapeProto bytes and
// Shape. Sizes, flags and layouts are as in XLA's converters (source: XLA,
// shape.cc, layout.cc); dims that XLA doesn't have, and unranked arrays, are in
// Indim's own fields from 1000 up.

#ifndef INDIM_PROTO_CODEC_SHAPE_WIRE_H_
#define INDIM_PROTO_CODEC_SHAPE_WIRE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Reads a canonical ShapeProto. InvalidArgument: an unknown element type, a
// negative size, INT64_MIN without its flag, a number of flags that is neither
// 0 nor the rank, a layout that is not a permutation or not on an array, a
// buffer without its one array, tuples nested too deep.
absl::StatusOr<Shape> ParseShapeProto(absl::string_view wire);

// Canonical ShapeProto bytes of `shape`, in the form of XLA's writer (a flag
// for every dim). Empty for Kind::kNone.
std::string SerializeShapeProto(const Shape& shape);

struct ProgramShape {
  std::vector<Shape> parameters;
  std::vector<std::string> names;
  Shape result;
};
// Reads a canonical ProgramShapeProto; errors as in ParseShapeProto.
absl::StatusOr<ProgramShape> ParseProgramShapeProto(absl::string_view wire);

}  // namespace indim

#endif  // INDIM_PROTO_CODEC_SHAPE_WIRE_H_
