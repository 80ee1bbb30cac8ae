// SPDX-License-Identifier: Apache-2.0
// The client on plugins of PyPI (INDIM_PJRT_PLUGINS, bazelw): what every one of
// them does alike, each in this process. pjrt_test.cc has modules of all kinds.

#include "indim/run/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <future>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/io/read.h"
#include "indim/run/abi/buffer_type.h"
#include "indim/run/client.h"
#include "indim/run/custom_call.h"
#include "indim/run/isolated.h"
#include "indim/tests/run/compared_runs.h"

namespace indim::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PluginTest : public ::testing::TestWithParam<std::string> {
 protected:
  static Client NewClient(int64_t devices = 1) {
    const Plugin plugin = Plugin::Load(GetParam()).value();
    return Client::Create(plugin, {{{"cpu_device_count", devices}}}).value();
  }
};

Module ModuleOf(const std::string& text) {
  return ReadModuleText(absl::StrCat("HloModule ", text)).value();
}

Module Adder() {
  return ModuleOf(R"(adder

ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  ROOT sum = f32[4] add(x, y)
}
)");
}

TEST_P(PluginTest, TellsWhatItIs) {
  const Plugin plugin = Plugin::Load(GetParam()).value();
  EXPECT_EQ(plugin.major_version(), 0);
  EXPECT_GE(plugin.minor_version(), 81);
  EXPECT_FALSE(plugin.attributes().empty());
  EXPECT_FALSE(plugin.extensions().empty());
  const Client client = NewClient(3);
  EXPECT_EQ(client.platform_name(), "cpu");
  ASSERT_EQ(client.devices().size(), 3u);
  EXPECT_TRUE(client.devices()[2].is_addressable());
  EXPECT_EQ(client.devices()[2].kind(), "cpu");
}

// Values of every type that buffers have come back as they went.
TEST_P(PluginTest, EveryTypeComesBack) {
  const Client client = NewClient();
  RandomStream random(1);
  for (const ElementTypeInfo& info : AllElementTypes()) {
    if (BufferType(info.type) == 0) continue;
    for (const auto& sizes : std::vector<std::vector<int64_t>>{
             {}, {3}, {2, 3, 4}, {0, 2}, {5, 1}}) {
      const Shape shape = Shape::Of(info.type, sizes);
      const Literal value = RandomLiteral(shape, &random).value();
      const absl::StatusOr<Buffer> buffer = client.ToDevice(value);
      ASSERT_TRUE(buffer.ok()) << shape << ": " << buffer.status();
      const absl::StatusOr<Literal> back = buffer->ToLiteral();
      ASSERT_TRUE(back.ok()) << shape << ": " << back.status();
      EXPECT_EQ(*back, value.Expanded().value()) << shape;
    }
  }
}

// Results whose sizes only the run tells, as the evaluator has them; sizes out
// of their bounds are clamped (compiler_form.h), where XLA would write
// anywhere.
TEST_P(PluginTest, BoundedResultsHaveTheirSizes) {
  const Module module = ModuleOf(R"(m

ENTRY e {
  x = f32[3,4] parameter(0)
  n = s32[] parameter(1)
  k = s32[] parameter(2)
  y = f32[<=3,4] set-dimension-size(x, n), dimensions={0}
  z = f32[<=3,<=4] set-dimension-size(y, k), dimensions={1}
  w = f32[<=4,<=3] transpose(z), dimensions={1,0}
  ROOT r = (f32[<=3,<=4], f32[<=4,<=3]) tuple(z, w)
}
)");
  const absl::StatusOr<Executable> run = NewClient().Compile(module);
  ASSERT_TRUE(run.ok()) << run.status();
  RandomStream random(1);
  const Literal x =
      RandomLiteral(Shape::Of(ElementType::kF32, {3, 4}), &random).value();
  const struct {
    int32_t n, k;           // what is given
    int32_t rows, columns;  // and comes of it
  } kCases[] = {{3, 4, 3, 4}, {2, 3, 2, 3},  {0, 4, 0, 4},
                {1, 0, 1, 0}, {-1, 2, 0, 2}, {100, 1 << 30, 3, 4}};
  for (const auto& c : kCases) {
    const auto arguments = [&x](int32_t n, int32_t k) {
      return std::vector<Literal>{x, Literal::Scalar(n), Literal::Scalar(k)};
    };
    const absl::StatusOr<Literal> result = run->Run(arguments(c.n, c.k));
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(*result, Evaluate(module, arguments(c.rows, c.columns)).value())
        << c.n << " " << c.k;
  }
}

