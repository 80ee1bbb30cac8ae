// SPDX-License-Identifier: Apache-2.0
// Size arithmetic: exact on small numbers, never wrong on large ones, and sound
// on Dims: what two possible sizes give is always among the result's.

#include "indim/shape/dims/dim_math.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "indim/tests/shape/dims/int64_ends.h"

namespace indim {
namespace {

using ::testing::Eq;
using ::testing::Optional;

Dim D(absl::string_view text) { return *Dim::Parse(text); }

// Dims of every kind, all within 0..kLargest where they end.
constexpr int64_t kLargest = 7;
std::vector<Dim> SomeDims() {
  std::vector<Dim> dims;
  for (const char* text :
       {"0", "1", "2", "3", "6", "<=0", "<=1", "<=3", "<=6", "?", "1..2",
        "1..6", "2..3", "3..5", "1..", "2..", "5.."}) {
    dims.push_back(D(text));
  }
  return dims;
}

std::string Text(std::optional<Dim> dim) {
  return dim ? dim->ToString() : "none";
}

TEST(CheckedTest, EdgesOfInt64) {
  EXPECT_THAT(CheckedAdd(kInt64Max - 1, 1), Optional(kInt64Max));
  EXPECT_THAT(CheckedAdd(kInt64Max, 1), Eq(std::nullopt));
  EXPECT_THAT(CheckedAdd(kInt64Min, -1), Eq(std::nullopt));
  EXPECT_THAT(CheckedSubtract(0, kInt64Min), Eq(std::nullopt));
  EXPECT_THAT(CheckedSubtract(-1, kInt64Min), Optional(kInt64Max));
  EXPECT_THAT(CheckedMultiply(kInt64Max, 2), Eq(std::nullopt));
  EXPECT_THAT(CheckedMultiply(int64_t{1} << 31, int64_t{1} << 31),
              Optional(int64_t{1} << 62));
  EXPECT_THAT(CheckedMultiply(kInt64Min, -1), Eq(std::nullopt));
  EXPECT_THAT(CheckedCeilDivide(kInt64Max, 1), Optional(kInt64Max));
  EXPECT_THAT(CheckedCeilDivide(kInt64Max, 2), Optional(int64_t{1} << 62));
  EXPECT_THAT(CheckedCeilDivide(kInt64Min, -1), Eq(std::nullopt));
  EXPECT_THAT(CheckedExactDivide(kInt64Min, -1), Eq(std::nullopt));
}

TEST(CheckedTest, Divisions) {
  for (int64_t a = 0; a < 30; ++a) {
    for (int64_t b = 1; b < 30; ++b) {
      EXPECT_THAT(CheckedCeilDivide(a, b), Optional((a + b - 1) / b));
      if (a % b == 0) {
        EXPECT_THAT(CheckedExactDivide(a, b), Optional(a / b));
      } else {
        EXPECT_THAT(CheckedExactDivide(a, b), Eq(std::nullopt));
      }
    }
    for (int64_t b : {int64_t{0}, int64_t{-1}, kInt64Min}) {
      EXPECT_THAT(CheckedCeilDivide(a, b), Eq(std::nullopt));
      EXPECT_THAT(CheckedExactDivide(a, b), Eq(std::nullopt));
    }
  }
  EXPECT_THAT(CheckedCeilDivide(-1, 2), Eq(std::nullopt));
  EXPECT_THAT(CheckedExactDivide(-2, 2), Eq(std::nullopt));
}

TEST(CheckedTest, ProductCountsZeroBeforeOverflow) {
  EXPECT_THAT(CheckedProduct({}), Optional(1));
  EXPECT_THAT(CheckedProduct({2, 3, 4}), Optional(24));
  EXPECT_THAT(CheckedProduct({kInt64Max, kInt64Max, 0}), Optional(0));
  EXPECT_THAT(CheckedProduct({0, kInt64Max, kInt64Max}), Optional(0));
  EXPECT_THAT(CheckedProduct({kInt64Max, 1, 1}), Optional(kInt64Max));
  EXPECT_THAT(CheckedProduct({kInt64Max, 2}), Eq(std::nullopt));
  EXPECT_THAT(CheckedProduct({0, -1}), Eq(std::nullopt));
  EXPECT_THAT(CheckedProduct({int64_t{1} << 32, int64_t{1} << 32, 3}),
              Eq(std::nullopt));
}

// --- Dims --------------------------------------------------------------------

struct Sum {
  const char* a;
  const char* b;
  const char* sum;
  const char* product;
  const char* max;
};

TEST(DimMathTest, Table) {
  const Sum cases[] = {
      {"2", "3", "5", "6", "3"},
      {"0", "3", "3", "0", "3"},
      {"2", "<=3", "<=5", "<=6", "<=3"},
      {"<=2", "<=3", "<=5", "<=6", "<=3"},
      {"0", "<=3", "<=3", "<=0", "<=3"},
      {"2", "?", "?", "?", "?"},
      {"<=2", "?", "?", "?", "?"},
      {"?", "?", "?", "?", "?"},
      {"3", "2..5", "5..8", "6..15", "3..5"},
      {"2..", "2..5", "4..", "4..", "2.."},
      {"?", "2..5", "2..", "?", "2.."},
      {"0", "2..", "2..", "0", "2.."},
  };
  for (const Sum& c : cases) {
    for (bool swap : {false, true}) {
      const Dim a = D(swap ? c.b : c.a);
      const Dim b = D(swap ? c.a : c.b);
      SCOPED_TRACE(a.ToString() + " with " + b.ToString());
      EXPECT_EQ(Text(AddDims(a, b)), c.sum);
      EXPECT_EQ(Text(MultiplyDims(a, b)), c.product);
      EXPECT_EQ(MaxDims(a, b).ToString(), c.max);
    }
  }
}

TEST(DimMathTest, EveryPairOfSizesIsInTheResult) {
  for (Dim a : SomeDims()) {
    for (Dim b : SomeDims()) {
      SCOPED_TRACE(a.ToString() + " with " + b.ToString());
      for (int64_t x = 0; x <= kLargest; ++x) {
        for (int64_t y = 0; y <= kLargest; ++y) {
          if (!a.Contains(x) || !b.Contains(y)) continue;
          EXPECT_TRUE(AddDims(a, b)->Contains(x + y));
          EXPECT_TRUE(MultiplyDims(a, b)->Contains(x * y));
          EXPECT_TRUE(MaxDims(a, b).Contains(std::max(x, y)));
        }
      }
    }
  }
}

TEST(DimMathTest, OverflowIsNoDim) {
  const Dim largest = Dim::Static(kInt64Max - 1);
  EXPECT_EQ(Text(AddDims(largest, D("1"))), "none");
  EXPECT_EQ(Text(AddDims(largest, D("0"))), largest.ToString());
  EXPECT_EQ(Text(MultiplyDims(largest, D("2"))), "none");
  EXPECT_EQ(Text(MultiplyDims(largest, D("0"))), "0");
  const Dim bound = Dim::Bounded(Dim::kMaxBound);
  EXPECT_EQ(Text(AddDims(bound, D("1"))), "none");
  EXPECT_EQ(Text(MultiplyDims(bound, bound)), "none");
  // Ends of intervals widen instead.
  EXPECT_EQ(Text(AddDims(largest, D("2..3"))),
            Dim::Hull(kInt64Max, kInt64Max).ToString());
}

TEST(DimMathTest, DivideDim) {
  struct Case {
    const char* dim;
    int64_t count;
    const char* result;
  };
  const Case cases[] = {
      {"6", 3, "2"},       {"7", 3, "none"},    {"0", 3, "0"},
      {"<=7", 3, "<=2"},   {"?", 3, "?"},       {"3..9", 3, "1..3"},
      {"4..9", 3, "2..3"}, {"4..5", 3, "none"}, {"4..", 3, "2.."},
      {"6", 0, "none"},    {"6", -2, "none"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Text(DivideDim(D(c.dim), c.count)), c.result)
        << c.dim << " / " << c.count;
  }
}

TEST(DimMathTest, MapDim) {
  struct Case {
    const char* dim;
    const char* plus_two;
    const char* minus_three;  // sizes below 3 can't be
  };
  const Case cases[] = {
      {"4", "6", "1"},          {"2", "4", "none"},    {"<=4", "<=6", "<=1"},
      {"<=2", "<=4", "none"},   {"?", "?", "?"},       {"2..5", "4..7", "<=2"},
      {"4..6", "6..8", "1..3"}, {"4..", "6..", "1.."}, {"1..2", "3..4", "none"},
  };
  for (const Case& c : cases) {
    const Dim dim = D(c.dim);
    EXPECT_EQ(Text(MapDim(dim, [](int64_t n) { return CheckedAdd(n, 2); })),
              c.plus_two)
        << c.dim;
    EXPECT_EQ(Text(MapDim(dim, [](int64_t n) { return CheckedAdd(n, -3); })),
              c.minus_three)
        << c.dim;
    EXPECT_EQ(Text(MapDim(dim, [](int64_t n) { return n; })), c.dim);
  }
}

TEST(DimMathTest, MostSpecificDim) {
  struct Case {
    const char* a;
    const char* b;
    const char* result;
  };
  const Case cases[] = {
      {"3", "3", "3"},        {"3", "4", "none"},       {"3", "?", "3"},
      {"3", "<=3", "<=3"},    {"3", "<=4", "none"},     {"<=3", "<=3", "<=3"},
      {"<=3", "<=4", "none"}, {"<=3", "?", "<=3"},      {"?", "?", "?"},
      {"0", "<=0", "<=0"},    {"2..5", "?", "2..5"},    {"2..5", "4", "4"},
      {"2..5", "6", "none"},  {"2..5", "<=3", "2..3"},  {"2..5", "4..", "4..5"},
      {"2..", "4..", "4.."},  {"2..3", "4..5", "none"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Text(MostSpecificDim(D(c.a), D(c.b))), c.result)
        << c.a << " with " << c.b;
    EXPECT_EQ(Text(MostSpecificDim(D(c.b), D(c.a))), c.result)
        << c.b << " with " << c.a;
  }
}

// --- Comparisons -------------------------------------------------------------

// What a relation is over all pairs of sizes up to a size past every end.
template <typename Relation>
Answer BruteForce(Dim a, Dim b, Relation relation) {
  bool some = false;
  bool all = true;
  for (int64_t x = 0; x <= 2 * kLargest; ++x) {
    for (int64_t y = 0; y <= 2 * kLargest; ++y) {
      if (!a.Contains(x) || !b.Contains(y)) continue;
      relation(x, y) ? some = true : all = false;
    }
  }
  return all ? Answer::kProven : some ? Answer::kDepends : Answer::kRefuted;
}

TEST(AnswerTest, AgreesWithAllPairsOfSizes) {
  for (Dim a : SomeDims()) {
    for (Dim b : SomeDims()) {
      SCOPED_TRACE(a.ToString() + " with " + b.ToString());
      EXPECT_EQ(DimsEqual(a, b),
                BruteForce(a, b, [](int64_t x, int64_t y) { return x == y; }));
      EXPECT_EQ(DimsLessOrEqual(a, b),
                BruteForce(a, b, [](int64_t x, int64_t y) { return x <= y; }));
      EXPECT_EQ(DimOneOrEqual(a, b), BruteForce(a, b, [](int64_t x, int64_t y) {
                  return x == 1 || x == y;
                }));
    }
  }
  EXPECT_EQ(DimIs(D("3"), 3), Answer::kProven);
  EXPECT_EQ(DimIs(D("<=3"), 3), Answer::kDepends);
  EXPECT_EQ(DimIs(D("<=3"), 4), Answer::kRefuted);
}

}  // namespace
}  // namespace indim
