// SPDX-License-Identifier: Apache-2.0
// SymbolScope: facts and values of symbols.

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_expr_internal.h"

namespace indim {
namespace {

absl::Status NotAFact(absl::string_view fact, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", fact, "' is not a fact about a symbol: ", why));
}

absl::Status Contradicts(absl::string_view fact, absl::string_view known = "") {
  return absl::InvalidArgumentError(
      absl::StrCat("'", fact, "' contradicts what is known already",
                   known.empty() ? "" : ": ", known));
}

// The facts that a value contradicts, for messages: "n>=5, n<=8".
std::string KnownOf(absl::string_view name, const SymbolFacts& facts) {
  const std::vector<std::string> texts = FactTexts(name, facts);
  return texts.empty() ? absl::StrCat(name, ">=0") : absl::StrJoin(texts, ", ");
}

constexpr absl::string_view kTooManyFacts =
    "there are too many facts between symbols";

struct Relation {
  absl::string_view left, sign, right;
};

// `expr` with the scope's current facts and values for all symbols.
DimExpr Current(const SymbolScope& scope, const DimExpr& expr) {
  DimExpr::Values values;
  for (const std::string& name : NamesIn(expr)) {
    values.emplace(name, scope.Symbol(name));
  }
  return expr.Substitute(values);
}

// Splits at the first of == <= >= < >.
std::optional<Relation> SplitRelation(absl::string_view fact) {
  const size_t at = fact.find_first_of("<>=");
  if (at == absl::string_view::npos) return std::nullopt;
  const size_t size = at + 1 < fact.size() && fact[at + 1] == '=' ? 2 : 1;
  Relation relation = {fact.substr(0, at), fact.substr(at, size),
                       fact.substr(at + size)};
  if (relation.sign == "=") return std::nullopt;
  return relation;
}

}  // namespace

DimExpr SymbolScope::Symbol(absl::string_view name) const {
  const auto value = values_.find(name);
  if (value != values_.end()) return value->second;
  const std::optional<Dim> dim = SymbolDim(name, FactsOf(name));
  return dim ? DimExpr(*dim) : DimExpr::Invalid();
}

SymbolFacts SymbolScope::FactsOf(absl::string_view name) const {
  const auto facts = facts_.find(name);
  return facts == facts_.end() ? SymbolFacts() : facts->second;
}

bool SymbolScope::Refresh(DimExpr::Values changed) {
  // Facts name only symbols that sort before their own, so one pass suffices.
  for (const std::string& name : related_) {
    SymbolFacts& facts = facts_[name];
    const SymbolFacts before = facts;
    for (auto* relations : {&facts.floors, &facts.ceilings}) {
      for (DimExpr& other : *relations) other = other.Substitute(changed);
    }
    if (facts == before) continue;
    const std::optional<SymbolFacts> now = MeetFacts(facts, {});
    const std::optional<Dim> symbol =
        now ? SymbolDim(name, *now) : std::nullopt;
    if (!symbol) return false;
    facts = *now;
    changed_.insert(name);
    changed.emplace(name, DimExpr(*symbol));
  }
  for (auto& [name, value] : values_) {
    value = value.Substitute(changed);
    if (!value.valid() || !MayBe(FactsOf(name), value, changed)) return false;
  }
  return true;
}

bool SymbolScope::State(absl::string_view name, const SymbolFacts& facts) {
  const std::optional<SymbolFacts> both = MeetFacts(FactsOf(name), facts);
  const std::optional<Dim> symbol =
      both ? SymbolDim(name, *both) : std::nullopt;
  if (!symbol) return false;
  const auto value = values_.find(name);
  if (value != values_.end() && !MayBe(*both, value->second, {})) return false;
  facts_[std::string(name)] = *both;
  if (both->has_relations()) {
    related_.insert(std::string(name));
    changed_.insert(std::string(name));
  }
  if (related_.empty() && values_.empty()) return true;
  return Refresh({{std::string(name), DimExpr(*symbol)}});
}

absl::Status SymbolScope::Bind(absl::string_view name, const DimExpr& value) {
  const std::string fact = absl::StrCat(name, "==", value.ToString());
  if (!IsSymbolName(name))
    return NotAFact(fact, "that is not the name of a symbol");
  const DimExpr::Values values = {{std::string(name), value}};
  // The symbol with its facts, which the value must meet.
  const DimExpr old = Symbol(name);
  if (old.is_constant() || values_.find(name) != values_.end()) {
    if (old == value) return absl::OkStatus();
    return Contradicts(fact, absl::StrCat(name, "==", old.ToString()));
  }
  if (!value.valid() || value.upper() < 0 || !old.Substitute(values).valid()) {
    return Contradicts(fact, KnownOf(name, FactsOf(name)));
  }
  if (value.Symbols().count(std::string(name)) != 0) {
    return NotAFact(fact, "the symbol is on both sides of the equation");
  }
  if (values_.size() >= kMaxRelated) return NotAFact(fact, kTooManyFacts);
  if (!Refresh(values)) return Contradicts(fact);
  values_.emplace(std::string(name), value);
  return absl::OkStatus();
}

SymbolScope::Stated SymbolScope::StateAtLeast0(const DimExpr& difference) {
  if (!difference.valid()) return Stated::kNotLinear;
  if (difference.lower() >= 0) return Stated::kNoted;
  if (difference.upper() < 0) return Stated::kContradicts;
  // The fact is c*x+rest >= 0, where x is the atom of the last symbol, q*x+r.
  const std::string last = *NamesIn(difference).rbegin();
  const absl::Span<const DimExprAccess::Term> terms =
      DimExprAccess::Terms(difference);
  const auto term =
      std::find_if(terms.begin(), terms.end(), [&](const auto& t) {
        const DimAtom* const atom = OnlyAtom(t);
        return atom != nullptr && atom->kind == DimAtom::Kind::kSymbol &&
               atom->text == last;
      });
  if (term == terms.end()) return Stated::kNotLinear;
  const DimAtom& atom = *OnlyAtom(*term);
  const int64_t c = term->coefficient;
  const DimExpr rest = difference - DimExprAccess::Of(&atom) * c;
  if (NamesIn(rest).count(last) != 0) return Stated::kNotLinear;
  const DimExpr bound =
      (c > 0 ? (DimExpr(0) - rest).CeilDivide(c) : rest.FloorDivide(-c)) *
          atom.facts.divisor +
      atom.facts.remainder;
  if (!bound.valid()) return Stated::kNotLinear;
  const SymbolFacts known = FactsOf(last);
  SymbolFacts facts;
  if (bound.is_constant()) {
    (c > 0 ? facts.lower : facts.upper) = bound.constant();
  } else {
    const auto& opposite = c > 0 ? known.ceilings : known.floors;
    if (std::find(opposite.begin(), opposite.end(), bound) != opposite.end()) {
      return Bind(last, bound).ok() ? Stated::kNoted : Stated::kContradicts;
    }
    if (known.floors.size() + known.ceilings.size() >= kMaxRelations ||
        (!known.has_relations() && related_.size() >= kMaxRelated)) {
      return Stated::kTooMany;
    }
    (c > 0 ? facts.floors : facts.ceilings) = {bound};
    const std::optional<SymbolFacts> both = MeetFacts(known, facts);
    if (both && !SymbolDim(last, *both)) return Stated::kTooMany;  // too long
  }
  return State(last, facts) ? Stated::kNoted : Stated::kContradicts;
}

SymbolScope::Stated SymbolScope::StateConsequences() {
  // Each consequence is about symbols that sort before. A step limit is safe:
  // it only leaves consequences unknown.
  constexpr int kMaxSteps = 256;
  for (int step = 0; step < kMaxSteps && !changed_.empty(); ++step) {
    const SymbolFacts facts = FactsOf(*changed_.rbegin());
    changed_.erase(std::prev(changed_.end()));
    std::vector<DimExpr> at_least_0;
    for (const DimExpr& ceiling : facts.ceilings) {
      at_least_0.push_back(ceiling - facts.lower);
      for (const DimExpr& floor : facts.floors) {
        at_least_0.push_back(ceiling - floor);
      }
    }
    for (const DimExpr& floor : facts.floors) {
      if (facts.upper == Dim::kInfinity) break;
      at_least_0.push_back(DimExpr(facts.upper) - floor);
    }
    for (const DimExpr& difference : at_least_0) {
      // The step before may have changed facts of these symbols.
      if (StateAtLeast0(Current(*this, difference)) == Stated::kContradicts) {
        return Stated::kContradicts;
      }
    }
  }
  changed_.clear();
  return Stated::kNoted;
}

absl::Status SymbolScope::Finish(Stated stated, absl::string_view fact) {
  if (stated == Stated::kNoted) stated = StateConsequences();
  switch (stated) {
    case Stated::kNoted:
      return absl::OkStatus();
    case Stated::kContradicts:
      return Contradicts(fact);
    case Stated::kTooMany:
      return NotAFact(fact, kTooManyFacts);
    case Stated::kNotLinear:
      break;
  }
  return NotAFact(fact,
                  "of its symbols the last by name must be linear: n <= 2*m, "
                  "not n*n <= m");
}

absl::Status SymbolScope::StateOne(absl::string_view fact) {
  const std::optional<Relation> relation = SplitRelation(fact);
  if (!relation) return NotAFact(fact, "expected ==, <=, <, >= or >");
  // n % 8 == 0.
  const size_t percent = relation->left.find('%');
  if (percent != absl::string_view::npos) {
    const absl::string_view name =
        absl::StripAsciiWhitespace(relation->left.substr(0, percent));
    SymbolFacts facts;
    if (relation->sign != "==" || !IsSymbolName(name) ||
        !absl::SimpleAtoi(relation->left.substr(percent + 1), &facts.divisor) ||
        !absl::SimpleAtoi(relation->right, &facts.remainder) ||
        facts.divisor < 1) {
      return NotAFact(fact, "expected NAME % NUMBER == NUMBER");
    }
    return Finish(State(name, facts) ? Stated::kNoted : Stated::kContradicts,
                  fact);
  }
  const absl::StatusOr<DimExpr> left = ParseDimExpr(relation->left, this);
  if (!left.ok()) return left.status();
  const absl::StatusOr<DimExpr> right = ParseDimExpr(relation->right, this);
  if (!right.ok()) return right.status();
  DimExpr difference = *left - *right;  // compared with 0
  if (relation->sign == "==") {
    const int64_t content = difference.Content();
    if (content > 1) difference = difference.FloorDivide(content);
    if (difference == DimExpr(0)) return absl::OkStatus();
    const auto solved = difference.Solve();
    if (solved) {
      const absl::Status bound = Bind(solved->first, solved->second);
      return bound.ok() ? Finish(Stated::kNoted, fact) : bound;
    }
    // n+2 modulo 3 is 0, of the only symbol n, is n % 3 == 1.
    if (const auto remainder = RemainderOf(difference)) {
      const auto root = remainder->first.Solve();
      if (root && root->second.is_constant()) {
        SymbolFacts facts;
        facts.divisor = remainder->second;
        facts.remainder = root->second.Modulo(facts.divisor).constant();
        return Finish(
            State(root->first, facts) ? Stated::kNoted : Stated::kContradicts,
            fact);
      }
    }
    return difference.is_constant() || difference.lower() > 0 ||
                   difference.upper() < 0
               ? Contradicts(fact)
               : NotAFact(fact, "no symbol can be solved for");
  }
  if (relation->sign[0] == '<') difference = *right - *left;
  if (relation->sign.size() == 1) difference = difference - 1;
  return Finish(StateAtLeast0(difference), fact);
}

absl::Status SymbolScope::State(absl::string_view facts) {
  const std::string listed =
      absl::StrReplaceAll(facts, {{" and ", ";"}, {"&&", ";"}});
  // A comma inside parentheses belongs to min or max.
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= listed.size(); ++i) {
    const char c = i < listed.size() ? listed[i] : ';';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ';' && (c != ',' || depth > 0)) continue;
    const absl::string_view fact = absl::StripAsciiWhitespace(
        absl::string_view(listed).substr(begin, i - begin));
    begin = i + 1;
    if (fact.empty()) continue;
    const absl::Status status = StateOne(fact);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::optional<Dim> SymbolScope::Apply(Dim dim) const {
  if (!dim.is_symbolic() || empty()) return dim;
  const DimExpr expr(dim);
  DimExpr::Values values;
  for (const auto& [name, facts] : expr.Symbols()) {
    const auto value = values_.find(name);
    if (value != values_.end()) {
      values.emplace(name, value->second);
      continue;
    }
    std::optional<SymbolFacts> both = MeetFacts(facts, FactsOf(name));
    if (both && both->has_relations()) {
      // Replaces the symbols that came before.
      for (auto* relations : {&both->floors, &both->ceilings}) {
        for (DimExpr& other : *relations) other = other.Substitute(values);
      }
    }
    const std::optional<Dim> symbol =
        both ? SymbolDim(name, *both) : std::nullopt;
    if (!symbol) return std::nullopt;
    values.emplace(name, DimExpr(*symbol));
  }
  return expr.Substitute(values).ToDim();
}

std::vector<std::string> FactTexts(absl::string_view name,
                                   const SymbolFacts& facts) {
  std::vector<std::string> texts;
  if (facts.lower > 0) texts.push_back(absl::StrCat(name, ">=", facts.lower));
  if (facts.upper != Dim::kInfinity) {
    texts.push_back(absl::StrCat(name, "<=", facts.upper));
  }
  if (facts.divisor != 1) {
    texts.push_back(
        absl::StrCat(name, "%", facts.divisor, "==", facts.remainder));
  }
  for (const DimExpr& floor : facts.floors) {
    texts.push_back(absl::StrCat(name, ">=", floor.ToString()));
  }
  for (const DimExpr& ceiling : facts.ceilings) {
    texts.push_back(absl::StrCat(name, "<=", ceiling.ToString()));
  }
  return texts;
}

}  // namespace indim
