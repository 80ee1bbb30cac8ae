// SPDX-License-Identifier: Apache-2.0
// Modules and calls that are reported to crash XLA, ONNX or what is made of
// them, written anew from what the reports say: each is answered.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indim/builder/composites/einsum.h"
#include "indim/builder/computation_builder.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/limits/hostile_inputs.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

struct Report {
  std::string number;
  InputForm form;
  std::string text;
  std::string says;  // "": nothing is wrong with it
};

std::string Entry(const std::string& instructions) {
  return "HloModule m\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] "
         "parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\nENTRY e {\n" +
         instructions + "\n}\n";
}

std::vector<Report> TextReports() {
  constexpr InputForm kText = InputForm::kHloText;
  return {
      // The parser takes the first of `dimensions`, of which there is none.
      {"xla#45821, all-gather", kText,
       Entry("x = f32[4] parameter(0)\nROOT g = f32[8] all-gather(x), "
             "replica_groups={}, dimensions={}"),
       "text:"},
      {"xla#45821, reduce-scatter", kText,
       Entry("x = f32[4] parameter(0)\nROOT g = f32[2] reduce-scatter(x), "
             "replica_groups={}, to_apply=add, dimensions={}"),
       "text:"},
      {"xla#45821, get-dimension-size", kText,
       Entry("x = f32[4] parameter(0)\nROOT g = s32[] get-dimension-size(x), "
             "dimensions={}"),
       "text:"},
      {"xla#45821, scan", kText,
       Entry("x = f32[4] parameter(0)\ni = f32[] parameter(1)\nROOT g = "
             "(f32[4], f32[]) scan(x, i), dimensions={-1}, num_carries=1, "
             "to_apply=add"),
       "scan"},
      // A while of something else than a tuple is one like any other.
      {"xla#47375, #39830", kText,
       "HloModule m\n\nc {\n  x = s32[] parameter(0)\n  n = s32[] "
       "constant(4)\n  ROOT l = pred[] compare(x, n), direction=LT\n}\n\nb "
       "{\n  y = s32[] parameter(0)\n  o = s32[] constant(1)\n  ROOT s = s32[] "
       "add(y, o)\n}\n\nENTRY e {\n  z = s32[] parameter(0)\n  ROOT w = s32[] "
       "while(z), condition=c, body=b\n}\n",
       ""},
      // Tuples where there are none: an element of an array, of a token.
      {"xla#47389, an array", kText,
       Entry("x = f32[2,2] parameter(0)\nROOT g = f32[2] "
             "get-tuple-element(x), index=0"),
       "get-tuple-element"},
      {"xla#47389, a token", kText,
       Entry("x = token[] after-all()\nROOT g = f32[2] get-tuple-element(x), "
             "index=0"),
       "get-tuple-element"},
      // A buffer that is none.
      {"xla#47376", kText,
       Entry("x = b(f32[2]) parameter(0)\nROOT g = f32[2] negate(x)"),
       "negate"},
      // A static size below 0.
      {"xla#47388", kText, Entry("ROOT x = f32[-7] parameter(0)"), "text:10"},
      // A custom call with a computation.
      {"xla#47365", kText,
       Entry("x = f32[] parameter(0)\nROOT g = f32[] custom-call(x, x), "
             "custom_call_target=\"t\", to_apply=add"),
       ""},
      // Convolutions as custom calls, with and without a window.
      {"xla#39822", kText,
       Entry("x = f32[1,8,6,6] parameter(0)\nk = f32[3,3,8,4] "
             "parameter(1)\nROOT g = (f32[1,4,6,6], u8[0]) custom-call(x, k), "
             "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_01io->bf01, "
             "custom_call_target=\"__cudnn$convForward\""),
       ""},
      {"xla#39822, no window", kText,
       Entry("x = f32[1,8,6,6] parameter(0)\nk = f32[3,3,8,4] "
             "parameter(1)\nROOT g = f32[1,4,6,6] convolution(x, k), "
             "dim_labels=bf01_01io->bf01"),
       "convolution"},
      // Sizes that differ far down a graph of bounded ones.
      {"xla#44937", kText,
       Entry("x = pred[<=98304,4] parameter(0)\ny = pred[<=98304,<=98304] "
             "parameter(1)\nROOT z = pred[<=98304,4] xor(x, y)"),
       "xor"},
      // A comparator that broadcasts, a reducer of more than one operation, a
      // tuple where an array belongs.
      {"xla#47370", kText,
       "HloModule m\n\nless {\n  a = s32[] parameter(0)\n  b = s32[] "
       "parameter(1)\n  c = pred[] compare(a, b), direction=LT\n  ROOT d = "
       "pred[] broadcast(c), dimensions={}\n}\n\nENTRY e {\n  x = s32[8] "
       "parameter(0)\n  ROOT s = s32[8] sort(x), dimensions={0}, "
       "to_apply=less\n}\n",
       ""},
      {"xla#47374", kText,
       "HloModule m\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] "
       "parameter(1)\n  c = f32[] negate(b)\n  d = f32[] negate(c)\n  ROOT r "
       "= f32[] add(a, d)\n}\n\nENTRY e {\n  x = f32[8] parameter(0)\n  z = "
       "f32[] constant(0)\n  ROOT s = f32[] reduce(x, z), dimensions={0}, "
       "to_apply=sum\n}\n",
       ""},
      {"xla#47382", kText,
       Entry("x = (f32[2]) parameter(0)\nROOT b = f32[3,2] broadcast(x), "
             "dimensions={1}"),
       "broadcast"},
      // jax#10588: values that were left out aren't read as others.
      {"jax#10588", kText, Entry("ROOT x = f32[32] constant({...})"), "text:"},
      // jax#2766: a dot whose result nobody checked.
      {"jax#2766", kText,
       Entry("a = f32[300,8] parameter(0)\nb = f32[8,1] parameter(1)\nROOT d "
             "= f32[6,1] dot(a, b), lhs_contracting_dims={1}, "
             "rhs_contracting_dims={0}"),
       "dot"},
      // xla#42107: [1,4] and [6,1] have nothing to be contracted.
      {"xla#42107", kText,
       Entry("a = f32[1,4] parameter(0)\nb = f32[6,1] parameter(1)\nROOT d = "
             "f32[1,1] dot(a, b), lhs_contracting_dims={1}, "
             "rhs_contracting_dims={0}"),
       "dot"},
      // onnx#6180, #6185: kernels, matrices and biases of the wrong rank.
      {"onnx#6180", kText,
       Entry("x = f32[7,6,1,5] parameter(0)\nk = f32[] parameter(1)\nROOT c "
             "= f32[7,2,3,2] convolution(x, k), window={size=1x1}, "
             "dim_labels=bf01_oi01->bf01"),
       "convolution"},
      {"onnx#6185", kText,
       Entry("a = f64[2,1] parameter(0)\nb = f64[] parameter(1)\nROOT d = "
             "f64[2] dot(a, b), lhs_contracting_dims={1}, "
             "rhs_contracting_dims={0}"),
       "dot"},
      // jax#5544: signed numbers compared as unsigned ones.
      {"jax#5544", kText,
       Entry("x = s64[] parameter(0)\nROOT c = pred[] compare(x, x), "
             "direction=LT, type=UNSIGNED"),
       "IND0114"},
      // onnxscript#992: an operation after one whose shape isn't known.
      {"onnxscript#992", kText,
       Entry("x = f32[?] parameter(0)\ny = f32[?] custom-call(x), "
             "custom_call_target=\"t\"\nROOT z = f32[?] add(y, y)"),
       ""},
      // onnx#5989: an operation that nobody knows.
      {"onnx#5989", kText,
       Entry("x = f32[2] parameter(0)\nROOT y = f32[2] custom-op(x)"),
       "custom-op"},
  };
}

