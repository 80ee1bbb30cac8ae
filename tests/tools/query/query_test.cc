// SPDX-License-Identifier: Apache-2.0
// `indim query` on every recorded answer of the real systems.

#include "indim/tools/query/query.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/types/shape.h"
#include "indim/tests/oracle_cases.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The line as `indim query` gets it, with another mode where one is asked for.
std::string AnswerIn(const OracleCase& c, absl::string_view mode) {
  google::protobuf::Struct line = c.line;
  if (!mode.empty()) {
    (*line.mutable_fields())["mode"].set_string_value(std::string(mode));
  }
  std::string json;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(line, &json).ok());
  return AnswerLine(json);
}

// What `answer` must hold for `expected`.
bool Agrees(const OracleAnswer& expected, absl::string_view answer) {
  if (expected.shape) {
    return absl::StrContains(
        answer, absl::StrCat("\"shape\":\"", *expected.shape, "\""));
  }
  if (expected.ok) {
    return absl::StrContains(answer,
                             *expected.ok ? "\"ok\":true" : "\"ok\":false");
  }
  return !absl::StrContains(answer, "\"shape\"") &&
         absl::StrContains(answer, "\"error\"");
}

struct Source {
  const char* file;
  const char* answer;  // field with the answer
  const char* mode;
  int at_least;  // lines that must have been asked
};

class QueryTest : public ::testing::TestWithParam<Source> {};

TEST_P(QueryTest, AgreesWithEveryLine) {
  const Source& source = GetParam();
  int lines = 0, asked = 0;
  for (const OracleCase& c : LoadOracleCases(source.file)) {
    if (c.Has("symbolic") || c.rule == "algebraic") continue;
    const auto expected = c.Answer(source.answer);
    if (!expected) continue;
    if (lines++ % SampleStep(4) != 0) continue;
    const std::string answer = AnswerIn(c, source.mode);
    ++asked;
    if (IsKnownDisagreement(c.id)) {
      EXPECT_FALSE(Agrees(*expected, answer)) << c.id << " agrees now";
      continue;
    }
    EXPECT_TRUE(Agrees(*expected, answer)) << c.id << " gives " << answer;
  }
  EXPECT_GE(asked, source.at_least / SampleStep(4));
  RecordProperty("asked", asked);
}

INSTANTIATE_TEST_SUITE_P(
    All, QueryTest,
    ::testing::Values(Source{"numpy_dev.jsonl", "expect", "", 500},
                      Source{"openvino_dev.jsonl", "hull", "", 2322},
                      Source{"mlir_dev.jsonl", "expect", "mlir", 2062},
                      Source{"mlir_dev.jsonl", "table", "lenient", 1236},
                      Source{"mlir_dev.jsonl", "formal", "strict", 2062},
                      Source{"spec_cases.jsonl", "table", "lenient", 18},
                      Source{"spec_cases.jsonl", "formal", "strict", 18},
                      Source{"spec_cases.jsonl", "mlir19", "mlir", 13},
                      Source{"xla_dev.jsonl", "expect", "", 8967},
                      Source{"xla_today_dev.jsonl", "expect", "", 2772}));

// Lines without another answer: `expect` alone.
TEST(Query, SpecCasesOfTheOtherRules) {
  int asked = 0;
  for (const OracleCase& c : LoadOracleCases("spec_cases.jsonl")) {
    if (c.Has("symbolic") || c.rule == "algebraic" || c.Has("table")) continue;
    ++asked;
    const std::string answer = AnswerIn(c, "");
    EXPECT_TRUE(Agrees(*c.Answer("expect"), answer)) << c.id << " " << answer;
  }
  EXPECT_GT(asked, 70);
}

// "f32[2*n,m]" for "f32[n+n,m]".
std::string Normal(absl::string_view shape) {
  const absl::StatusOr<Shape> read = ParseShape(shape);
  EXPECT_TRUE(read.ok()) << shape;
  return read.ok() ? read->ToString() : "";
}

