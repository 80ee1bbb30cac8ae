// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/dims/dim.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/hash/hash_testing.h"
#include "gtest/gtest.h"
#include "indim/tests/shape/dims/int64_ends.h"

namespace indim {
namespace {

TEST(Dim, KindsAndEnds) {
  struct Case {
    Dim dim;
    const char* text;
    int64_t lower, upper;
    bool is_static, bounded, unknown, interval;
  };
  const Case cases[] = {
      {Dim(), "0", 0, 0, true, false, false, false},
      {Dim::Static(0), "0", 0, 0, true, false, false, false},
      {Dim::Static(7), "7", 7, 7, true, false, false, false},
      {Dim::Static(kInt64Max), "9223372036854775807", kInt64Max, kInt64Max,
       true, false, false, false},
      {Dim::Bounded(0), "<=0", 0, 0, false, true, false, false},
      {Dim::Bounded(1), "<=1", 0, 1, false, true, false, false},
      {Dim::Bounded(Dim::kMaxBound), "<=4611686018427387903", 0, Dim::kMaxBound,
       false, true, false, false},
      {Dim::Unknown(), "?", 0, kInt64Max, false, false, true, false},
      {*Dim::Interval(2, 5), "2..5", 2, 5, false, false, false, true},
      {*Dim::Interval(1, kInt64Max), "1..", 1, kInt64Max, false, false, false,
       true},
      {*Dim::Interval(Dim::kMaxIntervalEnd - 1, Dim::kMaxIntervalEnd),
       "1073741822..1073741823", Dim::kMaxIntervalEnd - 1, Dim::kMaxIntervalEnd,
       false, false, false, true},
      {*Dim::Interval(Dim::kMaxIntervalEnd, kInt64Max), "1073741823..",
       Dim::kMaxIntervalEnd, kInt64Max, false, false, false, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(c.dim.ToString(), c.text);
    EXPECT_EQ(Dim::Parse(c.text), c.dim);
    EXPECT_EQ(c.dim.lower(), c.lower);
    EXPECT_EQ(c.dim.upper(), c.upper);
    EXPECT_EQ(c.dim.size(), c.upper);
    EXPECT_EQ(c.dim.is_static(), c.is_static);
    EXPECT_EQ(c.dim.is_bounded(), c.bounded);
    EXPECT_EQ(c.dim.is_unknown(), c.unknown);
    EXPECT_EQ(c.dim.is_interval(), c.interval);
    EXPECT_EQ(c.dim.is_xla(), !c.interval);
    EXPECT_EQ(c.dim.has_upper(), c.upper != kInt64Max);
    EXPECT_TRUE(c.dim.Contains(c.lower));
    EXPECT_TRUE(c.dim.Contains(c.upper));
    EXPECT_FALSE(c.dim.Contains(c.lower - 1));
    EXPECT_EQ(c.dim.is(c.upper), c.is_static);
  }
}

TEST(Dim, OutOfRangeArgumentsAreClamped) {
  EXPECT_EQ(Dim::Static(-1), Dim::Static(0));
  EXPECT_EQ(Dim::Static(kInt64Min), Dim::Static(0));
  EXPECT_EQ(Dim::Bounded(-1), Dim::Bounded(0));
  EXPECT_EQ(Dim::Bounded(kInt64Max), Dim::Bounded(Dim::kMaxBound));
  EXPECT_FALSE(Dim::Static(3).is(-3));
}

// The normal form, as dim.h states it.
std::string NormalForm(int64_t lower, int64_t upper) {
  if (lower == upper) return std::to_string(lower);
  if (lower == 0) return "<=" + std::to_string(upper);
  return std::to_string(lower) + ".." + std::to_string(upper);
}

TEST(Dim, IntervalAndHullOfSmallEnds) {
  for (int64_t lower = -3; lower <= 12; ++lower) {
    for (int64_t upper = -3; upper <= 12; ++upper) {
      SCOPED_TRACE(testing::Message() << lower << " " << upper);
      const std::optional<Dim> interval = Dim::Interval(lower, upper);
      if (lower < 0 || lower > upper) {
        EXPECT_FALSE(interval);
        continue;
      }
      ASSERT_TRUE(interval);
      EXPECT_EQ(interval->ToString(), NormalForm(lower, upper));
      EXPECT_EQ(*interval, Dim::Hull(lower, upper));
      for (int64_t size = -1; size <= 13; ++size) {
        EXPECT_EQ(interval->Contains(size), lower <= size && size <= upper);
      }
    }
    if (lower < 0) continue;
    const std::optional<Dim> open = Dim::Interval(lower, Dim::kInfinity);
    ASSERT_TRUE(open);
    EXPECT_EQ(open->ToString(),
              lower == 0 ? "?" : std::to_string(lower) + "..");
  }
}

TEST(Dim, IntervalRefusesWhatHullWidens) {
  constexpr int64_t kEnd = Dim::kMaxIntervalEnd;
  struct Case {
    int64_t lower, upper;
    const char* interval;  // "": refused
    const char* hull;
  };
  const Case cases[] = {
      {0, 0, "0", "0"},
      {0, Dim::kMaxBound, "<=4611686018427387903", "<=4611686018427387903"},
      {0, Dim::kMaxBound + 1, "", "?"},
      {0, kInt64Max, "?", "?"},
      {1, kEnd, "1..1073741823", "1..1073741823"},
      {1, kEnd + 1, "", "<=1073741824"},
      {1, Dim::kMaxBound, "", "<=4611686018427387903"},
      {1, Dim::kMaxBound + 1, "", "1.."},
      {kEnd + 1, kInt64Max, "", "1073741823.."},
      {kEnd + 1, kInt64Max - 1, "", "1073741823.."},
      {kEnd + 1, kEnd + 1, "1073741824", "1073741824"},
      {kInt64Max, kInt64Max, "9223372036854775807", "9223372036854775807"},
      {-5, 3, "", "<=3"},
      {-5, -2, "", "0"},
      {5, 2, "", "5"},
      {kInt64Min, kInt64Max, "", "?"},
      {kInt64Max, kInt64Min, "", "9223372036854775807"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.lower << " " << c.upper);
    const std::optional<Dim> interval = Dim::Interval(c.lower, c.upper);
    EXPECT_EQ(interval ? interval->ToString() : "", c.interval);
    EXPECT_EQ(Dim::Hull(c.lower, c.upper).ToString(), c.hull);
  }
}

// Around every end that a form of Dim has.
std::vector<int64_t> InterestingSizes() {
  std::vector<int64_t> sizes;
  for (int64_t center : {int64_t{0}, int64_t{5}, Dim::kMaxIntervalEnd,
                         int64_t{1} << 31, int64_t{1} << 40, Dim::kMaxBound}) {
    for (int64_t off = -2; off <= 2; ++off) {
      if (center + off >= 0) sizes.push_back(center + off);
    }
  }
  sizes.push_back(kInt64Max - 1);
  sizes.push_back(kInt64Max);
  return sizes;
}

TEST(Dim, HullHoldsItsEndsAndLosesNothingItNeedNot) {
  for (int64_t lower : InterestingSizes()) {
    for (int64_t upper : InterestingSizes()) {
      if (lower > upper) continue;
      SCOPED_TRACE(testing::Message() << lower << " " << upper);
      const Dim hull = Dim::Hull(lower, upper);
      EXPECT_TRUE(hull.Contains(lower));
      EXPECT_TRUE(hull.Contains(upper));
      if (const auto exact = Dim::Interval(lower, upper)) {
        EXPECT_EQ(hull, *exact);
        EXPECT_EQ(exact->lower(), lower);
        EXPECT_EQ(exact->upper(), upper);
      }
      EXPECT_EQ(Dim::Parse(hull.ToString()), hull);
    }
  }
}

TEST(Dim, ADimIsTheIntervalOfItsEndsUnlessOnlyXlaTellsThemApart) {
  for (int64_t a : InterestingSizes()) {
    for (int64_t b : InterestingSizes()) {
      const Dim dim = Dim::Hull(a, b);
      EXPECT_EQ(Dim::Interval(dim.lower(), dim.upper()), dim);
    }
  }
  EXPECT_EQ(Dim::Interval(0, 0), Dim::Static(0));
  EXPECT_NE(Dim::Bounded(0), Dim::Static(0));
}

TEST(Dim, ParseRefusesOtherTexts) {
  for (const char* text : {"",
                           " ",
                           "-1",
                           "+1",
                           " 1",
                           "1 ",
                           "<=",
                           "<=-1",
                           "<= 1",
                           "<1",
                           "??",
                           "?1",
                           "..",
                           "..5",
                           "5..2",
                           "1..2..3",
                           "1...2",
                           "1.. 2",
                           "a b",
                           "0x1",
                           "1e3",
                           "9223372036854775808",
                           "<=4611686018427387904",
                           "1..1073741824",
                           "1073741824..",
                           "99999999999999999999999",
                           "<=?"}) {
    EXPECT_FALSE(Dim::Parse(text)) << "'" << text << "'";
  }
  EXPECT_FALSE(Dim::Parse(absl::string_view("1\0", 2)));
}

TEST(Dim, ParseNormalizes) {
  EXPECT_EQ(Dim::Parse("0..5"), Dim::Bounded(5));
  EXPECT_EQ(Dim::Parse("0.."), Dim::Unknown());
  EXPECT_EQ(Dim::Parse("4..4"), Dim::Static(4));
  EXPECT_EQ(Dim::Parse("007"), Dim::Static(7));
}

TEST(Dim, EqualityAndHashAgree) {
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly(
      {Dim(), Dim::Static(1), Dim::Bounded(0), Dim::Bounded(1), Dim::Unknown(),
       *Dim::Interval(1, 2), *Dim::Interval(1, kInt64Max),
       Dim::Static(kInt64Max), Dim::Bounded(Dim::kMaxBound)}));
}

}  // namespace
}  // namespace indim
