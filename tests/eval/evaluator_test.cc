// SPDX-License-Identifier: Apache-2.0
// What single operations and small modules compute: tables of HLO text and the
// literal that it gives.

#include "indim/eval/evaluator.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/fold.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/eval/eval_text.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

// As XLA's CPU computes them: tests/xla/special_values.py has them all.
TEST(EvaluatorTest, SpecialValues) {
  const std::string axis =
      "x = c64[4] constant({(-4,-0),(-4,0),(4,0),(-inf,1)});";
  ExpectValues({
      {"x = c64[4] constant({(0,1),(2,0),(0,0),(nan,0)});"
       "r = pred[4] convert(x)",
       "pred[4] {0, 1, 0, 1}"},
      {"x = f32[3] constant({nan,-inf,1.5});"
       "r = f32[3] reduce-precision(x), exponent_bits=5, mantissa_bits=0",
       "f32[3] {inf, -inf, 2}"},
      {"x = f64[2] constant({1.7976931348623157e308,-1.2e308});"
       "r = f64[2] reduce-precision(x), exponent_bits=11, mantissa_bits=0",
       "f64[2] {inf, -8.98846567431158e+307}"},
      {"x = f32[2] constant({nan,1.5});"
       "r = f32[2] reduce-precision(x), exponent_bits=5, mantissa_bits=1",
       "f32[2] {nan, 1.5}"},
      {(axis + "r = c64[4] sqrt(x)").c_str(),
       "c64[4] {(0, 2), (0, 2), (2, 0), (0, inf)}"},
      {(axis + "r = c64[4] rsqrt(x)").c_str(),
       "c64[4] {(-2.18556941e-08, 0.5), (-2.18556941e-08, -0.5), (0.5, -0), "
       "(-0, -0)}"},
      {"x = c128[1] constant({(-4,0)});r = c128[1] rsqrt(x)",
       "c128[1] {(3.061616997868383e-17, -0.5)}"},
      {"x = c64[2] constant({(1,-0),(0,0)});r = c64[2] cosine(x)",
       "c64[2] {(0.540302277, 0), (1, 0)}"},
      {"x = c64[2] constant({(1,-0),(-0,0)});r = c64[2] sine(x)",
       "c64[2] {(0.841470957, 0), (-0, 0)}"},
      {"x = c64[1] constant({(-0,-0)});r = c64[1] sign(x)",
       "c64[1] {(-0, -0)}"},
      {"x = c64[1] constant({(-0,-0)});r = c64[1] exponential-minus-one(x)",
       "c64[1] {(0, 0)}"},
  });
}

