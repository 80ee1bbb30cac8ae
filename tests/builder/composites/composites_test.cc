// SPDX-License-Identifier: Apache-2.0
// Composites: what shapes they have, what they say about wrong calls. What they
// compute: tests/xla.

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "indim/builder/composites/constants.h"
#include "indim/builder/composites/cumulative.h"
#include "indim/builder/composites/einsum.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/matrix.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/composites/slicing.h"
#include "indim/builder/sharding.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const Caller kLine12{"net.cc", 12};
const Caller kLine14{"net.cc", 14};

int ErrorCount(const std::string& errors) {
  const std::vector<std::string> parts = absl::StrSplit(errors, "error: ");
  return static_cast<int>(parts.size()) - 1;
}

TEST(CompositesTest, Shapes) {
  const CallCase cases[] = {
      {"sum", [](auto& b) { return ReduceSum(b.P("f32[2,3]"), {1}); },
       "f32[2]"},
      {"sum of all", [](auto& b) { return ReduceSum(b.P("s32[2,3]")); },
       "s32[]"},
      {"sum of no dims",
       [](auto& b) {
         return ReduceSum(b.P("s32[2,3]"), std::vector<int64_t>{});
       },
       "s32[2,3]"},
      {"kept", [](auto& b) { return ReduceMax(b.P("f32[2,3]"), {-1}, true); },
       "f32[2,1]"},
      {"bounded", [](auto& b) { return Mean(b.P("f32[<=2,3]"), {0}, true); },
       "f32[1,3]"},
      {"bounded kept",
       [](auto& b) { return Mean(b.P("f32[<=2,3]"), {1}, true); },
       "f32[<=2,1]"},
      {"unknown", [](auto& b) { return ReduceSum(b.P("f32[?,3]"), {1}); },
       "f32[?]"},
      {"variance",
       [](auto& b) { return Variance(b.P("bf16[<=2,3]"), {0}, false, 1); },
       "bf16[3]"},
      {"all of integers", [](auto& b) { return All(b.P("s32[2,3]"), 1); },
       "pred[2]"},
      {"any of complex", [](auto& b) { return Any(b.P("c64[2]")); }, "pred[]"},
      {"floor of a division",
       [](auto& b) { return FloorDiv(b.P("bf16[2,1]"), b.P("bf16[2,3]")); },
       "bf16[2,3]"},
      {"remainder of complex",
       [](auto& b) { return FloorMod(b.P("c64[2]"), b.P("c64[2]")); },
       "IND0102"},
      {"sum of pred", [](auto& b) { return ReduceSum(b.P("pred[2]")); },
       "IND0102"},
      {"max of complex", [](auto& b) { return ReduceMax(b.P("c64[2]")); },
       "IND0102"},
      {"mean of integers", [](auto& b) { return Mean(b.P("s32[2]")); },
       "IND0102"},
      {"integer power",
       [](auto& b) { return IntegerPower(b.P("s8[2,1]"), b.P("s8[2,3]")); },
       "s8[2,3]"},
      {"integer power of a scalar",
       [](auto& b) { return IntegerPower(b.P("u32[]"), b.P("u32[3]")); },
       "u32[3]"},
      {"integer power of floats",
       [](auto& b) { return IntegerPower(b.P("f32[3]"), b.P("f32[3]")); },
       "IND0102"},
      {"bits that all have",
       [](auto& b) { return ReduceAnd(b.P("u4[2,3]"), 0); }, "u4[3]"},
      {"and of numbers", [](auto& b) { return ReduceAnd(b.P("f32[2]")); },
       "IND0102"},
      {"dim outside", [](auto& b) { return ReduceSum(b.P("f32[2]"), {1}); },
       "IND0111"},
      {"dim twice",
       [](auto& b) {
         return ReduceSum(b.P("f32[2,3]"), {1, -1});
       },
       "IND0112"},
      {"unranked", [](auto& b) { return Softmax(b.P("f32[*]")); }, "IND0612"},
      {"a tuple", [](auto& b) { return Relu(b.P("(f32[2])")); }, "IND0101"},
      {"argmax", [](auto& b) { return ArgMax(b.P("f32[2,3]"), 1); }, "s32[2]"},
      {"argmax kept",
       [](auto& b) {
         return ArgMin(b.P("f32[<=2,3]"), -1, ElementType::kU8, true);
       },
       "u8[<=2,1]"},
      {"argmax of unknown", [](auto& b) { return ArgMax(b.P("f32[?,3]"), 1); },
       "IND0613"},
      {"argmax as float",
       [](auto& b) { return ArgMax(b.P("f32[3]"), 0, ElementType::kF32); },
       "IND0614"},
      {"argmax too long",
       [](auto& b) { return ArgMax(b.P("f32[129]"), 0, ElementType::kS8); },
       "IND0614"},
      {"argmax just fits",
       [](auto& b) { return ArgMax(b.P("f32[128]"), 0, ElementType::kS8); },
       "s8[]"},
      {"argmax of scalar", [](auto& b) { return ArgMax(b.P("f32[]"), 0); },
       "IND0111"},
      {"cumsum", [](auto& b) { return CumSum(b.P("s8[2,<=3]"), 0); },
       "s8[2,<=3]"},
      {"cumsum of bounded", [](auto& b) { return CumSum(b.P("s8[<=3]"), 0); },
       "IND0617"},
      {"softmax", [](auto& b) { return Softmax(b.P("f16[2,<=3]")); },
       "f16[2,<=3]"},
      {"softmax of all", [](auto& b) { return Softmax(b.P("f16[2,<=3]"), {}); },
       "f16[2,<=3]"},
      {"softmax of a dim twice",
       [](auto& b) {
         return Softmax(b.P("f32[2,3]"), {1, -1});
       },
       "IND0112"},
      {"log-softmax", [](auto& b) { return LogSoftmax(b.P("f32[?,3]")); },
       "f32[?,3]"},
      {"softmax of integers", [](auto& b) { return Softmax(b.P("s32[3]")); },
       "IND0102"},
      {"relu of unranked", [](auto& b) { return Relu(b.P("f32[*]")); },
       "f32[*]"},
      {"relu of pred", [](auto& b) { return Relu(b.P("pred[2]")); }, "IND0102"},
      {"one-hot",
       [](auto& b) { return OneHot(b.P("s32[2,<=3]"), 7, ElementType::kF32); },
       "f32[2,<=3,7]"},
      {"one-hot in front",
       [](auto& b) { return OneHot(b.P("s32[2]"), 7, ElementType::kS8, 0); },
       "s8[7,2]"},
      {"one-hot of floats",
       [](auto& b) { return OneHot(b.P("f32[2]"), 7, ElementType::kF32); },
       "IND0102"},
      {"one-hot depth",
       [](auto& b) { return OneHot(b.P("s32[2]"), -1, ElementType::kF32); },
       "IND0120"},
      {"matmul",
       [](auto& b) { return MatMul(b.P("f32[7,2,3]"), b.P("f32[3,4]")); },
       "f32[7,2,4]"},
      {"matmul bounded",
       [](auto& b) { return MatMul(b.P("f32[<=7,2,3]"), b.P("f32[3]")); },
       "f32[<=7,2]"},
      {"matmul of scalar",
       [](auto& b) { return MatMul(b.P("f32[]"), b.P("f32[3,4]")); },
       "IND0370"},
      {"matmul inner",
       [](auto& b) { return MatMul(b.P("f32[2,3]"), b.P("f32[5,4]")); },
       "IND0618"},
      {"matmul batch",
       [](auto& b) { return MatMul(b.P("f32[2,2,3]"), b.P("f32[5,3,4]")); },
       "IND0650"},
      {"diagonal", [](auto& b) { return GetMatrixDiagonal(b.P("f32[5,2,3]")); },
       "f32[5,2]"},
      {"diagonal of bounded",
       [](auto& b) { return GetMatrixDiagonal(b.P("f32[<=2,3]")); }, "IND0617"},
      {"identity",
       [](auto& b) { return IdentityMatrix(b, ElementType::kF32, 2, 3); },
       "f32[2,3]"},
      {"identity size",
       [](auto& b) { return IdentityMatrix(b, ElementType::kF32, -2, 3); },
       "IND0120"},
      {"index", [](auto& b) { return Index(b.P("f32[8,<=3]"), -8); },
       "f32[<=3]"},
      {"index outside", [](auto& b) { return Index(b.P("f32[8]"), 8); },
       "IND0619"},
      {"index below", [](auto& b) { return Index(b.P("f32[8]"), -9); },
       "IND0619"},
      {"index from a run-time end",
       [](auto& b) { return Index(b.P("f32[<=8]"), -1); }, "IND0619"},
      {"select",
       [](auto& b) { return IndexSelect(b.P("f32[8,3]"), b.P("s32[2,5]"), 0); },
       "f32[2,5,3]"},
      {"select batch",
       [](auto& b) {
         return IndexSelect(b.P("f32[8,3]"), b.P("s32[8,5]"), 0, 1);
       },
       "IND0111"},
      {"torch ranks",
       [](auto& b) { return TorchGather(b.P("f32[8,3]"), b.P("s32[2]"), 0); },
       "IND0204"},
      {"minor slices",
       [](auto& b) { return SliceInMinorDims(b.P("f32[8,3]"), {1}, {2}); },
       "f32[8,1]"},
      {"too many starts",
       [](auto& b) {
         return SliceInMinorDims(b.P("f32[8]"), {1, 1}, {2, 2});
       },
       "IND0370"},
      {"starts",
       [](auto& b) {
         return UpdateSlice(b.P("f32[8,3]"), b.P("f32[1,1]"), {1});
       },
       "IND0240"},
      {"filled", [](auto& b) { return FullLike(b.P("s32[2,<=3]"), 7); },
       "s32[2,<=3]"},
      {"filled unknown", [](auto& b) { return ZerosLike(b.P("s32[?]")); },
       "IND0613"},
      {"no such value", [](auto& b) { return Epsilon(b, ElementType::kS32); },
       "IND0610"},
      {"no value at all",
       [](auto& b) { return MaxValue(b, ElementType::kInvalid); }, "IND0610"},
  };
  for (const CallCase& c : cases) CheckCall(c);
}

