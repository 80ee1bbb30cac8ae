// SPDX-License-Identifier: Apache-2.0
// What Indim says of a broken module.
#ifndef INDIM_TESTS_PASSES_BREAKAGE_VERDICT_H_
#define INDIM_TESTS_PASSES_BREAKAGE_VERDICT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "indim/tests/passes/breakages.h"

namespace indim {

struct BreakageVerdict {
  // An error at the broken node, or of the module as a whole, or the reader
  // didn't take it.
  bool found = false;
  // An error, but at other nodes only.
  bool elsewhere = false;
  std::string code;  // the first one's id; "reader"
};

// Of the module in `wire`, which was broken so.
BreakageVerdict Verify(const Breakage& breakage, absl::string_view wire);

}  // namespace indim

#endif  // INDIM_TESTS_PASSES_BREAKAGE_VERDICT_H_
