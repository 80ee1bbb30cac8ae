// DimExpr: integer expressions over named symbols, for sizes that have a name
// instead of a number.
//
//   Dim n = *SymbolDim("n"), m = *SymbolDim("m", {1, 4096, 8});
//   (DimExpr(n) * 2 + 1).ToDim()               // 2*n+1
//   DimExpr(m).FloorDivide(4).Max(n).ToDim()   // max(floordiv(m,4),n)
//
// An expression is a polynomial with 64-bit coefficients over atoms: symbols,
// floordiv(e,k), min(e,f,...), max(e,f,...). It has one normal form: like terms
// are gathered, terms stand in the order of their text, what divides evenly is
// divided, operands of min and max that facts decide against are gone, what the
// others share stands outside (min(n+1,m+1) is min(m,n)+1). Two expressions of
// one normal form are the same Dim, compared by its word.
//
// Facts (SymbolFacts) belong to a symbol's identity: `n` of which nothing is
// known and `n` that is at least 1 are two symbols. So a Dim means the same
// wherever it is met, answers that are remembered by shapes stay true, and
// lower() and upper() need no context. A SymbolScope keeps what a module or a
// question says of its symbols, so that one name is one symbol there.
//
// What an arithmetic operation can't keep (a coefficient past 64 bits, more
// than kMaxTerms terms, a degree over kMaxDegree, a text over kMaxText bytes)
// makes the expression invalid, and so is all that is made of it; ToDim() then
// says nullopt and the caller widens (an interval, or `?`). So nothing here
// takes more than a bounded time. Distinct expressions are kept in a table of
// the process that only grows, to kMaxExpressions at most (then ToDim says
// nullopt of new ones); it is safe to use from many threads, and no text or
// order depends on when an expression came into it.

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
  // Of bounds.
  static constexpr int64_t kInfinity = Dim::kInfinity;

  // 0.
  DimExpr() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a number is an expression.
  DimExpr(int64_t constant);
  // Of a static or symbolic dim; any other gives an invalid expression.
  explicit DimExpr(Dim dim);
  static DimExpr Invalid();
  // Not part of the API; null gives an invalid expression.
  static DimExpr OfAtom(const struct DimAtom* atom);

  bool valid() const { return valid_; }
  bool is_constant() const;
  // The number, when it is_constant().
  int64_t constant() const;

  friend DimExpr operator+(const DimExpr& a, const DimExpr& b);
  friend DimExpr operator-(const DimExpr& a, const DimExpr& b);
  friend DimExpr operator*(const DimExpr& a, const DimExpr& b);
  // Rounded towards -infinity; invalid unless divisor > 0.
  DimExpr FloorDivide(int64_t divisor) const;
  DimExpr CeilDivide(int64_t divisor) const;
  DimExpr Modulo(int64_t divisor) const;  // in 0..divisor-1
  DimExpr Max(const DimExpr& other) const;

  // What its symbols' facts say of its value; +-kInfinity: no bound. An invalid
  // expression may have any value.
  int64_t lower() const;
  int64_t upper() const;
  // Every value is `remainder` modulo `modulus` (>= 1), or, modulus 0, the
  // constant `remainder`.
  struct Congruence {
    int64_t modulus = 1;
    int64_t remainder = 0;
  };
  Congruence congruence() const;
  // Proven or refuted that `divisor` (> 0) divides it; nullopt: it depends.
  std::optional<bool> IsDivisible(int64_t divisor) const;

  // The size. nullopt: invalid, certainly negative, or the table is full. (An
  // expression that may be negative is taken at its word: as a size it isn't.)
  std::optional<Dim> ToDim() const;

  // With values for some symbols, by name, which facts about others see too.
  // Invalid where a value can't be what the symbol's facts say.
  using Values = std::map<std::string, DimExpr, std::less<>>;
  DimExpr Substitute(const Values& values) const;

  // Names of its symbols with their facts, and of those that facts name, by
  // name (of two symbols of one name the last).
  std::map<std::string, SymbolFacts> Symbols() const;

  // The greatest c that divides all coefficients: 4*n+6 has 2; 0 has 0.
  int64_t Content() const;
  // Of its first term; 0 has 0.
  int64_t LeadingCoefficient() const {
    return terms_.empty() ? 0 : terms_[0].coefficient;
  }
  // This is a - b, both without negative terms: 4*n-8 is 4*n, 8.
  std::pair<DimExpr, DimExpr> Split() const;
  // Where `this == 0` says what one symbol is (its coefficient is 1 or -1 and
  // it occurs nowhere else): the symbol and the expression that it equals. Of
  // several the one that sorts last.
  std::optional<std::pair<std::string, DimExpr>> Solve() const;

  // "2*n+1". Empty: invalid, or the text is too long.
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
    Monomial factors;  // by the atoms' keys; empty: the constant
  };

  // Adds a term, whatever its place.
  void Add(int64_t coefficient, const Monomial& factors);
  bool AddScaled(const DimExpr& other, int64_t scale);

  bool valid_ = true;
  // Highest degree first, then by keys; no coefficient is 0.
  absl::InlinedVector<Term, 2> terms_;
};

