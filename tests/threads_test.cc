// SPDX-License-Identifier: Apache-2.0
// Builders on different threads are independent, and a built module can be read
// from many threads at once. Meant for ThreadSanitizer:
//
//   ./bazelw test --config=tsan //tests:threads_test
//
// Each thread must also see what one thread alone sees.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/computation_builder.h"
#include "indim/io/read.h"
#include "indim/ir/report.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/export.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/hlo_module/module_file.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

constexpr int kThreads = 4;

// work(i) on kThreads threads at once.
void AtOnce(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

// A graph with calls, attributes, literals and broadcasts, and an error when
// `broken`.
absl::StatusOr<Module> Build(bool broken = false) {
  ComputationBuilder b("main");
  ComputationBuilder sum = b.SubBuilder("sum");
  sum.Add(sum.Parameter(0, "f32[]", "a"), sum.Parameter(1, "f32[]", "b"));
  const Op x = b.Parameter(0, "f32[8,16]", "x");
  Op y = b.Dot(x, b.Parameter(1, "f32[16,4]", "w"));
  y = b.Add(y, b.ConstantLiteral(Literal::Vector({1, 2, 3, 4})), {1});
  const Op zero = b.ConstantR0(ElementType::kF32, 0);
  for (int i = 0; i < 40; ++i) {
    y = b.Mul(y, b.ConstantR0(ElementType::kF32, i));
    y = b.Pad(y, zero, {{0, i, 0}, {0, 0, 0}});
    y = b.Slice(y, {0, 0}, {8, 4}, {1, 1});
  }
  if (broken) y = b.Add(y, b.Parameter(2, "f32[3]", "z"), {1});
  return b.Build(b.Reduce(y, zero, sum.BuildCallee(), {0}));
}

TEST(ThreadsTest, BuildersAreIndependent) {
  std::vector<std::string> bytes(kThreads), errors(kThreads);
  // First of all: what is made at first use is made here.
  AtOnce([&](int i) {
    const absl::StatusOr<Module> module = Build();
    if (module.ok()) bytes[i] = *SerializeModule(*module);
    errors[i] = Build(/*broken=*/true).status().ToString();
  });
  for (int i = 0; i < kThreads; ++i) {
    EXPECT_FALSE(bytes[i].empty());
    EXPECT_EQ(bytes[i], bytes[0]);
    EXPECT_EQ(errors[i], errors[0]);
    EXPECT_NE(errors[i], "OK");
  }
}

// All that can be asked of a module.
std::string Everything(const Module& module) {
  std::string all = PrintHloText(module, PrintOptions::LargeConstants());
  for (const Computation computation : module.computations()) {
    for (const Instruction instruction : computation.instructions()) {
      absl::StrAppend(&all, instruction.name(), instruction.shape().ToString(),
                      instruction.attributes().index(),
                      instruction.location().line);
      const absl::StatusOr<Literal> literal = instruction.literal();
      if (literal.ok()) absl::StrAppend(&all, literal->ToString());
    }
  }
  const VerifyResult verified = VerifyModule(module);
  absl::StrAppend(&all, RenderReport(module, verified.report));
  absl::StrAppend(&all, *SerializeModule(module), SerializedSize(module));
  return all;
}

TEST(ThreadsTest, AModuleIsReadFromManyThreads) {
  const std::string bytes = *SerializeModule(*Build());
  const std::string expected = Everything(*ReadHloModuleProto(bytes));
  for (int round = 0; round < 5; ++round) {
    // New each time, so that nothing is decoded yet.
    const Module module = *ReadHloModuleProto(bytes);
    std::vector<std::string> seen(kThreads);
    AtOnce([&](int i) { seen[i] = Everything(module); });
    for (const std::string& one : seen) EXPECT_EQ(one, expected);
  }
}

// A pass changes a module in place when it is the only owner: the others must
// have let go of it, in the eyes of every thread.
TEST(ThreadsTest, PassesOnCopiesOfOneModule) {
  const std::string bytes = *SerializeModule(*Build());
  const std::string expected =
      *ExportHloModuleProto(*ReadHloModuleProto(bytes));
  for (int round = 0; round < 20; ++round) {
    Module module = *ReadHloModuleProto(bytes);
    std::vector<Module> copies(kThreads, module);
    module = Module();
    std::vector<std::string> exported(kThreads);
    AtOnce([&](int i) {
      InferOptions options;
      options.drop = i % 2 == 0;
      InferResult inferred = InferShapes(std::move(copies[i]), options);
      const absl::StatusOr<std::string> written =
          ExportHloModuleProto(std::move(inferred.module));
      if (written.ok()) exported[i] = *written;
    });
    for (const std::string& one : exported) EXPECT_EQ(one, expected);
  }
}

TEST(ThreadsTest, ConstantsInAFileAreReadFromManyThreads) {
  const Module module = *ReadHloModuleProto(*SerializeModule(*Build()));
  const std::string path = testing::TempDir() + "/threads.pb";
  ProtoFileOptions outside;
  outside.external_min_bytes = 1;
  ASSERT_TRUE(WriteProtoFile(module, {}, path, outside).ok());
  const absl::StatusOr<WrappedModule> read = ReadWrappedModuleFile(path);
  ASSERT_TRUE(read.ok()) << read.status();
  const std::string expected = Everything(module);
  std::vector<std::string> seen(kThreads);
  AtOnce([&](int i) { seen[i] = Everything(read->module); });
  for (const std::string& one : seen) EXPECT_EQ(one, expected);
}

TEST(ThreadsTest, TextsAreReadAndPrinted) {
  const std::string text =
      PrintHloText(*Build(), PrintOptions::LargeConstants());
  std::vector<std::string> printed(kThreads);
  AtOnce([&](int i) {
    const absl::StatusOr<Module> module = ParseHloText(text, ParseOptions());
    if (module.ok()) {
      printed[i] = PrintHloText(*module, PrintOptions::LargeConstants());
    }
  });
  for (const std::string& one : printed) EXPECT_EQ(one, printed[0]);
  EXPECT_FALSE(printed[0].empty());
}

}  // namespace
}  // namespace indim
