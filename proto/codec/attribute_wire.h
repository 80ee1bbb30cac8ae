// SPDX-License-Identifier: Apache-2.0
// Reads and writes attributes: converts between an op's struct
// (shape/ops/attributes.h) and its fields of HloInstructionProto in attribute
// bytes.
//
// Attribute bytes are an instruction's canonical bytes without the fields of
// its record (name, opcode, shape, metadata, id, operand ids, callee ids).
// Attribute bytes keep every field, known or not. Replacing a struct replaces
// whole fields and keeps every other byte.

#ifndef INDIM_PROTO_CODEC_ATTRIBUTE_WIRE_H_
#define INDIM_PROTO_CODEC_ATTRIBUTE_WIRE_H_

#include "absl/status/statusor.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

class FieldList;

// The struct of `opcode`, read from the attribute bytes. Absent fields get the
// defaults of XLA's reader (a group count of 0 is 1, no comparison type is the
// default one). InvalidArgument when it can't decode a field (an unknown
// comparison direction, a window without its dims, ...).
absl::StatusOr<Attributes> DecodeAttributes(Opcode opcode,
                                            AttributeBytesView attribute_bytes);
// DecodeAttributes into *attributes, which is unspecified after an error.
absl::Status DecodeAttributes(Opcode opcode, AttributeBytesView attribute_bytes,
                              Attributes* attributes);

// Opcodes of one form have the same fields: DecodeAttributes gives the same
// answer for all of them, except for the opcode's name in an error.
struct AttributesForm {
  explicit AttributesForm(Opcode opcode)
      : kind(Info(opcode).attributes),
        is_ragged(opcode == Opcode::kRaggedDot) {}

  AttributesKind kind;
  bool is_ragged;  // kDot with the fields of ragged-dot
};
inline bool operator==(AttributesForm a, AttributesForm b) {
  return a.kind == b.kind && a.is_ragged == b.is_ragged;
}

// `attributes` as canonical fields, as attribute bytes of `opcode`. It writes
// the fields that XLA's own builder writes for the op (such as an empty
// dimension-number message where XLA requires one).
OwnedAttributeBytes EncodeAttributes(Opcode opcode,
                                     const Attributes& attributes);

// Whether the attributes of `opcode` are numbers, enums and lists of them. What
// EncodeAttributes writes is then canonical, whatever their values; a text may
// not be UTF-8.
bool AttributesHoldNumbers(Opcode opcode);

// `attribute_bytes` with the fields of the struct of `opcode` replaced by
// `attributes`. Fields that already mean the new value, and all other fields,
// keep their bytes.
OwnedAttributeBytes ReplaceAttributes(Opcode opcode,
                                      AttributeBytesView attribute_bytes,
                                      const Attributes& attributes);

// ReplaceAttributes, but all fields of the struct get the form that
// EncodeAttributes writes.
OwnedAttributeBytes SpellAttributes(Opcode opcode,
                                    AttributeBytesView attribute_bytes,
                                    const Attributes& attributes);

// The replica groups of an instruction's fields; where they have a fault, what
// they say nevertheless. SetReplicaGroups replaces them.
ReplicaGroups ReplicaGroupsOf(const FieldList& fields);
void SetReplicaGroups(const ReplicaGroups& groups, FieldList* fields);

// Adds the messages that XLA writes for `opcode` even if they are empty.
void EnsureMessages(Opcode opcode, FieldList* fields);

}  // namespace indim

#endif  // INDIM_PROTO_CODEC_ATTRIBUTE_WIRE_H_
