// SPDX-License-Identifier: Apache-2.0
// Expressions that are equal whatever their symbols are: which of them have one
// normal form, and so are one Dim.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_math.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

struct Pair {
  const char* a;
  const char* b;
};

DimExpr Parse(const std::string& text) {
  const absl::StatusOr<DimExpr> expr = ParseDimExpr(text);
  EXPECT_TRUE(expr.ok()) << text << ": " << expr.status();
  return expr.ok() ? *expr : DimExpr::Invalid();
}

// Equal by identities that shape functions need.
TEST(DimExprIdentitiesTest, OneForm) {
  const Pair kPairs[] = {
      // The greatest and the least of two are the two.
      {"min(n,m)*max(n,m)", "n*m"},
      {"min(n,m)+max(n,m)", "n+m"},
      {"k*min(n,m)*max(n,m)+1", "1+m*k*n"},
      {"min(n,8)*max(n,8)", "8*n"},
      {"min(2*n,m+1)*max(2*n,m+1)", "2*n*m+2*n"},
      {"max(0,n-m)*min(0,n-m)", "0"},
      {"min(n,m)*max(n,m)*min(n,m)*max(n,m)", "n^2*m^2"},
      {"n*m-min(n,m)*max(n,m)", "0"},
      // Sizes are never below 0.
      {"max(k*n,k*m)", "k*max(n,m)"},
      {"min(k*n,k*m)", "k*min(n,m)"},
      {"max(k*n-k,0)", "k*max(n-1,0)"},
      {"max(a*b*n,2*a*b)", "a*b*max(n,2)"},
      {"max(k*max(n,m),k*a)", "k*max(a,n,m)"},
      {"max(k*max(n,m),a)", "max(k*n,k*m,a)"},
      // Every second element from 0, and from 1; every third.
      {"ceildiv(n,2)+floordiv(n,2)", "n"},
      {"m*ceildiv(n,2)+floordiv(n,2)*m", "n*m"},
      {"3*ceildiv(n,2)+3*floordiv(n,2)+1", "3*n+1"},
      {"ceildiv(n,3)+ceildiv(n-1,3)+ceildiv(n-2,3)", "n"},
      {"floordiv(n+m,2)+ceildiv(n+m,2)", "m+n"},
      {"ceildiv(n,4)+ceildiv(n-1,4)+ceildiv(n-2,4)+ceildiv(n-3,4)", "n"},
      // Some of them from all of them.
      {"n-ceildiv(n,2)", "floordiv(n,2)"},
      {"n-floordiv(n,2)", "ceildiv(n,2)"},
      {"2*n-ceildiv(n,2)", "n+floordiv(n,2)"},
      {"m*n-m*ceildiv(n,2)", "m*floordiv(n,2)"},
      {"n+m-floordiv(n+m+1,2)", "floordiv(n+m,2)"},
      {"n-ceildiv(n+m,2)", "floordiv(n+m,2)-m"},
      {"ceildiv(n,2)-floordiv(n,2)", "mod(n,2)"},
      {"mod(-n,2)", "mod(n,2)"},
      {"n+mod(n,2)", "2*ceildiv(n,2)"},
      {"n-mod(n,2)", "2*floordiv(n,2)"},
      {"n-ceildiv(n-2,3)", "ceildiv(n,3)+ceildiv(n-1,3)"},
      // Rounding the other way.
      {"-floordiv(-n,8)", "ceildiv(n,8)"},
      {"floordiv(-n,8)", "-ceildiv(n,8)"},
      {"-ceildiv(-n,8)", "floordiv(n,8)"},
      {"n-ceildiv(n,4)", "floordiv(3*n,4)"},
      {"ceildiv(n-m,4)", "-floordiv(m-n,4)"},
      {"8*ceildiv(n,8)-n", "mod(-n,8)"},
      {"n+mod(-n,8)", "8*ceildiv(n,8)"},
      {"floordiv(floordiv(2*n,3)+1,4)", "floordiv(2*n+3,12)"},
      // A remainder of a remainder.
      {"mod(mod(n,4),2)", "mod(n,2)"},
      {"mod(mod(n,2),4)", "mod(n,2)"},
      {"mod(mod(n,6),6)", "mod(n,6)"},
      {"floordiv(mod(n,2),4)", "0"},
      {"floordiv(mod(n,4)+4,4)", "1"},
      {"mod(3*n+mod(n,2),2)", "0"},
      {"mod(n*mod(n,1)+m,3)", "mod(m,3)"},
  };
  for (const Pair& pair : kPairs) {
    EXPECT_EQ(Parse(pair.a), Parse(pair.b))
        << pair.a << " is " << Parse(pair.a).ToString() << ", " << pair.b
        << " is " << Parse(pair.b).ToString();
  }
}

// Equal, in two forms: then "equal" is a condition, never refuted. Whoever adds
// an identity that one of these needs moves it up.
TEST(DimExprIdentitiesTest, TwoForms) {
  const Pair kPairs[] = {
      {"n-floordiv(n,4)-ceildiv(n,4)", "floordiv(n+1,4)+floordiv(n+2,4)"},
      {"2*floordiv(n*n+n,2)", "n*n+n"},
      {"n*max(n,1)", "n*n"},
      {"max(a,b)+max(c,d)", "max(a+c,a+d,b+c,b+d)"},
      {"max((n+1)*a,(n+1)*b)", "(n+1)*max(a,b)"},
      {"max(n,m)^2+n*m", "(n+m)*max(n,m)"},
      {"max(a,b,c)+min(a,b,c)", "a+b+c-max(min(a,b),min(max(a,b),c))"},
  };
  for (const Pair& pair : kPairs) {
    const DimExpr a = Parse(pair.a), b = Parse(pair.b);
    EXPECT_NE(a, b) << pair.a << ", " << pair.b;
    EXPECT_LE((a - b).lower(), 0) << pair.a << ", " << pair.b;
    EXPECT_GE((a - b).upper(), 0) << pair.a << ", " << pair.b;
  }
}