// Letters for sizes, under the line's constraint.
TEST(Query, SymbolicSpecCases) {
  int asked = 0;
  for (const OracleCase& c : LoadOracleCases("spec_cases.jsonl")) {
    if (!c.Has("symbolic") || c.query != "infer") continue;
    OracleAnswer expected = *c.Answer("expect");
    if (c.id == "spec-081") {  // "defined iff b == c"
      google::protobuf::Struct line = c.line;
      line.mutable_fields()->erase("constraint");
      std::string json;
      ASSERT_TRUE(
          google::protobuf::util::MessageToJsonString(line, &json).ok());
      EXPECT_THAT(AnswerLine(json),
                  HasSubstr(R"("shape":"f32[a,d]","conditions":["b == c"])"));
      expected.shape = "f32[a,d]";
    }
    if (expected.shape) expected.shape = Normal(*expected.shape);
    ++asked;
    const std::string answer = AnswerIn(c, "");
    EXPECT_TRUE(Agrees(expected, answer)) << c.id << " " << answer;
  }
  EXPECT_EQ(asked, 13);
}

// The code of the error in a question on which XLA aborts; "" if none.
std::string ExpectedCode(const OracleCase& c) {
  static const auto& codes = *new std::map<std::string, std::string>{
      {"conditional", "IND0406"}, {"convolution", "IND0227"},
      {"reduce", "IND0322"},      {"reshape", "IND0200"},
      {"scatter", "IND0322"},
  };
  const auto code = codes.find(c.op);
  if (code != codes.end()) return code->second;
  if (c.operands.empty()) return "IND0100";
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (ParseShape(c.operands[i])->is_array()) continue;
    const bool is_size = c.op == "set-dimension-size" && i == 1;
    return is_size ? "IND0213" : "IND0101";
  }
  if (c.op == "topk") return "IND0262";  // of scalars
  // Types of which neither is the more general, unless the author chooses.
  return c.attributes.fields().contains("preferred_element_type") ? ""
                                                                  : "IND0108";
}

TEST(Query, CrashesOfXlaAreAnsweredByACode) {
  int asked = 0;
  for (const OracleCase& c : LoadOracleCases("xla_crashes.jsonl")) {
    const std::string answer = AnswerIn(c, ""), code = ExpectedCode(c);
    EXPECT_THAT(answer, HasSubstr(code.empty() ? "\"shape\":\""
                                               : absl::StrCat("\"code\":\"",
                                                              code, "\"")))
        << c.line.ShortDebugString();
    ++asked;
  }
  EXPECT_EQ(asked, 99);
}

TEST(Query, GivesIdCodeAndMessage) {
  EXPECT_EQ(
      AnswerLine(R"({"id":"a","op":"add","operands":["f32[2,1]","f32[2,3]"]})"),
      R"({"id":"a","shape":"f32[2,3]"})");
  EXPECT_EQ(AnswerLine(R"({"op":"add","operands":["f32[]","f32[3]"]})"),
            R"({"id":null,"shape":"f32[3]"})");
  EXPECT_THAT(
      AnswerLine(R"({"id":"b","op":"add","operands":["f32[2,3]","f32[3]"]})"),
      HasSubstr(R"("code":"IND0007")"));
}

// XLA multiplies from the first dim on: a 0 at the end comes too late.
TEST(Query, ResultsTooLargeAreRefused) {
  const char* const kLarge = R"("f32[1099511627776,1]","f32[1,1099511627776]")";
  const char* const kZeroLast =
      R"("f32[2147483648,1,0]","f32[1,1099511627776,0]")";
  const char* const kZeroFirst =
      R"("f32[0,1099511627776,1]","f32[0,1,1099511627776]")";
  const auto ask = [](const char* operands) {
    return AnswerLine(
        absl::StrCat(R"({"op":"add","operands":[)", operands, "]}"));
  };
  EXPECT_THAT(ask(kLarge), HasSubstr("IND0106"));
  EXPECT_THAT(ask(kZeroLast), HasSubstr("IND0106"));
  EXPECT_THAT(ask(kZeroFirst), HasSubstr("\"shape\":\"f32[0,"));
}