// What is known of a symbol: lower <= n <= upper, n % divisor == remainder, and
// how it stands to others.
struct SymbolFacts {
  int64_t lower = 0;
  int64_t upper = Dim::kInfinity;
  int64_t divisor = 1;
  int64_t remainder = 0;
  // n >= e for each of `floors`, n <= e for each of `ceilings`: expressions of
  // symbols whose names sort before n's, so that no fact needs itself. A
  // SymbolScope turns "n <= 2*m" into these.
  std::vector<DimExpr> floors = {};
  std::vector<DimExpr> ceilings = {};

  bool has_relations() const { return !floors.empty() || !ceilings.empty(); }

  friend bool operator==(const SymbolFacts& a, const SymbolFacts& b) {
    return a.lower == b.lower && a.upper == b.upper && a.divisor == b.divisor &&
           a.remainder == b.remainder && a.floors == b.floors &&
           a.ceilings == b.ceilings;
  }
};

// The size `name`. One that facts leave no choice is static. nullopt: `name` is
// no identifier ([A-Za-z_][A-Za-z0-9_]*) or too long, no size meets the facts,
// the divisor is below 1, or the table is full.
std::optional<Dim> SymbolDim(absl::string_view name,
                             const SymbolFacts& facts = {});

// Reads "2*n+1", "(n+1)*m", "n^2", "floordiv(n,2)", "ceildiv(n,2)",
// "mod(n,8)", "min(n,m)", "max(n,m,8)".
//
// SymbolScope: the symbols of one module or question by name, and what is known
// of them.
class SymbolScope {
 public:
  // Notes one fact: "n % 8 == 0", or a relation (==, <=, <, >=, >) of
  // expressions: "n >= 1", "2*n <= 8192", "n <= m", "2*n+1 < m". "b == c" and
  // "n == 2*m" give the last symbol a value, which then stands for it. Of
  // several symbols in an inequality the last by name must be linear in it; its
  // facts name the others then, and what follows for these alone (of n <= m and
  // m <= k that n <= k) is noted too. Several facts may stand in one text,
  // between commas or "and". InvalidArgument: it is no such fact, contradicts
  // what was stated before, or is one too many (kMaxRelations of a symbol,
  // kMaxRelated in all).
  static constexpr size_t kMaxRelations = 8;
  // Of symbols that have a value, and of those whose facts name others.
  static constexpr size_t kMaxRelated = 512;
  absl::Status State(absl::string_view facts);
  // The same of facts that are known already; those stated before stay. False:
  // no size meets both.
  bool State(absl::string_view name, const SymbolFacts& facts);
  // `name` is `value`. InvalidArgument: it has facts or a value that
  // contradict.
  absl::Status Bind(absl::string_view name, const DimExpr& value);

  // The symbol, or its value.
  DimExpr Symbol(absl::string_view name) const;
  // What is known of it; all defaults: nothing.
  SymbolFacts FactsOf(absl::string_view name) const;
  const std::map<std::string, SymbolFacts, std::less<>>& facts() const {
    return facts_;
  }
  const DimExpr::Values& values() const { return values_; }
  bool empty() const { return facts_.empty() && values_.empty(); }

  // The dim with this scope's facts and values in the place of what its symbols
  // had. nullopt: it contradicts them, or can't be kept.
  std::optional<Dim> Apply(Dim dim) const;

 private:
  enum class Stated { kNoted, kContradicts, kNotLinear, kTooMany };

  absl::Status StateOne(absl::string_view fact);
  // `difference` >= 0.
  Stated StateAtLeast0(const DimExpr& difference);
  // What facts that have changed say of other symbols.
  Stated StateConsequences();
  // Values for symbols, to all that names them; false: that contradicts.
  bool Refresh(DimExpr::Values changed);
  // The last step of stating something.
  absl::Status Finish(Stated stated, absl::string_view fact);

  std::map<std::string, SymbolFacts, std::less<>> facts_;
  DimExpr::Values values_;
  std::set<std::string> related_;  // whose facts name others
  std::set<std::string> changed_;  // of these whose consequences are not stated
};

// A whole text. InvalidArgument says what was expected and where (columns from
// 1), or that the expression is too large to keep.
absl::StatusOr<DimExpr> ParseDimExpr(absl::string_view text,
                                     const SymbolScope* scope = nullptr);

// "n>=1", "n<=4096", "n%8==0": what State understands.
std::vector<std::string> FactTexts(absl::string_view name,
                                   const SymbolFacts& facts);

// Both at once; nullopt: no size meets them (or the divisor grows too large).
std::optional<SymbolFacts> MeetFacts(const SymbolFacts& a,
                                     const SymbolFacts& b);

// [A-Za-z_][A-Za-z0-9_]*, not too long, and not one of MeansUnknown.
bool IsSymbolName(absl::string_view text);

// "None", "null" and the like, in letters of any case: what other systems write
// for a size that isn't known. As a name all such sizes would be equal, so no
// size is called so.
bool MeansUnknown(absl::string_view name);

}  // namespace indim

#endif  // INDIM_SHAPE_DIMS_DIM_EXPR_H_
