// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/ops/foreign_ops.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

absl::string_view InStablehlo(absl::string_view op) {
  static const auto* const map =
      new absl::flat_hash_map<absl::string_view, absl::string_view>{
#define INDIM_MLIR_FOREIGN(op, instead) {op, instead},
#include "indim/stablehlo/ops/foreign_ops.def"
      };
  const auto found = map->find(op);
  return found == map->end() ? absl::string_view() : found->second;
}

std::string WhyForeign(absl::string_view op, absl::string_view otherwise) {
  const absl::string_view dialect = DialectOf(op);
  if (dialect != "arith" && dialect != "math" && dialect != "shape" &&
      dialect != "tensor") {
    return std::string(otherwise);
  }
  std::string text = absl::StrCat("is an operation of ", dialect,
                                  ", which XLA doesn't read either");
  const absl::string_view instead = InStablehlo(op);
  if (!instead.empty()) return absl::StrCat(text, "; write ", instead);
  if (dialect == "shape") {
    return absl::StrCat(
        text, "; stablehlo-opt --shape-legalize-to-stablehlo replaces many");
  }
  return absl::StrCat(text, ", and StableHLO has none that equals it");
}

}  // namespace indim::mlir
