// SPDX-License-Identifier: Apache-2.0
// Polynomials: arithmetic in normal form, and access to the parts. For
// division, min and max see dim_expr_atoms.cc, for bounds dim_expr_bounds.cc.

#include "indim/shape/dims/dim_expr.h"

#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "indim/shape/dims/checked_math.h"
#include "indim/shape/dims/dim_expr_internal.h"

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

// Compares by degree, the highest first, then by the atoms' keys.
int Compare(const Monomial& a, const Monomial& b) {
  const int64_t a_degree = Degree(a), b_degree = Degree(b);
  if (a_degree != b_degree) return a_degree > b_degree ? -1 : 1;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i].atom != b[i].atom) return a[i].atom->key.compare(b[i].atom->key);
    if (a[i].power != b[i].power) return a[i].power > b[i].power ? -1 : 1;
  }
  return 0;  // equal degrees, equal up to the shorter one's end
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

// Calls `visit` with each symbol; with `through_facts` also with the symbols
// that facts name.
template <typename Visit>
void ForEachSymbol(const DimExpr& expr, bool through_facts,
                   const Visit& visit) {
  const auto each = [&](const std::vector<DimExpr>& others) {
    for (const DimExpr& other : others) {
      ForEachSymbol(other, through_facts, visit);
    }
  };
  for (const Term& term : Access::Terms(expr)) {
    for (const auto& factor : term.factors) {
      const DimAtom& atom = *factor.atom;
      if (atom.kind != DimAtom::Kind::kSymbol) {
        ForEachSymbol(atom.a, through_facts, visit);
        each(atom.operands);
        continue;
      }
      visit(atom);
      if (!through_facts) continue;
      each(atom.facts.floors);
      each(atom.facts.ceilings);
    }
  }
}

// A symbol after substituting `values` in its facts.
DimExpr SubstituteFacts(const DimAtom& atom, const DimExpr::Values& values) {
  SymbolFacts facts = atom.facts;
  for (auto* relations : {&facts.floors, &facts.ceilings}) {
    for (DimExpr& other : *relations) other = other.Substitute(values);
  }
  if (facts == atom.facts) return Access::Of(&atom);
  const std::optional<Dim> symbol = SymbolDim(atom.text, facts);
  if (!symbol) return DimExpr::Invalid();
  return (DimExpr(*symbol) - facts.remainder).FloorDivide(facts.divisor);
}

DimExpr SubstituteAtom(const DimAtom& atom, const DimExpr::Values& values) {
  if (atom.kind == DimAtom::Kind::kFloorDivide) {
    return atom.a.Substitute(values).FloorDivide(atom.divisor);
  }
  if (atom.kind == DimAtom::Kind::kMax) {
    std::vector<DimExpr> operands;
    for (const DimExpr& operand : atom.operands) {
      operands.push_back(operand.Substitute(values));
    }
    return MaxOf(std::move(operands));
  }
  const auto value = values.find(atom.text);
  if (value == values.end()) {
    return atom.facts.has_relations() ? SubstituteFacts(atom, values)
                                      : Access::Of(&atom);
  }
  if (!MayBe(atom.facts, value->second, values)) return DimExpr::Invalid();
  return (value->second - atom.facts.remainder).FloorDivide(atom.facts.divisor);
}

}  // namespace

const DimAtom* OnlyAtom(const Term& term) {
  if (term.factors.size() != 1 || term.factors[0].power != 1) return nullptr;
  return term.factors[0].atom;
}

// --- Polynomials ------------------------------------------------------------

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
  // -2^63 has no negation.
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
  ApplyIdentities(&sum);
  return sum;
}

DimExpr operator-(const DimExpr& a, const DimExpr& b) {
  DimExpr difference = a;
  difference.AddScaled(b, -1);
  ApplyIdentities(&difference);
  return difference;
}

DimExpr operator*(const DimExpr& a, const DimExpr& b) {
  DimExpr product = Access::Product(a, b);
  ApplyIdentities(&product);
  return product;
}

Monomial DimExprAccess::Product(const Monomial& a, const Monomial& b) {
  return Multiply(a, b);
}

DimExpr DimExprAccess::Product(const DimExpr& a, const DimExpr& b) {
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

// --- Facts about the value --------------------------------------------------

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
    result.remainder = FloorModNumber(result.remainder, result.modulus);
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
  DimExpr rest = *this;
  // m+n-max(m,n) is min(m,n); keep it together where that is shorter.
  for (const Term& term : terms_) {
    const MaxTerm found = FindMax(term);
    if (found.max == nullptr || term.coefficient > 0) continue;
    const DimExpr least = (OfAtom(found.max) - OverAll(found.max->operands)) *
                          found.factor * term.coefficient;
    const DimExpr without = rest - least;
    if (without.valid_ && without.terms_.size() + 1 < rest.terms_.size()) {
      parts.first = parts.first + least;
      rest = without;
    }
  }
  for (const Term& term : rest.terms_) {
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

bool MayBe(const SymbolFacts& facts, const DimExpr& value,
           const DimExpr::Values& values) {
  if (value.upper() < facts.lower || value.lower() > facts.upper ||
      (value - facts.remainder).IsDivisible(facts.divisor) == false) {
    return false;
  }
  const auto is_refuted = [&](const DimExpr& smaller, const DimExpr& larger) {
    return (larger - smaller).upper() < 0;
  };
  for (const DimExpr& floor : facts.floors) {
    if (is_refuted(floor.Substitute(values), value)) return false;
  }
  for (const DimExpr& ceiling : facts.ceilings) {
    if (is_refuted(value, ceiling.Substitute(values))) return false;
  }
  return true;
}

std::set<std::string> NamesIn(const DimExpr& expr) {
  std::set<std::string> names;
  ForEachSymbol(expr, /*through_facts=*/false,
                [&](const DimAtom& atom) { names.insert(atom.text); });
  return names;
}

std::map<std::string, SymbolFacts> DimExpr::Symbols() const {
  std::map<std::string, SymbolFacts> symbols;
  ForEachSymbol(*this, /*through_facts=*/true,
                [&](const DimAtom& atom) { symbols[atom.text] = atom.facts; });
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
    if (!rest.valid_ || NamesIn(rest).count(atom->text) != 0) continue;
    return std::make_pair(atom->text, rest);
  }
  return std::nullopt;
}

}  // namespace indim
