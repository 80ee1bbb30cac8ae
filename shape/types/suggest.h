// "Did you mean ...?": the known name that an unknown one resembles.

#ifndef INDIM_SHAPE_TYPES_SUGGEST_H_
#define INDIM_SHAPE_TYPES_SUGGEST_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace indim {

// The one of `names` that takes the fewest edits (a character inserted, deleted
// or replaced, or two neighbours swapped) to become `name`; the first of
// equals. When none is near (more than two edits, or half of the known name or
// more), the only one that `name` shortens, word by word: "bcast_dims" is
// "broadcast_dimensions". Else empty. Upper and lower case are told apart.
// Names of more than 64 characters resemble nothing.
absl::string_view NearestName(absl::string_view name,
                              absl::Span<const absl::string_view> names);

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_SUGGEST_H_
