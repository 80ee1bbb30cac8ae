// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/gradient_mark.h"

#include <optional>
#include <string>
#include <utility>

#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::internal {

GradientMark GradientMarkOf(AttributeBytesView bytes) {
  const absl::string_view attributes = AttributeBytesField(
      bytes, field::HloInstructionProto::kFrontendAttributes);
  if (attributes.empty()) return GradientMark::kNone;
  const std::optional<std::string> text =
      FrontendAttribute(attributes, kGradientMark);
  if (!text) return GradientMark::kNone;
  constexpr std::pair<absl::string_view, GradientMark> kMarks[] = {
      {kStopMark, GradientMark::kStop},
      {kCheckpointMark, GradientMark::kCheckpoint},
      {kCustomMark, GradientMark::kCustom},
      {kVjpMark, GradientMark::kVjp}};
  for (const auto& [name, mark] : kMarks) {
    if (*text == name) return mark;
  }
  return GradientMark::kUnknown;
}

}  // namespace indim::internal
