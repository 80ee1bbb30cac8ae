// SPDX-License-Identifier: Apache-2.0
// Eight devices of XLA's CPU beside the evaluator's (EvaluateOnDevices): every
// collective that XLA's CPU has, with groups in each form; random modules; a
// training step, cut in the usual ways, against one device.
// INDIM_PJRT_PLUGINS names the plugins (bazelw sets it).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/io/read.h"
#include "indim/run/client.h"
#include "indim/run/plugin.h"
#include "indim/tests/run/compared_runs.h"
#include "indim/tests/run/random_collectives.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace pjrt {
namespace {

constexpr int64_t kDevices = 8;

class DevicesTest : public ::testing::TestWithParam<std::string> {
 protected:
  static Client NewClient() {
    const Plugin plugin = Plugin::Load(GetParam()).value();
    return Client::Create(plugin, {{{"cpu_device_count", kDevices}}}).value();
  }
};

// The results of all devices on the plugin, each of which is a replica: XLA's
// CPU runs partitions only behind its partitioner.
absl::StatusOr<std::vector<Literal>> RunOnEach(
    const Client& client, const Module& module, const EvalDevices& devices,
    const std::vector<std::vector<Literal>>& arguments) {
  CompileOptions options;
  options.replicas = devices.replicas;
  options.partitions = devices.partitions;
  const absl::StatusOr<Executable> program = client.Compile(module, options);
  if (!program.ok()) return program.status();
  const std::vector<Device> on = program->devices();
  std::vector<std::vector<Buffer>> inputs(on.size());
  for (size_t d = 0; d < on.size(); ++d) {
    for (const std::vector<Literal>& argument : arguments) {
      const absl::StatusOr<Buffer> input =
          client.ToDevice(argument[argument.size() == 1 ? 0 : d], on[d]);
      if (!input.ok()) return input.status();
      inputs[d].push_back(*input);
    }
  }
  const absl::StatusOr<ShardedExecution> run = program->ExecuteSharded(inputs);
  if (!run.ok()) return run.status();
  std::vector<Literal> results;
  for (const std::vector<Buffer>& of_device : run->results) {
    std::vector<Literal> leaves;
    for (const Buffer& buffer : of_device) {
      absl::StatusOr<Literal> leaf = buffer.ToLiteral();
      if (!leaf.ok()) return leaf.status();
      leaves.push_back(*std::move(leaf));
    }
    results.push_back(Literal::Tuple(std::move(leaves)));
  }
  return results;
}

// The arrays of a result as a tuple, as RunOnEach has them.
Literal AsTuple(const Literal& value) {
  return value.shape().is_tuple() ? value : Literal::Tuple({value});
}

void ExpectSameOnEach(const Client& client, const std::string& text,
                      const EvalDevices& devices,
                      const std::vector<std::vector<Literal>>& arguments) {
  SCOPED_TRACE(absl::StrCat(devices.replicas, " replicas of ",
                            devices.partitions, " partitions:\n", text));
  const absl::StatusOr<Module> module = ReadModuleText(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<std::vector<Literal>> ours =
      EvaluateOnDevices(*module, devices, arguments);
  ASSERT_TRUE(ours.ok()) << ours.status();
  const absl::StatusOr<std::vector<Literal>> said =
      RunOnEach(client, *module, devices, arguments);
  ASSERT_TRUE(said.ok()) << said.status();
  ASSERT_EQ(said->size(), devices.count());
  for (size_t d = 0; d < said->size(); ++d) {
    const Literal here = AsTuple((*ours)[ours->size() == 1 ? 0 : d]);
    EXPECT_TRUE((*said)[d] == here)
        << "device " << d << ": " << (*said)[d].ToString() << ", not "
        << here.ToString();
  }
}

// s32[8] for each device.
std::vector<std::vector<Literal>> Numbers(uint64_t seed) {
  std::mt19937 random(static_cast<uint32_t>(seed));
  std::vector<Literal> numbers;
  for (int64_t d = 0; d < kDevices; ++d) {
    std::vector<int32_t> values(8);
    for (int32_t& value : values) value = static_cast<int32_t>(random() % 100);
    numbers.push_back(Literal::Array(absl::MakeConstSpan(values), {8}).value());
  }
  return {numbers};
}

// A module of s32[8] x whose entry ends with `body`.
std::string ModuleOf(const EvalDevices& devices, const std::string& body) {
  return absl::StrCat("HloModule m, replica_count=", devices.replicas,
                      ", num_partitions=", devices.partitions, R"(

add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b)
}

max {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] maximum(a, b)
}

ENTRY e {
  x = s32[8] parameter(0)
)",
                      body, "}\n");
}