std::vector<Report> MessageReports() {
  constexpr InputForm kMessage = InputForm::kProtoText;
  return {
      // Parameters 1 and 2, the first instruction without an id, an add of
      // f64[1] that is f32[].
      {"tensorflow#22130", kMessage,
       R"(name: "test" entry_computation_name: "op"
          computations {
            name: "comp"
            instructions {
              name: "parameter0" opcode: "parameter" parameter_number: 1
              shape { element_type: F64 dimensions: 1
                      layout { minor_to_major: 0 } } }
            instructions {
              name: "parameter1" opcode: "parameter" parameter_number: 2 id: 1
              shape { element_type: F64 dimensions: 1
                      layout { minor_to_major: 0 } } }
            instructions {
              name: "add2" opcode: "add" id: 2 operand_ids: 0 operand_ids: 1
              shape { element_type: F32 layout {} } }
            root_id: 2
            program_shape { result { element_type: F32 } }
          }
          host_program_shape { result { element_type: F32 } })",
       "parameter"},
      // No program shape at all.
      {"xla#15022", kMessage,
       R"(name: "m" computations { name: "c" id: 1 root_id: 1
            program_shape { result { element_type: F32 } }
            instructions { name: "x" opcode: "parameter" id: 1
                           shape { element_type: F32 layout {} } } }
          entry_computation_id: 1)",
       "host_program_shape"},
      // Operands that aren't there; Enzyme-JAX#763 too.
      {"onnx#2647", kMessage,
       R"(name: "m" computations { name: "c" id: 1 root_id: 1
            instructions { name: "x" opcode: "add" id: 1 operand_ids: 7
                           shape { element_type: F32 } } })",
       "has the id 7"},
      {"onnx#2965, #2976: no operands", kMessage,
       R"(name: "m" computations { name: "c" id: 1 root_id: 1
            instructions { name: "x" opcode: "add" id: 1
                           shape { element_type: F32 } } })",
       "add"},
      {"onnx#6211: no shape", kMessage,
       R"(name: "m" computations { name: "c" id: 1 root_id: 1
            instructions { name: "x" opcode: "parameter" id: 1 } })",
       "parameter"},
  };
}

