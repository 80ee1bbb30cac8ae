// SPDX-License-Identifier: Apache-2.0
// Modules made small: what a test asks for is left, and little else.

#include "indim/edit/passes/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "absl/strings/match.h"
#include "indim/eval/values/random_literal.h"
#include "indim/passes/check/verify_module.h"
#include "indim/tests/edit/edit_util.h"
#include "indim/tests/edit/random_module.h"

namespace indim {
namespace {

constexpr char kModule[] =
    R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }, frontend_attributes={k="v"}

sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

f {
  fx = f32[4] parameter(0)
  fe = f32[4] exponential(fx)
  ft = f32[4] tanh(fe)
  ROOT fl = f32[4] log(ft)
}

ENTRY main {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  w = f32[4] constant({1, 2, 3, 4})
  a = f32[4] add(p, w), metadata={op_name="a"}
  b = f32[4] call(a), to_apply=f
  c = f32[4] multiply(b, q)
  zero = f32[] constant(0)
  r = f32[] reduce(c, zero), dimensions={0}, to_apply=sum
  k = f32[4] cosine(c)
  ROOT t = (f32[4], f32[], f32[4]) tuple(c, r, k)
}
)";

int64_t CountOf(const Module& module, Opcode opcode) {
  int64_t count = 0;
  for (const Computation c : module.computations()) {
    for (const Instruction i : c.instructions()) count += i.opcode() == opcode;
  }
  return count;
}

ReduceResult Reduced(const Module& module,
                     const std::function<bool(const Module&)>& fails) {
  int64_t calls = 0;
  const ReduceResult result = ReduceModule(module, [&](const Module& smaller) {
    ++calls;
    // Whoever runs a command on it gets a valid module.
    const VerifyResult verified = VerifyModule(smaller);
    EXPECT_TRUE(verified.ok()) << RenderReport(smaller, verified.report);
    return fails(smaller);
  });
  EXPECT_EQ(result.tests, calls);
  EXPECT_TRUE(result.done);
  EXPECT_TRUE(fails(result.module));
  return result;
}

TEST(ReduceTest, KeepsOneInstruction) {
  const Module module = FromText(kModule);
  for (const Opcode opcode : {Opcode::kTanh, Opcode::kCos, Opcode::kMultiply}) {
    const ReduceResult result = Reduced(module, [&](const Module& smaller) {
      return CountOf(smaller, opcode) > 0;
    });
    EXPECT_LE(result.module.instruction_count(), 3) << ToText(result.module);
    EXPECT_EQ(result.module.computation_count(), 1);
    EXPECT_EQ(CountOf(result.module, opcode), 1);
    EXPECT_FALSE(absl::StrContains(ToText(result.module), "op_name"));
    EXPECT_FALSE(absl::StrContains(ToText(result.module), "alias"));
    EXPECT_FALSE(absl::StrContains(ToText(result.module), "frontend"));
  }
}

TEST(ReduceTest, KeepsWhatTheTestAsksFor) {
  const Module module = FromText(kModule);
  const ReduceResult result = Reduced(module, [](const Module& smaller) {
    return CountOf(smaller, Opcode::kReduce) > 0 &&
           absl::StrContains(
               PrintHloText(smaller, PrintOptions::LargeConstants()),
               "input_output_alias");
  });
  EXPECT_EQ(CountOf(result.module, Opcode::kCall), 0);
  EXPECT_LE(result.module.instruction_count(), 9) << ToText(result.module);
}

