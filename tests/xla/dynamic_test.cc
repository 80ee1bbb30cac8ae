// SPDX-License-Identifier: Apache-2.0
// Sizes that only the run knows: bounded dims run; unknown ones become what
// StableHLO has for them.

#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "indim/tests/xla/judge.h"

namespace indim {
namespace {

Op SetSize(ComputationBuilder& b, Op operand, Op size, int64_t dim) {
  return b.AddInstruction(Opcode::kSetDimensionSize, {operand, size},
                          DimensionsAttributes{{dim}});
}

Callee Sum(ComputationBuilder& parent) {
  ComputationBuilder b = parent.SubBuilder("sum");
  const Op x = b.Parameter(0, "f32[]");
  return b.BuildCallee(b.Add(x, b.Parameter(1, "f32[]")));
}

// Of 5 only `size` count: what comes after must not show in a sum.
TEST(BoundedTest, RunsInEveryForm) {
  JudgedModule m("bounded");
  ComputationBuilder& b = m.builder();
  const auto x = m.AddInput("f32[5]", "[1, 2, 3, 4, 5]");
  const auto size = m.AddInput("s32[]", "3");
  const auto matrix = m.AddInput("f32[2,5]", Domain::kSmall);
  const auto row = m.AddInput("f32[1,5]", Domain::kSmall);
  const Op zero = b.ConstantR0(ElementType::kF32, 0);
  const Op one = b.ConstantR0(ElementType::kF32, 1);
  const Op bounded = SetSize(b, x.op, size.op, 0);
  const absl::StatusOr<Shape> shape = b.shape(bounded);
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(shape->ToString(), "f32[<=5]");

  const Callee sum = Sum(b);
  m.Expect(b.ReduceAll(bounded, zero, sum), "np.array(6)");
  // A scalar, on either side.
  m.Expect(b.ReduceAll(b.Add(bounded, one), zero, sum), "np.array(9)");
  m.Expect(b.ReduceAll(b.Mul(one, bounded), zero, sum), "np.array(6)");
  // With itself, and with a static array of the bound.
  m.Expect(b.ReduceAll(b.Add(bounded, bounded), zero, sum), "np.array(12)");
  m.Expect(b.ReduceAll(b.Add(bounded, x.op), zero, sum), "np.array(12)");
  // Matched with dim 1 of bounded arrays; the second also stretches.
  const Op wide = SetSize(b, matrix.op, size.op, 1);
  m.Expect(b.ReduceAll(b.Add(bounded, wide, {1}), zero, sum),
           "(np.array([1, 2, 3]) + p2[:, :3]).sum()");
  const Op thin = SetSize(b, row.op, size.op, 1);
  m.Expect(b.ReduceAll(b.Add(thin, wide), zero, sum),
           "(p3[:, :3] + p2[:, :3]).sum()");
  m.Expect(b.ReduceAll(b.Select(b.Gt(bounded, one), bounded, zero), zero, sum),
           "np.array(5)");
  m.Expect(b.AddInstruction(Opcode::kGetDimensionSize, {wide},
                            DimensionsAttributes{{1}}),
           "np.array(3)");
  m.Run();
}

struct UnknownCase {
  const char* lhs;
  const char* rhs;
  BroadcastArg arg;
  bool dynamic;  // takes a dynamic broadcast
};

// The exported bytes become StableHLO with dynamic broadcasts (none where XLA's
// builder emits none: equal dims). XLA's CPU client compiles no unknown sizes.
TEST(UnknownTest, BecomesStableHlo) {
  const UnknownCase kCases[] = {
      {"f32[?,3]", "f32[?,3]", {}, false},
      {"f32[?,3]", "f32[]", {}, true},
      {"f32[?,3]", "f32[3]", {1}, true},
      {"f32[?,3]", "f32[1,3]", BroadcastRule::kNumpy, true},
      {"f32[?,?]", "f32[?]", BroadcastRule::kNumpy, true},
      {"f32[?]", "f32[2,?]", {1}, true},
  };
  for (const UnknownCase& test : kCases) {
    SCOPED_TRACE(std::string(test.lhs) + " + " + test.rhs);
    JudgedModule m("unknown");
    const auto x = m.AddInput(test.lhs);
    const auto y = m.AddInput(test.rhs);
    m.Expect(m.builder().Add(x.op, y.op, test.arg), "");
    const std::string bytes = m.Bytes();
    ASSERT_FALSE(bytes.empty());
    const absl::StatusOr<std::string> text = AskXla("mlir", {}, {bytes});
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_TRUE(absl::StrContains(*text, "stablehlo.add")) << *text;
    EXPECT_EQ(absl::StrContains(*text, "stablehlo.dynamic_broadcast_in_dim"),
              test.dynamic)
        << *text;
    const absl::StatusOr<std::string> compiled = AskXla("compile", {}, {bytes});
    EXPECT_EQ(compiled.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(absl::StrContains(compiled.status().message(),
                                  test.dynamic
                                      ? "can't be translated to XLA HLO"
                                      : "Unbounded dynamism is disabled"))
        << compiled.status();
  }
}

}  // namespace
}  // namespace indim
