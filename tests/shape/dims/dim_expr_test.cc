// SPDX-License-Identifier: Apache-2.0
// Expressions over symbols: one normal form, which keeps the value; facts that
// are used and never claim too much; limits that hold on hostile input.

#include "indim/shape/dims/dim_expr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/dims/dim_math.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SymbolScope ScopeOf(absl::string_view facts) {
  SymbolScope scope;
  EXPECT_TRUE(scope.State(facts).ok()) << facts << ": " << scope.State(facts);
  return scope;
}

// The normal form; "!" and the error where there is none.
std::string Normal(absl::string_view text, absl::string_view facts = "") {
  const SymbolScope scope = ScopeOf(facts);
  const absl::StatusOr<DimExpr> expr = ParseDimExpr(text, &scope);
  if (!expr.ok()) return absl::StrCat("!", expr.status().message());
  return expr->ToString();
}

TEST(DimExprTest, NormalForm) {
  const struct {
    const char* text;
    const char* facts;
    const char* normal;
  } kCases[] = {
      {"n+n", "", "2*n"},
      {"m+n", "", "m+n"},
      {"n+m", "", "m+n"},
      {"2*n+1", "", "2*n+1"},
      {"1-n+2*n-1", "", "n"},
      {"n-n", "", "0"},
      {"(n+1)*(n-1)", "", "n^2-1"},
      {"(n+m)*2-2*m", "", "2*n"},
      {"-1+n", "", "n-1"},
      {"n*m*n", "", "m*n^2"},
      {"floordiv(4*n,2)", "", "2*n"},
      {"floordiv(4*n+3,2)", "", "2*n+1"},
      {"floordiv(3*n,2)", "", "floordiv(n,2)+n"},
      {"floordiv(2*n,4)", "", "floordiv(n,2)"},
      {"floordiv(2*n+3,4)", "", "floordiv(n+1,2)"},
      {"floordiv(floordiv(n,2),3)", "", "floordiv(n,6)"},
      {"floordiv(floordiv(n,2)+1,3)", "", "floordiv(n+2,6)"},
      {"ceildiv(n,2)", "", "floordiv(n+1,2)"},
      // Rounding down keeps the order.
      {"floordiv(max(n,m),2)", "", "max(floordiv(m,2),floordiv(n,2))"},
      {"max(floordiv(n,2),floordiv(m,2))", "",
       "max(floordiv(m,2),floordiv(n,2))"},
      {"floordiv(min(n,m),2)", "", "min(floordiv(m,2),floordiv(n,2))"},
      {"floordiv(min(n,m)+k,2)-floordiv(k+min(m,n),2)", "", "0"},
      {"floordiv(2*max(n,m)+k,2)", "", "floordiv(k,2)+max(m,n)"},
      {"floordiv(max(n,6),4)", "", "max(1,floordiv(n,4))"},
      // A window over what a window has left.
      {"max(0,floordiv(max(0,floordiv(n-3,2)+1)-3,2)+1)", "",
       "max(0,floordiv(n+1,4)-1)"},
      {"mod(4*n+3,4)", "", "3"},
      {"mod(n,4)+4*floordiv(n,4)", "", "n"},
      {"floordiv(n,8)", "n<=7", "0"},
      // What facts divide.
      {"floordiv(n,8)*8", "n%8==0", "n"},
      {"floordiv(n,2)*2", "n%8==0", "n"},
      {"2*floordiv(n,4)-floordiv(n,2)", "n%8==0", "0"},
      {"mod(n,4)", "n%8==3", "3"},
      {"floordiv(n,4)", "n%8==0", "floordiv(n,4)"},
      {"floordiv(n,4)*m+m", "n%8==0, m%2==0", "floordiv(m*n,4)+m"},
      {"floordiv(n-3,8)*8+3", "n%8==3", "n"},
      {"n*n", "n%8==3", "n^2"},
      // Minimum and maximum.
      {"max(n,n)", "", "n"},
      {"max(n,0)", "", "n"},
      {"max(n-1,0)", "", "max(0,n-1)"},
      {"max(n-1,0)", "n>=1", "n-1"},
      {"max(m,n)-max(n,m)", "", "0"},
      {"min(n,8)", "n<=8", "n"},
      {"min(n,8)", "n>=9", "8"},
      {"min(n,n+1)", "", "n"},
      {"max(floordiv(n,2),n)", "", "n"},
      {"max(m,n,m)", "", "max(m,n)"},
      {"max(max(a,b),c)", "", "max(a,b,c)"},
      {"max(a,max(c,b)+1)-max(a,1+b,c+1)", "", "0"},
      {"min(min(a,b),c)-min(b,c,a)", "", "0"},
      {"max(n,4,8)", "", "max(8,n)"},
      // What operands share stands outside, and goes in where that is shorter.
      {"min(n,m)+1", "", "min(m,n)+1"},
      {"1+min(m,n)-min(n+1,m+1)", "", "0"},
      {"max(n+1,m)-1", "", "max(m-1,n)"},
      {"2*max(n,m)-max(2*m,2*n)", "", "0"},
      {"max(0,n-m)", "", "max(0,n-m)"},
      {"m+max(0,n-m)", "", "max(m,n)"},
      {"n-min(n,m)", "", "max(0,n-m)"},
      {"max(8,n)", "", "max(8,n)"},
      {"min(8,2*n)", "", "2*min(4,n)"},
      {"min(n,8)*m", "", "m*min(8,n)"},
      {"m*max(n,8)", "", "m*max(8,n)"},
      // Both together.
      {"max(n,m)+min(n,m)", "", "m+n"},
      {"min(n,m)*2+max(n,m)", "", "m+min(m,n)+n"},
      {"n+m-max(n,m)", "", "min(m,n)"},
      {"k*min(n,m)+k*max(n,m)", "", "k*m+k*n"},
      {"max(min(n,8),4)", "n>=4", "min(8,n)"},
      // What is known against others.
      {"max(m,n)", "m<=n", "n"},
      {"min(2*m,n)", "n>=2*m", "2*m"},
      {"max(k,n)", "n<=m,m<=k", "k"},
      {"max(0,n-m+1)", "n>=m", "n+1-m"},
      // A value for a symbol.
      {"2*n+m", "n==3", "m+6"},
      {"b*c", "b==c", "b^2"},
      {"n", "2*n==8", "4"},
      {"n", "n>=4, n<=4", "4"},
      {"n", "n>=5, n<=11, n%8==0", "8"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Normal(c.text, c.facts), c.normal) << c.text << " " << c.facts;
    // The normal form is its own.
    EXPECT_EQ(Normal(c.normal, c.facts), c.normal) << c.facts;
  }
}

