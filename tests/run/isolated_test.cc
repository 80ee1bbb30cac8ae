// SPDX-License-Identifier: Apache-2.0
// CompileIsolated on a plugin that ends its process on demand (fake_plugin.h).

#include "indim/run/isolated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "absl/strings/str_cat.h"
#include "indim/io/read.h"
#include "indim/run/client.h"
#include "indim/run/isolated_message.h"
#include "indim/run/plugin.h"

namespace indim {
namespace pjrt {
namespace {

using ::testing::HasSubstr;

Client FakeClient() {
  const Plugin plugin = Plugin::Load("tests/run/libfake_plugin.so").value();
  return Client::Create(plugin, {{{"cpu_device_count", int64_t{3}}}}).value();
}

// The fake plugin does what the module's name says.
Module ModuleNamed(const std::string& name) {
  return ReadModuleText(absl::StrCat("HloModule ", name,
                                     "\n\nENTRY e {\n  ROOT p = f32[2] "
                                     "parameter(0)\n}\n"))
      .value();
}

TEST(IsolatedTest, WhatWasCompiledThereRunsHere) {
  const Client client = FakeClient();
  const absl::StatusOr<Executable> run =
      CompileIsolated(client, ModuleNamed("m"));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->inputs()[0].name, "p");
  const absl::StatusOr<Literal> result = run->Run({Literal::Vector({1, 2})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->ToString(), "{1, 2}");
}

TEST(IsolatedTest, WhatEndsTheProcessIsAnError) {
  const struct {
    const char* name;
    absl::StatusCode code;
    const char* says;
  } kCases[] = {
      {"fake_abort", absl::StatusCode::kAborted, "signal 6"},
      {"fake_abort", absl::StatusCode::kAborted,
       "it wrote: the fake plugin ends the process"},
      {"fake_throw", absl::StatusCode::kAborted, "signal 6"},
      {"fake_exit", absl::StatusCode::kAborted, "exited with status 3"},
      {"fake_refuse", absl::StatusCode::kInternal, "refuses on demand"}};
  const Client client = FakeClient();
  for (const auto& c : kCases) {
    const absl::StatusOr<Executable> run =
        CompileIsolated(client, ModuleNamed(c.name));
    EXPECT_EQ(run.status().code(), c.code) << run.status();
    EXPECT_THAT(std::string(run.status().message()), HasSubstr(c.says));
  }
}

TEST(IsolatedTest, WhatTakesTooLongIsEnded) {
  const absl::StatusOr<Executable> run =
      CompileIsolated(FakeClient(), ModuleNamed("fake_sleep"), {},
                      {std::chrono::milliseconds(300)});
  EXPECT_TRUE(absl::IsAborted(run.status())) << run.status();
  EXPECT_THAT(std::string(run.status().message()),
              HasSubstr("took more than 300 ms"));
}

TEST(IsolatedTest, MessagesComeBack) {
  IsolatedRequest request;
  request.plugin = "/a/b.so";
  request.client_options = {{"a", std::string("x")},
                            {"b", int64_t{-3}},
                            {"c", std::vector<int64_t>{1, -2}},
                            {"d", 0.5f},
                            {"e", true}};
  request.program.format = "hlo";
  request.program.code = "code";
  request.program.tupled = true;
  request.program.interface.result = Shape::Of(ElementType::kF32, {2});
  request.program.interface.outputs = {
      {"r", Shape::Of(ElementType::kF32, {2}), {{2}, {1, 0}}}};
  request.compile_options = "options";
  request.partitions = 2;
  const std::string bytes = WriteRequest(request);
  IsolatedRequest back;
  ASSERT_TRUE(ReadRequest(bytes, &back));
  EXPECT_EQ(WriteRequest(back), bytes);
  EXPECT_EQ(back.client_options.size(), 5u);
  EXPECT_EQ(back.partitions, 2);
  EXPECT_EQ(back.program.interface.outputs[0].tiling.tile_of[0], 1);
  for (size_t size = 1; size < bytes.size(); ++size) {
    IsolatedRequest broken;
    ReadRequest(bytes.substr(0, size), &broken);
  }
  IsolatedAnswer answer;
  ASSERT_TRUE(
      ReadAnswer(WriteAnswer({absl::InternalError("why"), "x"}), &answer));
  EXPECT_EQ(answer.status, absl::InternalError("why"));
  EXPECT_EQ(answer.executable, "x");
  EXPECT_FALSE(ReadAnswer("", &answer)) << "half an answer is none";
}

}  // namespace
}  // namespace pjrt
}  // namespace indim

int main(int argc, char** argv) {
  if (const auto exit = indim::pjrt::ServeIsolated(argc, argv)) return *exit;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
