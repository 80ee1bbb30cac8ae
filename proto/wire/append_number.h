// What wire_fields.h lacks: a number that is there even where it is 0.

#ifndef INDIM_PROTO_WIRE_APPEND_NUMBER_H_
#define INDIM_PROTO_WIRE_APPEND_NUMBER_H_

#include <cstdint>
#include <string>

#include "indim/proto/wire/wire.h"

namespace indim {

// Of a field with presence, such as a member of a oneof.
inline void AppendNumber(uint32_t field, uint64_t value, std::string* out) {
  AppendTag(field, WireType::kVarint, out);
  AppendVarint(value, out);
}

}  // namespace indim

#endif  // INDIM_PROTO_WIRE_APPEND_NUMBER_H_
