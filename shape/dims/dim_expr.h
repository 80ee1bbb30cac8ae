// SPDX-License-Identifier: Apache-2.0
// DimExpr: integer expressions over named symbols, for sizes that have a name
// instead of a number.
//
//   Dim n = *SymbolDim("n"), m = *SymbolDim("m", {1, 4096, 8});
//   (DimExpr(n) * 2 + 1).ToDim()               // 2*n+1
//   DimExpr(m).FloorDivide(4).Max(n).ToDim()   // max(floordiv(m,4),n)
//
// An expression is a polynomial with 64-bit coefficients over atoms: symbols,
// floordiv(e,k), min(e,f,...), max(e,f,...). It has one normal form: like terms
// are gathered, terms are ordered by their text, divisions that are exact are
// carried out, min and max drop operands that facts exclude, and terms that all
// their operands share stand outside (min(n+1,m+1) is min(m,n)+1). Two
// expressions with one normal form are the same Dim, compared by its word.
//
// Facts (SymbolFacts) are part of a symbol's identity: `n` without facts and
// `n` with n >= 1 are two symbols. So a Dim means the same everywhere, memoized
// answers about shapes stay true, and lower() and upper() need no context. A
// SymbolScope keeps the facts of one module or question about its symbols, so
// that one name is one symbol there.
//
// An operation whose result is too large (a coefficient past 64 bits, more than
// kMaxTerms terms, a degree over kMaxDegree, a text over kMaxText bytes) gives
// an invalid expression, and so does every operation on that. ToDim() then
// returns nullopt, and the caller uses an interval or `?`. So every operation
// takes bounded time. A table of the process keeps distinct expressions. It
// only grows, up to kMaxExpressions; then ToDim returns nullopt for new
// expressions. It is thread-safe, and no text or order depends on when an
// expression entered it.

#ifndef INDIM_SHAPE_DIMS_DIM_EXPR_H_
#define INDIM_SHAPE_DIMS_DIM_EXPR_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/dims/dim.h"

namespace indim {

struct SymbolFacts;

class DimExpr {
 public:
  static constexpr size_t kMaxTerms = 16;
  static constexpr int kMaxDegree = 8;
  static constexpr size_t kMaxText = 256;
  static constexpr uint64_t kMaxExpressions = uint64_t{1} << 17;
  // "No bound" as the result of upper(); negated, of lower().
  static constexpr int64_t kInfinity = Dim::kInfinity;

  // The expression 0.
  DimExpr() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a number is an expression.
  DimExpr(int64_t constant);
  // The expression of a static or symbolic dim; of any other dim an invalid
  // one.
  explicit DimExpr(Dim dim);
  static DimExpr Invalid();
  // Not part of the API; null gives an invalid expression.
  static DimExpr OfAtom(const struct DimAtom* atom);

  bool valid() const { return valid_; }
  bool is_constant() const;
  // The number; only when is_constant().
  int64_t constant() const;

  friend DimExpr operator+(const DimExpr& a, const DimExpr& b);
  friend DimExpr operator-(const DimExpr& a, const DimExpr& b);
  friend DimExpr operator*(const DimExpr& a, const DimExpr& b);
  // Rounded towards -infinity; invalid unless divisor > 0.
  DimExpr FloorDivide(int64_t divisor) const;
  DimExpr CeilDivide(int64_t divisor) const;
  DimExpr Modulo(int64_t divisor) const;  // in 0..divisor-1
  DimExpr Max(const DimExpr& other) const;

  // The bounds that its symbols' facts imply; +-kInfinity: no bound. An invalid
  // expression may have any value.
  int64_t lower() const;
  int64_t upper() const;
  // Every value is `remainder` modulo `modulus` (>= 1). Modulus 0: every value
  // is `remainder`.
  struct Congruence {
    int64_t modulus = 1;
    int64_t remainder = 0;
  };
  Congruence congruence() const;
  // true: `divisor` (> 0) divides every value; false: it divides none; nullopt:
  // it depends.
  std::optional<bool> IsDivisible(int64_t divisor) const;

