// SPDX-License-Identifier: Apache-2.0
// Calls that are made again and again are recorded from memory: as the first.

#include <string>
#include <vector>

#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

std::string Bytes(const Module& module) {
  absl::StatusOr<std::string> bytes = SerializeModule(module);
  return bytes.ok() ? *bytes : std::string(bytes.status().message());
}

// Calls of one op that differ in what must not be mixed up.
std::vector<CallCase> Calls(const Callee& add, const Callee& mul) {
  auto dot = [](DotAttributes dims, std::optional<ElementType> type) {
    return [=](TestBuilder& b) {
      const Op x = b.P("f32[2,3,3]");
      return b.DotGeneral(x, x, dims, type);
    };
  };
  DotAttributes plain, turned, precise;
  plain.lhs_batch_dims = plain.rhs_batch_dims = {0};
  plain.lhs_contracting_dims = plain.rhs_contracting_dims = {1};
  turned = precise = plain;
  turned.rhs_contracting_dims = {2};
  precise.precision.operand_precision = {Precision::kHigh, Precision::kHigh};
  auto reduce = [](Callee callee, std::vector<int64_t> dims) {
    return [=](TestBuilder& b) {
      const Op x = b.P("f32[2,3,3]");
      return b.Reduce(x, b.P("f32[]"), callee, dims);
    };
  };
  auto reshape = [](const char* from, std::vector<int64_t> sizes) {
    return [=](TestBuilder& b) { return b.Reshape(b.P(from), sizes); };
  };
  auto transpose = [](const char* from, std::vector<int64_t> order) {
    return [=](TestBuilder& b) { return b.Transpose(b.P(from), order); };
  };
  return {
      {"dot", dot(plain, {}), "f32[2,3,3]"},
      {"another dot", dot(turned, {}), "f32[2,3,3]"},
      {"precise", dot(precise, {}), "f32[2,3,3]"},
      {"wide", dot(plain, ElementType::kF64), "f64[2,3,3]"},
      {"sum", reduce(add, {0}), "f32[3,3]"},
      {"product", reduce(mul, {0}), "f32[3,3]"},
      {"of two dims", reduce(add, {0, 1}), "f32[3]"},
      {"of no dims", reduce(add, {}), "f32[2,3,3]"},
      {"reshape", reshape("f32[2,3]", {3, 2}), "f32[3,2]"},
      {"flat", reshape("f32[2,3]", {6}), "f32[6]"},
      {"of another shape", reshape("f32[6]", {3, 2}), "f32[3,2]"},
      {"transpose", transpose("f32[2,3]", {1, 0}), "f32[3,2]"},
      {"not at all", transpose("f32[2,3]", {0, 1}), "f32[2,3]"},
      {"too many words",
       transpose("f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]",
                 {16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}),
       "f32[2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"},
  };
}

Callee Scalars(ComputationBuilder* b, bool multiply) {
  ComputationBuilder sub = b->SubBuilder(multiply ? "mul" : "add");
  const Op x = sub.Parameter(0, "f32[]"), y = sub.Parameter(1, "f32[]");
  return sub.BuildCallee(multiply ? sub.Mul(x, y) : sub.Add(x, y));
}

TEST(RepeatedCallsTest, AreRecordedAsTheFirst) {
  TestBuilder b("again");
  const std::vector<CallCase> cases =
      Calls(Scalars(&b, false), Scalars(&b, true));
  std::vector<Op> first, second;
  for (const CallCase& c : cases) first.push_back(c.call(b));
  for (const CallCase& c : cases) second.push_back(c.call(b));
  const absl::StatusOr<Module> module = b.Build(b.Tuple(second));
  ASSERT_TRUE(module.ok()) << module.status();
  // Op after op, as their order in the computation.
  std::vector<Instruction> recorded;
  for (const Instruction i : module->entry().instructions()) {
    if (i.opcode() != Opcode::kParameter && i.opcode() != Opcode::kTuple) {
      recorded.push_back(i);
    }
  }
  ASSERT_EQ(recorded.size(), 2 * cases.size());
  for (size_t k = 0; k < cases.size(); ++k) {
    SCOPED_TRACE(cases[k].name);
    const Instruction& a = recorded[k];
    const Instruction& again = recorded[k + cases.size()];
    EXPECT_EQ(a.shape().ToString(), cases[k].expected);
    EXPECT_EQ(again.shape().ToString(), cases[k].expected);
    EXPECT_EQ(again.opcode(), a.opcode());
    EXPECT_EQ(internal::RecordOf(again).attribute_bytes,
              internal::RecordOf(a).attribute_bytes);
    ASSERT_EQ(again.operand_count(), a.operand_count());
    ASSERT_EQ(again.callee_count(), a.callee_count());
    for (int c = 0; c < a.callee_count(); ++c) {
      EXPECT_EQ(again.callee(c), a.callee(c));
    }
    // Their own operands, not those of the first.
    for (int o = 0; o < a.operand_count(); ++o) {
      EXPECT_FALSE(again.operand(o) == a.operand(o));
      EXPECT_EQ(again.operand(o).shape(), a.operand(o).shape());
    }
  }
}

