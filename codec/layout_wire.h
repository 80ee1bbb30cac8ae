// Layouts on the wire: LayoutProto bytes to and from Layout, as XLA's
// converters read and write them (reference: XLA layout.cc). A part of
// shape_wire.h.

#ifndef INDIM_CODEC_LAYOUT_WIRE_H_
#define INDIM_CODEC_LAYOUT_WIRE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/types/layout.h"

namespace indim {

// Reads a canonical LayoutProto of a shape of `rank` dims. InvalidArgument: an
// order of dims that is no permutation, a tile of a size that there can't be,
// what Layout can't hold (a physical shape, index or pointer types).
absl::StatusOr<Layout> ParseLayoutProto(absl::string_view wire, int rank);

// Appends the canonical fields of a LayoutProto.
void AppendLayoutProto(const Layout& layout, std::string* out);

}  // namespace indim

#endif  // INDIM_CODEC_LAYOUT_WIRE_H_