TEST(EvaluatorTest, ArithmeticWrapsAndNeverTraps) {
  ExpectValues({
      {"x = s8[3] constant({100,-128,5});y = s8[3] constant({100,-1,-2});"
       "r = s8[3] add(x,y)",
       "s8[3] {-56, 127, 3}"},
      {"x = s32[3] constant({7,-2147483648,5});y = s32[3] constant({0,-1,-2});"
       "r = s32[3] divide(x,y)",
       "s32[3] {-1, -2147483648, -2}"},
      {"x = s32[3] constant({7,-2147483648,5});y = s32[3] constant({0,-1,-3});"
       "r = s32[3] remainder(x,y)",
       "s32[3] {7, 0, 2}"},
      {"x = s64[1] constant({-9223372036854775808});y = s64[1] constant({-1});"
       "r = s64[1] divide(x,y)",
       "s64[1] {-9223372036854775808}"},
      {"x = u8[3] constant({7,200,255});y = u8[3] constant({0,3,255});"
       "r = u8[3] divide(x,y)",
       "u8[3] {255, 66, 1}"},
      {"x = s4[3] constant({7,-8,3});y = s4[3] constant({1,-1,0});"
       "r = s4[3] add(x,y)",
       "s4[3] {-8, 7, 3}"},
      {"x = s32[4] constant({1,1,-8,-8});y = s32[4] constant({31,32,1,-1});"
       "r = s32[4] shift-left(x,y)",
       "s32[4] {-2147483648, 0, -16, 0}"},
      {"x = s32[4] constant({1,1,-8,-8});y = s32[4] constant({31,32,1,-1});"
       "r = s32[4] shift-right-arithmetic(x,y)",
       "s32[4] {0, 0, -4, -1}"},
      {"x = u2[3] constant({1,2,3});y = u2[3] constant({3,3,2});"
       "r = u2[3] multiply(x,y)",
       "u2[3] {3, 2, 2}"},
      {"x = s16[2] constant({-30000,300});y = s16[2] constant({30000,300});"
       "r = s16[2] mulhi(x,y)",
       "s16[2] {-13733, 1}"},
      {"x = s32[3] constant({-1,2,3});y = s32[3] constant({-2,-1,4});"
       "r = s32[3] power(x,y)",
       "s32[3] {1, 0, 81}"},
      {"x = f32[4] constant({1e30,nan,-1,3.7});r = s32[4] convert(x)",
       "s32[4] {2147483647, 0, -1, 3}"},
      {"x = f32[4] constant({1e30,nan,-1,3.7});r = u8[4] convert(x)",
       "u8[4] {255, 0, 0, 3}"},
      {"x = f32[3] constant({0.5,-0,nan});r = pred[3] convert(x)",
       "pred[3] {1, 0, 1}"},
      {"x = u64[2] constant({18446744073709551615,9007199254740993});"
       "r = f32[2] convert(x)",
       "f32[2] {1.84467441e+19, 9.00719925e+15}"},
      {"x = f32[2] constant({1e9,0.1});r = f8e4m3fn[2] convert(x)",
       "f8e4m3fn[2] {nan, 0.102}"},
      {"x = s32[2] constant({1,0});r = s32[2] and(x,x)", "s32[2] {1, 0}"},
      {"x = pred[2] constant({1,0});y = pred[2] constant({1,1});"
       "r = pred[2] add(x,y)",
       "pred[2] {1, 1}"},
      {"x = f32[2] constant({1,nan});y = f32[2] constant({nan,2});"
       "r = f32[2] maximum(x,y)",
       "f32[2] {nan, nan}"},
      {"x = f32[3] constant({1,5,9});l = f32[] constant(2);h = f32[] "
       "constant(6);"
       "r = f32[3] clamp(l,x,h)",
       "f32[3] {2, 5, 6}"},
  });
}

