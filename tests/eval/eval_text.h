// SPDX-License-Identifier: Apache-2.0
// Tables of HLO text and the literals that it gives.

#ifndef INDIM_TESTS_EVAL_EVAL_TEXT_H_
#define INDIM_TESTS_EVAL_EVAL_TEXT_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/evaluator.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {

// "!" and the code of an error, or its message where it has no code.
inline std::string CodeOrText(const absl::Status& status) {
  const Code code = CodeOf(status);
  return code == Code::kNone ? std::string(status.message())
                             : "!" + CodeText(code);
}

// The literal that a module without parameters gives, or its CodeOrText.
inline std::string EvalModule(const Module& module,
                              const EvalOptions& options = {}) {
  const absl::StatusOr<Literal> value = Evaluate(module, {}, options);
  if (!value.ok()) return CodeOrText(value.status());
  return absl::StrCat(value->shape().ToString(), " ", value->ToString());
}

// The same of HLO text.
inline std::string Eval(const std::string& text,
                        const EvalOptions& options = {}) {
  const absl::StatusOr<Module> module = ParseHloText(text);
  if (!module.ok()) return std::string(module.status().message());
  return EvalModule(*module, options);
}

// Instructions by ";", the last one the root.
inline std::string EntryOf(const std::string& body) {
  std::string text = "ENTRY e {\n";
  std::string rest = body;
  for (size_t at; (at = rest.find(';')) != std::string::npos;) {
    text += "  " + rest.substr(0, at) + "\n";
    rest = rest.substr(at + 1);
  }
  return text + "  ROOT " + rest + "\n}\n";
}

struct BodyCase {
  const char* body;  // of the entry, as EntryOf() takes it
  const char* expected;
};

inline void ExpectValues(const std::vector<BodyCase>& table,
                         const std::string& computations = "") {
  EvalOptions options;
  options.max_steps = 100000;
  for (const BodyCase& c : table) {
    EXPECT_EQ(Eval("HloModule m\n" + computations + EntryOf(c.body), options),
              c.expected)
        << c.body;
  }
}

}  // namespace indim

#endif  // INDIM_TESTS_EVAL_EVAL_TEXT_H_
