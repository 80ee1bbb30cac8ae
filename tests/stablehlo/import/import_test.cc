// SPDX-License-Identifier: Apache-2.0
// What single operations become in HLO, and what is said of wrong ones.

#include "indim/stablehlo/import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/sizes/refine.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/stablehlo/read.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A line for each instruction: its shape, opcode and operands' positions.
std::string Lines(const Computation& computation) {
  std::string lines;
  for (const Instruction i : computation.instructions()) {
    absl::StrAppend(&lines, i.shape().WithoutLayout().ToString(), " ",
                    i.opcode_name());
    for (const Instruction operand : i.operands()) {
      absl::StrAppend(&lines, " ", operand.index());
    }
    lines += "\n";
  }
  return lines;
}

std::string Lines(const std::string& text) {
  const absl::StatusOr<Module> module = ReadStablehlo(text);
  if (!module.ok()) return std::string(module.status().message());
  EXPECT_TRUE(VerifyModule(*module).ok()) << text;
  return Lines(module->entry());
}

// A function of one operation on arguments of those types.
std::string Function(const std::string& arguments, const std::string& body,
                     const std::string& result) {
  return absl::StrCat("func.func @main(", arguments, ") -> ", result, " {\n",
                      body, "\n  return %r : ", result, "\n}\n");
}

struct Case {
  std::string arguments;
  std::string body;
  std::string result;
  std::string lines;
};

TEST(ImportTest, OperationsBecomeOneOrSeveral) {
  for (const Case& c : {
           Case{"%x: tensor<2xf32>",
                "  %r = stablehlo.add %x, %x : tensor<2xf32>", "tensor<2xf32>",
                "f32[2] parameter\nf32[2] add 0 0\n"},
           // A size 1 stretches.
           Case{"%x: tensor<1x3xf32>",
                "  %r = stablehlo.broadcast_in_dim %x, dims = [0, 1] : "
                "(tensor<1x3xf32>) -> tensor<2x3xf32>",
                "tensor<2x3xf32>",
                "f32[1,3] parameter\nf32[3] reshape 0\n"
                "f32[2,3] broadcast 1\n"},
           // Dims in another order.
           Case{"%x: tensor<2x3xf32>",
                "  %r = stablehlo.broadcast_in_dim %x, dims = [1, 0] : "
                "(tensor<2x3xf32>) -> tensor<3x2xf32>",
                "tensor<3x2xf32>",
                "f32[2,3] parameter\nf32[3,2] transpose 0\n"
                "f32[3,2] broadcast 1\n"},
           // An f32 array is added as f64.
           Case{"%x: tensor<4xf32>, %i: tensor<f64>",
                "  %r = \"stablehlo.reduce\"(%x, %i) ({\n"
                "  ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n"
                "    %s = stablehlo.add %a, %b : tensor<f64>\n"
                "    stablehlo.return %s : tensor<f64>\n"
                "  }) {dimensions = array<i64: 0>} : "
                "(tensor<4xf32>, tensor<f64>) -> tensor<f64>",
                "tensor<f64>",
                "f32[4] parameter\nf64[] parameter\nf64[4] convert 0\n"
                "f64[] reduce 2 1\n"},
           // What a branch captures is its parameter; constants are copied.
           Case{"%p: tensor<i1>, %x: tensor<f32>",
                "  %c = stablehlo.constant dense<1.0> : tensor<f32>\n"
                "  %r = \"stablehlo.if\"(%p) ({\n"
                "    %s = stablehlo.add %x, %c : tensor<f32>\n"
                "    stablehlo.return %s : tensor<f32>\n"
                "  }, {\n"
                "    stablehlo.return %c : tensor<f32>\n"
                "  }) : (tensor<i1>) -> tensor<f32>",
                "tensor<f32>",
                "pred[] parameter\nf32[] parameter\nf32[] constant\n"
                "() tuple\nf32[] conditional 0 1 3\n"},
           Case{"%x: tensor<i32>",
                "  %r = stablehlo.create_token : !stablehlo.token",
                "!stablehlo.token", "s32[] parameter\ntoken[] after-all\n"},
           Case{"%x: tensor<2x3xf32>, %y: tensor<3x4xf32>",
                "  %r = stablehlo.einsum %x, %y, config = \"ab,bc->ac\" : "
                "(tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>",
                "tensor<2x4xf32>",
                "f32[2,3] parameter\nf32[3,4] parameter\nf32[2,4] dot 0 1\n"},
           // -1 is a large index, as for XLA.
           Case{"%x: tensor<3xf32>, %i: tensor<2xi64>",
                "  %r = \"stablehlo.torch_index_select\"(%x, %i) <{dim = 0 : "
                "i64, batch_dims = 0 : i64}> : (tensor<3xf32>, tensor<2xi64>) "
                "-> tensor<2xf32>",
                "tensor<2xf32>",
                "f32[3] parameter\ns64[2] parameter\nu32[2] convert 1\n"
                "f32[2] gather 0 2\n"},
       }) {
    EXPECT_EQ(Lines(Function(c.arguments, c.body, c.result)), c.lines)
        << c.body;
  }
}