TEST(CompositesTest, EinsumShapes) {
  struct Case {
    std::string subscripts;
    std::vector<std::string> operands;
    std::string expected;
  };
  const Case cases[] = {
      {"ij,jk->ik", {"f32[2,3]", "f32[3,4]"}, "f32[2,4]"},
      {"ij,jk", {"f32[2,3]", "f32[3,4]"}, "f32[2,4]"},
      {" i j , j k -> k i ", {"f32[2,3]", "f32[3,4]"}, "f32[4,2]"},
      {"Ba", {"f32[2,3]"}, "f32[2,3]"},
      {"aB", {"f32[2,3]"}, "f32[3,2]"},  // B before a
      {"ii->i", {"f32[3,3]"}, "f32[3]"},
      {"ii", {"f32[3,3]"}, "f32[]"},
      {"ij->", {"s32[3,3]"}, "s32[]"},
      {"->", {"f32[]"}, "f32[]"},
      {"", {"f32[]"}, "f32[]"},
      {"i,j,k", {"f32[2]", "f32[3]", "f32[4]"}, "f32[2,3,4]"},
      {"...i,i...", {"f32[5,2]", "f32[2,1]"}, "f32[5]"},
      {"...ij,...jk->...ik", {"f32[7,1,2,3]", "f32[5,3,4]"}, "f32[7,5,2,4]"},
      {"bij,bjk->bik", {"f32[?,2,3]", "f32[?,3,4]"}, "f32[?,2,4]"},
      {"bi,i->b", {"f32[<=8,2]", "f32[2]"}, "f32[<=8]"},
      {"ij", {"f32[2]"}, "IND0615"},
      {"i", {"f32[2,3]"}, "IND0615"},
      {"i,j", {"f32[2]"}, "IND0615"},
      {"i", {"f32[2]", "f32[2]"}, "IND0615"},
      {"i->j", {"f32[2]"}, "IND0615"},
      {"i->ii", {"f32[2]"}, "IND0615"},
      {"i->i->i", {"f32[2]"}, "IND0615"},
      {"i->i,i", {"f32[2]"}, "IND0615"},
      {"i1", {"f32[2,2]"}, "IND0615"},
      {"i-", {"f32[2]"}, "IND0615"},
      {"..i", {"f32[2]"}, "IND0615"},
      {"...i...", {"f32[2]"}, "IND0615"},
      {"...i->i", {"f32[2,3]"}, "IND0615"},
      {"i\xff", {"f32[2]"}, "IND0615"},
      {"i,i", {"f32[2]", "f32[3]"}, "IND0616"},
      {"ii", {"f32[2,3]"}, "IND0616"},
      {"...,...", {"f32[2]", "f32[3]"}, "IND0616"},
      {"i", {"pred[2]"}, "IND0102"},
      {"i", {"f32[*]"}, "IND0612"},
      {"ii", {"f32[?,?]"}, "IND0613"},
  };
  for (const Case& c : cases) {
    CheckCall({c.subscripts,
               [&](TestBuilder& b) {
                 std::vector<Op> ops;
                 for (const std::string& shape : c.operands) {
                   ops.push_back(b.P(shape));
                 }
                 return Einsum(c.subscripts, ops);
               },
               c.expected});
  }
}

