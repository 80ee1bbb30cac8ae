// The version of Indim: the one place that says it is version.cc; the tool, the
// installed package files and the changelog's test read it from there.

#ifndef INDIM_SHAPE_VERSION_H_
#define INDIM_SHAPE_VERSION_H_

#include "absl/strings/string_view.h"

namespace indim {

// The version of the library that is linked in, "MAJOR.MINOR.PATCH"
// (semver.org). Never fails; the text is static.
absl::string_view Version();

}  // namespace indim

#endif  // INDIM_SHAPE_VERSION_H_
