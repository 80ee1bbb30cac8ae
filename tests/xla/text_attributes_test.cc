// SPDX-License-Identifier: Apache-2.0
// Every attribute against XLA: what its parser makes of the text of one
// instruction, field by field, and what its printer makes of that.

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/ir/module_access.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/tests/text/attributes/attribute_case.h"
#include "indim/tests/xla/judge.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

std::string AttributeBytesOf(const Instruction& instruction) {
  const AttributeBytesView attribute_bytes =
      internal::AttributeBytesOf(instruction);
  return absl::BytesToHexString(
      absl::StrCat(attribute_bytes.before_id, " ", attribute_bytes.control, " ",
                   attribute_bytes.after_callees, " ", instruction.metadata()));
}

// The line of the entry's root.
std::string RootLine(const Module& module) {
  const std::string text = PrintHloText(module);
  const size_t begin = text.rfind("  ROOT ");
  if (begin == std::string::npos) return text;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(TextAttributesTest, AsXlaReadsAndPrintsThem) {
  std::ifstream file("tests/text/attributes/attribute_cases.txt");
  const std::string all((std::istreambuf_iterator<char>(file)), {});
  const absl::StatusOr<std::vector<AttributeCase>> cases =
      ParseAttributeCases(all);
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_GT(cases->size(), 150u);
  for (const AttributeCase& c : *cases) {
    if (!c.old_xla) continue;
    const std::string text = ModuleOfCase(c);
    const absl::StatusOr<std::string> answer =
        AskXla("parse", JsonWriter(), {text});
    ASSERT_TRUE(answer.ok()) << answer.status() << "\n" << text;
    const size_t blank = answer->find(' ');
    const std::string bytes = absl::HexStringToBytes(answer->substr(0, blank));
    const absl::StatusOr<Module> theirs = ReadHloModuleProto(bytes);
    ASSERT_TRUE(theirs.ok()) << theirs.status();
    const absl::StatusOr<Module> ours = ParseHloText(text);
    ASSERT_TRUE(ours.ok()) << ours.status();
    const Instruction root = ours->entry().root();
    EXPECT_EQ(AttributeBytesOf(root), AttributeBytesOf(theirs->entry().root()))
        << text;
    EXPECT_EQ(RootLine(*ours), answer->substr(blank + 1)) << text;
    EXPECT_EQ(RootLine(*theirs), answer->substr(blank + 1)) << text;
  }
}

}  // namespace
}  // namespace indim
