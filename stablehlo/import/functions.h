// SPDX-License-Identifier: Apache-2.0
// Functions: the functions of a program, and the computations that they became.

#ifndef INDIM_STABLEHLO_IMPORT_FUNCTIONS_H_
#define INDIM_STABLEHLO_IMPORT_FUNCTIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/stablehlo/import/mlir_names.h"
#include "indim/stablehlo/import/size_values.h"

namespace indim::stablehlo_import {

class Functions {
 public:
  // A value, or computation, that an error prevents: its users are silent.
  static constexpr uint32_t kBroken = ~uint32_t{0};
  using ReportError =
      absl::FunctionRef<void(Offset offset, std::string message, Code code)>;

  // `ir` must outlive this.
  explicit Functions(const Ir& ir) : ir_(ir) {}
  // Finds those of the Ir's module.
  void FindAll(ReportError error);

  // The function of that name; none: there is none.
  OpId Find(absl::string_view name) const;
  // The one that a module's entry is; none: none has a body.
  OpId Entry() const;
  bool HasBody(OpId function) const;
  absl::Span<const OpId> all() const { return order_; }

  // --- While they are imported -----------------------------------------------
  // Notes that there is no need to come back to it.
  void Note(OpId function) { noted_.insert(function.index); }
  bool IsNoted(OpId function) const { return noted_.contains(function.index); }
  // Between Begin and End it is open.
  void Begin(OpId function) { open_.insert(function.index); }
  bool IsOpen(OpId function) const { return open_.contains(function.index); }
  // One key stands for one set of arguments. `sizes`: what is known of the
  // results.
  void End(OpId function, const std::string& key, uint32_t computation,
           std::vector<SizeValues::Exprs> sizes);
  // The computation; kBroken: it has an error; null: it isn't there.
  const uint32_t* Computation(OpId function, const std::string& key) const;
  absl::Span<const SizeValues::Exprs> ResultSizes(uint32_t computation) const;

 private:
  void CheckNames(const mlir::Op& owner, absl::string_view what,
                  absl::Span<const NamedAttr> attributes,
                  ReportError error) const;

  const Ir& ir_;
  absl::flat_hash_map<absl::string_view, OpId> by_name_;
  std::vector<OpId> order_;
  absl::flat_hash_set<uint32_t> noted_;
  absl::flat_hash_set<uint32_t> open_;
  absl::flat_hash_map<std::pair<uint32_t, std::string>, uint32_t> computations_;
  absl::flat_hash_map<uint32_t, std::vector<SizeValues::Exprs>> result_sizes_;
};

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_FUNCTIONS_H_