TEST(ImportTest, ALoopPassesWhatItCaptures) {
  const std::string text = R"(
func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<f32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.add %s, %x : tensor<f32>
    stablehlo.return %j, %t : tensor<i32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<f32>
})";
  EXPECT_THAT(Lines(text), HasSubstr("(s32[], f32[], s32[], f32[]) while"));
}

// --- Sizes -------------------------------------------------------------------

// As JAX exports a function of f32[b, 784] where b >= 1.
constexpr char kSymbolic[] = R"(
module @jit_f {
  func.func public @main(%arg0: tensor<?x784xf32>) -> tensor<?x10xf32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x784xf32>) -> tensor<i32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.compare GE, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%1, %0) {api_version = 2 : i32, error_message = "Expected value >= 1 for dimension variable 'b'.", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %2 = call @wrapped(%0, %arg0) : (tensor<i32>, tensor<?x784xf32>) -> tensor<?x10xf32>
    return %2 : tensor<?x10xf32>
  }
  func.func private @wrapped(%arg0: tensor<i32> {jax.global_constant = "b"}, %arg1: tensor<?x784xf32>) -> tensor<?x10xf32> {
    %w = stablehlo.constant dense<0.5> : tensor<784x10xf32>
    %0 = stablehlo.dot_general %arg1, %w, contracting_dims = [1] x [0] : (tensor<?x784xf32>, tensor<784x10xf32>) -> tensor<?x10xf32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %c = stablehlo.constant dense<10> : tensor<1xi32>
    %1 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.concatenate %1, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %3 = stablehlo.dynamic_broadcast_in_dim %one, %2, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x10xf32>
    %4 = stablehlo.add %0, %3 : tensor<?x10xf32>
    return %4 : tensor<?x10xf32>
  }
})";

// HLO's chains end where they begin: a function finishes what it starts, and
// who calls it finds the value.
TEST(ImportTest, AFunctionFinishesTheFuturesThatItGives) {
  EXPECT_EQ(Lines(R"(
func.func private @start(%x: tensor<4xf32>)
    -> !stablehlo.future<tensor<4xf32>> {
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %1 = "stablehlo.collective_permute"(%a) {
      source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>
    } : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return %0 : !stablehlo.future<tensor<4xf32>>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @start(%x)
      : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %1 = "stablehlo.async_done"(%0)
      : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
})"),
            "f32[4] parameter\n(f32[4]) call 0\n"
            "f32[4] get-tuple-element 1\n");
}

