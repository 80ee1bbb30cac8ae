// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

// Takes all left, then all right scalars; gives the smaller of each.
Module MinPair() {
  TestBuilder b("min_pair");
  const Op a0 = b.P("f32[]"), a1 = b.P("s32[]");
  const Op b0 = b.P("f32[]"), b1 = b.P("s32[]");
  return *b.Build(b.Tuple({b.Min(a0, b0), b.Min(a1, b1)}));
}

Module BelowTen() {
  TestBuilder b("below_ten");
  const Op x = b.P("s32[]");
  return *b.Build(b.Lt(x, b.ConstantR0(ElementType::kS32, 10)));
}

Module Increment() {
  TestBuilder b("increment");
  const Op x = b.P("s32[]");
  return *b.Build(b.Add(x, b.ConstantR0(ElementType::kS32, 1)));
}

TEST(CallsTest, Contractions) {
  auto dot = [](const char* lhs, const char* rhs,
                std::optional<ElementType> type = {}) {
    return [=](TestBuilder& b) {
      const Op x = b.P(lhs);
      return b.Dot(x, b.P(rhs), type);
    };
  };
  const CallCase cases[] = {
      {"dot", dot("f32[2,3]", "f32[3,4]"), "f32[2,4]"},
      {"vectors", dot("f32[3]", "f32[3]"), "f32[]"},
      {"matrix and vector", dot("f32[2,3]", "f32[3]"), "f32[2]"},
      {"vector and matrix", dot("f32[3]", "f32[3,2]"), "f32[2]"},
      {"of nothing", dot("f32[2,0]", "f32[0,4]"), "f32[2,4]"},
      {"with a type", dot("s8[2,3]", "s8[3,4]", ElementType::kS32), "s32[2,4]"},
      {"general",
       [](TestBuilder& b) {
         DotAttributes dims;
         dims.lhs_batch_dims = {0};
         dims.rhs_batch_dims = {0};
         dims.lhs_contracting_dims = {2};
         dims.rhs_contracting_dims = {1};
         const Op x = b.P("f32[7,2,3]");
         return b.DotGeneral(x, b.P("bf16[7,3,4]"), dims);
       },
       "f32[7,2,4]"},
  };
  for (const CallCase& c : cases) CheckCall(c);
}

TEST(CallsTest, Reductions) {
  auto reduce = [](const char* shape, std::vector<int64_t> dims) {
    return [=](TestBuilder& b) {
      const Op x = b.P(shape);
      return b.Reduce(x, b.P("f32[]"), AddScalars(), dims);
    };
  };
  auto reduce_all = [](const char* shape) {
    return [=](TestBuilder& b) {
      const Op x = b.P(shape);
      return b.ReduceAll(x, b.P("f32[]"), AddScalars());
    };
  };
  const CallCase cases[] = {
      {"reduce", reduce("f32[2,3,4]", {0, 2}), "f32[3]"},
      {"no dims", reduce("f32[2,3]", {}), "f32[2,3]"},
      {"no such dim", reduce("f32[2]", {1}), "IND0111"},
      {"a dim twice", reduce("f32[2]", {0, 0}), "IND0112"},
      {"all", reduce_all("f32[2,3]"), "f32[]"},
      {"all of a scalar", reduce_all("f32[]"), "f32[]"},
      {"all of unknown rank", reduce_all("f32[*]"), "IND0612"},
      {"two at once",
       [](TestBuilder& b) {
         const Op x = b.P("f32[2,3]"), y = b.P("s32[2,3]");
         const Op i = b.P("f32[]"), j = b.P("s32[]");
         return b.Reduce({x, y}, {i, j}, MinPair(), {1});
       },
       "(f32[2], s32[2])"},
  };
  for (const CallCase& c : cases) CheckCall(c);
}

