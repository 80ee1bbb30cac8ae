// SPDX-License-Identifier: Apache-2.0
// Questions about operations with attributes, and about instructions of files.

#include "indim/tools/explain/explain_call.h"

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/broadcast/broadcastable.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/docs.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/tools/explain/explained.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/explain/explain_node.h"
#include "indim/tools/explain/explain_parts.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(absl::string_view question, ExplainOptions options = {}) {
  const auto explanation = ExplainQuestion(question, options);
  EXPECT_FALSE(explanation.ok()) << explanation->text;
  return std::string(explanation.status().message());
}

TEST(ExplainCall, SaysWhereADotsDimsComeFrom) {
  const std::string text = Explain("f32[8,784] . f32[784,10]");
  EXPECT_THAT(text, HasSubstr("dot(f32[8,784], f32[784,10]), "
                              "lhs_contracting_dims={1}, "
                              "rhs_contracting_dims={0}\n\n"
                              "  operand 0  f32[8,784]   [a0,a1]  free, "
                              "contracting\n"
                              "  operand 1  f32[784,10]  [b0,b1]  contracting, "
                              "free\n\n"
                              "  result dim 0   a0    8\n"
                              "  result dim 1   b1   10\n\n"
                              "  must hold: a1 == b0\n"));
  EXPECT_THAT(text, HasSubstr("  nothing is left to run time\n\n"
                              "result f32[8,10]\n"));
  // Another spelling of it, in three notations.
  for (const char* question :
       {"dot(f32[8,784], f32[784,10])", "f32[8,784] @ f32[784,10]",
        "f32[8,784] dot f32[784,10]",
        "%y = f32[8,10]{1,0} dot(f32[8,784]{1,0} %x, f32[784,10]{1,0} %w), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        "dot(tensor<8x784xf32>, tensor<784x10xf32>)"}) {
    EXPECT_THAT(Explain(question), HasSubstr("\nresult f32[8,10]\n"))
        << question;
  }
  EXPECT_THAT(Explain("(8,784) . (784,10)"), HasSubstr("\nresult [8,10]\n"));
}

TEST(ExplainCall, StacksOfMatricesAreMultipliedOneByOne) {
  EXPECT_THAT(Explain("f32[5,8,3] @ f32[5,3,4]"),
              HasSubstr("\nresult f32[5,8,4]\n"));
  EXPECT_FALSE(ExplainQuestion("f32[5,8,3] @ f32[5,4,3]")->ok);
}

TEST(ExplainCall, BatchDimsAreNamed) {
  EXPECT_THAT(Explain("dot(f32[5,8,3], f32[5,3,4]), lhs_batch_dims={0}, "
                      "rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                      "rhs_contracting_dims={1}"),
              HasSubstr("[a0,a1,a2]  batch, free, contracting\n"));
}

// Formulas come from inference itself, so each is as good as its shapes.
TEST(ExplainCall, FormulasOfResults) {
  struct Row {
    const char* question;
    const char* formula;
    const char* result;
  };
  for (const Row& row : {
           Row{"concatenate(f32[2,3], f32[5,3]), dimensions={0}",
               "result dim 0   a0+b0   7", "f32[7,3]"},
           Row{"transpose(f32[2,3,4]), dimensions={2,0,1}",
               "result dim 0   a2   4", "f32[4,2,3]"},
           Row{"pad(f32[4,3], f32[]), padding=1_2x0_0_1",
               "result dim 1   max(a1,2*a1-1)   5", "f32[7,5]"},
           Row{"convolution(f32[8,28,28,3], f32[5,5,3,16]), window={size=5x5 "
               "stride=2x2 pad=2_2x2_2}, dim_labels=b01f_01io->b01f",
               "result dim 1   floordiv(a1+1,2)   14", "f32[8,14,14,16]"},
           Row{"gather(f32[10,8], s32[5,1]), offset_dims={1}, "
               "collapsed_slice_dims={0}, start_index_map={0}, "
               "index_vector_dim=1, slice_sizes={1,8}",
               "must hold: b1 == 1", "f32[5,8]"},
           Row{"select(pred[4], f32[4], f32[4])", "result dim 0   b0   4",
               "f32[4]"},
           Row{"reduce(f32[2,3], f32[]), dimensions={0}, to_apply=add",
               "result dim 0   a1   3", "f32[3]"},
           Row{"sort(f32[8,16], s32[8,16]), dimensions={1}, "
               "to_apply=(f32[],f32[],s32[],s32[]) -> pred[]",
               "result part 1 dim 1   b1   16", "(f32[8,16], s32[8,16])"},
           Row{"negate(f32[n,?])", "result dim 1   a1   ?", "f32[n,?]"},
       }) {
    const std::string text = Explain(row.question);
    // Columns are as wide as they need be.
    std::string squeezed;
    for (const char c : text) {
      const bool more = absl::EndsWith(squeezed, "   ");
      if (c != ' ' || !more) squeezed += c;
    }
    EXPECT_THAT(squeezed, HasSubstr(row.formula)) << row.question;
    EXPECT_THAT(text, HasSubstr(absl::StrCat("\nresult ", row.result, "\n")))
        << row.question;
  }
}

TEST(ExplainCall, WhatIsLeftToRunTime) {
  EXPECT_THAT(Explain("slice(f32[10,?]), slice={[2:9:3], [0:8]}"),
              HasSubstr("at run time: operand 0 dim 1 is at least 8\n"));
  EXPECT_THAT(
      Explain("dot(f32[2,3], f32[m,4])"),
      HasSubstr(
          "at run time: operand 0 dim 1 equals operand 1 dim 0 (3 == m)\n"));
}

TEST(ExplainCall, ComputationsInThreeSpellings) {
  EXPECT_THAT(Explain("map(f32[4], f32[4]), dimensions={0}, to_apply=add"),
              HasSubstr("\nresult f32[4]\n"));
  EXPECT_THAT(Explain("call(f32[2]), to_apply=(f32[2]) -> f32[3]"),
              HasSubstr("\nresult f32[3]\n"));
  EXPECT_THAT(Explain("reduce(f32[2,3], f32[]), dimensions={1}, to_apply={x = "
                      "f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = "
                      "f32[] add(x, y) }"),
              HasSubstr("\nresult f32[2]\n"));
  EXPECT_THAT(Explain("conditional(s32[], f32[2], f32[3]), "
                      "branch_computations={(f32[2]) -> f32[], (f32[3]) -> "
                      "f32[]}"),
              HasSubstr("\nresult f32[]\n"));
  EXPECT_THAT(
      ErrorOf("call(f32[2]), to_apply=%sum"),
      HasSubstr("give an elementwise operation (to_apply=add), a signature"));
  EXPECT_THAT(ErrorOf("reduce(f32[2,3], f32[]), dimensions={1}"),
              HasSubstr("lacks to_apply=: to_apply=add, or a signature"));
}

TEST(ExplainCall, AWrongOneSaysWhatWouldWork) {
  const auto dot = ExplainQuestion("dot(f32[2,3], f32[4,3])");
  ASSERT_TRUE(dot.ok());
  EXPECT_FALSE(dot->ok);
  EXPECT_THAT(dot->text, HasSubstr("these sizes must be equal  [IND0203]"));
  EXPECT_THAT(dot->text, HasSubstr("to fix: DotGeneral(operand 0, operand 1) "
                                   "with rhs_contracting_dims={1}"));
  EXPECT_THAT(Explain("transpose(f32[2,3]), dimensions={1,1}"),
              HasSubstr("must name each of the 2 dims of f32[2,3] once"));
}

TEST(ExplainCall, VerifiesAResult) {
  EXPECT_THAT(Explain("transpose(f32[2,3]), dimensions={1,0} -> f32[3,?]"),
              HasSubstr("                      inferred   recorded\n"
                        "  result dim 0   a1          3          3   ok\n"
                        "  result dim 1   a0          2          ?   ok\n"));
  const auto wrong =
      ExplainQuestion("transpose(f32[2,3]), dimensions={1,0} -> f32[2,3]");
  ASSERT_TRUE(wrong.ok());
  EXPECT_FALSE(wrong->ok);
  EXPECT_THAT(wrong->text, HasSubstr("3          2   error\n"));
  EXPECT_THAT(wrong->text, HasSubstr("[IND0105]"));
  // A result that nobody can infer must be there.
  EXPECT_THAT(ErrorOf("reshape(f32[2,3])"), HasSubstr("write it behind ->"));
  EXPECT_THAT(Explain("reshape(f32[2,3]) -> f32[6]"),
              HasSubstr("recorded f32[6]: ok\n"));
  EXPECT_THAT(Explain("convert(f32[2]) -> s32[2]"),
              HasSubstr("\nresult s32[2]\n"));
}

// A compare has its direction and what it says of broadcasting.
TEST(ExplainCall, BroadcastsWithAttributes) {
  const std::string text = Explain(
      "compare(f32[2,3], f32[3]), direction=LT, broadcast_dimensions={1}");
  EXPECT_THAT(text, HasSubstr("InDim: dim 0 is result dim 1, result dim 0 gets "
                              "size 2: f32[2,3]"));
  EXPECT_THAT(text, HasSubstr("\nresult pred[2,3]\n"));
  EXPECT_THAT(ErrorOf("add(f32[4], f32[1,2]), broadcast_dims={0}"),
              HasSubstr("did you mean broadcast_dimensions?"));
}

// Where the op's own example would be broadcastable by chance.
std::string ExampleOfTrait(const OpInfo& op) {
  switch (op.opcode) {
    case Opcode::kDynamicUpdateSlice:
      return "dynamic-update-slice(f32[10,8], f32[2,8], s32[], s32[])";
    case Opcode::kBatchNormInference:
      return "batch-norm-inference(f32[8,3,32], f32[3], f32[3], f32[3], "
             "f32[3]), epsilon=0.001, feature_index=1";
    default:
      return std::string(ExampleOf(op.opcode));
  }
}

// The example of each operation shows what its row says of MLIR's trait: where
// it holds, the trait's verifier takes the result in every mode, and where it
// doesn't, that precondition fails.
TEST(ExplainCall, ExamplesShowWhatIsBroadcastable) {
  int asked = 0;
  for (const OpInfo& op : AllOps()) {
    const std::string example = ExampleOfTrait(op);
    const auto call = ReadCall(example);
    if (!call.ok() || !std::holds_alternative<NodeQuestion>(*call)) continue;
    const NodeQuestion& question = std::get<NodeQuestion>(*call);
    const NodeInputsOf node(question);
    InferContext context;
    const std::optional<Shape> result = InferShape(&context, node.inputs());
    if (!result) continue;
    ++asked;
    OpInputs inputs = node.inputs();
    inputs.declared = &*result;
    const Broadcastability b = BroadcastabilityOf(inputs);
    bool arrays = result->is_array();
    for (const Shape* operand : inputs.operands) {
      arrays = arrays && operand->is_array();
    }
    bool fits = arrays && !inputs.operands.empty();
    for (size_t mode = 0; fits && mode < kModeCount; ++mode) {
      std::vector<Diagnostic> diagnostics;
      fits = VerifyBroadcastable(static_cast<BroadcastableMode>(mode),
                                 inputs.operands, *result, &diagnostics);
    }
    switch (b) {
      case Broadcastability::kYes:
        EXPECT_TRUE(fits) << example;
        break;
      case Broadcastability::kNoOperand:
        EXPECT_TRUE(inputs.operands.empty()) << example;
        break;
      case Broadcastability::kSeveralResults:
        EXPECT_TRUE(result->is_tuple()) << example;
        break;
      case Broadcastability::kNotArrays:
        EXPECT_FALSE(arrays) << example;
        break;
      case Broadcastability::kNotFromShapes:
        EXPECT_TRUE(op.attributes != AttributesKind::kNo || op.callees != 0 ||
                    op.result != ResultSource::kInferred)
            << example;
        break;
      case Broadcastability::kNotCompatible:
      case Broadcastability::kOtherResult:
        EXPECT_FALSE(fits) << example;
        break;
      case Broadcastability::kUnknown:
        ADD_FAILURE() << example;
        break;
    }
  }
  EXPECT_GT(asked, 100);
}

TEST(ExplainCall, WrongQuestions) {
  struct Row {
    const char* question;
    const char* error;
  };
  for (const Row& row : {
           Row{"dott(f32[2], f32[2])",
               "no operation is called 'dott'; did you "
               "mean dot?"},
           Row{"matmul(f32[2,3], f32[3,4])",
               "; MatMul is made of several (indim explain matmul)"},
           Row{"where(pred[2], f32[2], f32[2])", "; here it is select"},
           Row{"f32[2,3,4] @ f32[4]", "isn't a dot of arrays of these ranks"},
           Row{"dot(f32[2], f32[2]", "isn't ',' or ')'"},
           Row{"dot(f32[2,, f32[2])", "expected"},
           Row{"transpose(f32[2,3]), dimension={0}", "\"dimension\""},
           Row{"transpose(f32[2,3]), dimensions={0,1}, dimensions={0,1}",
               "twice"},
           Row{"transpose(f32[2,3])", "lacks dimensions="},
           Row{"transpose(f32[2,3]), dimensions=", "the value of dimensions"},
           Row{"transpose(f32[2,3]) dimensions", "isn't an attribute"},
           Row{"transpose(f32[2,3]), dimensions={1,0} -> f32[3,2] -> f32[3,2]",
               "one result is enough"},
           Row{"call(f32[2]), to_apply=(f32[2] -> f32[3]", "isn't ',' or ')'"},
           Row{"conditional(s32[], f32[2]), branch_computations=add",
               "computations in braces"},
       }) {
    EXPECT_THAT(ErrorOf(row.question), HasSubstr(row.error)) << row.question;
  }
  ExplainOptions numpy;
  numpy.rule = BroadcastRule::kNumpy;
  EXPECT_THAT(ErrorOf("transpose(f32[2,3]), dimensions={1,0}", numpy),
              HasSubstr("transpose doesn't broadcast"));
}

// Every operation has words about its result, and an example that is right;
// its JSON is JSON.
TEST(ExplainCall, EveryOperationHasWordsAndAnExample) {
  for (const OpInfo& op : AllOps()) {
    EXPECT_NE(ResultWords(op.opcode), "") << op.wire;
    const absl::string_view example = ExampleOf(op.opcode);
    EXPECT_TRUE(absl::StartsWith(example, absl::StrCat(op.wire, "(")))
        << op.wire;
    const auto text = ExplainQuestion(example);
    ASSERT_TRUE(text.ok()) << example << text.status();
    EXPECT_TRUE(text->ok) << text->text;
    ExplainOptions options;
    options.json = true;
    google::protobuf::Struct object;
    const std::string json = Explain(example, options);
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json, &object).ok())
        << json;
    EXPECT_TRUE(object.fields().at("ok").bool_value()) << json;
    EXPECT_GE(object.fields().count("result"), 1u) << json;
    ASSERT_TRUE(
        google::protobuf::util::JsonStringToMessage(OpJson(op.opcode), &object)
            .ok());
  }
}