  // The expression as a size. nullopt: invalid, certainly negative, or the
  // table is full. (An expression that may be negative passes: as a size it is
  // never negative.)
  std::optional<Dim> ToDim() const;

  // Replaces symbols, by name, by values, also inside the facts of other
  // symbols. Invalid where a value contradicts the symbol's facts.
  using Values = std::map<std::string, DimExpr, std::less<>>;
  DimExpr Substitute(const Values& values) const;

  // Its symbols with their facts, and the symbols that these facts name, by
  // name. Of two symbols with one name the last counts.
  std::map<std::string, SymbolFacts> Symbols() const;

  // The greatest number that divides all coefficients: for 4*n+6 it is 2; for 0
  // it is 0.
  int64_t Content() const;
  // The coefficient of the first term; 0 for the expression 0.
  int64_t LeadingCoefficient() const {
    return terms_.empty() ? 0 : terms_[0].coefficient;
  }
  // a and b without negative terms, so that this is a - b: 4*n-8 gives 4*n and
  // 8.
  std::pair<DimExpr, DimExpr> Split() const;
  // Solves `this == 0` for a symbol whose coefficient is 1 or -1 and that
  // occurs nowhere else: returns the symbol and the expression that it equals.
  // Of several symbols it solves for the last by name. nullopt: there is none.
  std::optional<std::pair<std::string, DimExpr>> Solve() const;

  // "2*n+1". Empty: invalid, or too long.
  std::string ToString() const;

  friend bool operator==(const DimExpr& a, const DimExpr& b);
  friend bool operator!=(const DimExpr& a, const DimExpr& b) {
    return !(a == b);
  }

 private:
  friend class Dim;
  friend struct DimExprAccess;  // dim_expr_internal.h
  struct Factor {
    const struct DimAtom* atom;
    int32_t power;
    friend bool operator==(Factor a, Factor b) {
      return a.atom == b.atom && a.power == b.power;
    }
  };
  using Monomial = absl::InlinedVector<Factor, 2>;
  struct Term {
    int64_t coefficient;
    Monomial factors;  // ordered by the atoms' keys; empty: the constant
  };

  // Adds a term at its place.
  void Add(int64_t coefficient, const Monomial& factors);
  bool AddScaled(const DimExpr& other, int64_t scale);

  bool valid_ = true;
  // Highest degree first, then by the atoms' keys; no coefficient is 0.
  absl::InlinedVector<Term, 2> terms_;
};

// The facts about a symbol n: lower <= n <= upper, n % divisor == remainder,
// and its relations to other symbols.
struct SymbolFacts {
  int64_t lower = 0;
  int64_t upper = Dim::kInfinity;
  int64_t divisor = 1;
  int64_t remainder = 0;
  // n >= e for each e in `floors`, n <= e for each e in `ceilings`. These use
  // only symbols whose names sort before n's, so that no fact depends on
  // itself. A SymbolScope turns "n <= 2*m" into this form.
  std::vector<DimExpr> floors = {};
  std::vector<DimExpr> ceilings = {};

  bool has_relations() const { return !floors.empty() || !ceilings.empty(); }

