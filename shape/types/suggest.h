// SPDX-License-Identifier: Apache-2.0
// "Did you mean ...?": finds the known name nearest to an unknown one.

#ifndef INDIM_SHAPE_TYPES_SUGGEST_H_
#define INDIM_SHAPE_TYPES_SUGGEST_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace indim {

// The name of `names` that `name` becomes with the fewest edits (a character
// inserted, deleted or replaced, or two neighbours swapped); of equals the
// first. It is near with at most two edits, and fewer than half of its length.
// If none is near: the only name that `name` abbreviates, word by word
// ("bcast_dims" is "broadcast_dimensions"); else empty. A name in other case is
// nearest; otherwise case matters. Names of more than 64 characters have no
// nearest name.
absl::string_view NearestName(absl::string_view name,
                              absl::Span<const absl::string_view> names);

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_SUGGEST_H_
