// SPDX-License-Identifier: Apache-2.0
// Modules as HLO text, for tests of its reader.

#ifndef INDIM_TESTS_TEXT_PARSE_PARSED_MODULE_H_
#define INDIM_TESTS_TEXT_PARSE_PARSED_MODULE_H_

#include <gtest/gtest.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {

// The module that `text` says; a failure of the test if it says none.
inline Module Parsed(absl::string_view text) {
  absl::StatusOr<Module> module = ParseHloText(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? *module : Module();
}

}  // namespace indim

#endif  // INDIM_TESTS_TEXT_PARSE_PARSED_MODULE_H_