// --- Collectives -------------------------------------------------------------

// One way to say groups, and the replicas and partitions that it fits.
struct Groups {
  EvalDevices devices;
  std::string attributes;
  int64_t size;  // members of a group
};

std::vector<Groups> AllReduceGroups() {
  return {
      {{8, 1}, "replica_groups={}", 8},
      {{8, 1}, "replica_groups={{0,1,2,3},{7,6,5,4}}", 4},
      {{8, 1}, "replica_groups=[4,2]<=[8]", 2},
      {{8, 1}, "replica_groups=[2,4]<=[4,2]T(1,0)", 4},
      {{8, 1}, "replica_groups=[4,2]<=[2,2,2]T(2,0,1)", 2},
      {{8, 1}, "replica_groups=mesh['a'=2,'b'=4] {'a'}", 2},
      {{8, 1}, "replica_groups=mesh['a'=2,'b'=4] {'b':(1)2,'a'}", 4},
      {{8, 1}, "replica_groups=mesh['a'=2,'b'=4] {'b':(2)2}", 2},
      {{8, 1},
       "channel_id=1, replica_groups=[2,4]<=[2,2,2]T(1,0,2), "
       "use_global_device_ids=true",
       4},
  };
}

// Groups of collectives that take no global ids.
std::vector<Groups> PlainGroups() {
  return {
      {{8, 1}, "replica_groups={{0,1,2,3},{7,6,5,4}}", 4},
      {{8, 1}, "replica_groups=[4,2]<=[2,4]T(1,0)", 2},
      {{8, 1}, "replica_groups=mesh['a'=2,'b'=4] {'b'}", 4},
      {{8, 1}, "replica_groups={{3,0},{1,2},{7,5},{4,6}}", 2},
  };
}

TEST_P(DevicesTest, Collectives) {
  const Client client = NewClient();
  for (const Groups& g : AllReduceGroups()) {
    std::vector<std::string> bodies = {
        absl::StrCat("  ROOT r = s32[8] all-reduce(x), ", g.attributes,
                     ", to_apply=add\n"),
        absl::StrCat("  ROOT r = s32[", 8 * g.size, "] all-gather(x), ",
                     g.attributes, ", dimensions={0}\n"),
        absl::StrCat("  t = s32[4,2] reshape(x)\n  ROOT r = s32[4,", 2 * g.size,
                     "] all-gather(t), ", g.attributes, ", dimensions={1}\n"),
        absl::StrCat("  ROOT r = s32[", 8 / g.size, "] reduce-scatter(x), ",
                     g.attributes, ", dimensions={0}, to_apply=add\n")};
    // XLA's CPU compiler refuses several results of an all-reduce with a
    // channel ("does not have a layout"), for JAX as well.
    if (!absl::StrContains(g.attributes, "channel_id")) {
      bodies.push_back(
          absl::StrCat("  ROOT r = (s32[8], s32[8]) all-reduce(x, x), ",
                       g.attributes, ", to_apply=max\n"));
    }
    for (const std::string& body : bodies) {
      ExpectSameOnEach(client, ModuleOf(g.devices, body), g.devices,
                       Numbers(1));
    }
  }
  for (const Groups& g : PlainGroups()) {
    for (const std::string& body :
         {absl::StrCat("  ROOT r = s32[8] all-to-all(x), ", g.attributes,
                       ", dimensions={0}\n"),
          absl::StrCat("  t = s32[2,4] reshape(x)\n  ROOT r = s32[2,4] "
                       "all-to-all(t), ",
                       g.attributes, ", dimensions={1}\n")}) {
      ExpectSameOnEach(client, ModuleOf(g.devices, body), g.devices,
                       Numbers(2));
    }
  }
}

TEST_P(DevicesTest, PermutesAndNumbers) {
  const Client client = NewClient();
  const struct {
    EvalDevices devices;
    const char* body;
  } kCases[] = {
      {{8, 1},
       "  ROOT r = s32[8] collective-permute(x), "
       "source_target_pairs={{0,1},{1,2},{2,0},{3,3},{5,4}}\n"},
      {{8, 1},
       "  p = u32[] partition-id()\n  q = u32[] replica-id()\n"
       "  ROOT r = (u32[], u32[]) tuple(p, q)\n"},
  };
  for (const auto& c : kCases) {
    ExpectSameOnEach(client, ModuleOf(c.devices, c.body), c.devices,
                     Numbers(3));
  }
}

// --- Random modules ----------------------------------------------------------

TEST_P(DevicesTest, RandomModules) {
  const Client client = NewClient();
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    RandomCollectives body(seed);
    ExpectSameOnEach(client, ModuleOf(body.devices(), body.Make()),
                     body.devices(), Numbers(seed));
    if (HasFailure()) return;
  }
}

