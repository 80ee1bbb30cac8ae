// SPDX-License-Identifier: Apache-2.0
// How large derivatives are, what has none and says why, and that each
// operation has a rule.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/eval/evaluator.h"
#include "indim/grad/gradient.h"
#include "indim/grad/rules.h"
#include "indim/passes/check/verify_module.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/grad/bodies.h"
#include "indim/tests/grad/probe.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// What isn't needed isn't there: no copies of the module, no zeros.
TEST(GradientResultsTest, SmallResults) {
  const auto count = [](const std::string& body, bool forward) {
    const Module module = BodyModule(body);
    const absl::StatusOr<Module> made =
        forward ? Tangents(module, {0}) : Gradient(module, {0});
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? made->instruction_count() : 0;
  };
  // x, ct, cosine, multiply.
  EXPECT_EQ(count("x = f64[3] parameter(0);r = f64[3] sine(x)", false), 4);
  EXPECT_EQ(count("x = f64[3] parameter(0);r = f64[3] sine(x)", true), 4);
  // x, y, ct, multiply.
  EXPECT_EQ(count("x = f64[3] parameter(0);y = f64[3] parameter(1);"
                  "r = f64[3] multiply(x, y)",
                  false),
            4);
  // Both sines are one: x, ct, sine, cosine, multiply twice, add.
  EXPECT_EQ(count("x = f64[3] parameter(0);s = f64[3] sine(x);"
                  "t = f64[3] sine(x);r = f64[3] multiply(s, t)",
                  false),
            7);
}

// Nothing has tangents there, so there is nothing to refuse.
TEST(GradientResultsTest, WhatHasNoTangents) {
  for (const char* body : {
           "x = f64[3] parameter(0);c = s32[3] custom-call(x), "
           "custom_call_target=\"mine\";s = f64[3] sine(x);"
           "d = f64[3] convert(c);r = f64[3] add(s, d)",
           "x = f64[3] parameter(0);c = f64[3] custom-call(x), "
           "custom_call_target=\"mine\";d = s32[3] convert(c);"
           "e = f64[3] convert(d);r = f64[3] add(x, e)",
           "x = f64[3,2] parameter(0);z = f64[] parameter(1);"
           "r = f64[3,0] reduce-window(x, z), "
           "window={size=2x3 stride=2x1 pad=1_2x-1_-1}, to_apply=max",
           "x = f64[0] parameter(0);r = f64[0] sort(x), dimensions={0}, "
           "to_apply=lt",
       }) {
    EXPECT_TRUE(Gradient(BodyModule(body), {0}).ok()) << body;
    EXPECT_TRUE(Tangents(BodyModule(body), {0}).ok()) << body;
  }
}

struct RefusalRow {
  const char* body;
  const char* says;
  Code code;
};

TEST(GradientResultsTest, SaysWhyThereIsNone) {
  const RefusalRow rows[] = {
      {"x = s32[3] parameter(0);r = f64[3] convert(x)", "parameter 0 is s32[3]",
       Code::kNotDifferentiable},
      {"x = (s32[3]) parameter(0);y = f64[3] parameter(1);"
       "r = f64[3] sine(y)",
       "parameter 0 is (s32[3]), which has no derivative; parameters that can "
       "be differentiated: 1",
       Code::kNotDifferentiable},
      {"x = f64[4] parameter(0);z = f64[] constant(0);"
       "r = f64[] reduce(x, z), dimensions={0}, to_apply=minus",
       "isn't associative", Code::kNoDerivative},
      {"x = f64[3] parameter(0);r = s32[3] convert(x)", "the result is s32[3]",
       Code::kNotDifferentiable},
      {"x = f64[3] parameter(0);r = f64[3] custom-call(x), "
       "custom_call_target=\"mine\"",
       "target \"mine\"", Code::kNoDerivative},
      {"x = f64[3] parameter(0);i = s32[2,1] constant({{0},{0}});"
       "u = f64[2] constant({1,2});r = f64[3] scatter(x, i, u), "
       "update_window_dims={}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=logadd",
       "unique_indices=true", Code::kNoDerivative},
      {"x = f64[6] parameter(0);r = f64[2,4] bitcast(x)",
       "gives another number of elements", Code::kNoDerivative},
  };
  for (const RefusalRow& row : rows) {
    const absl::StatusOr<Module> made = Gradient(BodyModule(row.body), {0});
    ASSERT_FALSE(made.ok()) << row.body;
    EXPECT_THAT(std::string(made.status().message()), HasSubstr(row.says));
    EXPECT_EQ(CodeOf(made.status()), row.code);
  }
  const Module module =
      BodyModule("x = f64[3] parameter(0);r = f64[3] sine(x)");
  EXPECT_THAT(std::string(Gradient(module, {1}).status().message()),
              HasSubstr("there is no parameter 1"));
  EXPECT_THAT(std::string(Gradient(module, {0, 0}).status().message()),
              HasSubstr("listed twice"));
}

