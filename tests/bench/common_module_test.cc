// SPDX-License-Identifier: Apache-2.0
// What both sides of a comparison read is the same graph as the file's, and
// XLA of late 2023 takes its ids.
#include "indim/bench/common_module.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "indim/ir/storage/file.h"
#include "indim/passes/check/infer_and_verify.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/tests/data_files.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

std::string Text(const std::string& bytes) {
  const absl::StatusOr<Module> module = ReadHloModuleProto(bytes, nullptr);
  return module.ok() ? PrintHloText(*module)
                     : std::string(module.status().message());
}

// Of the file, without what says where in a program things came from.
std::string TextWithoutFrames(const std::string& bytes) {
  proto::HloModuleProto module;
  EXPECT_TRUE(module.ParseFromString(bytes));
  module.clear_stack_frame_index();
  for (auto& computation : *module.mutable_computations()) {
    for (auto& instruction : *computation.mutable_instructions()) {
      if (!instruction.has_metadata()) continue;
      instruction.mutable_metadata()->clear_stack_frame_id();
    }
  }
  return Text(module.SerializeAsString());
}

void ExpectSmallIds(const std::string& bytes) {
  proto::HloModuleProto module;
  ASSERT_TRUE(module.ParseFromString(bytes));
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  for (const auto& computation : module.computations()) {
    EXPECT_LE(computation.id(), kMax);
    for (const auto& instruction : computation.instructions()) {
      EXPECT_LE(instruction.id(), kMax);
    }
  }
}

TEST(CommonModuleTest, IsTheGraphOfTheFile) {
  const std::vector<std::string> paths = JaxModules();
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    const absl::StatusOr<std::string> file = ReadFile(path);
    ASSERT_TRUE(file.ok());
    const absl::StatusOr<std::string> common = bench::CommonModule(*file);
    ASSERT_TRUE(common.ok()) << common.status();
    EXPECT_EQ(Text(*common), TextWithoutFrames(*file));
    ExpectSmallIds(*common);
    absl::StatusOr<Module> module = ReadHloModuleProto(*common, nullptr);
    ASSERT_TRUE(module.ok());
    const InferAndVerifyResult result = InferAndVerify(*std::move(module));
    EXPECT_TRUE(result.inferred.report.ok());
    EXPECT_TRUE(result.verified.report.ok());
  }
}

TEST(CommonModuleTest, RefusesWhatIsNoModule) {
  EXPECT_FALSE(bench::CommonModule("no module").ok());
  proto::HloModuleProto module;
  module.add_computations()->set_id(1);
  module.set_entry_computation_id(2);
  EXPECT_EQ(bench::CommonModule(module.SerializeAsString()).status().ToString(),
            "INVALID_ARGUMENT: nothing has the id 2");
}

}  // namespace
}  // namespace indim
