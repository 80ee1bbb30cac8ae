// SPDX-License-Identifier: Apache-2.0
// Division, min and max: when they need an atom, and how they are simplified.

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "indim/shape/dims/checked_math.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_expr_internal.h"

namespace indim {
namespace {

using Access = DimExprAccess;
using Kind = DimAtom::Kind;
using Monomial = DimExprAccess::Monomial;
using Term = DimExprAccess::Term;

// --- Division ---------------------------------------------------------------

DimExpr FloorDivideAtom(const DimExpr& a, int64_t divisor) {
  const auto bound = [divisor](int64_t end) {
    return IsInfinite(end) ? end : FloorDivideNumber(end, divisor);
  };
  DimAtom atom;
  atom.kind = Kind::kFloorDivide;
  atom.a = a;
  atom.divisor = divisor;
  atom.lower = bound(a.lower());
  atom.upper = bound(a.upper());
  if (atom.lower == atom.upper) return atom.lower;
  return Access::Of(InternAtom(std::move(atom)));
}

// floordiv(e,k) + floordiv(opposite,k) is `sum`: floordiv(-n,8) has the
// opposite floordiv(n+7,8), and the sum is 0. A coefficient c of e, in 0..k-1,
// becomes k-c.
struct Opposite {
  DimExpr opposite;
  DimExpr sum;              // e's terms but the number, each once
  bool is_smaller = false;  // by the first coefficient that differs
};

Opposite OppositeOf(const DimExpr& e, int64_t divisor) {
  Opposite result;
  result.opposite = divisor - 1;
  bool decided = false;
  for (const Term& term : Access::Terms(e)) {
    const DimExpr factors = Access::OfMonomial(term.factors);
    if (term.factors.empty()) {
      Access::AddScaled(DimExpr(term.coefficient), -1, &result.opposite);
      continue;
    }
    const int64_t other = divisor - term.coefficient;
    if (!decided && other != term.coefficient) {
      result.is_smaller = other < term.coefficient;
      decided = true;
    }
    Access::AddScaled(factors, other, &result.opposite);
    Access::AddScaled(factors, 1, &result.sum);
  }
  return result;
}

// e and k where `expr` is a floordiv(e,k) that is written through its opposite,
// because only the opposite has an atom.
std::optional<std::pair<DimExpr, int64_t>> OppositeQuotient(
    const DimExpr& expr) {
  for (const Term& term : Access::Terms(expr)) {
    const DimAtom* const atom = OnlyAtom(term);
    if (atom == nullptr || atom->kind != Kind::kFloorDivide ||
        term.coefficient != -1) {
      continue;
    }
    const Opposite opposite = OppositeOf(atom->a, atom->divisor);
    DimExpr number = expr;
    Access::AddScaled(Access::Of(atom), 1, &number);
    Access::AddScaled(opposite.sum, -1, &number);
    if (!number.is_constant() || !opposite.opposite.valid()) continue;
    return std::make_pair(opposite.opposite + number * DimExpr(atom->divisor),
                          atom->divisor);
  }
  return std::nullopt;
}

// floordiv(rest,divisor), where rest's coefficients are in 0..divisor-1.
DimExpr FloorDivideRest(const DimExpr& rest, int64_t divisor) {
  int64_t common = divisor;
  int64_t constant = 0;
  for (const Term& term : Access::Terms(rest)) {
    if (term.factors.empty()) {
      constant = term.coefficient;
    } else {
      common = std::gcd(common, term.coefficient);
    }
  }
  DimExpr reduced = FloorDivideNumber(constant, common);
  for (const Term& term : Access::Terms(rest)) {
    if (term.factors.empty()) continue;
    reduced = reduced + DimExpr(term.coefficient / common) *
                            Access::OfMonomial(term.factors);
  }
  divisor /= common;
  if (divisor == 1) return reduced;
  // floordiv(floordiv(x,a)+c,b) is floordiv(x+c*a,a*b).
  const absl::Span<const Term> terms = Access::Terms(reduced);
  const bool one_atom =
      terms.size() == 1 || (terms.size() == 2 && terms[1].factors.empty());
  if (one_atom && terms[0].coefficient == 1) {
    const DimAtom* atom = OnlyAtom(terms[0]);
    if (atom != nullptr && atom->kind == Kind::kFloorDivide) {
      const std::optional<int64_t> product =
          CheckedMultiply(atom->divisor, divisor);
      const int64_t c = terms.size() == 2 ? terms[1].coefficient : 0;
      if (!product) return DimExpr::Invalid();
      return (atom->a + DimExpr(c) * atom->divisor).FloorDivide(*product);
    }
  }
  const Opposite opposite = OppositeOf(reduced, divisor);
  if (opposite.is_smaller && opposite.opposite.valid()) {
    return opposite.sum - FloorDivideRest(opposite.opposite, divisor);
  }
  return FloorDivideAtom(reduced, divisor);
}

// --- Min and max ------------------------------------------------------------

// An operation with more operands gives an invalid expression, so that every
// operation takes bounded time.
constexpr size_t kMaxOperands = 8;

// The first term c*M*max(...) with c*M >= 0; null: there is none.
const Term* FindNestedMax(const DimExpr& operand) {
  for (const Term& term : Access::Terms(operand)) {
    const MaxTerm found = FindMax(term);
    if (found.max != nullptr && term.coefficient > 0 &&
        found.factor.lower() >= 0) {
      return &term;
    }
  }
  return nullptr;
}

// Replaces max(k*max(a,b)+x,c) by max(k*a+x,k*b+x,c). Returns false when there
// are too many operands.
bool Flatten(std::vector<DimExpr>* operands) {
  for (size_t i = 0; i < operands->size();) {
    const DimExpr operand = (*operands)[i];
    if (!operand.valid() || operands->size() > kMaxOperands) return false;
    const Term* const nested = FindNestedMax(operand);
    if (nested == nullptr) {
      ++i;
      continue;
    }
    const MaxTerm found = FindMax(*nested);
    const DimExpr times = found.factor * nested->coefficient;
    const DimExpr rest = operand - Access::Of(found.max) * times;
    operands->erase(operands->begin() + static_cast<ptrdiff_t>(i));
    for (const DimExpr& inner : found.max->operands) {
      operands->push_back(rest + inner * times);
    }
  }
  return operands->size() <= kMaxOperands;
}

// The terms that all operands share: for each product of atoms its smallest
// coefficient. For the number, it is that of the operand that has nothing else
// left, which then becomes 0 (max(0,n-1) is one atom, and as a factor one
// term); without such an operand the smallest.
DimExpr SharedBy(const std::vector<DimExpr>& operands) {
  DimExpr shared;
  for (size_t i = 0; i < operands.size(); ++i) {
    for (const Term& term : Access::Terms(operands[i])) {
      if (term.factors.empty() || CoefficientOf(shared, term.factors) != 0) {
        continue;
      }
      int64_t smallest = term.coefficient;
      for (const DimExpr& operand : operands) {
        smallest = std::min(smallest, CoefficientOf(operand, term.factors));
      }
      Access::AddScaled(Access::OfMonomial(term.factors), smallest, &shared);
    }
  }
  std::optional<int64_t> number;
  for (const DimExpr& operand : operands) {
    DimExpr left = operand;
    Access::AddScaled(shared, -1, &left);
    const int64_t constant = CoefficientOf(left, {});
    if (left.is_constant()) {
      number = constant;
      break;
    }
    number = std::min(number.value_or(constant), constant);
  }
  return shared + *number;
}

// An atom that is never negative and is a factor of all terms; null: there is
// none.
const DimAtom* FindSharedFactor(const std::vector<DimExpr>& operands) {
  const auto is_shared = [&](const DimAtom* atom) {
    if (atom->lower < 0) return false;
    for (const DimExpr& operand : operands) {
      for (const Term& term : Access::Terms(operand)) {
        if (std::none_of(term.factors.begin(), term.factors.end(),
                         [&](const auto& f) { return f.atom == atom; })) {
          return false;
        }
      }
    }
    return true;
  };
  for (const DimExpr& operand : operands) {
    for (const Term& term : Access::Terms(operand)) {
      for (const auto& factor : term.factors) {
        if (is_shared(factor.atom)) return factor.atom;
      }
      return nullptr;  // a shared factor is in the first term
    }
  }
  return nullptr;
}

// expr / atom, where the atom is a factor of each term.
DimExpr DivideByFactor(const DimExpr& expr, const DimAtom* atom) {
  DimExpr quotient;
  for (const Term& term : Access::Terms(expr)) {
    Monomial left;
    for (auto factor : term.factors) {
      if (factor.atom == atom) --factor.power;
      if (factor.power > 0) left.push_back(factor);
    }
    Access::AddScaled(Access::OfMonomial(left), term.coefficient, &quotient);
  }
  return quotient;
}

DimExpr MaxAtom(std::vector<DimExpr> operands) {
  DimAtom atom;
  atom.kind = Kind::kMax;
  atom.lower = operands[0].lower();
  atom.upper = operands[0].upper();
  for (const DimExpr& operand : operands) {
    atom.lower = std::max(atom.lower, operand.lower());
    atom.upper = std::max(atom.upper, operand.upper());
  }
  atom.operands = std::move(operands);
  return Access::Of(InternAtom(std::move(atom)));
}

// floordiv(c*max(a,b)+x,k), where k doesn't divide c, is the larger of
// floordiv(c*a+x,k) and floordiv(c*b+x,k), or the smaller if c < 0, because
// rounding down is monotonic. nullopt: there is no such max, there are several,
// or the result is too large.
std::optional<DimExpr> FloorDivideOfMax(const DimExpr& expr, int64_t divisor) {
  const Term* found = nullptr;
  for (const Term& term : Access::Terms(expr)) {
    const DimAtom* const atom = OnlyAtom(term);
    if (atom == nullptr || atom->kind != Kind::kMax ||
        term.coefficient % divisor == 0) {
      continue;
    }
    if (found != nullptr) return std::nullopt;
    found = &term;
  }
  if (found == nullptr) return std::nullopt;
  const DimAtom& max = *OnlyAtom(*found);
  const int64_t c = found->coefficient;
  const DimExpr rest = expr - Access::Of(&max) * c;
  std::vector<DimExpr> quotients;
  for (const DimExpr& operand : max.operands) {
    quotients.push_back((rest + operand * c).FloorDivide(divisor));
    if (!quotients.back().valid()) return std::nullopt;
  }
  const DimExpr result =
      c > 0 ? MaxOf(std::move(quotients)) : MinOf(std::move(quotients));
  if (!result.valid()) return std::nullopt;
  return result;
}

}  // namespace

int64_t CoefficientOf(const DimExpr& expr, const Monomial& factors) {
  for (const Term& term : Access::Terms(expr)) {
    if (term.factors == factors) return term.coefficient;
  }
  return 0;
}

bool DropDominated(std::vector<DimExpr>* operands) {
  for (size_t i = 0; i < operands->size(); ++i) {
    for (size_t k = 0; k < operands->size();) {
      const DimExpr difference = (*operands)[i] - (*operands)[k];
      if (!difference.valid()) return false;
      if (k == i || difference.lower() < 0) {
        ++k;
        continue;
      }
      operands->erase(operands->begin() + static_cast<ptrdiff_t>(k));
      if (k < i) --i;
    }
  }
  return true;
}

DimExpr MaxOf(std::vector<DimExpr> operands) {
  DimExpr outside;
  // First take out the shared terms, a shared max(a,b) as a whole. Then open
  // nested max, which may make more terms shared. Taking -max(a,b) out of one
  // operand puts it into the others.
  for (bool again = true; again;) {
    const DimExpr shared = SharedBy(operands);
    outside = outside + shared;
    again = false;
    for (DimExpr& operand : operands) {
      Access::AddScaled(shared, -1, &operand);
      again = again || FindNestedMax(operand) != nullptr;
    }
    if (!Flatten(&operands)) return DimExpr::Invalid();
    const size_t count = operands.size();
    std::sort(operands.begin(), operands.end(), Before);
    if (!DropDominated(&operands)) return DimExpr::Invalid();
    if (operands.size() == 1) return outside + operands[0];
    again = again || operands.size() != count;
  }
  // max(k*n,k*m) is k*max(n,m).
  if (const DimAtom* const factor = FindSharedFactor(operands)) {
    for (DimExpr& operand : operands) {
      operand = DivideByFactor(operand, factor);
    }
    return outside + Access::Of(factor) * MaxOf(std::move(operands));
  }
  int64_t content = 0;
  for (const DimExpr& operand : operands) {
    content = std::gcd(content, operand.Content());
  }
  for (DimExpr& operand : operands) operand = operand.FloorDivide(content);
  std::sort(operands.begin(), operands.end(), Before);
  return outside + MaxAtom(std::move(operands)) * content;
}

DimExpr MinOf(std::vector<DimExpr> operands) {
  for (DimExpr& operand : operands) operand = DimExpr(0) - operand;
  return DimExpr(0) - MaxOf(std::move(operands));
}

MaxTerm FindMax(const Term& term) {
  MaxTerm found;
  Monomial others;
  for (const auto& factor : term.factors) {
    if (found.max == nullptr && factor.power == 1 &&
        factor.atom->kind == Kind::kMax) {
      found.max = factor.atom;
    } else {
      others.push_back(factor);
    }
  }
  found.factor = Access::OfMonomial(others);
  return found;
}

std::optional<std::pair<DimExpr, int64_t>> RemainderOf(const DimExpr& expr) {
  for (const Term& term : Access::Terms(expr)) {
    const DimAtom* const atom = OnlyAtom(term);
    if (atom == nullptr || atom->kind != Kind::kFloorDivide) continue;
    const DimExpr left = atom->a - Access::Of(atom) * atom->divisor;
    if (expr == left || expr == DimExpr(0) - left) {
      return std::make_pair(atom->a, atom->divisor);
    }
  }
  return std::nullopt;
}

DimExpr OverAll(const std::vector<DimExpr>& operands) {
  DimExpr over;
  for (const DimExpr& operand : operands) {
    const DimExpr more = operand - over;
    for (const Term& term : Access::Terms(more)) {
      if (term.coefficient > 0) {
        over = over + Access::OfMonomial(term.factors) * term.coefficient;
      }
    }
  }
  return over;
}

DimExpr DimExpr::FloorDivide(int64_t divisor) const {
  if (!valid_ || divisor <= 0) return Invalid();
  if (const auto of_max = FloorDivideOfMax(*this, divisor)) return *of_max;
  if (const auto quotient = OppositeQuotient(*this)) {
    const auto product = CheckedMultiply(quotient->second, divisor);
    return product ? quotient->first.FloorDivide(*product) : Invalid();
  }
  DimExpr whole, rest;
  for (const Term& term : terms_) {
    const int64_t quotient = FloorDivideNumber(term.coefficient, divisor);
    whole.Add(quotient, term.factors);
    rest.Add(FloorModNumber(term.coefficient, divisor), term.factors);
  }
  if (rest.terms_.empty()) return whole;
  if (!whole.terms_.empty()) {
    // floordiv(mod(n,2),4) is 0; dividing term by term doesn't show it.
    const int64_t least = lower(), most = upper();
    if (!IsInfinite(least) && !IsInfinite(most) &&
        FloorDivideNumber(least, divisor) == FloorDivideNumber(most, divisor)) {
      return FloorDivideNumber(least, divisor);
    }
  }
  return whole + FloorDivideRest(rest, divisor);
}

DimExpr DimExpr::CeilDivide(int64_t divisor) const {
  if (divisor <= 0) return Invalid();
  return (*this + (divisor - 1)).FloorDivide(divisor);
}

DimExpr DimExpr::Modulo(int64_t divisor) const {
  return *this - FloorDivide(divisor) * divisor;
}

DimExpr DimExpr::Max(const DimExpr& other) const {
  return MaxOf({*this, other});
}

}  // namespace indim
