// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/values/settings.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/passes/sizes/check_settings.h"
#include "indim/passes/sizes/conditions.h"
#include "indim/shape/dims/dim_expr.h"

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

// All that `scope` knows goes with what the module says of its symbols.
absl::Status CheckFacts(const Symbols& symbols, const SymbolScope& scope) {
  for (const auto& [name, facts] : symbols) {
    SymbolScope both = scope;
    if (both.State(name, facts)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("it contradicts what the module says: ",
                     absl::StrJoin(FactTexts(name, facts), ", ")));
  }
  return absl::OkStatus();
}

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
    constexpr int64_t kMax = 4;
    const int64_t start = random->Between(0, kMax);
    for (int64_t k = 0; k <= kMax; ++k) {
      const int64_t value = first + (start + k) % (kMax + 1) * known.divisor;
      if (scope->Bind(name, DimExpr(value)).ok()) break;
    }
  }
}

bool Holds(const Condition& condition, const SymbolScope& scope) {
  const std::optional<Dim> a = scope.Apply(condition.a.size());
  const std::optional<Dim> b = scope.Apply(condition.b.size());
  return a && b && Decide({condition.kind, *a, *b}) == Answer::kProven;
}

}  // namespace

absl::StatusOr<RefineOptions> ReadSettings(const Module& module,
                                           absl::string_view text) {
  const Symbols symbols = SymbolsOf(module);
  RefineOptions options;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    for (const absl::string_view setting : SplitSettings(line)) {
      absl::Status added = AddSetting(setting, &options);
      if (added.ok()) added = CheckSettings(module, options);
      if (added.ok()) added = CheckFacts(symbols, options.scope);
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

RefineOptions RandomSettings(const Module& module, RandomStream* random) {
  const Symbols symbols = SymbolsOf(module);
  const Conditions needed = CollectConditions(module);
  SymbolScope known = needed.known;
  for (const auto& [name, facts] : symbols) known.State(name, facts);
  RefineOptions options;
  constexpr int kMaxDraws = 200;
  for (int draw = 0; draw < kMaxDraws; ++draw) {
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
