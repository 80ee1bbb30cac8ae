// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/query/hlo_spelling.h"

#include <array>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/opcode.h"
#include "indim/text/attributes/attribute_text.h"

namespace indim {
namespace {

constexpr absl::string_view kWindow =
    "window; expected such as \"size=3x3 stride=2x2 pad=1_1x0_0\"";
constexpr absl::string_view kPadding =
    "padding; expected low_high or low_high_interior for each dim: \"0_1x2_2\"";
constexpr absl::string_view kSlice =
    "slice; expected [start:limit] or [start:limit:stride] for each dim: "
    "\"{[2:5], [1:7:2]}\"";
constexpr absl::string_view kDimLabels =
    "dim_labels; expected input_kernel->output: \"b01f_01io->b01f\"";
constexpr absl::string_view kReplicaGroups =
    "replica_groups; expected \"{{0,1},{2,3}}\" or \"[2,4]<=[8]\"";
constexpr absl::string_view kPairs =
    "list of pairs; expected such as \"{{0,1},{1,0}}\"";

// Longer texts are cut, so that a message stays one line.
absl::Status Malformed(absl::string_view what, absl::string_view text) {
  constexpr size_t kShown = 80;
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text.substr(0, kShown),
                   text.size() > kShown ? "...\"" : "\"", " is no ", what));
}

// The attributes of `opcode` of which `name` has the value `text` and no other
// says anything. `text` as a whole is `shown` when it is no `what`.
absl::StatusOr<Attributes> Read(Opcode opcode, absl::string_view name,
                                absl::string_view text, absl::string_view what,
                                absl::string_view shown) {
  FieldList fields(WireMessage::kHloInstructionProto);
  // A list may end with a comma in text, but not here.
  if (absl::StrContains(absl::StrReplaceAll(text, {{" ", ""}}), ",}") ||
      !ReadAttributeText(opcode, name, text, &fields)) {
    return Malformed(what, shown);
  }
  absl::StatusOr<Attributes> attributes =
      DecodeAttributes(opcode, fields.ToAttributeBytes().view());
  if (!attributes.ok()) return Malformed(what, shown);
  return attributes;
}

}  // namespace

absl::StatusOr<std::vector<WindowDim>> ReadWindow(absl::string_view text) {
  const absl::StatusOr<Attributes> read =
      Read(Opcode::kReduceWindow, "window", absl::StrCat("{", text, "}"),
           kWindow, text);
  if (!read.ok()) return read.status();
  return As<WindowAttributes>(*read).window;
}

absl::StatusOr<std::vector<PaddingDim>> ReadPadding(absl::string_view text) {
  if (absl::StripAsciiWhitespace(text).empty()) {
    return std::vector<PaddingDim>();
  }
  const absl::StatusOr<Attributes> read =
      Read(Opcode::kPad, "padding", text, kPadding, text);
  if (!read.ok()) return read.status();
  return As<PadAttributes>(*read).padding;
}

absl::StatusOr<SliceAttributes> ReadSlice(absl::string_view text) {
  const absl::StatusOr<Attributes> read =
      Read(Opcode::kSlice, "slice", text, kSlice, text);
  if (!read.ok()) return read.status();
  return As<SliceAttributes>(*read);
}

absl::StatusOr<ConvolutionDims> ReadDimLabels(absl::string_view text) {
  const absl::string_view stripped = absl::StripAsciiWhitespace(text);
  FieldList numbers(WireMessage::kConvolutionDimensionNumbers);
  std::array<size_t, 3> digits = {};
  // Shape functions compare the digits. The six letters are all there, where
  // nothing else is.
  const bool is_read = ReadDimLabels(stripped, &numbers, &digits).empty();
  const size_t all = digits[0] + digits[1] + digits[2];
  if (!is_read ||
      stripped.size() != all + 6 + absl::string_view("_->").size()) {
    return Malformed(kDimLabels, text);
  }
  FieldList fields(WireMessage::kHloInstructionProto);
  fields.SetText(field::HloInstructionProto::kConvolutionDimensionNumbers,
                 numbers.Serialize());
  const absl::StatusOr<Attributes> read =
      DecodeAttributes(Opcode::kCustomCall, fields.ToAttributeBytes().view());
  if (!read.ok()) return read.status();
  return As<CustomCallAttributes>(*read).convolution_dims.value_or(
      ConvolutionDims());
}

absl::StatusOr<ReplicaGroups> ReadReplicaGroups(absl::string_view text) {
  const absl::StatusOr<Attributes> read =
      Read(Opcode::kAllReduce, "replica_groups", text, kReplicaGroups, text);
  if (!read.ok()) return read.status();
  return As<CollectiveAttributes>(*read).replica_groups;
}

absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> ReadPairs(
    absl::string_view text) {
  const absl::StatusOr<Attributes> read = Read(
      Opcode::kCollectivePermute, "source_target_pairs", text, kPairs, text);
  if (!read.ok()) return read.status();
  return As<CollectivePermuteAttributes>(*read).source_target_pairs;
}

}  // namespace indim
