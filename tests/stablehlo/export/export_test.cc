// SPDX-License-Identifier: Apache-2.0
// What modules become as StableHLO.

#include "indim/stablehlo/export/export.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/io/read.h"
#include "indim/ir/report.h"
#include "indim/stablehlo/text/parse_mlir_text.h"
#include "indim/stablehlo/text/print_mlir_text.h"

namespace indim {
namespace {

Module Read(absl::string_view text) {
  ReadOptions options;
  options.format = ModuleFormat::kHloText;
  options.symbols = true;
  absl::StatusOr<Module> module = ReadModuleText(text, options);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : Module();
}

// A module whose entry has these lines; `before`: other computations.
Module ReadEntry(absl::string_view lines, absl::string_view before = "") {
  return Read(absl::StrCat(
      "HloModule m\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] "
      "parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n",
      before, "\nENTRY e {\n", lines, "\n}\n"));
}

// The program's text, which must read back as itself; or the refusals.
std::string Written(const Module& module, bool locations = false) {
  StablehloOptions options;
  options.locations = locations;
  const StablehloProgram program = ToStablehlo(module, options);
  if (!program.ok()) return RenderReport(program.module, program.report);
  mlir::MlirPrintOptions print;
  print.locations = locations;
  for (const bool generic : {true, false}) {
    print.generic = generic;
    const std::string text = mlir::PrintMlirText(program.ir, print);
    const absl::StatusOr<mlir::Ir> again = mlir::ParseMlirText(text);
    EXPECT_TRUE(again.ok()) << again.status() << "\n" << text;
    if (!again.ok()) continue;
    EXPECT_EQ(mlir::PrintMlirText(*again, print), text);
  }
  return mlir::PrintMlirText(program.ir, print);
}

struct Case {
  absl::string_view name;
  absl::string_view lines;  // of the entry
  // Lines of the text, in order; * stands for anything.
  std::vector<absl::string_view> expected;
  absl::string_view before = "";
};

// Whether the parts of `line` between * stand in `text` in order, from *at on.
bool Find(absl::string_view text, absl::string_view line, size_t* at) {
  size_t from = *at;
  while (!line.empty()) {
    const size_t star = line.find('*');
    const absl::string_view part = line.substr(0, star);
    const size_t found = text.find(part, from);
    if (found == text.npos) return false;
    from = found + part.size();
    line = star == line.npos ? "" : line.substr(star + 1);
  }
  *at = from;
  return true;
}

void Check(const Case& c) {
  SCOPED_TRACE(c.name);
  const std::string text = Written(ReadEntry(c.lines, c.before));
  size_t at = 0;
  for (const absl::string_view line : c.expected) {
    EXPECT_TRUE(Find(text, line, &at)) << line << "\nnot in\n" << text;
  }
}

TEST(ExportTest, PlainOperations) {
  const Case kCases[] = {
      {"unary",
       "p = f32[2] parameter(0)\nROOT n = f32[2] negate(p)",
       {"func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {",
        "%0 = stablehlo.negate %arg0 : tensor<2xf32>",
        "return %0 : tensor<2xf32>"}},
      {"special functions are CHLO's",
       "p = f32[2] parameter(0)\na = f32[2] acos(p)\nROOT n = f32[2] erf(a)",
       {"chlo.acos %arg0", "chlo.erf %0"}},
      {"compare",
       "p = f32[2] parameter(0)\nROOT c = pred[2] compare(p, p), "
       "direction=LT, type=TOTALORDER",
       {"stablehlo.compare LT, %arg0, %arg0, TOTALORDER : "
        "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>"}},
      {"compare in the weak order",
       "p = f32[2] parameter(0)\nROOT c = pred[2] compare(p, p), "
       "direction=LT, order=WEAK",
       {"stablehlo.compare LT, %arg0, %arg0, WEAKORDER : "
        "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>"}},
      {"accuracy",
       "p = f32[2] parameter(0)\nROOT e = f32[2] exponential(p), "
       "result_accuracy={mode=highest}",
       {"result_accuracy = #stablehlo.result_accuracy<mode = "
        "#stablehlo.result_accuracy_mode<HIGHEST>>"}},
      {"broadcast",
       "p = f32[2] parameter(0)\nROOT b = f32[3,2] broadcast(p), "
       "dimensions={1}",
       {"stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<2xf32>) -> "
        "tensor<3x2xf32>"}},
      {"broadcast of a known size to a bounded one",
       "p = f32[2] parameter(0)\nROOT b = f32[3,<=2] broadcast(p), "
       "dimensions={1}",
       {"stablehlo.set_dimension_size %arg0, %c, dim = 0 : (tensor<2xf32>, "
        "tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<2>>",
        "stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<?xf32, "
        "#stablehlo.bounds<2>>) -> tensor<3x?xf32, #stablehlo.bounds<?, 2>>"}},
      {"starts in one vector",
       "p = f32[4,5] parameter(0)\ni = s32[2] parameter(1)\nROOT d = f32[2,1] "
       "dynamic-slice(p, i), dynamic_slice_sizes={2,1}",
       {"%0 = stablehlo.slice %arg1 [0:1] : (tensor<2xi32>) -> tensor<1xi32>",
        "%1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>",
        "stablehlo.dynamic_slice %arg0, %1, %3, sizes = [2, 1] : "
        "(tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x1xf32>"}},
      {"slice",
       "p = f32[9] parameter(0)\nROOT s = f32[3] slice(p), slice={[0:9:3]}",
       {"stablehlo.slice %arg0 [0:9:3]"}},
      {"pad",
       "p = f32[9] parameter(0)\nz = f32[] constant(0)\nROOT s = f32[11] "
       "pad(p, z), padding=-1_3_0",
       {"stablehlo.pad %arg0, %cst, low = [-1], high = [3], interior = [0]"}},
      {"iota",
       "ROOT i = s32[4] iota(), iota_dimension=0",
       {"stablehlo.iota dim = 0 : tensor<4xi32>"}},
      {"constants",
       "a = s32[2] constant({1, 2})\nb = f32[2,2] constant({{3, 3}, {3, 3}})\n"
       "ROOT t = (s32[2], f32[2,2]) tuple(a, b)",
       {"dense<[1, 2]> : tensor<2xi32>",
        "dense<3.000000e+00> : tensor<2x2xf32>"}},
      {"gather",
       "p = f32[8,4] parameter(0)\ni = s32[5] parameter(1)\nROOT g = f32[5,4] "
       "gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}",
       {"\"stablehlo.gather\"(%arg0, %arg1) <{dimension_numbers = "
        "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
        "start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
        "array<i64: 1, 4>}>"}},
      {"dot",
       "p = f32[2,3] parameter(0)\nq = f32[3,4] parameter(1)\nROOT d = "
       "f32[2,4] dot(p, q), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}, operand_precision={high,default}, "
       "algorithm=dot_tf32_tf32_f32",
       {"stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], "
        "algorithm = <lhs_precision_type = tf32"}},
      {"convolution of two types",
       "p = f32[1,8,3] parameter(0)\nk = pred[2,3,4] parameter(1)\nROOT c = "
       "f32[1,7,4] convolution(p, k), window={size=2}, dim_labels=b0f_0io->b0f",
       {"stablehlo.convert %arg1 : (tensor<2x3x4xi1>) -> tensor<2x3x4xf32>",
        "stablehlo.convolution(%arg0, %0) dim_numbers = "
        "[b, 0, f]x[0, i, o]->[b, 0, f]"}},
      {"bits of pred",
       "p = pred[2] parameter(0)\nROOT b = u8[2] bitcast-convert(p)",
       {"stablehlo.convert %arg0"}},
      {"bitcast to another layout",
       "p = f32[2,3]{1,0} parameter(0)\nROOT b = f32[3,2]{0,1} bitcast(p)",
       {"stablehlo.transpose"}},
      {"topk",
       "p = f32[8] parameter(0)\nROOT t = (f32[2], s32[2]) topk(p), k=2, "
       "largest=true",
       {"%values, %indices = chlo.top_k(%arg0, k = 2) : tensor<8xf32> -> "
        "(tensor<2xf32>, tensor<2xi32>)"}},
      {"rng",
       "a = f32[] parameter(0)\nROOT r = f32[2,3] rng(a, a), "
       "distribution=rng_uniform",
       {"dense<[2, 3]> : tensor<2xi64>", "distribution = UNIFORM"}},
      {"generator without state",
       "s = u64[2] parameter(0)\nROOT r = u32[4] rng-bit-generator(s), "
       "algorithm=rng_philox",
       {"%output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm "
        "= PHILOX",
        "return %output"}},
      {"dynamic reshape",
       "p = f32[6] parameter(0)\na = s32[] parameter(1)\nb = s32[] "
       "parameter(2)\nROOT r = f32[<=2,<=3] dynamic-reshape(p, a, b)",
       {"stablehlo.concatenate", "stablehlo.dynamic_reshape",
        "tensor<?x?xf32, #stablehlo.bounds<2, 3>>"}},
  };
  for (const Case& c : kCases) Check(c);
}

TEST(ExportTest, RegionsAndCalls) {
  constexpr absl::string_view kLoop =
      "cond {\n  s = (s32[], f32[2]) parameter(0)\n  i = s32[] "
      "get-tuple-element(s), index=0\n  n = s32[] constant(9)\n  ROOT l = "
      "pred[] compare(i, n), direction=LT\n}\nbody {\n  s = (s32[], f32[2]) "
      "parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  o = s32[] "
      "constant(1)\n  j = s32[] add(i, o)\n  x = f32[2] "
      "get-tuple-element(s), index=1\n  ROOT t = (s32[], f32[2]) tuple(j, "
      "x)\n}\n";
  const Case kCases[] = {
      {"reduce",
       "p = f32[2,3] parameter(0)\nz = f32[] constant(0)\nROOT r = f32[2] "
       "reduce(p, z), dimensions={1}, to_apply=add",
       {"stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across "
        "dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>"}},
      {"while of a tuple",
       "p = (s32[], f32[2]) parameter(0)\nROOT w = (s32[], f32[2]) while(p), "
       "condition=cond, body=body",
       {"func.func @main(%arg0: tensor<i32>, %arg1: tensor<2xf32>) -> "
        "(tensor<i32>, tensor<2xf32>)",
        "%0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1)",
        "cond {", "stablehlo.compare LT, %iterArg, %c", "} do {",
        "stablehlo.return %1, %iterArg_0"},
       kLoop},
      {"branches use the values of their operands",
       "p = pred[] parameter(0)\nx = f32[2] parameter(1)\nROOT c = f32[2] "
       "conditional(p, x, x), true_computation=f, false_computation=g",
       {"\"stablehlo.if\"(%arg0) ({", "stablehlo.negate %arg1",
        "stablehlo.return", "}, {", "stablehlo.abs %arg1"},
       "f {\n  x = f32[2] parameter(0)\n  ROOT n = f32[2] negate(x)\n}\ng {\n  "
       "x = f32[2] parameter(0)\n  ROOT n = f32[2] abs(x)\n}\n"},
      {"call",
       "x = f32[2] parameter(0)\nROOT c = f32[2] call(x), to_apply=f",
       {"call @f(%arg0)", "func.func private @f"},
       "f {\n  x = f32[2] parameter(0)\n  ROOT n = f32[2] negate(x)\n}\n"},
      {"a computation called main gets another name",
       "x = f32[2] parameter(0)\nROOT c = f32[2] call(x), to_apply=main",
       {"func.func @main(", "call @main_0(%arg0)", "func.func private @main_0"},
       "main {\n  x = f32[2] parameter(0)\n  ROOT n = f32[2] negate(x)\n}\n"},
      {"composite",
       "x = f32[2] parameter(0)\nROOT c = f32[2] call(x), to_apply=f, "
       "is_composite=true, frontend_attributes={composite.name=\"a.b\","
       "composite.attributes={n = 1 : i32},composite.version=\"2\"}",
       {"stablehlo.composite \"a.b\" %arg0 {composite_attributes = {n = 1 : "
        "i32}, decomposition = @f, version = 2 : i32}"},
       "f {\n  x = f32[2] parameter(0)\n  ROOT n = f32[2] negate(x)\n}\n"},
      {"copies are their operands",
       "x = f32[2] parameter(0)\nc = f32[2] copy(x)\nROOT n = f32[2] negate(c)",
       {"stablehlo.negate %arg0"}},
      {"add-dependency",
       "x = f32[2] parameter(0)\nt = token[] after-all()\nROOT a = f32[2] "
       "add-dependency(x, t)",
       {"%1:2 = stablehlo.optimization_barrier %arg0, %0", "return %1#0"}},
      {"custom call of FFI",
       "x = f32[2] parameter(0)\nROOT c = (f32[2], s32[]) custom-call(x), "
       "custom_call_target=\"t\", api_version=API_VERSION_TYPED_FFI, "
       "backend_config={a = 1 : i32}",
       {"%0:2 = stablehlo.custom_call @t(%arg0) {api_version = 4 : i32, "
        "backend_config = {a = 1 : i32}} : (tensor<2xf32>) -> "
        "(tensor<2xf32>, tensor<i32>)"}},
      {"custom call of one-tuples",
       "x = (f32[2]) parameter(0)\nROOT c = (f32[2]) custom-call(x), "
       "custom_call_target=\"t\"",
       {"stablehlo.tuple %arg0 : tuple<tensor<2xf32>>",
        "(tuple<tensor<2xf32>>) -> tuple<tensor<2xf32>>",
        "stablehlo.get_tuple_element %1[0]"}},
      {"a fusion's operand that it has no parameter for",
       "x = f32[2] parameter(0)\ny = f32[2] parameter(1)\nROOT f = f32[2] "
       "fusion(x, y), kind=kInput, calls=one",
       {"call @one(%arg0) : (tensor<2xf32>) -> tensor<2xf32>"},
       "one {\n  p = f32[2] parameter(0)\n  ROOT n = f32[2] negate(p)\n}\n"},
      {"the sharding of a tuple of one",
       "x = f32[4] parameter(0)\nROOT c = (f32[4]) call(x), to_apply=one, "
       "sharding={{devices=[2]<=[2]}}",
       {"call @one(%arg0) {mhlo.sharding = \"{devices=[2]<=[2]}\"}"},
       "one {\n  p = f32[4] parameter(0)\n  ROOT t = (f32[4]) tuple(p)\n}\n"},
  };
  for (const Case& c : kCases) Check(c);
}

TEST(ExportTest, DevicesAndHosts) {
  const Case kCases[] = {
      {"groups of two sizes",
       "x = f32[4] parameter(0)\nROOT r = f32[4] all-reduce(x), "
       "replica_groups={{0,1},{2}}, channel_id=7, use_global_device_ids=true, "
       "to_apply=add",
       {"channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, "
        "replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, "
        "use_global_device_ids"}},
      {"a formula of groups",
       "x = f32[4] parameter(0)\nROOT r = f32[8] all-gather(x), "
       "replica_groups=[2,2]<=[2,2]T(1,0), dimensions={0}",
       {"replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>"}},
      {"all-to-all of a tuple",
       "x = f32[4] parameter(0)\nROOT r = (f32[4], f32[4]) all-to-all(x, x), "
       "replica_groups={{0,1}}",
       {"stablehlo.concatenate", "split_count = 2 : i64",
        "stablehlo.slice * [1:2, 0:4]"}},
      {"all-to-all of a tuple, of all devices",
       "x = f32[4] parameter(0)\nROOT r = (f32[4], f32[4]) all-to-all(x, x), "
       "replica_groups={}",
       {"replica_groups = dense<\x5b[0, 1]]> : tensor<1x2xi64>, split_count = "
        "2 : i64"}},
      {"XLA dies of a ragged all-to-all without a channel",
       "x = f32[4] parameter(0)\ni = s32[2] parameter(1)\nROOT r = f32[4] "
       "ragged-all-to-all(x, x, i, i, i, i), replica_groups={{0,1}}",
       {"custom_call @ragged_all_to_all(", "channel_id = 0 : i64"}},
      {"of wider floats than the operand's",
       "x = bf16[4] parameter(0)\nROOT r = bf16[4] all-reduce(x), "
       "replica_groups={}, to_apply=add",
       {"stablehlo.all_reduce\"(%arg0)", "(tensor<4xbf16>) -> tensor<4xf32>",
        "stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xbf16>"}},
      {"an outfeed's sharding isn't its token's",
       "x = f32[4] parameter(0)\nt = token[] after-all()\nROOT o = token[] "
       "outfeed(x, t), sharding={devices=[2]<=[2]}",
       {"-> !stablehlo.token {", "{mhlo.sharding = \"{devices=[2]<=[2]}\"}"}},
      {"a start of one operand is a future",
       "x = f32[4] parameter(0)\ns = f32[4] all-reduce-start(x), "
       "replica_groups={}, to_apply=add\nROOT d = f32[4] all-reduce-done(s)",
       {"\"stablehlo.async_start\"(%arg0) ({", "\"stablehlo.all_reduce\"",
        "-> !stablehlo.future<tensor<4xf32>>", "\"stablehlo.async_done\"(%0)"}},
      {"a start of two is the operation",
       "x = f32[4] parameter(0)\ns = ((f32[4], f32[4]), (f32[8], f32[8])) "
       "all-gather-start(x, x), replica_groups={{0,1}}, dimensions={0}\nROOT d "
       "= (f32[8], f32[8]) all-gather-done(s)",
       {"%0:2 = \"stablehlo.all_gather\"(%arg0, %arg0)", "return %0#0, %0#1"}},
      {"send and its done are one",
       "x = f32[4] parameter(0)\nt = token[] after-all()\ns = (f32[4], u32[], "
       "token[]) send(x, t), channel_id=3, is_host_transfer=true\nROOT d = "
       "token[] send-done(s), channel_id=3, is_host_transfer=true",
       {"stablehlo.after_all  : !stablehlo.token",
        "\"stablehlo.send\"(%arg0, %0) <{channel_handle = "
        "#stablehlo.channel_handle<handle = 3, type = 2>, is_host_transfer = "
        "true}>"}},
      {"recv",
       "t = token[] after-all()\ns = (f32[4], u32[], token[]) recv(t), "
       "channel_id=3\nROOT d = (f32[4], token[]) recv-done(s), channel_id=3",
       {"%1:2 = \"stablehlo.recv\"(%0)", "return %1#0, %1#1"}},
      {"infeed with a layout",
       "t = token[] after-all()\nROOT i = ((f32[4,2]{0,1}), token[]) "
       "infeed(t)",
       {"layout = \x5b[0, 1]]"}},
      {"copy-start",
       "x = f32[4] parameter(0)\ns = (f32[4], f32[4], u32[]) "
       "copy-start(x)\nROOT d = f32[4] copy-done(s)",
       {"return %arg0"}},
  };
  for (const Case& c : kCases) Check(c);
}

TEST(ExportTest, AttributesOfFunctionsAndModules) {
  const std::string text = Written(Read(R"(
HloModule m, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {1}, must-alias) }, buffer_donor={ (1, {0}) }, entry_computation_layout={(f32[4,2]{0,1}, (f32[], f32[]))->(f32[4,2]{1,0}, f32[])}, replica_count=3, num_partitions=2, frontend_attributes={fa="x"}

ENTRY e {
  p = f32[4,2] parameter(0), sharding={devices=[2,1]<=[2]}, frontend_attributes={k="v"}
  q = (f32[], f32[]) parameter(1), sharding={{replicated}, {maximal device=0}}
  a = f32[] get-tuple-element(q), index=1
  n = f32[4,2] negate(p), sharding={replicated}
  ROOT t = (f32[4,2], f32[]) tuple(n, a), sharding={{replicated}, {maximal device=1}}
}
)"));
  for (const absl::string_view part :
       {"module @m attributes {", "mhlo.frontend_attributes = {fa = \"x\"}",
        "mhlo.num_partitions = 2 : i32", "mhlo.num_replicas = 3 : i32",
        "mhlo.xla_entry_computation_parameter_layouts = [dense<[0, 1]> : "
        "tensor<2xindex>, dense<> : tensor<0xindex>, dense<> : "
        "tensor<0xindex>]",
        "mhlo.input_output_alias = [{alias = {kind = \"must_alias\", "
        "parameter_index = array<i64>, parameter_number = 2 : i64}, "
        "output_index = array<i64: 1>}]",
        "%arg0: tensor<4x2xf32> {mhlo.frontend_attributes = {k = \"v\"}, "
        "mhlo.sharding = \"{devices=[2,1]<=[2]}\", tf.aliasing_output = 0 : "
        "i32}",
        "%arg1: tensor<f32> {jax.buffer_donor = true, mhlo.sharding = "
        "\"{replicated}\"}",
        "(tensor<4x2xf32> {mhlo.sharding = \"{replicated}\"}, tensor<f32> "
        "{mhlo.sharding = \"{maximal device=1}\"})",
        "stablehlo.negate %arg0 {mhlo.sharding = \"{replicated}\"}"}) {
    EXPECT_TRUE(absl::StrContains(text, part)) << part << "\nnot in\n" << text;
  }
  EXPECT_FALSE(absl::StrContains(text, "mhlo.is_dynamic")) << text;
}

TEST(ExportTest, Locations) {
  const std::string text = Written(Read(R"(
HloModule m

FileNames
1 "a.py"

FunctionNames
1 "f"
2 "g"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=5}
2 {file_name_id=1 function_name_id=2 line=7 end_line=7 column=2 end_column=5}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

ENTRY e {
  p = f32[] parameter(0)
  a = f32[] negate(p), metadata={op_name="x/neg" stack_frame_id=2}
  b = f32[] negate(a), metadata={op_name="x/neg2" source_file="b.py" source_line=9}
  ROOT c = f32[] negate(b)
}
)"),
                                   /*locations=*/true);
  for (const absl::string_view part :
       {"loc(\"a.py\":7:2)", "loc(callsite(", "loc(\"x/neg\"(", "loc(fused[",
        "loc(\"b.py\":9:0)", "loc(\"p\")", "loc(\"c\")"}) {
    EXPECT_TRUE(absl::StrContains(text, part)) << part << "\nnot in\n" << text;
  }
}

