#include "indim/stablehlo/export/discardable.h"

#include <utility>

#include "absl/strings/match.h"
#include "indim/codec/frontend_attributes.h"
#include "indim/ir/module_access.h"
#include "indim/passes/sizes/fold_known_sizes.h"
#include "indim/stablehlo/export/custom_call.h"
#include "indim/text/attributes/sharding_text.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace stablehlo_export {

namespace of = field::HloInstructionProto;

mlir::AttrId FrontendAttr(absl::string_view wire, absl::string_view without,
                          mlir::Ir* ir) {
  std::vector<mlir::NamedAttr> entries;
  for (const auto& [key, value] : FrontendAttributesWithPrefix(wire, "")) {
    if (!without.empty() && absl::StartsWith(key, without)) continue;
    entries.push_back({ir->Intern(key), ir->StringAttr(value)});
  }
  return entries.empty() ? mlir::AttrId()
                         : ir->DictionaryAttr(std::move(entries));
}

mlir::AttrId ShardingAttr(absl::string_view wire, mlir::Ir* ir) {
  return ir->StringAttr(ShardingText(wire, /*metadata=*/false));
}

std::vector<mlir::NamedAttr> Discardable(const Instruction& instruction,
                                         mlir::Ir* ir) {
  std::vector<mlir::NamedAttr> attrs;
  const AttributeBytesView bytes = internal::AttributeBytesOf(instruction);
  if (bytes.empty()) return attrs;
  FieldList fields(WireMessage::kHloInstructionProto);
  fields.Append(bytes);
  if (fields.has(of::kSharding)) {
    attrs.push_back({ir->Intern("mhlo.sharding"),
                     ShardingAttr(fields.Text(of::kSharding), ir)});
  }
  absl::string_view without;
  if (fields.Number(of::kIsComposite) != 0) without = kCompositePrefix;
  if (As<CustomCallAttributes>(instruction.attributes()).target ==
      kShapeAssertion) {
    without = kErrorMessage;
  }
  const mlir::AttrId notes =
      FrontendAttr(fields.Text(of::kFrontendAttributes), without, ir);
  if (notes.valid()) {
    attrs.push_back({ir->Intern("mhlo.frontend_attributes"), notes});
  }
  return attrs;
}

}  // namespace stablehlo_export
}  // namespace indim