// Each array of a parameter that is a tuple has a gradient, integers none.
TEST(GradientResultsTest, ParametersThatAreTuples) {
  const Module module = Parsed(
      "HloModule m\nENTRY e { p = (f64[2], (s32[], f64[3])) parameter(0), "
      "sharding={{replicated}, {replicated}, {maximal device=0}}\n"
      "q = f64[] parameter(1)\n"
      "x = f64[2] get-tuple-element(p), index=0\n"
      "t = (s32[], f64[3]) get-tuple-element(p), index=1\n"
      "y = f64[3] get-tuple-element(t), index=1\n"
      "u = f64[2,3] dot(x, y), lhs_contracting_dims={}, "
      "rhs_contracting_dims={}\n"
      "v = f64[2,3] broadcast(q), dimensions={}\n"
      "ROOT r = f64[2,3] multiply(u, v) }\n");
  const auto literal = [](std::vector<double> values,
                          std::vector<int64_t> sizes) {
    return *Literal::FromDoubles(kF64, values, sizes);
  };
  const Literal p = Literal::Tuple(
      {literal({2, 3}, {2}),
       Literal::Tuple({*Literal::FromDoubles(ElementType::kS32, {7}, {}),
                       literal({1, 10, 100}, {3})})});
  const Literal q = literal({2}, {});
  const absl::StatusOr<Module> gradient = Gradient(module, {});
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  EXPECT_EQ(gradient->entry().root().shape().WithoutLayout().ToString(),
            "(f64[2], f64[3], f64[])");
  const absl::StatusOr<Literal> g =
      Evaluate(*gradient, {p, q, literal({1, 1, 1, 1, 1, 1}, {2, 3})});
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(Flat(*g), (std::vector<double>{222, 222, 10, 10, 10, 555}));
  const absl::StatusOr<Module> forward = Tangents(module, {0});
  ASSERT_TRUE(forward.ok()) << forward.status();
  const absl::StatusOr<Literal> t =
      Evaluate(*forward, {p, q, literal({1, 0}, {2}), literal({0, 0, 1}, {3})});
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(Flat(*t), (std::vector<double>{2, 20, 204, 0, 0, 6}));
}

// Where broadcasts become explicit, ranks are needed, also of the zeros that
// are the gradient by a parameter without use.
TEST(GradientResultsTest, AnUnrankedParameterIsNamed) {
  const Module module = Parsed(
      "HloModule m\nENTRY e { x = f32[*] parameter(0)  y = f64[3,<=5] "
      "parameter(1)  ROOT r = f64[3,<=5] log-plus-one(y) }\n");
  EXPECT_TRUE(Gradient(module, {1}).ok());
  for (const absl::Status& refused :
       {Gradient(module, {0, 1}).status(), Gradient(module, {}).status()}) {
    EXPECT_EQ(CodeOf(refused), Code::kNoDerivative);
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr("%x has no known rank"));
  }
}

// Where broadcasts become explicit, sizes have no lower bound.
TEST(GradientResultsTest, AnIntervalIsNamed) {
  ComputationBuilder b("interval");
  const Op x = b.Parameter(0, "f32[2..5,3]", "x");
  const BuildResult built = b.Build(b.Expm1(x));
  ASSERT_TRUE(built.ok()) << built.status();
  const absl::Status refused = Gradient(*built, {0}).status();
  EXPECT_EQ(CodeOf(refused), Code::kNoDerivative);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("%x has sizes that aren't numbers"));
}

