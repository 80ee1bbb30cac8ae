// SPDX-License-Identifier: Apache-2.0
// Modules that HLO's verifier takes, and StableHLO's doesn't.

#include "indim/stablehlo/read_back.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/io/read.h"
#include "indim/passes/check/infer_and_verify.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"

namespace indim {
namespace {

Module ReadHlo(absl::string_view text) {
  const absl::StatusOr<Module> module = ReadModuleText(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *module : Module();
}

TEST(ReadBackTest, WhatStablehloRefusesIsAnErrorOfTheInstruction) {
  struct Case {
    absl::string_view name;  // of the instruction
    absl::string_view text;
    absl::string_view said;
  };
  const Case kCases[] = {
      {"gather",
       "ENTRY e {\n x = s32[2,3] parameter(0)\n i = s32[2,5] parameter(1)\n "
       "ROOT g = s32[2,5] gather(x, i), offset_dims={}, "
       "collapsed_slice_dims={1}, start_index_map={0}, "
       "operand_batching_dims={0}, start_indices_batching_dims={0}, "
       "index_vector_dim=2, slice_sizes={1,1}\n}\n",
       "has duplicated dimension from start_index_map"},
      {"while",
       "c {\n p = (f32[2]) parameter(0)\n ROOT r = pred[] "
       "constant(true)\n}\nb {\n p = (f32[2]) parameter(0)\n a = f32[2] "
       "get-tuple-element(p), index=0\n ROOT r = (f32[2], f32[2]) tuple(a, "
       "a)\n}\nENTRY e {\n x = (f32[2]) parameter(0)\n ROOT w = (f32[2], "
       "f32[2]) while(x), condition=c, body=b\n}\n",
       "are incompatible with return types"},
      {"all-reduce",
       "add {\n a = bf16[] parameter(0)\n b = bf16[] parameter(1)\n ROOT c = "
       "bf16[] add(a, b)\n}\nENTRY e {\n x = f32[2] parameter(0)\n ROOT r = "
       "f32[2] all-reduce(x), replica_groups={}, to_apply=add\n}\n",
       "promotable"},
      {"after-all",
       "ENTRY e {\n x = f32[] parameter(0)\n ROOT t = token[] "
       "after-all(x)\n}\n",
       "must be a token"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Module module = ReadHlo(absl::StrCat("HloModule m\n\n", c.text));
    EXPECT_TRUE(InferAndVerify(module).ok());
    const absl::StatusOr<std::string> written = WriteStablehlo(module);
    ASSERT_FALSE(written.ok()) << *written;
    const absl::string_view said = written.status().message();
    EXPECT_TRUE(absl::StrContains(
        said, absl::StrCat(c.name,
                           " can't be written as StableHLO: it breaks "
                           "a rule there: ")))
        << said;
    EXPECT_TRUE(absl::StrContains(said, c.said)) << said;
    EXPECT_TRUE(absl::StrContains(said, "[IND1280]")) << said;
    StablehloWriteOptions unchecked;
    unchecked.verify = false;
    EXPECT_TRUE(WriteStablehlo(module, unchecked).ok());
  }
}

// XLA adds the aliases of Pin and Unpin when it reads them.
TEST(ReadBackTest, AliasesOfBuffersAreNotWritten) {
  const Module module = ReadHlo(
      "HloModule m\n\nENTRY e {\n x = f32[4] parameter(0)\n p = b(f32[4]) "
      "custom-call(x), custom_call_target=\"Pin\", "
      "output_to_operand_aliasing={{}: (0, {})}\n ROOT u = f32[4] "
      "custom-call(p), custom_call_target=\"Unpin\", "
      "output_to_operand_aliasing={{}: (0, {})}\n}\n");
  const absl::StatusOr<std::string> written = WriteStablehlo(module);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_FALSE(absl::StrContains(*written, "output_operand_aliases"))
      << *written;
  const absl::StatusOr<Module> read = ReadStablehlo(*written);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(InferAndVerify(*read).ok());
}

TEST(ReadBackTest, AConstantSizeMayBeBelowItsBound) {
  const Module module = ReadHlo(
      "HloModule m\n\nENTRY e {\n x = s32[6] parameter(0)\n n = s32[] "
      "constant(2)\n k = s32[] constant(1)\n y = s32[<=6] "
      "set-dimension-size(x, n), dimensions={0}\n ROOT r = s32[1,<=6] "
      "dynamic-reshape(y, k, n)\n}\n");
  const absl::StatusOr<std::string> written = WriteStablehlo(module);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_TRUE(absl::StrContains(*written, "stablehlo.dynamic_reshape"))
      << *written;
}

}  // namespace
}  // namespace indim