void CheckReports(const std::vector<Report>& reports) {
  for (const Report& report : reports) {
    SCOPED_TRACE(report.number);
    const std::string said =
        ReadAndVerify({report.number, report.form, report.text, {}});
    if (report.says.empty()) {
      EXPECT_EQ(said, "");
    } else {
      EXPECT_NE(said, "");
      EXPECT_THAT(said, HasSubstr(report.says));
    }
  }
}

TEST(CrashReportsTest, ModulesAsText) { CheckReports(TextReports()); }

TEST(CrashReportsTest, ModulesAsMessages) { CheckReports(MessageReports()); }

// xla#47395: a loop of a value that no builder made. xla#4258: an error, not a
// check. stablehlo#738, GB-25#179: inference that fails is no abort.
TEST(CrashReportsTest, BuilderCalls) {
  CheckCalls({
      {"xla#47395",
       [](TestBuilder& b) {
         TestBuilder condition("condition"), body("body");
         const Op x = condition.P("f32[]");
         return b.While(condition.Build(condition.Eq(x, x)),
                        body.Build(body.P("f32[]")), Op());
       },
       "IND0600"},
      {"xla#4258",
       [](TestBuilder& b) { return b.Add(b.P("f32[2]"), b.P("f32[3]")); },
       "IND0001"},
      {"stablehlo#738",
       [](TestBuilder& b) {
         return b.ConcatInDim({b.P("f32[2,3]"), b.P("f32[2]")}, 5);
       },
       "IND0204"},
      {"GB-25#179",
       [](TestBuilder& b) { return b.Reshape(b.P("f32[2,3]"), {7}); },
       "IND0206"},
      // An einsum that names an operand or a dim that isn't there.
      {"onnxruntime#24806, an operand",
       [](TestBuilder& b) { return Einsum("ij,jk->ik", {b.P("f32[2,3]")}); },
       "IND0615"},
      {"onnxruntime#24806, a dim",
       [](TestBuilder& b) {
         return Einsum("ij,jk->ik", {b.P("f32[2,3]"), b.P("f32[3]")});
       },
       "IND0615"},
      {"onnxruntime#24806, a scalar",
       [](TestBuilder& b) { return Einsum("i->i", {b.P("f32[]")}); },
       "IND0615"},
  });
}

// `Build()` of an empty builder reads its last instruction.
TEST(CrashReportsTest, AnEmptyBuilder) {
  EXPECT_FALSE(ComputationBuilder("empty").Build().ok());
}

}  // namespace
}  // namespace indim
