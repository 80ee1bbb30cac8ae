// SPDX-License-Identifier: Apache-2.0
// What Shardy says of a program is verified. Whether MLIR takes each case was
// asked of it (jaxlib 0.10.2).

#include "indim/stablehlo/import/shardy_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module.h"
#include "indim/stablehlo/read.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

constexpr char kShardyMeshes[] = R"(
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
sdy.mesh @other = <["a"=2]>
sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @none = <[]>
)";

struct ShardyCase {
  const char* text;
  const char* says;  // a part of the error; "": it is right
};

void ExpectSays(const std::string& program, const char* says) {
  const absl::StatusOr<Module> module = ReadStablehlo(program);
  if (*says == '\0') {
    EXPECT_TRUE(module.ok()) << program << module.status();
  } else {
    ASSERT_FALSE(module.ok()) << program;
    EXPECT_THAT(std::string(module.status().message()), HasSubstr(says))
        << program;
  }
}

// The sharding of the result of one operation, f32[8,8].
TEST(ShardyCheckTest, Shardings) {
  constexpr ShardyCase kCases[] = {
      {R"(<@m, [{"a"}, {"b", "c"}]>)", ""},
      {R"(<@m, [{"a", ?}p1, {?}p0]>)", ""},
      {R"(<@m, [{}, {}], replicated={"a", "b"}, unreduced={"c"}>)", ""},
      {R"(<@m, [{"b":(1)2}, {"b":(2)2}]>)", ""},
      {R"(<@one, []>)", ""},
      {R"(<mesh<["x"=8]>, [{"x"}, {}]>)", ""},
      {R"(<mesh<["x"=12]>, [{"x":(1)2}, {"x":(6)2}]>)", ""},
      {R"(<mesh<["x"=12]>, [{"x":(1)2}, {"x":(3)2}]>)", ""},
      {R"(<mesh<["x"=3]>, [{"x"}, {}]>)", ""},  // with padding
      {R"(<@missing, [{}, {}]>)", "is of the mesh @missing"},
      {R"(<@m, [{"d"}, {}]>)", "names the axis \"d\", which its mesh"},
      {R"(<@m, [{"a"}]>)", "has 1 dims, but its value 2"},
      {R"(<@m, [{"a"}, {}, {}]>)", "has 3 dims, but its value 2"},
      {R"(<@m, [{"a"}, {"a"}]>)", "takes axis 0 twice"},
      {R"(<@m, [{"a"}, {}], replicated={"a"}>)", "takes axis 0 twice"},
      {R"(<@m, [{"b"}, {"b":(1)2}]>)", "takes axis 1 twice"},
      {R"(<@m, [{"b":(1)2, "b":(2)2}, {}]>)", "that are one"},
      {R"(<@m, [{"b":(1)3}, {}]>)", "that doesn't divide it"},
      {R"(<@m, [{"b":(1)4}, {}]>)", "that doesn't divide it"},
      {R"(<@m, [{"b":(4)2}, {}]>)", "that doesn't divide it"},
      {R"(<@m, [{"b":(1)1}, {}]>)", "that doesn't divide it"},
      {R"(<@m, [{"b":(0)2}, {}]>)", "that doesn't divide it"},
      {R"(<mesh<["x"=16]>, [{"x":(1)4}, {"x":(2)4}]>)", "takes axis 0 twice"},
      {R"(<@m, [{}, {}], replicated={"b", "a"}>)", "out of order"},
      {R"(<@m, [{}, {}], unreduced={"c", "a"}>)", "out of order"},
      {R"(<@m, [{}, {}], unreduced=max{"a"}>)", ""},
      {R"(<@m, [{}, {}], unreduced=sum{"a"}>)", ""},
      {R"(<@m, [{}, {}], unreduced=mean{"a"}>)", "sum, max or min"},
      {R"(<@m, [{}, {}], unreduced=max{}>)", "an axis"},
      {R"(<@m, [{}, {}], unreduced{"a"}>)", "where '=' must stand"},
      {R"(<@m, [{}p0, {}]>)", "has a priority for dim 0"},
      {R"(<@m, [{"a"}p01, {}]>)", "has the priority 'p01'"},
      {R"(<@m, [{"a"}q1, {}]>)", "has the priority 'q1'"},
      {R"(<@m, [{"a"}p, {}]>)", "has the priority 'p'"},
      {R"(<@m, [{"a" "b"}, {}]>)", "where ',' must stand"},
      {R"(<@m, [{"a", ?, "b"}, {}]>)", "where '}' must stand"},
      {R"(<@m, [{"a"}, {}], replicated={}>)", "where an axis must stand"},
      {R"(<@m, [{"a"}, {}], other={"b"}>)", "replicated= or unreduced="},
      {R"(<@m>)", "where ',' must stand"},
      {R"(<@one, [{}, {}]>)", "its mesh is one device"},
      {R"(<@none, [{"a"}, {}]>)", "names the axis \"a\", which its mesh"},
      {R"(<mesh<["x"=2, "x"=2]>, [{}, {}]>)", "has two axes 'x'"},
      {R"(<mesh<["x"=2], device_ids=[0, 1]>, [{}, {}]>)", ""},
      {R"(<mesh<["x"=2], device_ids=[0, 2]>, [{}, {}]>)",
       "each of its 2 devices once"},
      {R"(<@m, [{}, {}]>, <@m, [{}, {}]>)", "has 2 for 1"},
      {"", "has 0 for 1"},
  };
  for (const ShardyCase& c : kCases) {
    ExpectSays(absl::StrCat(
                   kShardyMeshes,
                   "func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
                   "  %r = stablehlo.add %x, %x {sdy.sharding = "
                   "#sdy.sharding_per_value<[",
                   c.text,
                   "]>} : tensor<8x8xf32>\n  return %r : tensor<8x8xf32>\n}\n"),
               c.says);
  }
}