TEST(ExplainCall, JsonOfARefusalHasTheFix) {
  ExplainOptions options;
  options.json = true;
  EXPECT_THAT(Explain("dot(f32[2,3], f32[4,3])", options),
              HasSubstr("\"ok\":false,\"diagnostics\":[{\"code\":\"IND0203\""));
  EXPECT_THAT(Explain("dot(f32[2,3], f32[4,3])", options),
              HasSubstr("\"fix\":\"DotGeneral("));
  EXPECT_THAT(Explain("f32[8,784] . f32[784,10]", options),
              HasSubstr("\"dims\":[{\"dim\":\"dim 0\",\"inferred\":\"8\","
                        "\"formula\":\"a0\"}"));
}

// --- Instructions
// -------------------------------------------------------------

constexpr char kModule[] = R"(HloModule m
%sum { x = f32[] parameter(0)
y = f32[] parameter(1)
ROOT s = f32[] add(x, y) }
%other { x = f32[2] parameter(0)
ROOT n = f32[2] negate(x) }
ENTRY %main {
  %a = f32[2,3]{1,0} parameter(0)
  %b = f32[2,1]{1,0} parameter(1)
  %bad = f32[2,3]{1,0} multiply(%a, %b)
  %add.1 = f32[2,3]{1,0} add(%a, %bad)
  %zero = f32[] constant(0)
  ROOT %red = f32[2]{0} reduce(%add.1, %zero), dimensions={1}, to_apply=%sum
})";

