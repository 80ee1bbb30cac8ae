// Arithmetic of expressions. The normal form is kept by every operation.

#include "indim/shape/dim_expr.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "indim/shape/checked_math.h"
#include "indim/shape/dim_expr_internal.h"

namespace indim {

namespace {

using Access = DimExprAccess;
using Monomial = DimExprAccess::Monomial;
using Term = DimExprAccess::Term;

int64_t Degree(const Monomial& factors) {
  int64_t degree = 0;
  for (const auto& factor : factors) degree += factor.power;
  return degree;
}

// Highest degree first, then by keys.
int Compare(const Monomial& a, const Monomial& b) {
  const int64_t a_degree = Degree(a), b_degree = Degree(b);
  if (a_degree != b_degree) return a_degree > b_degree ? -1 : 1;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i].atom != b[i].atom) return a[i].atom->key.compare(b[i].atom->key);
    if (a[i].power != b[i].power) return a[i].power > b[i].power ? -1 : 1;
  }
  return 0;  // equal degrees and equal as far as the shorter goes
}

Monomial Multiply(const Monomial& a, const Monomial& b) {
  Monomial product = a;
  for (const auto& factor : b) {
    auto at = product.begin();
    while (at != product.end() && at->atom != factor.atom &&
           at->atom->key < factor.atom->key) {
      ++at;
    }
    if (at != product.end() && at->atom == factor.atom) {
      at->power += factor.power;
    } else {
      product.insert(at, factor);
    }
  }
  return product;
}

// The only factor of a term that has one, to the first power.
const DimAtom* OnlyAtom(const Term& term) {
  if (term.factors.size() != 1 || term.factors[0].power != 1) return nullptr;
  return term.factors[0].atom;
}

struct Range {
  int64_t lower = 0;
  int64_t upper = 0;
};

Range MultiplyRanges(Range a, Range b) {
  const int64_t ends[] = {
      MultiplyBounds(a.lower, b.lower), MultiplyBounds(a.lower, b.upper),
      MultiplyBounds(a.upper, b.lower), MultiplyBounds(a.upper, b.upper)};
  return {*std::min_element(std::begin(ends), std::end(ends)),
          *std::max_element(std::begin(ends), std::end(ends))};
}

// Term by term.
Range PlainRange(const DimExpr& expr) {
  Range sum;
  for (const Term& term : Access::Terms(expr)) {
    Range range = {term.coefficient, term.coefficient};
    for (const auto& factor : term.factors) {
      for (int i = 0; i < factor.power; ++i) {
        range = MultiplyRanges(range, {factor.atom->lower, factor.atom->upper});
      }
    }
    sum.lower = AddBounds(sum.lower, range.lower);
    sum.upper = AddBounds(sum.upper, range.upper);
  }
  return sum;
}

int64_t CeilDivideBound(int64_t a, int64_t b) {
  if (a == DimExpr::kInfinity || a == -DimExpr::kInfinity) return a;
  return -FloorDivideNumber(-a, b);
}

// Term by term, floordiv(n,2) against n is anything. So a floordiv, min or max
// is also replaced by what bounds it; `budget` such steps at most.
int64_t LowerBound(const DimExpr& expr, int budget) {
  int64_t best = PlainRange(expr).lower;
  if (budget == 0 || Access::Terms(expr).size() < 2) return best;
  for (const Term& term : Access::Terms(expr)) {
    const DimAtom* atom = OnlyAtom(term);
    if (atom == nullptr || atom->kind == DimAtom::Kind::kSymbol) continue;
    const int64_t c = term.coefficient;
    const DimExpr rest = expr - DimExpr(c) * Access::Of(atom);
    if (atom->kind == DimAtom::Kind::kFloorDivide) {
      const int64_t k = atom->divisor;
      const DimExpr slack = c > 0 ? atom->a - (k - 1) : atom->a;
      const DimExpr whole = rest * k + slack * c;
      if (!whole.valid()) continue;
      return std::max(best, CeilDivideBound(LowerBound(whole, budget - 1), k));
    }
    const DimExpr with_a = rest + atom->a * c, with_b = rest + atom->b * c;
    if (!with_a.valid() || !with_b.valid()) continue;
    const int64_t a = LowerBound(with_a, budget - 1);
    const int64_t b = LowerBound(with_b, budget - 1);
    // c*max(a,b) with c > 0 is at least either; with c < 0 it is one of them.
    const bool either = (atom->kind == DimAtom::Kind::kMax) == (c > 0);
    return std::max(best, either ? std::max(a, b) : std::min(a, b));
  }
  return best;
}

