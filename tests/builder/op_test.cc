// SPDX-License-Identifier: Apache-2.0
// Misuse: Ops where they don't belong, builders used when they are done.

#include "indim/builder/op.h"

#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

static_assert(std::is_trivially_copyable_v<Op>, "passed in registers");
static_assert(sizeof(Op) <= 16, "two words");

TEST(OpTest, ADefaultOneIsSeen) {
  TestBuilder b("b");
  const Op x = b.P("f32[2]");
  EXPECT_FALSE(b.shape(Op()).ok());
  EXPECT_FALSE(b.shape(b.Add(x, Op())).ok());
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("add: operand 1 is a default Op"));
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0600]"));
  EXPECT_FALSE(b.Build(x).ok());
}

TEST(OpTest, AnotherBuildersIsSeen) {
  TestBuilder a("a"), b("b");
  const Op x = a.P("f32[2]"), y = b.P("f32[2]");
  EXPECT_FALSE(b.shape(x).ok());
  EXPECT_FALSE(b.shape(b.Add(x, y)).ok());
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("f32[2] parameter(0)"));
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0602]"));
  EXPECT_TRUE(a.status().ok());
  EXPECT_FALSE(b.Build(y).ok());
  EXPECT_TRUE(a.Build(x).ok());
}

TEST(OpTest, AGoneBuildersIsSeenAndNeverFollowed) {
  Op stale;
  {
    TestBuilder gone("gone");
    stale = gone.P("f32[2]");
  }
  // These take over the gone one's control block, whatever the order.
  std::vector<std::unique_ptr<TestBuilder>> builders;
  for (int i = 0; i < 8; ++i) {
    builders.push_back(std::make_unique<TestBuilder>("b"));
    TestBuilder& b = *builders.back();
    const Op x = b.P("f32[2]");
    EXPECT_FALSE(b.shape(b.Mul(stale, x)).ok());
    EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0601]"));
    EXPECT_FALSE(b.shape(stale).ok());
  }
  EXPECT_FALSE(builders[0]->shape(stale + stale).ok());
}

TEST(OpTest, OperatorsFindTheBuilder) {
  const struct {
    Op (*call)(Op, Op);
    Opcode opcode;
    const char* type;
  } rows[] = {
      {[](Op x, Op y) { return x + y; }, Opcode::kAdd, "f32[2]"},
      {[](Op x, Op y) { return x - y; }, Opcode::kSubtract, "f32[2]"},
      {[](Op x, Op y) { return x * y; }, Opcode::kMultiply, "f32[2]"},
      {[](Op x, Op y) { return x / y; }, Opcode::kDivide, "f32[2]"},
      {[](Op x, Op y) { return x % y; }, Opcode::kRemainder, "f32[2]"},
      {[](Op x, Op y) { return x & y; }, Opcode::kAnd, "pred[2]"},
      {[](Op x, Op y) { return x | y; }, Opcode::kOr, "s32[2]"},
      {[](Op x, Op y) { return x ^ y; }, Opcode::kXor, "u32[2]"},
      {[](Op x, Op y) { return x << y; }, Opcode::kShiftLeft, "u32[2]"},
      {[](Op x, Op y) { return x >> y; }, Opcode::kShiftRightLogical, "u32[2]"},
      {[](Op x, Op y) { return x >> y; }, Opcode::kShiftRightArithmetic,
       "s32[2]"},
      {[](Op x, Op) { return -x; }, Opcode::kNegate, "f32[2]"},
      {[](Op x, Op) { return ~x; }, Opcode::kNot, "pred[2]"},
  };
  for (const auto& row : rows) {
    TestBuilder b("b");
    const Op x = b.P(row.type), y = b.P(row.type);
    absl::StatusOr<Module> module = b.Build(row.call(x, y));
    ASSERT_TRUE(module.ok()) << module.status();
    const Instruction root = module->entry().root();
    EXPECT_EQ(root.opcode(), row.opcode);
    EXPECT_EQ(root.operand(0).index(), 0);
  }
}

TEST(OpTest, OperatorsReportToWhoeverIsThere) {
  TestBuilder a("a"), b("b");
  const Op x = a.P("f32[2]"), y = b.P("f32[2]");
  x + y;
  EXPECT_THAT(a.DiagnosticsText(), HasSubstr("[IND0602]"));
  EXPECT_THAT(b.DiagnosticsText(), IsEmpty());
  Op() + y;
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0600]"));
  // Nobody to report to.
  TestBuilder c("c");
  EXPECT_FALSE(c.shape(Op() + Op()).ok());
  EXPECT_FALSE(c.shape(-Op()).ok());
  EXPECT_FALSE(c.shape(Op() >> Op()).ok());
}

// What nobody could report is reported where the result is used, as what it is.
TEST(OpTest, OperatorsKeepWhatIsGone) {
  Op stale;
  {
    TestBuilder gone("gone");
    stale = gone.P("f32[2]");
  }
  TestBuilder b("b");
  Op sum = stale + 1;
  sum += 1;
  b.Neg(1 - -sum);
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0601]"));
  TestBuilder c("c");
  c.Neg(Op() + 1);
  EXPECT_THAT(c.DiagnosticsText(), HasSubstr("[IND0600]"));
}

