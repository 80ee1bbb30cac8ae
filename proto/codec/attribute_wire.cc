// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/attribute_wire.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/codec/attribute_bindings.h"
#include "indim/proto/codec/special_bindings.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/wire_table.h"

namespace indim {

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
  const binding::AttributesFields& fields = binding::FieldsOf(opcode);
  void* const held = fields.emplace(attributes);
  if (fields.rows->kind == nullptr) return absl::OkStatus();
  FieldList list(WireMessage::kHloInstructionProto);
  std::string error;
  if (!list.Append(attribute_bytes)) {
    error = "its fields are not canonical";
  } else if (binding::ReadAll(fields.rows, list, held, &error)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(Name(opcode), ": ", error));
}

OwnedAttributeBytes EncodeAttributes(Opcode opcode,
                                     const Attributes& attributes) {
  FieldList list(WireMessage::kHloInstructionProto);
  const binding::AttributesFields& fields = binding::FieldsOf(opcode);
  binding::WriteAll(fields.rows, fields.held(attributes), &list);
  return list.ToAttributeBytes();
}

bool AttributesHoldNumbers(Opcode opcode) {
  return binding::HoldNumbers(binding::FieldsOf(opcode).rows);
}

OwnedAttributeBytes ReplaceAttributes(Opcode opcode,
                                      AttributeBytesView attribute_bytes,
                                      const Attributes& attributes) {
  FieldList list(WireMessage::kHloInstructionProto);
  if (!list.Append(attribute_bytes)) return Owned(attribute_bytes);
  const binding::AttributesFields& fields = binding::FieldsOf(opcode);
  binding::ReplaceAll(fields.rows, fields.held(attributes), &list);
  return list.ToAttributeBytes();
}

OwnedAttributeBytes SpellAttributes(Opcode opcode,
                                    AttributeBytesView attribute_bytes,
                                    const Attributes& attributes) {
  FieldList list(WireMessage::kHloInstructionProto);
  const OwnedAttributeBytes replaced =
      ReplaceAttributes(opcode, attribute_bytes, attributes);
  if (!list.Append(replaced.view())) return replaced;
  const binding::AttributesFields& fields = binding::FieldsOf(opcode);
  binding::WriteAll(fields.rows, fields.held(attributes), &list);
  return list.ToAttributeBytes();
}

ReplicaGroups ReplicaGroupsOf(const FieldList& fields) {
  ReplicaGroups groups;
  std::string fault;
  binding::ReadValue(fields, 0, &groups, &fault);
  return groups;
}

void SetReplicaGroups(const ReplicaGroups& groups, FieldList* fields) {
  binding::WriteValue(0, groups, fields);
}

void EnsureMessages(Opcode opcode, FieldList* fields) {
  binding::EnsureAll(binding::FieldsOf(opcode).rows, fields);
}

}  // namespace indim