TEST(ShardyCheckTest, Meshes) {
  constexpr ShardyCase kCases[] = {
      {R"(<["a"=2, "b"=3], device_ids=[5, 4, 3, 2, 1, 0]>)", ""},
      {R"(<[]>)", ""},
      {R"(<[], device_ids=[7]>)", ""},
      {R"(<["a"=0]>)", "has an axis without a size"},
      {R"(<["a"=4294967296, "b"=4294967296]>)", "has more than 2^62 devices"},
      {R"(<["a"=2, "a"=2]>)", "has two axes 'a'"},
      {R"(<[], device_ids=[0, 1]>)", "has no axes, but 2 devices"},
      {R"(<["a"=2], device_ids=[0, 1]>)", ""},
      {R"(<["a"=2], device_ids=[1, 2]>)", "each of its 2 devices once"},
      {R"(<["a"=2], device_ids=[1]>)", "each of its 2 devices once"},
      {R"(<["a"=2], device_ids=[-1, 0]>)", "a number of at least 0"},
      {R"(<["a"=2] device_ids=[1, 0]>)", "where '>' must stand"},
  };
  for (const ShardyCase& c : kCases) {
    // What is said of its mesh isn't said of a sharding too.
    const std::string program = absl::StrCat(
        "sdy.mesh @m = ", c.text,
        "\nfunc.func @main(%x: tensor<8xf32> {sdy.sharding = "
        "#sdy.sharding<@m, ",
        c.text == kCases[2].text ? "[]" : "[{}]",
        ">}) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}\n");
    ExpectSays(program, c.says);
    if (*c.says == '\0') continue;
    EXPECT_THAT(std::string(ReadStablehlo(program).status().message()),
                testing::Not(HasSubstr("sharding of argument")));
  }
}

// Of arguments and results of functions: a sharding of its own kind, of a value
// with a rank.
TEST(ShardyCheckTest, Functions) {
  constexpr struct {
    const char* type;
    const char* sharding;
    const char* says;
  } kCases[] = {
      {"tensor<8xf32>", R"(#sdy.sharding<@m, [{"a"}]>)", ""},
      {"tensor<?xf32>", R"(#sdy.sharding<@m, [{"a"}]>)", ""},
      {"!stablehlo.token", R"(#sdy.sharding<@m, []>)", ""},
      {"!stablehlo.token", R"(#sdy.sharding<@m, [{"a"}]>)",
       "its value is no tensor"},
      {"!stablehlo.token", R"(#sdy.sharding<@m, [], replicated={"a"}>)",
       "its value is no tensor"},
      {"tensor<8xf32>", R"(#sdy.sharding_per_value<[<@m, [{"a"}]>]>)",
       "must be a #sdy.sharding"},
      {"tensor<8xf32>", R"("a")", "must be a #sdy.sharding"},
  };
  for (const auto& c : kCases) {
    for (const bool of_result : {false, true}) {
      const std::string note =
          absl::StrCat(" {sdy.sharding = ", c.sharding, "}");
      ExpectSays(absl::StrCat(kShardyMeshes, "func.func @main(%x: ", c.type,
                              of_result ? "" : note, ") -> (", c.type,
                              of_result ? note : "",
                              ") {\n  return %x : ", c.type, "\n}\n"),
                 c.says);
    }
  }
}

