// SPDX-License-Identifier: Apache-2.0
// GradientMark: what the frontend attribute "indim.gradient" of an instruction
// says of its derivative.

#ifndef INDIM_IR_GRADIENT_MARK_H_
#define INDIM_IR_GRADIENT_MARK_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "indim/proto/wire/attribute_bytes.h"

namespace indim::internal {

inline constexpr absl::string_view kGradientMark = "indim.gradient";
inline constexpr absl::string_view kStopMark = "stop";
inline constexpr absl::string_view kCheckpointMark = "checkpoint";
inline constexpr absl::string_view kCustomMark = "custom";
inline constexpr absl::string_view kVjpMark = "vjp";
inline constexpr absl::string_view kJvpMark = "jvp";

enum class GradientMark : uint8_t {
  kNone,
  kStop,        // the derivative is zero
  kCheckpoint,  // a call: its transpose computes again what it needs
  kCustom,      // a call: its computation has a call with kVjp or kJvp
  kVjp,         // a call inside such a computation, which that doesn't need, or
                // a custom-call that calls a computation: the transpose
  kJvp,     // likewise: the derivative itself, of tangents; "jvp:2" of those
            // of two operands, "jvp" of all
  kUnknown  // another text
};
// Whether the marked call is the derivative of another instruction.
inline bool IsDerivative(GradientMark mark) {
  return mark == GradientMark::kVjp || mark == GradientMark::kJvp;
}

// What a text says.
GradientMark GradientMarkNamed(absl::string_view text);
// Of "jvp:2" the number, which may be any; nullopt: the text has none.
std::optional<uint32_t> TangentsOfMark(absl::string_view text);
// Of an instruction with these attribute bytes.
GradientMark GradientMarkOf(AttributeBytesView bytes);

}  // namespace indim::internal

#endif  // INDIM_IR_GRADIENT_MARK_H_