TEST(DimExprTest, ErrorsSayWhere) {
  const struct {
    const char* text;
    const char* error;
  } kCases[] = {
      {"", "column 1: expected a number, a name or '('"},
      {"n+", "the text ends"},
      {"2n", "column 2: expected an operator, not 'n'"},
      {"(n", "expected ')'"},
      {"f(n,2)", "unknown function 'f'"},
      {"floordiv(n,m)", "the divisor must be a number"},
      {"mod(n,0)", "the divisor must be a number"},
      {"n^9", "a power must be in 1..8"},
      {"99999999999999999999", "out of range"},
      {"n^8*n", "too large an expression"},
      {"9223372036854775807*(n+1)+n*9223372036854775807", "too large"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(Normal(c.text), HasSubstr(c.error)) << c.text;
  }
}

TEST(DimExprTest, FactsThatContradict) {
  const struct {
    const char* facts;
    const char* error;
  } kCases[] = {
      {"n>=3, n<=2", "contradicts"},
      {"n%2==0, n%2==1", "contradicts"},
      {"n==3, n%2==0", "contradicts"},
      {"n%2==0, n==3", "contradicts"},
      {"n<=4, n==2*m, m>=3", "contradicts"},
      {"n<0", "contradicts"},
      {"n==n+1", "contradicts"},
      {"n*m==6", "no symbol can be solved for"},
      {"n<=m, m<n", "contradicts"},
      {"n<=m, m<=k, k<n", "contradicts"},
      {"n>=8, n<=m, m<=7", "contradicts"},
      {"n<=m, m<=7, n>=8", "contradicts"},
      {"n<=m, n==4, m==3", "contradicts"},
      {"n*n<=m", "the last by name must be linear"},
      {"n*n>=4", "linear"},
      {"n", "expected =="},
      {"n%0==0", "expected NAME"},
      {"n=3", "expected =="},
  };
  for (const auto& c : kCases) {
    SymbolScope scope;
    EXPECT_THAT(std::string(scope.State(c.facts).message()), HasSubstr(c.error))
        << c.facts;
  }
  // Facts in other words.
  for (const char* same :
       {"n>=2,n<=5", "1<n and n<6", "2*n>=3; 2*n<=11", "n>=2,n>=1,n<=5"}) {
    const SymbolFacts facts = ScopeOf(same).FactsOf("n");
    EXPECT_EQ(facts.lower, 2) << same;
    EXPECT_EQ(facts.upper, 5) << same;
  }
  EXPECT_THAT(FactTexts("n", ScopeOf("n>=1,n%8==0,n<=4099").FactsOf("n")),
              ElementsAre("n>=8", "n<=4096", "n%8==0"));
}

// How symbols stand to each other, whatever the order of what is said.
TEST(DimExprTest, FactsBetweenSymbols) {
  const struct {
    const char* facts;
    std::vector<std::string> of_n;
  } kCases[] = {
      {"n<=m", {"n<=m"}},
      {"m>=n", {"n<=m"}},
      {"n<m+3", {"n<=m+2"}},
      {"m<=2*n", {"n>=floordiv(m+1,2)"}},
      {"2*n<=m", {"n<=floordiv(m,2)"}},
      {"n<=m, m<=9", {"n<=9", "n<=m"}},
      {"m<=9, n<=m", {"n<=9", "n<=m"}},
      {"n>=m, m>=3", {"n>=3", "n>=m"}},
      {"n<=m, n%2==0", {"n%2==0", "n<=2*floordiv(m,2)"}},
      {"n<=m+1, n<=m, n<=m+2", {"n<=m"}},
      {"n<=a*m", {"n<=a*m"}},
      {"n<=min(m,k)", {"n<=min(k,m)"}},
      // What a program computes of a remainder.
      {"mod(n,5)==0", {"n%5==0"}},
      {"mod(n-1,3)==0", {"n>=1", "n%3==1"}},
      {"0==mod(2*n+4,6)", {"n>=1", "n%3==1"}},
      // What follows for others is of those.
      {"m<=n, n<=k", {"n>=m", "n<=k"}},
      // What is implied is not said.
      {"m<=4, n>=4, n>=m", {"n>=4"}},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(FactTexts("n", ScopeOf(c.facts).FactsOf("n")), c.of_n) << c.facts;
  }
  EXPECT_THAT(FactTexts("m", ScopeOf("m<=n, n<=k").FactsOf("m")),
              ElementsAre("m<=k"));
  // What follows for one changes what follows for the next.
  EXPECT_THAT(
      FactTexts("c", ScopeOf("c<=d, a<=d, d<=b+4, d%3==0").FactsOf("c")),
      ElementsAre("c<=b+4"));
  EXPECT_EQ(Normal("n", "n<=m, n>=m"), "m");
  EXPECT_EQ(Normal("m", "n<=m, m==4"), "4");
  EXPECT_EQ(ScopeOf("n<=m, m==4").FactsOf("n").upper, 4);
  EXPECT_EQ(ScopeOf("m==4, n<=m").FactsOf("n").upper, 4);
  // Too many are refused, not worked on for ever.
  std::string many;
  for (int i = 0; i < 12; ++i) absl::StrAppend(&many, "n<=a", i, ",");
  SymbolScope scope;
  EXPECT_THAT(std::string(scope.State(many).message()), HasSubstr("too many"));
  std::string chain;
  for (int i = 100; i < 600; ++i) {
    absl::StrAppend(&chain, "x", i, "<=x", i + 1, ",");
  }
  EXPECT_THAT(std::string(SymbolScope().State(chain).message()),
              HasSubstr("too many"));
}

TEST(DimExprTest, FactsAreIdentity) {
  const Dim any = *SymbolDim("n"), positive = *SymbolDim("n", {1});
  EXPECT_NE(any, positive);
  EXPECT_EQ(any.ToString(), positive.ToString());
  EXPECT_EQ(any.lower(), 0);
  EXPECT_EQ(positive.lower(), 1);
  EXPECT_EQ(*SymbolDim("n"), any);
  EXPECT_EQ(SymbolDim("n", {3, 3}), Dim::Static(3));
  EXPECT_EQ(SymbolDim("n", {3, 2}), std::nullopt);
  for (const char* bad : {"", "3n", "a.b", "a b"}) {
    EXPECT_EQ(SymbolDim(bad), std::nullopt) << bad;
  }
}

TEST(DimExprTest, Comparisons) {
  const struct {
    const char* a;
    const char* b;
    const char* facts;
    Answer equal;
    Answer at_most;
  } kCases[] = {
      {"n", "n", "", Answer::kProven, Answer::kProven},
      {"n", "m", "", Answer::kDepends, Answer::kDepends},
      {"n", "n+1", "", Answer::kRefuted, Answer::kProven},
      {"n+1", "n", "", Answer::kRefuted, Answer::kRefuted},
      {"2*n", "2*m+1", "", Answer::kRefuted, Answer::kDepends},
      {"n", "4", "n>=5", Answer::kRefuted, Answer::kRefuted},
      {"n", "4", "n%8==0", Answer::kRefuted, Answer::kDepends},
      {"n", "4", "", Answer::kDepends, Answer::kDepends},
      {"n", "4", "n<=4", Answer::kDepends, Answer::kProven},
      {"floordiv(n,2)", "n", "", Answer::kDepends, Answer::kProven},
      {"floordiv(n+1,2)", "n+1", "", Answer::kRefuted, Answer::kProven},
      {"n", "max(n,m)", "", Answer::kDepends, Answer::kProven},
      {"min(n,m)", "n", "", Answer::kDepends, Answer::kProven},
      {"n*m", "m*n", "", Answer::kProven, Answer::kProven},
      {"n", "m", "n<=m", Answer::kDepends, Answer::kProven},
      {"m", "n", "n<m", Answer::kRefuted, Answer::kRefuted},
      {"n+1", "k", "n<=m, m<k", Answer::kDepends, Answer::kProven},
      {"k", "n", "n<=m, m<k", Answer::kRefuted, Answer::kRefuted},
      {"n*k", "n*m", "m>=k", Answer::kDepends, Answer::kDepends},
      {"max(0,n-m)", "n", "", Answer::kDepends, Answer::kProven},
      {"min(8,n)*m", "8*m", "", Answer::kDepends, Answer::kProven},
  };
  for (const auto& c : kCases) {
    const SymbolScope scope = ScopeOf(c.facts);
    const Dim a = *ParseDimExpr(c.a, &scope)->ToDim();
    const Dim b = *ParseDimExpr(c.b, &scope)->ToDim();
    EXPECT_EQ(DimsEqual(a, b), c.equal) << c.a << ", " << c.b;
    EXPECT_EQ(DimsEqual(b, a), c.equal) << c.a << ", " << c.b;
    EXPECT_EQ(DimsLessOrEqual(a, b), c.at_most) << c.a << ", " << c.b;
  }
}

// --- Random expressions -----------------------------------------------------

class RandomExprTest : public testing::Test {
 protected:
  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  // An expression as text, and its value for `values`.
  std::pair<std::string, int64_t> Make(
      int depth, const std::map<std::string, int64_t>& values) {
    if (depth == 0 || Pick(0, 5) == 0) {
      if (Pick(0, 2) == 0) {
        const int64_t number = Pick(0, 5);
        return {absl::StrCat(number), number};
      }
      auto symbol = values.begin();
      std::advance(symbol, Pick(0, 2));
      return {symbol->first, symbol->second};
    }
    const auto [a, x] = Make(depth - 1, values);
    const auto [b, y] = Make(depth - 1, values);
    const int64_t k = Pick(1, 6);
    const int64_t floor = x / k - (x % k < 0 ? 1 : 0);
    switch (Pick(0, 7)) {
      case 0:
        return {absl::StrCat("(", a, ")-(", b, ")"), x - y};
      case 1:
        return {absl::StrCat("(", a, ")*(", b, ")"), x * y};
      case 2:
        return {absl::StrCat("floordiv(", a, ",", k, ")"), floor};
      case 3:
        return {absl::StrCat("mod(", a, ",", k, ")"), x - floor * k};
      case 4:
        return {absl::StrCat("min(", a, ",", b, ")"), std::min(x, y)};
      case 5:
        return {absl::StrCat("max(", a, ",", b, ")"), std::max(x, y)};
      default:
        return {absl::StrCat("(", a, ")+(", b, ")"), x + y};
    }
  }

  std::mt19937_64 random_{20261121};
};

TEST_F(RandomExprTest, ValueBoundsAndTextHold) {
  int kept = 0, unread = 0;
  for (int i = 0; i < 3000 / SampleStep(4); ++i) {
    // Values, and facts that they meet.
    std::map<std::string, int64_t> values;
    SymbolScope scope;
    DimExpr::Values bindings;
    for (const char* name : {"a", "n", "x_1"}) {
      const int64_t value = values[name] = Pick(0, 9);
      bindings[name] = value;
      SymbolFacts facts;
      if (Pick(0, 1)) facts.lower = Pick(0, value);
      if (Pick(0, 1)) facts.upper = Pick(value, 12);
      if (Pick(0, 2) == 0)
        facts.remainder = value % (facts.divisor = Pick(1, 4));
      ASSERT_TRUE(scope.State(name, facts));
    }
    for (const char* pair : {"an", "ax", "nx"}) {
      if (Pick(0, 2) != 0) continue;
      std::string a(1, pair[0]), b = pair[1] == 'x' ? "x_1" : "n";
      if (values[a] > values[b]) std::swap(a, b);
      const absl::Status stated = scope.State(
          absl::StrCat(a, "+", values[b] - values[a] - Pick(0, 2), "<=", b));
      ASSERT_TRUE(stated.ok()) << stated;
    }
    const auto [text, value] = Make(3, values);
    const absl::StatusOr<DimExpr> expr = ParseDimExpr(text, &scope);
    if (!expr.ok()) continue;  // too large
    ++kept;
    const DimExpr at = expr->Substitute(bindings);
    ASSERT_TRUE(at.is_constant()) << text;
    EXPECT_EQ(at.constant(), value) << text;
    EXPECT_LE(expr->lower(), value) << text;
    EXPECT_GE(expr->upper(), value) << text;
    const DimExpr::Congruence c = expr->congruence();
    if (c.modulus == 0) {
      EXPECT_EQ(c.remainder, value) << text;
    } else {
      EXPECT_EQ((value - c.remainder) % c.modulus, 0) << text;
    }
    // Its text gives it back.
    const std::string normal = expr->ToString();
    if (normal.empty()) continue;
    const absl::StatusOr<DimExpr> again = ParseDimExpr(normal, &scope);
    if (!again.ok()) {  // too large on the way, where it was not before
      ++unread;
      continue;
    }
    EXPECT_EQ(*again, *expr)
        << text << " is " << normal << " is " << again->ToString();
  }
  EXPECT_GT(kept, 2600 / SampleStep(4));
  EXPECT_LE(unread, 2);
}

// The facts of a dim, said again in any order, give the same dim.
TEST_F(RandomExprTest, FactsAreReadBack) {
  for (int i = 0; i < 600 / SampleStep(3); ++i) {
    SymbolScope scope;
    std::vector<std::string> stated;
    for (int k = 0; k < 4; ++k) {
      const std::vector<std::string> names = {"a", "b", "c", "d"};
      const std::string x = names[static_cast<size_t>(Pick(0, 3))];
      const std::string y = names[static_cast<size_t>(Pick(0, 3))];
      // In an order of their own: that of arguments is the compiler's.
      const int64_t small = Pick(0, 1), medium = Pick(2, 4), any = Pick(0, 5);
      const std::string fact =
          Pick(0, 2) == 0 ? absl::StrCat(x, ">=", any)
          : Pick(0, 2) == 0
              ? absl::StrCat(x, "%", medium, "==", small)
              : absl::StrCat(small + 1, "*", x, "<=", y, "+", medium - 2);
      SymbolScope more = scope;
      if (!more.State(fact).ok()) continue;
      scope = more;
      stated.push_back(fact);
    }
    const absl::StatusOr<DimExpr> expr = ParseDimExpr("a+2*b+c*d", &scope);
    if (!expr.ok()) continue;
    std::vector<std::string> facts;
    for (const auto& [name, known] : expr->Symbols()) {
      for (const std::string& fact : FactTexts(name, known)) {
        facts.push_back(fact);
      }
    }
    std::shuffle(facts.begin(), facts.end(), random_);
    SymbolScope again;
    const absl::Status status = again.State(absl::StrJoin(facts, ","));
    ASSERT_TRUE(status.ok()) << status << " of " << absl::StrJoin(facts, ", ")
                             << " for " << absl::StrJoin(stated, ", ");
    EXPECT_EQ(*ParseDimExpr(expr->ToString(), &again), *expr)
        << absl::StrJoin(stated, ", ") << " as " << absl::StrJoin(facts, ", ");
  }
}

// However an expression came about, it is one Dim.
TEST_F(RandomExprTest, OneFormWhateverTheOrder) {
  for (int i = 0; i < 300; ++i) {
    std::vector<std::string> terms;
    for (int t = 0; t < 5; ++t) {
      terms.push_back(absl::StrCat(
          Pick(1, 3), "*",
          std::vector<std::string>{"n", "m", "n*m",
                                   "1"}[static_cast<size_t>(Pick(0, 3))]));
    }
    const std::optional<Dim> first = Dim::Parse(absl::StrJoin(terms, "+"));
    std::shuffle(terms.begin(), terms.end(), random_);
    EXPECT_EQ(Dim::Parse(absl::StrJoin(terms, "+")), first)
        << absl::StrJoin(terms, "+");
  }
}

TEST(DimExprLimitsTest, HostileTexts) {
  EXPECT_EQ(Dim::Parse(std::string(100000, '(')), std::nullopt);
  EXPECT_EQ(Dim::Parse(std::string(100000, 'n')), std::nullopt);
  std::string sum = "a0", product = "(a+b)";
  for (int i = 1; i < 40; ++i) {
    absl::StrAppend(&sum, "+a", i);
    absl::StrAppend(&product, "*(a+b)");
  }
  EXPECT_EQ(Dim::Parse(sum), std::nullopt);
  EXPECT_EQ(Dim::Parse(product), std::nullopt);
  std::string nested = "n";
  for (int i = 0; i < 30; ++i) {
    nested = absl::StrCat("max(", nested, ",symbol_", i, ")");
  }
  EXPECT_EQ(Dim::Parse(nested), std::nullopt);
  // Arithmetic on what is almost too large widens.
  const Dim large = *Dim::Parse("9223372036854775807*n");
  EXPECT_EQ(AddDims(large, large), Dim::Unknown());
  EXPECT_EQ(MultiplyDims(large, Dim::Static(3)), Dim::Unknown());
  EXPECT_EQ(AddDims(*Dim::Parse("n+1"), Dim::Unknown())->ToString(), "1..");
}

TEST(DimExprThreadsTest, SameDimsFromAllThreads) {
  std::vector<std::vector<Dim>> dims(4);
  std::vector<std::thread> threads;
  for (std::vector<Dim>& mine : dims) {
    threads.emplace_back([&mine] {
      for (int i = 1; i < 300; ++i) {
        mine.push_back(*Dim::Parse(absl::StrCat(i, "*thread_n+", i % 7)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<Dim>& other : dims) EXPECT_EQ(other, dims[0]);
  EXPECT_EQ(dims[0][9].ToString(), "10*thread_n+3");
}

}  // namespace
}  // namespace indim
