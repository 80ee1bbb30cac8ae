// SPDX-License-Identifier: Apache-2.0
// The attribute bytes that instructions' attributes are kept in, as messages
// and as text.
#ifndef INDIM_TESTS_PROTO_WIRE_ATTRIBUTE_BYTES_SAMPLES_H_
#define INDIM_TESTS_PROTO_WIRE_ATTRIBUTE_BYTES_SAMPLES_H_

#include <string>

#include "indim/proto/hlo.pb.h"
#include "indim/proto/wire/attribute_bytes.h"

namespace indim {

// All of its fields, one after the other.
std::string Joined(const OwnedAttributeBytes& attribute_bytes);
bool operator==(const OwnedAttributeBytes& a, const OwnedAttributeBytes& b);
proto::HloInstructionProto Parse(const OwnedAttributeBytes& attribute_bytes);
// Protobuf's text format, on one line.
proto::HloInstructionProto FromText(const std::string& text);
std::string ToText(const google::protobuf::Message& message);
// The attribute bytes of an instruction, by libprotobuf: what stays when the
// fields of the record go.
OwnedAttributeBytes AttributeBytesOf(proto::HloInstructionProto message);
bool IsCanonicalAttributeBytes(const OwnedAttributeBytes& attribute_bytes);

}  // namespace indim

#endif  // INDIM_TESTS_PROTO_WIRE_ATTRIBUTE_BYTES_SAMPLES_H_
