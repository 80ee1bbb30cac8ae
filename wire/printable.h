// Text out of files as messages show it: on one line, and not too long.

#ifndef INDIM_WIRE_PRINTABLE_H_
#define INDIM_WIRE_PRINTABLE_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// `text` as UTF-8 without control characters, which become \xNN, as do, in text
// that isn't UTF-8, all bytes beyond ASCII. The middle is left out where it has
// more than `longest` bytes.
std::string Printable(absl::string_view text, size_t longest = 120);

}  // namespace indim

#endif  // INDIM_WIRE_PRINTABLE_H_
