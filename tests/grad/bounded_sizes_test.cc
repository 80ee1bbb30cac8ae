// SPDX-License-Identifier: Apache-2.0
// Derivatives through bounded sizes, `[<=n]`, which are set on the way.

#include "indim/grad/bounded_sizes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/tests/grad/probe.h"

namespace indim {
namespace {

// s is x, of 4 or 3 by 4 elements, of which 3 (2 by 4) are left.
constexpr char kVector[] =
    "x = f64[4] parameter(0);n = s32[] constant(3);"
    "s = f64[<=4] set-dimension-size(x, n), dimensions={0};"
    "z = f64[] constant(0);low = f64[] constant(-inf);"
    "half = f64[] constant(0.5);";
constexpr char kMatrix[] =
    "x = f64[3,4] parameter(0);n = s32[] constant(2);"
    "s = f64[<=3,4] set-dimension-size(x, n), dimensions={0};"
    "z = f64[] constant(0);low = f64[] constant(-inf);";

Module BoundedModule(const std::string& body) {
  return Parsed(absl::StrCat(
      "HloModule m\n"
      "add { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] "
      "add(a, b) }\n"
      "max { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] "
      "maximum(a, b) }\n"
      "lt { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = pred[] "
      "compare(a, b), direction=LT }\n"
      "lt2 { a = f64[] parameter(0)  b = f64[] parameter(1)  c = f64[] "
      "parameter(2)  d = f64[] parameter(3)  ROOT r = pred[] compare(a, b), "
      "direction=LT }\nENTRY e {\n",
      absl::StrReplaceAll(body, {{";", "\n"}}), "\n}\n"));
}

TEST(BoundedSizesTest, OperationsOnThem) {
  const std::string sum =
      "ROOT r = f64[] reduce(y, z), dimensions={0}, "
      "to_apply=add";
  const std::string rows[] = {
      absl::StrCat(kVector, "y = f64[<=4] sine(s);", sum),
      // A second cut, and one back to the bound, whose rest nobody reads.
      absl::StrCat(kVector,
                   "q = f64[<=4] multiply(s, s);k = s32[] constant(2);y = "
                   "f64[<=4] set-dimension-size(q, k), dimensions={0};",
                   sum),
      absl::StrCat(kVector,
                   "q = f64[<=4] multiply(s, s);k = s32[] constant(4);p = "
                   "f64[4] set-dimension-size(q, k), dimensions={0};"
                   "y = f64[2] slice(p), slice={[1:3]};",
                   sum),
      // Sums over the bounded dim, over the other one, over both.
      absl::StrCat(kMatrix,
                   "q = f64[<=3,4] sine(s);m = f64[4] reduce(q, z), "
                   "dimensions={0}, to_apply=add;y = f64[4] sine(m);",
                   sum),
      absl::StrCat(kMatrix,
                   "q = f64[<=3,4] sine(s);m = f64[<=3] reduce(q, z), "
                   "dimensions={1}, to_apply=add;y = f64[<=3] sine(m);",
                   sum),
      absl::StrCat(kMatrix,
                   "q = f64[<=3,4] sine(s);ROOT r = f64[] reduce(q, z), "
                   "dimensions={0,1}, to_apply=add"),
      // Largest elements, and a softmax.
      absl::StrCat(kMatrix,
                   "m = f64[4] reduce(s, low), dimensions={0}, to_apply=max;"
                   "y = f64[4] sine(m);",
                   sum),
      absl::StrCat(kMatrix,
                   "m = f64[<=3] reduce(s, low), dimensions={1}, "
                   "to_apply=max;y = f64[<=3] sine(m);",
                   sum),
      absl::StrCat(kVector,
                   "m = f64[] reduce(s, low), dimensions={0}, to_apply=max;"
                   "b = f64[<=4] broadcast(m), dimensions={};"
                   "d = f64[<=4] subtract(s, b);e = f64[<=4] exponential(d);"
                   "t = f64[] reduce(e, z), dimensions={0}, to_apply=add;"
                   "c = f64[<=4] broadcast(t), dimensions={};"
                   "w = f64[<=4] divide(e, c);y = f64[<=4] multiply(w, w);",
                   sum),
      // A dot that contracts it, and one that doesn't.
      absl::StrCat(kMatrix,
                   "q = f64[<=3,4] sine(s);ROOT r = f64[4,4] dot(q, s), "
                   "lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
      absl::StrCat(kMatrix,
                   "v = f64[4] parameter(1);d = f64[<=3] dot(s, v), "
                   "lhs_contracting_dims={1}, rhs_contracting_dims={0};"
                   "y = f64[<=3] sine(d);",
                   sum),
      // As many places as are known at run time, as of a boolean mask.
      absl::StrCat(kMatrix,
                   "i = s32[4,1] constant({{2},{0},{2},{1}});"
                   "j = s32[<=4,1] set-dimension-size(i, n), dimensions={0};"
                   "w = f64[<=4,4] gather(x, j), offset_dims={1}, "
                   "collapsed_slice_dims={0}, start_index_map={0}, "
                   "index_vector_dim=1, slice_sizes={1,4};"
                   "q = f64[<=4,4] sine(w);y = f64[4] reduce(q, z), "
                   "dimensions={0}, to_apply=add;",
                   sum),
      // What moves along the bounded dim, or leaves it alone.
      absl::StrCat(kVector,
                   "q = f64[<=4] sine(s);y = f64[<=2] slice(q), "
                   "slice={[1:4:2]};",
                   sum),
      absl::StrCat(kVector,
                   "q = f64[<=4] sine(s);one = f64[] sine(half);"
                   "p = f64[<=7] pad(q, one), padding=1_2;y = f64[<=7] "
                   "multiply(p, p);",
                   sum),
      absl::StrCat(kVector,
                   "q = f64[<=4] sine(s);p = f64[<=8] pad(q, half), "
                   "padding=-1_2_1;y = f64[<=8] multiply(p, p);",
                   sum),
      absl::StrCat(kVector,
                   "q = f64[<=4] sine(s);c = f64[<=12] concatenate(q, x, s), "
                   "dimensions={0};d = f64[<=12] reverse(c), dimensions={0};"
                   "y = f64[<=12] multiply(c, d);",
                   sum),
      absl::StrCat(kVector,
                   "q = f64[<=4] sine(s);p = f64[<=4] reduce-window(q, z), "
                   "window={size=2 pad=1_0}, to_apply=add;"
                   "y = f64[<=4] multiply(p, p);",
                   sum),
      absl::StrCat(kVector,
                   "q = f64[<=4] sine(s);p = f64[<=2] reduce-window(q, low), "
                   "window={size=2 stride=2}, to_apply=max;"
                   "y = f64[<=2] multiply(p, p);",
                   sum),
      absl::StrCat(kVector,
                   "q = f64[<=4] sine(s);p = f64[<=4] sort(q), dimensions={0}, "
                   "to_apply=lt;y = f64[<=4] multiply(p, s);",
                   sum),
      absl::StrCat(kVector,
                   "q = f64[<=4] sine(s);p = (f64[<=4], f64[<=4]) sort(q, s), "
                   "dimensions={0}, to_apply=lt2;g = f64[<=4] "
                   "get-tuple-element(p), index=1;y = f64[<=4] multiply(g, s);",
                   sum),
      absl::StrCat(kVector,
                   "i = s32[4,1] constant({{3},{0},{0},{1}});"
                   "j = s32[<=4,1] set-dimension-size(i, n), dimensions={0};"
                   "q = f64[<=4] sine(s);p = f64[4] scatter(x, j, q), "
                   "update_window_dims={}, inserted_window_dims={0}, "
                   "scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
                   "to_apply=add;y = f64[4] multiply(p, p);",
                   sum),
      absl::StrCat(kMatrix,
                   "q = f64[<=3,4] sine(s);t = f64[<=3,2] slice(q), "
                   "slice={[0:3], [1:3]};c = f64[<=3,6] concatenate(q, t), "
                   "dimensions={1};y = f64[6] reduce(c, z), dimensions={0}, "
                   "to_apply=add;",
                   sum),
      absl::StrCat(kMatrix,
                   "q = f64[<=3,4] sine(s);p = (f64[<=3,2], s32[<=3,2]) "
                   "topk(q), k=2, largest=true;t = f64[<=3,2] "
                   "get-tuple-element(p), index=0;y = f64[2] reduce(t, z), "
                   "dimensions={0}, to_apply=add;",
                   sum),
      // Batch and rows of a convolution.
      absl::StrCat("x = f64[3,4] parameter(0);n = s32[] constant(2);"
                   "m = s32[] constant(3);z = f64[] constant(0);"
                   "s = f64[<=3,4] set-dimension-size(x, n), dimensions={0};"
                   "u = f64[<=3,<=4] set-dimension-size(s, m), dimensions={1};"
                   "q = f64[<=3,<=4] sine(u);i = f64[<=3,<=4,1] reshape(q);"
                   "k = f64[2,1,1] constant({{{1}},{{-2}}});"
                   "c = f64[<=3,<=5,1] convolution(i, k), "
                   "window={size=2 pad=1_1}, dim_labels=b0f_0io->b0f;"
                   "d = f64[<=3,<=5,1] multiply(c, c);"
                   "ROOT r = f64[] reduce(d, z), dimensions={0,1,2}, "
                   "to_apply=add"),
  };
  for (const std::string& row : rows) {
    const Module gradient = ExpectDerivative(BoundedModule(row), row);
    ExpectDerivative(gradient, absl::StrCat("second: ", row));
  }
}

// What holds for each rule holds before it is computed at the bounds.
TEST(BoundedSizesTest, AnUnknownMarkIsRefused) {
  const absl::StatusOr<Module> gradient = Gradient(
      BoundedModule(absl::StrCat(
          kVector,
          "y = f64[<=2] slice(s), slice={[1:3]}, "
          "frontend_attributes={indim.gradient=\"other\"};"
          "ROOT r = f64[] reduce(y, z), dimensions={0}, to_apply=add")),
      {0});
  ASSERT_FALSE(gradient.ok());
  EXPECT_TRUE(absl::StrContains(gradient.status().message(), "indim.gradient"))
      << gradient.status();
}

// The gradient of a sum has as many elements as the parameter has.
TEST(BoundedSizesTest, AParameterOfBoundedSize) {
  const Module module = Parsed(
      "HloModule m\nadd { a = f64[] parameter(0)  b = f64[] parameter(1)  "
      "ROOT r = f64[] add(a, b) }\nENTRY e { x = f64[<=4] parameter(0)  z = "
      "f64[] constant(0)  ROOT r = f64[] reduce(x, z), dimensions={0}, "
      "to_apply=add }\n");
  const absl::StatusOr<Module> gradient = Gradient(module, {0});
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  const absl::StatusOr<Literal> value =
      Evaluate(*gradient, {*Literal::FromDoubles(kF64, {5, 6, 7}, {3}),
                           *Literal::FromDoubles(kF64, {2}, {})});
  ASSERT_TRUE(value.ok()) << value.status();
  // At the bound, with zeros behind.
  EXPECT_EQ(Flat(*value), (std::vector<double>{2, 2, 2, 0}));
}

}  // namespace
}  // namespace indim
