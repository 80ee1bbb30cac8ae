// SPDX-License-Identifier: Apache-2.0
// Derivatives through the C interface, and its header for C++.

#include <indim.hpp>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/bindings/c/things.h"

namespace indim {
namespace {

using ::testing::ElementsAre;

std::vector<float> ValuesOf(indim_api::Builder b, indim_api::Value root,
                            const std::vector<indim_api::Literal>& arguments) {
  return b.Build(root).Evaluate(arguments).Values<float>();
}

TEST(DerivativesTest, OfValues) {
  const auto f32 = [](std::vector<double> numbers) {
    const std::vector<int64_t> sizes(1, static_cast<int64_t>(numbers.size()));
    return indim_api::Literal("f32", sizes, numbers);
  };
  // y = x * x * w of each element.
  const auto made = [&](auto derivative) {
    indim_api::Builder b("f");
    const indim_api::Value x = b.Parameter("f32[2]", "x");
    const indim_api::Value w = b.Parameter("f32[2]", "w");
    const indim_api::Value y =
        b.Add("multiply", {b.Add("multiply", {x, x}), w});
    const indim_api::Value root = derivative(b, x, w, y);
    return ValuesOf(std::move(b), root, {f32({1, 2}), f32({3, 4})});
  };
  using indim_api::Builder;
  using indim_api::Value;
  EXPECT_THAT(made([](Builder& b, Value x, Value w, Value y) {
                return b.Gradient(y, {x, w}, w)[1];
              }),
              ElementsAre(3, 16));
  EXPECT_THAT(made([](Builder& b, Value x, Value w, Value y) {
                const std::vector<Value> both = b.ValueAndGradient(y, {x}, w);
                return b.Add("add", {both[0], both[1]});
              }),
              ElementsAre(3 + 2 * 1 * 3 * 3, 16 + 2 * 2 * 4 * 4));
  EXPECT_THAT(made([](Builder& b, Value x, Value w, Value y) {
                return b.Tangent(y, {x, w}, {w, x});
              }),
              ElementsAre(2 * 3 * 3 + 1, 2 * 2 * 4 * 4 + 8));
  EXPECT_THAT(made([](Builder& b, Value x, Value, Value y) {
                return b.Jacobian(y, x);
              }),
              ElementsAre(6, 0, 0, 16));
}

TEST(DerivativesTest, OfAScalarTwice) {
  indim_api::Builder b("f");
  const indim_api::Value x = b.Parameter("f32[]", "x");
  const indim_api::Value cube =
      b.Add("multiply", {b.Add("multiply", {x, x}), x});
  const indim_api::Value hessian = b.Hessian(cube, x);
  const indim_api::Value product = b.HessianVectorProduct(cube, x, x);
  const indim_api::Value root = b.Add("add", {hessian, product});
  EXPECT_THAT(
      ValuesOf(std::move(b), root, {indim_api::Literal("f32", {}, {2})}),
      ElementsAre(12 + 24));
}

TEST(DerivativesTest, OfModulesWithOptionsAndWarnings) {
  indim_api::Builder b("f");
  const indim_api::Value z = b.Parameter("c64[]", "z");
  const indim_api::Value x = b.Parameter("f32[]", "x");
  const indim_api::Value real = b.Add("real", {b.Add("multiply", {z, z})});
  const indim_api::Module module =
      b.Build(b.Add("add", {real, b.Add("floor", {x})}));
  const float two_i[] = {0, 2};
  const std::vector<indim_api::Literal> arguments = {
      indim_api::Literal::Array("c64", {}, two_i, sizeof(two_i)),
      indim_api::Literal("f32", {}, {3}), indim_api::Literal("f32", {}, {1})};
  indim_derivative_options options = {};
  for (const bool conjugate : {false, true}) {
    options.conjugate = conjugate ? 1 : 0;
    indim_api::Diagnostics warnings;
    const indim_api::Module gradient =
        module.Derivative({0}, options, &warnings);
    EXPECT_EQ(gradient.Evaluate(arguments).text(),
              conjugate ? "(0, -4)" : "(0, 4)");
    EXPECT_TRUE(warnings.empty());
  }
  indim_api::Diagnostics warnings;
  module.Derivative({1}, {}, &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, 1402);
  EXPECT_FALSE(warnings[0].is_error);
  EXPECT_THAT(warnings[0].text, ::testing::HasSubstr("floor"));
  // Tangents, and nobody asks for warnings.
  options.forward = 1;
  EXPECT_EQ(module.Derivative({0}, options).Check().size(), 0u);
}

}  // namespace
}  // namespace indim
