// SPDX-License-Identifier: Apache-2.0
// What every builder call records is read by real XLA, which checks it as it
// reads.

#include "indim/tests/tools/op_builders.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "indim/passes/export/export.h"
#include "indim/tests/xla/judge.h"

namespace indim {
namespace {

TEST(OpBuildersTest, XlaReadsWhatEveryCallRecords) {
  for (const OpBuilder& op : AllOpBuilders()) {
    if (!IsKnownToXla(op.opcode)) continue;
    SCOPED_TRACE(op.name);
    TestBuilder b("case");
    const absl::StatusOr<Module> module = b.Build(op.build(b));
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::StatusOr<std::string> bytes = ExportHloModuleProto(*module);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const absl::StatusOr<std::string> text = AskXla("read", {}, {*bytes});
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_TRUE(absl::StrContains(*text, Name(op.opcode))) << *text;
  }
}

}  // namespace
}  // namespace indim
