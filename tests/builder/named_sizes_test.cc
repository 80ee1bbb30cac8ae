// SPDX-License-Identifier: Apache-2.0
// Composites, and the calls that take sizes, on sizes that have names, are
// bounded or unknown (named_cases.h). The building blocks of models are in
// composites/named_blocks_test.cc.

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/builder/composites/constants.h"
#include "indim/builder/composites/cumulative.h"
#include "indim/builder/composites/einsum.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/matrix.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/composites/slicing.h"
#include "indim/passes/export/export.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/builder/named_cases.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

constexpr ElementType kF32 = ElementType::kF32;

Dim DimOf(TestBuilder& b, Op op, int dim) { return b.shape(op)->dim(dim); }

// A call of every composite.
std::vector<NamedCase> CasesOfSizes() {
  using B = TestBuilder;
  using O = const Ops&;
  return {
      // The builder's own calls.
      {"slice in dim",
       {"f32[N,9]"},
       [](B& b, O x) { return b.SliceInDim(x[0], 1, 8, 2, 1); }},
      {"slice to the end",
       {"f32[N,9]"},
       [](B& b, O x) {
         return b.Slice(x[0], {2, 0}, {kWhole, 5}, {});
       }},
      {"slice to the end, strided",
       {"f32[N,9]"},
       [](B& b, O x) {
         return b.Slice(x[0], {1, 0}, {kWhole, 5}, {2, 1});
       }},
      {"broadcast sizes",
       {"f32[N]"},
       [](B& b, O x) {
         return b.Broadcast(x[0], {Dim::Static(2), DimOf(b, x[0], 0)});
       },
       "",
       "IND0214"},
      {"broadcast in dim",
       {"f32[N]", "f32[9]"},
       [](B& b, O x) {
         return b.BroadcastInDim(x[1], {DimOf(b, x[0], 0), Dim::Static(9)},
                                 {1});
       },
       "",
       "IND0207"},
      {"broadcast in dim, stretched",
       {"f32[N]", "f32[1,9]"},
       [](B& b, O x) {
         return b.BroadcastInDim(x[1], {DimOf(b, x[0], 0), Dim::Static(9)},
                                 {0, 1});
       },
       "",
       "IND0207"},
      {"reshape",
       {"f32[N,6]"},
       [](B& b, O x) {
         return b.Reshape(x[0],
                          {Dim::Static(2), DimOf(b, x[0], 0), Dim::Static(3)});
       },
       "",
       "IND0207"},
      {"splat",
       {"f32[N,6]"},
       [](B& b, O x) { return b.Splat(3, b.shape(x[0])->WithoutLayout()); },
       "",
       "IND0207"},
      {"iota",
       {"s32[N,6]"},
       [](B& b, O x) { return b.Iota(b.shape(x[0])->WithoutLayout(), 0); },
       "",
       "IND0228"},
      // Filled arrays.
      {"zeros",
       {"f32[N,6]"},
       [](B&, O x) { return ZerosLike(x[0]); },
       "",
       "IND0613"},
      {"ones",
       {"s8[6,N]"},
       [](B&, O x) { return OnesLike(x[0]); },
       "",
       "IND0613"},
      {"full",
       {"u64[N]"},
       [](B&, O x) { return FullLike(x[0], ~uint64_t{0}); },
       "",
       "IND0613"},
      {"scalar like",
       {"f32[N]"},
       [](B&, O x) { return x[0] + ScalarLike(x[0], 2); }},
      // Slices.
      {"index",
       {"f32[9,N]"},
       [](B&, O x) { return Index(x[0], -2); },
       "",
       "IND0207"},
      {"index of the size",
       {"f32[9,N]"},
       [](B&, O x) { return Index(x[0], 2, 1); }},
      {"index from a run-time end",
       {"f32[9,N]"},
       [](B&, O x) { return Index(x[0], -2, 1); },
       "IND0619",
       "IND0619"},
      {"slice in minor dims",
       {"f32[N,9]"},
       [](B&, O x) { return SliceInMinorDims(x[0], {3}, {7}); }},
      {"update slice",
       {"f32[N,9]", "f32[2,3]"},
       [](B&, O x) {
         return UpdateSlice(x[0], x[1], {1, 1});
       },
       "",
       "IND0243"},
      {"update in minor dims",
       {"f32[N,9]", "f32[2,3]"},
       [](B&, O x) { return UpdateSliceInMinorDims(x[0], x[1], {1}); },
       "",
       "IND0243"},
      {"dynamic slice in minor dims",
       {"f32[N,9]", "s32[]"},
       [](B&, O x) { return DynamicSliceInMinorDims(x[0], {x[1]}, {2}); },
       "IND0646",
       "IND0646"},
      {"dynamic update in minor dims",
       {"f32[N,9]", "f32[2,3]", "s32[]"},
       [](B&, O x) {
         return DynamicUpdateSliceInMinorDims(x[0], x[1], {x[2]});
       },
       "",
       "IND0243"},
      {"index select of the size",
       {"f32[N,9]", "s32[2]"},
       [](B&, O x) { return IndexSelect(x[0], x[1], 0); }},
      {"index select",
       {"f32[N,9]", "s32[2]"},
       [](B&, O x) { return IndexSelect(x[0], x[1], 1); },
       "IND0646",
       "IND0646"},
      {"index select, indices",
       {"f32[9,5]", "s32[N]"},
       [](B&, O x) { return IndexSelect(x[0], x[1], 0); }},
      {"torch gather",
       {"f32[N,9]", "s32[2,9]"},
       [](B&, O x) { return TorchGather(x[0], x[1], 0); }},
      {"torch gather, indices",
       {"f32[9,9]", "s32[N,9]"},
       [](B&, O x) { return TorchGather(x[0], x[1], 0); },
       "IND0617",
       "IND0617"},
      // Reductions.
      {"sum", {"f32[N,6]"}, [](B&, O x) { return ReduceSum(x[0], {0}, true); }},
      {"sum of others",
       {"bf16[N,6]"},
       [](B&, O x) { return ReduceSum(x[0], {1}, true); }},
      {"product", {"s32[N,6]"}, [](B&, O x) { return ReduceProd(x[0], {0}); }},
      {"max", {"f32[N,6]"}, [](B&, O x) { return ReduceMax(x[0], {1}); }},
      {"min", {"f32[N,6]"}, [](B&, O x) { return ReduceMin(x[0], {0}); }},
      {"and", {"pred[N,6]"}, [](B&, O x) { return ReduceAnd(x[0], {0}); }},
      {"or", {"pred[N,6]"}, [](B&, O x) { return ReduceOr(x[0], {1}); }},
      {"mean",
       {"f32[N,M,6]"},
       [](B&, O x) {
         return Mean(x[0], {0, 1});
       }},
      {"variance",
       {"f32[N,6]"},
       [](B&, O x) { return Variance(x[0], {0}, true, 1); }},
      {"deviation",
       {"f32[6,N]"},
       [](B&, O x) { return StdDev(x[0], {1}); },
       "",
       "IND0017"},
      {"log sum exp",
       {"f32[N,6]"},
       [](B&, O x) { return LogSumExp(x[0], {0}); }},
      {"argmax of the size",
       {"f32[N,6]"},
       [](B&, O x) { return ArgMax(x[0], 0); },
       "",
       "IND0613"},
      {"argmax",
       {"f32[N,6]"},
       [](B&, O x) { return ArgMax(x[0], 1, ElementType::kS8, true); },
       "",
       "IND0613"},
      {"argmin",
       {"f32[M,N]"},
       [](B&, O x) { return ArgMin(x[0], -1); },
       "",
       "IND0613"},
      // Elementwise functions.
      {"square", {"f32[N]"}, [](B&, O x) { return Square(x[0]); }},
      {"reciprocal", {"f32[N]"}, [](B&, O x) { return Reciprocal(x[0]); }},
      {"atan", {"f32[N]"}, [](B&, O x) { return Atan(x[0]); }},
      {"log add exp",
       {"f32[N,6]", "f32[N,6]"},
       [](B&, O x) { return LogAddExp(x[0], x[1]); }},
      {"is nan", {"f32[N]"}, [](B&, O x) { return IsNan(x[0]); }},
      {"is inf", {"f32[N]"}, [](B&, O x) { return IsInf(x[0]); }},
      {"is positive inf", {"f32[N]"}, [](B&, O x) { return IsPosInf(x[0]); }},
      {"is negative inf", {"f32[N]"}, [](B&, O x) { return IsNegInf(x[0]); }},
      {"relu", {"f32[N]"}, [](B&, O x) { return Relu(x[0]); }},
      {"relu6", {"f32[N]"}, [](B&, O x) { return Relu6(x[0]); }},
      {"leaky relu", {"f32[N]"}, [](B&, O x) { return LeakyRelu(x[0], 0.1); }},
      {"elu", {"f32[N]"}, [](B&, O x) { return Elu(x[0], 1); }},
      {"silu", {"bf16[N]"}, [](B&, O x) { return Silu(x[0]); }},
      {"softplus", {"f32[N]"}, [](B&, O x) { return Softplus(x[0]); }},
      {"log sigmoid", {"f32[N]"}, [](B&, O x) { return LogSigmoid(x[0]); }},
      {"gelu", {"f32[N]"}, [](B&, O x) { return Gelu(x[0], true); }},
      {"gelu, exact", {"f32[N]"}, [](B&, O x) { return Gelu(x[0], false); }},
      {"softmax", {"f32[N,6]"}, [](B&, O x) { return Softmax(x[0], 0); }},
      {"softmax of others",
       {"f16[N,6]"},
       [](B&, O x) { return Softmax(x[0]); }},
      {"log softmax", {"f32[N,6]"}, [](B&, O x) { return LogSoftmax(x[0]); }},
      {"one-hot", {"s32[N]"}, [](B&, O x) { return OneHot(x[0], 5, kF32); }},
      {"one-hot in front",
       {"s32[N,2]"},
       [](B&, O x) { return OneHot(x[0], 5, kF32, 0); },
       "",
       "IND0017"},
      // Matrices.
      {"matmul",
       {"f32[N,6]", "f32[6,M]"},
       [](B&, O x) { return MatMul(x[0], x[1]); }},
      {"matmul over the size",
       {"f32[5,N]", "f32[N,2]"},
       [](B&, O x) { return MatMul(x[0], x[1]); }},
      {"matmul in batches",
       {"f32[N,2,6]", "f32[N,6,3]"},
       [](B&, O x) { return MatMul(x[0], x[1]); }},
      {"matmul of one in batches",
       {"f32[N,2,6]", "f32[6,3]"},
       [](B&, O x) { return MatMul(x[0], x[1]); }},
      {"batch dot",
       {"f32[N,6,2]", "f32[N,3,6]"},
       [](B&, O x) { return BatchDot(x[0], true, x[1], true); }},
      {"transposed",
       {"f32[N,6,M]"},
       [](B&, O x) { return TransposeInMinorDims(x[0]); }},
      {"diagonal",
       {"f32[N,3,3]"},
       [](B&, O x) { return GetMatrixDiagonal(x[0]); },
       "IND0646",
       "IND0646"},
      {"diagonal of the size",
       {"f32[3,N]"},
       [](B&, O x) { return GetMatrixDiagonal(x[0]); },
       "IND0617",
       "IND0617"},
      {"triangle mask",
       {"f32[N,6]"},
       [](B&, O x) { return TriangleMask(x[0], 1); },
       "",
       "IND0613"},
      {"lower triangle",
       {"f32[N,M]"},
       [](B&, O x) { return LowerTriangle(x[0]); },
       "",
       "IND0613"},
      {"upper triangle",
       {"f32[2,N,6]"},
       [](B&, O x) { return UpperTriangle(x[0]); },
       "",
       "IND0613"},
      // Running folds.
      {"cumulative sum", {"f32[N,6]"}, [](B&, O x) { return CumSum(x[0], 1); }},
      {"cumulative product",
       {"f32[N,6]"},
       [](B&, O x) { return CumProd(x[0], 1, true); }},
      {"cumulative max",
       {"f32[6,N]"},
       [](B&, O x) { return CumMax(x[0], 0, false, true); }},
      {"cumulative min", {"s32[6,N]"}, [](B&, O x) { return CumMin(x[0], 0); }},
      {"cumulative log sum exp",
       {"f32[N,6]"},
       [](B&, O x) { return CumLogSumExp(x[0], 1); }},
      {"cumulative sum over the size",
       {"f32[N,6]"},
       [](B&, O x) { return CumSum(x[0], 0); },
       "IND0617",
       "IND0617"},
      // Einsum.
      {"einsum",
       {"f32[N,6]", "f32[6,M]"},
       [](B&, O x) {
         return Einsum("ij,jk->ki", {x[0], x[1]});
       }},
      {"einsum, alone",
       {"f32[N,6]"},
       [](B&, O x) { return Einsum("ij->j", {x[0]}); }},
      {"einsum, stretched",
       {"f32[1,6]", "f32[N,6]"},
       [](B&, O x) {
         return Einsum("...i,...i->...", {x[0], x[1]});
       }},
      {"einsum, diagonal",
       {"f32[N,N]"},
       [](B&, O x) { return Einsum("ii->i", {x[0]}); },
       "",
       "IND0613"},
  };
}