// XLA's CPU would rather be fast (default_flags.def).
TEST_P(PluginTest, MaximumAndMinimumOfNaNAreNaN) {
  const Module module = ModuleOf(R"(m

ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] maximum(x, y)
  b = f32[4] minimum(x, y)
  ROOT r = (f32[4], f32[4]) tuple(a, b)
}
)");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const absl::StatusOr<Executable> run = NewClient().Compile(module);
  ASSERT_TRUE(run.ok()) << run.status();
  const absl::StatusOr<Literal> result = run->Run(
      {Literal::Vector({1, nan, nan, 2}), Literal::Vector({nan, 1, nan, 3})});
  ASSERT_TRUE(result.ok()) << result.status();
  for (const Literal& part : result->elements()) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(part.AsDouble(i))) << i;
    EXPECT_FALSE(std::isnan(part.AsDouble(3)));
  }
}

TEST_P(PluginTest, TypedSpans) {
  const Client client = NewClient();
  const std::vector<std::complex<float>> values = {{1, 2}, {3, 4}};
  const Buffer buffer =
      client.ToDevice<std::complex<float>>(values, {2}).value();
  EXPECT_EQ(buffer.ToVector<std::complex<float>>().value(), values);
  bool flags[2] = {};
  const bool set[2] = {true, false};
  const Buffer preds = client.ToDevice<bool>(set, {2}).value();
  ASSERT_TRUE(preds.Read(absl::MakeSpan(flags)).ok());
  EXPECT_THAT(flags, ElementsAre(true, false));
}

TEST_P(PluginTest, InPlace) {
  const Client client = NewClient();
  alignas(Client::kHostAlignment) static const float values[4] = {1, 2, 3, 4};
  std::promise<void> released;
  {
    const absl::StatusOr<Buffer> shared = client.ShareWithDevice(
        Shape::Of(ElementType::kF32, {4}), values, sizeof(values),
        [&released] { released.set_value(); });
    ASSERT_TRUE(shared.ok()) << shared.status();
    const absl::StatusOr<BufferView> view = shared->View();
    ASSERT_TRUE(view.ok()) << view.status();
    EXPECT_EQ(view->data(), values) << "it was copied";
    const Executable add = client.Compile(Adder()).value();
    const absl::StatusOr<Execution> run = add.Execute({*shared, *shared});
    ASSERT_TRUE(run.ok()) << run.status();
    const absl::StatusOr<BufferView> sum = run->results[0].View();
    ASSERT_TRUE(sum.ok()) << sum.status();
    EXPECT_EQ(static_cast<const float*>(sum->data())[3], 8);
  }
  released.get_future().wait();
}

TEST_P(PluginTest, DonatedByTheModulesAlias) {
  const Client client = NewClient();
  const Module module =
      ModuleOf(R"(m, input_output_alias={ {}: (0, {}, may-alias) }

ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  ROOT sum = f32[4] add(x, y)
}
)");
  const Executable add = client.Compile(module).value();
  const Buffer x = client.ToDevice(Literal::Vector({1, 2, 3, 4})).value();
  const Buffer y = client.ToDevice(Literal::Vector({1, 1, 1, 1})).value();
  const Execution kept = add.Execute({x, y}, {{0}}).value();
  EXPECT_THAT(kept.results[0].ToVector<float>().value(),
              ElementsAre(2, 3, 4, 5));
  EXPECT_FALSE(x.IsDeleted().value());
  const Execution run = add.Execute({x, y}).value();
  EXPECT_THAT(run.results[0].ToVector<float>().value(),
              ElementsAre(2, 3, 4, 5));
  EXPECT_TRUE(x.IsDeleted().value());
  EXPECT_FALSE(y.IsDeleted().value());
  EXPECT_FALSE(x.ToLiteral().ok());
  EXPECT_FALSE(add.Execute({x, y}).ok());
}

TEST_P(PluginTest, NestedTuples) {
  const Client client = NewClient();
  const Module module = ModuleOf(R"(m

ENTRY e {
  x = f32[2] parameter(0)
  s = ((f32[2], s32[]), f32[3]) parameter(1)
  inner = (f32[2], s32[]) get-tuple-element(s), index=0
  w = f32[2] get-tuple-element(inner), index=0
  v = f32[3] get-tuple-element(s), index=1
  sum = f32[2] add(x, w)
  first = (f32[3], f32[2]) tuple(v, sum)
  ROOT r = ((f32[3], f32[2]), f32[2]) tuple(first, w)
}
)");
  RandomStream random(1);
  std::vector<Literal> arguments;
  for (const Shape& shape : module.entry().signature().parameters) {
    arguments.push_back(RandomLiteral(shape, &random).value());
  }
  const absl::StatusOr<Executable> run = client.Compile(module);
  ASSERT_TRUE(run.ok()) << run.status();
  const absl::StatusOr<Literal> result = run->Run(arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, Evaluate(module, arguments).value());
}

