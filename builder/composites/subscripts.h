// SPDX-License-Identifier: Apache-2.0
// Subscripts: the parsed text of an einsum.

#ifndef INDIM_BUILDER_COMPOSITES_SUBSCRIPTS_H_
#define INDIM_BUILDER_COMPOSITES_SUBSCRIPTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace indim::internal {

// A letter, or kEllipsis + i for the i-th dim from the last of the dims that
// "..." stands for.
using Label = int;
constexpr Label kEllipsis = 256;

struct Subscripts {
  std::vector<std::vector<Label>> operands;  // a label for each dim
  std::vector<Label> result;
};

// Parses `text` for operands of `ranks`. InvalidArgument: the mistake, the
// text, and a caret under the position.
absl::StatusOr<Subscripts> ParseSubscripts(absl::string_view text,
                                           absl::Span<const int> ranks);

// For messages: "'i'", "...".
std::string LabelText(Label label);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_COMPOSITES_SUBSCRIPTS_H_