// Sizes that belong together shrink together, also through reshapes, slices
// and constants.
TEST(ReduceTest, ShrinksSizes) {
  const Module module = FromText(R"(
body {
  b = (s32[], f32[8,10]) parameter(0)
  i = s32[] get-tuple-element(b), index=0
  v = f32[8,10] get-tuple-element(b), index=1
  n = f32[8,10] negate(v)
  ROOT bt = (s32[], f32[8,10]) tuple(i, n)
}

cond {
  c = (s32[], f32[8,10]) parameter(0)
  j = s32[] get-tuple-element(c), index=0
  z = s32[] constant(3)
  ROOT l = pred[] compare(j, z), direction=LT
}

ENTRY e {
  p = f32[8,784] parameter(0)
  w = f32[784,10] parameter(1)
  k = s32[] parameter(2)
  d = f32[8,10] dot(p, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = (s32[], f32[8,10]) tuple(k, d)
  x = (s32[], f32[8,10]) while(t), condition=cond, body=body
  y = f32[8,10] get-tuple-element(x), index=1
  r = f32[80] reshape(y)
  s = f32[5] slice(r), slice={[20:60:8]}
  q = f32[5] constant({1, 2, 3, 4, 5})
  a = f32[5] add(s, q)
  g = f32[5,1] dynamic-slice(w, k, k), dynamic_slice_sizes={5,1}
  ROOT o = (f32[5], f32[5,1]) tuple(a, g)
}
)");
  const ReduceResult result = Reduced(module, [](const Module& smaller) {
    for (const Opcode opcode : {Opcode::kDot, Opcode::kWhile, Opcode::kReshape,
                                Opcode::kSlice, Opcode::kDynamicSlice}) {
      if (CountOf(smaller, opcode) == 0) return false;
    }
    return absl::StrContains(ToText(smaller), "constant({1");
  });
  for (const Computation c : result.module.computations()) {
    for (const Instruction i : c.instructions()) {
      for (const Dim dim : i.shape().dims()) {
        EXPECT_EQ(dim, Dim::Static(1)) << ToText(result.module);
      }
    }
  }
}

// A size that the test asks for stays.
TEST(ReduceTest, KeepsSizes) {
  const ReduceResult result =
      Reduced(FromText(kModule), [](const Module& smaller) {
        for (const Computation c : smaller.computations()) {
          for (const Instruction i : c.instructions()) {
            if (i.opcode() == Opcode::kTanh && i.shape().rank() > 0 &&
                i.shape().dim(0).size() >= 2) {
              return true;
            }
          }
        }
        return false;
      });
  EXPECT_EQ(result.module.entry().root().shape().ToString(), "f32[2]{0}");
}

// Reduced() verifies what is tried: without num_partitions the sharding is
// wrong.
TEST(ReduceTest, StripsNothingThatIsNeeded) {
  Reduced(FromText(R"(HloModule m, num_partitions=2

sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY e {
  p = f32[4] parameter(0), sharding={devices=[2]0,1}
  a = f32[4] all-reduce(p), replica_groups={{0,1}}, channel_id=1, use_global_device_ids=true, to_apply=sum, sharding={devices=[2]0,1}
  ROOT n = f32[4] negate(a), sharding={maximal device=1}
}
)"),
          [](const Module& smaller) {
            return absl::StrContains(ToText(smaller), "maximal device=1") ||
                   CountOf(smaller, Opcode::kAllReduce) > 0;
          });
}

TEST(ReduceTest, StopsAtTheLimit) {
  ReduceOptions options;
  options.max_tests = 2;
  const ReduceResult result = ReduceModule(
      FromText(kModule), [](const Module&) { return false; }, options);
  EXPECT_EQ(result.tests, 2);
  EXPECT_FALSE(result.done);
  EXPECT_EQ(result.module.instruction_count(), 17);
}

// Wherever the instruction is, in loops too, it is left alone with parameters.
TEST(ReduceTest, RandomModules) {
  int tried = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    RandomStream random(seed);
    const Module module = *RandomModule(&random);
    if (CountOf(module, Opcode::kMultiply) == 0) continue;
    ++tried;
    const ReduceResult result = Reduced(module, [](const Module& smaller) {
      return CountOf(smaller, Opcode::kMultiply) > 0;
    });
    EXPECT_LE(result.module.instruction_count(), 3) << ToText(result.module);
  }
  EXPECT_GT(tried, 2);
}

}  // namespace
}  // namespace indim
