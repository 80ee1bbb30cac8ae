#include "indim/tools/settings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/passes/conditions.h"
#include "indim/shape/dim_condition.h"
#include "indim/shape/dim_expr.h"

namespace indim {
namespace {

using Symbols = std::map<std::string, SymbolFacts>;

// "n=8,x=f32[2,3]": at the commas outside brackets.
std::vector<absl::string_view> SplitSettings(absl::string_view line) {
  std::vector<absl::string_view> settings;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : ',';
    if (c == '[' || c == '(' || c == '{') ++depth;
    if (c == ']' || c == ')' || c == '}') --depth;
    if (i < line.size() && (c != ',' || depth > 0)) continue;
    settings.push_back(
        absl::StripAsciiWhitespace(line.substr(begin, i - begin)));
    begin = i + 1;
  }
  return settings;
}

bool IsParameter(const Module& module, absl::string_view name) {
  if (module.computation_count() == 0) return false;
  for (const Instruction i : module.entry().instructions()) {
    if (i.opcode() == Opcode::kParameter && i.name() == name) return true;
  }
  return false;
}

absl::Status NoSuchSymbol(const Module& module, const Symbols& symbols,
                          absl::string_view name) {
  if (IsParameter(module, name)) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is a parameter: its shape is given as ", name, "=f32[2,3]"));
  }
  std::vector<std::string> names;
  for (const auto& [known, facts] : symbols) names.push_back(known);
  return absl::InvalidArgumentError(absl::StrCat(
      "no size of the module is named ", name, "; ",
      names.empty() ? "none has a name"
                    : absl::StrCat("these are: ", absl::StrJoin(names, ", "))));
}

// All that `scope` knows is about the module's symbols, or those that its
// values name, and goes with what the module says of them.
absl::Status CheckSymbols(const Module& module, const Symbols& symbols,
                          const SymbolScope& scope) {
  Symbols named = symbols;
  for (const auto& [name, value] : scope.values()) {
    for (const auto& [other, facts] : value.Symbols()) named[other] = facts;
  }
  for (const auto& [name, value] : scope.values()) {
    if (symbols.count(name) == 0) return NoSuchSymbol(module, symbols, name);
  }
  for (const auto& [name, facts] : scope.facts()) {
    if (named.count(name) == 0) return NoSuchSymbol(module, symbols, name);
  }
  for (const auto& [name, facts] : symbols) {
    SymbolScope both = scope;
    if (both.State(name, facts)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("it contradicts what the module says: ",
                     absl::StrJoin(FactTexts(name, facts), ", ")));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RefineOptions> ReadSettings(const Module& module,
                                           absl::string_view text) {
  const Symbols symbols = SymbolsOf(module);
  RefineOptions options;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    for (const absl::string_view setting : SplitSettings(line)) {
      absl::Status added = AddSetting(setting, &options);
      if (added.ok()) added = CheckSymbols(module, symbols, options.scope);
      if (added.ok()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("--set ", setting, ": ", added.message()));
    }
  }
  return options;
}

RefineOptions SettingsOf(absl::Span<const Literal> inputs) {
  RefineOptions options;
  for (size_t i = 0; i < inputs.size(); ++i) {
    options.parameters.emplace_back(absl::StrCat(i),
                                    inputs[i].shape().WithoutLayout());
  }
  return options;
}

namespace {

// Values for `symbols` that facts allow.
void DrawSizes(const Symbols& symbols, RandomStream* random,
               SymbolScope* scope) {
  for (const auto& [name, facts] : symbols) {
    if (scope->values().count(name) != 0) continue;
    const SymbolFacts known = scope->FactsOf(name);
    // The first one from 1 up, or from where it begins, and a few more.
    const int64_t low = std::max<int64_t>(known.lower, 1);
    const int64_t first =
        low + ((known.remainder - low) % known.divisor + known.divisor) %
                  known.divisor;
    constexpr int64_t kMost = 4;
    const int64_t start = random->Between(0, kMost);
    for (int64_t k = 0; k <= kMost; ++k) {
      const int64_t value = first + (start + k) % (kMost + 1) * known.divisor;
      if (scope->Bind(name, DimExpr(value)).ok()) break;
    }
  }
}

bool Holds(const DimCondition& condition, const SymbolScope& scope) {
  const std::optional<Dim> a = scope.Apply(condition.a);
  const std::optional<Dim> b = scope.Apply(condition.b);
  return a && b && Decide({condition.kind, *a, *b}) == Answer::kProven;
}

}  // namespace

RefineOptions RandomSettings(const Module& module, RandomStream* random) {
  const Symbols symbols = SymbolsOf(module);
  const Conditions needed = CollectConditions(module);
  SymbolScope known = needed.known;
  for (const auto& [name, facts] : symbols) known.State(name, facts);
  RefineOptions options;
  constexpr int kMostDraws = 200;
  for (int draw = 0; draw < kMostDraws; ++draw) {
    options.scope = known;
    DrawSizes(symbols, random, &options.scope);
    if (std::all_of(needed.conditions.begin(), needed.conditions.end(),
                    [&](const NodeCondition& c) {
                      return Holds(c.condition, options.scope);
                    })) {
      break;
    }
  }
  return options;
}

}  // namespace indim
