// The blobs that instructions' attributes are kept in, as messages and as text.
#ifndef INDIM_TESTS_CODEC_ATTRIBUTE_BYTES_SAMPLES_H_
#define INDIM_TESTS_CODEC_ATTRIBUTE_BYTES_SAMPLES_H_

#include <string>

#include "indim/proto/hlo.pb.h"
#include "indim/wire/attribute_bytes.h"

namespace indim {

// All of its fields, one after the other.
std::string Joined(const EncodedBlob& blob);
bool operator==(const EncodedBlob& a, const EncodedBlob& b);
proto::HloInstructionProto Parse(const EncodedBlob& blob);
// Protobuf's text format, on one line.
proto::HloInstructionProto FromText(const std::string& text);
std::string ToText(const google::protobuf::Message& message);
// The blob of an instruction, by libprotobuf: what stays when the spine goes.
EncodedBlob BlobOf(proto::HloInstructionProto message);
bool IsCanonicalBlob(const EncodedBlob& blob);

}  // namespace indim

#endif  // INDIM_TESTS_CODEC_ATTRIBUTE_BYTES_SAMPLES_H_
