#include "indim/codec/attribute_wire.h"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/codec/attribute_fields.h"
#include "indim/wire/field_list.h"
#include "indim/wire/wire_table.h"

namespace indim {
namespace {

// Calls f(null pointer to the struct of `opcode`, the tuple of its bindings).
template <typename F, size_t... kIndex>
void VisitFields(Opcode opcode, F f, std::index_sequence<kIndex...>) {
  const AttributesForm form(opcode);
  const size_t kind = static_cast<size_t>(form.kind);
  const auto call = [&](auto* type) {
    using S = std::remove_pointer_t<decltype(type)>;
    if constexpr (std::is_same_v<S, DotAttributes>) {
      if (form.is_ragged) return f(type, binding::RaggedDotFields());
    }
    f(type, binding::FieldsOf(binding::Struct<S>()));
  };
  (void)((kind == kIndex &&
          (call(static_cast<
                std::variant_alternative_t<kIndex, AttributesVariant>*>(
               nullptr)),
           true)) ||
         ...);
}
template <typename F>
void VisitFields(Opcode opcode, F f) {
  VisitFields(
      opcode, std::move(f),
      std::make_index_sequence<std::variant_size_v<AttributesVariant>>());
}

}  // namespace

absl::StatusOr<Attributes> DecodeAttributes(
    Opcode opcode, AttributeBytesView attribute_bytes) {
  Attributes attributes;
  const absl::Status status =
      DecodeAttributes(opcode, attribute_bytes, &attributes);
  if (!status.ok()) return status;
  return attributes;
}

absl::Status DecodeAttributes(Opcode opcode, AttributeBytesView attribute_bytes,
                              Attributes* attributes) {
  std::string error;
  bool understood = true;
  VisitFields(opcode, [&](auto* type, const auto& fields) {
    auto& held = attributes->emplace<std::remove_pointer_t<decltype(type)>>();
    if constexpr (std::tuple_size_v<std::decay_t<decltype(fields)>> != 0) {
      FieldList list(WireMessage::kHloInstructionProto);
      if (!list.Append(attribute_bytes)) {
        error = "its fields are not canonical";
        understood = false;
      } else {
        understood = binding::ReadAll(fields, list, &held, &error);
      }
    }
  });
  if (understood) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(Name(opcode), ": ", error));
}

OwnedAttributeBytes EncodeAttributes(Opcode opcode,
                                     const Attributes& attributes) {
  FieldList list(WireMessage::kHloInstructionProto);
  VisitFields(opcode, [&](auto* type, const auto& fields) {
    binding::WriteAll(
        fields, As<std::remove_pointer_t<decltype(type)>>(attributes), &list);
  });
  return list.ToAttributeBytes();
}

OwnedAttributeBytes ReplaceAttributes(Opcode opcode,
                                      AttributeBytesView attribute_bytes,
                                      const Attributes& attributes) {
  FieldList list(WireMessage::kHloInstructionProto);
  if (!list.Append(attribute_bytes)) return Owned(attribute_bytes);
  VisitFields(opcode, [&](auto* type, const auto& fields) {
    binding::ReplaceAll(
        fields, As<std::remove_pointer_t<decltype(type)>>(attributes), &list);
  });
  return list.ToAttributeBytes();
}

OwnedAttributeBytes SpellAttributes(Opcode opcode,
                                    AttributeBytesView attribute_bytes,
                                    const Attributes& attributes) {
  FieldList list(WireMessage::kHloInstructionProto);
  const OwnedAttributeBytes replaced =
      ReplaceAttributes(opcode, attribute_bytes, attributes);
  if (!list.Append(replaced.view())) return replaced;
  VisitFields(opcode, [&](auto* type, const auto& fields) {
    binding::WriteAll(
        fields, As<std::remove_pointer_t<decltype(type)>>(attributes), &list);
  });
  return list.ToAttributeBytes();
}

void EnsureMessages(Opcode opcode, FieldList* fields) {
  VisitFields(opcode, [&](auto*, const auto& bindings) {
    binding::EnsureAll(bindings, fields);
  });
}

}  // namespace indim
