// SPDX-License-Identifier: Apache-2.0
// The verdicts of StableHLO's own tests, and what programs evaluate to.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/stablehlo/import/cases.h"

namespace indim {
namespace {

std::string Data(const std::string& name) {
  return absl::StrCat("tests/data/stablehlo/", name);
}

// What is right in StableHLO and has no form in HLO, by a part of what we say
// of it (docs/stablehlo.md).
constexpr const char* kNoForm[] = {
    "depends on data",
    "no function with a body",
    "uses a value from outside that isn't a constant",
    "must return 1 scalar",
    "which no sdy.mesh of the module defines",
    "hlo_test_broadcast",
    // Bounds that differ, and groups that the result doesn't fit.
    "they must be equal",
    "must have the same dims",
    "all-gather is recorded as",
};

bool HasNoForm(const std::string& text, const std::string& message) {
  if (absl::StrContains(text, "!quant.")) return true;
  for (const char* part : kNoForm) {
    if (absl::StrContains(message, part)) return true;
  }
  return false;
}

TEST(VerdictsTest, AreThoseOfStablehlo) {
  int wrong_accepted = 0, right_refused = 0, cases = 0;
  for (const ShloCase& c : ReadShloCases(Data("verify.jsonl"))) {
    ++cases;
    const absl::Status status = VerifyShlo(c.text);
    if (c.expect == "reject") {
      EXPECT_FALSE(status.ok()) << c.id << "\n" << c.text;
      if (status.ok()) ++wrong_accepted;
      continue;
    }
    if (status.ok()) continue;
    ++right_refused;
    EXPECT_TRUE(HasNoForm(c.text, std::string(status.message())))
        << c.id << "\n"
        << status.message() << "\n"
        << c.text;
  }
  EXPECT_EQ(cases, 653);
  EXPECT_EQ(wrong_accepted, 0);
  EXPECT_EQ(right_refused, 59);
}

// Where StableHLO says more than HLO: bits of i1, complex cbrt and order.
const std::map<std::string, std::string>& NotAsStablehlo() {
  static const auto* const map = new std::map<std::string, std::string>{
      {"bitcast_convert_0", "pred[64] can become s64"},
      {"bitcast_convert_2", "IND0851"},
      {"cbrt_1", "must be floating-point"},
      {"check_4", "check.expect_almost_eq"},
      {"maximum_15", "1.5 for 2.5"},
      {"maximum_16", "1.5 for 2.5"},
      {"minimum_15", "7.5 for 2.5"},
      {"triangular_solve_19", "expected a value of type"}};
  return *map;
}

void ExpectValues(const std::string& file, int at_least) {
  int cases = 0;
  for (const ShloCase& c : ReadShloCases(Data(file))) {
    ++cases;
    const absl::Status status = EvaluateShlo(c);
    const auto known = NotAsStablehlo().find(c.id);
    if (known == NotAsStablehlo().end()) {
      EXPECT_TRUE(status.ok()) << c.id << ": " << status.message();
    } else {
      EXPECT_THAT(ErrorText(status), testing::HasSubstr(known->second)) << c.id;
    }
  }
  EXPECT_GE(cases, at_least);
}

TEST(ValuesTest, AreThoseOfTheInterpreter) {
  ExpectValues("interpret.jsonl", 231);
}

TEST(ValuesTest, AreThoseOfJax) { ExpectValues("jax.jsonl", 150); }

}  // namespace
}  // namespace indim
