// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/release.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace indim::mlir {

absl::StatusOr<Version> ParseRelease(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  Version v;
  int* const numbers[] = {&v.major, &v.minor, &v.patch};
  bool good = parts.size() == 3;
  for (size_t i = 0; good && i < 3; ++i) {
    good = !parts[i].empty() && parts[i].size() <= 6 &&
           parts[i].find_first_not_of("0123456789") == parts[i].npos &&
           absl::SimpleAtoi(parts[i], numbers[i]);
  }
  if (good) return v;
  return absl::InvalidArgumentError(
      absl::StrCat("'", text.substr(0, 40),
                   "' isn't a release of StableHLO such as 1.16.0"));
}

std::string NeedText(absl::string_view what, Version since, Version target) {
  return since == kNotPortable
             ? absl::StrCat("no portable artifact can hold ", what)
             : absl::StrCat(what, " needs StableHLO ", ToString(since),
                            "; the artifact is for ", ToString(target));
}

int BytecodeFormatOf(Version release) {
  if (release < Version{0, 10, 0}) return 0;
  if (release < Version{0, 12, 0}) return 1;
  if (release < Version{0, 14, 0}) return 3;
  if (release < Version{0, 15, 0}) return 4;
  return 6;
}

}  // namespace indim::mlir
