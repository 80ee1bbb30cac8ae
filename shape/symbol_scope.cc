// SymbolScope: what is stated about symbols.

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "indim/shape/dim_expr.h"
#include "indim/shape/dim_expr_internal.h"

namespace indim {
namespace {

absl::Status NotAFact(absl::string_view fact, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", fact, "' is no fact about a symbol: ", why));
}

absl::Status Contradicts(absl::string_view fact) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", fact, "' contradicts what is known already"));
}

struct Relation {
  absl::string_view left, sign, right;
};

// Around the first of == <= >= < >.
std::optional<Relation> SplitRelation(absl::string_view fact) {
  const size_t at = fact.find_first_of("<>=");
  if (at == absl::string_view::npos) return std::nullopt;
  const size_t size = at + 1 < fact.size() && fact[at + 1] == '=' ? 2 : 1;
  Relation relation = {fact.substr(0, at), fact.substr(at, size),
                       fact.substr(at + size)};
  if (relation.sign == "=") return std::nullopt;
  return relation;
}

// What `slope * n + offset >= 0` (or == 0) says of n.
std::optional<SymbolFacts> FromLinear(int64_t slope, int64_t offset) {
  SymbolFacts facts;
  if (offset < -Dim::kInfinity) return std::nullopt;
  if (slope > 0) {
    facts.lower = -FloorDivideNumber(offset, slope);
  } else {
    facts.upper = FloorDivideNumber(offset, -slope);
  }
  return facts;
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

bool SymbolScope::State(absl::string_view name, const SymbolFacts& facts) {
  const std::optional<SymbolFacts> both = MeetFacts(FactsOf(name), facts);
  if (!both || !SymbolDim(name, *both)) return false;
  const auto value = values_.find(name);
  if (value != values_.end() &&
      (value->second.upper() < both->lower ||
       value->second.lower() > both->upper ||
       (value->second - both->remainder).IsDivisible(both->divisor) == false)) {
    return false;
  }
  // What is an expression in it has facts of its own to meet.
  const DimExpr symbol(SymbolDim(name, *both).value_or(Dim::Unknown()));
  for (auto& [other, expr] : values_) {
    const DimExpr changed = expr.Substitute({{std::string(name), symbol}});
    const SymbolFacts facts_of_other = FactsOf(other);
    if (!changed.valid() || changed.upper() < facts_of_other.lower ||
        changed.lower() > facts_of_other.upper ||
        (changed - facts_of_other.remainder)
                .IsDivisible(facts_of_other.divisor) == false) {
      return false;
    }
    expr = changed;
  }
  facts_[std::string(name)] = *both;
  return true;
}

absl::Status SymbolScope::Bind(absl::string_view name, const DimExpr& value) {
  const std::string fact = absl::StrCat(name, "==", value.ToString());
  if (!IsSymbolName(name)) return NotAFact(fact, "that is no symbol's name");
  const DimExpr::Values values = {{std::string(name), value}};
  // The symbol with its facts, which the value must meet.
  const DimExpr old = Symbol(name);
  if (old.is_constant() || values_.find(name) != values_.end()) {
    if (old == value) return absl::OkStatus();
    return Contradicts(fact);
  }
  if (!value.valid() || value.upper() < 0 || !old.Substitute(values).valid()) {
    return Contradicts(fact);
  }
  if (value.Symbols().count(std::string(name)) != 0) {
    return NotAFact(fact, "the symbol is on both sides");
  }
  for (auto& [other, expr] : values_) {
    expr = expr.Substitute(values);
    if (!expr.valid()) return Contradicts(fact);
  }
  values_.emplace(std::string(name), value);
  return absl::OkStatus();
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
    return State(name, facts) ? absl::OkStatus() : Contradicts(fact);
  }
  const absl::StatusOr<DimExpr> left = ParseDimExpr(relation->left, this);
  if (!left.ok()) return left.status();
  const absl::StatusOr<DimExpr> right = ParseDimExpr(relation->right, this);
  if (!right.ok()) return right.status();
  DimExpr difference = *left - *right;  // (sign) 0
  if (relation->sign == "==") {
    const int64_t content = difference.Content();
    if (content > 1) difference = difference.FloorDivide(content);
    if (difference == DimExpr(0)) return absl::OkStatus();
    const auto solved = difference.Solve();
    if (solved) return Bind(solved->first, solved->second);
    return difference.is_constant() || difference.lower() > 0 ||
                   difference.upper() < 0
               ? Contradicts(fact)
               : NotAFact(fact, "no symbol can be solved for");
  }
  if (relation->sign[0] == '<') difference = *right - *left;
  if (relation->sign.size() == 1) difference = difference - 1;
  // difference >= 0
  if (difference.lower() >= 0) return absl::OkStatus();
  if (difference.upper() < 0) return Contradicts(fact);
  const auto symbols = difference.Symbols();
  if (symbols.size() != 1) {
    return NotAFact(fact, "only equations may relate two symbols");
  }
  const std::string& name = symbols.begin()->first;
  // Without facts, so that 0 and 1 are values that it may have.
  const absl::StatusOr<DimExpr> plain_left = ParseDimExpr(relation->left);
  const absl::StatusOr<DimExpr> plain_right = ParseDimExpr(relation->right);
  if (!plain_left.ok() || !plain_right.ok()) {
    return NotAFact(fact, "expected a linear expression");
  }
  DimExpr plain = *plain_left - *plain_right;
  if (relation->sign[0] == '<') plain = DimExpr(0) - plain;
  if (relation->sign.size() == 1) plain = plain - 1;
  const DimExpr zero = plain.Substitute({{name, DimExpr(0)}});
  const DimExpr one = plain.Substitute({{name, DimExpr(1)}});
  const std::optional<Dim> symbol = SymbolDim(name);
  if (!zero.is_constant() || !one.is_constant() || !symbol ||
      plain != DimExpr(*symbol) * (one - zero) + zero ||
      !(one - zero).valid()) {
    return NotAFact(fact, "expected a linear expression in one symbol");
  }
  const std::optional<SymbolFacts> facts =
      FromLinear((one - zero).constant(), zero.constant());
  return facts && State(name, *facts) ? absl::OkStatus() : Contradicts(fact);
}

absl::Status SymbolScope::State(absl::string_view facts) {
  const std::string listed =
      absl::StrReplaceAll(facts, {{" and ", ","}, {"&&", ","}, {";", ","}});
  for (absl::string_view fact :
       absl::StrSplit(listed, ',', absl::SkipWhitespace())) {
    const absl::Status status = StateOne(absl::StripAsciiWhitespace(fact));
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
    const std::optional<SymbolFacts> both = MeetFacts(facts, FactsOf(name));
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
  return texts;
}

}  // namespace indim
