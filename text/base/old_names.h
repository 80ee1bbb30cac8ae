// Words of HLO text that were renamed, for those who bring a text of that time.

#ifndef INDIM_TEXT_BASE_OLD_NAMES_H_
#define INDIM_TEXT_BASE_OLD_NAMES_H_

#include "absl/strings/string_view.h"

namespace indim {

// What an op that XLA called `old` is written as now: "all-reduce", "compare
// with direction=EQ"; "": it was never called so.
absl::string_view NewOpName(absl::string_view old);
// The same of an instruction's attribute.
absl::string_view NewAttributeName(absl::string_view old);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_OLD_NAMES_H_