// As StableHLO's verifier: a region with more arguments than operands would
// become a call that nobody takes.
TEST(ImportTest, AStartHoldsOneOperation) {
  const std::string permute =
      "%1 = \"stablehlo.collective_permute\"(%a) <{source_target_pairs = "
      "dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> "
      "tensor<4xf32>\n";
  const struct {
    std::string arguments, body, error;
  } kCases[] = {
      {"%a: tensor<4xf32>", permute + "stablehlo.return %1 : tensor<4xf32>",
       ""},
      {"%a: tensor<4xf32>, %b: tensor<4xf32>",
       permute + "stablehlo.return %1 : tensor<4xf32>",
       "number of operands (1) must match number of region arguments (2)"},
      {"%a: tensor<4xf32>",
       permute +
           "%2 = stablehlo.slice %1 [0:4] : (tensor<4xf32>) -> tensor<4xf32>\n"
           "stablehlo.return %2 : tensor<4xf32>",
       "region must contain exactly one operation and a return"},
      {"%a: tensor<4xf32>", "stablehlo.return %a : tensor<4xf32>",
       "region must contain exactly one operation and a return"},
      {"%a: tensor<4xf32>",
       "%1 = stablehlo.negate %a : tensor<4xf32>\n"
       "stablehlo.return %1 : tensor<4xf32>",
       "region must contain a collective or slice operation"},
      {"%a: tensor<4xf32>",
       permute + "stablehlo.return %1, %1 : tensor<4xf32>, tensor<4xf32>",
       "region must return exactly one value, but got 2"},
  };
  for (const auto& c : kCases) {
    const std::string lines = Lines(absl::StrCat(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = \"stablehlo.async_start\"(%x) ({\n^bb0(",
        c.arguments, "):\n", c.body,
        "\n  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>\n"
        "  %2 = \"stablehlo.async_done\"(%0) : "
        "(!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>\n"
        "  return %2 : tensor<4xf32>\n}\n"));
    if (c.error.empty()) {
      EXPECT_THAT(lines, HasSubstr("collective-permute-done"));
    } else {
      EXPECT_THAT(lines, HasSubstr(c.error)) << c.body;
    }
  }
}

// As in HLO text, where a done has no place for it. The main thread has no name
// in what XLA writes.
TEST(ImportTest, OnlyAStartNamesTheComputation) {
  const absl::StatusOr<Module> module = ReadStablehlo(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %1 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
  %1 = "stablehlo.async_done"(%0)
      : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
})");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(VerifyModule(*module).ok());
  const Instruction start = module->entry().instruction(1);
  const Instruction done = module->entry().instruction(2);
  ASSERT_EQ(done.opcode(), Opcode::kAsyncDone);
  EXPECT_EQ(start.callee_count(), 1);
  EXPECT_EQ(done.callee_count(), 0);
  EXPECT_EQ(As<AsyncAttributes>(start.attributes()).execution_thread, "");
  EXPECT_EQ(As<AsyncAttributes>(done.attributes()).execution_thread, "");
}

// What became an all-reduce-start calls the reducer alone.
TEST(ImportTest, StartsLeaveNoComputationBehind) {
  const absl::StatusOr<Module> module = ReadStablehlo(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %1 = "stablehlo.all_reduce"(%a) ({
    ^bb0(%b: tensor<f32>, %c: tensor<f32>):
      %2 = stablehlo.add %b, %c : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %3 = stablehlo.negate %x : tensor<4xf32>
  %4 = "stablehlo.async_done"(%0)
      : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  %5 = stablehlo.add %3, %4 : tensor<4xf32>
  return %5 : tensor<4xf32>
})");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(VerifyModule(*module).ok());
  EXPECT_EQ(Lines(module->entry()),
            "f32[4] parameter\nf32[4] all-reduce-start 0\nf32[4] negate 0\n"
            "f32[4] all-reduce-done 1\nf32[4] add 2 3\n");
  EXPECT_EQ(module->computation_count(), 2);
  EXPECT_EQ(Lines(module->computation(0)),
            "f32[] parameter\nf32[] parameter\nf32[] add 0 1\n");
  EXPECT_EQ(module->entry().instruction(2).text_location().line, 13);
}

// VHLO's default of the pairs says nothing.
TEST(ImportTest, TransfersWithoutPairs) {
  const auto read = [](absl::string_view pairs) {
    return ReadStablehlo(absl::StrCat(
        "func.func @main(%x: tensor<f32>, %t: !stablehlo.token) -> "
        "!stablehlo.token {\n  %0 = \"stablehlo.send\"(%x, %t) {"
        "source_target_pairs = ",
        pairs,
        ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, "
        "is_host_transfer = true} : (tensor<f32>, !stablehlo.token) -> "
        "!stablehlo.token\n  return %0 : !stablehlo.token\n}"));
  };
  EXPECT_TRUE(read("dense<[]> : tensor<0xi64>").ok());
  EXPECT_FALSE(read("dense<[1]> : tensor<1xi64>").ok());
}

// As MLIR and XLA keep them: by name, without the device ids 0, 1, ...
TEST(ImportTest, MeshesAreNotedByName) {
  const absl::StatusOr<Module> module = ReadStablehlo(R"(
sdy.mesh @b = <["x]"=2, "y"=2], device_ids=[0, 1, 2, 3]>
sdy.mesh @c = <["x"=2], device_ids=[1, 0]>
sdy.mesh @a = <[], device_ids=[0]>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
})");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(ShardyMeshes(internal::DataOf(*module).other_fields),
            "{a = #sdy.mesh<[], device_ids=[0]>, b = #sdy.mesh<[\"x]\"=2, "
            "\"y\"=2]>, c = #sdy.mesh<[\"x\"=2], device_ids=[1, 0]>}");
}

