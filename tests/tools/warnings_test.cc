// SPDX-License-Identifier: Apache-2.0
// Warnings against the judges: XLA's answer stands, and a line gets a warning
// exactly when StableHLO's verifier says that it makes no sense.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/infer/infer.h"
#include "indim/tests/oracle_cases.h"
#include "indim/tools/query/case_reader.h"
#include "indim/tools/query/infer_case.h"
#include "indim/tools/query/query.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// The slugs of what a line is warned of.
std::string WarningsOf(const OracleCase& line) {
  Case c;
  if (!ReadCase(line.line, &c).ok()) return "";
  InferContext context;
  InferCase(&context, c);
  std::string slugs;
  for (const Diagnostic& d : context.diagnostics()) {
    if (d.severity() == Severity::kWarning) {
      slugs += std::string(Info(d.code).slug) + " ";
    }
  }
  return slugs;
}

// What StableHLO says about the valid lines that it refuses, by id.
std::map<std::string, OracleCase> SecondOpinions() {
  std::map<std::string, OracleCase> lines;
  for (const OracleCase& c : LoadOracleCases("xla_dev_second.jsonl")) {
    lines.emplace(c.id, c);
  }
  return lines;
}

TEST(WarningsTest, WhatStableHloRefusesGetsOne) {
  int lenient = 0;
  for (const auto& line : SecondOpinions()) {
    if (line.second.Text("kind") != "lenient") continue;
    ++lenient;
    if (IsKnownDisagreement(line.first)) continue;
    EXPECT_NE(WarningsOf(line.second), "")
        << line.first << " " << line.second.line.ShortDebugString();
  }
  EXPECT_EQ(lenient, 161);
}

TEST(WarningsTest, WhatStableHloAcceptsGetsNone) {
  const auto second = SecondOpinions();
  int valid = 0;
  int plain = 0;
  int warned_of_the_others = 0;
  for (const OracleCase& c : LoadOracleCases("xla_dev.jsonl")) {
    if (!c.Answer("expect")->shape) continue;
    ++valid;
    const std::string warnings = WarningsOf(c);
    const auto found = second.find(c.id);
    if (found == second.end()) {
      ++plain;
      EXPECT_EQ(warnings, "") << c.id << " " << c.line.ShortDebugString();
    } else if (found->second.Text("kind") != "lenient" && !warnings.empty()) {
      ++warned_of_the_others;
    }
  }
  EXPECT_EQ(valid, 5579);
  EXPECT_EQ(plain, 5243);
  // Lines that have no spelling in StableHLO (bounded dims) or that crash its
  // import, so that it has no opinion, and make no sense besides: shifts of
  // floats, an iota along a dim that isn't there, collectives.
  EXPECT_EQ(warned_of_the_others, 10);
}

TEST(WarningsTest, AreInTheAnswerBesideTheShape) {
  const std::string answer = AnswerLine(
      R"({"id":"a","op":"shift-left","operands":["f32[2]","f32[2]"]})");
  EXPECT_THAT(answer, HasSubstr(R"("shape":"f32[2]")"));
  EXPECT_THAT(answer, HasSubstr(R"("warnings":[{"code":"IND0900")"));
}

}  // namespace
}  // namespace indim
