// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/sizes/check_settings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/ops/attributes.h"

namespace indim {
namespace {

using Symbols = std::map<std::string, SymbolFacts>;

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
    return absl::StrCat("; to fix: give a parameter its shape: ", i.name(), "=",
                        absl::StrReplaceAll(shape, {{"?", "8"}}));
  }
  return "";
}

// Why no size of the module has the name of a setting.
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

// The same of values and facts.
absl::Status CheckScope(const Symbols& symbols, const SymbolScope& scope) {
  for (const auto& [name, value] : scope.values()) {
    const absl::Status known = CheckValue(symbols, name, value);
    if (!known.ok()) return known;
  }
  for (const auto& [name, facts] : scope.facts()) {
    for (const auto* limits : {&facts.floors, &facts.ceilings}) {
      for (const DimExpr& limit : *limits) {
        const absl::Status known = CheckValue(symbols, name, limit);
        if (!known.ok()) return known;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSettingNames(const Module& module,
                               const RefineOptions& options) {
  if (options.scope.values().empty() && options.scope.facts().empty()) {
    return absl::OkStatus();
  }
  const Symbols symbols = SymbolsOf(module);
  for (const auto& [name, value] : options.scope.values()) {
    if (symbols.count(name) == 0) return NoSuchSymbol(module, symbols, name);
  }
  for (const auto& [name, facts] : options.scope.facts()) {
    if (symbols.count(name) == 0) return NoSuchSymbol(module, symbols, name);
  }
  return absl::OkStatus();
}

absl::Status CheckSettings(const Module& module, const RefineOptions& options) {
  const Symbols symbols = SymbolsOf(module);
  absl::Status known = CheckSettingNames(module, options);
  if (known.ok()) known = CheckScope(symbols, options.scope);
  return known.ok() ? CheckParameters(module, symbols, options) : known;
}

}  // namespace indim