// Groups may be axes of a mesh that the module names.
TEST(ImportTest, GroupsOnAMeshThatHasAName) {
  const std::string text = R"(
sdy.mesh @grid = <["x"=2, "y"=4]>
func.func @main(%x: tensor<2xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_gather"(%x) {
    all_gather_dim = 0 : i64,
    replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @MESH, axes = [#stablehlo.axis_ref<name = "y">]>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,
    use_global_device_ids
  } : (tensor<2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
})";
  const absl::StatusOr<Module> module =
      ReadStablehlo(absl::StrReplaceAll(text, {{"MESH", "grid"}}));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(VerifyModule(*module).ok());
  const auto& gather =
      As<CollectiveAttributes>(module->entry().root().attributes());
  ASSERT_TRUE(gather.replica_groups.mesh.has_value());
  const MeshAxes& mesh = *gather.replica_groups.mesh;
  ASSERT_EQ(mesh.mesh.axes.size(), 2u);
  EXPECT_EQ(mesh.mesh.axes[1].name, "y");
  EXPECT_EQ(mesh.mesh.axes[1].size, 4);
  ASSERT_EQ(mesh.axes.size(), 1u);
  EXPECT_EQ(mesh.axes[0].axis, 1);
  EXPECT_THAT(
      std::string(ReadStablehlo(absl::StrReplaceAll(text, {{"MESH", "other"}}))
                      .status()
                      .message()),
      HasSubstr("the mesh @other, which no sdy.mesh of the module defines"));
}

TEST(ImportTest, SizesThatAProgramComputesHaveNames) {
  const absl::StatusOr<Module> module = ReadStablehlo(kSymbolic);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(VerifyModule(*module).ok());
  EXPECT_EQ(module->entry().signature().ToString(),
            "(f32[b,784]{1,0}) -> f32[b,10]{1,0}");
  EXPECT_EQ(module->entry().instruction(0).shape().dim(0).lower(), 1);

  RefineOptions options;
  ASSERT_TRUE(AddSetting("b=8", &options).ok());
  const RefineResult refined = Refine(*module, options);
  ASSERT_TRUE(refined.ok());
  EXPECT_EQ(refined.module.entry().signature().ToString(),
            "(f32[8,784]{1,0}) -> f32[8,10]{1,0}");
}

TEST(ImportTest, SizesThatDependOnDataAreRefused) {
  EXPECT_THAT(
      Lines(Function("%x: tensor<f32>, %n: tensor<1xi32>",
                     "  %r = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = "
                     "[] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>",
                     "tensor<?xf32>")),
      HasSubstr("operand #1 (output_dimensions) depends on data"));
}

// --- Errors ------------------------------------------------------------------