TEST(ShardyCheckTest, Rules) {
  constexpr ShardyCase kCases[] = {
      {"([i, j])->([j, i]) {i=4, j=8}", ""},
      {"([i, j])->([j, i]) {i=4, j=8} need_replication={i} "
       "permutation={j}, custom",
       ""},
      {"([i, j])->([jk, i]) {i=4, j=4, k=2} blocked_propagation={i, k}", ""},
      {"([i, j])->([k, l]) {i=4, j=8, k=8, l=4} reduction={i, j}", ""},
      {"([i, j])->([j, i], [i, j]) {i=4, j=8}", "maps 2 results"},
      {"()->([j, i]) {i=4, j=8}", "maps 0 operands"},
      {"([i])->([j, i]) {i=4, j=8}", "maps 1 dims of operand 0, which has 2"},
      {"([i, j])->([j, ]) {i=4, j=8}", "to no factor"},
      {"([i, j])->([k, i]) {i=4, j=8}", "to factor 2 of 2"},
      {"([i, i])->([i, i]) {i=4}", "two dims of operand 0 to factor 0"},
      {"([ik, j])->([j, i]) {i=4, j=8, k=1}", "one of size 1"},
      {"([i, j])->([j, i]) {i=4, j=8, k=2}", "has factor 2, to which"},
      {"([i, j])->([k, l]) {i=4, j=8, k=8, l=4} reduction={j, i}",
       "out of order"},
      {"([i, j])->([k, l]) {i=4, j=8, k=8, l=4} reduction={i, i}", "or twice"},
      {"([i, j])->([k, l]) {i=4, j=8, k=8, l=4} reduction={m}",
       "lists factor 4 of 4"},
      {"([i, j])->([j, i]) {i=4, j=8} reduction={i}", "reduces factor 0"},
      {"([i, j])->([j, i]) {i=4, j=8} need_replication={i} permutation={i}",
       "lists factor 0 in two of"},
      {"([i, k])->([k, i]) {i=4, k=8}", "in order"},
      {"([h, j])->([j, h]) {i=4, j=8}", "factors from i to z"},
      {"([i, z_0])->([j, i]) {i=4, j=8}", "without leading zeros"},
      {"([i, j]->([j, i]) {i=4, j=8}", "no bracket closes this one"},
      {"([i, j])->([k, l]) {i=4, j=8, k=2147483647, l=4}", ""},
      {"([i, j])->([k, l]) {i=4, j=8, k=2147483648, l=4}",
       "has a factor of size 2147483648, which 32 bits don't hold"},
  };
  for (const ShardyCase& c : kCases) {
    ExpectSays(absl::StrCat(
                   "func.func @main(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {\n"
                   "  %r = stablehlo.custom_call @f(%x) {sdy.sharding_rule = "
                   "#sdy.op_sharding_rule<",
                   c.text,
                   ">} : (tensor<4x8xf32>) -> tensor<8x4xf32>\n"
                   "  return %r : tensor<8x4xf32>\n}\n"),
               c.says);
  }
}