absl::StatusOr<Explanation> OfModule(absl::string_view name) {
  const absl::StatusOr<Module> module = ParseHloText(kModule);
  if (!module.ok()) return module.status();
  const auto instruction = FindInstruction(*module, name);
  if (!instruction.ok()) return instruction.status();
  return ExplainInstruction(*module, *instruction);
}

TEST(ExplainInstruction, HasWhatTheFileSays) {
  const auto red = OfModule("%red");
  ASSERT_TRUE(red.ok()) << red.status();
  EXPECT_TRUE(red->ok);
  EXPECT_THAT(red->text, HasSubstr("%red = f32[2] reduce(%add.1, %zero), "
                                   "dimensions={1}   text:13:3\n"));
  EXPECT_THAT(red->text, HasSubstr("recorded f32[2]: ok\n"));
  const auto add = OfModule("main/add.1");
  ASSERT_TRUE(add.ok()) << add.status();
  EXPECT_THAT(add->text, HasSubstr("\nadd(f32[2,3], f32[2,3]), rule xla\n"));
  EXPECT_THAT(add->text, HasSubstr("  dim 0           2          2        ok"));
}

// XLA's verifier refuses an implicit broadcast in a module that isn't recorded.
TEST(ExplainInstruction, IsJudgedAsItsModuleIs) {
  const auto bad = OfModule("bad");
  ASSERT_TRUE(bad.ok()) << bad.status();
  EXPECT_FALSE(bad->ok);
  EXPECT_THAT(bad->text, HasSubstr("dim 1 stretches from 1 to 3: f32[2,3]"));
  EXPECT_THAT(bad->text, HasSubstr("[IND0040]\n"
                                   "to fix: BroadcastInDim(b, "));
}

TEST(ExplainInstruction, NamesThatAreWrong) {
  EXPECT_THAT(OfModule("x").status().message(),
              HasSubstr("2 instructions are called %x; name one with its "
                        "computation: sum/%x, other/%x"));
  EXPECT_TRUE(OfModule("sum/x").ok());
  EXPECT_TRUE(OfModule("%other/%x").ok());
  EXPECT_THAT(OfModule("rde").status().message(),
              HasSubstr("no instruction is called %rde; did you mean %red?"));
  EXPECT_THAT(OfModule("").status().message(),
              HasSubstr("there are %x, %y, %s, %x, %n, ..."));
  EXPECT_THAT(OfModule("main/x").status().message(),
              HasSubstr("no instruction is called %x in computation main"));
  EXPECT_THAT(OfModule("mian/red").status().message(),
              HasSubstr("no computation is called mian; did you mean main?"));
}

}  // namespace
}  // namespace indim
