// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/structure/fingerprint.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "indim/edit/editor.h"
#include "indim/io/read.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/tests/data_files.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

std::string OfText(const std::string& text) {
  const absl::StatusOr<Module> module =
      ReadModuleText(absl::StrCat("HloModule ", text));
  EXPECT_TRUE(module.ok()) << module.status() << text;
  return module.ok() ? Fingerprint(*module) : "";
}

constexpr char kPlain[] = R"(m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY e {
  x = f32[4]{0} parameter(0)
  zero = f32[] constant(0)
  n = f32[4]{0} negate(x)
  t = f32[4]{0} tanh(x)
  p = f32[4]{0} power(n, t)
  g = f32[4]{0} all-reduce(p), channel_id=3, replica_groups={}, to_apply=add
  ROOT r = f32[] reduce(g, zero), dimensions={0}, to_apply=add
}
)";

// Names, order, metadata, the number of a channel.
constexpr char kDressed[] = R"(other_name

plus {
  one = f32[] parameter(1)
  zero.1 = f32[] parameter(0)
  ROOT sum = f32[] add(zero.1, one)
}

ENTRY main.7 {
  arg = f32[4]{0} parameter(0), metadata={op_name="x"}
  th = f32[4]{0} tanh(arg), metadata={source_file="a.py" source_line=7}
  neg = f32[4]{0} negate(arg)
  pow = f32[4]{0} power(neg, th)
  all = f32[4]{0} all-reduce(pow), channel_id=9, replica_groups={}, to_apply=plus
  c = f32[] constant(0)
  ROOT out = f32[] reduce(all, c), dimensions={0}, to_apply=plus
}
)";

std::string Replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(FingerprintTest, NamesOrderMetadataAndNumbersOfChannelsDontCount) {
  EXPECT_EQ(OfText(kPlain), OfText(kDressed));
}

TEST(FingerprintTest, AllElseCounts) {
  const std::vector<std::pair<const char*, const char*>> changes = {
      {"negate(x)", "abs(x)"},
      {"power(n, t)", "power(t, n)"},
      {"power(n, t)", "power(n, n)"},
      {"constant(0)", "constant(1)"},
      {"constant(0)", "constant(-0)"},
      {"ROOT s = f32[] add(a, b)", "ROOT s = f32[] add(a, a)"},
      {"ROOT s = f32[] add(a, b)", "ROOT s = f32[] multiply(a, b)"},
      {"channel_id=3, ", ""},
      {"replica_groups={}", "replica_groups={{0,1}}"},
      {"n = f32[4]{0} negate(x)",
       "n = f32[4]{0} negate(x), sharding={replicated}"},
      {"n = f32[4]{0} negate(x)",
       "n = f32[4]{0} negate(x), frontend_attributes={k=\"v\"}"},
      {"n = f32[4]{0} negate(x)",
       "u = f32[4]{0} negate(x)\n  n = f32[4]{0} negate(x)"},
      {"t = f32[4]{0} tanh(x)",
       "t = f32[4]{0} tanh(x), control-predecessors={n}"},
      {"ENTRY e {", "unused {\n  ROOT y = f32[] parameter(0)\n}\n\nENTRY e {"},
      {"m\n", "m, input_output_alias={ {}: (0, {}, may-alias) }\n"},
      {"m\n", "m, frontend_attributes={k=\"v\"}\n"},
  };
  std::set<std::string> values = {OfText(kPlain)};
  for (const auto& [from, to] : changes) {
    EXPECT_TRUE(values.insert(OfText(Replaced(kPlain, from, to))).second)
        << from << " -> " << to;
  }
}

TEST(FingerprintTest, LayoutsCountWhereAskedFor) {
  const std::string text = R"(HloModule m
ENTRY e {
  x = f32[4,2]{1,0} parameter(0)
  ROOT y = f32[4,2]{1,0} tanh(x)
}
)";
  FingerprintOptions without;
  without.layouts = false;
  const auto values_of = [&](const std::string& of) {
    const Module module = ReadModuleText(of).value();
    return std::make_pair(Fingerprint(module), Fingerprint(module, without));
  };
  const auto plain = values_of(text);
  for (const char* changed :
       {"f32[4,2]{1,0} tanh", "f32[4,2]{1,0} parameter"}) {
    const auto other =
        values_of(Replaced(text, changed, Replaced(changed, "{1,0}", "{0,1}")));
    EXPECT_NE(other.first, plain.first) << changed;
    EXPECT_EQ(other.second, plain.second) << changed;
  }
}