TEST(BuilderTest, AMovedToBuilderKeepsItsOps) {
  TestBuilder from("moved");
  const Op x = from.P("f32[2]");
  ComputationBuilder to = std::move(from);
  const Op y = x + x;
  EXPECT_EQ(to.shape(to.Mul(y, x))->ToString(), "f32[2]");
  EXPECT_EQ(to.name(), "moved");
  EXPECT_TRUE(to.Build(y).ok());
}

TEST(BuilderTest, AMovedFromBuilderDoesNothing) {
  ComputationBuilder from("moved");
  const Op x = from.Parameter(0, "f32[2]");
  ComputationBuilder to = std::move(from);
  // NOLINTBEGIN(bugprone-use-after-move): that is the test.
  const Op y = from.Add(x, x);
  EXPECT_FALSE(to.shape(y).ok());
  from.Parameter(1, "f32[2]");
  from.Parameter(1, "f32[");
  from.Splat(0, "f32[2]");
  from.Iota("f32[2]", 0);
  from.ConstantR1({1.0f});
  from.BroadcastInDim(x, {2}, {0});
  from.ConvertElementType(x, ElementType::kS32);
  from.Dot(x, x);
  from.ReduceAll(x, x, AddScalars());
  from.CustomCall("target", {}, "f32[]");
  from.Eq(x, x);
  from.Neg(x);
  from.SetName(x, "x");
  from.SetFrontendAttribute(x, "a", "b");
  from.set_op_name("name");
  from.set_sharding("");
  from.set_record_locations(false);
  EXPECT_FALSE(from.status().ok());
  EXPECT_FALSE(from.shape(x).ok());
  EXPECT_FALSE(from.Build(x).ok());
  EXPECT_FALSE(from.Build().ok());
  EXPECT_FALSE(from.BuildCallee().status().ok());
  EXPECT_THAT(from.DiagnosticsText(), IsEmpty());
  EXPECT_THAT(from.name(), IsEmpty());
  EXPECT_TRUE(from.SubBuilder("sub").status().ok());
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_TRUE(to.status().ok()) << to.status();
  // And is as good as new when another one moves in.
  from = ComputationBuilder("new");
  EXPECT_TRUE(from.Build(from.Parameter(0, "f32[]")).ok());
}

TEST(BuilderTest, BuildsOnce) {
  TestBuilder b("twice");
  const Op x = b.P("f32[2]");
  EXPECT_TRUE(b.Build(x).ok());
  EXPECT_TRUE(b.status().ok());
  absl::StatusOr<Module> again = b.Build(x);
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(std::string(again.status().message()), HasSubstr("[IND0603]"));
  EXPECT_FALSE(b.BuildCallee(x).status().ok());
}

TEST(BuilderTest, TakesNothingAfterBuild) {
  TestBuilder b("done");
  const Op x = b.P("f32[2]");
  ASSERT_TRUE(b.Build(x).ok());
  EXPECT_FALSE(b.shape(x).ok());
  const Op calls[] = {b.Add(x, x),
                      x + x,
                      b.Parameter(1, "f32[]"),
                      b.ConstantR0(ElementType::kF32, 0),
                      b.ConstantR1({1.0f}),
                      b.Splat(0, "f32[2]"),
                      b.Iota("s32[2]", 0),
                      b.Eq(x, x),
                      b.Neg(x),
                      b.Dot(x, x),
                      b.Reshape(x, {1, 2}),
                      b.SliceInDim(x, 0, 1, 1, 0),
                      b.Tuple({}),
                      b.Call(AddScalars(), {x, x}),
                      b.ReduceAll(x, x, AddScalars())};
  for (Op op : calls) EXPECT_FALSE(b.shape(op).ok());
  b.SetName(x, "x");
  b.SetFrontendAttribute(x, "a", "b");
  b.set_op_name("name");
  b.set_sharding(std::nullopt);
  EXPECT_FALSE(b.status().ok());
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("op_test.cc:"));
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0603]"));
  // A sub-builder of a builder that is done is a builder like any other.
  ComputationBuilder sub = b.SubBuilder("sub");
  EXPECT_TRUE(sub.Build(sub.Parameter(0, "f32[]")).ok());
}

// An error of Build() itself is mended by building again; an error of a call
// stays.
TEST(BuilderTest, GoesOnAfterAFailedBuild) {
  TestBuilder b("failed");
  const Op y = b.Parameter(1, "f32[2]");
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(b.Build(Op()).ok());
    EXPECT_EQ(b.diagnostics().size(), 1) << b.DiagnosticsText();
    EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0600]"));
    EXPECT_EQ(b.shape(y)->ToString(), "f32[2]");
  }
  EXPECT_THAT(std::string(b.Build(y).status().message()),
              HasSubstr("[IND0607]"));
  EXPECT_FALSE(b.BuildCallee(y).status().ok());
  const Op x = b.Parameter(0, "f32[2]");
  absl::StatusOr<Module> module = b.Build(b.Add(x, y));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().instruction_count(), 3);
  EXPECT_THAT(b.DiagnosticsText(), IsEmpty());
  EXPECT_FALSE(b.Build(y).ok());
}

