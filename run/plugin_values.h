// SPDX-License-Identifier: Apache-2.0
// Named values as plugins have them.

#ifndef INDIM_RUN_PLUGIN_VALUES_H_
#define INDIM_RUN_PLUGIN_VALUES_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "indim/run/abi/abi.h"
#include "indim/run/named_value.h"

namespace indim::pjrt {

// Copies `count` values; null: none. One of a kind that we don't know is left
// out.
std::vector<NamedValue> FromPlugin(const abi::NamedValue* values, size_t count);

// For a plugin, valid as long as `values` are.
std::vector<abi::NamedValue> ToPlugin(absl::Span<const NamedValue> values);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_PLUGIN_VALUES_H_
