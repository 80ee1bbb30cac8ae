#include "indim/tools/settings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "indim/passes/sizes/conditions.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/infer/dim_condition.h"
#include "indim/shape/ops/attributes.h"

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

// The entry's parameter of that name, or of that number.
std::optional<Instruction> FindParameter(const Module& module,
                                         absl::string_view name) {
  if (module.computation_count() == 0) return std::nullopt;
  int64_t number = -1;
  const bool is_number = absl::SimpleAtoi(name, &number);
  for (const Instruction i : module.entry().instructions()) {
    if (i.opcode() != Opcode::kParameter) continue;
    if (is_number ? As<ParameterAttributes>(i.attributes()).number == number
                  : i.name() == name || i.text_name() == name) {
      return i;
    }
  }
  return std::nullopt;
}

std::string NamesOf(const Symbols& symbols) {
  return absl::StrJoin(symbols, ", ", [](std::string* out, const auto& symbol) {
    out->append(symbol.first);
  });
}

// How a module of sizes without names gets them; "" where none is open.
std::string HowToSetShapes(const Module& module) {
  if (module.computation_count() == 0) return "";
  for (const Instruction i : module.entry().instructions()) {
    if (i.opcode() != Opcode::kParameter) continue;
    const std::string shape = i.shape().WithoutLayout().ToString();
    if (!absl::StrContains(shape, '?')) continue;
    return absl::StrCat("; to fix: give a parameter its shape: --set ",
                        i.name(), "=",
                        absl::StrReplaceAll(shape, {{"?", "8"}}));
  }
  return "";
}

absl::Status NoSuchSymbol(const Module& module, const Symbols& symbols,
                          absl::string_view name) {
  if (FindParameter(module, name)) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is a parameter: its shape is given as ", name, "=f32[2,3]"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "no size of the module is named ", name, "; ",
      symbols.empty() ? absl::StrCat("none has a name", HowToSetShapes(module))
                      : absl::StrCat("these are: ", NamesOf(symbols))));
}

// A value names sizes of the module only: with others nothing would get a
// value, it would be called otherwise.
absl::Status CheckValue(const Symbols& symbols, absl::string_view name,
                        const DimExpr& value) {
  for (const auto& [other, facts] : value.Symbols()) {
    if (symbols.count(other) > 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        name, " can't be set to ", value.ToString(),
        ": no size of the module is named ", other,
        "; to fix: give a number, or an expression of ", NamesOf(symbols)));
  }
  return absl::OkStatus();
}

// The same of a parameter's shape: its sizes that have names keep them.
absl::Status CheckShape(const Symbols& symbols, const Shape& recorded,
                        const Shape& given) {
  for (int i = 0; i < std::min(recorded.rank(), given.rank()); ++i) {
    if (!recorded.dim(i).is_symbolic() || !given.dim(i).is_symbolic()) continue;
    const absl::Status known =
        CheckValue(symbols, recorded.dim(i).ToString(), DimExpr(given.dim(i)));
    if (!known.ok()) return known;
  }
  const int elements = std::min(recorded.tuple_size(), given.tuple_size());
  for (int i = 0; i < elements; ++i) {
    const absl::Status known =
        CheckShape(symbols, recorded.elements()[i], given.elements()[i]);
    if (!known.ok()) return known;
  }
  return absl::OkStatus();
}

absl::Status CheckParameters(const Module& module, const Symbols& symbols,
                             const RefineOptions& options) {
  for (const auto& [name, shape] : options.parameters) {
    const std::optional<Instruction> parameter = FindParameter(module, name);
    if (!parameter) continue;  // Refine says so
    const absl::Status known = CheckShape(symbols, parameter->shape(), shape);
    if (!known.ok()) return known;
  }
  return absl::OkStatus();
}

// All that `scope` knows is about the module's symbols, and goes with what the
// module says of them.
absl::Status CheckSymbols(const Module& module, const Symbols& symbols,
                          const SymbolScope& scope) {
  for (const auto& [name, value] : scope.values()) {
    if (symbols.count(name) == 0) return NoSuchSymbol(module, symbols, name);
    const absl::Status known = CheckValue(symbols, name, value);
    if (!known.ok()) return known;
  }
  for (const auto& [name, facts] : scope.facts()) {
    if (symbols.count(name) == 0) return NoSuchSymbol(module, symbols, name);
    for (const auto* limits : {&facts.floors, &facts.ceilings}) {
      for (const DimExpr& limit : *limits) {
        const absl::Status known = CheckValue(symbols, name, limit);
        if (!known.ok()) return known;
      }
    }
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
      if (added.ok()) added = CheckParameters(module, symbols, options);
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
    constexpr int64_t kMax = 4;
    const int64_t start = random->Between(0, kMax);
    for (int64_t k = 0; k <= kMax; ++k) {
      const int64_t value = first + (start + k) % (kMax + 1) * known.divisor;
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
