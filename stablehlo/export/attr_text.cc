#include "indim/stablehlo/export/attr_text.h"

#include "absl/strings/ascii.h"

namespace indim {
namespace stablehlo_export {

mlir::AttrId DictionaryOfText(absl::string_view text, mlir::Ir* ir) {
  text = absl::StripAsciiWhitespace(text);
  if (text == "{}") return ir->DictionaryAttr({});
  return {};
}

}  // namespace stablehlo_export
}  // namespace indim
