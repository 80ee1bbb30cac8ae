// SPDX-License-Identifier: Apache-2.0
// The bytes of compile options, written out; and what is left to the module.

#include "indim/run/compile/compile_options.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/escaping.h"
#include "indim/io/read.h"
#include "indim/run/compile/default_flags.h"
#include "indim/run/compile/program.h"

namespace indim {
namespace pjrt {
namespace {

std::string Hex(const CompileOptions& options, bool tupled = false) {
  return absl::BytesToHexString(EncodeCompileOptions(options, tupled));
}

TEST(CompileOptionsTest, TheLeastIsOneReplicaOfOnePartition) {
  EXPECT_EQ(Hex({}), "1a0420012801");
  EXPECT_EQ(Hex({}, /*tupled=*/true), "10011a0420012801");
}

TEST(CompileOptionsTest, Partitioners) {
  CompileOptions options;
  options.partitions = 8;
  options.partitioner = Partitioner::kSpmd;
  EXPECT_EQ(Hex(options), "1a06200128083001");
  options.partitioner = Partitioner::kShardy;
  EXPECT_EQ(Hex(options), "1a09200128083001980101");
}

// By partition the devices of all replicas.
TEST(CompileOptionsTest, Devices) {
  CompileOptions options;
  options.replicas = 2;
  options.partitions = 2;
  options.device_ids = {0, 1, 2, 3};
  EXPECT_EQ(Hex(options),
            "1a16"
            "20022802"
            "4a10"
            "08021002"
            "1a040a020002"
            "1a040a020103");
}

TEST(CompileOptionsTest, Flags) {
  CompileOptions options;
  options.flags = {
      {"a", true}, {"b", int64_t{3}}, {"c", std::string("x")}, {"d", 1.0}};
  EXPECT_EQ(Hex(options),
            "1a0420012801"
            "3a070a016112021001"
            "3a070a016212021803"
            "3a080a016312030a0178"
            "3a0e0a0164120921000000000000f03f");
}

CompileOptions For(const std::string& header, const std::string& parameter,
                   CompileOptions options = {}) {
  const Module module =
      ReadModuleText("HloModule m" + header +
                     "\n\nENTRY e {\n  ROOT x = f32[8] parameter(0)" +
                     parameter + "\n}\n")
          .value();
  return OptionsFor(module, options);
}

TEST(CompileOptionsTest, WhatTheModuleSays) {
  const CompileOptions plain = For("", "");
  EXPECT_EQ(plain.replicas, 1);
  EXPECT_EQ(plain.partitions, 1);
  EXPECT_EQ(plain.partitioner, Partitioner::kNone);
  const CompileOptions counted = For(", replica_count=2, num_partitions=4", "");
  EXPECT_EQ(counted.replicas, 2);
  EXPECT_EQ(counted.partitions, 4);
  EXPECT_EQ(counted.partitioner, Partitioner::kSpmd);
  const CompileOptions shardy =
      For(", frontend_attributes={xla.sdy.meshes={}}", "");
  EXPECT_EQ(shardy.partitioner, Partitioner::kShardy);
  EXPECT_EQ(
      For("", ", frontend_attributes={xla.sdy.sharding=\"x\"}").partitioner,
      Partitioner::kShardy);
}

TEST(CompileOptionsTest, DevicesArePartitionsOrReplicas) {
  CompileOptions eight;
  eight.devices = 8;
  EXPECT_EQ(For("", "", eight).replicas, 8);
  const CompileOptions cut = For("", ", sharding={devices=[8]<=[8]}", eight);
  EXPECT_EQ(cut.replicas, 1);
  EXPECT_EQ(cut.partitions, 8);
  const CompileOptions said = For(", num_partitions=2", "", eight);
  EXPECT_EQ(said.replicas, 1);
  EXPECT_EQ(said.partitions, 2);
}

TEST(DefaultFlagsTest, TheyGiveWayToThoseThatAreNamed) {
  CompileOptions none;
  AddDefaultFlags("cpu", "--xla_dump_to=x", &none);
  ASSERT_EQ(none.flags.size(), 1u);
  EXPECT_EQ(none.flags[0].name, "xla_cpu_enable_fast_min_max");
  EXPECT_FALSE(std::get<bool>(none.flags[0].value));
  CompileOptions named;
  named.flags.push_back({"xla_cpu_enable_fast_min_max", true});
  AddDefaultFlags("cpu", "", &named);
  ASSERT_EQ(named.flags.size(), 1u);
  EXPECT_TRUE(std::get<bool>(named.flags[0].value));
  for (const auto& [platform, environment] :
       std::vector<std::pair<std::string, std::string>>{
           {"cpu", "--xla_cpu_enable_fast_min_max=true"}, {"cuda", ""}}) {
    CompileOptions left;
    AddDefaultFlags(platform, environment, &left);
    EXPECT_TRUE(left.flags.empty()) << platform;
  }
}

}  // namespace
}  // namespace pjrt
}  // namespace indim