TEST(EvaluatorTest, MovesElements) {
  ExpectValues({
      {"x = s32[2,3] constant({{1,2,3},{4,5,6}});"
       "r = s32[3,2] transpose(x), dimensions={1,0}",
       "s32[3,2] { { 1, 4 }, { 2, 5 }, { 3, 6 } }"},
      {"x = s32[2,3] constant({{1,2,3},{4,5,6}});"
       "r = s32[2,3] reverse(x), dimensions={1}",
       "s32[2,3] { { 3, 2, 1 }, { 6, 5, 4 } }"},
      {"x = s32[2,3] constant({{1,2,3},{4,5,6}});"
       "r = s32[2,3] shuffle(x), dimensions={1,0}, mode=rotate, "
       "shifts={-2,9223372036854775807}",
       "s32[2,3] { { 5, 6, 4 }, { 2, 3, 1 } }"},
      {"x = s32[0] constant({});r = s32[0] shuffle(x), dimensions={0}, "
       "mode=rotate, shifts={1}",
       "s32[0] {}"},
      {"x = s32[5] constant({0,1,2,3,4});r = s32[2] slice(x), slice={[1:5:3]}",
       "s32[2] {1, 4}"},
      {"x = s32[3] constant({1,2,3});z = s32[] constant(0);"
       "r = s32[6] pad(x,z), padding=-1_2_1",
       "s32[6] {0, 2, 0, 3, 0, 0}"},
      {"x = s32[2] constant({1,2});r = s32[2,2] broadcast(x), dimensions={0}",
       "s32[2,2] { { 1, 1 }, { 2, 2 } }"},
      {"x = s32[3] constant({1,2,3});i = s32[] constant(9);"
       "r = s32[2] dynamic-slice(x,i), dynamic_slice_sizes={2}",
       "s32[2] {2, 3}"},
      {"x = s32[3] constant({1,2,3});u = s32[1] constant({9});i = s32[] "
       "constant(-4);"
       "r = s32[3] dynamic-update-slice(x,u,i)",
       "s32[3] {9, 2, 3}"},
      // More batches of indices than of the operand.
      {"x = s32[2] constant({1,2});i = s32[3,0] constant({{},{},{}});"
       "r = s32[3] gather(x,i), offset_dims={}, collapsed_slice_dims={}, "
       "start_index_map={}, operand_batching_dims={0}, "
       "start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1}",
       "s32[3] {1, 2, 2}"},
      // Nothing can be taken from an array that is empty.
      {"x = f32[0] constant({});i = s32[0] constant({});"
       "r = f32[0] gather(x,i), offset_dims={}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={0}",
       "f32[0] {}"},
      {"x = f32[0] constant({});i = s32[1] constant({0});"
       "r = f32[1] gather(x,i), offset_dims={}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={0}",
       "!IND0855"},
      {"r = bf16[2,2] iota(), iota_dimension=1",
       "bf16[2,2] { { 0, 1 }, { 0, 1 } }"},
      {"x = u32[1] constant({4293844428});r = u8[1,4] bitcast-convert(x)",
       "u8[1,4] { { 204, 221, 238, 255 } }"},
      {"x = s4[1,2] constant({{-1,1}});r = u8[1] bitcast-convert(x)",
       "u8[1] {31}"},
      {"x = s32[4] constant({4,1,3,2});"
       "r = (s32[2], s32[2]) topk(x), k=2, largest=true",
       "(s32[2], s32[2]) ( {4, 3}, {0, 2} )"},
  });
}

TEST(EvaluatorTest, SizesAreValues) {
  ExpectValues(
      {
          {"x = s32[4] constant({4,1,3,2});n = s32[] constant(2);"
           "r = s32[<=4] set-dimension-size(x,n), dimensions={0}",
           "s32[<=4] {4, 1}"},
          {"x = s32[4] constant({4,1,3,2});n = s32[] constant(2);"
           "d = s32[<=4] set-dimension-size(x,n), dimensions={0};"
           "r = s32[] get-dimension-size(d), dimensions={0}",
           "s32[] 2"},
          {"x = s32[4] constant({4,1,3,2});n = s32[] constant(5);"
           "r = s32[<=4] set-dimension-size(x,n), dimensions={0}",
           "!IND0855"},
          {"x = s32[4] constant({4,1,3,2});n = s32[] constant(2);"
           "d = s32[<=4] set-dimension-size(x,n), dimensions={0};"
           "y = s32[<=4] add(d,d);c = s32[<=8] concatenate(y,d), "
           "dimensions={0};"
           "z = s32[] constant(0);r = s32[] reduce(c,z), dimensions={0}, "
           "to_apply=sum",
           "s32[] 15"},
      },
      "sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] "
      "add(a,b) "
      "}\n");
}

