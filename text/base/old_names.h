// SPDX-License-Identifier: Apache-2.0
// Words of HLO text that XLA has renamed, to explain errors in old texts.

#ifndef INDIM_TEXT_BASE_OLD_NAMES_H_
#define INDIM_TEXT_BASE_OLD_NAMES_H_

#include "absl/strings/string_view.h"

namespace indim {

// The present spelling of the op that XLA called `old`: "all-reduce", "compare
// with direction=EQ"; "": not a former name.
absl::string_view NewOpName(absl::string_view old);
// The present name of the attribute that XLA called `old`; "": not a former
// name.
absl::string_view NewAttributeName(absl::string_view old);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_OLD_NAMES_H_