TEST(ShardyCheckTest, Edges) {
  constexpr ShardyCase kCases[] = {
      {R"(#sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [result-0]}]}]>)",
       ""},
      {R"(#sdy.propagation_edges<[{step-1 = [{"b":(1)2 = result-0 -> [operand-0, operand-1]}]}, {step-0 = [{"a" = operand-0 -> [result-0]}]}]>)",
       ""},
      {R"(#sdy.propagation_edges<[{step-1 = [{"a" = operand-2 -> [result-0]}]}]>)",
       "names operand 2 of 2"},
      {R"(#sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [result-1]}]}]>)",
       "names result 1 of 1"},
      {R"(#sdy.propagation_edges<[{step-1 = [{"d" = operand-0 -> [result-0]}]}]>)",
       "names the axis \"d\""},
      {R"(#sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [operand-0]}]}]>)",
       "from a value to itself"},
      {R"(#sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [result-0, result-0]}]}]>)",
       "names a target twice"},
      {R"(#sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [result-0]}]}, {step-1 = [{"b" = operand-0 -> [result-0]}]}]>)",
       "has step 1 twice"},
      {R"(#sdy.propagation_edges<[{step--1 = [{"a" = operand-0 -> [result-0]}]}]>)",
       "a number of at least 0"},
      {"64 : i64", "must be a #sdy.propagation_edges"},
  };
  for (const ShardyCase& c : kCases) {
    ExpectSays(absl::StrCat(
                   kShardyMeshes,
                   "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                   "  %r = stablehlo.add %x, %x {sdy.propagation_edges = ",
                   c.text,
                   ", sdy.sharding = #sdy.sharding_per_value<[<@m, [{\"a\", "
                   "?}]>]>} : tensor<8xf32>\n  return %r : tensor<8xf32>\n}\n"),
               c.says);
  }
}

// f32[8,8] in, out.
TEST(ShardyCheckTest, ManualComputations) {
  constexpr struct {
    const char* shardings;  // of operand and result
    const char* axes;
    const char* local;
    const char* says;
  } kCases[] = {
      {R"(<@m, [{"a"}, {}]>)", R"("a")", "4x8xf32", ""},
      {R"(<@m, [{"a", "c"}, {"b"}]>)", R"("a", "b")", "4x2xf32", ""},
      {R"(<@m, [{"b":(1)2}, {}]>)", R"("b")", "4x8xf32", ""},
      {R"(<@m, [{"a"}, {}]>)", "", "8x8xf32", ""},
      {R"(<@m, [{"a"}, {}]>)", R"("a")", "8x8xf32",
       "makes parts of [4,8] of [8,8], but the region has [8,8]"},
      {R"(<@m, [{"a"}, {}]>)", R"("a")", "4x8xf16", "but the region has"},
      {R"(<@m, [{"c", "a"}, {}]>)", R"("a")", "4x8xf32",
       "has the manual axis \"a\" behind the axis \"c\""},
      {R"(<mesh<["x"=3]>, [{"x"}, {}]>)", R"("x")", "3x8xf32",
       "which don't divide it"},
      {R"(<@m, [{}, {}]>)", R"("d")", "8x8xf32", "has the manual axis \"d\""},
      {R"(<@m, [{"a"}]>)", R"("a")", "4x8xf32", "has 1 dims, but its value 2"},
      {R"(<@m, [{"a"}, {}]>, <@m, [{}, {}]>)", R"("a")", "4x8xf32",
       "has 2 for 1"},
  };
  for (const auto& c : kCases) {
    ExpectSays(absl::StrCat(
                   kShardyMeshes,
                   "func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
                   "  %r = sdy.manual_computation(%x) in_shardings=[",
                   c.shardings, "] out_shardings=[", c.shardings,
                   "] manual_axes={", c.axes, "} (%y: tensor<", c.local,
                   ">) {\n    sdy.return %y : tensor<", c.local,
                   ">\n  } : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
                   "  return %r : tensor<8x8xf32>\n}\n"),
               c.says);
  }
}

// Inside a manual computation its axes are taken.
TEST(ShardyCheckTest, InsideOfManualComputations) {
  constexpr ShardyCase kCases[] = {
      {R"(%z = sdy.sharding_constraint %y <@m, [{"b"}]> : tensor<4xf32>)", ""},
      {R"(%z = sdy.sharding_constraint %y <@m, [{"a"}]> : tensor<4xf32>)",
       "names the axis \"a\", which a manual computation around it has"},
      {R"(%z = stablehlo.add %y, %y {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], replicated={"a"}>]>} : tensor<4xf32>)",
       "names the axis \"a\", which a manual computation around it has"},
      {R"(%z = sdy.manual_computation(%y) in_shardings=[<@m, [{"b"}]>] out_shardings=[<@m, [{"b"}]>] manual_axes={"b"} (%w: tensor<1xf32>) {
      sdy.return %w : tensor<1xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>)",
       ""},
      {R"(%z = sdy.manual_computation(%y) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{}]>] manual_axes={"a"} (%w: tensor<4xf32>) {
      sdy.return %w : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>)",
       "belongs to a manual computation around it"},
  };
  for (const ShardyCase& c : kCases) {
    ExpectSays(
        absl::StrCat(kShardyMeshes,
                     "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                     "  %r = sdy.manual_computation(%x) in_shardings=[<@m, "
                     "[{\"a\"}]>] out_shardings=[<@m, [{\"a\"}]>] "
                     "manual_axes={\"a\"} (%y: tensor<4xf32>) {\n    ",
                     c.text,
                     "\n    sdy.return %z : tensor<4xf32>\n"
                     "  } : (tensor<8xf32>) -> tensor<8xf32>\n"
                     "  return %r : tensor<8xf32>\n}\n"),
        c.says);
  }
}

