// SPDX-License-Identifier: Apache-2.0
// Derivatives beside numerical ones: tables of HLO text in f64, of each family
// of operations, in reverse and forward mode and of second order.

#include "indim/grad/gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/computation_builder.h"
#include "indim/passes/check/verify_module.h"
#include "indim/tests/grad/bodies.h"
#include "indim/tests/grad/probe.h"

namespace indim {
namespace {

TEST(GradientTest, ElementwiseOfOneOperand) {
  for (const char* op : {"abs",
                         "acos",
                         "asin",
                         "asinh",
                         "atanh",
                         "cbrt",
                         "cosh",
                         "cosine",
                         "erf",
                         "exponential",
                         "exponential-minus-one",
                         "exp2",
                         "log2",
                         "log",
                         "log-plus-one",
                         "logistic",
                         "negate",
                         "rsqrt",
                         "sine",
                         "sinh",
                         "sqrt",
                         "tan",
                         "tanh",
                         "copy",
                         "real"}) {
    // In (0.15, 0.65), where all are defined.
    ExpectDerivative(BodyModule(absl::StrCat(
                         "x = f64[3] parameter(0);c = f64[] constant(0.5);"
                         "h = f64[3] broadcast(c), dimensions={};"
                         "y = f64[3] multiply(x, h);r = f64[3] ",
                         op, "(y)")),
                     op);
  }
  ExpectDerivative(BodyModule("x = f64[3] parameter(0);c = f64[] constant(1);"
                              "h = f64[3] broadcast(c), dimensions={};"
                              "y = f64[3] add(x, h);r = f64[3] acosh(y)"),
                   "acosh");
}

// In each quarter of the plane, on both sides of the circle of 1.
TEST(GradientTest, ElementwiseOfComplexNumbers) {
  const std::pair<const char*, const char*> kQuarters[] = {
      {"1.5", "1.5"}, {"-1.5", "1.5"}, {"-1.5", "-1.5"}, {"1.5", "-1.5"}};
  for (const char* op : {"acos",         "acosh",       "asin",
                         "asinh",        "atanh",       "cosh",
                         "cosine",       "exponential", "exponential-minus-one",
                         "exp2",         "log2",        "log",
                         "log-plus-one", "logistic",    "negate",
                         "rsqrt",        "sine",        "sinh",
                         "sqrt",         "tan",         "tanh"}) {
    for (const auto& [re, im] : kQuarters) {
      ExpectDerivative(
          BodyModule(absl::StrCat(
              "x = f64[3] parameter(0);y = f64[3] parameter(1);"
              "a = f64[] constant(",
              re, ");b = f64[] constant(", im,
              ");c = f64[3] broadcast(a), dimensions={};"
              "d = f64[3] broadcast(b), dimensions={};"
              "p = f64[3] multiply(x, c);q = f64[3] multiply(y, d);"
              "z = c128[3] complex(p, q);w = c128[3] ",
              op,
              "(z);u = f64[3] real(w);v = f64[3] imag(w);"
              "s = f64[3] sine(v);r = f64[3] add(u, s)")),
          absl::StrCat(op, " ", re, " ", im));
    }
  }
}

TEST(GradientTest, ElementwiseOfTwoOperands) {
  for (const char* op : {"add", "subtract", "multiply", "divide", "maximum",
                         "minimum", "power", "atan2", "remainder"}) {
    ExpectDerivative(
        BodyModule(absl::StrCat(
            "x = f64[3] parameter(0);y = f64[3] parameter(1);r = f64[3] ", op,
            "(x, y)")),
        op);
  }
}

// Bodies of an entry; the results are f64.
const char* const kBodies[] = {
    "x = f64[3] parameter(0);y = f64[] parameter(1);z = f64[] parameter(2);"
    "t = f64[] add(y, z);r = f64[3] clamp(y, x, t)",
    "x = f64[3] parameter(0);y = f64[3] parameter(1);"
    "p = pred[3] compare(x, y), direction=LT;s = f64[3] sine(x);"
    "r = f64[3] select(p, s, y)",
    "x = f64[3] parameter(0);y = f64[3] parameter(1);"
    "p = pred[3] compare(x, y), direction=LT;s = f64[3] select(p, x, x);"
    "r = f64[3] sine(s)",
    "x = f64[3] parameter(0);p = pred[] constant(false);"
    "s = f64[3] select(p, x, x);r = f64[3] sine(s)",
    "x = f64[2,3] parameter(0);r = f64[3,4,2] broadcast(x), dimensions={2,0}",
    "x = f64[2,3] parameter(0);y = f64[6] reshape(x);r = f64[6] sine(y)",
    "x = f64[2,3,4] parameter(0);y = f64[4,2,3] transpose(x), "
    "dimensions={2,0,1};r = f64[4,2,3] sine(y)",
    "x = f64[2,3] parameter(0);y = f64[2,3] reverse(x), dimensions={1};"
    "r = f64[2,3] multiply(y, x)",
    "x = f64[2,3] parameter(0);y = f64[2,3] shuffle(x), dimensions={1,0}, "
    "mode=rotate, shifts={-4,-9223372036854775808};"
    "r = f64[2,3] multiply(y, x)",
    "x = f64[7,3] parameter(0);y = f64[3,2] slice(x), slice={[1:6:2], [1:3]};"
    "r = f64[3,2] sine(y)",
    "x = f64[4] parameter(0);v = f64[] parameter(1);"
    "y = f64[11] pad(x, v), padding=-1_2_2;r = f64[11] sine(y)",
    "x = f64[2,3] parameter(0);y = f64[2,2] parameter(1);"
    "z = f64[2,5] concatenate(x, y), dimensions={1};r = f64[2,5] sine(z)",
    "x = f64[5] parameter(0);i = s32[] parameter(1);"
    "y = f64[2] dynamic-slice(x, i), dynamic_slice_sizes={2};"
    "r = f64[2] sine(y)",
    "x = f64[5] parameter(0);u = f64[2] parameter(1);i = s32[] parameter(2);"
    "y = f64[5] dynamic-update-slice(x, u, i);r = f64[5] sine(y)",
    "x = f64[4,3] parameter(0);i = s32[5,1] parameter(1);"
    "y = f64[5,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3};"
    "r = f64[5,3] sine(y)",
    "x = f64[5] parameter(0);y = f64[5] sine(x);z = f64[] constant(0);"
    "r = f64[] reduce(y, z), dimensions={0}, to_apply=add",
    "x = f64[5,2] parameter(0);z = f64[] parameter(1);"
    "r = f64[2] reduce(x, z), dimensions={0}, to_apply=mul",
    // Tuples of one.
    "x = f64[5,2] parameter(0);z = f64[] parameter(1);"
    "t = (f64[2]) reduce(x, z), dimensions={0}, to_apply=one;"
    "r = f64[2] get-tuple-element(t), index=0",
    "x = f64[5] parameter(0);z = f64[] constant(0);"
    "t = (f64[4]) reduce-window(x, z), window={size=2}, to_apply=one;"
    "r = f64[4] get-tuple-element(t), index=0",
    "x = f64[5,2] parameter(0);z = f64[] constant(-inf);"
    "r = f64[5] reduce(x, z), dimensions={1}, to_apply=max",
    "x = f64[5,2] parameter(0);z = f64[] parameter(1);"
    "r = f64[2] reduce(x, z), dimensions={0}, to_apply=logadd",
    "x = f64[6] parameter(0);z = f64[] constant(0);y = f64[6] sine(x);"
    "r = f64[3] reduce-window(y, z), window={size=3 stride=2 pad=1_0}, "
    "to_apply=add",
    "x = f64[6] parameter(0);z = f64[] constant(-inf);"
    "r = f64[3] reduce-window(x, z), window={size=2 stride=2}, to_apply=max",
    "x = f64[5] parameter(0);z = f64[] constant(1);"
    "r = f64[5] reduce-window(x, z), window={size=5 pad=4_0}, to_apply=mul",
    // The initial value wins somewhere.
    "x = f64[6] parameter(0);z = f64[] constant(0.9);"
    "r = f64[3] reduce-window(x, z), window={size=2 stride=2}, to_apply=max",
    "x = f64[5,2] parameter(0);z = f64[] constant(0.9);"
    "r = f64[5] reduce(x, z), dimensions={1}, to_apply=max",
    "x = f64[2] parameter(0);z = f64[] constant(0.5);"
    "r = f64[3] reduce-window(x, z), window={size=2 pad=1_1}, to_apply=mul",
    "x = f64[3] parameter(0);w = f64[3] parameter(1);i = s32[] constant(0);"
    "t = (s32[], f64[3], f64[3]) tuple(i, x, w);"
    "l = (s32[], f64[3], f64[3]) while(t), condition=cond2, body=body2;"
    "r = f64[3] get-tuple-element(l), index=1",
    // A loop of unknown length that hands on what has tangents.
    "x = f64[3] parameter(0);i = s32[] constant(0);"
    "t = (s32[], f64[3]) tuple(i, x);"
    "l = (s32[], f64[3]) while(t), condition=cond3, body=body3;"
    "y = f64[3] get-tuple-element(l), index=1;r = f64[3] sine(y)",
    "x = f64[2,3] parameter(0);y = f64[3,4] parameter(1);"
    "r = f64[2,4] dot(x, y), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={0}",
    "x = f64[2,3,4] parameter(0);y = f64[5,4,2] parameter(1);"
    "r = f64[2,3,5] dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
    "rhs_batch_dims={2}, rhs_contracting_dims={1}",
    "x = f64[2,7,4] parameter(0);k = f64[3,2,6] parameter(1);"
    "r = f64[2,3,6] convolution(x, k), window={size=3 stride=2 pad=1_0 "
    "rhs_dilate=1}, dim_labels=b0f_0io->b0f, feature_group_count=2",
    "x = f64[4,5,2] parameter(0);k = f64[3,2,4] parameter(1);"
    "r = f64[2,6,4] convolution(x, k), window={size=3 pad=0_-1 lhs_dilate=2}, "
    "dim_labels=b0f_0io->b0f, batch_group_count=2",
    "x = f64[5] parameter(0);r = f64[5] sort(x), dimensions={0}, to_apply=lt",
    "x = f64[2,5] parameter(0);t = (f64[2,2], s32[2,2]) topk(x), k=2, "
    "largest=true;r = f64[2,2] get-tuple-element(t), index=0",
    "x = f64[5] parameter(0);i = s32[3,1] parameter(1);u = f64[3] parameter(2);"
    "y = f64[5] scatter(x, i, u), update_window_dims={}, "
    "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=1, to_apply=add;r = f64[5] sine(y)",
    "x = f64[5] parameter(0);i = s32[3,1] parameter(1);u = f64[3] parameter(2);"
    "y = f64[5] scatter(x, i, u), update_window_dims={}, "
    "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=1, to_apply=second;r = f64[5] sine(y)",
    "x = f64[5] parameter(0);i = s32[3,1] parameter(1);u = f64[3] parameter(2);"
    "y = f64[5] scatter(x, i, u), update_window_dims={}, "
    "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=1, to_apply=mul;r = f64[5] sine(y)",
    "x = f64[5] parameter(0);i = s32[3,1] constant({{0},{4},{2}});"
    "u = f64[3] parameter(1);r = f64[5] scatter(x, i, u), "
    "update_window_dims={}, inserted_window_dims={0}, "
    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
    "unique_indices=true, to_apply=odd",
    "x = f64[6] parameter(0);s = f64[3] parameter(1);z = f64[] parameter(2);"
    "r = f64[6] select-and-scatter(x, s, z), window={size=2 stride=2}, "
    "select=ge, scatter=add",
    "x = f64[3] parameter(0);y = f64[3] parameter(1);"
    "r = f64[3] call(x, y), to_apply=two",
    "x = f64[3] parameter(0);y = f64[3] parameter(1);r = f64[3] map(x, y), "
    "dimensions={0}, to_apply=odd",
    "x = f64[3] parameter(0);y = f64[3] parameter(1);"
    "t = (f64[3], f64[3]) tuple(x, y);i = s32[] constant(0);"
    "r = f64[3] conditional(i, t, x), branch_computations={f, g}",
    "x = f64[3] parameter(0);w = f64[3,3] parameter(1);i = s32[] constant(0);"
    "t = (s32[], f64[3], f64[3,3]) tuple(i, x, w);"
    "l = (s32[], f64[3], f64[3,3]) while(t), condition=cond, body=body;"
    "r = f64[3] get-tuple-element(l), index=1",
    "x = f64[4,2] parameter(0);c = f64[2] parameter(1);"
    "r = (f64[4,2], f64[2]) scan(x, c), dimensions={0}, num_carries=1, "
    "is_reverse=true, is_associative=false, to_apply=step",
    "a = f64[3,3] parameter(0);b = f64[3,2] parameter(1);"
    "r = f64[3,2] triangular-solve(a, b), left_side=true, lower=true, "
    "transpose_a=NO_TRANSPOSE",
    "a = f64[3,3] parameter(0);b = f64[2,3] parameter(1);"
    "r = f64[2,3] triangular-solve(a, b), left_side=false, lower=false, "
    "unit_diagonal=true, transpose_a=TRANSPOSE",
    "x = f64[4,3] parameter(0);s = f64[3] parameter(1);o = f64[3] parameter(2);"
    "r = (f64[4,3], f64[3], f64[3]) batch-norm-training(x, s, o), "
    "epsilon=0.01, feature_index=1",
    "x = f64[4,3] parameter(0);s = f64[3] parameter(1);o = f64[3] parameter(2);"
    "m = f64[3] parameter(3);v = f64[3] parameter(4);"
    "r = f64[4,3] batch-norm-inference(x, s, o, m, v), epsilon=0.01, "
    "feature_index=1",
    "x = f64[4,3] parameter(0);s = f64[3] parameter(1);m = f64[3] parameter(2);"
    "v = f64[3] parameter(3);g = f64[4,3] parameter(4);"
    "r = (f64[4,3], f64[3], f64[3]) batch-norm-grad(x, s, m, v, g), "
    "epsilon=0.01, feature_index=1",
    "x = f64[8] parameter(0);c = c128[5] fft(x), fft_type=RFFT, fft_length={8};"
    "i = f64[5] imag(c);q = f64[5] real(c);s = f64[5] sine(q);"
    "r = f64[5] multiply(s, i)",
    "x = f64[5] parameter(0);y = f64[5] parameter(1);c = c128[5] complex(x, y);"
    "d = c128[5] fft(c), fft_type=IFFT, fft_length={5};e = c128[5] multiply(d, "
    "c);r = f64[8] fft(e), fft_type=IRFFT, fft_length={8}",
    "x = f64[3] parameter(0);y = f64[3] parameter(1);c = c128[3] complex(x, y);"
    "t = c128[3] tanh(c);r = f64[3] abs(t)",
    // The ragged dim is free, contracted, a batch dim; rows outside all groups;
    // sizes one by one.
    "x = f64[5,3] parameter(0);y = f64[2,3,4] parameter(1);"
    "s = s32[2] constant({2,2});r = f64[5,4] ragged-dot(x, y, s), "
    "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
    "rhs_group_dims={0}",
    "x = f64[3,5] parameter(0);y = f64[5,4] parameter(1);"
    "s = s32[2] constant({3,1});r = f64[2,3,4] ragged-dot(x, y, s), "
    "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}",
    "x = f64[4,2,3] parameter(0);y = f64[4,3,2] parameter(1);"
    "s = s32[2] constant({1,2});r = f64[4,2,2] ragged-dot(x, y, s), "
    "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
    "rhs_contracting_dims={1}, lhs_ragged_dims={0}",
    "x = f64[2,4,3] parameter(0);y = f64[3,3,2] parameter(1);"
    "s = s32[2,3] constant({{1,2,0},{2,1,1}});r = f64[2,4,2] ragged-dot(x, y, "
    "s), lhs_contracting_dims={2}, rhs_contracting_dims={1}, "
    "lhs_ragged_dims={1}, rhs_group_dims={0}",
    "x = f64[4,6] parameter(0);y = f64[6,3] parameter(1);"
    "a = f64[2,3] parameter(2);b = f64[3,1] parameter(3);"
    "r = f64[4,3] scaled-dot(x, y, a, b), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={0}",
    "x = f64[4] parameter(0);s = f64[4] sine(x);n = s32[] constant(4);"
    "r = f64[4] set-dimension-size(s, n), dimensions={0}",
    // The initial value of a window is none of the fold's identities.
    "x = f64[5] parameter(0);z = f64[] parameter(1);r = f64[4] "
    "reduce-window(x, z), window={size=2 stride=2 pad=2_1}, to_apply=logadd",
    "x = f64[3] parameter(0);z = f64[] parameter(1);r = f64[4] "
    "reduce-window(x, z), window={size=2 lhs_dilate=2}, to_apply=logadd",
};

TEST(GradientTest, OperationsOfEachFamily) {
  for (const char* body : kBodies) ExpectDerivative(BodyModule(body), body);
}

// A scatter folds in what its computation makes of the updates, also where
// places are written twice. Source: jax.lax.scatter_sub.
TEST(GradientTest, ScattersOfUpdates) {
  const auto expect = [](absl::string_view fold) {
    const Module module = BodyModule(absl::StrCat(
        "x = f64[5] parameter(0);i = s32[4,1] constant({{0},{3},{0},{7}});"
        "u = f64[4] parameter(1);y = f64[5] scatter(x, i, u), "
        "update_window_dims={}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=",
        fold, ";r = f64[5] sine(y)"));
    ExpectDerivative(module, std::string(fold));
    const absl::StatusOr<Module> gradient = Gradient(module, {});
    ASSERT_TRUE(gradient.ok()) << gradient.status() << fold;
    ExpectDerivative(*gradient, absl::StrCat("second order: ", fold));
  };
  for (const char* fold :
       {"minus", "over", "odd", "added", "slope", "twice", "tupled"}) {
    expect(fold);
  }
  ExpectDerivative(
      BodyModule("x = f64[5] parameter(0);y = f64[5] parameter(1);"
                 "i = s32[3,1] constant({{0},{3},{0}});"
                 "u = f64[3] parameter(2);v = f64[3] parameter(3);"
                 "r = (f64[5], f64[5]) scatter(x, y, i, u, v), "
                 "update_window_dims={}, inserted_window_dims={0}, "
                 "scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
                 "to_apply=pair"),
      "two arrays");
}

// Folds of low precision that are computed in f32 have the derivatives of
// those that aren't: no trees of their computation.
TEST(GradientTest, FoldsInAWiderType) {
  for (const char* op :
       {"y = bf16[2] reduce(x, z), dimensions={0}",
        "y = bf16[2,2] scatter(z2, i, x), update_window_dims={1}, "
        "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
        "index_vector_dim=1"}) {
    const auto count = [&](const char* fold) {
      const Module module = Parsed(absl::StrCat(
          "HloModule m\nwide { a = bf16[] parameter(0)  b = bf16[] "
          "parameter(1)  c = f32[] convert(a)  d = f32[] convert(b)  "
          "s = f32[] add(c, d)  ROOT r = bf16[] convert(s) }\n"
          "sum { a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT r = "
          "bf16[] add(a, b) }\n"
          "ENTRY e { x = bf16[3,2] parameter(0)  z = bf16[] constant(0)  "
          "z2 = bf16[2,2] broadcast(z), dimensions={}  "
          "i = s32[3,1] constant({{0},{1},{0}})  ROOT ",
          op, ", to_apply=", fold, " }\n"));
      const absl::StatusOr<Module> gradient = Gradient(module, {0});
      EXPECT_TRUE(gradient.ok()) << gradient.status() << op;
      return gradient.ok() ? gradient->instruction_count() : 0;
    };
    EXPECT_EQ(count("wide"), count("sum")) << op;
  }
}

// What cholesky reads is made positive definite first.
TEST(GradientTest, Cholesky) {
  for (const char* lower : {"true", "false"}) {
    ExpectDerivative(
        BodyModule(absl::StrCat(
            "x = f64[3,3] parameter(0);"
            "s = f64[3,3] dot(x, x), lhs_contracting_dims={1}, "
            "rhs_contracting_dims={1};"
            "i = f64[3,3] constant({{1,0,0},{0,1,0},{0,0,1}});"
            "a = f64[3,3] add(s, i);c = f64[3,3] cholesky(a), lower=",
            lower, ";r = f64[3,3] multiply(c, i)")),
        lower);
  }
}

// The gradient's module is differentiated like any other.
TEST(GradientTest, SecondOrder) {
  for (const char* body : kBodies) {
    const absl::StatusOr<Module> gradient = Gradient(BodyModule(body), {});
    ASSERT_TRUE(gradient.ok()) << gradient.status() << body;
    ExpectDerivative(*gradient, absl::StrCat("second order: ", body));
  }
}

// Recorded graphs may mix float types.
TEST(GradientTest, MixedFloatTypes) {
  ComputationBuilder b("mixed");
  const Op x = b.Parameter(0, "f64[4]"), y = b.Parameter(1, "f32[]");
  const Op z = b.Parameter(2, "f32[2]");
  const PaddingDim edge[] = {{1, 1, 0}};
  const Op padded = b.Pad(b.Sin(x), y, edge);
  const Op clamped = b.Clamp(y, x, b.Add(y, 0.5));
  const Op written =
      b.DynamicUpdateSlice(b.Mul(x, x), z, {b.ConstantR0<int32_t>(1)});
  const absl::StatusOr<Module> module =
      b.Build(b.Tuple({padded, clamped, written}));
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectDerivative(*module, "mixed types");
  const absl::StatusOr<Module> all = Gradient(*module, {0, 1, 2});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->entry().root().shape().ToString(), "(f64[4], f32[], f32[2])");
}

// As JAX lowers a logistic function: finite where exp(-x) isn't.
TEST(GradientTest, LogisticFunctionThatOverflows) {
  const Module module = BodyModule(
      "x = f64[3] parameter(0);n = f64[3] negate(x);"
      "e = f64[3] exponential(n);c = f64[] constant(1);"
      "o = f64[3] broadcast(c), dimensions={};s = f64[3] add(o, e);"
      "r = f64[3] divide(o, s)");
  ExpectDerivative(module, "logistic function");
  for (const bool forward : {false, true}) {
    const absl::StatusOr<Module> made =
        forward ? Tangents(module, {0}) : Gradient(module, {0});
    ASSERT_TRUE(made.ok()) << made.status();
    const Shape shape = Shape::Of(kF64, {3});
    const absl::StatusOr<Literal> slope = Evaluate(
        *made, {LiteralOf(shape, {-800, 0, 800}), LiteralOf(shape, {1, 1, 1})});
    ASSERT_TRUE(slope.ok()) << slope.status();
    EXPECT_THAT(Flat(*slope), ::testing::ElementsAre(0, 0.25, 0));
  }
}

// As JAX lowers a batched branch: each is computed for all elements, of those
// that it is chosen for.
TEST(GradientTest, OperandsOfBranchesThatArentChosen) {
  const Module module = BodyModule(
      "x = f64[3] parameter(0);z = f64[3] constant({0, 0, 0});"
      "p = pred[3] compare(x, z), direction=GT;"
      "s = f64[3] select(p, x, x);t = f64[3] sqrt(s);"
      "n = f64[3] negate(x);r = f64[3] select(p, t, n)");
  const Shape shape = Shape::Of(kF64, {3});
  const absl::StatusOr<Module> gradient = Gradient(module, {0});
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  const absl::StatusOr<Literal> slope = Evaluate(
      *gradient, {LiteralOf(shape, {-1, 0, 4}), LiteralOf(shape, {1, 1, 1})});
  ASSERT_TRUE(slope.ok()) << slope.status();
  EXPECT_THAT(Flat(*slope), ::testing::ElementsAre(-1, -1, 0.25));
}

// A factor that is infinite or undefined where a select doesn't choose what it
// is a factor of: without a mask, 0 times it would be NaN.
TEST(GradientTest, FactorsThatArentChosen) {
  const Shape shape = Shape::Of(kF64, {3});
  const Literal x = LiteralOf(shape, {-1, 0, 4}),
                one = LiteralOf(shape, {1, 1, 1});
  for (const char* const singular :
       {"s = f64[3] sqrt(x)", "s = f64[3] log(x)", "s = f64[3] rsqrt(x)",
        "s = f64[3] divide(x, x)",
        "h = f64[3] constant({0.5, 0.5, 0.5});"
        "s = f64[3] power(x, h)",
        "i = f64[3] log(x);j = f64[3] negate(i);s = f64[3] multiply(j, x)"}) {
    const Module module = BodyModule(absl::StrCat(
        "x = f64[3] parameter(0);z = f64[3] constant({0, 0, 0});"
        "p = pred[3] compare(x, z), direction=GT;",
        singular,
        ";q = pred[3] not(p);n = f64[3] negate(x);m = f64[3] multiply(n, x);"
        "r = f64[3] select(q, m, s)"));
    const absl::StatusOr<Module> gradient = Gradient(module, {0});
    const absl::StatusOr<Module> tangents = Tangents(module, {0});
    ASSERT_TRUE(gradient.ok() && tangents.ok()) << singular;
    const absl::StatusOr<Literal> slope = Evaluate(*gradient, {x, one});
    const absl::StatusOr<Literal> forward = Evaluate(*tangents, {x, one});
    ASSERT_TRUE(slope.ok() && forward.ok()) << singular;
    EXPECT_THAT(Flat(*slope), ::testing::Pointwise(::testing::DoubleNear(1e-12),
                                                   Flat(*forward)))
        << singular;
    // The second derivative of what is chosen, where the first one is 0 too.
    const absl::StatusOr<Module> second = Gradient(*gradient, {0});
    ASSERT_TRUE(second.ok()) << singular;
    const absl::StatusOr<Literal> bend = Evaluate(*second, {x, one, one});
    ASSERT_TRUE(bend.ok()) << singular;
    EXPECT_THAT(Flat(*bend)[0], -2) << singular;
    EXPECT_THAT(Flat(*bend)[1], -2) << singular;
  }
}

// One that a call too runs XLA copies, and a warning says so.
TEST(GradientTest, SortsShareNoComparatorWithCalls) {
  const Module module = Parsed(R"(HloModule m
less { a = f64[] parameter(0)  b = f64[] parameter(1)  c = f64[] negate(a)  d = f64[] negate(b)  e = f64[] sine(c)  f = f64[] sine(d)  ROOT r = pred[] compare(e, f), direction=LT }
ENTRY e { x = f64[4] parameter(0)  y = f64[4] parameter(1)  s = f64[4] sort(x), dimensions={0}, to_apply=less  t = f64[4] sort(y), dimensions={0}, to_apply=less  m = f64[4] multiply(s, s)  ROOT r = f64[4] add(m, t) }
)");
  ExpectDerivative(module, "two sorts");
  const absl::StatusOr<Module> gradient = Gradient(module, {0});
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  EXPECT_TRUE(VerifyModule(*gradient).report.diagnostics().empty());
}

}  // namespace
}  // namespace indim