// A bounded dim of which less is there cuts what is as long as is asked: static
// operands and broadcasts into it. All results are XLA's (CPU, jaxlib 0.10.2),
// but for that of clamp, whose result jaxlib makes static on the way to XLA.
TEST(EvaluatorTest, BoundedDimsTakeTheSizeThatOneOperandHas) {
  const std::string live =
      "i = f32[6] iota(), iota_dimension=0;n = s32[] constant(4);"
      "d = f32[<=6] set-dimension-size(i,n), dimensions={0};"
      "one = s32[] constant(1);"
      "d1 = f32[<=6] set-dimension-size(i,one), dimensions={0};"
      "c = f32[] constant(10);"
      "full = f32[<=6] broadcast(c), dimensions={};"
      "whole = f32[6] broadcast(c), dimensions={};";
  struct Sized {
    const char* root;
    const char* expected;
  };
  const Sized kCases[] = {
      {"r = f32[<=6] add(d,full)", "f32[<=6] {10, 11, 12, 13}"},
      {"r = f32[<=6] add(full,d)", "f32[<=6] {10, 11, 12, 13}"},
      {"r = f32[<=6] add(d,whole)", "f32[<=6] {10, 11, 12, 13}"},
      {"r = f32[<=6] add(whole,d)", "f32[<=6] {10, 11, 12, 13}"},
      {"s = f32[<=6] add(full,full);r = f32[<=6] multiply(s,d)",
       "f32[<=6] {0, 20, 40, 60}"},
      {"r = f32[<=6] add(whole,d1)", "f32[<=6] {10}"},
      {"r = f32[<=6] clamp(d,whole,whole)", "f32[<=6] {10, 10, 10, 10}"},
      {"p = pred[<=6] compare(d,full), direction=LT;"
       "r = f32[<=6] select(p,d,full)",
       "f32[<=6] {0, 1, 2, 3}"},
      {"p = pred[6] compare(i,whole), direction=LT;"
       "r = f32[<=6] select(p,full,d)",
       "f32[<=6] {10, 10, 10, 10}"},
      // Grown up to the bound, not past it.
      {"five = s32[] constant(5);"
       "r = f32[<=6] set-dimension-size(d,five), dimensions={0}",
       "f32[<=6] {0, 1, 2, 3, 4}"},
      {"six = s32[] constant(6);"
       "r = f32[6] set-dimension-size(d,six), dimensions={0}",
       "f32[6] {0, 1, 2, 3, 4, 5}"},
      {"seven = s32[] constant(7);"
       "r = f32[<=6] set-dimension-size(d,seven), dimensions={0}",
       "!IND0855"},
  };
  for (const Sized& c : kCases) {
    EXPECT_EQ(Eval("HloModule m\n" + EntryOf(live + c.root)), c.expected)
        << c.root;
  }
}

// A stack that grows by one in each turn.
TEST(EvaluatorTest, PushesOntoABoundedBuffer) {
  EXPECT_EQ(Eval(R"(HloModule push
cond {
  t = (f32[<=4], s32[]) parameter(0)
  k = s32[] get-tuple-element(t), index=1
  l = s32[] constant(3)
  ROOT c = pred[] compare(k, l), direction=LT
}
body {
  t = (f32[<=4], s32[]) parameter(0)
  k = s32[] get-tuple-element(t), index=1
  b = f32[<=4] get-tuple-element(t), index=0
  one = s32[] constant(1)
  k1 = s32[] add(k, one)
  g = f32[<=4] set-dimension-size(b, k1), dimensions={0}
  kf = f32[] convert(k1)
  kr = f32[1] reshape(kf)
  u = f32[<=4] dynamic-update-slice(g, kr, k)
  ROOT r = (f32[<=4], s32[]) tuple(u, k1)
}
ENTRY e {
  z = f32[] constant(0)
  b = f32[4] broadcast(z), dimensions={}
  n = s32[] constant(0)
  d = f32[<=4] set-dimension-size(b, n), dimensions={0}
  t = (f32[<=4], s32[]) tuple(d, n)
  w = (f32[<=4], s32[]) while(t), condition=cond, body=body
  ROOT o = f32[<=4] get-tuple-element(w), index=0
})"),
            "f32[<=4] {1, 2, 3}");
}

