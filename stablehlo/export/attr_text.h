// SPDX-License-Identifier: Apache-2.0
// Attributes of MLIR that HLO keeps as text, and those of another Ir.

#ifndef INDIM_STABLEHLO_EXPORT_ATTR_TEXT_H_
#define INDIM_STABLEHLO_EXPORT_ATTR_TEXT_H_

#include "absl/strings/string_view.h"
#include "indim/stablehlo/export/mlir_names.h"

namespace indim::stablehlo_export {

// Equal to `id` of `from`; none for none. They recurse, so nesting must be
// bounded.
AttrId CopyAttr(const Ir& from, AttrId id, Ir* to);
TypeId CopyType(const Ir& from, TypeId id, Ir* to);

// The attribute that `text` spells. None: it spells none.
AttrId AttrOfText(absl::string_view text, Ir* ir);
// The dictionary that `text` spells: {a = 1 : i32, b = "x"}. None: it spells
// none.
AttrId DictionaryOfText(absl::string_view text, Ir* ir);

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_ATTR_TEXT_H_
