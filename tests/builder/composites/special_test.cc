// SPDX-License-Identifier: Apache-2.0
// Special functions against values of SciPy 1.17.

#include "indim/builder/composites/special.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "indim/builder/computation_builder.h"
#include "indim/eval/evaluator.h"
#include "indim/proto/codec/literal.h"

namespace indim {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// The values of a function at `arguments`, of `type`.
std::vector<double> Values(
    ElementType type, const std::vector<std::vector<double>>& arguments,
    absl::FunctionRef<Op(const std::vector<Op>&)> function) {
  ComputationBuilder b("special");
  std::vector<Op> operands;
  for (const std::vector<double>& values : arguments) {
    operands.push_back(b.ConstantLiteral(*Literal::FromDoubles(
        type, values, {static_cast<int64_t>(values.size())})));
  }
  const BuildResult module = b.Build(function(operands));
  EXPECT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<Literal> value = Evaluate(*module, {});
  EXPECT_TRUE(value.ok()) << value.status();
  std::vector<double> result;
  for (int64_t i = 0; i < value->element_count(); ++i) {
    result.push_back(value->AsDouble(i));
  }
  return result;
}

void ExpectNear(const std::vector<double>& found,
                const std::vector<double>& wanted, double relative) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(wanted[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << i;
    } else if (std::isinf(wanted[i])) {
      EXPECT_EQ(found[i], wanted[i]) << i;
    } else {
      EXPECT_NEAR(found[i], wanted[i],
                  relative * std::max(1.0, std::abs(wanted[i])))
          << i;
    }
  }
}

struct Row {
  Op (*function)(Op x, Caller caller);
  std::vector<double> x;
  std::vector<double> y;
};

TEST(SpecialTest, FunctionsOfOne) {
  const double nan = std::nan("");
  for (const Row& row : {
           Row{&Lgamma,
               {0.5, 1.0, 2.5, 10.0, -0.5, -2.5, 100.0, 0.0, -1.0, kInf},
               {0.5723649429247, 0.0, 0.2846828704729192, 12.801827480081469,
                1.2655121234846454, -0.05624371649767401, 359.1342053695754,
                kInf, kInf, kInf}},
           Row{&Digamma,
               {0.5, 1.0, 2.5, 10.0, -0.5, -2.5, 100.0, 0.0, -1.0},
               {-1.9635100260214235, -0.5772156649015329, 0.7031566406452432,
                2.251752589066721, 0.03648997397857651, 1.1031566406452433,
                4.600161852738088, nan, nan}},
           Row{&ErfInv,
               {0.5, 0.0, 0.25, -0.75, 0.99609375, 1.0, -1.0},
               {0.4769362762044699, 0.0, 0.2253120550121781,
                -0.8134198475976184, 2.0404520146056093, kInf, -kInf}},
           Row{&Erfc,
               {0.5, 0.0, 1.5, -1.5, 3.0, -4.0},
               {0.4795001221869535, 1.0, 0.03389485352468927,
                1.9661051464753108, 2.2090496998585445e-05, 1.999999984582742}},
           Row{&BesselI1e,
               {0.5, 0.0, 1.0, -2.0, 9.0, 50.0},
               {0.15642080318487173, 0.0, 0.2079104153497085,
                -0.2152692892489377, 0.1272249839358912, 0.055993123892895395}},
       }) {
    const auto call = [&](const std::vector<Op>& x) {
      return row.function(x[0], Caller::Here());
    };
    ExpectNear(Values(ElementType::kF64, {row.x}, call), row.y, 4e-14);
    ExpectNear(Values(ElementType::kF32, {row.x}, call), row.y, 4e-6);
    // Computed in f32, rounded to bf16.
    ExpectNear(Values(ElementType::kBF16, {{row.x[0]}}, call), {row.y[0]},
               1e-2);
  }
}

TEST(SpecialTest, ZetaAndPolygamma) {
  ExpectNear(Values(ElementType::kF64, {{2, 3, 1.5, 1, 0.5}, {1, 2, 0.5, 3, 3}},
                    [](const auto& x) { return Zeta(x[0], x[1]); }),
             {1.6449340668482266, 0.2020569031595943, 4.776537947554834, kInf,
              std::nan("")},
             1e-13);
  ExpectNear(Values(ElementType::kF64, {{0, 1, 2, 3, 0.5}, {1.5, 2, 0.5, 4, 1}},
                    [](const auto& x) { return Polygamma(x[0], x[1]); }),
             {0.03648997397857652, 0.6449340668482266, -16.828796644234316,
              0.04486532819275508, std::nan("")},
             1e-12);
}

TEST(SpecialTest, NextAfter) {
  const std::vector<double> found =
      Values(ElementType::kF32, {{1, 1, 0, -1, 2, 0}, {2, 0, -1, 0, 2, 0}},
             [](const auto& x) { return NextAfter(x[0], x[1]); });
  const std::vector<double> wanted = {std::nextafter(1.0f, 2.0f),
                                      std::nextafter(1.0f, 0.0f),
                                      std::nextafter(0.0f, -1.0f),
                                      std::nextafter(-1.0f, 0.0f),
                                      2,
                                      0};
  EXPECT_EQ(found, wanted);
}

}  // namespace
}  // namespace indim