TEST(RepeatedCallsTest, HaveTheirOwnLine) {
  TestBuilder b("again");
  const Op x = b.P("f32[2,3]");
  for (int k = 0; k < 2; ++k) b.Reshape(x, {6}, Caller{"a.cc", 10 + k});
  const absl::StatusOr<Module> module = b.Build();
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().instruction(1).location().line, 10);
  EXPECT_EQ(module->entry().instruction(2).location().line, 11);
}

// Errors are not remembered as anything else.
TEST(RepeatedCallsTest, SayTheirErrorEachTime) {
  TestBuilder b("again");
  const Op x = b.P("f32[2,3]");
  const Op good = b.Reshape(x, {6});
  for (int k = 0; k < 3; ++k) EXPECT_FALSE(b.shape(b.Reshape(x, {7})).ok());
  EXPECT_TRUE(b.shape(b.Reshape(x, {6})).ok());
  EXPECT_FALSE(b.shape(b.Reshape(Op(), {6})).ok());
  EXPECT_FALSE(b.Build(good).ok());
  EXPECT_FALSE(b.shape(b.Reshape(x, {7})).ok());
  EXPECT_TRUE(b.shape(b.Reshape(x, {6})).ok());
}

// Parameters of computations of one builder, which differ in number, shape,
// layout, name, line and sharding.
TEST(RepeatedCallsTest, ParametersKeepWhatIsTheirOwn) {
  ComputationBuilder b("main");
  const char* const shapes[] = {"f32[2,3]", "f32[2,3]{0,1}", "f32[3,2]",
                                "(f32[2,3], s32[])", "f32[<=2,3]"};
  for (int round = 0; round < 2; ++round) {
    for (const char* const shape : shapes) {
      SCOPED_TRACE(shape);
      ComputationBuilder sub = b.SubBuilder("sub");
      const Op first = sub.Parameter(0, shape, "a", Caller{"a.cc", 10 + round});
      const Op second = sub.Parameter(1, shape, "b");
      EXPECT_FALSE(sub.shape(sub.Parameter(2, "f33[2]")).ok());
      EXPECT_FALSE(sub.shape(sub.Parameter(0, shape)).ok());
      EXPECT_EQ(sub.shape(first)->ToString(), shape);
      EXPECT_FALSE(sub.BuildCallee(sub.Tuple({first, second})).status().ok());

      ComputationBuilder right = b.SubBuilder("right");
      const Op x = right.Parameter(0, shape, "a", Caller{"a.cc", 10 + round});
      const Op y = right.Parameter(1, shape, "b");
      const absl::StatusOr<Module> module = right.Build(right.Tuple({y, x}));
      ASSERT_TRUE(module.ok()) << module.status();
      for (int k = 0; k < 2; ++k) {
        const Instruction i = module->entry().instruction(k);
        EXPECT_EQ(i.name(), k == 0 ? "a" : "b");
        EXPECT_EQ(i.shape().ToString(), shape);
        EXPECT_EQ(As<ParameterAttributes>(i.attributes()).number, k);
      }
      EXPECT_EQ(module->entry().instruction(0).location().line, 10 + round);
    }
  }
}

// More different calls than are remembered.
TEST(RepeatedCallsTest, ManyDifferentOnes) {
  const auto record = [](int rounds) {
    TestBuilder b("many");
    const Op zero = b.P("f32[]");
    const Callee add = Scalars(&b, false);
    std::vector<Op> all;
    for (int round = 0; round < rounds; ++round) {
      for (int64_t n = 1; n <= 3000; ++n) {
        const Op wide = b.Reshape(b.Broadcast(zero, {n}), {n, 1});
        all.push_back(b.Reduce(wide, zero, add, {0}));
      }
    }
    return *b.Build(b.Tuple(all));
  };
  const Module twice = record(2);
  EXPECT_EQ(Bytes(twice), Bytes(record(2)));
  for (const Instruction i : twice.entry().instructions()) {
    if (i.opcode() == Opcode::kReduce) {
      EXPECT_EQ(i.shape().ToString(), "f32[1]");
    } else if (i.opcode() == Opcode::kReshape) {
      EXPECT_EQ(i.shape().dim(0), i.operand(0).shape().dim(0));
    }
  }
}

}  // namespace
}  // namespace indim
