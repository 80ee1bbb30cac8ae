// SPDX-License-Identifier: Apache-2.0
// Conditions: what they read as, and that simplifying one changes nothing about
// when it holds.

#include "indim/shape/broadcast/condition.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>

#include "indim/shape/dims/dim_expr.h"
#include "indim/tests/parsed_shape.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

using Kind = Condition::Kind;

Dim DimOf(const char* text, const SymbolScope& scope = {}) {
  const absl::StatusOr<DimExpr> expr = ParseDimExpr(text, &scope);
  EXPECT_TRUE(expr.ok()) << text;
  return expr->ToDim().value_or(Dim::Unknown());
}

TEST(ConditionTest, Texts) {
  const Dim n = DimOf("n"), m = DimOf("m+1"), seven = Dim::Static(7);
  const DimRef x = {0, 1}, y = {1, 0}, result = {-1, 3};
  const struct {
    Condition condition;
    const char* text;
  } kCases[] = {
      {{Kind::kEqual, x, y}, "operand 0 dim 1 equals operand 1 dim 0"},
      {{Kind::kEqual, x, seven}, "operand 0 dim 1 is 7"},
      {{Kind::kEqual, m, n}, "m+1 == n"},
      {{Kind::kOneOrEqual, x, result},
       "operand 0 dim 1 is 1 or equals result dim 3"},
      {{Kind::kOneOrEqual, x, seven}, "operand 0 dim 1 is 1 or 7"},
      {{Kind::kOneOrEqual, n, m}, "n == 1 or n == m+1"},
      {{Kind::kEitherOneOrEqual, x, y},
       "operand 0 dim 1 equals operand 1 dim 0, or one of them is 1"},
      {{Kind::kEitherOneOrEqual, n, m}, "n == 1 or m+1 == 1 or n == m+1"},
      {{Kind::kAtMost, seven, x}, "operand 0 dim 1 is at least 7"},
      {{Kind::kAtMost, seven, n}, "7 <= n"},
      {{Kind::kDivisible, x, seven}, "operand 0 dim 1 is a multiple of 7"},
      {{Kind::kDivisible, m, seven}, "(m+1) % 7 == 0"},
  };
  for (const auto& c : kCases) EXPECT_EQ(ToString(c.condition), c.text);
}

TEST(ConditionTest, SizesInPlaceOfPlaces) {
  const Shape x = S("f32[n,?]"), y = S("f32[4,m]"), result = S("f32[k]");
  const Shape* const operands[] = {&x, &y};
  const struct {
    ConditionSize a, b;
    const Shape* result;
    const char* text;  // "": none
  } kCases[] = {
      {DimRef{0, 0}, DimRef{1, 1}, nullptr, "n == m"},
      {DimRef{1, 0}, DimOf("n"), nullptr, "4 == n"},
      {DimRef{0, 0}, DimRef{-1, 0}, &result, "n == k"},
      {DimRef{0, 0}, DimRef{-1, 0}, nullptr, ""},
      {DimRef{0, 0}, DimRef{0, 1}, nullptr, ""},
      {DimRef{0, 0}, DimRef{0, 2}, nullptr, ""},
      {DimRef{0, 0}, DimRef{2, 0}, nullptr, ""},
  };
  for (const auto& c : kCases) {
    const std::optional<Condition> sizes =
        WithSizes({Kind::kEqual, c.a, c.b}, operands, c.result);
    EXPECT_EQ(sizes ? ToString(*sizes) : "", c.text);
  }
}

