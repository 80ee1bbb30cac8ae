// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/gradient_mark.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::internal {

GradientMark GradientMarkNamed(absl::string_view text) {
  constexpr std::pair<absl::string_view, GradientMark> kMarks[] = {
      {kStopMark, GradientMark::kStop},
      {kCheckpointMark, GradientMark::kCheckpoint},
      {kCustomMark, GradientMark::kCustom},
      {kVjpMark, GradientMark::kVjp},
      {kJvpMark, GradientMark::kJvp}};
  for (const auto& [name, mark] : kMarks) {
    if (text == name) return mark;
  }
  return TangentsOfMark(text) ? GradientMark::kJvp : GradientMark::kUnknown;
}

std::optional<uint32_t> TangentsOfMark(absl::string_view text) {
  uint32_t count = 0;
  if (!absl::ConsumePrefix(&text, kJvpMark) ||
      !absl::ConsumePrefix(&text, ":") || !absl::SimpleAtoi(text, &count)) {
    return std::nullopt;
  }
  return count;
}

GradientMark GradientMarkOf(AttributeBytesView bytes) {
  const absl::string_view attributes = AttributeBytesField(
      bytes, field::HloInstructionProto::kFrontendAttributes);
  if (attributes.empty()) return GradientMark::kNone;
  const std::optional<std::string> text =
      FrontendAttribute(attributes, kGradientMark);
  return text ? GradientMarkNamed(*text) : GradientMark::kNone;
}

}  // namespace indim::internal
