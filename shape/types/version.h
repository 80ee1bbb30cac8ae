// SPDX-License-Identifier: Apache-2.0
// The version of Indim. Only version.cc states it; other code calls Version(),
// and tests compare other places with it.

#ifndef INDIM_SHAPE_TYPES_VERSION_H_
#define INDIM_SHAPE_TYPES_VERSION_H_

#include "absl/strings/string_view.h"

namespace indim {

// The version of the linked library, "MAJOR.MINOR.PATCH" (semver.org), as
// static text.
absl::string_view Version();

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_VERSION_H_
