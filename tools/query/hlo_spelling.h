// SPDX-License-Identifier: Apache-2.0
// Attributes that HLO text spells as one word: "size=3x3 pad=1_1x1_1",
// "b01f_01io->b01f", "{[0:2], [1:7:2]}". Text in, the members of attributes.h
// out; blanks at the ends are ignored.
//
// Every function returns InvalidArgument, which names the text and what was
// expected, when the text is not of its form. Numbers may be negative, as shape
// functions say what is wrong with those. Source: XLA's HLO text.

#ifndef INDIM_TOOLS_QUERY_HLO_SPELLING_H_
#define INDIM_TOOLS_QUERY_HLO_SPELLING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/ops/attributes.h"

namespace indim {

// "size=2x3 stride=1x2 pad=0_1x-1_0 lhs_dilate=1x2 rhs_dilate=2x1
// rhs_reversal=0x1"; each part at most once and of size's length, "size" alone
// is needed. "" is the window of no dims.
absl::StatusOr<std::vector<WindowDim>> ReadWindow(absl::string_view text);

// "0_1x2_-1_3": low_high[_interior] for each dim; "" for none.
absl::StatusOr<std::vector<PaddingDim>> ReadPadding(absl::string_view text);

// "{[2:5], [1:7:2]}": start:limit[:stride] for each dim.
absl::StatusOr<SliceAttributes> ReadSlice(absl::string_view text);

// "b01f_01io->b01f": input, kernel, output. b, f, i, o and the digits 0.. once
// each; how many digits each part has is not compared.
absl::StatusOr<ConvolutionDims> ReadDimLabels(absl::string_view text);

// "{{0,1},{2,3}}", or "[2,4]<=[8]" (two groups of four by a formula), or the
// axes of a mesh.
absl::StatusOr<ReplicaGroups> ReadReplicaGroups(absl::string_view text);

// "{{0,1},{1,0}}".
absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> ReadPairs(
    absl::string_view text);

}  // namespace indim

#endif  // INDIM_TOOLS_QUERY_HLO_SPELLING_H_
