// The sharding of a tuple whose elements are added and removed.

#ifndef INDIM_EDIT_TUPLE_SHARDING_H_
#define INDIM_EDIT_TUPLE_SHARDING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// `sharding` (an OpSharding of a value of shape `before`) for the tuple
// `after`: its element k was element from[k] of `before`, or is new and
// replicated (-1). `wrapped`: element 0 means all of `before`. A sharding that
// holds for all elements of a tuple stays. nullopt: it doesn't fit `before`.
std::optional<std::string> ShardingOfElements(absl::string_view sharding,
                                              const Shape& before,
                                              const Shape& after,
                                              absl::Span<const int64_t> from,
                                              bool wrapped);

}  // namespace indim::internal

#endif  // INDIM_EDIT_TUPLE_SHARDING_H_