// What has no form is told with what to do.
TEST(ExportTest, Refusals) {
  struct Refusal {
    absl::string_view lines;
    std::vector<absl::string_view> said;
  };
  const Refusal kRefusals[] = {
      {"x = f32[4] parameter(0)\nr = u32[4] parameter(1)\nROOT s = f16[4] "
       "stochastic-convert(x, r)",
       {"has no operation in StableHLO", "custom-call"}},
      {"ROOT s = u64[2] rng-get-and-update-state(), delta=3",
       {"internal to XLA", "rng-bit-generator"}},
      {"x = s1[4] parameter(0)\nROOT n = s1[4] negate(x)",
       {"elements of s1", "i1 is pred"}},
      {"x = f32[8] parameter(0)\nROOT t = (f32[2], s32[2]) topk(x), k=2, "
       "largest=false",
       {"smallest elements", "negate"}},
      {"x = f32[4] parameter(0)\nt = token[] after-all()\ns = (f32[4], u32[], "
       "token[]) send(x, t), channel_id=3\nROOT r = (f32[4], u32[], token[]) "
       "copy(s)",
       {"context"}},
      {"x = pred[4] parameter(0)\nROOT b = f8e5m2[4] bitcast-convert(x)",
       {"one bit", "u8"}},
  };
  for (const Refusal& r : kRefusals) {
    SCOPED_TRACE(r.lines);
    StablehloOptions options;
    options.verify = false;
    const StablehloProgram program = ToStablehlo(ReadEntry(r.lines), options);
    ASSERT_FALSE(program.ok());
    const ModuleDiagnostic& d = program.report.diagnostics().front();
    std::string said = RenderDiagnostic(program.module, d);
    for (const DiagnosticArg& arg : d.diagnostic.args) {
      const auto* text = std::get_if<std::string>(&arg);
      if (text != nullptr) absl::StrAppend(&said, *text, "\n");
    }
    EXPECT_EQ(static_cast<int>(d.diagnostic.code), 1280) << said;
    for (const absl::string_view part : r.said) {
      EXPECT_TRUE(absl::StrContains(said, part)) << part << "\n" << said;
    }
  }
}