TEST(NamedSizesTest, RefinedAreStatic) {
  ExpectRefinedAreStatic(CasesOfSizes());
}
TEST(NamedSizesTest, UnknownOnesToo) { ExpectUnknownAreStatic(CasesOfSizes()); }
TEST(NamedSizesTest, BoundedOnesAreSaid) {
  ExpectBoundedAreSaid(CasesOfSizes());
}

// The limit that isn't known yet, in all forms of a file.
TEST(NamedSizesTest, AnOpenLimitIsKept) {
  TestBuilder b("open");
  const Module module = *b.Build(b.SliceInDim(b.P("f32[?,784]"), 0, 5, 1, 1));
  EXPECT_THAT(PrintHloText(module), HasSubstr("slice={[0:?], [0:5]}"));
  ParseOptions as_written;
  as_written.fill_missing_layouts = false;
  const absl::StatusOr<Module> again =
      ParseHloText(PrintHloText(module), as_written);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(PrintHloText(*again), PrintHloText(module));
  const absl::StatusOr<std::string> bytes = ExportHloModuleProto(module);
  ASSERT_FALSE(bytes.ok());
  EXPECT_THAT(bytes.status().message(), HasSubstr("[IND0647]"));
}

TEST(NamedSizesTest, SliceInDimKeepsTheName) {
  EXPECT_EQ(ResultOf({"",
                      {"f32[N,784]"},
                      [](TestBuilder& b, const Ops& x) {
                        return b.SliceInDim(x[0], 0, 5, 1, 1);
                      }},
                     "n", "n <= 64"),
            "f32[n,5]");
}

}  // namespace
}  // namespace indim
