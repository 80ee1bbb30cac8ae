// SPDX-License-Identifier: Apache-2.0
// Modules as text, for tests of the editor.

#ifndef INDIM_TESTS_EDIT_EDIT_UTIL_H_
#define INDIM_TESTS_EDIT_EDIT_UTIL_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/edit/editor.h"
#include "indim/io/read.h"
#include "indim/io/write.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {

inline Module FromText(absl::string_view text) {
  absl::StatusOr<Module> module = ReadModuleText(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  return module.ok() ? *std::move(module) : Module();
}

// HLO text without layouts and metadata.
inline std::string ToText(const Module& module) {
  PrintOptions options = PrintOptions::ShortParsable();
  options.layouts = false;
  return PrintHloText(module, options);
}

// Each computation on a line, in the order of the module, which the text isn't
// in: "f: x=parameter() ROOT n=negate(x)".
inline std::string Listing(const Module& module) {
  std::string text;
  for (const Computation c : module.computations()) {
    text += c.is_entry() ? "ENTRY " : "";
    text += std::string(c.name()) + ":";
    for (const Instruction i : c.instructions()) {
      text += i == c.root() ? " ROOT " : " ";
      text += i.name() + "=" + std::string(i.opcode_name()) + "(";
      for (const Instruction operand : i.operands()) {
        text += (text.back() == '(' ? "" : ",") + operand.name();
      }
      text += ")";
    }
    text += "\n";
  }
  return text;
}

inline std::string ToBytes(const Module& module) {
  const absl::StatusOr<std::string> bytes =
      WriteModuleBytes(module, ModuleForm::kRecorded);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : "";
}

// The changed module; a test fails where there is none.
inline Module Finished(Editor* editor) {
  EditResult result = editor->Finish();
  EXPECT_TRUE(result.ok()) << result.text();
  return result.module;
}

// The codes of diagnostics: {"IND1001"}.
inline std::vector<std::string> CodesOf(const EditResult& result) {
  std::vector<std::string> codes;
  for (const EditDiagnostic& d : result.diagnostics) {
    codes.push_back(CodeText(d.diagnostic.code));
  }
  return codes;
}

}  // namespace indim

#endif  // INDIM_TESTS_EDIT_EDIT_UTIL_H_
