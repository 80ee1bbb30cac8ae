// SPDX-License-Identifier: Apache-2.0
// White space in the texts of attributes that no row of struct_fields.def
// describes.

#ifndef INDIM_STABLEHLO_TEXT_SPACED_TEXT_H_
#define INDIM_STABLEHLO_TEXT_SPACED_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim::mlir {

// `text` with its white space, outside of strings, as one blank each, and none
// at its ends.
std::string SingleSpaced(absl::string_view text);

// `text` of an attribute of Shardy with blanks where Shardy prints them:
// [{"a", ?}p0, {}], replicated={"b"}; shardings in a list without their name.
std::string ShardySpaced(absl::string_view text);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_SPACED_TEXT_H_
