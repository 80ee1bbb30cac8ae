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
    "z = f64[] constant(0);low = f64[] constant(-inf);";
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
      "maximum(a, b) }\nENTRY e {\n",
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
  };
  for (const std::string& row : rows) {
    const Module gradient = ExpectDerivative(BoundedModule(row), row);
    // That of a gather scatters as many updates as are known at run time.
    if (absl::StrContains(row, "gather")) continue;
    ExpectDerivative(gradient, absl::StrCat("second: ", row));
  }
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