TEST(Query, LinesThatCannotBeReadGetAnErrorObject) {
  for (const char* line :
       {"", "x", "[]", "{", "{\"id\":\"a\"", "null", "{}",
        R"({"id":3,"op":"add"})", R"({"op":"add","operands":"f32[2]"})",
        R"({"op":"add","operands":["f32[2"]})",
        R"({"op":"ad","operands":["f32[2]","f32[2]"]})",
        R"({"rule":"x","operands":["f32[2]","f32[2]"]})",
        R"({"rule":"broadcastable","query":"verify","operands":["f32[2]"]})",
        R"({"rule":"broadcastable","mode":"x","operands":["f32[2]"]})",
        R"({"rule":"numpy","query":"broadcast","operands":["f32[2]"]})"}) {
    const std::string answer = AnswerLine(line);
    EXPECT_THAT(answer, HasSubstr("\"error\":\"")) << line;
    EXPECT_THAT(answer, HasSubstr("\"id\":")) << line;
  }
  EXPECT_THAT(AnswerLine(R"({"id":"q7","op":"ad","operands":[]})"),
              HasSubstr("\"id\":\"q7\""));
}

TEST(Query, IdsMayBeNumbers) {
  EXPECT_EQ(AnswerLine(R"({"id":7,"op":"negate","operands":["f32[2]"]})"),
            R"({"id":7,"shape":"f32[2]"})");
  EXPECT_THAT(AnswerLine(R"({"id":-3,"op":"ad"})"), HasSubstr("\"id\":-3,"));
}

// What only a shape function finds wrong has a fix too, where one size of two
// would do.
TEST(Query, SizesOfTwoOperandsThatDontGoTogetherAreMended) {
  EXPECT_THAT(AnswerLine(
                  R"({"op":"convolution","operands":["f32[2,8,3]","f32[3,4,5]"],
              "attributes":{"window":"size=3","dim_labels":"b0f_0io->b0f"}})"),
              HasSubstr(R"("change":{"operand":1,"to":"f32[3,3,5]"})"));
  // With groups no one size does.
  EXPECT_THAT(AnswerLine(
                  R"({"op":"convolution","operands":["f32[2,8,4]","f32[3,4,5]"],
              "attributes":{"window":"size=3","dim_labels":"b0f_0io->b0f",
                            "feature_group_count":3}})"),
              Not(HasSubstr("change")));
}

// A misspelled attribute is as good as none; the answer says so.
TEST(Query, AttributesThatTheOperationHasNotAreToldOf) {
  EXPECT_EQ(
      AnswerLine(R"({"op":"add","operands":["f32[2]","f32[2]"],
                     "attributes":{"broadcast_dimension":[0]}})"),
      R"({"id":null,"shape":"f32[2]","warnings":[{"code":"IND0802","message":)"
      R"("add has no attribute \"broadcast_dimension\"; did you )"
      R"(mean \"broadcast_dimensions\"?"}]})");
  EXPECT_THAT(AnswerLine(R"({"op":"add","operands":["f32[2]","f32[2]"],
                             "attributes":{"broadcast_dims":[0]}})"),
              HasSubstr(R"(did you mean \"broadcast_dimensions\"?)"));
  EXPECT_THAT(AnswerLine(R"({"op":"transpose","operands":["f32[2]"],
                             "attributes":{"permutation":[0]}})"),
              HasSubstr(R"(transpose has no attribute \"permutation\"; it )"
                        R"(takes \"dimensions\"")"));
  // Those of others too, whatever they are called there.
  EXPECT_THAT(AnswerLine(R"({"op":"dynamic-slice","operands":["f32[8]","s32[]"],
                             "attributes":{"slice_sizes":[2]}})"),
              HasSubstr(R"(dynamic-slice has no attribute \"slice_sizes\"; )"
                        R"(it takes \"dynamic_slice_sizes\"")"));
  EXPECT_THAT(AnswerLine(R"({"op":"tuple","operands":["f32[8]"],
                             "attributes":{"padding":"0_1"}})"),
              HasSubstr(R"("tuple has no attribute \"padding\""})"));
  // One that goes with another, which isn't there.
  EXPECT_THAT(AnswerLine(R"({"op":"dynamic-reshape",
                             "operands":["f32[2]","s32[]"],
                             "attributes":{"shape":"f32[2]",
                                           "dims_are_dynamic":[false]}})"),
              Not(HasSubstr("IND0802")));
}