// --- Modules that XLA's partitioner cuts -------------------------------------

// Runs on eight partitions, whole arrays in and out, beside the evaluator,
// which may be off by `tolerance` of the largest element.
void ExpectSameWhole(const Client& client, const Module& module,
                     double tolerance) {
  RandomStream random(1);
  std::vector<Literal> inputs;
  std::vector<std::vector<Literal>> spread;
  for (const Shape& shape : module.entry().signature().parameters) {
    inputs.push_back(RandomLiteral(shape, &random).value());
    spread.push_back({inputs.back()});
  }
  CompileOptions options;
  options.partitions = kDevices;
  const absl::StatusOr<Executable> program = client.Compile(module, options);
  ASSERT_TRUE(program.ok()) << program.status();
  const absl::StatusOr<Literal> said = program->Run(inputs);
  ASSERT_TRUE(said.ok()) << said.status();
  const absl::StatusOr<std::vector<Literal>> ours =
      EvaluateOnDevices(module, {1, kDevices}, spread);
  ASSERT_TRUE(ours.ok()) << ours.status();
  ASSERT_EQ(ours->size(), 1);
  const Literal a = AsTuple(*said), b = AsTuple((*ours)[0]);
  ASSERT_EQ(a.shape(), b.shape());
  for (size_t k = 0; k < b.elements().size(); ++k) {
    if (b.elements()[k].shape().is_token()) continue;
    const Literal dense = b.elements()[k].Expanded().value();
    double most = 1;
    for (int64_t i = 0; i < dense.element_count(); ++i) {
      most = std::max(most, std::abs(dense.AsDouble(i)));
    }
    for (int64_t i = 0; i < dense.element_count(); ++i) {
      ASSERT_NEAR(a.elements()[k].AsDouble(i), dense.AsDouble(i),
                  tolerance * most)
          << "result " << k << " at " << i;
    }
  }
}

Module FromFile(const std::string& name) {
  return ReadWrappedModuleFile(absl::StrCat("tests/data/jax/", name, ".hlo.pb"))
      .value()
      .module;
}

// Two have manual regions; of one the parameters have no sharding of their own.
TEST_P(DevicesTest, ModulesOfFiles) {
  const Client client = NewClient();
  for (const char* name :
       {"spmd_pmap_psum", "spmd_sm_alltoall_ppermute", "spmd_3d_mesh_einsum"}) {
    SCOPED_TRACE(name);
    ExpectSameWhole(client, FromFile(name), 1e-5);
  }
}

// In f32 its gradients of 1e6 differ by 1e3 between XLA and the evaluator; in
// f64, where rounding is 1e9 times less, they don't.
TEST_P(DevicesTest, TransformersDifferByRounding) {
  const Client client = NewClient();
  for (const char* name :
       {"spmd_transformer_2d_jit", "spmd_transformer_2d_jit_gspmd"}) {
    SCOPED_TRACE(name);
    const absl::StatusOr<Module> module = ReadModuleText(
        absl::StrReplaceAll(PrintHloText(FromFile(name)), {{"f32[", "f64["}}));
    ASSERT_TRUE(module.ok()) << module.status();
    ExpectSameWhole(client, *module, 1e-10);
  }
}

// XLA chooses how the result is cut; one device has all of an array; a token
// goes in and comes out.
TEST_P(DevicesTest, WhatShardingsLeaveOpen) {
  const Client client = NewClient();
  for (const char* body :
       {"  x = f32[16] parameter(0), sharding={devices=[8]<=[8]}\n"
        "  ROOT r = f32[16] tanh(x)\n",
        "  x = f32[16] parameter(0), sharding={maximal device=3}\n"
        "  ROOT r = f32[16] tanh(x), sharding={maximal device=3}\n",
        "  x = f32[16] parameter(0), sharding={devices=[8]<=[8]}\n"
        "  y = f32[16] tanh(x)\n  t = token[] after-all()\n"
        "  ROOT r = (f32[16], token[]) tuple(y, t)\n"}) {
    SCOPED_TRACE(body);
    ExpectSameWhole(
        client,
        ReadModuleText(absl::StrCat("HloModule m\n\nENTRY e {\n", body, "}\n"))
            .value(),
        1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Plugins, DevicesTest,
                         ::testing::ValuesIn(PluginPaths()),
                         [](const auto& plugin) {
                           return absl::StrCat("Number", plugin.index);
                         });

TEST(DevicesPluginsTest, ThereAreSome) { EXPECT_FALSE(PluginPaths().empty()); }

}  // namespace
}  // namespace pjrt
}  // namespace indim