TEST(FingerprintTest, UsersTellEqualRandomNumbersApart) {
  const std::string same = R"(m
ENTRY e {
  zero = f32[] constant(0)
  one = f32[] constant(1)
  r = f32[] rng(zero, one), distribution=rng_uniform
  q = f32[] rng(zero, one), distribution=rng_uniform
  ROOT d = f32[] subtract(r, r)
}
)";
  EXPECT_NE(OfText(same),
            OfText(Replaced(same, "subtract(r, r)", "subtract(r, q)")));
}

TEST(FingerprintTest, WhichInstructionsShareAChannelCounts) {
  const std::string one =
      Replaced(kPlain, "ROOT r",
               "h = f32[4]{0} all-reduce(n), channel_id=3, replica_groups={}, "
               "to_apply=add\n  ROOT r");
  EXPECT_NE(OfText(one), OfText(Replaced(one, "all-reduce(n), channel_id=3",
                                         "all-reduce(n), channel_id=4")));
}

TEST(FingerprintTest, ModulesAndTheirTextsHaveTheSame) {
  std::set<std::string> values;
  for (const std::string& path : JaxModules()) {
    const absl::StatusOr<Module> module = ReadModuleFile(path);
    ASSERT_TRUE(module.ok()) << module.status();
    const std::string value = Fingerprint(*module);
    EXPECT_TRUE(values.insert(value).second) << path;
    const absl::StatusOr<Module> again = ReadModuleText(PrintHloText(*module));
    ASSERT_TRUE(again.ok()) << path << again.status();
    EXPECT_EQ(Fingerprint(*again), value) << path;
  }
  EXPECT_GT(values.size(), 5u);
}

TEST(FingerprintTest, TextBytesAndEditorsKeepIt) {
  const Module module =
      ReadModuleText(absl::StrCat("HloModule ", kPlain)).value();
  const std::string value = Fingerprint(module);
  EXPECT_EQ(value.size(), 34u);
  EXPECT_EQ(value.substr(0, 2), "1:");
  EXPECT_EQ(Fingerprint(ReadModuleText(PrintHloText(module)).value()), value);
  Editor editor(module);
  editor.SetName(editor.Find("t"), "renamed");
  editor.SetMetadata(editor.Find("n"), "");
  EXPECT_EQ(Fingerprint(editor.Finish().module), value);
}

std::string OfWhole(const std::string& text) {
  const absl::StatusOr<Module> module = ReadModuleText(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  return module.ok() ? Fingerprint(*module) : "";
}

constexpr char kProto[] = R"(
name: "m"
computations {
  name: "e" id: 1 root_id: 2
  instructions {
    name: "p" id: 1 opcode: "parameter" shape { element_type: F32 }
  }
  instructions {
    name: "n" id: 2 opcode: "negate" operand_ids: 1 shape { element_type: F32 }
    sharding { type: MAXIMAL tile_assignment_devices: 0 }
  }
}
entry_computation_name: "e" entry_computation_id: 1
)";

TEST(FingerprintTest, WhatTextHasNoPlaceForDoesntCount) {
  const std::string value = OfWhole(kProto);
  EXPECT_EQ(OfWhole(PrintHloText(ReadModuleText(kProto).value())), value);
  const std::vector<std::pair<const char*, const char*>> changes = {
      {"sharding {", "frontend_attributes {} sharding {"},
      {"sharding {", "statistics_viz {} sharding {"},
      {"sharding {", "sharding { metadata { op_name: \"a\" }"},
      {"sharding {", "feature_group_count: 1 batch_group_count: 1 sharding {"},
      {"sharding {",
       "precision_config { operand_precision: DEFAULT } sharding {"},
      {"sharding {", "sparsity_config {} sharding {"},
      {"sharding {", "block_scaling_config {} sharding {"},
      {"name: \"m\"", "name: \"m\" frontend_attributes {}"},
      {"name: \"m\"", "name: \"m\" input_output_alias {}"},
      {"name: \"m\"", "name: \"m\" buffer_donor {}"},
      {"name: \"m\"", "name: \"m\" spmd_output_sharding { type: MANUAL }"},
      {"name: \"m\"", "name: \"m\" spmd_parameters_shardings { type: MANUAL }"},
      {"name: \"m\"", "name: \"m\" device_assignment { replica_count: 1 }"},
  };
  for (const auto& [from, to] : changes) {
    EXPECT_EQ(OfWhole(Replaced(kProto, from, to)), value) << to;
  }
  for (const auto& [from, to] :
       std::vector<std::pair<const char*, const char*>>{
           {"devices: 0", "devices: 1"},
           {"sharding {", "feature_group_count: 2 sharding {"},
           {"sharding {",
            "precision_config { operand_precision: HIGH } sharding {"},
       }) {
    EXPECT_NE(OfWhole(Replaced(kProto, from, to)), value) << to;
  }
}