// A field that nobody reads would make it another question.
TEST(Query, FieldsThatAreNotReadAreErrors) {
  struct Row {
    const char* line;
    const char* said;
  };
  for (const Row& row : {
           Row{R"({"op":"add","operands":["f32[2,3]","f32[3]"],
                   "broadcast_dimensions":[1]})",
               R"("\"broadcast_dimensions\" isn't read here: add has the )"
               R"(attribute \"broadcast_dimensions\"; to fix: put it into )"
               R"(attributes, as in \"attributes\":{)"
               R"(\"broadcast_dimensions\":...}")"},
           Row{R"({"op":"add","operands":["f32[2,3]","f32[3]"],
                   "broadcast_dims":[1]})",
               R"(\"attributes\":{\"broadcast_dimensions\":...})"},
           Row{R"({"op":"dot","operands":["f32[4,8]","f32[4,8]"],
                   "lhs_contracting_dimensions":[0],"attributes":{}})",
               R"(\"attributes\":{\"lhs_contracting_dims\":...})"},
           Row{R"({"op":"call","operands":[],"to_apply":{}})",
               R"(call has the attribute \"to_apply\")"},
           Row{R"({"op":"concatenate","operands":["f32[2]","f32[2]"],
                   "axis":0})",
               R"(\"axis\" isn't read here: it is a field of rule pdpd; this )"
               R"(question is of rule xla, query infer)"},
           Row{R"({"op":"reshape","operands":["f32[4]"],"target_shape":[2,2]})",
               R"(it is a field of the rules none, numpy, pdpd, )"
               R"(bidirectional, explicit, query broadcast;)"},
           Row{R"({"rule":"numpy","op":"Add","operands":["f32[2]"],"axis":0})",
               R"(is a field of rule pdpd)"},
           Row{R"({"rule":"numpy","op":"Add","operands":["f32[2]"],
                   "attributes":{"axis":0}})",
               R"(is a field of the rules xla, onnx, algebraic)"},
           Row{R"({"rule":"none","op":"Add","operands":["f32[2]","f32[2]"],
                   "result":"f32[3]"})",
               R"(is a field of the rules xla, broadcastable)"},
           Row{R"({"op":"add","operand":["f32[2]","f32[2]"]})",
               R"(\"operand\" isn't read here: did you mean \"operands\"?)"},
           Row{R"({"op":"add","operands":["f32[2]","f32[2]"],"fact":"n>=1"})",
               R"(did you mean \"facts\"?)"},
           Row{R"({"op":"add","operands":["f32[2]","f32[2]"],"zebra":1})",
               R"(a question of rule xla has id, rule, query, op, operands, )"
               R"(facts, constraint, attributes, result; fields that begin )"
               R"(with _ are ignored)"},
           // Each of two.
           Row{R"({"op":"add","operands":["f32[2]"],"axis":1,"opernds":[]})",
               R"(query infer; \"opernds\" isn't read here: did you mean)"},
       }) {
    const std::string answer = AnswerLine(row.line);
    EXPECT_THAT(answer, HasSubstr(row.said)) << row.line;
    EXPECT_THAT(answer, HasSubstr(R"("code":"IND0801")")) << row.line;
    EXPECT_THAT(answer, Not(HasSubstr("shape\":\""))) << row.line;
  }
}

// What recorded answers have, names that begin with _, and what says nothing.
TEST(Query, FieldsOfAskersAreLeftAlone) {
  EXPECT_EQ(AnswerLine(R"({"op":"add","operands":["f32[2]","f32[2]"],
                           "note":"x","expect":{},"spec_expect":1,"_mine":2,
                           "axis":null,"zebra":null})"),
            R"({"id":null,"shape":"f32[2]"})");
  EXPECT_EQ(AnswerLine(R"({"rule":"numpy","operands":["f32[2]","f32[1]"],
                           "attributes":{}})"),
            R"({"id":null,"shape":"f32[2]"})");
}