constexpr int kBoundBudget = 3;

// `rest`, coefficients in 0..divisor-1, over divisor.
DimExpr FloorDivideRest(const DimExpr& rest, int64_t divisor);

DimAtom NewAtom(DimAtom::Kind kind, const DimExpr& a, const DimExpr& b) {
  DimAtom atom;
  atom.kind = kind;
  atom.a = a;
  atom.b = b;
  return atom;
}

DimExpr FloorDivideAtom(const DimExpr& a, int64_t divisor) {
  const int64_t lower = a.lower(), upper = a.upper();
  const auto bound = [divisor](int64_t end) {
    const bool infinite = end == Dim::kInfinity || end == -Dim::kInfinity;
    return infinite ? end : FloorDivideNumber(end, divisor);
  };
  if (bound(lower) == bound(upper)) return bound(lower);
  DimAtom atom = NewAtom(DimAtom::Kind::kFloorDivide, a, {});
  atom.divisor = divisor;
  atom.lower = bound(lower);
  atom.upper = bound(upper);
  return Access::Of(InternAtom(std::move(atom)));
}

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
    if (atom != nullptr && atom->kind == DimAtom::Kind::kFloorDivide) {
      const std::optional<int64_t> product =
          CheckedMultiply(atom->divisor, divisor);
      const int64_t c = terms.size() == 2 ? terms[1].coefficient : 0;
      if (!product) return DimExpr::Invalid();
      return (atom->a + DimExpr(c) * atom->divisor).FloorDivide(*product);
    }
  }
  return FloorDivideAtom(reduced, divisor);
}

DimExpr MinOrMax(DimAtom::Kind kind, const DimExpr& a, const DimExpr& b) {
  const DimExpr difference = a - b;
  if (!difference.valid()) return difference;
  const bool max = kind == DimAtom::Kind::kMax;
  if (difference.lower() >= 0) return max ? a : b;
  if (difference.upper() <= 0) return max ? b : a;
  const bool ordered = KeyOf(a) <= KeyOf(b);
  DimAtom atom = NewAtom(kind, ordered ? a : b, ordered ? b : a);
  const auto pick = [max](int64_t x, int64_t y) {
    return max ? std::max(x, y) : std::min(x, y);
  };
  atom.lower = pick(a.lower(), b.lower());
  atom.upper = pick(a.upper(), b.upper());
  return Access::Of(InternAtom(std::move(atom)));
}

}  // namespace

// --- Numbers that stand for bounds -------------------------------------------

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
  const bool infinite = a == kInfinity || a == -kInfinity || b == kInfinity ||
                        b == -kInfinity || !product;
  if (infinite) return (a > 0) == (b > 0) ? kInfinity : -kInfinity;
  return std::max(*product, -kInfinity);
}

