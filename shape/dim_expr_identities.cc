// Sums of different atoms that together are something simpler:
//
//   floordiv(e,k) + floordiv(e+1,k) + ... + floordiv(e+k-1,k)    e (Hermite)
//   a*x + b*x - x^2, of x = max(a,b)                             a*b
//
// times anything. So floordiv(n,2)+floordiv(n+1,2), what slices of every second
// element come to, is n, and max(n,m)*min(n,m) is n*m. Only what is there as a
// whole is replaced: no part of a sum that is as it should be would be, so a
// sum is read back as it is, in any order.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "indim/shape/dim_expr.h"
#include "indim/shape/dim_expr_internal.h"

namespace indim {
namespace {

using Access = DimExprAccess;
using Kind = DimAtom::Kind;
using Factor = DimExprAccess::Factor;
using Monomial = DimExprAccess::Monomial;
using Term = DimExprAccess::Term;

// `sum` and `value` are equal.
struct Identity {
  DimExpr sum;
  DimExpr value;
};

int64_t CoefficientOf(const DimExpr& expr, const Monomial& factors) {
  for (const Term& term : Access::Terms(expr)) {
    if (term.factors == factors) return term.coefficient;
  }
  return 0;
}

// `factors` without one power of its factor number `i`.
Monomial Without(Monomial factors, size_t i) {
  if (--factors[i].power == 0) {
    factors.erase(factors.begin() + static_cast<ptrdiff_t>(i));
  }
  return factors;
}

// How many times the whole of `sum` is in `expr`: of 2*x+3*y there is x+y
// twice, and -x-y in its opposite.
int64_t TimesIn(const DimExpr& sum, const DimExpr& expr) {
  int64_t times = 0;
  for (const Term& term : Access::Terms(sum)) {
    const int64_t here = CoefficientOf(expr, term.factors) / term.coefficient;
    if (here == 0 || (times != 0 && (here > 0) != (times > 0))) return 0;
    if (times == 0 || std::abs(here) < std::abs(times)) times = here;
  }
  return times;
}

// M times the identity. False: *expr hasn't the whole sum, or would get too
// large.
bool Apply(const Identity& identity, const Monomial& others, DimExpr* expr) {
  const DimExpr times = Access::OfMonomial(others);
  const DimExpr sum = Access::Product(identity.sum, times);
  const DimExpr value = Access::Product(identity.value, times);
  if (!sum.valid() || !value.valid()) return false;
  const int64_t count = TimesIn(sum, *expr);
  if (count == 0) return false;
  DimExpr result = *expr;
  Access::AddScaled(sum, -count, &result);
  Access::AddScaled(value, count, &result);
  if (!result.valid()) return false;
  *expr = std::move(result);
  return true;
}

// The larger a divisor, the fewer sums have all its remainders.
constexpr int64_t kMaxRemainders = 8;

// That of atom.a without its number, if all its quotients are in `expr`.
std::optional<Identity> Hermite(const DimAtom& atom, const DimExpr& expr) {
  const int64_t k = atom.divisor;
  if (k > kMaxRemainders) return std::nullopt;
  Identity identity;
  identity.value = atom.a;
  Access::AddScaled(DimExpr(CoefficientOf(atom.a, {})), -1, &identity.value);
  std::vector<const DimAtom*> quotients(static_cast<size_t>(k));
  for (const Term& term : Access::Terms(expr)) {
    for (const Factor& factor : term.factors) {
      if (factor.atom->kind != Kind::kFloorDivide ||
          factor.atom->divisor != k) {
        continue;
      }
      DimExpr rest = factor.atom->a;
      Access::AddScaled(identity.value, -1, &rest);
      if (rest.is_constant() && rest.constant() >= 0 && rest.constant() < k) {
        quotients[static_cast<size_t>(rest.constant())] = factor.atom;
      }
    }
  }
  for (const DimAtom* quotient : quotients) {
    if (quotient == nullptr) return std::nullopt;
    Access::AddScaled(Access::Of(quotient), 1, &identity.sum);
  }
  return identity;
}

// (x-a)*(x-b) is 0. A max of three is one of three: nothing of degree 2 says
// so.
std::optional<Identity> OneOfTwo(const DimAtom& atom) {
  if (atom.operands.size() != 2) return std::nullopt;
  const DimExpr max = Access::Of(&atom);
  Identity identity;
  identity.sum = Access::Product(atom.operands[0], max);
  Access::AddScaled(Access::Product(atom.operands[1], max), 1, &identity.sum);
  Access::AddScaled(Access::Product(max, max), -1, &identity.sum);
  identity.value = Access::Product(atom.operands[0], atom.operands[1]);
  return identity;
}

bool Step(DimExpr* expr) {
  const absl::Span<const Term> all = Access::Terms(*expr);
  const std::vector<Term> terms(all.begin(), all.end());
  for (const Term& term : terms) {
    for (size_t i = 0; i < term.factors.size(); ++i) {
      const Factor factor = term.factors[i];
      Monomial others = Without(term.factors, i);
      if (factor.atom->kind == Kind::kFloorDivide) {
        const auto identity = Hermite(*factor.atom, *expr);
        if (identity && Apply(*identity, others, expr)) return true;
      } else if (factor.atom->kind == Kind::kMax && factor.power >= 2) {
        const auto identity = OneOfTwo(*factor.atom);
        others = Without(std::move(others), i);
        if (identity && Apply(*identity, others, expr)) return true;
      }
    }
  }
  return false;
}

}  // namespace

void ApplyIdentities(DimExpr* expr) {
  const absl::Span<const Term> terms = Access::Terms(*expr);
  const bool may_apply =
      terms.size() > 1 &&
      std::any_of(terms.begin(), terms.end(), [](const Term& term) {
        return std::any_of(
            term.factors.begin(), term.factors.end(),
            [](Factor f) { return f.atom->kind != Kind::kSymbol; });
      });
  if (!may_apply || !expr->valid()) return;
  // Each step takes atoms away; so many are never needed.
  constexpr int kMaxSteps = 2 * DimExpr::kMaxTerms;
  for (int i = 0; i < kMaxSteps && Step(expr); ++i) {
  }
}

}  // namespace indim
