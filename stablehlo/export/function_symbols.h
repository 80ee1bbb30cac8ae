// SPDX-License-Identifier: Apache-2.0
// FunctionSymbols: the names of the functions that a module becomes.

#ifndef INDIM_STABLEHLO_EXPORT_FUNCTION_SYMBOLS_H_
#define INDIM_STABLEHLO_EXPORT_FUNCTION_SYMBOLS_H_

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"

namespace indim::stablehlo_export {

class FunctionSymbols {
 public:
  // A symbol that none of these functions may have.
  void Reserve(std::string symbol) { used_.insert(std::move(symbol)); }
  // Gives the entry its symbol, main.
  void SetEntry(const Computation& entry);

  // The symbol of a computation's function: its name, or that with _0, _1, ...
  // behind it. One that is asked for the first time is still to be written.
  const std::string& Function(const Computation& computation);
  // The next computation to write as a function; nullopt: there is none.
  std::optional<int> NextFunction();
  // The symbol of a decomposition of `op` (decompose.h).
  const std::string& Decomposition(absl::string_view op,
                                   const std::string& function);
  // The symbols of decompositions, by their text.
  const std::map<std::string, std::string>& decompositions() const {
    return decompositions_;
  }

 private:
  std::string New(absl::string_view name);

  absl::flat_hash_set<std::string> used_;
  absl::flat_hash_map<int, std::string> functions_;  // by computation
  std::deque<int> pending_;
  std::map<std::string, std::string> decompositions_;
};

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_FUNCTION_SYMBOLS_H_