// A question that a rule can't be asked gets no answer to another one.
TEST(Query, QueriesThatARuleIsNotAsked) {
  struct Row {
    const char* rule;
    const char* query;
    const char* said;
  };
  for (const Row& row :
       {Row{"xla", "infr",
            "did you mean infer? expected infer, verify, "
            "element_type, rank, dims or components"},
        Row{"numpy", "verify", "expected infer, nary, binary or broadcast"},
        Row{"broadcastable", "rank", "expected infer or verify"},
        Row{"onnx", "verify", "expected infer"},
        Row{"explicit", "binary", "expected broadcast"},
        Row{"nump", "infer", "did you mean numpy? expected xla, onnx"}}) {
    const std::string answer = AnswerLine(
        absl::StrCat("{\"rule\":\"", row.rule, "\",\"query\":\"", row.query,
                     "\",\"op\":\"add\",\"operands\":[\"f32[2]\"]}"));
    EXPECT_THAT(answer, HasSubstr(row.said)) << row.rule << row.query;
    EXPECT_THAT(answer, HasSubstr("IND0801")) << row.rule << row.query;
  }
}

// Each message quotes what the question says.
TEST(Query, CountsOfNothingAreQuoted) {
  struct Row {
    const char* op;
    const char* operands;
    const char* attributes;
    const char* said;
  };
  for (const Row& row :
       {Row{"all-to-all", R"("f32[4,8]")",
            R"("split_dimension":0,"concat_dimension":1,"split_count":0)",
            "split_count is 0"},
        Row{"all-to-all", R"("f32[4,8]")",
            R"("split_dimension":-1,"concat_dimension":1,"split_count":2)",
            "dim -1"},
        Row{"all-gather", R"("f32[4,8]")",
            R"("dimensions":[0],"shard_count":0)", "shard_count is 0"},
        Row{"reduce-scatter", R"("f32[4,8]")",
            R"("dimensions":[0],"shard_count":0,"to_apply":{
               "parameters":["f32[]","f32[]"],"result":"f32[]"})",
            "shard_count is 0"},
        Row{"convolution", R"("f32[2,8,4]","f32[3,4,6]")",
            R"("window":"size=3","dim_labels":"b0f_0io->b0f",
               "feature_group_count":0)",
            "feature_group_count is 0"},
        Row{"convolution", R"("f32[2,8,4]","f32[3,4,6]")",
            R"("window":"size=3","dim_labels":"b0f_0io->b0f",
               "batch_group_count":0)",
            "batch_group_count is 0"}}) {
    EXPECT_THAT(AnswerLine(absl::StrCat(
                    "{\"op\":\"", row.op, "\",\"operands\":[", row.operands,
                    "],\"attributes\":{", row.attributes, "}}")),
                HasSubstr(row.said))
        << row.op;
  }
}

// What other systems write for a size that isn't known is no name of one.
TEST(Query, NoneIsNoName) {
  for (const char* none : {"None", "none", "null", "nil", "Unknown", "dynamic",
                           "kDynamic", "-1", "-9223372036854775808"}) {
    for (const char* rule : {"xla", "numpy", "onnx"}) {
      const std::string answer = AnswerLine(absl::StrCat(
          "{\"rule\":\"", rule, "\",\"op\":\"",
          absl::string_view(rule) == "onnx" ? "Add" : "add",
          "\",\"operands\":[\"f32[", none, ",4]\",\"f32[", none, ",4]\"]}"));
      EXPECT_THAT(answer, HasSubstr("write ? for")) << answer;
      EXPECT_THAT(answer, HasSubstr("IND0801"));
    }
  }
  EXPECT_THAT(AnswerLine(R"({"op":"add","operands":["f32[Nonex]","f32[2]"],
                             "facts":"None >= 1"})"),
              HasSubstr("write ? for"));
  EXPECT_THAT(AnswerLine(R"({"op":"negate","operands":["f32[nones]"]})"),
              HasSubstr(R"("shape":"f32[nones]")"));
}

