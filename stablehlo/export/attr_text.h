// Attributes of MLIR that HLO keeps as text.

#ifndef INDIM_STABLEHLO_EXPORT_ATTR_TEXT_H_
#define INDIM_STABLEHLO_EXPORT_ATTR_TEXT_H_

#include "absl/strings/string_view.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim {
namespace stablehlo_export {

// The attribute that `text` spells. None: it spells none.
mlir::AttrId AttrOfText(absl::string_view text, mlir::Ir* ir);
// The dictionary that `text` spells: {a = 1 : i32, b = "x"}. None: it spells
// none.
mlir::AttrId DictionaryOfText(absl::string_view text, mlir::Ir* ir);

}  // namespace stablehlo_export
}  // namespace indim

#endif  // INDIM_STABLEHLO_EXPORT_ATTR_TEXT_H_
