// Shapes on the wire: ShapeProto, LayoutProto, ProgramShapeProto bytes to and
// from Shape. Sizes, flags and layouts as XLA's converters read and write them
// (reference: XLA shape.cc, layout.cc); dims that XLA can't spell and unranked
// arrays in Indim's own fields from 1000 up.

#ifndef INDIM_CODEC_SHAPE_WIRE_H_
#define INDIM_CODEC_SHAPE_WIRE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Reads a canonical ShapeProto. InvalidArgument: an unknown element type, a
// negative size, INT64_MIN without its flag, a count of flags that is neither 0
// nor the rank, a layout that is no permutation or on something that is no
// array, a buffer without its one array, tuples nested too deep.
absl::StatusOr<Shape> ParseShapeProto(absl::string_view wire);

// Canonical ShapeProto bytes of `shape`, spelled as XLA's writer does (a flag
// for every dim). Nothing for Kind::kNone.
std::string SerializeShapeProto(const Shape& shape);

struct ProgramShape {
  std::vector<Shape> parameters;
  std::vector<std::string> names;
  Shape result;
};
// Reads a canonical ProgramShapeProto; errors as ParseShapeProto.
absl::StatusOr<ProgramShape> ParseProgramShapeProto(absl::string_view wire);

}  // namespace indim

#endif  // INDIM_CODEC_SHAPE_WIRE_H_
