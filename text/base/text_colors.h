// SPDX-License-Identifier: Apache-2.0
// The colours of HLO text on a terminal, as common ANSI escapes.

#ifndef INDIM_TEXT_BASE_TEXT_COLORS_H_
#define INDIM_TEXT_BASE_TEXT_COLORS_H_

#include "absl/strings/string_view.h"

namespace indim {

constexpr absl::string_view kColorKeyword = "\x1b[35m";  // ENTRY, ROOT
constexpr absl::string_view kColorName = "\x1b[1m";      // where it is defined
constexpr absl::string_view kColorShape = "\x1b[36m";
constexpr absl::string_view kColorOpcode = "\x1b[32m";
constexpr absl::string_view kColorDim = "\x1b[2m";  // metadata
constexpr absl::string_view kColorEnd = "\x1b[0m";

}  // namespace indim

#endif  // INDIM_TEXT_BASE_TEXT_COLORS_H_