TEST_P(PluginTest, SavedAndLoaded) {
  const Client client = NewClient();
  const absl::StatusOr<std::string> saved =
      client.Compile(Adder()).value().Serialize();
  ASSERT_TRUE(saved.ok()) << saved.status();
  const Client other = NewClient();
  const absl::StatusOr<Executable> loaded = other.Load(*saved);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const absl::StatusOr<Literal> sum = loaded->Run(
      {Literal::Vector({1, 2, 3, 4}), Literal::Vector({1, 1, 1, 1})});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(sum->ToString(), "{2, 3, 4, 5}");
}

TEST_P(PluginTest, FlagsOfXla) {
  const Client client = NewClient();
  CompileOptions options;
  options.flags = {{"xla_cpu_enable_fast_math", false}};
  EXPECT_TRUE(client.Compile(Adder(), options).ok());
  options.flags = {{"xla_no_such_flag", true}};
  EXPECT_FALSE(client.Compile(Adder(), options).ok());
}

TEST_P(PluginTest, StableHlo) {
  const Client client = NewClient();
  Program program;
  program.format = "mlir";
  program.code = R"(module @m {
  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = stablehlo.add %x, %x : tensor<2xf32>
    return %y : tensor<2xf32>
  }
})";
  const Shape shape = Shape::Of(ElementType::kF32, {2});
  program.interface.parameters = {shape};
  program.interface.inputs = {{"x", shape}};
  program.interface.result = shape;
  program.interface.outputs = {{"y", shape}};
  const absl::StatusOr<Executable> run = client.CompileProgram(program);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->Run({Literal::Vector({1, 2})}).value().ToString(), "{2, 4}");
}

TEST_P(PluginTest, ManyThreads) {
  const Client client = NewClient();
  const Executable add = client.Compile(Adder()).value();
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&add, &good, t] {
      for (int i = 0; i < 50; ++i) {
        const float x = static_cast<float>(t * 100 + i);
        const absl::StatusOr<Literal> sum = add.Run(
            {Literal::Vector({x, 0, 0, 0}), Literal::Vector({1, 0, 0, 0})});
        if (sum.ok() && sum->AsDouble(0) == x + 1) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 200);
}

// --- Many devices -----------------------------------------------------------

TEST_P(PluginTest, CopiesBetweenDevices) {
  const Client client = NewClient(2);
  const Buffer here = client.ToDevice(Literal::Vector({1, 2})).value();
  const absl::StatusOr<Buffer> there = here.CopyTo(client.devices()[1]);
  ASSERT_TRUE(there.ok()) << there.status();
  EXPECT_EQ(there->device(), client.devices()[1]);
  EXPECT_THAT(there->ToVector<float>().value(), ElementsAre(1, 2));
}

TEST_P(PluginTest, Replicas) {
  const Client client = NewClient(8);
  CompileOptions options;
  options.replicas = 8;
  const absl::StatusOr<Executable> sum = client.Compile(ModuleOf(R"(m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY e {
  x = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(x), replica_groups={{0,1,2,3,4,5,6,7}}, to_apply=add
}
)"),
                                                        options);
  ASSERT_TRUE(sum.ok()) << sum.status();
  ASSERT_EQ(sum->devices().size(), 8u);
  const absl::StatusOr<Literal> result = sum->Run({Literal::Vector({1, 2})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->ToString(), "{8, 16}");
  std::vector<std::vector<Buffer>> inputs;
  for (int d = 0; d < 8; ++d) {
    inputs.push_back({client
                          .ToDevice(Literal::Vector({static_cast<float>(d), 0}),
                                    sum->devices()[static_cast<size_t>(d)])
                          .value()});
  }
  const ShardedExecution run = sum->ExecuteSharded(inputs).value();
  EXPECT_THAT(run.results[3][0].ToVector<float>().value(), ElementsAre(28, 0));
  EXPECT_FALSE(sum->Execute(inputs[0]).ok());
}

// x . w with the sharding of each, over 8 devices.
std::string MatMul(const std::string& header, const std::string& x,
                   const std::string& w, const std::string& y) {
  return absl::StrCat("m", header, R"(

ENTRY e {
  x = f32[8,16] parameter(0))",
                      x, R"(
  w = f32[16,12] parameter(1))",
                      w, R"(
  ROOT y = f32[8,12] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
                      y, "\n}\n");
}