TEST(CallsTest, ControlFlow) {
  const CallCase cases[] = {
      {"call",
       [](TestBuilder& b) {
         return b.Call(AddScalars(), {b.P("f32[]"), b.P("f32[]")});
       },
       "f32[]"},
      {"arity",
       [](TestBuilder& b) { return b.Call(AddScalars(), {b.P("f32[]")}); },
       "IND0401"},
      {"operand",
       [](TestBuilder& b) {
         return b.Call(AddScalars(), {b.P("f32[]"), b.P("f32[2]")});
       },
       "IND0402"},
      {"while",
       [](TestBuilder& b) {
         return b.While(BelowTen(), Increment(), b.P("s32[]"));
       },
       "s32[]"},
      {"no condition",
       [](TestBuilder& b) {
         return b.While(Increment(), Increment(), b.P("s32[]"));
       },
       "IND0403"},
      {"conditional",
       [](TestBuilder& b) {
         const Op x = b.P("s32[]");
         return b.Conditional(b.P("pred[]"), x, Increment(), x, Increment());
       },
       "s32[]"},
      {"branches",
       [](TestBuilder& b) {
         const Op x = b.P("s32[]");
         const Callee branches[] = {Increment(), Increment(), Increment()};
         return b.Conditional(b.P("s32[]"), branches, {x, x, x});
       },
       "s32[]"},
      {"two by a number",
       [](TestBuilder& b) {
         const Op x = b.P("s32[]");
         return b.Conditional(b.P("s32[]"), x, Increment(), x, Increment());
       },
       "IND0405"},
      {"branches by a pred",
       [](TestBuilder& b) {
         const Op x = b.P("s32[]");
         const Callee branches[] = {Increment(), Increment()};
         return b.Conditional(b.P("pred[]"), branches, {x, x});
       },
       "IND0405"},
      {"by a float",
       [](TestBuilder& b) {
         const Op x = b.P("s32[]");
         return b.Conditional(b.P("f32[]"), x, Increment(), x, Increment());
       },
       "IND0405"},
      {"tuple",
       [](TestBuilder& b) {
         const Op x = b.P("f32[2]");
         return b.Tuple({x, b.P("s32[]")});
       },
       "(f32[2], s32[])"},
      {"empty tuple", [](TestBuilder& b) { return b.Tuple({}); }, "()"},
      {"element",
       [](TestBuilder& b) {
         return b.GetTupleElement(b.P("(f32[2], s32[])"), 1);
       },
       "s32[]"},
      {"element of an array",
       [](TestBuilder& b) { return b.GetTupleElement(b.P("f32[2]"), 0); },
       "IND0407"},
      {"no such element",
       [](TestBuilder& b) { return b.GetTupleElement(b.P("(f32[2])"), 1); },
       "IND0408"},
      {"custom-call",
       [](TestBuilder& b) {
         return b.CustomCall("mine", {b.P("f32[2]")}, "f32[3]");
       },
       "f32[3]"},
      {"custom-call of no shape",
       [](TestBuilder& b) { return b.CustomCall("mine", {}, "f32[3"); },
       "IND0604"},
  };
  for (const CallCase& c : cases) CheckCall(c);
}

TEST(CallsTest, Order) {
  const CallCase cases[] = {
      {"token", [](TestBuilder& b) { return b.CreateToken(); }, "token[]"},
      {"after-all",
       [](TestBuilder& b) {
         return b.AfterAll({b.CreateToken(), b.CreateToken()});
       },
       "token[]"},
      {"after an array",
       [](TestBuilder& b) { return b.AfterAll({b.P("f32[]")}); }, "IND0110"},
      {"barrier",
       [](TestBuilder& b) {
         return b.OptimizationBarrier(b.P("(f32[2], token[])"));
       },
       "(f32[2], token[])"},
      {"replica-id", [](TestBuilder& b) { return b.ReplicaId(); }, "u32[]"},
      {"partition-id", [](TestBuilder& b) { return b.PartitionId(); }, "u32[]"},
  };
  for (const CallCase& c : cases) CheckCall(c);
}

TEST(CallsTest, WrongComputationsAreErrors) {
  const std::vector<std::function<Op(TestBuilder&)>> calls = {
      [](TestBuilder& b) {  // of another type
        return b.Reduce(b.P("s32[2]"), b.P("s32[]"), AddScalars(), {0});
      },
      [](TestBuilder& b) {  // of one parameter
        return b.Reduce(b.P("s32[2]"), b.P("s32[]"), Increment(), {0});
      },
      [](TestBuilder& b) {  // init is no scalar
        return b.Reduce(b.P("f32[2]"), b.P("f32[2]"), AddScalars(), {0});
      },
      [](TestBuilder& b) {  // one init for two operands
        return b.Reduce({b.P("f32[2]"), b.P("s32[2]")}, {b.P("f32[]")},
                        MinPair(), {0});
      },
      [](TestBuilder& b) { return b.Dot(b.P("f32[2,3]"), b.P("f32[4,5]")); },
      [](TestBuilder& b) { return b.Dot(b.P("f32[]"), b.P("f32[4]")); },
      [](TestBuilder& b) {
        return b.While(BelowTen(), BelowTen(), b.P("s32[]"));
      },
      [](TestBuilder& b) {
        return b.Conditional(b.P("s32[]"), {}, {b.P("s32[]")});
      },
  };
  for (size_t i = 0; i < calls.size(); ++i) {
    TestBuilder b("wrong");
    const Op op = calls[i](b);
    EXPECT_FALSE(b.shape(op).ok()) << i;
    EXPECT_FALSE(b.status().ok()) << i;
  }
}