TEST(ExportTest, NamedSizesAreReadAtRunTime) {
  const Case kCases[] = {
      {"broadcast",
       "x = f32[n,4] parameter(0)\nb = f32[4] parameter(1)\nc = f32[n,4] "
       "broadcast(b), dimensions={1}\nROOT s = f32[n,4] add(x, c)",
       {"%arg0: tensor<?x4xf32>", "stablehlo.get_dimension_size %arg0, dim = 0",
        "stablehlo.concatenate", "stablehlo.dynamic_broadcast_in_dim %arg1",
        "stablehlo.add %arg0"}},
      {"an expression",
       "x = f32[n] parameter(0)\nROOT i = s32[2*n+1] iota(), iota_dimension=0",
       {"stablehlo.get_dimension_size %arg0, dim = 0", "stablehlo.multiply",
        "stablehlo.add", "stablehlo.dynamic_iota", "tensor<?xi32>"}},
      {"a name beside a number",
       "x = f32[n+3] parameter(0)\nROOT i = s32[n] iota(), iota_dimension=0",
       {"stablehlo.subtract", "stablehlo.dynamic_iota"}},
      {"conditions are assertions",
       "x = f32[n] parameter(0)\ny = f32[m] parameter(1)\nROOT d = f32[] "
       "dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
       {"stablehlo.compare EQ",
        "stablehlo.custom_call @shape_assertion(*api_version = 2 : i32, "
        "error_message = \"",
        "has_side_effect = true} : (tensor<i1>", "-> ()",
        "stablehlo.dot_general"}},
      {"a name in a multiple",
       "x = f32[2*n+1] parameter(0)\nROOT i = s32[n] iota(), "
       "iota_dimension=0",
       {"stablehlo.subtract", "stablehlo.divide", "stablehlo.dynamic_iota"}},
      {"a name that nothing gives",
       "x = f32[m*n] parameter(0)\nROOT i = s32[n] iota(), iota_dimension=0",
       {"IND1280"}},
  };
  for (const Case& c : kCases) Check(c);
}

