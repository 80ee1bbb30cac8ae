// FrontendAttributes: what a front end notes about an instruction, on the wire
// a map from text to text.

#ifndef INDIM_BUILDER_FRONTEND_ATTRIBUTES_H_
#define INDIM_BUILDER_FRONTEND_ATTRIBUTES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim::internal {

// `wire` (canonical FrontendAttributes bytes) with `key` set to `value`, which
// must be UTF-8; entries stay sorted by key.
std::string WithFrontendAttribute(absl::string_view wire, absl::string_view key,
                                  absl::string_view value);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_FRONTEND_ATTRIBUTES_H_
