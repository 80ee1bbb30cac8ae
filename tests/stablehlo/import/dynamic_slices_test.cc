// SPDX-License-Identifier: Apache-2.0
// real_dynamic_slice: its starts may depend on data or on named sizes where its
// lengths are known.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/eval/evaluator.h"
#include "indim/proto/codec/literal.h"
#include "indim/stablehlo/read.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

TEST(DynamicSlicesTest, GiveTheirElements) {
  const struct {
    std::string starts, limits, strides;
    std::string values;  // or the error
  } kCases[] = {
      // What is added to starts from data are the lengths.
      {"%i", "%i_and_2", "%one", "f32[2] {3, 4}"},
      {"%i", "%two_and_i", "%one", "f32[2] {3, 4}"},
      {"%i", "%i_and_2", "%two", "f32[1] {3}"},
      {"%i", "%i_and_i", "%one", "(limit_indices) depends on data"},
      {"%one", "%i_and_2", "%one", "(limit_indices) depends on data"},
      {"%i", "%i_and_2", "%i", "(strides) depends on data"},
      {"%i", "%i_and_n", "%one",
       "(limit_indices, from the start) holds d0: HLO needs a number there"},
      // The last four, by steps.
      {"%n_less_4", "%n", "%one", "f32[4] {2, 3, 4, 5}"},
      {"%n_less_4", "%n", "%two", "f32[2] {2, 4}"},
      {"%n", "%n_less_4", "%one", "negative length in dimension 0"},
      {"%one", "%four", "%two", "f32[2] {1, 3}"},
  };
  const absl::StatusOr<Literal> x =
      Literal::FromDoubles(ElementType::kF32, {0, 1, 2, 3, 4, 5}, {6});
  const absl::StatusOr<Literal> i =
      Literal::FromDoubles(ElementType::kS32, {3}, {1});
  ASSERT_TRUE(x.ok() && i.ok());
  for (const auto& c : kCases) {
    const std::string text = absl::StrCat(
        R"(func.func @main(%x: tensor<?xf32>, %i: tensor<1xi32>) -> tensor<?xf32> {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %i_and_2 = stablehlo.add %i, %two : tensor<1xi32>
  %two_and_i = stablehlo.add %two, %i : tensor<1xi32>
  %i_and_i = stablehlo.add %i, %i : tensor<1xi32>
  %s = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
  %i_and_n = stablehlo.add %i, %n : tensor<1xi32>
  %n_less_4 = stablehlo.subtract %n, %four : tensor<1xi32>
  %r = stablehlo.real_dynamic_slice %x, )",
        c.starts, ", ", c.limits, ", ", c.strides,
        R"( : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
)");
    const absl::StatusOr<Module> module = ReadStablehlo(text);
    if (!module.ok()) {
      EXPECT_THAT(std::string(module.status().message()), HasSubstr(c.values));
      continue;
    }
    const absl::StatusOr<Literal> values = Evaluate(*module, {*x, *i});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ(absl::StrCat(values->shape().WithoutLayout().ToString(), " ",
                           values->ToString()),
              c.values)
        << text;
  }
}

}  // namespace
}  // namespace indim
