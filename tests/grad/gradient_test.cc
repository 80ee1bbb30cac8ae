// SPDX-License-Identifier: Apache-2.0
// Derivatives beside numerical ones: tables of HLO text in f64, of each family
// of operations, in reverse and forward mode and of second order.

#include "indim/grad/gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/builder/computation_builder.h"
#include "indim/grad/rules.h"
#include "indim/passes/check/verify_module.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/grad/probe.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// Computations that the bodies below call.
constexpr char kCallees[] = R"(HloModule m
add { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] add(a, b) }
one { a = f64[] parameter(0)  b = f64[] parameter(1)  c = f64[] add(a, b)  ROOT r = (f64[]) tuple(c) }
minus { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] subtract(a, b) }
mul { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] multiply(a, b) }
max { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] maximum(a, b) }
second { a = f64[] parameter(0)  ROOT b = f64[] parameter(1) }
odd { a = f64[] parameter(0)  b = f64[] parameter(1)  s = f64[] sine(b)  ROOT r = f64[] multiply(a, s) }
logadd { a = f64[] parameter(0)  b = f64[] parameter(1)  x = f64[] exponential(a)  y = f64[] exponential(b)  s = f64[] add(x, y)  ROOT r = f64[] log(s) }
twice { a = f64[] parameter(0)  b = f64[] parameter(1)  s = f64[] multiply(b, b)  c = pred[] compare(a, s), direction=GT  ROOT r = f64[] select(c, a, s) }
tupled { a = f64[] parameter(0)  b = f64[] parameter(1)  s = f64[] add(a, b)  c = f64[] reshape(s)  t = (f64[]) tuple(c)  ROOT r = f64[] get-tuple-element(t), index=0 }
over { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] divide(a, b) }
added { a = f64[] parameter(0)  b = f64[] parameter(1)  s = f64[] sine(b)  ROOT r = f64[] call(s, a), to_apply=add }
slope { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] cosine(b) }
pair { a = f64[] parameter(0)  b = f64[] parameter(1)  u = f64[] parameter(2)  v = f64[] parameter(3)  s = f64[] subtract(a, v)  m = f64[] multiply(u, b)  ROOT r = (f64[], f64[]) tuple(s, m) }
ge { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = pred[] compare(a, b), direction=GE }
lt { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
two { x = f64[3] parameter(0)  y = f64[3] parameter(1)  s = f64[3] sine(x)  ROOT r = f64[3] multiply(s, y) }
f { p = (f64[3], f64[3]) parameter(0)  x = f64[3] get-tuple-element(p), index=0  y = f64[3] get-tuple-element(p), index=1  ROOT r = f64[3] multiply(x, y) }
g { p = f64[3] parameter(0)  ROOT r = f64[3] cosine(p) }
body { p = (s32[], f64[3], f64[3,3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  w = f64[3,3] get-tuple-element(p), index=2  one = s32[] constant(1)  j = s32[] add(i, one)  z = s32[] constant(0)  row = f64[1,3] dynamic-slice(w, i, z), dynamic_slice_sizes={1,3}  v = f64[3] reshape(row)  d = f64[3] dot(x, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}  s = f64[3] sine(d)  y = f64[3] multiply(s, v)  ROOT r = (s32[], f64[3], f64[3,3]) tuple(j, y, w) }
cond { p = (s32[], f64[3], f64[3,3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT }
body2 { p = (s32[], f64[3], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  w = f64[3] get-tuple-element(p), index=2  one = s32[] constant(1)  j = s32[] add(i, one)  t = (f64[3], f64[3]) tuple(x, w)  k = s32[] constant(0)  c = f64[3] conditional(k, t, x), branch_computations={f, g}  ROOT r = (s32[], f64[3], f64[3]) tuple(j, c, w) }
cond2 { p = (s32[], f64[3], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT }
body3 { p = (s32[], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  one = s32[] constant(1)  j = s32[] add(i, one)  ROOT r = (s32[], f64[3]) tuple(j, x) }
cond3 { p = (s32[], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  y = f64[1] dynamic-slice(x, i), dynamic_slice_sizes={1}  z = f64[] reshape(y)  n = f64[] constant(9)  ROOT r = pred[] compare(z, n), direction=GT }
step { x = f64[2] parameter(0)  c = f64[2] parameter(1)  s = f64[2] multiply(x, c)  d = f64[2] add(s, x)  ROOT r = (f64[2], f64[2]) tuple(s, d) }
)";

Module BodyModule(const std::string& body) {
  std::string text = absl::StrCat(kCallees, "ENTRY e {\n");
  std::string rest = body;
  for (size_t at; (at = rest.find(';')) != std::string::npos;) {
    absl::StrAppend(&text, "  ", rest.substr(0, at), "\n");
    rest = rest.substr(at + 1);
  }
  return Parsed(absl::StrCat(text, "  ROOT ", rest, "\n}\n"));
}

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

// What isn't needed isn't there: no copies of the module, no zeros.
TEST(GradientTest, SmallResults) {
  const auto count = [](const std::string& body, bool forward) {
    const Module module = BodyModule(body);
    const absl::StatusOr<Module> made =
        forward ? Tangents(module, {0}) : Gradient(module, {0});
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? made->instruction_count() : 0;
  };
  // x, ct, cosine, multiply.
  EXPECT_EQ(count("x = f64[3] parameter(0);r = f64[3] sine(x)", false), 4);
  EXPECT_EQ(count("x = f64[3] parameter(0);r = f64[3] sine(x)", true), 4);
  // x, y, ct, multiply.
  EXPECT_EQ(count("x = f64[3] parameter(0);y = f64[3] parameter(1);"
                  "r = f64[3] multiply(x, y)",
                  false),
            4);
  // Both sines are one: x, ct, sine, cosine, multiply twice, add.
  EXPECT_EQ(count("x = f64[3] parameter(0);s = f64[3] sine(x);"
                  "t = f64[3] sine(x);r = f64[3] multiply(s, t)",
                  false),
            7);
}

// Nothing has tangents there, so there is nothing to refuse.
TEST(GradientTest, WhatHasNoTangents) {
  for (const char* body : {
           "x = f64[3] parameter(0);c = s32[3] custom-call(x), "
           "custom_call_target=\"mine\";s = f64[3] sine(x);"
           "d = f64[3] convert(c);r = f64[3] add(s, d)",
           "x = f64[3] parameter(0);c = f64[3] custom-call(x), "
           "custom_call_target=\"mine\";d = s32[3] convert(c);"
           "e = f64[3] convert(d);r = f64[3] add(x, e)",
           "x = f64[3,2] parameter(0);z = f64[] parameter(1);"
           "r = f64[3,0] reduce-window(x, z), "
           "window={size=2x3 stride=2x1 pad=1_2x-1_-1}, to_apply=max",
           "x = f64[0] parameter(0);r = f64[0] sort(x), dimensions={0}, "
           "to_apply=lt",
       }) {
    EXPECT_TRUE(Gradient(BodyModule(body), {0}).ok()) << body;
    EXPECT_TRUE(Tangents(BodyModule(body), {0}).ok()) << body;
  }
}

struct RefusalRow {
  const char* body;
  const char* says;
  Code code;
};

TEST(GradientTest, SaysWhyThereIsNone) {
  const RefusalRow rows[] = {
      {"x = s32[3] parameter(0);r = f64[3] convert(x)", "parameter 0 is s32[3]",
       Code::kNotDifferentiable},
      {"x = (f64[3]) parameter(0);r = f64[3] get-tuple-element(x), index=0",
       "parameter 0 is (f64[3]), which has no derivative; to fix: take its "
       "arrays as parameters",
       Code::kNotDifferentiable},
      {"x = f64[4] parameter(0);z = f64[] constant(0);"
       "r = f64[] reduce(x, z), dimensions={0}, to_apply=minus",
       "isn't associative", Code::kNoDerivative},
      {"x = f64[3] parameter(0);r = s32[3] convert(x)", "the result is s32[3]",
       Code::kNotDifferentiable},
      {"x = f64[3] parameter(0);r = f64[3] custom-call(x), "
       "custom_call_target=\"mine\"",
       "target \"mine\"", Code::kNoDerivative},
      {"x = f64[3] parameter(0);i = s32[2,1] constant({{0},{0}});"
       "u = f64[2] constant({1,2});r = f64[3] scatter(x, i, u), "
       "update_window_dims={}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=logadd",
       "unique_indices=true", Code::kNoDerivative},
      {"x = f64[6] parameter(0);r = f64[2,4] bitcast(x)",
       "gives another number of elements", Code::kNoDerivative},
  };
  for (const RefusalRow& row : rows) {
    const absl::StatusOr<Module> made = Gradient(BodyModule(row.body), {0});
    ASSERT_FALSE(made.ok()) << row.body;
    EXPECT_THAT(std::string(made.status().message()), HasSubstr(row.says));
    EXPECT_EQ(CodeOf(made.status()), row.code);
  }
  const Module module =
      BodyModule("x = f64[3] parameter(0);r = f64[3] sine(x)");
  EXPECT_THAT(std::string(Gradient(module, {1}).status().message()),
              HasSubstr("there is no parameter 1"));
  EXPECT_THAT(std::string(Gradient(module, {0, 0}).status().message()),
              HasSubstr("listed twice"));
}

// Where broadcasts become explicit, ranks are needed, also of the zeros that
// are the gradient by a parameter without use.
TEST(GradientTest, AnUnrankedParameterIsNamed) {
  const Module module = Parsed(
      "HloModule m\nENTRY e { x = f32[*] parameter(0)  y = f64[3,<=5] "
      "parameter(1)  ROOT r = f64[3,<=5] log-plus-one(y) }\n");
  EXPECT_TRUE(Gradient(module, {1}).ok());
  for (const absl::Status& refused :
       {Gradient(module, {0, 1}).status(), Gradient(module, {}).status()}) {
    EXPECT_EQ(CodeOf(refused), Code::kNoDerivative);
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr("%x has no known rank"));
  }
}

TEST(GradientTest, WrongModules) {
  EXPECT_FALSE(Gradient(Module(), {}).ok());
  EXPECT_FALSE(Tangents(Module(), {0}).ok());
  EXPECT_FALSE(
      Gradient(Parsed("HloModule m\nENTRY e { x = f32[2] parameter(0)  "
                      "y = f32[3] parameter(1)  ROOT r = f32[2] "
                      "add(x, y) }\n"),
               {})
          .ok());
}

// Each operation whose operands all have the result's shape, of each type that
// inference takes: its derivatives are right modules, or there are none.
TEST(GradientRulesTest, ElementwiseOfEveryType) {
  int made = 0, refused = 0;
  for (const OpInfo& op : AllOps()) {
    for (const char* type :
         {"f8e4m3fn", "bf16", "f16", "f32", "f64", "c64", "c128"}) {
      for (int count = 1; count <= 3; ++count) {
        std::string text = "HloModule m\nENTRY e {\n";
        std::vector<std::string> names;
        for (int i = 0; i < count; ++i) {
          names.push_back(absl::StrCat("x", i));
          absl::StrAppend(&text, names.back(), " = ", type, "[2,3] parameter(",
                          i, ")\n");
        }
        absl::StrAppend(&text, "ROOT r = ", type, "[2,3] ", op.wire, "(",
                        absl::StrJoin(names, ", "), ")\n}\n");
        const absl::StatusOr<Module> module = ParseHloText(text);
        if (!module.ok() || !VerifyModule(*module).ok()) continue;
        for (const bool forward : {false, true}) {
          const absl::StatusOr<Module> derivative =
              forward ? Tangents(*module, {}) : Gradient(*module, {});
          if (derivative.ok()) {
            ++made;
            EXPECT_TRUE(VerifyModule(*derivative).ok()) << text;
            continue;
          }
          ++refused;
          const Code code = CodeOf(derivative.status());
          EXPECT_TRUE(code == Code::kNoDerivative ||
                      code == Code::kNotDifferentiable)
              << derivative.status().message() << "\n"
              << text;
        }
      }
    }
  }
  EXPECT_GT(made, 300);
  EXPECT_GT(refused, 0);
}

TEST(GradientRulesTest, EveryOperationHasARow) {
  std::set<Opcode> rows;
#define INDIM_GRADIENT(op, rule, transpose, traits, words) \
  EXPECT_TRUE(rows.insert(Opcode::k##op).second) << #op;
#include "indim/grad/rules.def"
  EXPECT_EQ(rows.size(), AllOps().size());
  for (const OpInfo& op : AllOps()) {
    EXPECT_TRUE(rows.count(op.opcode)) << op.wire;
    const internal::GradientRule& rule = internal::GradientRuleOf(op.opcode);
    if (rule.kind == internal::GradientKind::kLinear ||
        rule.kind == internal::GradientKind::kBilinear) {
      EXPECT_NE(rule.transpose, nullptr) << op.wire;
    }
    if (rule.kind == internal::GradientKind::kRefused) {
      EXPECT_FALSE(rule.why.empty()) << op.wire;
    }
  }
}

}  // namespace
}  // namespace indim