TEST_P(PluginTest, ShardingsAreCutAndPutTogether) {
  constexpr char kMesh[] =
      ", frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"a\"=2, "
      "\"b\"=4]>}}";
  const auto shardy = [](const std::string& cuts) {
    return absl::StrCat(
        ", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [",
        cuts, "]>\"}");
  };
  const struct {
    const char* name;
    std::string text;
  } kCases[] = {
      {"rows",
       MatMul("", ", sharding={devices=[8,1]<=[8]}", ", sharding={replicated}",
              ", sharding={devices=[8,1]<=[8]}")},
      {"contracted", MatMul("", ", sharding={devices=[1,8]<=[8]}",
                            ", sharding={devices=[8,1]<=[8]}", "")},
      {"two axes",
       MatMul("", ", sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}",
              ", sharding={devices=[1,4,2]<=[2,4]T(1,0) "
              "last_tile_dim_replicate}",
              ", sharding={devices=[2,4]<=[8]}")},
      {"uneven", MatMul("", "", ", sharding={devices=[1,8]<=[8]}",
                        ", sharding={devices=[1,8]<=[8]}")},
      {"shardy",
       MatMul(kMesh, shardy("{\\\"a\\\"}, {}"), shardy("{}, {\\\"b\\\"}"),
              shardy("{\\\"a\\\"}, {\\\"b\\\"}"))},
  };
  const Client client = NewClient(8);
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const Module module = ModuleOf(c.text);
    RandomStream random(1);
    std::vector<Literal> arguments;
    for (const Shape& shape : module.entry().signature().parameters) {
      arguments.push_back(RandomLiteral(shape, &random).value());
    }
    CompileOptions options;
    options.partitions = 8;
    const absl::StatusOr<Executable> run = client.Compile(module, options);
    ASSERT_TRUE(run.ok()) << run.status();
    const absl::StatusOr<Literal> result = run->Run(arguments);
    ASSERT_TRUE(result.ok()) << result.status();
    const Literal whole = Evaluate(module, arguments).value();
    ASSERT_EQ(result->shape(), whole.shape());
    for (int64_t i = 0; i < whole.element_count(); ++i) {
      ASSERT_NEAR(result->AsDouble(i), whole.AsDouble(i), 1e-4) << i;
    }
  }
}

// --- Custom calls -----------------------------------------------------------

std::atomic<int> calls{0};

absl::Status Scale(const CustomCall& call) {
  ++calls;
  const std::string* const mode = call.attribute<std::string>("mode");
  if (mode != nullptr && *mode == "fail") {
    return absl::OutOfRangeError("it fails on demand");
  }
  const double factor = call.attribute<Literal>("factor")->AsDouble(0);
  const absl::Span<const float> x = call.arguments[0].values<float>();
  const absl::Span<float> y = call.results[0].values<float>();
  for (size_t i = 0; i < y.size(); ++i) {
    y[i] = x[i] * static_cast<float>(factor);
  }
  return absl::OkStatus();
}

Module Scaler(const std::string& config) {
  return ModuleOf(absl::StrCat(R"(m

ENTRY e {
  x = f32[4] parameter(0)
  ROOT y = f32[4] custom-call(x), custom_call_target="indim_scale", api_version=API_VERSION_TYPED_FFI, backend_config=")",
                               config, "\"\n}\n"));
}

TEST_P(PluginTest, CustomCalls) {
  const Client client = NewClient();
  const absl::Status registered =
      RegisterCustomCall<Scale>(client.plugin(), "indim_scale");
  ASSERT_TRUE(registered.ok()) << registered;
  const absl::StatusOr<Executable> run =
      client.Compile(Scaler("{factor = 3 : i64, mode = \\\"go\\\"}"));
  ASSERT_TRUE(run.ok()) << run.status();
  const absl::StatusOr<Literal> result =
      run->Run({Literal::Vector({1, 2, 3, 4})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->ToString(), "{3, 6, 9, 12}");
  EXPECT_GE(calls, 1);
  const absl::Status failed = client.Compile(Scaler("{mode = \\\"fail\\\"}"))
                                  .value()
                                  .Run({Literal::Vector({1, 2, 3, 4})})
                                  .status();
  EXPECT_THAT(std::string(failed.message()), HasSubstr("it fails on demand"));
}

// --- Isolation --------------------------------------------------------------

TEST_P(PluginTest, CompiledInAProcessOfItsOwn) {
  const absl::StatusOr<Executable> add = CompileIsolated(NewClient(), Adder());
  ASSERT_TRUE(add.ok()) << add.status();
  EXPECT_EQ(
      add->Run({Literal::Vector({1, 2, 3, 4}), Literal::Vector({1, 1, 1, 1})})
          .value()
          .ToString(),
      "{2, 3, 4, 5}");
}

INSTANTIATE_TEST_SUITE_P(Plugins, PluginTest,
                         ::testing::ValuesIn(PluginPaths()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           return absl::StrCat("Number", info.index);
                         });

TEST(PluginsTest, ThereAreSome) {
  EXPECT_FALSE(PluginPaths().empty())
      << "INDIM_PJRT_PLUGINS names none; ./bazelw test //tests/run sets it";
}

}  // namespace
}  // namespace indim::pjrt

int main(int argc, char** argv) {
  if (const auto exit = indim::pjrt::ServeIsolated(argc, argv)) return *exit;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
