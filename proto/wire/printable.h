// SPDX-License-Identifier: Apache-2.0
// Makes text from files printable for messages: on one line, and not too long.

#ifndef INDIM_PROTO_WIRE_PRINTABLE_H_
#define INDIM_PROTO_WIRE_PRINTABLE_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// `text` as UTF-8, with \xNN for control characters and, in text that isn't
// UTF-8, for all bytes beyond ASCII. A text of more than `longest` bytes loses
// its middle.
std::string Printable(absl::string_view text, size_t longest = 120);

}  // namespace indim

#endif  // INDIM_PROTO_WIRE_PRINTABLE_H_
