// SPDX-License-Identifier: Apache-2.0
// Converts between LayoutProto bytes and Layout, as XLA's converters do
// (source: XLA, layout.cc). Part of shape_wire.h.

#ifndef INDIM_PROTO_CODEC_LAYOUT_WIRE_H_
#define INDIM_PROTO_CODEC_LAYOUT_WIRE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/types/layout.h"

namespace indim {

// Reads a canonical LayoutProto of a shape of `rank` dims. InvalidArgument: an
// order of dims that is not a permutation, an impossible tile size, or a field
// that Layout doesn't have (a physical shape, index or pointer types).
absl::StatusOr<Layout> ParseLayoutProto(absl::string_view wire, int rank);

// Appends the canonical fields of a LayoutProto.
void AppendLayoutProto(const Layout& layout, std::string* out);

}  // namespace indim

#endif  // INDIM_PROTO_CODEC_LAYOUT_WIRE_H_
