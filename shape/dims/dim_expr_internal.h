// What expressions are made of. Not part of the API.

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

// An indivisible part of an expression, kept once per process and for good.
//
// A symbol n of which n % q == r is known stands for (n - r) / q: so that n is
// q*atom+r, and what divides evenly by the facts divides the coefficients.
//
// There is no atom of a minimum: min(n,m) is n+m-max(n,m), so that a sum of
// both has one form, and reads as min(n,m) again (dim_expr_text.cc).
struct DimAtom {
  enum class Kind : uint8_t { kSymbol, kFloorDivide, kMax };
  Kind kind = Kind::kSymbol;
  // Tells it from all others, facts included; what terms are ordered by.
  std::string key;
  // As it is shown; of a symbol its name.
  std::string text;
  // Of the atom itself.
  int64_t lower = 0;
  int64_t upper = Dim::kInfinity;

  SymbolFacts facts;               // kSymbol
  const DimAtom* plain = nullptr;  // kSymbol: of this name, without facts
  DimExpr a;                       // kFloorDivide: what is divided
  int64_t divisor = 1;             // kFloorDivide
  std::vector<DimExpr> operands;   // kMax: two or more

  bool scaled() const {
    return kind == Kind::kSymbol && (facts.divisor != 1 || facts.remainder);
  }
};

// What functions on expressions need of their inside.
struct DimExprAccess {
  using Monomial = DimExpr::Monomial;
  using Factor = DimExpr::Factor;
  using Term = DimExpr::Term;

  static DimExpr Of(const DimAtom* atom) { return DimExpr::OfAtom(atom); }
  // A term's value without its coefficient.
  static DimExpr OfMonomial(const Monomial& factors) {
    DimExpr expr;
    expr.terms_.push_back({1, factors});
    return expr;
  }
  static absl::Span<const Term> Terms(const DimExpr& expr) {
    return expr.terms_;
  }
  // *expr += scale * other, and a * b, as they are: no identity is applied.
  static void AddScaled(const DimExpr& other, int64_t scale, DimExpr* expr) {
    expr->AddScaled(other, scale);
  }
  static DimExpr Product(const DimExpr& a, const DimExpr& b);
  static Monomial Product(const Monomial& a, const Monomial& b);
};

// Replaces sums of floordiv and max that together are something simpler
// (dim_expr_identities.cc).
void ApplyIdentities(DimExpr* expr);

// Names of its symbols; not of those that facts name.
std::set<std::string> NamesIn(const DimExpr& expr);

// Whether `value` may be what facts say of a symbol, others having `values`.
bool MayBe(const SymbolFacts& facts, const DimExpr& value,
           const DimExpr::Values& values);

// "max(n,m)"; "": an operand's text is too long.
std::string CallText(absl::string_view name,
                     const std::vector<DimExpr>& operands);

// Whether its text is of several terms: n+1 is, min(m,n) isn't.
bool ReadsAsSum(const DimExpr& expr);

// The only factor of a term that has one, to the first power; null: it has
// more, or none.
const DimAtom* OnlyAtom(const DimExprAccess::Term& term);

// Takes away what another is certainly not below: of n and n+1 the n. False:
// they can't be compared.
bool DropBeaten(std::vector<DimExpr>* operands);
// The greatest, or least, of one or more expressions: max(n+1,m+1) is
// max(m,n)+1, and max(max(a,b),c) is max(a,max(b,c)).
DimExpr MaxOf(std::vector<DimExpr> operands);
DimExpr MinOf(std::vector<DimExpr> operands);

// A term c*M*max(...) as its parts. The max of the first power that comes
// first; null: it has none.
struct MaxTerm {
  const DimAtom* max = nullptr;
  DimExpr factor;  // M
};
MaxTerm FindMax(const DimExprAccess::Term& term);

// The smallest x for which no x-operand has a negative coefficient, so that
// x-max(operands) is the least of these: of max(m,n) it is m+n.
DimExpr OverAll(const std::vector<DimExpr>& operands);

// e and k where `expr` is what is left of e modulo k, or the opposite:
// n-3*floordiv(n,3). nullopt: it is nothing such.
std::optional<std::pair<DimExpr, int64_t>> RemainderOf(const DimExpr& expr);

// The table of atoms and of dims.
// `atom` with everything but key and text, which of a symbol is its name. Null:
// too long, or the table is full.
const DimAtom* InternAtom(DimAtom atom);
// Of a valid expression that is no constant: 0..kMaxExpressions-1. nullopt: too
// long, certainly negative, or the table is full.
std::optional<uint64_t> InternExpression(const DimExpr& expr);
// What tells an expression from all others.
std::string KeyOf(const DimExpr& expr);
// The order of a max's operands: numbers first, then by their keys.
bool Before(const DimExpr& a, const DimExpr& b);
struct InternedExpression {
  DimExpr expr;
  std::string text;
  int64_t lower = 0;  // as a size: at least 0
  int64_t upper = Dim::kInfinity;
};
const InternedExpression& ExpressionAt(uint64_t index);

// Bounds: +-Dim::kInfinity stand for themselves and for all that is larger.
int64_t AddBounds(int64_t a, int64_t b);
int64_t MultiplyBounds(int64_t a, int64_t b);
int64_t FloorDivideNumber(int64_t a, int64_t b);  // b > 0
inline bool IsInfinite(int64_t bound) {
  return bound == Dim::kInfinity || bound == -Dim::kInfinity;
}

}  // namespace indim

#endif  // INDIM_SHAPE_DIMS_DIM_EXPR_INTERNAL_H_
