// SPDX-License-Identifier: Apache-2.0
// Every answer of XLA about an operation that Indim infers: the same shape, or
// refused as XLA refuses it. The cases are questions put to XLA itself, see
// tests/data/oracle/README.md.

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape.h"
#include "indim/tests/oracle_cases.h"
#include "indim/tests/sample.h"
#include "indim/tools/query/case_reader.h"
#include "indim/tools/query/infer_case.h"

namespace indim {
namespace {

// What Indim answers.
struct OracleReply {
  std::optional<Shape> shape;  // nullopt: refused
  std::string why;
};

OracleReply ReplyTo(const OracleCase& oracle) {
  OracleReply answer;
  Case c;
  const absl::Status read = ReadCase(oracle.line, &c);
  if (!read.ok()) {
    answer.why = std::string(read.message());
    return answer;
  }
  InferContext context;
  answer.shape = InferCase(&context, c);
  EXPECT_EQ(answer.shape.has_value(), !context.has_error()) << oracle.id;
  for (const Diagnostic& diagnostic : context.diagnostics()) {
    absl::StrAppend(&answer.why, CodeText(diagnostic.code), " ",
                    Info(diagnostic.code).slug, " ");
  }
  return answer;
}

bool Agrees(const OracleAnswer& expected, const OracleReply& answer) {
  if (expected.refused()) return !answer.shape;
  if (!answer.shape) return false;
  const absl::StatusOr<Shape> shape = ParseShape(*expected.shape);
  return shape.ok() && SameStructure(*shape, *answer.shape);
}

void CompareWithXla(const std::string& file, int lines) {
  int asked = 0;
  int wrong = 0;
  const int step = SampleStep(4);
  for (const OracleCase& oracle : LoadOracleCases(file)) {
    if (asked++ % step != 0) continue;
    const OracleReply answer = ReplyTo(oracle);
    const std::optional<OracleAnswer> expected = oracle.Answer("expect");
    ASSERT_TRUE(expected) << oracle.id;
    if (Agrees(*expected, answer) || IsKnownDisagreement(oracle.id)) continue;
    constexpr int kShown = 20;
    if (++wrong > kShown) continue;
    ADD_FAILURE() << oracle.id << " " << oracle.op << "\n  "
                  << oracle.line.ShortDebugString() << "\n  Indim: "
                  << (answer.shape ? answer.shape->ToString() : "refused")
                  << "  " << answer.why;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(asked, lines);
}

TEST(XlaOracleTest, BuilderOf2024) { CompareWithXla("xla_dev.jsonl", 8967); }

TEST(XlaOracleTest, ParserOf2026) {
  CompareWithXla("xla_today_dev.jsonl", 2772);
}

// Questions on which XLA itself aborts; tests/tools/query/query_test.cc says
// the code of each.
TEST(XlaOracleTest, WhatCrashesXla) {
  int asked = 0;
  for (const OracleCase& oracle : LoadOracleCases("xla_crashes.jsonl")) {
    ReplyTo(oracle);
    ++asked;
  }
  EXPECT_EQ(asked, 99);
}

}  // namespace
}  // namespace indim
