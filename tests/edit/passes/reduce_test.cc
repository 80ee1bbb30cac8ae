// Modules made small: what a test asks for is left, and little else.

#include "indim/edit/passes/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

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
