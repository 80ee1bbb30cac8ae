// What expressions are made of. Not part of the API.

#ifndef INDIM_SHAPE_DIM_EXPR_INTERNAL_H_
#define INDIM_SHAPE_DIM_EXPR_INTERNAL_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "indim/shape/dim_expr.h"

namespace indim {

// An indivisible part of an expression, kept once per process and for good.
//
// A symbol n of which n % q == r is known stands for (n - r) / q: so that n is
// q*atom+r, and what divides evenly by the facts divides the coefficients.
struct DimAtom {
  enum class Kind : uint8_t { kSymbol, kFloorDivide, kMin, kMax };
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
  DimExpr a, b;                    // kMin, kMax; a alone: kFloorDivide
  int64_t divisor = 1;             // kFloorDivide

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
};

// The table of atoms and of dims.
// `atom` with everything but key and text, which of a symbol is its name. Null:
// too long, or the table is full.
const DimAtom* InternAtom(DimAtom atom);
// Of a valid expression that is no constant: 0..kMaxExpressions-1. nullopt: too
// long, certainly negative, or the table is full.
std::optional<uint64_t> InternExpression(const DimExpr& expr);
// What tells an expression from all others.
std::string KeyOf(const DimExpr& expr);
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

}  // namespace indim

#endif  // INDIM_SHAPE_DIM_EXPR_INTERNAL_H_