TEST(CompositesTest, EinsumShowsThePlace) {
  TestBuilder b("einsum");
  const Op x = b.P("f32[2,3]"), y = b.P("f32[3,4]");
  Einsum("ij,jk->il", {x, y}, {}, kLine14);
  EXPECT_THAT(b.DiagnosticsText(),
              StartsWith("net.cc:14: error: Einsum: no operand has "
                         "the label 'l'  [IND0615]\n"
                         "    ij,jk->il\n"
                         "            ^"));
}

// Without `using namespace indim`, by the type of its operands.
TEST(CompositesTest, EinsumOfOpsWithoutAList) {
  TestBuilder b("einsum");
  const Op x = b.P("f32[2,3]"), y = b.P("f32[3,4]"), z = b.P("f32[3,3]");
  EXPECT_EQ(b.shape(Einsum("ij,jk->ik", x, y))->ToString(), "f32[2,4]");
  EXPECT_EQ(b.shape(Einsum("ii->i", z))->ToString(), "f32[3]");
  Einsum("ij,jk->il", x, y, kLine14);
  EXPECT_THAT(b.DiagnosticsText(), StartsWith("net.cc:14: error: Einsum: "));
}

TEST(CompositesTest, EinsumSaysWhichSizesDiffer) {
  TestBuilder b("einsum");
  Einsum("ij,jk->ik", {b.P("f32[2,3]"), b.P("f32[5,4]")}, {}, kLine14);
  EXPECT_THAT(b.DiagnosticsText(),
              StartsWith("net.cc:14: error: Einsum: label 'j' is dim 1 of "
                         "f32[2,3], which is 3, and dim 0 of f32[5,4], which "
                         "is 5"));
}