// --- What shape functions make of sizes -------------------------------------

class RandomSizeTest : public testing::Test {
 protected:
  using Point = std::array<int64_t, 3>;  // n, m, k

  // A size and its value at each point.
  struct Size {
    std::string text;
    std::vector<int64_t> values;
  };

  RandomSizeTest() {
    // Whatever divisors and bounds there are, some point tells.
    for (const int64_t largest : {4, 12, 60, 300, 5000}) {
      for (int i = 0; i < 60; ++i) {
        points_.push_back(
            {Pick(0, largest), Pick(0, largest), Pick(0, largest)});
      }
    }
  }

  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  Size Symbol(int i) {
    Size size = {std::vector<std::string>{"n", "m", "k"}[i], {}};
    for (const Point& point : points_) size.values.push_back(point[i]);
    return size;
  }

  template <typename F>
  static Size Combine(std::string text, const Size& a, const Size& b, F f) {
    Size size = {std::move(text), {}};
    for (size_t i = 0; i < a.values.size(); ++i) {
      size.values.push_back(f(a.values[i], b.values[i]));
    }
    return size;
  }

  static int64_t Floor(int64_t x, int64_t k) {
    return x / k - (x % k < 0 ? 1 : 0);
  }

  // What concatenation, reshape, slices with strides, windows, pads and
  // broadcasting make.
  Size Make(int depth) {
    if (depth == 0) return Symbol(static_cast<int>(Pick(0, 2)));
    const Size a = Make(depth - 1);
    const int64_t k = Pick(2, 4), c = Pick(0, 3);
    switch (Pick(0, 9)) {
      case 0:
      case 1: {
        const Size b = Make(depth - 1);
        return Combine(absl::StrCat("(", a.text, "+", b.text, ")"), a, b,
                       [](int64_t x, int64_t y) { return x + y; });
      }
      case 2: {
        const Size b = Make(depth - 1);
        return Combine(absl::StrCat("(", a.text, ")*(", b.text, ")"), a, b,
                       [](int64_t x, int64_t y) { return x * y; });
      }
      case 3: {
        const Size b = Make(depth - 1);
        return Combine(absl::StrCat("max(", a.text, ",", b.text, ")"), a, b,
                       [](int64_t x, int64_t y) { return std::max(x, y); });
      }
      case 4: {
        const Size b = Make(depth - 1);
        return Combine(absl::StrCat("min(", a.text, ",", b.text, ")"), a, b,
                       [](int64_t x, int64_t y) { return std::min(x, y); });
      }
      case 5:
        return Combine(
            absl::StrCat("max(0,floordiv(", a.text, "-", k, ",", c + 1, ")+1)"),
            a, a, [=](int64_t x, int64_t) {
              return std::max<int64_t>(0, Floor(x - k, c + 1) + 1);
            });
      case 6:
        return Combine(
            absl::StrCat("ceildiv(", a.text, "-", c, ",", k, ")"), a, a,
            [=](int64_t x, int64_t) { return Floor(x - c + k - 1, k); });
      case 7:
        return Combine(absl::StrCat("(", a.text, "-mod(", a.text, ",", k, "))"),
                       a, a,
                       [=](int64_t x, int64_t) { return Floor(x, k) * k; });
      case 8:
        return Combine(absl::StrCat("(", k, "*(", a.text, ")+", c, ")"), a, a,
                       [=](int64_t x, int64_t) { return k * x + c; });
      default:
        return Combine(absl::StrCat("floordiv(", a.text, "+", c, ",", k, ")"),
                       a, a,
                       [=](int64_t x, int64_t) { return Floor(x + c, k); });
    }
  }

  std::mt19937_64 random_{8};
  std::vector<Point> points_;
};

// Of many sizes made in random ways nearly all that are equal at all points
// have one form; no two of one form differ.
TEST_F(RandomSizeTest, EqualSizesHaveOneForm) {
  std::map<std::vector<int64_t>, std::vector<std::pair<std::string, DimExpr>>>
      by_values;
  for (int i = 0; i < 12000 / SampleStep(4); ++i) {
    const Size size = Make(static_cast<int>(Pick(1, 3)));
    const absl::StatusOr<DimExpr> expr = ParseDimExpr(size.text);
    if (!expr.ok()) continue;  // too large
    by_values[size.values].emplace_back(size.text, *expr);
  }
  std::map<std::string, const std::vector<int64_t>*> values_of;
  int shared = 0, apart = 0;
  for (const auto& [values, sizes] : by_values) {
    std::map<std::string, std::string> forms;  // and how one came about
    for (const auto& [text, expr] : sizes) {
      if (expr.ToString().empty()) continue;  // too long
      forms.emplace(expr.ToString(), text);
      const auto [at, is_new] = values_of.emplace(expr.ToString(), &values);
      EXPECT_EQ(at->second, &values) << text << " and others are one form";
    }
    shared += static_cast<int>(sizes.size()) - 1;
    apart += static_cast<int>(forms.size()) - 1;
    if (forms.size() < 2) continue;
    std::string all;
    for (const auto& [form, text] : forms) {
      absl::StrAppend(&all, "\n  ", form, " of ", text);
    }
    RecordProperty(absl::StrCat("apart_", apart), all);
  }
  EXPECT_GT(shared, 5000 / SampleStep(8));
  // What is left is mostly one of several that bounds don't show to be beaten:
  // min(floordiv(n,4),n^2).
  EXPECT_LE(apart * 50, shared) << apart << " of " << shared;
}

}  // namespace
}  // namespace indim