TEST(BuilderTest, AWrongCallStaysWrong) {
  TestBuilder b("wrong");
  const Op x = b.P("f32[2]");
  b.Add(x, b.P("f32[3]"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(b.Build(x).ok());
    EXPECT_FALSE(b.Build(Op()).ok());
  }
  EXPECT_EQ(b.diagnostics().size(), 2) << b.DiagnosticsText();
  EXPECT_FALSE(b.Build(x).ok());
  EXPECT_EQ(b.diagnostics().size(), 1) << b.DiagnosticsText();
}

TEST(BuilderTest, AnEmptyOneCantBeBuilt) {
  ComputationBuilder b("empty");
  absl::StatusOr<Module> module = b.Build();
  ASSERT_FALSE(module.ok());
  EXPECT_THAT(std::string(module.status().message()), HasSubstr("[IND0608]"));
}

TEST(BuilderTest, TheRootMustBeItsOwn) {
  TestBuilder other("other");
  const Op foreign = other.P("f32[2]");
  for (Op root : {foreign, Op()}) {
    TestBuilder b("b");
    b.P("f32[2]");
    EXPECT_FALSE(b.Build(root).ok());
    EXPECT_THAT(b.DiagnosticsText(), HasSubstr("Build: operand 0 is"));
  }
}

TEST(BuilderTest, ParametersAreNumberedFromZero) {
  const struct {
    std::vector<int64_t> numbers;
    bool ok;
  } rows[] = {{{0}, true},
              {{1, 0, 2}, true},
              {{1}, false},
              {{0, 2}, false},
              {{0, int64_t{1} << 62}, false}};
  for (const auto& row : rows) {
    ComputationBuilder b("b");
    for (int64_t number : row.numbers) b.Parameter(number, "f32[]");
    absl::StatusOr<Module> module = b.Build();
    EXPECT_EQ(module.ok(), row.ok) << module.status();
    if (row.ok) continue;
    EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0607]"));
  }
}

TEST(BuilderTest, TextThatIsNoUtf8IsAnError) {
  const std::string bad = "\xff";
  TestBuilder b("\xff");
  EXPECT_EQ(b.name(), "computation");
  const Op x = b.Parameter(0, "f32[]", bad);
  b.SetName(x, bad);
  b.SetFrontendAttribute(x, bad, "value");
  b.SetFrontendAttribute(x, "key", bad);
  b.set_op_name(bad);
  const std::string errors = b.DiagnosticsText();
  for (const char* role :
       {"its name", "the name", "the key", "the value", "the op_name"}) {
    EXPECT_THAT(errors, HasSubstr(role));
  }
  EXPECT_FALSE(b.Build(x).ok());
}

TEST(BuilderTest, BuildersOnThreadsAreIndependent) {
  auto work = [](bool* ok) {
    *ok = true;
    for (int i = 0; i < 200; ++i) {
      Op stale;
      {
        TestBuilder gone("gone");
        stale = gone.P("f32[2]");
      }
      TestBuilder b("b");
      Op x = b.P("f32[4,3]");
      const Op y = b.P("f32[3]");
      for (int j = 0; j < 20; ++j) x = b.Add(x, y, {1});
      *ok = *ok && b.status().ok() && !b.shape(stale).ok();
      ComputationBuilder sub = b.SubBuilder("sub");
      const Op z = sub.Parameter(0, "f32[4,3]");
      x = b.Call(sub.BuildCallee(z * z), {x});
      absl::StatusOr<Module> module = b.Build(x);
      *ok = *ok && module.ok() && module->instruction_count() == 25;
    }
  };
  bool ok[2] = {false, false};
  std::thread first(work, &ok[0]), second(work, &ok[1]);
  first.join();
  second.join();
  EXPECT_TRUE(ok[0] && ok[1]);
}

// A module is read while the family it came from goes on recording.
TEST(BuilderTest, AModuleDoesntChangeWhileItsFamilyGoesOn) {
  TestBuilder b("main");
  ComputationBuilder sub = b.SubBuilder("sub");
  const Op x = sub.Parameter(0, "f32[2,3]");
  absl::StatusOr<Module> module = sub.Build(sub.Exp(x));
  ASSERT_TRUE(module.ok()) << module.status();
  bool ok = true;
  std::thread reader([&ok, module = *module] {
    for (int i = 0; i < 1000; ++i) {
      const Instruction root = module.entry().root();
      ok = ok && root.shape().rank() == 2 && root.name() == "exponential.2" &&
           root.location().line > 0;
    }
  });
  for (int i = 0; i < 1000; ++i) {
    b.Parameter(i, Shape::Of(ElementType::kF32, {i, 7}));
  }
  reader.join();
  EXPECT_TRUE(ok);
  EXPECT_TRUE(b.status().ok());
}

}  // namespace
}  // namespace indim