// `levels` loops, each in the body of the one before; each computation is
// called twice, so writing each call would take 2^levels regions.
TEST(ExportTest, SharedComputationsAreFunctions) {
  constexpr int kLevels = 40;
  std::string text =
      "HloModule m\ng_0 {\n  x = f32[] parameter(0)\n  ROOT n = f32[] "
      "negate(x)\n}\n";
  for (int i = 1; i <= kLevels; ++i) {
    absl::StrAppend(&text, "g_", i,
                    " {\n  x = f32[] parameter(0)\n  p = pred[] compare(x, x), "
                    "direction=LT\n  ROOT c = f32[] conditional(p, x, x), "
                    "true_computation=g_",
                    i - 1, ", false_computation=g_", i - 1, "\n}\n");
  }
  absl::StrAppend(&text,
                  "ENTRY e {\n  x = f32[] parameter(0)\n  ROOT c = f32[] "
                  "call(x), to_apply=g_",
                  kLevels, "\n}\n");
  const StablehloProgram program = ToStablehlo(Read(text));
  ASSERT_TRUE(program.ok());
  EXPECT_LT(program.ir.op_count(), 20 * kLevels);
}

// Regions nest as deep as computations call each other.
TEST(ExportTest, DeepNestingTakesNoStack) {
  constexpr int kLevels = 5000;
  std::string text =
      "HloModule m\ng_0 {\n  x = f32[] parameter(0)\n  ROOT n = f32[] "
      "negate(x)\n}\n";
  for (int i = 1; i <= kLevels; ++i) {
    absl::StrAppend(&text, "g_", i,
                    " {\n  x = f32[] parameter(0)\n  i = s32[] "
                    "constant(0)\n  ROOT c = f32[] conditional(i, x), "
                    "branch_computations={g_",
                    i - 1, "}\n}\n");
  }
  absl::StrAppend(&text,
                  "ENTRY e {\n  x = f32[] parameter(0)\n  ROOT c = f32[] "
                  "call(x), to_apply=g_",
                  kLevels, "\n}\n");
  StablehloOptions options;
  options.locations = false;
  const StablehloProgram program = ToStablehlo(Read(text), options);
  ASSERT_TRUE(program.ok());
  EXPECT_GT(program.ir.op_count(), 3 * kLevels);
}

}  // namespace
}  // namespace indim
