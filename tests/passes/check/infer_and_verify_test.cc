// SPDX-License-Identifier: Apache-2.0
// One sweep against two: on real modules, whole and broken, InferAndVerify says
// what InferShapes and VerifyModule say one after the other.
#include "indim/passes/check/infer_and_verify.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/ir/report.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/check/verify_module.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/tests/data_files.h"
#include "indim/tests/ir/module_maker.h"
#include "indim/tests/passes/breakages.h"
#include "indim/tests/proto/wire/wire_oracle.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

std::vector<InferOptions> AllOptions() {
  std::vector<InferOptions> all(3);
  all[1].drop = true;
  all[2].only_missing = true;
  return all;
}

void ExpectTheSame(const Module& module, const InferOptions& infer,
                   const VerifyOptions& verify = {}) {
  const InferResult inferred = InferShapes(module, infer);
  const VerifyResult verified = VerifyModule(inferred.module, verify);
  const InferAndVerifyResult both = InferAndVerify(module, infer, verify);
  EXPECT_EQ(SerializeModule(both.inferred.module),
            SerializeModule(inferred.module));
  EXPECT_EQ(RenderReport(both.inferred.module, both.inferred.report),
            RenderReport(inferred.module, inferred.report));
  EXPECT_EQ(RenderReport(both.inferred.module, both.verified.report),
            RenderReport(inferred.module, verified.report));
  EXPECT_EQ(both.verified.inferred, verified.inferred);
  EXPECT_EQ(both.verified.related, verified.related);
  EXPECT_EQ(both.verified.unchecked, verified.unchecked);
  EXPECT_EQ(both.verified.broadcastable, verified.broadcastable);
  EXPECT_EQ(both.verified.unchecked_ops, verified.unchecked_ops);
}

// Of the breakages of small modules some are enough to see each kind.
TEST(InferAndVerifyTest, SaysWhatTwoSweepsSay) {
  const int interval = 7 * SampleStep(3);
  constexpr size_t kSmall = 20000;
  int64_t count = 0;
  for (const std::string& file : JaxModules()) {
    SCOPED_TRACE(file);
    const absl::StatusOr<std::string> bytes = ReadFile(file);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const absl::StatusOr<Module> whole = ReadHloModuleProto(*bytes);
    ASSERT_TRUE(whole.ok()) << whole.status();
    for (const InferOptions& options : AllOptions()) {
      ExpectTheSame(*whole, options);
    }
    if (bytes->size() > kSmall) continue;
    proto::HloModuleProto proto;
    ASSERT_TRUE(proto.ParseFromString(*bytes));
    ForEachBreakage(proto, [&](const Breakage& breakage,
                               const proto::HloModuleProto& broken) {
      if (++count % interval != 0) return;
      SCOPED_TRACE(absl::StrCat(breakage.instruction, " ", breakage.field, " ",
                                breakage.change));
      const absl::StatusOr<Module> module =
          ReadHloModuleProto(DeterministicBytes(broken));
      if (!module.ok()) return;
      const size_t turn = static_cast<size_t>(count / interval) % 3;
      ExpectTheSame(*module, AllOptions()[turn]);
    });
  }
  EXPECT_GT(count, 1000);
}

// Results that aren't there, or say more or less than inference does, in the
// three modes.
TEST(InferAndVerifyTest, ShapesThatDiffer) {
  for (const char* result : {"", "f32[2]", "f32[3]", "f32[?]", "f32[*]",
                             "f32[<=2]", "f32[1..9]", "s32[2]", "(f32[2])"}) {
    ModuleMaker maker;
    maker.data().name = "m";
    maker.Computation("main");
    maker.Parameter(0, "f32[2]", "x");
    maker.Parameter(1, "f32[?]", "y");
    maker.Add(Opcode::kAdd, result, {0, 0}, "static");
    maker.Add(Opcode::kAdd, result, {0, 1}, "dynamic");
    maker.Add(Opcode::kNegate, result, {2}, "negated");
    maker.Add(Opcode::kNegate, result, {2}, "again");
    for (const bool recorded : {false, true}) {
      maker.data().recorded = recorded;
      for (const BroadcastableMode mode :
           {BroadcastableMode::kLenient, BroadcastableMode::kStrict,
            BroadcastableMode::kMlir}) {
        VerifyOptions verify;
        verify.mode = mode;
        for (const InferOptions& infer : AllOptions()) {
          SCOPED_TRACE(result);
          ExpectTheSame(maker.Make(), infer, verify);
        }
      }
    }
  }
}

// What changes a signature is seen by callers, and forgotten in the same way.
TEST(InferAndVerifyTest, SignaturesThatChange) {
  ModuleMaker maker;
  maker.data().name = "m";
  maker.Computation("twice");
  maker.Parameter(0, "f32[2]", "p");
  maker.Add(Opcode::kAdd, "f32[7]", {0, 0}, "sum");
  maker.Computation("main");
  maker.Parameter(0, "f32[2]", "x");
  maker.Add(Opcode::kCall, "f32[7]", {0}, "call", {}, {0});
  for (const InferOptions& options : AllOptions()) {
    ExpectTheSame(maker.Make(), options);
  }
}

}  // namespace
}  // namespace indim