// 10^12 products aren't begun, in a callee either; a loop counts as nothing.
TEST(EvaluatorTest, RefusesAtOnceWhatTakesTooLong) {
  const absl::StatusOr<Module> module = ParseHloText(R"(HloModule m
inner {
  x = f32[10000,10000] parameter(0)
  ROOT big = f32[10000,10000] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
ENTRY e {
  c = f32[] constant(1)
  x = f32[10000,10000] broadcast(c), dimensions={}
  ROOT r = f32[10000,10000] call(x), to_apply=inner
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::Status status = Evaluate(*module, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(absl::StrContains(
      status.message(),
      "evaluation needs more than 2000000000 steps: at least 1000000000000, "
      "of which this takes 1000000000000"))
      << status.message();
  EXPECT_TRUE(absl::StrContains(status.message(), "big")) << status.message();
}

TEST(EvaluatorTest, ConvertsNoArgument) {
  const absl::StatusOr<Module> module =
      ParseHloText("HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }\n");
  ASSERT_TRUE(module.ok());
  const double large = 1e300;
  const absl::StatusOr<Literal> wide = Literal::FromBytes(
      *ParseShape("f64[]"),
      std::string(reinterpret_cast<const char*>(&large), sizeof(large)));
  ASSERT_TRUE(wide.ok());
  const absl::Status status = Evaluate(*module, {*wide}).status();
  EXPECT_EQ(ErrorText(status),
            "parameter 0 is f32[], but its argument is f64[]; to fix: convert "
            "the argument's elements (in NumPy: x.astype)  [IND0854]");
  EXPECT_EQ(ErrorText(Evaluate(*module, {}).status()),
            "the module takes 1 argument, not 0; to fix: give one for each "
            "parameter  [IND0854]");
}

// Where XLA's CPU and the reference of other projects go apart, as XLA.
TEST(EvaluatorTest, OddNumbersAsInXla) {
  ExpectValues({
      {"x = f32[4] constant({nan,inf,1.7,-1e30});"
       "r = f32[4] reduce-precision(x), exponent_bits=5, mantissa_bits=0",
       "f32[4] {inf, inf, 2, -inf}"},
      // Half way between powers of two the last bit of the exponent is even.
      {"x = f32[6] constant({1.5,3,6,12,-0.75,3.5});"
       "r = f32[6] reduce-precision(x), exponent_bits=8, mantissa_bits=0",
       "f32[6] {2, 2, 8, 8, -0.5, 4}"},
      {"x = f32[4] constant({-1,0,10,inf});r = f32[4] exp2(x)",
       "f32[4] {0.5, 1, 1024, inf}"},
      {"x = f64[4] constant({0.5,1,1024,0});r = f64[4] log2(x)",
       "f64[4] {-1, 0, 10, -inf}"},
      {"x = c64[1] constant({(3,0)});r = c64[1] exp2(x)", "c64[1] {(8, 0)}"},
      {"x = c64[2] constant({(8,0),(0,-2)});r = c64[2] log2(x)",
       "c64[2] {(3, 0), (1, -2.26618)}"},
      // Complex numbers are ordered by their real parts.
      {"x = c64[3] constant({(1,2),(1,-3),(nan,1)});"
       "y = c64[3] constant({(1,3),(1,2),(1,1)});"
       "r = c64[3] maximum(x,y)",
       "c64[3] {(1, 2), (1, -3), (1, 1)}"},
      {"x = c64[3] constant({(1,2),(1,-3),(2,0)});"
       "y = c64[3] constant({(1,1),(1,-4),(-2,0)});"
       "r = c64[3] minimum(x,y)",
       "c64[3] {(1, 2), (1, -3), (-2, 0)}"},
      // The absolute value of what is beyond the largest number.
      {"x = c128[1] constant({(-1.7e308,1.7e308)});"
       "l = c128[1] log-plus-one(x);a = f64[1] real(l);"
       "r = s32[1] convert(a)",
       "s32[1] {710}"},
      // Exact, modulo 2^64, however large the exponent is.
      {"x = s64[3] constant({-2,3,-1});"
       "y = s64[3] constant({64,41,-9223372036854775808});"
       "r = s64[3] power(x,y)",
       "s64[3] {0, -420491770248316829, 1}"},
      {"x = u16[3] constant({15,3,65535});y = u16[3] "
       "constant({65535,32768,65535});r = u16[3] power(x,y)",
       "u16[3] {61167, 1, 65535}"},
  });
}

// The results are those of XLA's CPU. The exact second one, rounded, is
// -0.0884.
TEST(EvaluatorTest, SolvesNarrowSystemsInTheStepsOfXla) {
  const std::string triangle =
      "a = bf16[3,3] constant({{-4.3125,-2.796875,1.203125},"
      "{-1.6015625,1.6015625,2.40625},{-4.3125,3.09375,-1.796875}});"
      "b = bf16[3,1] constant({{6.3125},{2.203125},{-1.6015625}});";
  EXPECT_EQ(Eval(EntryOf(triangle +
                         "x = bf16[3,1] triangular-solve(a, b), left_side=true,"
                         " lower=true, transpose_a=NO_TRANSPOSE")),
            "bf16[3,1] { {-1.461}, {-0.08398}, {4.25} }");
  // More matrices than XLA inverts.
  EXPECT_EQ(Eval(EntryOf(triangle +
                         "aa = bf16[9,3,3] broadcast(a), dimensions={1,2};"
                         "bb = bf16[9,3,1] broadcast(b), dimensions={1,2};"
                         "xx = bf16[9,3,1] triangular-solve(aa, bb),"
                         " left_side=true, lower=true,"
                         " transpose_a=NO_TRANSPOSE;"
                         "y = bf16[1,3,1] slice(xx), slice={[8:9],[0:3],[0:1]};"
                         "r = bf16[3] reshape(y)")),
            "bf16[3] {-1.461, -0.08789, 4.25}");
}

TEST(EvaluatorTest, RunsComputations) {
  ExpectValues(
      {
          {"x = s32[] constant(0);r = s32[] while(x), condition=small, "
           "body=inc",
           "s32[] 10"},
          {"p = pred[] constant(false);x = s32[] constant(5);"
           "r = s32[] conditional(p,x,x), true_computation=inc, "
           "false_computation=twice",
           "s32[] 10"},
          {"p = s32[] constant(-3);x = s32[] constant(5);"
           "r = s32[] conditional(p,x,x,x), "
           "branch_computations={inc,inc,twice}",
           "s32[] 10"},
          {"x = s32[3] constant({1,2,3});r = s32[3] map(x), dimensions={0}, "
           "to_apply=twice",
           "s32[3] {2, 4, 6}"},
          {"x = s32[4] constant({4,1,3,2});r = s32[4] sort(x), dimensions={0}, "
           "to_apply=less",
           "s32[4] {1, 2, 3, 4}"},
          {"x = s32[4] constant({4,1,3,2});z = s32[] constant(0);"
           "r = s32[3] reduce-window(x,z), window={size=2}, to_apply=sum",
           "s32[3] {5, 4, 5}"},
          {"x = s32[4] constant({4,1,3,2});i = s32[3,1] "
           "constant({{3},{9},{0}});"
           "u = s32[3] constant({10,20,30});r = s32[4] scatter(x,i,u), "
           "update_window_dims={}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
           "s32[4] {34, 1, 3, 12}"},
          {"x = s32[3] constant({1,2,3});c = s32[] constant(10);"
           "r = (s32[3], s32[]) scan(x,c), dimensions={0}, num_carries=1, "
           "to_apply=running",
           "(s32[3], s32[]) ( {11, 13, 16}, 16 )"},
      },
      "small { a = s32[] parameter(0) t = s32[] constant(10) "
      "ROOT c = pred[] compare(a,t), direction=LT }\n"
      "inc { a = s32[] parameter(0) o = s32[] constant(1) ROOT s = s32[] "
      "add(a,o) }\n"
      "twice { a = s32[] parameter(0) ROOT s = s32[] add(a,a) }\n"
      "less { a = s32[] parameter(0) b = s32[] parameter(1) "
      "ROOT c = pred[] compare(a,b), direction=LT }\n"
      "sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] "
      "add(a,b) "
      "}\n"
      "running { a = s32[] parameter(0) b = s32[] parameter(1) s = s32[] "
      "add(a,b) "
      "ROOT t = (s32[], s32[]) tuple(s,s) }\n");
}

TEST(EvaluatorTest, SaysWhyItCannot) {
  ExpectValues(
      {
          {"t = token[] after-all();r = (f32[2], token[]) infeed(t)",
           "!IND0850"},
          {"r = f32[2] custom-call(), custom_call_target=\"x\"", "!IND0850"},
          {"x = f32[2] constant({1,2});r = f32[2] and(x,x)", "!IND0851"},
          {"x = s32[] constant(0);r = s32[] while(x), condition=always, "
           "body=same",
           "!IND0852"},
          // Nothing but parameters: a turn counts all the same.
          {"x = pred[] constant(true);r = pred[] while(x), condition=bare, "
           "body=bare2",
           "!IND0852"},
          {"x = f32[2] constant({1,2});r = f32[3] negate(x)", "!IND0853"},
      },
      "bare { ROOT a = pred[] parameter(0) }\n"
      "bare2 { ROOT a = pred[] parameter(0) }\n"
      "always { a = s32[] parameter(0) ROOT p = pred[] constant(true) }\n"
      "same { ROOT a = s32[] parameter(0) }\n");
}

TEST(EvaluatorTest, KeepsToItsLimits) {
  EvalOptions options;
  options.max_steps = 1000;
  const std::string iota = EntryOf("r = f32[100000] iota(), iota_dimension=0");
  EXPECT_EQ(Eval(iota, options), "!IND0852");
  options.max_steps = 1000000;
  options.max_bytes = 1000;
  EXPECT_EQ(Eval(iota, options), "!IND0852");
  // As many bytes as nobody has.
  EXPECT_EQ(Eval(EntryOf("r = f32[1099511627776,1048576] iota(), "
                         "iota_dimension=0")),
            "!IND0852");
  std::string nested = "HloModule m\ng0 { ROOT a = s32[] parameter(0) }\n";
  for (int i = 1; i < 1000; ++i) {
    absl::StrAppend(
        &nested, "g", i,
        " { a = s32[] parameter(0) ROOT c = s32[] call(a), to_apply=g", i - 1,
        " }\n");
  }
  EXPECT_EQ(Eval(nested + EntryOf("x = s32[] constant(7);"
                                  "r = s32[] call(x), to_apply=g999")),
            "!IND0852");
}

TEST(FoldTest, FoldsWhatDependsOnConstantsAlone) {
  const absl::StatusOr<Module> module = ParseHloText(R"(
HloModule m
ENTRY e {
  x = f32[4,?] parameter(0)
  n = s32[] parameter(1)
  a = s32[] get-dimension-size(x), dimensions={0}
  b = s32[] get-dimension-size(x), dimensions={1}
  two = s32[] constant(2)
  c = s32[] multiply(a, two)
  d = s32[] add(c, n)
  e = s32[] add(b, two)
  ROOT t = (s32[], s32[], s32[]) tuple(c, d, e)
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto fold = [&](int index, ConstantFolder* folder) {
    const std::optional<Literal> value = folder->Fold(index);
    return value ? value->ToString() : "?";
  };
  ConstantFolder folder(module->entry());
  EXPECT_EQ(fold(5, &folder), "8");
  EXPECT_EQ(fold(6, &folder), "?");  // n
  EXPECT_EQ(fold(7, &folder), "?");  // a size that isn't known
  EXPECT_EQ(fold(8, &folder), "?");
  ConstantFolder bound(module->entry());
  const int32_t five[] = {5};
  ASSERT_TRUE(
      bound.Bind(1, *Literal::Array(absl::MakeConstSpan(five), {})).ok());
  EXPECT_EQ(fold(6, &bound), "13");
  EXPECT_EQ(ConstantFolder(module->entry()).FoldIntegers(5),
            std::vector<int64_t>{8});
  EXPECT_EQ(ConstantFolder(module->entry()).FoldIntegers(0), std::nullopt);
}

}  // namespace
}  // namespace indim
