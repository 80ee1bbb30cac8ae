// SPDX-License-Identifier: Apache-2.0
// Every recorded answer about broadcasting: XLA's builder, NumPy, OpenVINO's
// document, MLIR's trait, and the examples of the four documents.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/broadcast/broadcastable.h"
#include "indim/tests/oracle_cases.h"
#include "indim/tests/shape/broadcast/broadcast_testing.h"

namespace indim {
namespace {

bool IsBinary(absl::string_view op) {
  static const auto* const kOps = new absl::flat_hash_set<absl::string_view>{
      "add",       "subtract",
      "multiply",  "divide",
      "remainder", "power",
      "maximum",   "minimum",
      "atan2",     "shift-left",
      "and",       "shift-right-arithmetic",
      "or",        "shift-right-logical",
      "xor",       "complex",
      "compare",   "mulhi"};
  return kOps->contains(op);
}

std::string DimsText(absl::Span<const Dim> dims) {
  return absl::StrJoin(
      dims, ",", [](std::string* out, Dim d) { out->append(d.ToString()); });
}

// The answer in the form of the files' shapes, without the element type.
std::string AnswerText(bool ok, const BroadcastPlan& plan) {
  if (!ok) return "error";
  return plan.unranked ? "[*]" : absl::StrCat("[", DimsText(plan.dims), "]");
}

std::string AnswerText(const OracleAnswer& answer) {
  if (answer.ok) return *answer.ok ? "ok" : "error";
  if (!answer.shape) return "error";
  return answer.shape->substr(answer.shape->find('['));
}

std::string Line(const OracleCase& c) {
  return absl::StrCat(c.id, " ", c.rule, " ", absl::StrJoin(c.operands, " "));
}

std::optional<DimIndices> Indices(
    const std::optional<std::vector<int64_t>>& list) {
  if (!list) return std::nullopt;
  return DimIndices(list->begin(), list->end());
}

std::string PlanText(const OracleCase& c, const BroadcastSpec& spec) {
  const Operands operands(c.operands);
  BroadcastPlan plan;
  std::vector<Diagnostic> diagnostics;
  const bool ok = PlanBroadcast(spec, operands.pointers, &plan, &diagnostics);
  // An error says so; success has warnings at most.
  EXPECT_EQ(ok, diagnostics.empty() ||
                    diagnostics[0].severity() == Severity::kWarning)
      << Line(c);
  return AnswerText(ok, plan);
}

std::string PlanToText(const OracleCase& c) {
  const Operands operands(c.operands);
  const std::vector<int64_t> sizes = c.Ints("target_shape").value();
  DimVector target;
  for (const int64_t size : sizes) {
    target.push_back(size < 0 ? Dim::Unknown() : Dim::Static(size));
  }
  const BroadcastRule rule = c.rule == "explicit"
                                 ? BroadcastRule::kNone
                                 : BroadcastRuleFromName(c.rule).value();
  BroadcastPlan plan;
  std::vector<Diagnostic> diagnostics;
  const bool ok = PlanBroadcastTo(
      rule, operands.shapes[0], target, Indices(c.Ints("axes_mapping")),
      c.Int("axis").value_or(-1), &plan, &diagnostics);
  EXPECT_EQ(ok, diagnostics.empty()) << Line(c);
  return AnswerText(ok, plan);
}

std::string RuleText(const OracleCase& c) {
  if (c.query == "broadcast") return PlanToText(c);
  BroadcastSpec spec;
  spec.rule = BroadcastRuleFromName(c.rule).value();
  spec.axis = c.Int("axis").value_or(-1);
  spec.dimensions = Indices(c.IntsAttribute("broadcast_dimensions"));
  return PlanText(c, spec);
}

std::string BroadcastableText(const OracleCase& c, BroadcastableMode mode) {
  const Operands operands(c.operands);
  std::vector<Diagnostic> diagnostics;
  bool ok = false;
  std::string text;
  if (c.query == "verify") {
    ok =
        VerifyBroadcastable(mode, operands.pointers,
                            ParseShape(c.result.value()).value(), &diagnostics);
    text = ok ? "ok" : "error";
  } else {
    const std::optional<Shape> shape =
        InferBroadcastable(mode, operands.pointers, &diagnostics);
    ok = shape.has_value();
    text = !ok ? "error"
           : shape->is_unranked()
               ? "[*]"
               : absl::StrCat("[", DimsText(shape->dims()), "]");
  }
  EXPECT_EQ(ok, diagnostics.empty()) << Line(c);
  return text;
}

void CheckXla(absl::string_view file, int expected_cases) {
  int cases = 0;
  for (const OracleCase& c : LoadOracleCases(file)) {
    if (!IsBinary(c.op)) continue;
    ++cases;
    // Refused for its element types: says nothing about dims.
    if (c.Text("cause") == "types") continue;
    EXPECT_EQ(RuleText(c), AnswerText(*c.Answer("expect")))
        << Line(c) << " {"
        << absl::StrJoin(c.IntsAttribute("broadcast_dimensions")
                             .value_or(std::vector<int64_t>()),
                         ",")
        << "}";
  }
  EXPECT_EQ(cases, expected_cases);
}

TEST(BroadcastOracleTest, XlaBuilder) { CheckXla("xla_dev.jsonl", 3016); }

TEST(BroadcastOracleTest, XlaToday) { CheckXla("xla_today_dev.jsonl", 353); }

TEST(BroadcastOracleTest, NumPy) {
  int cases = 0;
  for (const OracleCase& c : LoadOracleCases("numpy_dev.jsonl")) {
    ++cases;
    EXPECT_EQ(RuleText(c), AnswerText(*c.Answer("expect"))) << Line(c);
  }
  EXPECT_EQ(cases, 500);
}

// The document's answer. Where OpenVINO itself answers otherwise, the document
// wins: docs/openvino.md counts these lines.
TEST(BroadcastOracleTest, OpenVino) {
  int differs[3] = {};
  for (const OracleCase& c : LoadOracleCases("openvino_dev.jsonl")) {
    if (c.query == "binary" &&
        c.operands[0].substr(0, c.operands[0].find('[')) !=
            c.operands[1].substr(0, c.operands[1].find('['))) {
      continue;  // refused for its element types
    }
    const std::string hull = AnswerText(*c.Answer("hull"));
    EXPECT_EQ(RuleText(c), hull) << Line(c);
    if (hull == AnswerText(*c.Answer("expect"))) continue;
    ++differs[c.rule == "pdpd" ? 0 : c.rule == "explicit" ? 1 : 2];
    EXPECT_TRUE(c.rule != "numpy" || c.query == "broadcast") << Line(c);
    EXPECT_NE(c.rule, "none");
    EXPECT_NE(c.rule, "bidirectional");
  }
  EXPECT_EQ(differs[0], 69);
  EXPECT_EQ(differs[1], 4);
  EXPECT_EQ(differs[2], 23);
}

TEST(BroadcastOracleTest, Mlir) {
  for (const OracleCase& c : LoadOracleCases("mlir_dev.jsonl")) {
    EXPECT_EQ(BroadcastableText(c, BroadcastableMode::kMlir),
              AnswerText(*c.Answer("expect")))
        << Line(c) << " mlir";
    EXPECT_EQ(BroadcastableText(c, BroadcastableMode::kStrict),
              AnswerText(*c.Answer("formal")))
        << Line(c) << " strict";
    // Inference has one answer in the document; verification has two.
    EXPECT_EQ(BroadcastableText(c, BroadcastableMode::kLenient),
              AnswerText(*c.Answer(c.query == "verify" ? "table" : "formal")))
        << Line(c) << " lenient";
  }
}

TEST(BroadcastOracleTest, Documents) {
  int cases = 0;
  for (const OracleCase& c : LoadOracleCases("spec_cases.jsonl")) {
    if (c.Has("symbolic")) continue;
    if (c.rule == "broadcastable") {
      ++cases;
      const struct {
        BroadcastableMode mode;
        absl::string_view field;
      } kAnswers[] = {{BroadcastableMode::kLenient, "table"},
                      {BroadcastableMode::kStrict, "formal"},
                      {BroadcastableMode::kMlir, "mlir19"}};
      for (const auto& [mode, field] : kAnswers) {
        const std::optional<OracleAnswer> answer = c.Answer(field);
        if (!answer) continue;
        EXPECT_EQ(BroadcastableText(c, mode), AnswerText(*answer))
            << Line(c) << " " << field;
      }
      if (!c.Has("table")) {
        EXPECT_EQ(BroadcastableText(c, BroadcastableMode::kLenient),
                  AnswerText(*c.Answer("expect")))
            << Line(c);
      }
    } else if (BroadcastRuleFromName(c.rule) &&
               (c.op.empty() || IsBinary(c.op))) {
      ++cases;
      EXPECT_EQ(RuleText(c), AnswerText(*c.Answer("expect"))) << Line(c);
    }
  }
  EXPECT_GT(cases, 80);
}

}  // namespace
}  // namespace indim