int64_t FloorDivideNumber(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// --- Polynomials
// ---------------------------------------------------------------

DimExpr::DimExpr(int64_t constant) { Add(constant, {}); }

DimExpr::DimExpr(Dim dim) {
  if (dim.is_static()) {
    Add(dim.size(), {});
  } else if (dim.is_symbolic()) {
    *this = ExpressionAt(dim.word() & ~Dim::kSymbolicTag).expr;
  } else {
    valid_ = false;
  }
}

DimExpr DimExpr::Invalid() {
  DimExpr expr;
  expr.valid_ = false;
  return expr;
}

DimExpr DimExpr::OfAtom(const DimAtom* atom) {
  if (atom == nullptr) return Invalid();
  DimExpr expr;
  expr.terms_.push_back({1, {{atom, 1}}});
  return expr;
}

bool DimExpr::is_constant() const {
  return valid_ &&
         (terms_.empty() || (terms_.size() == 1 && terms_[0].factors.empty()));
}

int64_t DimExpr::constant() const {
  return terms_.empty() ? 0 : terms_.back().coefficient;
}

void DimExpr::Add(int64_t coefficient, const Monomial& factors) {
  if (coefficient == 0 || !valid_) return;
  // -2^63 has no opposite.
  bool fits = coefficient >= -kInfinity && Degree(factors) <= kMaxDegree;
  auto at = terms_.begin();
  int order = 1;
  while (at != terms_.end() && (order = Compare(at->factors, factors)) < 0) {
    ++at;
  }
  if (at == terms_.end() || order > 0) {
    fits = fits && terms_.size() < kMaxTerms;
    if (fits) terms_.insert(at, {coefficient, factors});
  } else {
    const std::optional<int64_t> sum = CheckedAdd(at->coefficient, coefficient);
    fits = fits && sum && *sum >= -kInfinity;
    if (fits && *sum == 0) {
      terms_.erase(at);
    } else if (fits) {
      at->coefficient = *sum;
    }
  }
  if (!fits) *this = Invalid();
}

bool DimExpr::AddScaled(const DimExpr& other, int64_t scale) {
  valid_ = valid_ && other.valid_;
  for (const Term& term : other.terms_) {
    const std::optional<int64_t> coefficient =
        CheckedMultiply(term.coefficient, scale);
    if (!coefficient) valid_ = false;
    if (!valid_) break;
    Add(*coefficient, term.factors);
  }
  if (!valid_) terms_.clear();
  return valid_;
}

DimExpr operator+(const DimExpr& a, const DimExpr& b) {
  DimExpr sum = a;
  sum.AddScaled(b, 1);
  return sum;
}

DimExpr operator-(const DimExpr& a, const DimExpr& b) {
  DimExpr difference = a;
  difference.AddScaled(b, -1);
  return difference;
}

DimExpr operator*(const DimExpr& a, const DimExpr& b) {
  DimExpr product;
  product.valid_ = a.valid_ && b.valid_;
  if (!product.valid_) return product;
  for (const auto& x : a.terms_) {
    for (const auto& y : b.terms_) {
      const std::optional<int64_t> coefficient =
          CheckedMultiply(x.coefficient, y.coefficient);
      if (!coefficient) return DimExpr::Invalid();
      product.Add(*coefficient, Multiply(x.factors, y.factors));
      if (!product.valid_) return product;
    }
  }
  return product;
}

bool operator==(const DimExpr& a, const DimExpr& b) {
  if (a.valid_ != b.valid_ || a.terms_.size() != b.terms_.size()) return false;
  for (size_t i = 0; i < a.terms_.size(); ++i) {
    if (a.terms_[i].coefficient != b.terms_[i].coefficient ||
        a.terms_[i].factors != b.terms_[i].factors) {
      return false;
    }
  }
  return true;
}

DimExpr DimExpr::FloorDivide(int64_t divisor) const {
  if (!valid_ || divisor <= 0) return Invalid();
  DimExpr whole, rest;
  for (const Term& term : terms_) {
    const int64_t quotient = FloorDivideNumber(term.coefficient, divisor);
    whole.Add(quotient, term.factors);
    rest.Add(term.coefficient - quotient * divisor, term.factors);
  }
  if (rest.terms_.empty()) return whole;
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
  return MinOrMax(DimAtom::Kind::kMax, *this, other);
}

DimExpr DimExpr::Min(const DimExpr& other) const {
  return MinOrMax(DimAtom::Kind::kMin, *this, other);
}

// --- What is known
// -------------------------------------------------------------

int64_t DimExpr::lower() const {
  return valid_ ? LowerBound(*this, kBoundBudget) : -kInfinity;
}

int64_t DimExpr::upper() const {
  const DimExpr opposite = DimExpr(0) - *this;
  return opposite.valid_ ? -LowerBound(opposite, kBoundBudget) : kInfinity;
}

DimExpr::Congruence DimExpr::congruence() const {
  if (!valid_) return {};
  Congruence result = {0, 0};
  for (const Term& term : terms_) {
    if (term.factors.empty()) {
      result.remainder = term.coefficient;
    } else {
      result.modulus = std::gcd(result.modulus, term.coefficient);
    }
  }
  if (result.modulus != 0) {
    result.remainder -=
        FloorDivideNumber(result.remainder, result.modulus) * result.modulus;
  }
  return result;
}

std::optional<bool> DimExpr::IsDivisible(int64_t divisor) const {
  if (!valid_ || divisor <= 0) return std::nullopt;
  const Congruence c = congruence();
  if (c.modulus % divisor == 0) return c.remainder % divisor == 0;
  if (c.remainder % std::gcd(c.modulus, divisor) != 0) return false;
  return std::nullopt;
}

int64_t DimExpr::Content() const {
  int64_t content = 0;
  for (const Term& term : terms_) content = std::gcd(content, term.coefficient);
  return content;
}

std::pair<DimExpr, DimExpr> DimExpr::Split() const {
  std::pair<DimExpr, DimExpr> parts;
  if (!valid_) return {Invalid(), Invalid()};
  for (const Term& term : terms_) {
    if (term.coefficient > 0) {
      parts.first.Add(term.coefficient, term.factors);
    } else {
      parts.second.Add(-term.coefficient, term.factors);
    }
  }
  return parts;
}

std::optional<Dim> DimExpr::ToDim() const {
  if (!valid_) return std::nullopt;
  if (is_constant()) {
    if (constant() < 0) return std::nullopt;
    return Dim::Static(constant());
  }
  const std::optional<uint64_t> index = InternExpression(*this);
  if (!index) return std::nullopt;
  return Dim(Dim::kSymbolicTag | *index);
}

namespace {

void CollectSymbols(const DimExpr& expr,
                    std::map<std::string, SymbolFacts>* symbols) {
  for (const Term& term : Access::Terms(expr)) {
    for (const auto& factor : term.factors) {
      if (factor.atom->kind == DimAtom::Kind::kSymbol) {
        (*symbols)[factor.atom->text] = factor.atom->facts;
      } else {
        CollectSymbols(factor.atom->a, symbols);
        CollectSymbols(factor.atom->b, symbols);
      }
    }
  }
}

DimExpr SubstituteAtom(const DimAtom& atom, const DimExpr::Values& values) {
  if (atom.kind != DimAtom::Kind::kSymbol) {
    const DimExpr a = atom.a.Substitute(values);
    if (atom.kind == DimAtom::Kind::kFloorDivide) {
      return a.FloorDivide(atom.divisor);
    }
    const DimExpr b = atom.b.Substitute(values);
    return atom.kind == DimAtom::Kind::kMin ? a.Min(b) : a.Max(b);
  }
  const auto value = values.find(atom.text);
  if (value == values.end()) return Access::Of(&atom);
  const SymbolFacts& facts = atom.facts;
  const DimExpr offset = value->second - facts.remainder;
  if (value->second.upper() < facts.lower ||
      value->second.lower() > facts.upper ||
      offset.IsDivisible(facts.divisor) == false) {
    return DimExpr::Invalid();
  }
  return offset.FloorDivide(facts.divisor);
}

}  // namespace

std::map<std::string, SymbolFacts> DimExpr::Symbols() const {
  std::map<std::string, SymbolFacts> symbols;
  CollectSymbols(*this, &symbols);
  return symbols;
}

DimExpr DimExpr::Substitute(const Values& values) const {
  DimExpr result;
  result.valid_ = valid_;
  for (const Term& term : terms_) {
    DimExpr product = term.coefficient;
    for (const Factor& factor : term.factors) {
      const DimExpr value = SubstituteAtom(*factor.atom, values);
      for (int i = 0; i < factor.power; ++i) product = product * value;
    }
    result = result + product;
  }
  return result;
}

std::optional<std::pair<std::string, DimExpr>> DimExpr::Solve() const {
  for (size_t i = terms_.size(); i-- > 0;) {
    const DimAtom* atom = OnlyAtom(terms_[i]);
    if (atom == nullptr || atom->kind != DimAtom::Kind::kSymbol) continue;
    const int64_t c = terms_[i].coefficient, q = atom->facts.divisor;
    if (c != q && c != -q) continue;
    // q*x + rest is 0, and the symbol is q*x + r.
    DimExpr rest = *this - DimExpr(c) * Access::Of(atom);
    if (c > 0) rest = DimExpr(0) - rest;
    rest = rest + atom->facts.remainder;
    if (!rest.valid_ || rest.Symbols().count(atom->text) != 0) continue;
    return std::make_pair(atom->text, rest);
  }
  return std::nullopt;
}

}  // namespace indim