// --- Wrong Ops ---------------------------------------------------------------

TEST(CompositesTest, NoBuilderNoOp) {
  Op gone;
  {
    TestBuilder b("gone");
    gone = b.P("f32[2]");
  }
  for (Op op : {Op(), gone}) {
    TestBuilder b("alive");
    EXPECT_FALSE(b.shape(Relu(op)).ok());
    EXPECT_FALSE(b.shape(ReduceSum(op)).ok());
    EXPECT_FALSE(b.shape(Softmax(op)).ok());
    EXPECT_FALSE(b.shape(CumSum(op, 0)).ok());
    EXPECT_FALSE(b.shape(Index(op, 0)).ok());
    EXPECT_FALSE(b.shape(Einsum("i", {op})).ok());
    EXPECT_FALSE(b.shape(Einsum("", {})).ok());
    EXPECT_TRUE(b.status().ok());  // none of them is this builder's
  }
}

TEST(CompositesTest, OneWrongOperandIsOneError) {
  TestBuilder b("one"), other("other");
  const Op x = b.P("f32[2,3]"), strange = other.P("f32[3,4]");
  MatMul(x, Op(), {}, kLine12);
  MatMul(x, strange, {}, kLine14);
  EXPECT_EQ(ErrorCount(b.DiagnosticsText()), 2) << b.DiagnosticsText();
  EXPECT_THAT(b.DiagnosticsText(),
              StartsWith("net.cc:12: error: MatMul: operand 1 is a default"));
  EXPECT_THAT(
      b.DiagnosticsText(),
      HasSubstr("net.cc:14: error: MatMul: operand 1 is %p0 = f32[3,4]"));
}

