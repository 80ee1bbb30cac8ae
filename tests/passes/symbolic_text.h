// SPDX-License-Identifier: Apache-2.0
// Modules from HLO text whose sizes have names, and values for these.

#ifndef INDIM_TESTS_PASSES_SYMBOLIC_TEXT_H_
#define INDIM_TESTS_PASSES_SYMBOLIC_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/ir/module.h"
#include "indim/passes/sizes/refine.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {

// `facts`: "n >= 1, n % 8 == 0". A failure of the test, and an empty module,
// when the text or the facts can't be read.
inline Module Read(absl::string_view text, absl::string_view facts = "") {
  ParseOptions options;
  options.symbols = true;
  EXPECT_TRUE(options.scope.State(facts).ok());
  const absl::StatusOr<Module> module = ParseHloText(text, options);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *module : Module();
}

// Refine with what AddSetting understands: "n=8", "x=f32[8,128]", "n>=1". A
// failure of the test when it doesn't.
inline RefineResult RefineWith(const Module& module,
                               const std::vector<std::string>& settings) {
  RefineOptions options;
  for (const std::string& setting : settings) {
    const absl::Status added = AddSetting(setting, &options);
    EXPECT_TRUE(added.ok()) << setting << ": " << added;
  }
  return Refine(module, options);
}

}  // namespace indim

#endif  // INDIM_TESTS_PASSES_SYMBOLIC_TEXT_H_
