// SPDX-License-Identifier: Apache-2.0
// FrontendAttributes: the map from text to text in which a front end keeps
// notes about an instruction.

#ifndef INDIM_PROTO_CODEC_FRONTEND_ATTRIBUTES_H_
#define INDIM_PROTO_CODEC_FRONTEND_ATTRIBUTES_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace indim {

// Canonical bytes of a map of texts.
std::string FrontendAttributesBytes(
    const std::map<std::string, std::string, std::less<>>& entries);

// `wire` (canonical FrontendAttributes bytes) with `key` set to `value`, which
// must be UTF-8. Entries stay sorted by key.
std::string WithFrontendAttribute(absl::string_view wire, absl::string_view key,
                                  absl::string_view value);

// The value of `key`; nullopt: there is none.
std::optional<std::string> FrontendAttribute(absl::string_view wire,
                                             absl::string_view key);
// `wire` without `key`.
std::string WithoutFrontendAttribute(absl::string_view wire,
                                     absl::string_view key);

// The entries whose keys begin with `prefix`, sorted by key.
std::vector<std::pair<std::string, std::string>> FrontendAttributesWithPrefix(
    absl::string_view wire, absl::string_view prefix);

}  // namespace indim

#endif  // INDIM_PROTO_CODEC_FRONTEND_ATTRIBUTES_H_
