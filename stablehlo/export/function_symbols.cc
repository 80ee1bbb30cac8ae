// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/function_symbols.h"

#include "absl/strings/str_cat.h"

namespace indim::stablehlo_export {

std::string FunctionSymbols::New(absl::string_view name) {
  std::string symbol(name);
  for (int i = 0; !used_.insert(symbol).second; ++i) {
    symbol = absl::StrCat(name, "_", i);
  }
  return symbol;
}

void FunctionSymbols::SetEntry(const Computation& entry) {
  functions_[entry.index()] = New("main");
}

const std::string& FunctionSymbols::Function(const Computation& computation) {
  const auto [it, inserted] = functions_.try_emplace(computation.index());
  if (inserted) {
    const std::string name(computation.name());
    it->second = New(name.empty() ? "computation" : name);
    pending_.push_back(computation.index());
  }
  return it->second;
}

std::optional<int> FunctionSymbols::NextFunction() {
  if (pending_.empty()) return std::nullopt;
  const int next = pending_.front();
  pending_.pop_front();
  return next;
}

const std::string& FunctionSymbols::Decomposition(absl::string_view op,
                                                  const std::string& function) {
  const auto [it, inserted] = decompositions_.try_emplace(function);
  if (inserted) it->second = New(absl::StrCat(op, ".impl"));
  return it->second;
}

}  // namespace indim::stablehlo_export
