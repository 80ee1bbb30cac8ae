// SPDX-License-Identifier: Apache-2.0
// The training step of examples/ on real XLA, beside NumPy's: on one device,
// and spread over eight by XLA's own partitioner. And other shardings.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "indim/builder/sharding.h"
#include "indim/examples/train_step.h"
#include "indim/passes/export/export.h"
#include "indim/tests/xla/judge.h"
#include "indim/tests/xla/random_operands.h"

namespace indim {
namespace {

TEST(TrainingTest, StepsEqualNumpysAndTheLossGoesDown) {
  const TrainStepOptions options;
  const absl::StatusOr<Module> module = TrainStep(options);
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<std::string> bytes = ExportHloModuleProto(*module);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  JsonWriter request;
  request.Add("seed", int64_t{5})
      .Add("steps", int64_t{12})
      .Add("batch", int64_t{32})
      .Add("inputs", int64_t{16})
      .Add("hidden", int64_t{24})
      .Add("classes", int64_t{5})
      .AddRaw("rate", absl::StrCat(options.rate));
  const absl::StatusOr<std::string> answer = AskXla("train", request, {*bytes});
  ASSERT_TRUE(answer.ok()) << answer.status();
  std::vector<double> losses;
  for (const absl::string_view line : absl::StrSplit(*answer, '\n')) {
    double loss = 0;
    ASSERT_TRUE(absl::SimpleAtod(line, &loss)) << line;
    losses.push_back(loss);
  }
  ASSERT_EQ(losses.size(), 12);
  for (size_t i = 1; i < losses.size(); ++i) {
    EXPECT_LT(losses[i], losses[i - 1]) << *answer;
  }
  EXPECT_LT(losses.back(), losses.front() / 2) << *answer;
}

// Where an input or a result lies; no tiles: on each device.
struct Placed {
  std::string shape;
  Sizes tiles;
  Sizes devices;
};

std::string ToJson(const Placed& placed) {
  return JsonWriter()
      .Add("shape", placed.shape)
      .Add("domain", "unit")
      .AddRaw("tiles", PythonList(placed.tiles))
      .AddRaw("devices", PythonList(placed.devices))
      .text();
}

// Runs `sharded` on 8 devices and `whole` on one; returns the compiled HLO.
std::string RunSharded(const absl::StatusOr<Module>& sharded,
                       const absl::StatusOr<Module>& whole,
                       const std::vector<Placed>& inputs,
                       const std::vector<Placed>& outputs) {
  std::vector<std::string> blobs;
  for (const absl::StatusOr<Module>* module : {&sharded, &whole}) {
    EXPECT_TRUE(module->ok()) << module->status();
    if (!module->ok()) return "";
    const absl::StatusOr<std::string> bytes = ExportHloModuleProto(**module);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    if (!bytes.ok()) return "";
    blobs.push_back(*bytes);
  }
  std::vector<std::string> in;
  std::vector<std::string> out;
  for (const Placed& placed : inputs) in.push_back(ToJson(placed));
  for (const Placed& placed : outputs) out.push_back(ToJson(placed));
  const absl::StatusOr<std::string> hlo = AskXla("shard",
                                                 JsonWriter()
                                                     .Add("seed", int64_t{3})
                                                     .AddList("inputs", in)
                                                     .AddList("outputs", out),
                                                 blobs);
  EXPECT_TRUE(hlo.ok()) << hlo.status();
  return hlo.value_or("");
}

const Sizes kInOrder = {0, 1, 2, 3, 4, 5, 6, 7};

TEST(ShardingTest, TrainingStepOverEightDevices) {
  TrainStepOptions options;
  options.data_sharding = TileSharding({8, 1});
  options.weight_sharding = ReplicateSharding();
  const std::string hlo = RunSharded(TrainStep(options), TrainStep(),
                                     {{"f32[32,16]", {8, 1}, kInOrder},
                                      {"f32[32,5]", {8, 1}, kInOrder},
                                      {"f32[16,24]", {}, {}},
                                      {"f32[24]", {}, {}},
                                      {"f32[24,5]", {}, {}},
                                      {"f32[5]", {}, {}}},
                                     {{"f32[16,24]", {}, {}},
                                      {"f32[24]", {}, {}},
                                      {"f32[24,5]", {}, {}},
                                      {"f32[5]", {}, {}},
                                      {"f32[]", {}, {}}});
  // A device has 4 rows of 32, and what they add up to is added up over all.
  EXPECT_TRUE(absl::StrContains(hlo, "f32[4,16]")) << hlo;
  EXPECT_TRUE(absl::StrContains(hlo, "all-reduce")) << hlo;
  EXPECT_FALSE(absl::StrContains(hlo, "f32[32,16]")) << hlo;
}

// tanh(x . w + bias), rows and columns both spread.
absl::StatusOr<Module> Layer(bool sharded, bool reversed) {
  ComputationBuilder b("layer");
  const auto place = [&](const std::string& sharding) {
    b.set_sharding(sharded ? std::optional<std::string>(sharding)
                           : std::nullopt);
  };
  place(reversed ? TileShardingOnDevices({2, 4}, {7, 6, 5, 4, 3, 2, 1, 0})
                 : TileSharding({2, 4}));
  const Op x = b.Parameter(0, "f32[16,32]", "x");
  place(TileShardingByIota({4, 2}, {2, 4}, {1, 0}));
  const Op w = b.Parameter(1, "f32[32,64]", "w");
  place(TileSharding({8}));
  const Op bias = b.Parameter(2, "f32[64]", "bias");
  b.set_sharding(std::nullopt);
  const Op dot = b.Dot(x, w);
  const Op biased = b.Add(dot, bias, {1});
  place(TileSharding({2, 4}));
  const Op result = b.Tanh(biased);
  place(TupleSharding({TileSharding({2, 4})}));
  return b.Build(b.Tuple({result}));
}

TEST(ShardingTest, TilesOfBothDimsOnDevicesInOtherOrders) {
  for (bool reversed : {false, true}) {
    const std::string hlo =
        RunSharded(Layer(true, reversed), Layer(false, reversed),
                   {{"f32[16,32]",
                     {2, 4},
                     reversed ? Sizes{7, 6, 5, 4, 3, 2, 1, 0} : kInOrder},
                    {"f32[32,64]", {4, 2}, {0, 4, 1, 5, 2, 6, 3, 7}},
                    {"f32[64]", {8}, kInOrder}},
                   {{"f32[16,64]", {2, 4}, kInOrder}});
    EXPECT_TRUE(absl::StrContains(hlo, "f32[8,8]")) << hlo;   // x, per device
    EXPECT_TRUE(absl::StrContains(hlo, "f32[8,16]")) << hlo;  // the result
    EXPECT_FALSE(absl::StrContains(hlo, "f32[16,64]")) << hlo;
    EXPECT_TRUE(absl::StrContains(hlo, "all-") ||
                absl::StrContains(hlo, "collective-permute"))
        << hlo;
  }
}

}  // namespace
}  // namespace indim
