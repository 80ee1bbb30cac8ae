// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/discardable.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "indim/ir/module_access.h"
#include "indim/passes/sizes/fold_known_sizes.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/text/sharding_text.h"
#include "indim/stablehlo/export/custom_call.h"

namespace indim::stablehlo_export {

namespace of = field::HloInstructionProto;

namespace {

// The name of a frontend attribute in Shardy, and its value; none: it is none
// of Shardy's.
std::pair<absl::string_view, AttrId> InShardy(absl::string_view key,
                                              absl::string_view value,
                                              OwnerKind of, Shardy* shardy) {
  if (key == kSdySharding && of != OwnerKind::kModule) {
    return {note::kShardySharding, of == OwnerKind::kArgument
                                       ? shardy->Sharding(value)
                                       : shardy->PerValue(value)};
  }
  if (key == kSdyRule && of == OwnerKind::kOperation) {
    return {note::kShardyRule, shardy->Rule(value)};
  }
  return {};
}

}  // namespace

void AddFrontendAttrs(absl::string_view wire, absl::string_view without,
                      OwnerKind of, Shardy* shardy,
                      std::vector<NamedAttr>* attrs, Ir* ir) {
  std::vector<NamedAttr> entries;
  for (const auto& [key, value] : FrontendAttributesWithPrefix(wire, "")) {
    if (!without.empty() && absl::StartsWith(key, without)) continue;
    const auto [name, attribute] = InShardy(key, value, of, shardy);
    if (attribute.valid()) {
      attrs->push_back({ir->Intern(name), attribute});
    } else {
      entries.push_back({ir->Intern(key), ir->StringAttr(value)});
    }
  }
  if (entries.empty()) return;
  attrs->push_back({ir->Intern(note::kFrontendAttributes),
                    ir->DictionaryAttr(std::move(entries))});
}

void AddFrontendEntry(absl::string_view key, absl::string_view text,
                      std::vector<NamedAttr>* attrs, Ir* ir) {
  const StringId name = ir->Intern(note::kFrontendAttributes);
  const auto all =
      absl::c_find_if(*attrs, [&](const auto& a) { return a.name == name; });
  std::vector<NamedAttr> entries;
  if (all != attrs->end()) entries = ir->attr(all->value).fields;
  entries.push_back({ir->Intern(key), ir->StringAttr(text)});
  const AttrId dictionary = ir->DictionaryAttr(std::move(entries));
  if (all != attrs->end()) {
    all->value = dictionary;
  } else {
    attrs->push_back({name, dictionary});
  }
}

bool ShardySaysIt(const FieldList& fields, bool is_loop, Shardy* shardy) {
  const auto text =
      FrontendAttribute(fields.Text(of::kFrontendAttributes), kSdySharding);
  return text.has_value() &&
         shardy->Means(*text, fields.Text(of::kSharding), is_loop);
}

AttrId ShardingAttr(absl::string_view wire, Ir* ir) {
  return ir->StringAttr(ShardingText(wire, /*metadata=*/false));
}

NamedAttr ShardingNote(absl::string_view wire, Ir* ir) {
  return {ir->Intern(note::kHloSharding), ShardingAttr(wire, ir)};
}

std::vector<NamedAttr> Discardable(const Instruction& instruction,
                                   Shardy* shardy, Ir* ir) {
  std::vector<NamedAttr> attrs;
  const AttributeBytesView bytes = internal::AttributeBytesOf(instruction);
  if (bytes.empty()) return attrs;
  const FieldList fields = FieldList::Of(bytes);
  if (fields.has(of::kSharding) &&
      !ShardySaysIt(fields, instruction.opcode() == Opcode::kWhile, shardy)) {
    attrs.push_back(ShardingNote(fields.Text(of::kSharding), ir));
  }
  absl::string_view without;
  if (fields.Number(of::kIsComposite) != 0) without = kCompositePrefix;
  if (As<CustomCallAttributes>(instruction.attributes()).target ==
      kShapeAssertion) {
    without = note::kErrorMessage;
  }
  AddFrontendAttrs(fields.Text(of::kFrontendAttributes), without,
                   OwnerKind::kOperation, shardy, &attrs, ir);
  return attrs;
}

}  // namespace indim::stablehlo_export