// Operations of Shardy: what XLA makes of them, and why the others are refused.
TEST(ShardyCheckTest, Operations) {
  static constexpr char kRefused[] = "XLA refuses it too";
  constexpr ShardyCase kCases[] = {
      {R"(%r = sdy.sharding_constraint %x <@m, [{"a"}]> : tensor<8xf32>)", ""},
      {R"(%r = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<8xf32>)",
       "has 2 dims, but its value 1"},
      {"%r = sdy.propagation_barrier %x allowed_direction=FORWARD : "
       "tensor<8xf32>",
       ""},
      {"%r = sdy.propagation_barrier %x allowed_direction=BOTH : "
       "tensor<8xf32>",
       "is BOTH, so it blocks nothing"},
      {"%r = sdy.propagation_barrier %x allowed_direction=UP : tensor<8xf32>",
       "NONE, FORWARD, BACKWARD or BOTH"},
      {"sdy.sharding_group %x group_id=21 : tensor<8xf32>\n"
       "  %r = stablehlo.negate %x : tensor<8xf32>",
       ""},
      {R"(%r = sdy.all_gather [{"a"}] %x out_sharding=<@m, [{}]> : tensor<8xf32>)",
       kRefused},
      {R"(%r = sdy.all_slice [{"a"}] %x out_sharding=<@m, [{"a"}]> : tensor<8xf32>)",
       kRefused},
      {R"(%r = sdy.all_to_all [{"a"}: 0->1] %x out_sharding=<@m, [{}]> : tensor<8xf32>)",
       kRefused},
      {R"(%r = sdy.all_reduce {"b"} %x out_sharding=<@m, [{}]> : tensor<8xf32>)",
       kRefused},
      {R"(%r = sdy.collective_permute %x out_sharding=<@m, [{}]> : tensor<8xf32>)",
       kRefused},
      {R"(%r = sdy.reduce_scatter [{"a"}] %x out_sharding=<@m, [{"a"}]> : tensor<8xf32>)",
       kRefused},
      {R"(%r = sdy.sharded_to_unreduced [{"a"}] %x out_sharding=<@m, [{}], unreduced={"a"}> : tensor<8xf32>)",
       kRefused},
      {R"(%r = sdy.replicated_to_unreduced {"a"} %x out_sharding=<@m, [{}], unreduced={"a"}> : tensor<8xf32>)",
       kRefused},
      {"%r = sdy.func_data_flow_edge %x : tensor<8xf32>", kRefused},
      {R"(%r = sdy.data_flow_edge %x sharding=<@m, [{"a"}]> : tensor<8xf32>)",
       kRefused},
      {R"(%r = sdy.named_computation<"f">(%x) in_shardings=[<@m, [{"a"}]>] (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>)",
       kRefused},
  };
  for (const ShardyCase& c : kCases) {
    ExpectSays(absl::StrCat(
                   kShardyMeshes,
                   "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  ",
                   c.text, "\n  return %r : tensor<8xf32>\n}\n"),
               c.says);
  }
}

// An error about a mesh is told once; shardings of other meshes are verified,
// whatever their names begin with.
TEST(ShardyCheckTest, BrokenMeshes) {
  constexpr char kBroken[] = R"(
sdy.mesh @m = <["a"=2, "a"=2]>
sdy.mesh @m2 = <["a"=2]>
)";
  for (const auto& [mesh, says] :
       {std::pair{"@m", ""}, std::pair{"@m2", "names the axis \"d\""}}) {
    const absl::StatusOr<Module> module = ReadStablehlo(absl::StrCat(
        kBroken, "func.func @main(%x: tensor<8xf32> {sdy.sharding = ",
        "#sdy.sharding<", mesh, R"(, [{"d"}]>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
})"));
    ASSERT_FALSE(module.ok());
    const std::string message(module.status().message());
    EXPECT_THAT(message, HasSubstr("has two axes 'a'"));
    EXPECT_THAT(message, HasSubstr(says));
    EXPECT_EQ(absl::StrContains(message, "the sharding of"), *says != '\0');
  }
}

}  // namespace
}  // namespace indim