// JAX writes default precisions beside an algorithm, and StableHLO written here
// leaves them out.
TEST(FingerprintTest, DefaultPrecisionsBesideAnAlgorithmDontCount) {
  const auto with = [](const char* config) {
    return OfWhole(
        Replaced(kProto, "sharding {",
                 absl::StrCat("precision_config { ", config, " } sharding {")));
  };
  constexpr char kAlgorithm[] = "algorithm: ALG_DOT_BF16_BF16_F32";
  EXPECT_EQ(with("operand_precision: DEFAULT operand_precision: DEFAULT"
                 " algorithm: ALG_DOT_BF16_BF16_F32"),
            with(kAlgorithm));
  EXPECT_NE(with(kAlgorithm), OfWhole(kProto));
  EXPECT_NE(with(kAlgorithm),
            with("operand_precision: DEFAULT operand_precision: HIGH"
                 " algorithm: ALG_DOT_BF16_BF16_F32"));
}

// XLA has written groups as a list of the instruction and in a list of devices,
// and no groups as nothing or as an empty list.
TEST(FingerprintTest, HowGroupsAreSpelledDoesntCount) {
  constexpr char kGathers[] = R"(
name: "m"
computations {
  name: "e" id: 1 root_id: 2
  instructions {
    name: "p" id: 1 opcode: "parameter"
    shape { element_type: F32 dimensions: 2 layout { minor_to_major: 0 } }
  }
  instructions {
    name: "g" id: 2 opcode: "all-gather" operand_ids: 1 dimensions: 0
    shape { element_type: F32 dimensions: 4 layout { minor_to_major: 0 } }
    GROUPS
  }
}
entry_computation_name: "e" entry_computation_id: 1
)";
  constexpr char kPairs[] =
      "replica_groups { replica_ids: [0, 1] } "
      "replica_groups { replica_ids: [2, 3] }";
  constexpr char kFormula[] =
      "num_replica_groups: 2 num_devices_per_group: 2"
      " iota_reshape_dims: 4 iota_transpose_perm: 0";
  const std::string list =
      absl::StrCat("collective_device_list {", kPairs, "}");
  const std::string formula =
      absl::StrCat("iota_collective_device_list {", kFormula, "}");
  std::set<std::string> values;
  for (const std::vector<std::string>& spellings :
       std::vector<std::vector<std::string>>{
           {kPairs, list},
           {formula},
           {"replica_groups { replica_ids: [0, 1] }",
            "collective_device_list {"
            " replica_groups { replica_ids: [0, 1] } }"},
           {"", "collective_device_list {}"},
       }) {
    const std::string module = Replaced(kGathers, "GROUPS", spellings[0]);
    const std::string value = OfWhole(module);
    EXPECT_TRUE(values.insert(value).second) << spellings[0];
    EXPECT_EQ(OfWhole(PrintHloText(ReadModuleText(module).value())), value)
        << spellings[0];
    for (const std::string& other : spellings) {
      EXPECT_EQ(OfWhole(Replaced(kGathers, "GROUPS", other)), value) << other;
    }
  }
}

// StableHLO and builders may leave the order to the type of the elements.
TEST(FingerprintTest, TheTypeOfAComparisonThatElementsImplyDoesntCount) {
  for (const char* type : {"f32", "s32", "u8", "pred", "c64"}) {
    const std::string text = absl::StrReplaceAll(
        R"(HloModule m
ENTRY e {
  x = TYPE[2]{0} parameter(0)
  ROOT c = pred[2]{0} compare(x, x), direction=EQ
}
)",
        {{"TYPE", type}});
    const Module typed = ReadModuleText(text).value();
    Editor editor(typed);
    CompareAttributes untyped_attributes;
    untyped_attributes.direction = ComparisonDirection::kEq;
    editor.SetAttributes(editor.Find("c"), untyped_attributes);
    const EditResult untyped = editor.Finish();
    ASSERT_TRUE(untyped.ok());
    EXPECT_NE(*SerializeModule(untyped.module), *SerializeModule(typed));
    EXPECT_EQ(Fingerprint(untyped.module), Fingerprint(typed)) << type;
    if (absl::string_view(type) != "f32") continue;
    EXPECT_NE(Fingerprint(
                  ReadModuleText(Replaced(text, "=EQ", "=EQ, type=TOTALORDER"))
                      .value()),
              Fingerprint(typed));
  }
}

