// Subscripts: the text of an einsum, read.

#ifndef INDIM_BUILDER_COMPOSITES_SUBSCRIPTS_H_
#define INDIM_BUILDER_COMPOSITES_SUBSCRIPTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace indim::internal {

// A letter, or kEllipsis + i: the dim that is the i-th from the last of those
// that "..." stands for.
using Label = int;
constexpr Label kEllipsis = 256;

struct Subscripts {
  std::vector<std::vector<Label>> operands;  // a label for each dim
  std::vector<Label> result;
};

// `ranks` are the operands'. InvalidArgument: what is wrong, the text, and a
// caret under the place.
absl::StatusOr<Subscripts> ParseSubscripts(absl::string_view text,
                                           absl::Span<const int> ranks);

// "'i'", "...".
std::string LabelText(Label label);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_COMPOSITES_SUBSCRIPTS_H_
