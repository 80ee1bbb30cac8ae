// SPDX-License-Identifier: Apache-2.0
// Passes in the pipelines of the plugins of PyPI that take some.

#include "indim/run/pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/edit/editor.h"
#include "indim/examples/passes/native_passes.h"
#include "indim/io/read.h"
#include "indim/ir/storage/file.h"
#include "indim/run/client.h"
#include "indim/run/custom_call.h"
#include "indim/run/pass_library.h"
#include "indim/run/plugin.h"
#include "indim/tests/page.h"
#include "indim/tests/run/compared_runs.h"
#include "indim/tests/sample.h"

namespace indim::pjrt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// sum(x) * factor.
Module SumTimes(double factor) {
  return ReadModuleText(absl::StrCat(R"(HloModule sums

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

ENTRY e {
  x = f32[8] parameter(0)
  zero = f32[] constant(0)
  sum = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  factor = f32[] constant()",
                                     factor, R"()
  ROOT product = f32[] multiply(sum, factor)
}
)"))
      .value();
}

float RunOf(const Client& client, const Module& module) {
  const absl::StatusOr<Executable> executable = client.Compile(module);
  EXPECT_TRUE(executable.ok()) << executable.status();
  if (!executable.ok()) return -1;
  const absl::StatusOr<Literal> result =
      executable->Run({Literal::Array(std::vector<float>(8, 1), {8}).value()});
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? static_cast<float>(result->AsDouble(0)) : -1;
}

// Negates the entry's result.
absl::Status Negated(Editor& editor) {
  const InstructionRef root = editor.root(editor.entry());
  Insertion at = editor.After(root);
  editor.SetRoot(editor.entry(), at.Insert(at->Neg(at.Use(root))));
  return absl::OkStatus();
}

class PassTest : public ::testing::Test {
 protected:
  // The first plugin that takes passes.
  static std::optional<Plugin> ThePlugin() {
    for (const std::string& path : PluginPaths()) {
      const absl::StatusOr<Plugin> plugin = Plugin::Load(path);
      if (plugin.ok() &&
          absl::c_linear_search(plugin->extensions(), "xla_transform")) {
        return *plugin;
      }
    }
    return std::nullopt;
  }

  void SetUp() override {
    ASSERT_TRUE(plugin_.has_value()) << "no plugin takes passes";
    client_ = Client::Create(*plugin_).value();
  }
  RegisteredPass Register(PassStage stage, PassFunction function) {
    return RegisterPass(*plugin_, "test", stage, std::move(function)).value();
  }

  const std::optional<Plugin> plugin_ = ThePlugin();
  std::optional<Client> client_;
};

TEST_F(PassTest, ChangesWhatIsCompiledUntilItIsRemoved) {
  for (const PassStage stage :
       {PassStage::kPreScheduler, PassStage::kPostScheduler}) {
    RegisteredPass pass = Register(stage, EditingPass(Negated));
    EXPECT_EQ(RunOf(*client_, SumTimes(3)), -24);
    EXPECT_EQ(pass.counts().calls, 1);
    EXPECT_EQ(pass.counts().changed, 1);
    EXPECT_TRUE(pass.Remove().ok());
    EXPECT_EQ(RunOf(*client_, SumTimes(4)), 32);
    EXPECT_EQ(pass.counts().calls, 1);
  }
}

TEST_F(PassTest, WhatIsNotChangedStays) {
  RegisteredPass none =
      Register(PassStage::kPreScheduler,
               [](const Module&) -> absl::StatusOr<std::optional<Module>> {
                 return std::nullopt;
               });
  RegisteredPass same = Register(
      PassStage::kPostScheduler,
      [](const Module& module) -> absl::StatusOr<std::optional<Module>> {
        return Editor(module).Finish().module;
      });
  EXPECT_EQ(RunOf(*client_, SumTimes(3)), 24);
  EXPECT_EQ(none.counts().calls, 1);
  EXPECT_EQ(none.counts().changed, 0);
  EXPECT_EQ(same.counts().calls, 1);
  EXPECT_EQ(same.counts().changed, 0);
  EXPECT_TRUE(none.Remove().ok());
  EXPECT_TRUE(same.Remove().ok());
}

TEST_F(PassTest, ErrorsComeBackFromCompile) {
  RegisteredPass pass = Register(
      PassStage::kPreScheduler,
      [](const Module&) -> absl::StatusOr<std::optional<Module>> {
        return absl::InvalidArgumentError("this all-gather is too large");
      });
  const absl::Status status = client_->Compile(SumTimes(3)).status();
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the pass test: this all-gather is too large"));
  EXPECT_EQ(pass.counts().failed, 1);
  EXPECT_TRUE(pass.Remove().ok());
}

TEST_F(PassTest, WrongModulesAreRefusedBeforeXlaSeesThem) {
  RegisteredPass pass =
      Register(PassStage::kPreScheduler,
               [](const Module&) -> absl::StatusOr<std::optional<Module>> {
                 return ReadModuleText(R"(HloModule wrong
ENTRY e {
  x = f32[8] parameter(0)
  ROOT n = f32[5] negate(x)
}
)")
                     .value();
               });
  const absl::Status status = client_->Compile(SumTimes(3)).status();
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("test's module isn't right: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("f32[5]"));
  EXPECT_TRUE(pass.Remove().ok());
  EXPECT_EQ(RunOf(*client_, SumTimes(4)), 32);
}

TEST_F(PassTest, TheBorderAndTheScheduleStay) {
  const Module other = ReadModuleText(R"(HloModule other
ENTRY e {
  ROOT x = f32[8] parameter(0)
}
)")
                           .value();
  RegisteredPass pass =
      Register(PassStage::kPreScheduler,
               [&](const Module&) -> absl::StatusOr<std::optional<Module>> {
                 return other;
               });
  EXPECT_THAT(std::string(client_->Compile(SumTimes(3)).status().message()),
              HasSubstr("the entry was (f32[8]{0}) -> f32[] and is (f32[8]{0}) "
                        "-> f32[8]{0}"));
  EXPECT_TRUE(pass.Remove().ok());
}

TEST_F(PassTest, WrongRegistrations) {
  RegisteredPass pass =
      Register(PassStage::kPreScheduler, EditingPass(Negated));
  EXPECT_EQ(RegisterPass(*plugin_, "test", PassStage::kPreScheduler,
                         EditingPass(Negated))
                .status()
                .code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(pass.Remove().ok());
  EXPECT_EQ(RegisterPass(*plugin_, "none", PassStage::kPreScheduler, nullptr)
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(PassTest, ManyThreadsCompile) {
  constexpr int kThreads = 8;
  const int compilations = 1000 / SampleStep(25);
  RegisteredPass pass =
      Register(PassStage::kPreScheduler, EditingPass(Negated));
  RegisteredPass other =
      Register(PassStage::kPostScheduler, EditingPass(Negated));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; i < compilations; i += kThreads) {
        const int factor = 1 + i;
        if (RunOf(*client_, SumTimes(factor)) !=
            8.0f * static_cast<float>(factor))
          ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  for (RegisteredPass* one : {&pass, &other}) {
    EXPECT_EQ(one->counts().changed, compilations);
    EXPECT_EQ(one->counts().failed, 0);
    EXPECT_TRUE(one->Remove().ok());
  }
}

TEST_F(PassTest, SlotsAreGivenBack) {
  for (int i = 0; i < 200; ++i) {
    absl::StatusOr<RegisteredPass> pass =
        RegisterPass(*plugin_, absl::StrCat("p", i), PassStage::kPreScheduler,
                     EditingPass(Negated));
    ASSERT_TRUE(pass.ok()) << i << ": " << pass.status();
    ASSERT_TRUE(pass->Remove().ok());
  }
}

// --- The passes of examples/passes -------------------------------------------

constexpr char kLess[] = R"(HloModule m

less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT l = pred[] compare(a, b), direction=LT
}

ENTRY e {
  x = f32[8] parameter(0)
)";

// The first element of f(x) for x = f32[8] of `value`s.
absl::StatusOr<double> FirstOf(const Client& client, const std::string& body,
                               float value) {
  const Module module =
      ReadModuleText(absl::StrCat(kLess, body, "}\n")).value();
  absl::StatusOr<Executable> executable = client.Compile(module);
  if (!executable.ok()) return executable.status();
  const absl::StatusOr<Literal> result = executable->Run(
      {Literal::Array(std::vector<float>(8, value), {8}).value()});
  if (!result.ok()) return result.status();
  return result->AsDouble(0);
}

constexpr char kTanh[] = "  ROOT y = f32[8] tanh(x)\n";

TEST_F(PassTest, ExampleHardTanh) {
  EXPECT_NEAR(FirstOf(*client_, kTanh, 0.5f).value(), std::tanh(0.5), 1e-6);
  RegisteredPass pass =
      Register(PassStage::kPreScheduler, EditingPass(HardTanh));
  EXPECT_EQ(FirstOf(*client_, kTanh, 0.5f).value(), 0.5);
  EXPECT_EQ(FirstOf(*client_, kTanh, 3).value(), 1);
  EXPECT_TRUE(pass.Remove().ok());
}

TEST_F(PassTest, ExampleCallSoftsign) {
  ASSERT_TRUE(RegisterCustomCall<Softsign>(*plugin_, "softsign").ok());
  RegisteredPass pass =
      Register(PassStage::kPreScheduler, EditingPass(CallSoftsign));
  EXPECT_EQ(FirstOf(*client_, kTanh, 3).value(), 0.75);
  EXPECT_TRUE(pass.Remove().ok());
}

TEST_F(PassTest, ExampleWatchForNan) {
  ASSERT_TRUE(RegisterCustomCall<Watch>(*plugin_, "watch").ok());
  RegisteredPass pass =
      Register(PassStage::kPreScheduler, EditingPass(WatchForNan));
  constexpr char kSorted[] = R"(  l = f32[8] log(x)
  s = f32[8] sort(l), dimensions={0}, to_apply=less
  ROOT y = f32[8] negate(s)
)";
  EXPECT_EQ(FirstOf(*client_, kSorted, 1).value(), 0);
  const absl::Status status = FirstOf(*client_, kSorted, -1).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("the first NaN: "));
  EXPECT_TRUE(pass.Remove().ok());
}

// --- Passes of shared libraries ----------------------------------------------

constexpr char kHardTanhLibrary[] = "examples/passes/libhard_tanh.so";
constexpr char kSineLibrary[] = "tests/run/libsine_pass.so";

TEST_F(PassTest, LibraryInCpp) {
  RegisteredPass pass = RegisterPassLibrary(*plugin_, kHardTanhLibrary).value();
  EXPECT_EQ(FirstOf(*client_, kTanh, 3).value(), 1);
  // Another module, without what it looks for.
  EXPECT_EQ(RunOf(*client_, SumTimes(3)), 24);
  EXPECT_EQ(pass.counts().calls, 2);
  EXPECT_EQ(pass.counts().changed, 1);
  EXPECT_TRUE(pass.Remove().ok());
}

TEST_F(PassTest, LibraryInC) {
  RegisteredPass pass = RegisterPassLibrary(*plugin_, kSineLibrary).value();
  EXPECT_NEAR(FirstOf(*client_, kTanh, 3).value(), std::sin(3.0), 1e-6);
  EXPECT_THAT(std::string(client_->Compile(SumTimes(3)).status().message()),
              HasSubstr("no tanh"));
  EXPECT_EQ(pass.counts().failed, 1);
  EXPECT_TRUE(pass.Remove().ok());
}

TEST_F(PassTest, WrongLibraries) {
  for (const char* path : {"no/such/library.so", "tools/indim"}) {
    const absl::Status status = RegisterPassLibrary(*plugin_, path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  }
  // A plugin is a library, and has no pass.
  EXPECT_THAT(
      std::string(
          RegisterPassLibrary(*plugin_, plugin_->path()).status().message()),
      HasSubstr("indim_pass_1"));
}

TEST_F(PassTest, TheCommandTakesLibraries) {
  const std::string file = ::testing::TempDir() + "/tanh.hlo";
  ASSERT_TRUE(WriteFile(file, absl::StrCat(kLess, kTanh, "}\n")).ok());
  const auto output = [&](const std::string& flags) {
    return OutputOf(
        absl::StrCat("tools/indim run ", file, " --plugin=", plugin_->path(),
                     " --random-inputs=3 ", flags, " 2>&1; echo $?"));
  };
  const std::string plain = output("--compare");
  EXPECT_THAT(plain, HasSubstr("\n0\n"));
  const std::string changed =
      output(absl::StrCat("--compare --pass=", kHardTanhLibrary));
  EXPECT_THAT(changed, HasSubstr("calls 1, changed 1, failed 0, in "));
  EXPECT_THAT(changed, HasSubstr("\n1\n")) << "the values differ";
  EXPECT_THAT(output(absl::StrCat("--pass=", file)),
              AllOf(HasSubstr("IND1111"), HasSubstr("\n2\n")));
}

}  // namespace
}  // namespace indim::pjrt
