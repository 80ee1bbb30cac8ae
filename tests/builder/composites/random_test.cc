// SPDX-License-Identifier: Apache-2.0
// The distributions of random numbers, computed by the evaluator from fixed
// seeds, so that no run differs from another. Their bits: tests/xla.

#include "indim/builder/composites/random.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/eval/evaluator.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

using Numbers = std::vector<double>;
using Draw = std::function<Op(RandomState*, ComputationBuilder&)>;

const int64_t kCount = 20000 / SampleStep(4);

// A shape of kCount elements.
std::string Sized(absl::string_view type) {
  return absl::StrCat(type, "[", kCount, "]");
}

// What `draw` gives, as numbers.
Numbers Drawn(RandomAlgorithm algorithm, uint64_t seed, const Draw& draw) {
  ComputationBuilder b("draw");
  RandomState random = algorithm == RandomAlgorithm::kThreeFry
                           ? ThreeFryState(b, seed)
                           : PhiloxState(b, seed);
  const Op root = draw(&random, b);
  const absl::StatusOr<Module> module = b.Build(root);
  EXPECT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<Literal> value = Evaluate(*module, {});
  EXPECT_TRUE(value.ok()) << value.status();
  Numbers numbers;
  for (int64_t i = 0; i < *value->shape().ElementCount(); ++i) {
    numbers.push_back(value->AsDouble(i));
  }
  return numbers;
}

// The greatest distance between the numbers' distribution and `cumulative`
// (Kolmogorov-Smirnov).
double Distance(Numbers numbers,
                const std::function<double(double)>& cumulative) {
  std::sort(numbers.begin(), numbers.end());
  const double n = static_cast<double>(numbers.size());
  double distance = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double expected = cumulative(numbers[i]);
    distance = std::max({distance, std::abs(expected - i / n),
                         std::abs(expected - (i + 1) / n)});
  }
  return distance;
}
// One in a thousand distributions that are right is farther away.
double MostDistance(size_t n) {
  return 1.95 / std::sqrt(static_cast<double>(n));
}

double Correlation(const Numbers& a, const Numbers& b) {
  double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / a.size();
    mean_b += b[i] / b.size();
  }
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

class RandomTest : public testing::TestWithParam<RandomAlgorithm> {};

INSTANTIATE_TEST_SUITE_P(Algorithms, RandomTest,
                         testing::Values(RandomAlgorithm::kThreeFry,
                                         RandomAlgorithm::kPhilox));

TEST_P(RandomTest, Uniform) {
  for (const std::string& shape :
       {Sized("f32"), absl::StrCat("f64[100,", kCount / 100, "]")}) {
    for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) {
      const Numbers numbers =
          Drawn(GetParam(), seed, [&](RandomState* r, ComputationBuilder&) {
            return RandomUniform(r, shape, -2, 6);
          });
      for (const double x : numbers) ASSERT_TRUE(x >= -2 && x < 6) << x;
      EXPECT_LT(Distance(numbers, [](double x) { return (x + 2) / 8; }),
                MostDistance(numbers.size()))
          << shape << " " << seed;
    }
  }
}

// Few values, each as likely as another: in steps that the type can hold.
TEST_P(RandomTest, UniformOfNarrowTypes) {
  const Numbers numbers =
      Drawn(GetParam(), 3, [](RandomState* r, ComputationBuilder&) {
        return RandomUniform(r, Sized("bf16"));
      });
  std::vector<int> counts(128);
  for (const double x : numbers) {
    ASSERT_EQ(x * 128, std::floor(x * 128));
    ++counts.at(static_cast<size_t>(x * 128));
  }
  double chi_squared = 0;
  for (const int count : counts) {
    chi_squared += std::pow(count - kCount / 128.0, 2) / (kCount / 128.0);
  }
  EXPECT_LT(chi_squared, 182);  // 127 degrees of freedom: one in a thousand
}