// What is to be changed is a field of the question.
TEST(Query, AChangeOfASliceCanBeMade) {
  EXPECT_THAT(AnswerLine(R"({"op":"slice","operands":["f32[4]"],
                             "attributes":{"slice":"{[0:9]}"}})"),
              HasSubstr(R"("change":{"attribute":"limits","to":[4]})"));
  EXPECT_EQ(AnswerLine(R"({"op":"slice","operands":["f32[4]"],
                           "attributes":{"slice":"{[0:9]}","limits":[4]}})"),
            R"({"id":null,"shape":"f32[4]"})");
}

TEST(Query, ARecordedResultIsVerified) {
  const auto ask = [](const char* rest) {
    return AnswerLine(absl::StrCat(R"({"query":"verify",)", rest, "}"));
  };
  constexpr char kAdd[] = R"("op":"add","operands":["f32[2,1]","f32[2,3]"])";
  EXPECT_THAT(ask(absl::StrCat(kAdd, R"(,"result":"f32[2,3]")").c_str()),
              HasSubstr("\"ok\":true"));
  EXPECT_THAT(ask(absl::StrCat(kAdd, R"(,"result":"f32[2,1]")").c_str()),
              AllOf(HasSubstr("\"ok\":false"), HasSubstr("\"error\":\"add")));
  EXPECT_THAT(ask(kAdd), HasSubstr("needs a result"));
  constexpr char kReshape[] =
      R"("op":"reshape","operands":["f32[4]"],"attributes":{"new_sizes":[2,2]})";
  EXPECT_THAT(ask(absl::StrCat(kReshape, R"(,"result":"f32[2,2]")").c_str()),
              HasSubstr("\"ok\":true"));
  EXPECT_THAT(ask(absl::StrCat(kReshape, R"(,"result":"f32[4]")").c_str()),
              AllOf(HasSubstr("\"ok\":false"), HasSubstr("IND0105")));
  EXPECT_THAT(AnswerLine(R"({"query":"verfy","op":"tuple"})"),
              HasSubstr("expected infer, verify, element_type"));
}

TEST(Query, ABranchIndexIsOfTheFormThatWasAsked) {
  constexpr char kBranch[] = R"({"parameters":["f32[]"],"result":"f32[]"})";
  const auto ask = [&](const char* index, bool two) {
    return AnswerLine(
        absl::StrCat(R"({"op":"conditional","operands":[")", index,
                     R"(","f32[]","f32[]"],"attributes":{)",
                     two ? absl::StrCat(R"("true_computation":)", kBranch,
                                        R"(,"false_computation":)", kBranch)
                         : absl::StrCat(R"("branch_computations":[)", kBranch,
                                        ",", kBranch, "]"),
                     "}}"));
  };
  EXPECT_THAT(ask("s32[]", true), HasSubstr("is s32[], but must be pred[]\""));
  EXPECT_THAT(ask("pred[]", false),
              HasSubstr("is pred[], but must be s32[]\""));
  EXPECT_THAT(ask("pred[2]", true),
              HasSubstr("is pred[2], but must be pred[]\""));
}

// The line with the change that its answer suggests; "" where there is none, or
// one that the question's fields don't spell.
std::string Changed(const google::protobuf::Struct& line,
                    const std::string& answer) {
  google::protobuf::Struct given;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(answer, &given).ok());
  const auto found = given.fields().find("change");
  if (found == given.fields().end()) return "";
  const auto& change = found->second.struct_value().fields();
  google::protobuf::Struct changed = line;
  auto& fields = *changed.mutable_fields();
  if (change.count("operand") != 0) {
    const int operand = static_cast<int>(change.at("operand").number_value());
    if (operand >= fields["operands"].list_value().values_size()) return "";
    *fields["operands"].mutable_list_value()->mutable_values(operand) =
        change.at("to");
  } else if (change.count("attribute") != 0) {
    auto& attributes =
        *fields["attributes"].mutable_struct_value()->mutable_fields();
    const std::string name = change.at("attribute").string_value();
    if (name != "broadcast_dimensions" && attributes.count(name) == 0) {
      return "";
    }
    // One number stands alone where it did.
    const bool is_list =
        name == "broadcast_dimensions" || attributes[name].has_list_value();
    const auto& numbers = change.at("to").list_value().values();
    if (!is_list && numbers.empty()) return "";
    attributes[name] = is_list ? change.at("to") : numbers[0];
  } else {
    return "";
  }
  std::string json;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(changed, &json).ok());
  return json;
}

