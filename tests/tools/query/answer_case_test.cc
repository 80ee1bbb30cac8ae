// SPDX-License-Identifier: Apache-2.0
// Answers to cases that no JSON was read for.

#include "indim/tools/query/answer_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indim/tools/query/query.h"
#include "indim/tools/query/reply_json.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

TEST(AnswerCase, WithoutJson) {
  struct Row {
    const char* rule;
    const char* query;
    Opcode opcode;
    std::vector<const char*> operands;
    const char* result;  // "": none
    const char* json;    // of the reply, part of it
  };
  for (const Row& row :
       std::vector<Row>{{"xla",
                         "infer",
                         Opcode::kAdd,
                         {"f32[2,1]", "f32[2,3]"},
                         "",
                         "{\"id\":null,\"shape\":\"f32[2,3]\"}"},
                        {"xla",
                         "infer",
                         Opcode::kAdd,
                         {"f32[2,3]", "f32[3]"},
                         "",
                         "\"code\":\"IND0007\",\"fix\":\"Add(x0, x1, {1})"},
                        {"xla",
                         "verify",
                         Opcode::kNegate,
                         {"f32[2]"},
                         "f32[2]",
                         "{\"id\":null,\"ok\":true}"},
                        {"xla",
                         "verify",
                         Opcode::kNegate,
                         {"f32[2]"},
                         "f32[3]",
                         "{\"id\":null,\"ok\":false,\"error\":"},
                        {"xla",
                         "verify",
                         Opcode::kNegate,
                         {"f32[2]"},
                         "",
                         "a verify question needs a result"},
                        {"xla",
                         "rank",
                         Opcode::kNegate,
                         {"f32[2]"},
                         "",
                         "\"components\":[{\"rank\":1}]"},
                        {"numpy",
                         "infer",
                         Opcode::kAdd,
                         {"f32[2,1]", "f32[3]"},
                         "",
                         "\"shape\":\"f32[2,3]\""},
                        {"nmpy",
                         "infer",
                         Opcode::kAdd,
                         {},
                         "",
                         "rule 'nmpy': did you mean numpy? expected xla, "},
                        {"xla",
                         "infr",
                         Opcode::kAdd,
                         {},
                         "",
                         "query 'infr': did you mean infer?"}}) {
    Case c;
    c.rule = row.rule;
    c.query = row.query;
    c.opcode = row.opcode;
    c.op = std::string(Info(row.opcode).wire);
    for (const char* operand : row.operands) {
      c.operands.push_back(*ParseShape(operand));
    }
    if (*row.result != '\0') c.result = *ParseShape(row.result);
    EXPECT_THAT(ReplyJson(c, AnswerCase(c)), HasSubstr(row.json))
        << row.rule << " " << row.query;
  }
}

// A line is read, answered and written, and nothing more.
TEST(AnswerCase, IsWhatALineGets) {
  Case c;
  c.id = "a";
  c.op = "add";
  c.opcode = Opcode::kAdd;
  c.operands = {*ParseShape("f32[2,3]"), *ParseShape("f32[3]")};
  EXPECT_EQ(
      ReplyJson(c, AnswerCase(c)),
      AnswerLine(R"({"id":"a","op":"add","operands":["f32[2,3]","f32[3]"]})"));
}

}  // namespace
}  // namespace indim
