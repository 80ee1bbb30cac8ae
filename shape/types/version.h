// The version of Indim. version.cc is the one place that says it; whatever else
// names it asks Version() or is tested against it.

#ifndef INDIM_SHAPE_TYPES_VERSION_H_
#define INDIM_SHAPE_TYPES_VERSION_H_

#include "absl/strings/string_view.h"

namespace indim {

// The version of the library that is linked in, "MAJOR.MINOR.PATCH"
// (semver.org). Never fails; the text is static.
absl::string_view Version();

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_VERSION_H_
