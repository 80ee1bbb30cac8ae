// SPDX-License-Identifier: Apache-2.0
// LeftOut: what the importer reads past, as texts about it: "jax.result_info of
// 2 results". module_attributes.def has what it takes.

#ifndef INDIM_STABLEHLO_IMPORT_LEFT_OUT_H_
#define INDIM_STABLEHLO_IMPORT_LEFT_OUT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/stablehlo/import/mlir_names.h"

namespace indim::stablehlo_import {

class LeftOut {
 public:
  // Without `enabled` it notes nothing.
  LeftOut(const Ir& ir, bool enabled) : ir_(ir), enabled_(enabled) {}

  // An operation within a function. `kept`: its conversion took the attributes
  // of module_attributes.def. `others`: those that it took besides.
  void AddOperation(OpId id, bool kept,
                    absl::Span<const absl::string_view> others = {});
  void AddFunction(OpId id, bool is_entry);
  // A function that is only declared.
  void AddDeclaration(OpId id);
  void AddModule();

  // A text for each kind, in the order of the program.
  std::vector<std::string> Texts() const;

 private:
  enum Where : uint8_t {
    kModule,
    kFunction,
    kArgument,
    kResult,
    kOperation,
    kEntryArgument,
    kEntryResult,
  };
  struct Kind {
    std::string what;
    Where where;
    int64_t count;
  };

  static bool IsKept(Where where, absl::string_view name);
  // The place that it counts as: that of the entry as that of any function.
  static Where OfAnyFunction(Where where);
  // Whether a location has more than a name, a file, a line and a column.
  bool HasFurtherParts(AttrId location);
  void AddAttributes(absl::Span<const NamedAttr> attributes, Where where,
                     bool kept = true,
                     absl::Span<const absl::string_view> others = {});
  // The lists arg_attrs and res_attrs.
  void AddLists(const mlir::Op& function, absl::string_view list, Where where);
  void Add(absl::string_view what, Where where);

  // Whether it is to be noted, and for the first time.
  bool IsNew(OpId id) { return enabled_ && seen_.insert(id.index).second; }

  const Ir& ir_;
  const bool enabled_;
  std::vector<Kind> kinds_;
  absl::flat_hash_map<std::pair<std::string, Where>, size_t> by_name_;
  // A function is converted for each set of sizes.
  absl::flat_hash_set<uint32_t> seen_;
  absl::flat_hash_map<uint32_t, bool> locations_;
};

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_LEFT_OUT_H_
