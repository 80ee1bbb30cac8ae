// SPDX-License-Identifier: Apache-2.0
// Bounds of the value of an expression.

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <vector>

#include "indim/shape/dims/checked_math.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_expr_internal.h"

namespace indim {
namespace {

using Access = DimExprAccess;
using Term = DimExprAccess::Term;

struct Interval {
  int64_t lower = 0;
  int64_t upper = 0;
};

Interval MultiplyRanges(Interval a, Interval b) {
  const int64_t ends[] = {
      MultiplyBounds(a.lower, b.lower), MultiplyBounds(a.lower, b.upper),
      MultiplyBounds(a.upper, b.lower), MultiplyBounds(a.upper, b.upper)};
  return {*std::min_element(std::begin(ends), std::end(ends)),
          *std::max_element(std::begin(ends), std::end(ends))};
}

// The sum of the terms' lower bounds.
int64_t PlainLower(const DimExpr& expr) {
  int64_t sum = 0;
  for (const Term& term : Access::Terms(expr)) {
    Interval range = {term.coefficient, term.coefficient};
    for (const auto& factor : term.factors) {
      for (int i = 0; i < factor.power; ++i) {
        range = MultiplyRanges(range, {factor.atom->lower, factor.atom->upper});
      }
    }
    sum = AddBounds(sum, range.lower);
  }
  return sum;
}

int64_t CeilDivideBound(int64_t a, int64_t b) {
  return IsInfinite(a) ? a : -FloorDivideNumber(-a, b);
}

int64_t LowerBound(const DimExpr& expr, int budget);

// The lower bound of rest + c*numerator/divisor: the best one over all
// `numerators`, or, if only one of them holds, the worst.
int64_t WithEach(const DimExpr& rest, const std::vector<DimExpr>& numerators,
                 int64_t c, int64_t divisor, bool best, int budget) {
  // More alternatives leave less budget for each.
  constexpr size_t kFew = 2;
  const int left = std::max(0, budget - (numerators.size() > kFew ? 2 : 1));
  std::optional<int64_t> bound;
  for (const DimExpr& numerator : numerators) {
    const DimExpr whole = rest * divisor + numerator * c;
    if (!whole.valid()) {
      if (best) continue;
      return -Dim::kInfinity;
    }
    const int64_t one = CeilDivideBound(LowerBound(whole, left), divisor);
    bound = !bound ? one : best ? std::max(*bound, one) : std::min(*bound, one);
  }
  return bound.value_or(-Dim::kInfinity);
}

// The last symbol with a relation to others that bounds the expression from
// below.
const Term* FindRelated(const DimExpr& expr) {
  const absl::Span<const Term> terms = Access::Terms(expr);
  for (size_t i = terms.size(); i-- > 0;) {
    const DimAtom* const atom = OnlyAtom(terms[i]);
    if (atom == nullptr || atom->kind != DimAtom::Kind::kSymbol) continue;
    const bool rises = terms[i].coefficient > 0;
    if (!(rises ? atom->facts.floors : atom->facts.ceilings).empty()) {
      return &terms[i];
    }
  }
  return nullptr;
}

// Bounds `expr` by replacing a floordiv by its own bound.
std::optional<int64_t> WithoutFloorDivide(const DimExpr& expr, int budget) {
  for (const Term& term : Access::Terms(expr)) {
    const DimAtom* const atom = OnlyAtom(term);
    if (atom == nullptr || atom->kind != DimAtom::Kind::kFloorDivide) continue;
    const int64_t c = term.coefficient, k = atom->divisor;
    const DimExpr rest = expr - Access::Of(atom) * c;
    return WithEach(rest, {c > 0 ? atom->a - (k - 1) : atom->a}, c, k, true,
                    budget);
  }
  return std::nullopt;
}

// Bounds `expr` by replacing c*M*max(a,b), M >= 0: with c > 0 it is at least
// either operand's term; with c < 0 it is one of them.
std::optional<int64_t> WithoutMax(const DimExpr& expr, int budget) {
  for (const Term& term : Access::Terms(expr)) {
    const MaxTerm found = FindMax(term);
    if (found.max == nullptr || PlainLower(found.factor) < 0) continue;
    const int64_t c = term.coefficient;
    std::vector<DimExpr> operands = found.max->operands;
    for (DimExpr& operand : operands) operand = operand * found.factor;
    const DimExpr rest = expr - Access::Of(found.max) * found.factor * c;
    return WithEach(rest, operands, c, 1, c > 0, budget);
  }
  return std::nullopt;
}

// Bounds `expr` by replacing a symbol by its floors or ceilings.
std::optional<int64_t> WithoutRelated(const DimExpr& expr, int budget) {
  const Term* const related = FindRelated(expr);
  if (related == nullptr) return std::nullopt;
  const DimAtom& atom = *related->factors[0].atom;
  const int64_t c = related->coefficient;
  // The atom is (symbol - remainder) / divisor.
  std::vector<DimExpr> ends = c > 0 ? atom.facts.floors : atom.facts.ceilings;
  for (DimExpr& end : ends) end = end - atom.facts.remainder;
  return WithEach(expr - Access::Of(&atom) * c, ends, c, atom.facts.divisor,
                  true, budget);
}

// Term by term, floordiv(n,2) - n has no bound. So it also replaces a term by
// what bounds it, in at most `budget` steps.
int64_t LowerBound(const DimExpr& expr, int budget) {
  const int64_t plain = PlainLower(expr);
  if (budget == 0 || Access::Terms(expr).size() < 2) return plain;
  for (auto without : {WithoutMax, WithoutFloorDivide, WithoutRelated}) {
    if (const std::optional<int64_t> bound = without(expr, budget)) {
      return std::max(plain, *bound);
    }
  }
  return plain;
}

constexpr int kBoundBudget = 3;

}  // namespace

int64_t DimExpr::lower() const {
  if (!valid_) return -kInfinity;
  // The bound of 4*e+1 follows from the bound of e, which is rounded up to an
  // integer.
  int64_t number = 0, content = 0;
  for (const Term& term : terms_) {
    if (term.factors.empty()) {
      number = term.coefficient;
    } else {
      content = std::gcd(content, term.coefficient);
    }
  }
  if (content == 0) return number;
  const DimExpr reduced = (*this - number).FloorDivide(content);
  return AddBounds(MultiplyBounds(content, LowerBound(reduced, kBoundBudget)),
                   number);
}

int64_t DimExpr::upper() const {
  const DimExpr opposite = DimExpr(0) - *this;
  return opposite.valid_ ? -opposite.lower() : kInfinity;
}

int64_t AddBounds(int64_t a, int64_t b) {
  constexpr int64_t kInfinity = Dim::kInfinity;
  if (a == kInfinity || a == -kInfinity) return a;
  if (b == kInfinity || b == -kInfinity) return b;
  const std::optional<int64_t> sum = CheckedAdd(a, b);
  if (sum) return std::max(*sum, -kInfinity);
  return a > 0 ? kInfinity : -kInfinity;
}

int64_t MultiplyBounds(int64_t a, int64_t b) {
  constexpr int64_t kInfinity = Dim::kInfinity;
  if (a == 0 || b == 0) return 0;
  const std::optional<int64_t> product = CheckedMultiply(a, b);
  if (IsInfinite(a) || IsInfinite(b) || !product) {
    return (a > 0) == (b > 0) ? kInfinity : -kInfinity;
  }
  return std::max(*product, -kInfinity);
}

int64_t FloorDivideNumber(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

int64_t FloorModNumber(int64_t a, int64_t b) {
  return a % b + (a % b < 0 ? b : 0);
}

}  // namespace indim