TEST_P(RandomTest, Normal) {
  for (const std::string& shape :
       {Sized("f32"), Sized("f64"),
        absl::StrCat("f32[3,7,", kCount / 21 + 1, "]")}) {
    const Numbers numbers =
        Drawn(GetParam(), 5, [&](RandomState* r, ComputationBuilder&) {
          return RandomNormal(r, shape, 10, 3);
        });
    for (const double x : numbers) ASSERT_TRUE(std::isfinite(x));
    EXPECT_LT(Distance(numbers,
                       [](double x) {
                         return 0.5 * std::erfc((10 - x) / 3 / std::sqrt(2));
                       }),
              MostDistance(numbers.size()))
        << shape;
  }
}

TEST_P(RandomTest, Categorical) {
  // Of 1, 2, 0, 5 parts.
  const Numbers drawn =
      Drawn(GetParam(), 11, [](RandomState* r, ComputationBuilder& b) {
        const Op logits = b.ConstantR1({0.0f, std::log(2.0f),
                                        -std::numeric_limits<float>::infinity(),
                                        std::log(5.0f)});
        return RandomCategorical(r, b.Broadcast(logits, {kCount}));
      });
  std::vector<int> counts(4);
  for (const double x : drawn) ++counts.at(static_cast<size_t>(x));
  EXPECT_EQ(counts[2], 0);
  double chi_squared = 0;
  for (const auto& [i, part] :
       std::vector<std::pair<int, double>>{{0, 1}, {1, 2}, {3, 5}}) {
    const double expected = kCount * part / 8;
    chi_squared += std::pow(counts[i] - expected, 2) / expected;
  }
  EXPECT_LT(chi_squared, 13.8);  // 2 degrees of freedom: one in a thousand
}

TEST_P(RandomTest, Dropout) {
  for (const double rate : {0.0, 0.1, 0.75, 1.0}) {
    const Numbers numbers =
        Drawn(GetParam(), 13, [&](RandomState* r, ComputationBuilder& b) {
          return Dropout(r, b.Splat(1, Sized("f32")), rate);
        });
    double dropped = 0;
    for (const double x : numbers) {
      if (x == 0) {
        ++dropped;
      } else {
        ASSERT_NEAR(x, 1 / (1 - rate), 1e-6);
      }
    }
    const double deviation = std::sqrt(kCount * rate * (1 - rate));
    EXPECT_NEAR(dropped, kCount * rate, 3.3 * deviation) << rate;
  }
}

// A state gives other numbers at each draw, and each seed others.
TEST_P(RandomTest, DrawsDiffer) {
  const auto draw = [&](uint64_t seed, int number) {
    return Drawn(GetParam(), seed, [&](RandomState* r, ComputationBuilder&) {
      for (int i = 0; i < number; ++i) RandomUniform(r, Sized("f32"));
      return RandomUniform(r, Sized("f32"));
    });
  };
  const Numbers first = draw(1, 0);
  EXPECT_EQ(first, draw(1, 0));
  const double most = 3.3 / std::sqrt(static_cast<double>(kCount));
  for (const Numbers& other : {draw(1, 1), draw(1, 2), draw(2, 0)}) {
    EXPECT_LT(std::abs(Correlation(first, other)), most);
  }
}

// A loop carries the state from step to step: it draws what calls in a row
// draw.
TEST(RandomStateTest, IsPartOfALoopsState) {
  const Draw in_a_row = [](RandomState* random, ComputationBuilder& b) {
    Op sum = b.Splat(0, "f32[4]");
    for (int i = 0; i < 3; ++i) sum += RandomUniform(random, "f32[4]");
    return sum + RandomUniform(random, "f32[4]");
  };
  const Draw in_a_loop = [](RandomState* random, ComputationBuilder& b) {
    Op sum = b.Splat(0, "f32[4]");
    std::tie(*random, sum) =
        b.ForLoop(3, std::tuple(*random, sum), [](Op, RandomState now, Op sum) {
          sum += RandomUniform(&now, "f32[4]");
          return std::tuple(now, sum);
        });
    return sum + RandomUniform(random, "f32[4]");
  };
  for (const RandomAlgorithm algorithm :
       {RandomAlgorithm::kThreeFry, RandomAlgorithm::kPhilox}) {
    EXPECT_EQ(Drawn(algorithm, 7, in_a_row), Drawn(algorithm, 7, in_a_loop));
  }
}

}  // namespace
}  // namespace indim
