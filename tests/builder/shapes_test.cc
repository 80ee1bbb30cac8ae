// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

TEST(ConstantTest, Table) {
  const CallCase cases[] = {
      {"parameter", [](TestBuilder& b) { return b.P("f32[2,<=3]"); },
       "f32[2,<=3]"},
      {"parameter with a layout",
       [](TestBuilder& b) { return b.P("f32[2,3]{0,1}"); }, "f32[2,3]{0,1}"},
      {"tuple parameter", [](TestBuilder& b) { return b.P("(f32[2], s32[])"); },
       "(f32[2], s32[])"},
      {"parameter of a Shape",
       [](TestBuilder& b) {
         return b.Parameter(0, Shape::Of(ElementType::kF32, {2, 3}));
       },
       "f32[2,3]"},
      {"no shape", [](TestBuilder& b) { return b.P("f32[8,784"); }, "IND0604"},
      {"an empty text", [](TestBuilder& b) { return b.P(""); }, "IND0604"},
      {"negative number",
       [](TestBuilder& b) { return b.Parameter(-1, "f32[]"); }, "IND0120"},
      {"repeated number",
       [](TestBuilder& b) {
         b.Parameter(0, "f32[]");
         return b.Parameter(0, "f32[]");
       },
       "IND0606"},
      {"scalar",
       [](TestBuilder& b) { return b.ConstantR0(ElementType::kBF16, 1.5); },
       "bf16[]"},
      {"scalar that doesn't fit",
       [](TestBuilder& b) { return b.ConstantR0(ElementType::kS8, 1000); },
       "IND0610"},
      {"scalar of no type",
       [](TestBuilder& b) { return b.ConstantR0(ElementType::kInvalid, 0); },
       "IND0610"},
      {"vector of floats",
       [](TestBuilder& b) {
         return b.ConstantR1({1.0f, 2.0f});
       },
       "f32[2]"},
      {"vector of integers",
       [](TestBuilder& b) {
         return b.ConstantR1({1, 2, 3});
       },
       "s32[3]"},
      {"matrix",
       [](TestBuilder& b) {
         return b.ConstantR2({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
       },
       "f32[3,2]"},
      {"ragged matrix",
       [](TestBuilder& b) {
         return b.ConstantR2({{1.0f, 2.0f}, {3.0f}});
       },
       "IND0610"},
      {"splat", [](TestBuilder& b) { return b.Splat(0.5, "f32[2,3]"); },
       "f32[2,3]"},
      {"splat of a scalar", [](TestBuilder& b) { return b.Splat(1, "s32[]"); },
       "s32[]"},
      {"splat of no shape", [](TestBuilder& b) { return b.Splat(1, "f32["); },
       "IND0604"},
      {"splat that doesn't fit",
       [](TestBuilder& b) { return b.Splat(-1, "u8[2]"); }, "IND0610"},
      {"splat of a tuple",
       [](TestBuilder& b) { return b.Splat(1, "(f32[2])"); }, "IND0610"},
      {"iota", [](TestBuilder& b) { return b.Iota("s32[4,2]", 1); },
       "s32[4,2]"},
      {"iota of no shape", [](TestBuilder& b) { return b.Iota("what", 0); },
       "IND0604"},
  };
  for (const CallCase& c : cases) CheckCall(c);
}

// XLA's builder takes it, its verifier doesn't: a warning, kept past Build().
TEST(ConstantTest, IotaWarnsOfAnotherDim) {
  for (int64_t dim : {-1, 1, 7}) {
    ComputationBuilder b("iota");
    const Op op = b.Iota("s32[4]", dim);
    EXPECT_TRUE(b.shape(op).ok()) << b.status();
    EXPECT_TRUE(b.status().ok()) << dim;
    EXPECT_THAT(b.DiagnosticsText(), ::testing::HasSubstr("[IND0230]"));
    EXPECT_TRUE(b.Build(op).ok());
    EXPECT_THAT(b.DiagnosticsText(), ::testing::HasSubstr("[IND0230]"));
  }
}

TEST(ConstantTest, KeepsTheValue) {
  ComputationBuilder b("constants");
  const Literal literal = *Literal::FromDoubles(ElementType::kF16, {1, 2}, {2});
  // More attribute bytes than are compared with others.
  std::vector<float> many(5000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i);
  const Literal large = *Literal::Array(absl::MakeConstSpan(many), {50, 100});
  const Op small_op = b.ConstantLiteral(literal);
  const Op large_op = b.ConstantLiteral(large);
  const Op vector_op = b.ConstantR1({7, 8});
  absl::StatusOr<Module> module =
      b.Build(b.Tuple({small_op, large_op, vector_op}));
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction root = module->entry().root();
  EXPECT_EQ(*root.operand(0).literal(), literal);
  EXPECT_EQ(*root.operand(1).literal(), large);
  EXPECT_EQ(root.operand(2).literal()->AsDouble(1), 8);
}

TEST(ConstantTest, ADefaultLiteralIsAnError) {
  ComputationBuilder b("none");
  EXPECT_FALSE(b.shape(b.ConstantLiteral(Literal())).ok());
  EXPECT_THAT(b.DiagnosticsText(), ::testing::HasSubstr("[IND0104]"));
}

TEST(ConstantTest, SplatIsAScalarAndABroadcast) {
  ComputationBuilder b("splat");
  absl::StatusOr<Module> module = b.Build(b.Splat(2, "f32[2,3]"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->instruction_count(), 2);
  const Instruction root = module->entry().root();
  EXPECT_EQ(root.opcode(), Opcode::kBroadcast);
  EXPECT_EQ(root.operand(0).literal()->AsDouble(0), 2);
}

TEST(ShapesTest, Types) {
  const CallCase cases[] = {
      {"convert",
       [](TestBuilder& b) {
         return b.ConvertElementType(b.P("f32[2,?]"), ElementType::kS32);
       },
       "s32[2,?]"},
      {"convert complex to real",
       [](TestBuilder& b) {
         return b.ConvertElementType(b.P("c64[2]"), ElementType::kS32);
       },
       "s32[2]"},
      {"convert a tuple",
       [](TestBuilder& b) {
         return b.ConvertElementType(b.P("(f32[2])"), ElementType::kS32);
       },
       "IND0101"},
      {"bitcast-convert",
       [](TestBuilder& b) {
         return b.BitcastConvertType(b.P("f32[4]"), ElementType::kU8);
       },
       "u8[4,4]"},
      {"bitcast-convert to complex",
       [](TestBuilder& b) {
         return b.BitcastConvertType(b.P("f64[4]"), ElementType::kC64);
       },
       "IND0116"},
      {"stochastic-convert",
       [](TestBuilder& b) {
         const Op x = b.P("f32[4]");
         return b.StochasticConvertType(x, b.P("u32[4]"), ElementType::kBF16);
       },
       "bf16[4]"},
  };
  for (const CallCase& c : cases) CheckCall(c);
}

TEST(ShapesTest, Broadcasts) {
  // Of one operand.
  auto in_dim = [](const char* shape, std::vector<int64_t> sizes,
                   std::vector<int64_t> map) {
    return [=](TestBuilder& b) {
      return b.BroadcastInDim(b.P(shape), sizes, map);
    };
  };
  auto in_front = [](const char* shape, std::vector<int64_t> sizes) {
    return [=](TestBuilder& b) { return b.Broadcast(b.P(shape), sizes); };
  };
  const CallCase cases[] = {
      {"in front", in_front("f32[3]", {2}), "f32[2,3]"},
      {"nothing in front", in_front("f32[3]", {}), "f32[3]"},
      {"a bound stays", in_front("f32[<=3]", {2}), "f32[2,<=3]"},
      {"negative", in_front("f32[3]", {-2}), "IND0200"},
      {"unknown dim", in_front("f32[?]", {2}), "IND0214"},
      {"a token", in_front("token[]", {2}), "IND0101"},
      {"in dim", in_dim("f32[3]", {2, 3}, {1}), "f32[2,3]"},
      {"a scalar", in_dim("f32[]", {2, 3}, {}), "f32[2,3]"},
      {"stretched", in_dim("f32[1,3]", {2, 4, 3}, {1, 2}), "f32[2,4,3]"},
      {"stretched to 0", in_dim("f32[1,3]", {0, 3}, {0, 1}), "f32[0,3]"},
      {"no fit", in_dim("f32[2]", {2, 3}, {1}), "IND0220"},
      {"map too short", in_dim("f32[2]", {2, 3}, {}), "IND0216"},
      {"map out of range", in_dim("f32[2]", {2, 3}, {2}), "IND0217"},
      {"map not increasing", in_dim("f32[2,2]", {2, 2}, {1, 0}), "IND0218"},
      {"lower rank", in_dim("f32[2,2]", {2}, {0, 1}), "IND0215"},
      {"negative in dim", in_dim("f32[2]", {-2}, {0}), "IND0200"},
  };
  for (const CallCase& c : cases) CheckCall(c);
}

// What would have worked stands in the message where no single change of an
// operand or attribute is to be shown.
TEST(ShapesTest, MessagesSayWhatWouldWork) {
  const CallCase cases[] = {
      {"a parameter again",
       [](TestBuilder& b) {
         b.Parameter(0, "f32[]", "x");
         b.Parameter(2, "f32[]");
         return b.Parameter(0, "f32[]", "y");
       },
       "parameter 0 is already recorded, as x; the next free number is 1"},
      {"a size left open",
       [](TestBuilder& b) {
         return b.Reshape(b.P("f32[8,4]"), {-2, 8});
       },
       "size -2 of result dim 0 is negative; 4 there keeps the 32 elements  ["},
      {"that doesn't come out even",
       [](TestBuilder& b) {
         return b.Reshape(b.P("f32[8,4]"), {-2, 5});
       },
       "size -2 of result dim 0 is negative  ["},
      {"two of them",
       [](TestBuilder& b) {
         return b.Reshape(b.P("f32[8,4]"), {-1, -1, 8});
       },
       "more than one size is -1, but only one may be: "},
      {"other dims fit",
       [](TestBuilder& b) {
         return b.BroadcastInDim(b.P("f32[8,4]"), {8, 4, 3}, {0, 2});
       },
       "must be 1 or equal; broadcast_dimensions {0,1} fit  ["},
      {"several others do",
       [](TestBuilder& b) {
         return b.BroadcastInDim(b.P("f32[4]"), {4, 3, 4}, {1});
       },
       "must be 1 or equal  ["},
      {"none does",
       [](TestBuilder& b) {
         return b.BroadcastInDim(b.P("f32[4]"), {2, 3}, {1});
       },
       "must be 1 or equal  ["},
  };
  for (const CallCase& c : cases) {
    SCOPED_TRACE(c.name);
    TestBuilder b("case");
    EXPECT_FALSE(b.shape(c.call(b)).ok());
    EXPECT_THAT(b.DiagnosticsText(), ::testing::HasSubstr(c.expected));
  }
}

TEST(ShapesTest, Movement) {
  auto reshape = [](const char* shape, std::vector<int64_t> sizes) {
    return [=](TestBuilder& b) { return b.Reshape(b.P(shape), sizes); };
  };
  auto slice_in_dim = [](const char* shape, int64_t dim) {
    return
        [=](TestBuilder& b) { return b.SliceInDim(b.P(shape), 1, 3, 1, dim); };
  };
  const CallCase cases[] = {
      {"reshape", reshape("f32[2,3]", {3, 2}), "f32[3,2]"},
      {"to a scalar", reshape("f32[1,1]", {}), "f32[]"},
      {"of nothing", reshape("f32[0,3]", {7, 0}), "f32[7,0]"},
      {"bounded", reshape("f32[<=3,2]", {6}), "f32[<=6]"},
      {"counts differ", reshape("f32[2,3]", {4}), "IND0206"},
      {"transpose",
       [](TestBuilder& b) {
         return b.Transpose(b.P("f32[2,3,4]"), {2, 0, 1});
       },
       "f32[4,2,3]"},
      {"reverse", [](TestBuilder& b) { return b.Rev(b.P("f32[2,3]"), {1}); },
       "f32[2,3]"},
      {"shuffle",
       [](TestBuilder& b) {
         return b.Shuffle(b.P("f32[2,3]"), {1, 0}, {-1, 1});
       },
       "f32[2,3]"},
      {"shuffle, no such dim",
       [](TestBuilder& b) { return b.Shuffle(b.P("f32[2,3]"), {2}, {1}); },
       "IND0111"},
      {"shuffle, no dim",
       [](TestBuilder& b) { return b.Shuffle(b.P("f32[2,3]"), {}, {}); },
       "IND0120"},
      {"shuffle, shifts",
       [](TestBuilder& b) {
         return b.Shuffle(b.P("f32[2,3]"), {0}, {1, 2});
       },
       "IND0632"},
      {"reverse, no such dim",
       [](TestBuilder& b) { return b.Rev(b.P("f32[2,3]"), {2}); }, "IND0111"},
      {"reverse, twice",
       [](TestBuilder& b) {
         return b.Rev(b.P("f32[2,3]"), {1, 1});
       },
       "IND0112"},
      {"slice",
       [](TestBuilder& b) {
         return b.Slice(b.P("f32[10,4]"), {1, 0}, {9, 4}, {3, 1});
       },
       "f32[3,4]"},
      {"slice without strides",
       [](TestBuilder& b) { return b.Slice(b.P("f32[10]"), {2}, {5}, {}); },
       "f32[3]"},
      {"slice in dim", slice_in_dim("f32[10,4]", 1), "f32[10,2]"},
      {"no such dim", slice_in_dim("f32[10,4]", 2), "IND0111"},
      {"beside an unknown dim", slice_in_dim("f32[?,4]", 1), "f32[?,2]"},
      {"unranked", slice_in_dim("f32[*]", 1), "IND0612"},
      {"concatenate",
       [](TestBuilder& b) {
         return b.ConcatInDim({b.P("f32[2,3]"), b.P("f32[5,3]")}, 0);
       },
       "f32[7,3]"},
      {"concatenate nothing",
       [](TestBuilder& b) { return b.ConcatInDim({}, 0); }, "IND0100"},
      {"pad",
       [](TestBuilder& b) {
         const Op x = b.P("f32[2,3]");
         return b.Pad(x, b.P("f32[]"),
                      {PaddingDim{1, 2, 0}, PaddingDim{0, -1, 1}});
       },
       "f32[5,4]"},
  };
  for (const CallCase& c : cases) CheckCall(c);
}

TEST(ShapesTest, WrongArgumentsAreErrors) {
  const std::vector<std::function<Op(TestBuilder&)>> calls = {
      [](TestBuilder& b) { return b.Transpose(b.P("f32[2,3]"), {0}); },
      [](TestBuilder& b) {
        return b.Transpose(b.P("f32[2,3]"), {0, 0});
      },
      [](TestBuilder& b) {
        return b.Transpose(b.P("f32[2,3]"), {0, 2});
      },
      [](TestBuilder& b) {
        return b.Slice(b.P("f32[9]"), {1, 2}, {3}, {});
      },
      [](TestBuilder& b) { return b.Slice(b.P("f32[9]"), {-1}, {3}, {}); },
      [](TestBuilder& b) { return b.Slice(b.P("f32[9]"), {1}, {10}, {}); },
      [](TestBuilder& b) { return b.Slice(b.P("f32[9]"), {4}, {3}, {}); },
      [](TestBuilder& b) { return b.Slice(b.P("f32[9]"), {1}, {3}, {0}); },
      [](TestBuilder& b) {
        return b.ConcatInDim({b.P("f32[2,3]"), b.P("f32[2,4]")}, 0);
      },
      [](TestBuilder& b) { return b.ConcatInDim({b.P("f32[2]")}, 1); },
      [](TestBuilder& b) {
        return b.ConcatInDim({b.P("f32[2]"), b.P("s32[2]")}, 0);
      },
      [](TestBuilder& b) { return b.Pad(b.P("f32[2]"), b.P("f32[]"), {}); },
      [](TestBuilder& b) {
        return b.Pad(b.P("f32[2]"), b.P("f32[2]"), {PaddingDim{}});
      },
      [](TestBuilder& b) {
        return b.Pad(b.P("f32[2]"), b.P("f32[]"), {PaddingDim{0, 0, -1}});
      },
      [](TestBuilder& b) {
        return b.Pad(b.P("f32[2]"), b.P("f32[]"), {PaddingDim{-3, 0, 0}});
      },
  };
  for (size_t i = 0; i < calls.size(); ++i) {
    TestBuilder b("wrong");
    const Op op = calls[i](b);
    EXPECT_FALSE(b.shape(op).ok()) << i;
    EXPECT_FALSE(b.status().ok()) << i;
  }
}

TEST(ShapesTest, ComplexToRealTakesTheRealPartFirst) {
  TestBuilder b("convert");
  absl::StatusOr<Module> module =
      b.Build(b.ConvertElementType(b.P("c64[2]"), ElementType::kF64));
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction root = module->entry().root();
  EXPECT_EQ(root.opcode(), Opcode::kConvert);
  EXPECT_EQ(root.operand(0).opcode(), Opcode::kReal);
}

TEST(ShapesTest, StretchingTakesThreeInstructions) {
  TestBuilder b("stretch");
  absl::StatusOr<Module> module =
      b.Build(b.BroadcastInDim(b.P("f32[1,3]"), {2, 4, 3}, {1, 2}));
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction last = module->entry().root();
  EXPECT_EQ(last.opcode(), Opcode::kBroadcast);
  EXPECT_EQ(As<DimensionsAttributes>(last.attributes()).dimensions,
            DimIndices({0, 2}));
  const Instruction reshape = last.operand(0);
  EXPECT_EQ(reshape.opcode(), Opcode::kReshape);
  EXPECT_EQ(reshape.shape().ToString(), "f32[2,3]");
  const Instruction first = reshape.operand(0);
  EXPECT_EQ(first.opcode(), Opcode::kBroadcast);
  EXPECT_EQ(first.shape().ToString(), "f32[2,1,3]");
  EXPECT_EQ(As<DimensionsAttributes>(first.attributes()).dimensions,
            DimIndices({1, 2}));
}

TEST(ShapesTest, BroadcastsAreOneInstruction) {
  TestBuilder b("broadcast");
  const Op x = b.P("f32[3]");
  b.Broadcast(x, {2});
  absl::StatusOr<Module> module = b.Build(b.BroadcastInDim(x, {3, 5}, {0}));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->instruction_count(), 3);
  const Instruction broadcast = module->entry().instruction(1);
  EXPECT_EQ(As<DimensionsAttributes>(broadcast.attributes()).dimensions,
            DimIndices({1}));
}

}  // namespace
}  // namespace indim
