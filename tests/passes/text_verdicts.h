// SPDX-License-Identifier: Apache-2.0
// Small modules as HLO text, and what verification says of each: codes that
// take several instructions or computations. XLA's verifier was
// asked of all; where its source of 2026 has a newer rule than jaxlib 0.10.2
// (an async chain through tuples and loops, late arguments), that is followed.
#ifndef INDIM_TESTS_PASSES_TEXT_VERDICTS_H_
#define INDIM_TESTS_PASSES_TEXT_VERDICTS_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/passes/check/verify_module.h"
#include "indim/tests/ir/report_codes.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {

struct TextVerdict {
  const char* what;
  std::vector<Code> codes;  // that are reported, each once for each place
  std::string text;         // all that follows the module's name
};

// Its one test is in text_verdicts_test.cc.
class TextVerdictsTest : public ::testing::TestWithParam<TextVerdict> {
 protected:
  void Check() const {
    const absl::StatusOr<Module> module =
        ParseHloText(absl::StrCat("HloModule m", GetParam().text));
    ASSERT_TRUE(module.ok()) << module.status();
    const VerifyResult result = VerifyModule(*module);
    EXPECT_THAT(CodesOf(result.report),
                ::testing::UnorderedElementsAreArray(GetParam().codes))
        << GetParam().what << "\n"
        << RenderReport(*module, result.report);
  }
};

}  // namespace indim

#endif  // INDIM_TESTS_PASSES_TEXT_VERDICTS_H_