// Rules that compute with dims need ranks.
TEST(GradientResultsTest, AnUnrankedOperandIsRefused) {
  for (const char* body :
       {"ROOT r = f32[*] dot(x, x), lhs_contracting_dims={1}, "
        "rhs_contracting_dims={0}",
        "z = f32[] constant(0)  ROOT r = f32[2] reduce(x, z), dimensions={1}, "
        "to_apply=sum"}) {
    const Module module = Parsed(absl::StrCat(
        "HloModule m\nsum { a = f32[] parameter(0)  b = f32[] parameter(1)  "
        "ROOT c = f32[] add(a, b) }\nENTRY e { x = f32[*] parameter(0)  ",
        body, " }\n"));
    for (const absl::Status& refused :
         {Gradient(module, {0}).status(), Tangents(module, {0}).status()}) {
      EXPECT_EQ(CodeOf(refused), Code::kNoDerivative);
      EXPECT_THAT(std::string(refused.message()), HasSubstr("no known rank"));
    }
  }
}

TEST(GradientResultsTest, WrongModules) {
  EXPECT_FALSE(Gradient(Module(), {}).ok());
  EXPECT_FALSE(Tangents(Module(), {0}).ok());
  EXPECT_FALSE(
      Gradient(Parsed("HloModule m\nENTRY e { x = f32[2] parameter(0)  "
                      "y = f32[3] parameter(1)  ROOT r = f32[2] "
                      "add(x, y) }\n"),
               {})
          .ok());
}

// Each operation whose operands all have the result's shape, of each type that
// inference takes: its derivatives are right modules, or there are none.
TEST(GradientRulesTest, ElementwiseOfEveryType) {
  int made = 0, refused = 0;
  for (const OpInfo& op : AllOps()) {
    for (const char* type :
         {"f8e4m3fn", "bf16", "f16", "f32", "f64", "c64", "c128"}) {
      for (int count = 1; count <= 3; ++count) {
        std::string text = "HloModule m\nENTRY e {\n";
        std::vector<std::string> names;
        for (int i = 0; i < count; ++i) {
          names.push_back(absl::StrCat("x", i));
          absl::StrAppend(&text, names.back(), " = ", type, "[2,3] parameter(",
                          i, ")\n");
        }
        absl::StrAppend(&text, "ROOT r = ", type, "[2,3] ", op.wire, "(",
                        absl::StrJoin(names, ", "), ")\n}\n");
        const absl::StatusOr<Module> module = ParseHloText(text);
        if (!module.ok() || !VerifyModule(*module).ok()) continue;
        for (const bool forward : {false, true}) {
          const absl::StatusOr<Module> derivative =
              forward ? Tangents(*module, {}) : Gradient(*module, {});
          if (derivative.ok()) {
            ++made;
            EXPECT_TRUE(VerifyModule(*derivative).ok()) << text;
            continue;
          }
          ++refused;
          const Code code = CodeOf(derivative.status());
          EXPECT_TRUE(code == Code::kNoDerivative ||
                      code == Code::kNotDifferentiable)
              << derivative.status().message() << "\n"
              << text;
        }
      }
    }
  }
  EXPECT_GT(made, 300);
  EXPECT_GT(refused, 0);
}

TEST(GradientRulesTest, EveryOperationHasARow) {
  std::set<Opcode> rows;
#define INDIM_GRADIENT(op, rule, transpose, traits, words) \
  EXPECT_TRUE(rows.insert(Opcode::k##op).second) << #op;
#include "indim/grad/rules.def"
  EXPECT_EQ(rows.size(), AllOps().size());
  for (const OpInfo& op : AllOps()) {
    EXPECT_TRUE(rows.count(op.opcode)) << op.wire;
    const internal::GradientRule& rule = internal::GradientRuleOf(op.opcode);
    if (rule.kind == internal::GradientKind::kLinear ||
        rule.kind == internal::GradientKind::kBilinear) {
      EXPECT_NE(rule.transpose, nullptr) << op.wire;
    }
    if (rule.kind == internal::GradientKind::kRefused) {
      EXPECT_FALSE(rule.why.empty()) << op.wire;
    }
  }
}

}  // namespace
}  // namespace indim
