// SPDX-License-Identifier: Apache-2.0
// The broadcasting that an operation asks for: a rule and its arguments.
// broadcast.h says what each rule means.

#ifndef INDIM_SHAPE_BROADCAST_BROADCAST_SPEC_H_
#define INDIM_SHAPE_BROADCAST_BROADCAST_SPEC_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/string_view.h"
#include "indim/shape/dims/dim.h"

namespace indim {

enum class BroadcastRule : uint8_t {
  kXla = 0,
  kNone = 1,
  kNumpy = 2,
  kPdpd = 3,
  kBidirectional = 4,
};

// The rule's name: "xla", "none", "numpy", "pdpd", "bidirectional".
absl::string_view Name(BroadcastRule rule);
std::optional<BroadcastRule> BroadcastRuleFromName(absl::string_view name);

// The broadcasting that the author of an operation asked for.
struct BroadcastSpec {
  BroadcastRule rule = BroadcastRule::kXla;
  // For kXla. Absent and empty mean the same to XLA; both are kept apart so
  // that a recorded graph gives back the author's form.
  std::optional<DimIndices> dimensions;
  int64_t axis = -1;  // for kPdpd

  friend bool operator==(const BroadcastSpec& a, const BroadcastSpec& b) {
    return a.rule == b.rule && a.dimensions == b.dimensions && a.axis == b.axis;
  }
  template <typename H>
  friend H AbslHashValue(H h, const BroadcastSpec& s) {
    h = H::combine(std::move(h), s.rule, s.axis, s.dimensions.has_value());
    if (s.dimensions) h = H::combine(std::move(h), *s.dimensions);
    return h;
  }
};

}  // namespace indim

#endif  // INDIM_SHAPE_BROADCAST_BROADCAST_SPEC_H_