// What is wrong whatever the sizes are is said first.
TEST(ImportTest, SizesThatDependOnDataHideNoMistake) {
  const auto gather = [](const std::string& offsets) {
    return std::string(
        ReadStablehlo(
            Function("%x: tensor<3x4xf32>, %i: tensor<1x5x2xi32>, "
                     "%s: tensor<2xi32>",
                     "  %r = \"stablehlo.dynamic_gather\"(%x, %i, %s) "
                     "<{dimension_numbers = #stablehlo.gather<offset_dims "
                     "= [" +
                         offsets +
                         "], start_index_map = [0, 1], index_vector_dim "
                         "= 2>}> : (tensor<3x4xf32>, tensor<1x5x2xi32>, "
                         "tensor<2xi32>) -> tensor<?x?x?x?xf32>",
                     "tensor<?x?x?x?xf32>"))
            .status()
            .message());
  };
  EXPECT_THAT(gather("2, 3"), HasSubstr("(slice_sizes) depends on data"));
  EXPECT_THAT(gather("3, 2"),
              AllOf(HasSubstr("offset_dims"), Not(HasSubstr("depends"))));
}

// What HLO has only with numbers: it is read where the names have values.
TEST(ImportTest, NamesGetValuesWhereHloNeedsNumbers) {
  constexpr char kSize[] =
      "  %s = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> "
      "tensor<i32>\n"
      "  %n = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>\n"
      "  %one = stablehlo.constant dense<1> : tensor<1xi32>\n"
      "  %less = stablehlo.subtract %n, %one : tensor<1xi32>\n";
  struct Case {
    const char* ops;
    const char* error;  // "": it stays a custom call
    const char* line;
  };
  const Case kCases[] = {
      {"  %r = \"stablehlo.dynamic_gather\"(%x, %one, %less) "
       "<{dimension_numbers = #stablehlo.gather<offset_dims = [0], "
       "start_index_map = [0]>}> : (tensor<?xf32>, tensor<1xi32>, "
       "tensor<1xi32>) -> tensor<?xf32>\n",
       "operand #2 (slice_sizes) holds d0-1: HLO needs a number there. Give "
       "the named sizes values where the program is read "
       "(--facts=\"d0==8\"",
       "f32[5] gather "},
      {"  %r = stablehlo.real_dynamic_slice %x, %one, %less, %one : "
       "(tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> "
       "tensor<?xf32>\n",
       "operand #2 (limit_indices) holds d0-1: HLO needs a number there",
       "f32[4] slice "},
      {"  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "  %i = stablehlo.constant dense<0> : tensor<1xi32>\n"
       "  %p = stablehlo.concatenate %less, %i, dim = 0 : (tensor<1xi32>, "
       "tensor<1xi32>) -> tensor<2xi32>\n"
       "  %q = stablehlo.reshape %p : (tensor<2xi32>) -> tensor<1x2xi32>\n"
       "  %pad = stablehlo.concatenate %q, dim = 0 : (tensor<1x2xi32>) -> "
       "tensor<1x2xi32>\n"
       "  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %z, "
       "%n, %one, %one, %one, %pad) {called_computations = [@add]} : "
       "(tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, "
       "tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>\n",
       "", "f32[6] reduce-window "},
  };
  for (const Case& c : kCases) {
    const std::string text = absl::StrCat(
        Function("%x: tensor<?xf32>", absl::StrCat(kSize, c.ops),
                 "tensor<?xf32>"),
        "func.func private @add(%a: tensor<f32>, %b: tensor<f32>) -> "
        "tensor<f32> {\n  %0 = stablehlo.add %a, %b : tensor<f32>\n"
        "  return %0 : tensor<f32>\n}\n");
    const absl::StatusOr<Module> open = ReadStablehlo(text);
    if (*c.error == '\0') {
      ASSERT_TRUE(open.ok()) << open.status();
      EXPECT_THAT(Lines(open->entry()), HasSubstr(" custom-call "));
    } else {
      EXPECT_THAT(std::string(open.status().message()), HasSubstr(c.error));
    }
    StablehloReadOptions options;
    options.sizes = {{"d0", DimExpr(6)}};
    const absl::StatusOr<Module> read = ReadStablehlo(text, options);
    ASSERT_TRUE(read.ok()) << read.status();
    const InferResult inferred = InferShapes(*read, InferOptions());
    EXPECT_TRUE(inferred.report.ok());
    EXPECT_THAT(Lines(inferred.module.entry()), HasSubstr(c.line));
  }
}