TEST(CallsTest, ACalleesOwnErrorIsTold) {
  TestBuilder sub("sub");
  const Op x = sub.P("f32[2]"), y = sub.P("f32[3]");
  absl::StatusOr<Module> failed = sub.Build(sub.Add(x, y));
  ASSERT_FALSE(failed.ok());
  TestBuilder b("main");
  const Op z = b.P("f32[2]");
  EXPECT_FALSE(b.shape(b.Call(std::move(failed), {z, z})).ok());
  EXPECT_THAT(b.DiagnosticsText(), ::testing::HasSubstr("[IND0605]"));
  EXPECT_THAT(b.DiagnosticsText(), ::testing::HasSubstr("IND0001"));
}

TEST(CallsTest, AnEmptyModuleIsNoComputation) {
  TestBuilder b("main");
  EXPECT_FALSE(b.shape(b.Call(Module(), {})).ok());
  EXPECT_THAT(b.DiagnosticsText(), ::testing::HasSubstr("[IND0605]"));
}

TEST(AddInstructionTest, TakesAnyOp) {
  TestBuilder b("any");
  const Op x = b.P("f32[2]");
  auto shape = [&](Opcode opcode, std::vector<Op> operands,
                   const char* result) {
    std::optional<Shape> declared;
    if (result != nullptr) declared = *ParseShape(result);
    return b.shape(b.AddInstruction(opcode, operands, {}, declared));
  };
  EXPECT_EQ(shape(Opcode::kAdd, {x, x}, nullptr)->ToString(), "f32[2]");
  // The result that is given may say more: a layout.
  EXPECT_EQ(shape(Opcode::kNegate, {x}, "f32[2]{0}")->ToString(), "f32[2]{0}");
  // Nothing infers what a bitcast gives.
  EXPECT_EQ(shape(Opcode::kBitcast, {x}, "s32[2]")->ToString(), "s32[2]");
  EXPECT_TRUE(b.status().ok()) << b.status();
  EXPECT_FALSE(shape(Opcode::kNegate, {x}, "f32[3]").ok());
  EXPECT_THAT(b.DiagnosticsText(), ::testing::HasSubstr("[IND0105]"));
}

TEST(AddInstructionTest, WantsAShapeWhereNoneIsInferred) {
  for (Opcode opcode : {Opcode::kBitcast, Opcode::kCustomCall, Opcode::kReshape,
                        Opcode::kParameter, Opcode::kConstant}) {
    TestBuilder b("given");
    std::vector<Op> operands;
    if (Info(opcode).min_operands == 1) operands.push_back(b.P("f32[2]"));
    EXPECT_FALSE(b.shape(b.AddInstruction(opcode, operands, {})).ok());
    EXPECT_THAT(b.DiagnosticsText(), ::testing::HasSubstr("[IND0104]"))
        << Name(opcode);
  }
}

TEST(AddInstructionTest, AnUnknownOpcodeIsAnError) {
  for (int number : {0, 255}) {
    TestBuilder b("unknown");
    const Op op = b.AddInstruction(static_cast<Opcode>(number), {}, {},
                                   *ParseShape("f32[]"));
    EXPECT_FALSE(b.shape(op).ok());
    EXPECT_THAT(b.DiagnosticsText(), ::testing::HasSubstr("[IND0700]"));
    EXPECT_FALSE(b.Build(op).ok());
  }
}

TEST(AddInstructionTest, AConstantNeedsItsValue) {
  TestBuilder b("constant");
  EXPECT_FALSE(b.shape(b.AddInstruction(Opcode::kConstant, {}, {},
                                        *ParseShape("f32[2]")))
                   .ok());
  EXPECT_THAT(b.DiagnosticsText(), ::testing::HasSubstr("[IND0610]"));
}

TEST(CallsTest, ALoopWhoseComputationsAreSwapped) {
  TestBuilder body("body"), condition("condition"), b("loop");
  const Op i = body.P("s32[]"), j = condition.P("s32[]");
  const absl::StatusOr<Module> next = body.Build(body.Neg(i));
  const absl::StatusOr<Module> goes_on = condition.Build(condition.Eq(j, j));
  b.While(next, goes_on, b.P("s32[]"));
  EXPECT_THAT(
      b.DiagnosticsText(),
      ::testing::HasSubstr("the condition returns s32[], but must return "
                           "pred[], as the body does: are they swapped?"));
}

// An AddInstruction of a parameter counts as one.
TEST(AddInstructionTest, ParametersAreParameters) {
  TestBuilder b("parameter");
  const Op op = b.AddInstruction(Opcode::kParameter, {}, ParameterAttributes{0},
                                 *ParseShape("f32[2]"));
  EXPECT_TRUE(b.shape(op).ok()) << b.status();
  EXPECT_FALSE(b.shape(b.Parameter(0, "f32[]")).ok());
  EXPECT_THAT(b.DiagnosticsText(), ::testing::HasSubstr("[IND0606]"));
}

}  // namespace
}  // namespace indim
