// Arrays as nearly all are, to and from ShapeProto bytes in one step: a few
// static dims, no layout or one that says no more than their order.

#ifndef INDIM_CODEC_PLAIN_ARRAY_WIRE_H_
#define INDIM_CODEC_PLAIN_ARRAY_WIRE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/shape/types/shape.h"

namespace indim {

// The array that `wire` is, where SerializeShapeProto (shape_wire.h) would
// write these very bytes of it. nullopt: another shape, other bytes, or none.
std::optional<Shape> ParsePlainArray(absl::string_view wire);

// Appends what SerializeShapeProto writes. False: `shape` is no such array, and
// nothing is appended.
bool AppendPlainArray(const Shape& shape, std::string* out);

}  // namespace indim

#endif  // INDIM_CODEC_PLAIN_ARRAY_WIRE_H_
