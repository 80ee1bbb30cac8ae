// SPDX-License-Identifier: Apache-2.0
// Edits that undo themselves give back the module, byte for byte.

#include "indim/tests/edit/identity.h"

#include <gtest/gtest.h>

#include <string>

#include "indim/io/read.h"
#include "indim/tests/data_files.h"
#include "indim/tests/edit/edit_util.h"

namespace indim {
namespace {

class IdentityTest : public ::testing::TestWithParam<std::string> {};

TEST_P(IdentityTest, GivesTheBytesBack) {
  const absl::StatusOr<Module> module = ReadModuleFile(GetParam());
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(IdentityFault(*module), "");
}

INSTANTIATE_TEST_SUITE_P(Jax, IdentityTest, ::testing::ValuesIn(JaxModules()));

// Dead code at the end of the entry is all that is new.
TEST_P(IdentityTest, OthersKeepTheirBytes) {
  const absl::StatusOr<Module> module = ReadModuleFile(GetParam());
  ASSERT_TRUE(module.ok()) << module.status();
  Editor editor(*module);
  Insertion at = editor.AtEnd(editor.entry());
  at.Insert(at->ConstantR0(true));
  const Module changed = Finished(&editor);
  ASSERT_EQ(changed.instruction_count(), module->instruction_count() + 1);
  const std::string before = ToBytes(*module);
  const std::string after = ToBytes(changed);
  ASSERT_GT(after.size(), before.size());
  // The entry is last, so all before its end is the same; its length, which
  // stands before it, may differ.
  EXPECT_FALSE(before == after);
  Editor again(changed);
  again.Erase(again.instructions(again.entry()).back());
  EXPECT_TRUE(ToBytes(Finished(&again)) == before);
}

}  // namespace
}  // namespace indim
