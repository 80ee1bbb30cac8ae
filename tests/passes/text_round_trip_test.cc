// SPDX-License-Identifier: Apache-2.0
// Whatever shapes a module has, what is printed of it is read again: which
// shapes go together the verifier knows, not the reader.

#include <gtest/gtest.h>

#include <string>

#include "indim/ir/module.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/structure/structure.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/tests/data_files.h"
#include "indim/tests/passes/breakages.h"
#include "indim/tests/proto/wire/wire_oracle.h"
#include "indim/tests/sample.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

// What is broken about the instruction's own shape, or about that of what it
// takes or calls.
bool IsAboutShapes(BreakageKind kind) {
  switch (kind) {
    case BreakageKind::kOperandRemoved:
    case BreakageKind::kOperandAdded:
    case BreakageKind::kAttribute:
    case BreakageKind::kCalleeCount:
      return false;
    default:
      return true;
  }
}

TEST(TextRoundTripTest, IllShapedModulesAreRead) {
  const int step = 5 * SampleStep(16);
  int64_t seen = 0, read = 0;
  for (const std::string& file : JaxModules()) {
    proto::HloModuleProto module;
    ASSERT_TRUE(module.ParseFromString(*ReadFile(file)));
    ForEachBreakage(
        module, [&](const Breakage& b, const proto::HloModuleProto& broken) {
          // A literal has its shape; without it there is no reading its text.
          if (!IsAboutShapes(b.kind) || b.opcode == "constant" ||
              ++seen % step != 0) {
            return;
          }
          const absl::StatusOr<Module> ill =
              ReadHloModuleProto(DeterministicBytes(broken));
          // An operand that comes later, in a schedule, is no matter of shapes.
          if (!ill.ok() || !VerifyStructure(*ill).report.ok()) return;
          ++read;
          const std::string text =
              PrintHloText(*ill, PrintOptions::LargeConstants());
          const absl::StatusOr<Module> again = ParseHloText(text);
          EXPECT_TRUE(again.ok())
              << file << ": " << Name(b.kind) << " of " << b.opcode << " "
              << b.instruction << ": " << b.change << "\n"
              << again.status();
        });
  }
  EXPECT_GT(read, 1000 / SampleStep(16));
}

}  // namespace
}  // namespace indim