TEST(CompositesTest, PoisonIsSilent) {
  TestBuilder b("poison");
  const Op x = b.Transpose(b.P("f32[2,3]"), {0});
  LogSoftmax(x);
  Einsum("ij,ij->", {x, b.P("f32[2,3]")});
  DynamicSliceInMinorDims(b.P("f32[2]"), {x}, {1});
  Index(TorchGather(x, x, 0), 1);
  EXPECT_EQ(ErrorCount(b.DiagnosticsText()), 1) << b.DiagnosticsText();
}

TEST(CompositesTest, AfterBuild) {
  TestBuilder b("built");
  const Op x = b.P("f32[2]");
  ASSERT_TRUE(b.Build(x).ok());
  EXPECT_FALSE(b.shape(Relu(x)).ok());
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("Relu"));
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("[IND0603]"));
}

TEST(CompositesTest, ItsPartsAreNamedAfterIt) {
  TestBuilder b("parts");
  const Op x = b.P("f32[2]");
  DynamicSliceInMinorDims(x, {x}, {1}, kLine14);
  EXPECT_EQ(ErrorCount(b.DiagnosticsText()), 1);
  EXPECT_THAT(
      b.DiagnosticsText(),
      StartsWith(
          "net.cc:14: error: DynamicSliceInMinorDims's dynamic-slice: "));
}

// --- What it records ---------------------------------------------------------

TEST(CompositesTest, EveryPartHasTheCallersLine) {
  TestBuilder b("lines");
  const Op x = b.Parameter(0, "f32[2,3]", "x", kLine12);
  const absl::StatusOr<Module> module =
      b.Build(Softmax(x, -1, kLine14), kLine14);
  ASSERT_TRUE(module.ok()) << module.status();
  for (int c = 0; c < module->computation_count(); ++c) {
    for (Instruction i : module->computation(c).instructions()) {
      EXPECT_EQ(i.location().file, "net.cc");
      EXPECT_EQ(i.location().line,
                i.name() == "x" && i.shape().rank() > 0 ? 12 : 14);
    }
  }
}

TEST(CompositesTest, ReducersAreShared) {
  TestBuilder b("shared");
  const Op x = b.P("f32[2,3]");
  Op sum = ReduceSum(x);
  for (int i = 0; i < 5; ++i) sum = sum + ReduceSum(Softmax(x));
  const absl::StatusOr<Module> module = b.Build(sum);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->computation_count(), 3);  // sum, max, all of it
}

TEST(CompositesTest, OnlyTheResultIsSharded) {
  TestBuilder b("sharded");
  const Op x = b.P("f32[2,4]");
  {
    ScopedSharding scope(&b, TileSharding({2, 1}));
    Softmax(x);
    EXPECT_THAT(b.shape(b.Neg(x)).status(), absl::OkStatus());
  }
  const absl::StatusOr<Module> module = b.Build();
  ASSERT_TRUE(module.ok()) << module.status();
  int sharded = 0;
  for (Instruction i : module->entry().instructions()) {
    if (AttributeBytesField(internal::AttributeBytesOf(i), 40).empty())
      continue;
    ++sharded;
    EXPECT_EQ(i.shape().ToString(), "f32[2,4]");
  }
  EXPECT_EQ(sharded, 2);  // the softmax and the negation
}

}  // namespace
}  // namespace indim
