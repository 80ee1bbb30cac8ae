// SPDX-License-Identifier: Apache-2.0
// The number of every field of the schema by name, from wire_messages.def
// (make_wire_messages.py):
//
//   using field::HloInstructionProto::kTupleIndex;

#ifndef INDIM_PROTO_WIRE_FIELD_NUMBERS_H_
#define INDIM_PROTO_WIRE_FIELD_NUMBERS_H_

#include <cstdint>

namespace indim::field {

// The namespace of a message is opened once for each of its fields.
#define INDIM_WIRE_FIELD(message, name, number, kind, label, presence, \
                         submessage)                                   \
  namespace message {                                                  \
  inline constexpr uint32_t k##name = number;                          \
  }
#include "indim/proto/wire/wire_messages.def"

}  // namespace indim::field

#endif  // INDIM_PROTO_WIRE_FIELD_NUMBERS_H_
