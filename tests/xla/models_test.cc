// SPDX-License-Identifier: Apache-2.0
// The models of examples/ on real XLA, beside NumPy's.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "indim/examples/models/adam.h"
#include "indim/examples/models/decoder.h"
#include "indim/examples/models/lstm.h"
#include "indim/examples/models/residual_tower.h"
#include "indim/examples/models/resnet.h"
#include "indim/passes/export/export.h"
#include "indim/tests/xla/judge.h"

namespace indim {
namespace {

std::vector<Shape> Parameters(const Module& module) {
  return module.entry().signature().parameters;
}

// Weights, unless the test says otherwise.
std::vector<Domain> Domains(const Module& module) {
  return std::vector<Domain>(Parameters(module).size(), Domain::kWeight);
}

// Runs the module on inputs of these domains: result i is expression[i].
void ExpectEqual(const Module& module, const std::vector<Domain>& domains,
                 const std::string& expression, int64_t seed = 1) {
  const absl::StatusOr<std::string> bytes = ExportHloModuleProto(module);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  std::vector<std::string> inputs, results;
  const std::vector<Shape> parameters = Parameters(module);
  for (size_t i = 0; i < domains.size(); ++i) {
    inputs.push_back(InputJson(parameters[i], domains[i]));
  }
  const Shape root = module.entry().signature().result;
  const int count = root.is_tuple() ? root.tuple_size() : 1;
  for (int i = 0; i < count; ++i) {
    const Shape shape = root.is_tuple() ? root.elements()[i] : root;
    results.push_back(JsonWriter()
                          .Add("shape", shape.ToString())
                          .Add("expect", absl::StrCat(expression, "[", i, "]"))
                          .Add("ulps", int64_t{100})
                          .AddRaw("absolute", "2e-5")
                          .text());
  }
  const absl::StatusOr<std::string> answer =
      AskXla("compare",
             JsonWriter()
                 .Add("seed", seed)
                 .AddList("inputs", inputs)
                 .AddList("results", results),
             {*bytes});
  EXPECT_TRUE(answer.ok()) << answer.status();
}

TEST(ModelsTest, Adam) {
  for (const int64_t steps : {1, 2, 50}) {
    const absl::StatusOr<Module> module = FitLine(steps);
    ASSERT_TRUE(module.ok()) << module.status();
    ExpectEqual(*module, {Domain::kAny, Domain::kAny},
                absl::StrCat("fit_line(p0, p1, ", steps, ")"));
  }
}

TEST(ModelsTest, Lstm) {
  const absl::StatusOr<Module> module = Lstm();
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectEqual(*module, Domains(*module), "lstm(p0, p1, p2, p3)");
}

TEST(ModelsTest, Decoder) {
  const absl::StatusOr<Module> module = Decoder();
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<Domain> domains = Domains(*module);
  domains[0] = Domain::kCount;     // the prompt
  domains[1] = Domain::kPositive;  // the state of the random numbers
  for (int64_t seed = 1; seed <= 5; ++seed) {
    ExpectEqual(*module, domains, "decoder(*all_wide(raw))", seed);
  }
}

// For each convolution its kernel, scale, offset, mean and variance.
TEST(ModelsTest, ResNet) {
  ResNetSizes sizes;
  sizes.batch = 2;
  sizes.image = 32;
  sizes.width = 4;
  sizes.blocks = {2, 1, 2};
  sizes.classes = 10;
  const absl::StatusOr<Module> module = ResNet(sizes);
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<Domain> domains = Domains(*module);
  domains[0] = Domain::kAny;
  for (size_t i = 5; i + 2 < domains.size(); i += 5) {
    domains[i] = Domain::kPositive;
  }
  ExpectEqual(*module, domains,
              absl::StrCat("resnet(*all_wide(raw), blocks=[",
                           absl::StrJoin(sizes.blocks, ", "), "])"));
}

// As large as it is known to be: 25,557,032 weights that are trained, beside
// the means and variances of 26,560 features each.
TEST(ModelsTest, ResNet50) {
  const absl::StatusOr<Module> module = ResNet();
  ASSERT_TRUE(module.ok()) << module.status();
  int64_t weights = 0;
  for (const Shape& shape : Parameters(*module)) {
    weights += shape.ElementCount().value_or(0);
  }
  EXPECT_EQ(weights - 224 * 224 * 3, 25557032 + 2 * 26560);
  EXPECT_EQ(module->entry().signature().result.ToString(), "f32[1,1000]");
}

TEST(ModelsTest, ResidualTower) {
  ResidualTowerSizes sizes;
  sizes.batch = 2;
  sizes.filters = 16;
  sizes.squeezed = 8;
  sizes.blocks = 2;
  for (int32_t move = 0; move < 1858; ++move) {
    sizes.policy_map.push_back(move * 2017 % (80 * 64));
  }
  const absl::StatusOr<Module> module = ResidualTower(sizes);
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectEqual(*module, Domains(*module),
              "residual_tower(*all_wide(raw), blocks=2, "
              "moves=np.arange(1858) * 2017 % 5120)");
}

}  // namespace
}  // namespace indim
