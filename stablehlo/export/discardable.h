// Attributes that any operation may have in addition to its own.

#ifndef INDIM_STABLEHLO_EXPORT_DISCARDABLE_H_
#define INDIM_STABLEHLO_EXPORT_DISCARDABLE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim {
namespace stablehlo_export {

// mhlo.sharding and mhlo.frontend_attributes of an instruction, as far as it
// has them. A composite's own frontend attributes aren't among them.
std::vector<mlir::NamedAttr> Discardable(const Instruction& instruction,
                                         mlir::Ir* ir);

// {a = "b", ...} for canonical FrontendAttributes bytes, without the keys that
// begin with `without`, if that isn't empty. None: there are none.
mlir::AttrId FrontendAttr(absl::string_view wire, absl::string_view without,
                          mlir::Ir* ir);

// "{replicated}" for canonical OpSharding bytes.
mlir::AttrId ShardingAttr(absl::string_view wire, mlir::Ir* ir);

}  // namespace stablehlo_export
}  // namespace indim

#endif  // INDIM_STABLEHLO_EXPORT_DISCARDABLE_H_