// Whatever XLA refuses: what `query` says would work does.
TEST(QueryFixTest, WhatWouldWorkWorks) {
  int count = 0, suggested = 0, asked = 0;
  for (const char* file : {"xla_dev.jsonl", "xla_today_dev.jsonl"}) {
    for (const OracleCase& c : LoadOracleCases(file)) {
      if (count++ % SampleStep(8) != 0) continue;
      const std::string answer = AnswerIn(c, "");
      if (absl::StrContains(answer, "\"fix\"")) ++suggested;
      const std::string again = Changed(c.line, answer);
      if (again.empty()) continue;
      ++asked;
      EXPECT_THAT(AnswerLine(again), HasSubstr("\"shape\""))
          << answer << " for " << again;
    }
  }
  EXPECT_GT(suggested, 50 / SampleStep(8));
  EXPECT_GT(asked, 50 / SampleStep(8));
  RecordProperty("suggested", suggested);
}

TEST(QueryFixTest, SaysWhatWouldWork) {
  const struct {
    const char* question;
    const char* fix;
  } kCases[] = {
      {R"({"op":"add","operands":["f32[8,10]","f32[10]"]})",
       "\"fix\":\"Add(x0, x1, {1}) matches dim 0 of x1 with dim 1 of x0 (10 = "
       "10)\",\"change\":{\"attribute\":\"broadcast_dimensions\",\"to\":[1]}"},
      {R"({"op":"compare","operands":["f32[8,10]","f32[10]"],)"
       R"("attributes":{"direction":"LT"}})",
       "\"fix\":\"Lt(x0, x1, {1})"},
      {R"({"op":"add","operands":["f32[2]","s32[2]"]})",
       R"("fix":"ConvertElementType(x1, ElementType::kF32) as operand 1: f32[2]",)"
       R"("change":{"operand":1,"to":"f32[2]"})"},
      {R"({"op":"transpose","operands":["f32[4,5]"],)"
       R"("attributes":{"dimensions":[0,2]}})",
       R"("fix":"dimensions={0,1}","change":{"attribute":"dimensions",)"
       R"("to":[0,1]})"},
      {R"({"op":"pad","operands":["f32[3,4]","f32[]"],)"
       R"("attributes":{"padding":"1_1"}})",
       "\"fix\":\"padding={{1,1,0},{0,0,0}}\"}"},
      {R"({"op":"sqrt","operands":["s32[n]"]})",
       R"("change":{"operand":0,"to":"f32[n]"})"},
      // A type that holds all numbers of an unsigned one.
      {R"({"op":"sign","operands":["u32[3]"]})",
       R"("change":{"operand":0,"to":"s64[3]"})"},
      {R"({"op":"abs","operands":["u8[3]"]})",
       R"("change":{"operand":0,"to":"s32[3]"})"},
      {R"({"op":"sqrt","operands":["u8[3]"]})",
       R"("change":{"operand":0,"to":"f32[3]"})"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(AnswerLine(c.question), HasSubstr(c.fix)) << c.question;
  }
  // Nothing would, or nobody asked the operation itself.
  for (const char* question :
       {R"({"op":"add","operands":["f32[2]","f32[3]"]})",
        R"({"op":"cholesky","operands":["f32[4]"]})",
        R"({"rule":"numpy","op":"add","operands":["f32[2]","f32[3]"]})"}) {
    EXPECT_THAT(AnswerLine(question), Not(HasSubstr("\"fix\""))) << question;
  }
}

}  // namespace
}  // namespace indim