TEST(FingerprintTest, MetadataOfShardingsDoesntCount) {
  const auto sharded = [](const std::string& first) {
    return OfText(absl::StrCat(R"(m
ENTRY e {
  x = f32[4]{0} parameter(0)
  ROOT t = (f32[4]{0}, f32[4]{0}) tuple(x, x), sharding={)",
                               first, R"(, {replicated}}
}
)"));
  };
  const std::string value = sharded("{replicated}");
  EXPECT_EQ(sharded("{replicated metadata={op_name=\"a\"}}"), value);
  EXPECT_NE(sharded("{devices=[2]0,1}"), value);
  EXPECT_EQ(sharded("{devices=[2]0,1 metadata={op_name=\"a\"}}"),
            sharded("{devices=[2]0,1}"));
  EXPECT_NE(sharded("{devices=[2]1,0}"), sharded("{devices=[2]0,1}"));
}

TEST(FingerprintTest, MemoryKindsCount) {
  const std::string program = R"(
func.func @main(%a: tensor<4xf32> ARGUMENT) -> (tensor<4xf32> RESULT) {
  return %a : tensor<4xf32>
})";
  std::set<std::string> values;
  for (const char* argument : {"", "{mhlo.memory_kind = \"a\"}"}) {
    for (const char* result :
         {"", "{mhlo.memory_kind = \"a\"}", "{mhlo.memory_kind = \"b\"}"}) {
      EXPECT_TRUE(
          values
              .insert(OfWhole(Replaced(Replaced(program, "ARGUMENT", argument),
                                       "RESULT", result)))
              .second)
          << argument << result;
    }
  }
}

TEST(FingerprintTest, ProgramsOfStablehloAndTheirHloTextsHaveTheSame) {
  const std::string program = R"(
module @m attributes {mhlo.num_partitions = 1 : i32,
                      mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.dot %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>)
      -> tensor<4x4xf32>
    stablehlo.custom_call @effect(%0) {has_side_effect = true}
      : (tensor<4x4xf32>) -> ()
    return %0 : tensor<4x4xf32>
  }
})";
  EXPECT_EQ(OfWhole(PrintHloText(ReadModuleText(program).value())),
            OfWhole(program));
  EXPECT_NE(
      OfWhole(Replaced(program, "num_partitions = 1", "num_partitions = 2")),
      OfWhole(program));
}

// `calls` has the lines of the entry: %x is its parameter, and %f and %g are
// equal.
std::string OfCalls(const std::string& calls) {
  return OfText(absl::StrCat(R"(m
f {
  a = f32[4]{0} parameter(0)
  ROOT n = f32[4]{0} negate(a)
}
g {
  a = f32[4]{0} parameter(0)
  ROOT n = f32[4]{0} negate(a)
}
ENTRY e {
  x = f32[4]{0} parameter(0)
)",
                             calls, "}\n"));
}

TEST(FingerprintTest, WhichOfEqualComputationsIsCalledCounts) {
  const auto calls = [](const char* first, const char* second) {
    return OfCalls(absl::StrCat(
        "  c = f32[4]{0} call(x), to_apply=", first,
        "\n  ROOT d = f32[4]{0} call(c), to_apply=", second, "\n"));
  };
  EXPECT_NE(calls("f", "g"), calls("f", "f"));
  EXPECT_EQ(calls("f", "g"), calls("g", "f"));
  EXPECT_EQ(calls("f", "f"), calls("g", "g"));
}

TEST(FingerprintTest, ChannelsOfEqualComputationsCount) {
  // Four equal computations in a chain, with these channels.
  const auto chain = [](const std::vector<int>& channels) {
    std::string text = "m\n";
    std::string entry = "ENTRY e {\n  c = f32[4]{0} parameter(0)\n";
    std::string value = "c";
    for (size_t i = 0; i < channels.size(); ++i) {
      absl::StrAppend(&text, "f", i, R"( {
  a = f32[4]{0} parameter(0)
  ROOT p = f32[4]{0} collective-permute(a), source_target_pairs={{0,1}},
    channel_id=)",
                      channels[i], "\n}\n");
      const bool is_last = i + 1 == channels.size();
      absl::StrAppend(&entry, is_last ? "  ROOT c" : "  c", i,
                      " = f32[4]{0} call(", value, "), to_apply=f", i, "\n");
      value = absl::StrCat("c", i);
    }
    return OfText(absl::StrCat(text, entry, "}\n"));
  };
  EXPECT_NE(chain({1, 1, 2, 2}), chain({1, 2, 1, 2}));
  EXPECT_EQ(chain({1, 2, 1, 2}), chain({7, 3, 7, 3}));
}

}  // namespace
}  // namespace indim
