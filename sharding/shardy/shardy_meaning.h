// SPDX-License-Identifier: Apache-2.0
// What Shardy's shardings mean in HLO's own terms, which XLA writes beside
// them.

#ifndef INDIM_SHARDING_SHARDY_SHARDY_MEANING_H_
#define INDIM_SHARDING_SHARDY_SHARDY_MEANING_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/sharding/shardy/shardy_text.h"

namespace indim {

// The OpSharding of #sdy.sharding<...> or #sdy.sharding_per_value<[...]>; a
// tuple's for several values. nullopt: the text has a fault, or needs a list of
// too many devices. Source: XLA, convertToHloSharding.
std::optional<std::string> MeaningOfShardy(absl::string_view text,
                                           FindMesh find);

// Whether `sharding` is what `text` means. `is_loop`: of the first of its
// parts; the others are of what the loop captures.
bool IsMeaningOfShardy(absl::string_view sharding, absl::string_view text,
                       bool is_loop, FindMesh find);

}  // namespace indim

#endif  // INDIM_SHARDING_SHARDY_SHARDY_MEANING_H_
