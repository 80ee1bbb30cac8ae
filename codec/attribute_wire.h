// Attributes on the wire: the fields of HloInstructionProto that an op's struct
// (shape/ops/attributes.h) shows, read from and written to attribute bytes.
//
// Attribute bytes are an instruction's canonical bytes without the fields of
// its record (name, opcode, shape, metadata, id, operand ids, callee ids).
// Reading them never loses a field that isn't understood: the bytes stay.
// Writing an edited struct replaces whole fields and keeps every other byte.

#ifndef INDIM_CODEC_ATTRIBUTE_WIRE_H_
#define INDIM_CODEC_ATTRIBUTE_WIRE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/wire/attribute_bytes.h"

namespace indim {

class FieldList;

// The struct that the row of `opcode` names, filled from the attribute bytes'
// fields; defaults as XLA's reader takes them (a group count of 0 is 1, no
// comparison type is the default). InvalidArgument when a field can't be
// understood (an unknown comparison direction, a window without its dims ...).
absl::StatusOr<Attributes> DecodeAttributes(Opcode opcode,
                                            AttributeBytesView attribute_bytes);
// The same where it will stay; after an error *attributes is odd.
absl::Status DecodeAttributes(Opcode opcode, AttributeBytesView attribute_bytes,
                              Attributes* attributes);

// Opcodes of one form have the same fields: DecodeAttributes says the same of a
// attribute bytes for all of them, but for the opcode's name in an error.
struct AttributesForm {
  explicit AttributesForm(Opcode opcode)
      : kind(Info(opcode).attributes),
        is_ragged(opcode == Opcode::kRaggedDot) {}

  AttributesKind kind;
  bool is_ragged;  // kDot, with fields of its own
};
inline bool operator==(AttributesForm a, AttributesForm b) {
  return a.kind == b.kind && a.is_ragged == b.is_ragged;
}

// The canonical fields that say `attributes`, ready to be attribute bytes of
// `opcode`. What XLA's own builder writes for an op is written here (an empty
// dimension-number message where XLA wants one).
OwnedAttributeBytes EncodeAttributes(Opcode opcode,
                                     const Attributes& attributes);

// `attribute_bytes` with the fields that the struct of `opcode` owns replaced
// by those of `attributes`; every other field is kept as it is.
OwnedAttributeBytes ReplaceAttributes(Opcode opcode,
                                      AttributeBytesView attribute_bytes,
                                      const Attributes& attributes);

// The same, but those of `attributes` spelled as EncodeAttributes spells them
// also where `attribute_bytes` says them in another way.
OwnedAttributeBytes SpellAttributes(Opcode opcode,
                                    AttributeBytesView attribute_bytes,
                                    const Attributes& attributes);

// Adds the messages that XLA writes for `opcode` even if they are empty.
void EnsureMessages(Opcode opcode, FieldList* fields);

}  // namespace indim

#endif  // INDIM_CODEC_ATTRIBUTE_WIRE_H_
