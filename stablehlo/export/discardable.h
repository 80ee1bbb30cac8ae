// SPDX-License-Identifier: Apache-2.0
// Attributes that any operation may have in addition to its own.

#ifndef INDIM_STABLEHLO_EXPORT_DISCARDABLE_H_
#define INDIM_STABLEHLO_EXPORT_DISCARDABLE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/proto/wire/field_list.h"
#include "indim/stablehlo/export/mlir_names.h"
#include "indim/stablehlo/export/shardy.h"

namespace indim::stablehlo_export {

// Whether the sharding in an instruction's fields is what Shardy's says too, so
// that it needs no mhlo.sharding. `is_loop`: of a loop, for its own values.
bool ShardySaysIt(const FieldList& fields, bool is_loop, Shardy* shardy);

// What has the frontend attributes. Shardy's own attributes depend on it: an
// argument has one sharding, an operation a list of its results' shardings and
// a rule, a module neither.
enum class OwnerKind { kModule, kArgument, kOperation };

// mhlo.sharding, sdy.sharding, sdy.sharding_rule and mhlo.frontend_attributes
// of an instruction, as far as it has them. A composite's own frontend
// attributes aren't among them.
std::vector<NamedAttr> Discardable(const Instruction& instruction,
                                   Shardy* shardy, Ir* ir);

// Adds what canonical FrontendAttributes bytes say: mhlo.frontend_attributes =
// {a = "b", ...}, without the keys that begin with `without`, if that isn't
// empty; and sdy.sharding and sdy.sharding_rule.
void AddFrontendAttrs(absl::string_view wire, absl::string_view without,
                      OwnerKind of, Shardy* shardy,
                      std::vector<NamedAttr>* attrs, Ir* ir);

// Adds `key = "text"` to mhlo.frontend_attributes.
void AddFrontendEntry(absl::string_view key, absl::string_view text,
                      std::vector<NamedAttr>* attrs, Ir* ir);

// "{replicated}" for canonical OpSharding bytes, and as mhlo.sharding.
AttrId ShardingAttr(absl::string_view wire, Ir* ir);
NamedAttr ShardingNote(absl::string_view wire, Ir* ir);

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_DISCARDABLE_H_