TEST(SimplifyTest, Table) {
  const struct {
    Kind kind;
    const char *a, *b, *facts;
    const char* simple;  // "": it can't hold
  } kCases[] = {
      {Kind::kEqual, "4*n", "32", "", "n == 8"},
      {Kind::kEqual, "n+m", "2*m", "", "m == n"},
      {Kind::kEqual, "2*n", "7", "", ""},
      {Kind::kEqual, "n", "3*floordiv(n,3)", "", "n % 3 == 0"},
      {Kind::kEqual, "4*floordiv(n,2)", "2*n", "", "n % 2 == 0"},
      {Kind::kEqual, "n+1", "2*ceildiv(n,2)", "", "(n+1) % 2 == 0"},
      {Kind::kEqual, "n", "2*floordiv(n,2)+1", "", "(n+1) % 2 == 0"},
      {Kind::kEqual, "n", "3*floordiv(n,3)+1", "", "(n+2) % 3 == 0"},
      {Kind::kEqual, "3*floordiv(n,3)+2", "n", "", "(n+1) % 3 == 0"},
      {Kind::kEqual, "n", "3*floordiv(n,3)+3", "", ""},
      {Kind::kAtMost, "8", "2*n", "", "4 <= n"},
      {Kind::kAtMost, "n+3", "m+1", "", "n+2 <= m"},
      // Of a choice, what can't be is left out.
      {Kind::kOneOrEqual, "n", "m", "", "n == 1 or n == m"},
      {Kind::kOneOrEqual, "n", "m", "n >= 2", "m == n"},
      {Kind::kOneOrEqual, "n", "n+1", "", "n == 1"},
      {Kind::kOneOrEqual, "n+2", "n+3", "", ""},
      {Kind::kEitherOneOrEqual, "n", "m", "", "m == 1 or n == 1 or m == n"},
      {Kind::kEitherOneOrEqual, "m", "n", "", "m == 1 or n == 1 or m == n"},
      {Kind::kEitherOneOrEqual, "2*m", "m", "", "m == 1 or m == 0"},
      {Kind::kEitherOneOrEqual, "2*m", "m", "m >= 2", ""},
      {Kind::kEitherOneOrEqual, "2*n", "m", "", "m == 1 or m == 2*n"},
      {Kind::kEitherOneOrEqual, "n", "m", "n >= 2, m >= 2", "m == n"},
      {Kind::kDivisible, "n", "4", "", "n % 4 == 0"},
      {Kind::kDivisible, "6*n", "4", "", "n % 2 == 0"},
      {Kind::kDivisible, "5*n+5*m", "4", "", "(m+n) % 4 == 0"},
      {Kind::kDivisible, "max(n,m-1)", "4", "", "max(m-1,n) % 4 == 0"},
  };
  for (const auto& c : kCases) {
    SymbolScope scope;
    ASSERT_TRUE(scope.State(c.facts).ok()) << c.facts;
    const std::optional<Condition> simple =
        Simplify({c.kind, DimOf(c.a, scope), DimOf(c.b, scope)});
    EXPECT_EQ(simple ? ToString(*simple) : "", c.simple)
        << c.a << ", " << c.b << ", " << c.facts;
  }
}

TEST(SimplifyTest, HoldsForTheSameSizes) {
  static const char* const kDims[] = {
      "0",   "1",   "2",   "4",     "6",           "n",        "m",
      "2*n", "n+1", "n+m", "3*m+2", "max(n,m)",    "min(n,m)", "n*m",
      "n+3", "2*m", "m+1", "4*n+8", "ceildiv(n,2)"};
  std::mt19937 random(7);
  int simplified = 0;
  for (int trial = 0; trial < 2000 / SampleStep(4); ++trial) {
    const auto pick = [&] {
      return DimOf(kDims[random() % (sizeof(kDims) / sizeof(kDims[0]))]);
    };
    Condition whole = {static_cast<Kind>(random() % 5), pick(), pick()};
    if (whole.kind == Kind::kDivisible) {
      whole.b = Dim::Static(1 + static_cast<int64_t>(random() % 4));
    }
    const std::optional<Condition> simple = Simplify(whole);
    simplified += !simple || ToString(*simple) != ToString(whole) ? 1 : 0;
    for (int64_t n = 0; n < 6; ++n) {
      for (int64_t m = 0; m < 6; ++m) {
        SymbolScope values;
        ASSERT_TRUE(values.Bind("n", n).ok() && values.Bind("m", m).ok());
        const auto holds = [&](const Condition& c) {
          const Answer answer = Decide(
              {c.kind, *values.Apply(c.a.size()), *values.Apply(c.b.size())});
          EXPECT_NE(answer, Answer::kDepends);
          return answer == Answer::kProven;
        };
        EXPECT_EQ(simple && holds(*simple), holds(whole))
            << ToString(whole) << " as "
            << (simple ? ToString(*simple) : "none") << " at " << n << ", "
            << m;
      }
    }
  }
  EXPECT_GT(simplified, 500 / SampleStep(4));
}

}  // namespace
}  // namespace indim