  friend bool operator==(const SymbolFacts& a, const SymbolFacts& b) {
    return a.lower == b.lower && a.upper == b.upper && a.divisor == b.divisor &&
           a.remainder == b.remainder && a.floors == b.floors &&
           a.ceilings == b.ceilings;
  }
};

// The size `name`; a static dim if the facts allow only one size. nullopt:
// `name` is not an identifier ([A-Za-z_][A-Za-z0-9_]*) or is too long, no size
// meets the facts, the divisor is below 1, or the table is full.
std::optional<Dim> SymbolDim(absl::string_view name,
                             const SymbolFacts& facts = {});

// ParseDimExpr reads "2*n+1", "(n+1)*m", "n^2", "floordiv(n,2)",
// "ceildiv(n,2)", "mod(n,8)", "min(n,m)", "max(n,m,8)".
//
// SymbolScope: the symbols of one module or question by name, with the facts
// about them.
class SymbolScope {
 public:
  // Adds facts: "n % 8 == 0", or a relation (==, <=, <, >=, >) of expressions:
  // "n >= 1", "2*n <= 8192", "n <= m", "2*n+1 < m", "mod(n-1,8) == 0". A text
  // may hold several, separated by commas or "and". An equation like "b == c"
  // or "n == 2*m" gives the last symbol a value, which then replaces it. In an
  // inequality of several symbols the last by name must be linear; its facts
  // then name the others, and consequences for the others (n <= m and m <= k
  // imply n <= k) are added too. InvalidArgument: the text is not a fact,
  // contradicts earlier facts, or exceeds kMaxRelations for a symbol or
  // kMaxRelated in all.
  static constexpr size_t kMaxRelations = 8;
  // Counts symbols that have a value, and symbols whose facts name others.
  static constexpr size_t kMaxRelated = 512;
  absl::Status State(absl::string_view facts);
  // Adds `facts` to the earlier ones about `name`. Returns false when no size
  // meets both.
  bool State(absl::string_view name, const SymbolFacts& facts);
  // Gives `name` the value `value`. InvalidArgument: it contradicts the
  // symbol's facts or value.
  absl::Status Bind(absl::string_view name, const DimExpr& value);

  // The symbol with its facts, or its value.
  DimExpr Symbol(absl::string_view name) const;
  // The facts about it; the default struct when there are none.
  SymbolFacts FactsOf(absl::string_view name) const;
  const std::map<std::string, SymbolFacts, std::less<>>& facts() const {
    return facts_;
  }
  const DimExpr::Values& values() const { return values_; }
  bool empty() const { return facts_.empty() && values_.empty(); }

  // The dim with this scope's facts and values for its symbols. nullopt: they
  // contradict the dim, or the result is too large.
  std::optional<Dim> Apply(Dim dim) const;

 private:
  enum class Stated { kNoted, kContradicts, kNotLinear, kTooMany };

  absl::Status StateOne(absl::string_view fact);
  // Adds the fact `difference` >= 0.
  Stated StateAtLeast0(const DimExpr& difference);
  // Adds what the facts of changed_ imply for other symbols.
  Stated StateConsequences();
  // Substitutes changed symbols in everything that names them. Returns false
  // when that contradicts.
  bool Refresh(DimExpr::Values changed);
  // Adds the consequences and turns the outcome of stating `fact` into a
  // Status.
  absl::Status Finish(Stated stated, absl::string_view fact);

  std::map<std::string, SymbolFacts, std::less<>> facts_;
  DimExpr::Values values_;
  std::set<std::string> related_;  // symbols whose facts name others
  std::set<std::string> changed_;  // of related_: consequences not added yet
};

// Reads a whole text. InvalidArgument names the expected token and its column
// (from 1), or says that the expression is too large.
absl::StatusOr<DimExpr> ParseDimExpr(absl::string_view text,
                                     const SymbolScope* scope = nullptr);

// The facts in words that SymbolScope::State reads: "n>=1", "n<=4096",
// "n%8==0".
std::vector<std::string> FactTexts(absl::string_view name,
                                   const SymbolFacts& facts);

// The facts that mean `a` and `b`; nullopt: no size meets both, or the divisor
// grows too large.
std::optional<SymbolFacts> MeetFacts(const SymbolFacts& a,
                                     const SymbolFacts& b);

// [A-Za-z_][A-Za-z0-9_]*, not too long, and not MeansUnknown.
bool IsSymbolName(absl::string_view text);

// True for "None", "null" and the like, in any case: words of other systems for
// an unknown size. As a symbol's name such a word would make all unknown sizes
// equal, so it is not allowed.
bool MeansUnknown(absl::string_view name);

}  // namespace indim

#endif  // INDIM_SHAPE_DIMS_DIM_EXPR_H_
