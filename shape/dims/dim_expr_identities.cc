// SPDX-License-Identifier: Apache-2.0
// Replaces sums of several atoms by a simpler equal expression:
//
//   floordiv(e,k) + floordiv(e+1,k) + ... + floordiv(e+k-1,k)    e (Hermite)
//   a*x + b*x - x^2, of x = max(a,b)                             a*b
//
// and multiples of these. So floordiv(n,2)+floordiv(n+1,2), which slices of
// every second element give, becomes n, n-floordiv(n+1,2) becomes
// floordiv(n,2), and max(n,m)*min(n,m) becomes n*m. The second identity needs
// its whole left side. A sum in its simplest form stays, so its text reads back
// to the same expression, in any order.

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_expr_internal.h"

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

// `factors` with the power of factor number `i` lowered by one.
Monomial Without(Monomial factors, size_t i) {
  if (--factors[i].power == 0) {
    factors.erase(factors.begin() + static_cast<ptrdiff_t>(i));
  }
  return factors;
}

// The number of times that `expr` contains the whole of `sum`: 2*x+3*y contains
// x+y twice, -x-y minus once.
int64_t TimesIn(const DimExpr& sum, const DimExpr& expr) {
  int64_t times = 0;
  for (const Term& term : Access::Terms(sum)) {
    const int64_t here = CoefficientOf(expr, term.factors) / term.coefficient;
    if (here == 0 || (times != 0 && (here > 0) != (times > 0))) return 0;
    if (times == 0 || std::abs(here) < std::abs(times)) times = here;
  }
  return times;
}

// Replaces M*sum by M*value in *expr, as often as it is there. Returns false
// when *expr doesn't contain the whole sum, or the result is too large.
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

// The larger the divisor, the fewer sums contain all its remainders.
constexpr int64_t kMaxRemainders = 8;

// The quotients floordiv(value+j,k), j in 0..k-1, in an expression, for a value
// without a number. Their sum minus value is 0, so any multiple of it may be
// added. The normal form adds the multiple that gives the fewest terms, then
// the fewest quotients, then the smallest coefficients.
class Quotients {
 public:
  // Finds the quotients with atom's k and value in `expr`, times M.
  Quotients(const DimAtom& atom, const Monomial& others, const DimExpr& expr)
      : k_(atom.divisor), value_(atom.a), others_(others), expr_(expr) {
    Access::AddScaled(DimExpr(CoefficientOf(atom.a, {})), -1, &value_);
    FindAtoms();
    for (const Term& term : Access::Terms(value_)) {
      const Monomial factors = Access::Product(term.factors, others);
      parts_.push_back({term.coefficient, CoefficientOf(expr, factors)});
    }
    first_quotient_ = parts_.size();
    for (const DimAtom* quotient : atoms_) {
      const int64_t here =
          quotient == nullptr
              ? 0
              : CoefficientOf(expr, Access::Product({{quotient, 1}}, others));
      parts_.push_back({-1, here});
    }
  }

  // The expression in its shortest form; nullopt: it is in that form already,
  // or too many quotients are missing.
  std::optional<DimExpr> Shortest() const {
    const bool are_small =
        std::all_of(parts_.begin(), parts_.end(), [](const Part& part) {
          return IsSmall(part.zero) && IsSmall(part.here);
        });
    if (!are_small || std::count(atoms_.begin(), atoms_.end(), nullptr) > 1) {
      return std::nullopt;
    }
    // The shortest form makes one of the parts vanish, whatever form the search
    // starts from.
    std::optional<int64_t> best;
    for (const Part& part : parts_) {
      if (part.here % part.zero != 0) continue;
      const int64_t times = -(part.here / part.zero);
      if (!best || CostOf(times) < CostOf(*best)) best = times;
    }
    if (!best || *best == 0) return std::nullopt;
    return WithTimes(*best);
  }

 private:
  // A term of value - (sum of the quotients), which is 0, times M.
  struct Part {
    int64_t zero;  // its coefficient there
    int64_t here;  // its coefficient in the expression
  };
  using Cost = std::vector<int64_t>;

  static bool IsSmall(int64_t number) {
    constexpr int64_t kSmall = int64_t{1} << 30;
    return number > -kSmall && number < kSmall;
  }

  void FindAtoms() {
    atoms_.resize(static_cast<size_t>(k_));
    for (const Term& term : Access::Terms(expr_)) {
      for (const Factor& factor : term.factors) {
        if (factor.atom->kind != Kind::kFloorDivide ||
            factor.atom->divisor != k_) {
          continue;
        }
        DimExpr rest = factor.atom->a;
        Access::AddScaled(value_, -1, &rest);
        if (rest.is_constant() && rest.constant() >= 0 &&
            rest.constant() < k_) {
          atoms_[static_cast<size_t>(rest.constant())] = factor.atom;
        }
      }
    }
  }

  // The cost of the expression plus `times` the sum that is 0. No two forms
  // have one cost.
  Cost CostOf(int64_t times) const {
    int64_t terms = 0, quotients = 0, size = 0, numbers = 0;
    Cost cost;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const int64_t there = parts_[i].here + times * parts_[i].zero;
      cost.push_back(there);
      if (there == 0) continue;
      ++terms;
      size += std::abs(there);
      if (i < first_quotient_) continue;
      ++quotients;
      numbers += static_cast<int64_t>(i - first_quotient_);
    }
    cost.insert(cost.begin(), {terms, quotients, size, numbers});
    return cost;
  }

  std::optional<DimExpr> WithTimes(int64_t times) const {
    DimExpr zero = value_;
    for (size_t j = 0; j < atoms_.size(); ++j) {
      const DimExpr quotient =
          atoms_[j] != nullptr
              ? Access::Of(atoms_[j])
              : (value_ + static_cast<int64_t>(j)).FloorDivide(k_);
      if (!quotient.valid()) return std::nullopt;
      Access::AddScaled(quotient, -1, &zero);
    }
    DimExpr result = expr_;
    Access::AddScaled(Access::Product(zero, Access::OfMonomial(others_)), times,
                      &result);
    if (!result.valid()) return std::nullopt;
    return result;
  }

  int64_t k_;
  DimExpr value_;
  const Monomial& others_;
  const DimExpr& expr_;
  std::vector<const DimAtom*> atoms_;  // by j; null: not in the expression
  std::vector<Part> parts_;            // value's, then the quotients'
  size_t first_quotient_ = 0;
};

// (x-a)*(x-b) is 0 for x = max(a,b). A max of three operands has no identity of
// degree 2.
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
        if (factor.atom->divisor > kMaxRemainders) continue;
        std::optional<DimExpr> shorter =
            Quotients(*factor.atom, others, *expr).Shortest();
        if (!shorter) continue;
        *expr = *std::move(shorter);
        return true;
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
  // Each step removes atoms, so this limit is never reached.
  constexpr int kMaxSteps = 2 * DimExpr::kMaxTerms;
  for (int i = 0; i < kMaxSteps && Step(expr); ++i) {
  }
}

}  // namespace indim
