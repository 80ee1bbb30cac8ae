// Expressions over symbols: one normal form, which keeps the value; facts that
// are used and never claim too much; limits that hold on hostile input.

#include "indim/shape/dim_expr.h"

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
#include "indim/shape/dim_math.h"

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
      {"n<=m", "only equations may relate two symbols"},
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

// --- Random expressions
// --------------------------------------------------------

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
  int kept = 0;
  for (int i = 0; i < 4000; ++i) {
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
    ASSERT_TRUE(again.ok()) << normal << ": " << again.status();
    EXPECT_EQ(*again, *expr)
        << text << " is " << normal << " is " << again->ToString();
  }
  EXPECT_GT(kept, 3500);
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
