// SPDX-License-Identifier: Apache-2.0
#ifndef INDIM_TESTS_TOOLS_EXPLAIN_EXPLAINED_H_
#define INDIM_TESTS_TOOLS_EXPLAIN_EXPLAINED_H_

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/tools/explain/explain.h"

namespace indim {

// The explanation of a question that can be answered.
inline std::string Explain(absl::string_view question,
                           const ExplainOptions& options = {}) {
  const auto explanation = ExplainQuestion(question, options);
  EXPECT_TRUE(explanation.ok()) << question << explanation.status();
  return explanation.ok() ? explanation->text : "";
}

}  // namespace indim

#endif  // INDIM_TESTS_TOOLS_EXPLAIN_EXPLAINED_H_