TEST(ImportTest, ErrorsHaveTheirLineAndAreAllFound) {
  const absl::StatusOr<Module> module = ReadStablehlo(
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %a = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> "
      "tensor<2xf32>\n"
      "  %b = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2xf32>) "
      "-> tensor<2xf32>\n"
      "  %c = stablehlo.add %a, %b : tensor<2xf32>\n"
      "  return %c : tensor<2xf32>\n}\n",
      {"f.mlir"});
  EXPECT_THAT(std::string(module.status().message()),
              AllOf(HasSubstr("f.mlir:2:"), HasSubstr("invalid value 1"),
                    HasSubstr("f.mlir:3:"),
                    HasSubstr("size (2) does not match operand rank (1)"),
                    Not(HasSubstr("f.mlir:4:"))));
}

TEST(ImportTest, AVerifiersErrorHasTheLineOfTheText) {
  const absl::StatusOr<Module> module = ReadStablehlo(
      "func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {\n"
      "  %a = stablehlo.slice %x [0:2] : (tensor<2xf32>) -> tensor<3xf32>\n"
      "  return %a : tensor<3xf32>\n}\n",
      {"f.mlir"});
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_FALSE(VerifyModule(*module).ok());
  const SourceLocation at = module->entry().root().text_location();
  EXPECT_EQ(absl::StrCat(at.file, ":", at.line), "f.mlir:2");
}

TEST(ImportTest, WhatHloLacksIsSaid) {
  struct Row {
    std::string text;
    std::string message;
  };
  for (const Row& row : {
           Row{"func.func private @f() -> ()", "no function with a body"},
           Row{"func.func @f(%x: tensor<2x!quant.uniform<i8:f32, 2.0:15>>) {\n"
               "  return\n}",
               "HLO has no quantized types"},
           Row{"func.func @f() {\n  call @f() : () -> ()\n  return\n}",
               "HLO has no recursion"},
           Row{"func.func @f() {\n  call @g() : () -> ()\n  return\n}",
               "'g' does not reference a valid function"},
           Row{"func.func @f(%x: tensor<f32>, %a: tensor<4xf32>) -> "
               "tensor<f32> {\n"
               "  %r = \"stablehlo.reduce\"(%a, %x) ({\n"
               "  ^bb0(%b: tensor<f32>, %c: tensor<f32>):\n"
               "    %s = stablehlo.add %b, %x : tensor<f32>\n"
               "    stablehlo.return %s : tensor<f32>\n"
               "  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, "
               "tensor<f32>) -> tensor<f32>\n"
               "  return %r : tensor<f32>\n}",
               "uses a value from outside that isn't a constant"},
       }) {
    const absl::StatusOr<Module> module = ReadStablehlo(row.text);
    EXPECT_THAT(std::string(module.status().message()), HasSubstr(row.message));
  }
}

// Regions in regions don't nest the reader's calls.
TEST(ImportTest, DeepNesting) {
  constexpr int kDepth = 5000;
  std::string text = "func.func @main(%p: tensor<i1>) -> tensor<i1> {\n";
  for (int i = 0; i < kDepth; ++i) {
    absl::StrAppend(&text, "%r", i, " = \"stablehlo.if\"(%p) ({\n");
  }
  text += "%q = stablehlo.not %p : tensor<i1>\n";
  for (int i = kDepth - 1; i >= 0; --i) {
    const std::string value =
        i == kDepth - 1 ? "%q" : absl::StrCat("%r", i + 1);
    absl::StrAppend(&text, "stablehlo.return ", value,
                    " : tensor<i1>\n}, {\nstablehlo.return %p : tensor<i1>\n"
                    "}) : (tensor<i1>) -> tensor<i1>\n");
  }
  text += "return %r0 : tensor<i1>\n}\n";
  const absl::StatusOr<Module> module = ReadStablehlo(text);
  ASSERT_TRUE(module.ok()) << module.status().message().substr(0, 500);
  EXPECT_EQ(module->computation_count(), 2 * kDepth + 1);
}

}  // namespace
}  // namespace indim
