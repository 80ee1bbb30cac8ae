// SPDX-License-Identifier: Apache-2.0
// Values with names: the attributes of a plugin or a device, and the options of
// a client.

#ifndef INDIM_RUN_NAMED_VALUE_H_
#define INDIM_RUN_NAMED_VALUE_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"

namespace indim::pjrt {

using Value =
    std::variant<std::string, int64_t, std::vector<int64_t>, float, bool>;

struct NamedValue {
  std::string name;
  Value value;
};

// "8", "[1, 2]", "\"tpu\"", "true".
std::string ToString(const Value& value);
// "text", "an integer", "integers", "a number", "true or false".
absl::string_view KindName(const Value& value);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_NAMED_VALUE_H_
