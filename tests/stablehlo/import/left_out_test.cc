// SPDX-License-Identifier: Apache-2.0
// What of a program the importer says that it leaves out, and that it keeps
// what it says nothing of.

#include "indim/stablehlo/import/left_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

struct Read {
  Module module;
  std::vector<std::string> left_out;
};

Read ReadIt(const std::string& text) {
  Read read;
  StablehloReadOptions options;
  options.left_out = &read.left_out;
  absl::StatusOr<Module> module = ReadStablehlo(text, options);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  if (module.ok()) read.module = *std::move(module);
  return read;
}

std::string BytesOf(const Module& module) {
  return SerializeModule(module).value();
}

// A program with attributes at each place: "a = 1" or "".
struct Places {
  std::string module = {}, argument = {}, result = {}, operation = {},
              location = {};
};

std::string Program(const Places& places) {
  const auto in_braces = [](const std::string& attributes) {
    return attributes.empty() ? "" : absl::StrCat(" {", attributes, "}");
  };
  return absl::StrCat(
      "module @m", places.module.empty() ? "" : " attributes",
      in_braces(places.module), " {\n  sdy.mesh @mesh = <[\"x\"=2]>\n",
      "  func.func @main(%a: tensor<2xf32>", in_braces(places.argument),
      ") -> (tensor<2xf32>", in_braces(places.result),
      ") {\n    %0 = stablehlo.negate %a", in_braces(places.operation),
      " : tensor<2xf32>", places.location,
      "\n    return %0 : tensor<2xf32>\n  }\n}\n");
}

TEST(LeftOutTest, SaysWhat) {
  const struct {
    Places places;
    std::vector<std::string> left_out;
  } kCases[] = {
      {{}, {}},
      {{"my.note = 1 : i32"}, {"my.note of the module"}},
      {{"", "my.a = 1 : i32, my.b"},
       {"my.a of 1 argument", "my.b of 1 argument"}},
      {{"", "mhlo.layout_mode = \"default\""}, {}},
      {{"", "mhlo.layout_mode = \"auto\""}, {"mhlo.layout_mode of 1 argument"}},
      {{"", "", "jax.result_info = \"\""}, {}},
      {{"", "", "jax.result_info = \"loss\""}, {"jax.result_info of 1 result"}},
      {{"", "", "tf.aliasing_output = 0 : i32"},
       {"tf.aliasing_output of 1 result"}},
      {{"", "mhlo.memory_kind = \"device\""}, {}},
      {{"", "", "mhlo.memory_kind = \"device\""}, {}},
      {{"", "", "", "mhlo.memory_kind = \"device\""},
       {"mhlo.memory_kind of 1 operation"}},
      {{"", "", "", "my.tag"}, {"my.tag of 1 operation"}},
      {{"", "", "", "", " loc(\"a.py\":1:2)"}, {}},
      {{"", "", "", "", " loc(\"name\"(\"a.py\":1:2))"}, {}},
      {{"", "", "", "", " loc(callsite(\"a.py\":1:2 at \"b.py\":3:4))"},
       {"further parts of locations of 1 operation"}},
      {{"", "", "", "", " loc(fused[\"a\", \"b\"])"},
       {"further parts of locations of 1 operation"}},
      {{"", "", "", "", " loc(fused<\"note\">[\"a\"])"},
       {"further parts of locations of 1 operation"}},
  };
  for (const auto& c : kCases) {
    const std::string text = Program(c.places);
    EXPECT_THAT(ReadIt(text).left_out, ElementsAreArray(c.left_out)) << text;
  }
}

TEST(LeftOutTest, Functions) {
  const Read read = ReadIt(R"(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> attributes {no_inline} {
  %0 = call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @f(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return {my.end} %1 : tensor<2xf32>
}
func.func private @f(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2xf32> {mhlo.memory_kind = "device"}) {
  return %a : tensor<2xf32>
}
func.func private @declared(tensor<2xf32>)
)");
  EXPECT_THAT(
      read.left_out,
      ElementsAre("no_inline of 1 function", "tf.aliasing_output of 1 argument",
                  "mhlo.memory_kind of 1 result", "my.end of 1 operation",
                  "the declarations of 1 function"));
}

// Each row of module_attributes.def: with the attribute the module is another,
// or, where HLO has no place, what is written as StableHLO.
TEST(LeftOutTest, KeepsTheRest) {
  enum {
    kModule,
    kFunction,
    kArgument,
    kEntryArgument,
    kResult,
    kEntryResult,
    kOperation
  };
  const std::map<std::string, std::string> kValues = {
      {"mhlo.num_replicas", "2 : i32"},
      {"mhlo.num_partitions", "2 : i32"},
      {"mhlo.frontend_attributes", "{a = \"b\"}"},
      {"mhlo.input_output_alias",
       "[{alias = {kind = \"must_alias\", parameter_index = array<i64>, "
       "parameter_number = 0 : i64}, output_index = array<i64>}]"},
      {"mhlo.spmd_output_sharding", "\"{devices=[2]0,1}\""},
      {"mhlo.spmd_parameters_shardings", "[\"{devices=[2]0,1}\"]"},
      {"mhlo.use_auto_spmd_partitioning", "true"},
      {"mhlo.is_dynamic", "true"},
      {"tf.aliasing_output", "0 : i32"},
      {"jax.buffer_donor", "true"},
      {"mhlo.sharding", "\"{devices=[2]0,1}\""},
      {"mhlo.parameter_replication", "[true]"},
      {"error_message", "\"no\""},
      {"sdy.sharding_rule", "#sdy.op_sharding_rule<([i])->([i]) {i=2}>"},
      {"mhlo.memory_kind", "\"pinned_host\""},
  };
  const Read plain = ReadIt(Program({}));
  EXPECT_EQ(BytesOf(ReadIt(Program({"my.note = 1 : i32"})).module),
            BytesOf(plain.module));
  int rows = 0;
  const auto check = [&](int where, const std::string& name) {
    // Those of functions are no single attributes, those of tiles are of no
    // use alone.
    if (where == kFunction || name.find("xla_entry") != name.npos) return;
    ++rows;
    std::string value = "#sdy.sharding<@mesh, [{\"x\"}]>";
    if (name == "sdy.sharding" && where == kOperation) {
      value = "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>";
    }
    if (name != "sdy.sharding") {
      ASSERT_EQ(kValues.count(name), 1) << name;
      value = kValues.at(name);
    }
    const std::string attribute = absl::StrCat(name, " = ", value);
    Places places;
    if (where == kModule) places.module = attribute;
    if (where == kArgument || where == kEntryArgument) {
      places.argument = attribute;
    }
    if (where == kResult || where == kEntryResult) places.result = attribute;
    if (where == kOperation) places.operation = attribute;
    const Read read = ReadIt(Program(places));
    EXPECT_THAT(read.left_out, IsEmpty()) << attribute;
    EXPECT_TRUE(BytesOf(read.module) != BytesOf(plain.module) ||
                WriteStablehlo(read.module).value() !=
                    WriteStablehlo(plain.module).value())
        << attribute;
  };
#define INDIM_MLIR_NOTE(id, name, ...) \
  for (const int where : {__VA_ARGS__}) check(where, name);
#include "indim/stablehlo/ops/module_attributes.def"
  EXPECT_GE(rows, 20);
}

}  // namespace
}  // namespace indim
