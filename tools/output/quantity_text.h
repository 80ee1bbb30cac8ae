// SPDX-License-Identifier: Apache-2.0
// Numbers and bytes as people read them.

#ifndef INDIM_TOOLS_OUTPUT_QUANTITY_TEXT_H_
#define INDIM_TOOLS_OUTPUT_QUANTITY_TEXT_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/passes/cost/amount.h"

namespace indim {

// "999", "1.23 k", "4.56 G", with the units of the decimal system; an
// expression as it is.
std::string ShortCount(const Amount& amount);
// Likewise "1.23 kB".
std::string ShortBytes(const Amount& amount);
// A number as it is, an expression as a string.
std::string AmountJson(const Amount& amount);
// The reverse of ShortCount, and of the binary units: "1.5G", "2GiB", "10 MB",
// "1e9". nullopt: the text is no such number.
std::optional<double> ParseQuantity(absl::string_view text);

}  // namespace indim

#endif  // INDIM_TOOLS_OUTPUT_QUANTITY_TEXT_H_
