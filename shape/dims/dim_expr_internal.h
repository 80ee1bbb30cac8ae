// SPDX-License-Identifier: Apache-2.0
// The inside of expressions. Not part of the API.

#ifndef INDIM_SHAPE_DIMS_DIM_EXPR_INTERNAL_H_
#define INDIM_SHAPE_DIMS_DIM_EXPR_INTERNAL_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/dims/dim_expr.h"

namespace indim {

// An indivisible part of an expression, kept once per process and never freed.
//
// A symbol n with the fact n % q == r has an atom that stands for (n - r) / q.
// Then n is q*atom+r, and a division that is exact by the facts divides the
// coefficients.
//
// A minimum has no atom: min(n,m) is n+m-max(n,m), so that sums of both have
// one form. The text shows it as min(n,m) again (dim_expr_text.cc).
struct DimAtom {
  enum class Kind : uint8_t { kSymbol, kFloorDivide, kMax };
  Kind kind = Kind::kSymbol;
  // Identifies the atom, facts included; terms are ordered by it.
  std::string key;
  // The displayed text; for a symbol its name.
  std::string text;
  // Bounds of the atom itself.
  int64_t lower = 0;
  int64_t upper = Dim::kInfinity;

  SymbolFacts facts;  // kSymbol
  const DimAtom* plain =
      nullptr;                    // kSymbol: the one of this name without facts
  DimExpr a;                      // kFloorDivide: the dividend
  int64_t divisor = 1;            // kFloorDivide
  std::vector<DimExpr> operands;  // kMax: two or more

  bool scaled() const {
    return kind == Kind::kSymbol && (facts.divisor != 1 || facts.remainder);
  }
};

// Access to the members of DimExpr for functions on expressions.
struct DimExprAccess {
  using Monomial = DimExpr::Monomial;
  using Factor = DimExpr::Factor;
  using Term = DimExpr::Term;

  static DimExpr Of(const DimAtom* atom) { return DimExpr::OfAtom(atom); }
  // A term without its coefficient.
  static DimExpr OfMonomial(const Monomial& factors) {
    DimExpr expr;
    expr.terms_.push_back({1, factors});
    return expr;
  }
  static absl::Span<const Term> Terms(const DimExpr& expr) {
    return expr.terms_;
  }
  // *expr += scale * other, and a * b, without applying identities.
  static void AddScaled(const DimExpr& other, int64_t scale, DimExpr* expr) {
    expr->AddScaled(other, scale);
  }
  static DimExpr Product(const DimExpr& a, const DimExpr& b);
  static Monomial Product(const Monomial& a, const Monomial& b);
};

// Replaces sums of floordiv and max by a simpler equal expression, where there
// is one (dim_expr_identities.cc).
void ApplyIdentities(DimExpr* expr);

// The coefficient of the term with these factors; 0: there is none.
int64_t CoefficientOf(const DimExpr& expr,
                      const DimExprAccess::Monomial& factors);

// The names of its symbols, without those that their facts name.
std::set<std::string> NamesIn(const DimExpr& expr);

// Whether `value` is possible for a symbol with `facts`, when other symbols
// have `values`.
bool MayBe(const SymbolFacts& facts, const DimExpr& value,
           const DimExpr::Values& values);

// "max(n,m)"; "" where an operand's text is too long.
std::string CallText(absl::string_view name,
                     const std::vector<DimExpr>& operands);

// Whether its text is a sum: true for n+1, false for min(m,n).
bool ReadsAsSum(const DimExpr& expr);

// The only factor of a term, if it has exactly one, to the first power; else
// null.
const DimAtom* OnlyAtom(const DimExprAccess::Term& term);

// Removes each operand that another one certainly reaches: n, where n+1 is
// there too. Returns false where a difference is too large to keep.
bool DropDominated(std::vector<DimExpr>* operands);
// The greatest, or least, of one or more expressions, in normal form:
// max(n+1,m+1) gives max(m,n)+1, and max(max(a,b),c) gives max(a,max(b,c)).
DimExpr MaxOf(std::vector<DimExpr> operands);
DimExpr MinOf(std::vector<DimExpr> operands);

// A term c*M*max(...), split into its parts. Of several max factors of power 1
// it takes the first; `max` is null where there is none.
struct MaxTerm {
  const DimAtom* max = nullptr;
  DimExpr factor;  // M
};
MaxTerm FindMax(const DimExprAccess::Term& term);

// The smallest x such that x-operand has no negative coefficient for any
// operand; then x-max(operands) is their least. For max(m,n) it is m+n.
DimExpr OverAll(const std::vector<DimExpr>& operands);

// e and k where `expr` is e modulo k, or its negation: n-3*floordiv(n,3).
// nullopt: it doesn't have this form.
std::optional<std::pair<DimExpr, int64_t>> RemainderOf(const DimExpr& expr);

// The table of atoms and of dims.
// Interns `atom`, whose key need not be set, nor its text unless it is a
// symbol's name. Null: too long, or the table is full.
const DimAtom* InternAtom(DimAtom atom);
// The index in 0..kMaxExpressions-1 of a valid expression that is not constant.
// nullopt: too long, certainly negative, or the table is full.
std::optional<uint64_t> InternExpression(const DimExpr& expr);
// A text that identifies the expression.
std::string KeyOf(const DimExpr& expr);
// The order of a max's operands: numbers first, then by key.
bool Before(const DimExpr& a, const DimExpr& b);
struct InternedExpression {
  DimExpr expr;
  std::string text;
  int64_t lower = 0;  // as a size: at least 0
  int64_t upper = Dim::kInfinity;
};
const InternedExpression& ExpressionAt(uint64_t index);

// Arithmetic on bounds: +-Dim::kInfinity stands for itself and for any larger
// number.
int64_t AddBounds(int64_t a, int64_t b);
int64_t MultiplyBounds(int64_t a, int64_t b);
int64_t FloorDivideNumber(int64_t a, int64_t b);  // b > 0
int64_t FloorModNumber(int64_t a, int64_t b);     // b > 0; 0..b-1
inline bool IsInfinite(int64_t bound) {
  return bound == Dim::kInfinity || bound == -Dim::kInfinity;
}

}  // namespace indim

#endif  // INDIM_SHAPE_DIMS_DIM_EXPR_INTERNAL_H_
