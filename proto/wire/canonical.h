// SPDX-License-Identifier: Apache-2.0
// Canonical bytes: the one of all encodings of a message that libprotobuf
// 3.21's deterministic serialization writes.
//
// In canonical bytes known fields ascend by number, and unknown fields follow
// in their original order; a field without presence is absent when it holds its
// default; lists of numbers are packed; varints are minimal, negative 32-bit
// numbers and enums sign-extended to ten bytes; the entries of a map are sorted
// by key, each with key and value; text is valid UTF-8; at most one field of a
// oneof is set; messages and groups nest at most 100 deep.
//
// Indim's readers take only canonical bytes: in these, equal bytes are equal
// messages, and every part can be copied unchanged. Bytes from other writers
// first go through Canonicalize, which accepts and refuses exactly what
// libprotobuf does.
#ifndef INDIM_PROTO_WIRE_CANONICAL_H_
#define INDIM_PROTO_WIRE_CANONICAL_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/proto/wire/wire_table.h"

namespace indim {

// True iff `bytes` are the canonical bytes of a `message`, and so valid.
// `depth` is the number of messages around `bytes`: 0 for a file, 1 for the
// HloModuleProto of an HloProto. It makes one pass and allocates nothing.
// `message` must be neither kNone nor the entry of a map.
bool IsCanonical(WireMessage message, absl::string_view bytes, int depth = 0);

// The canonical bytes of the message in `bytes`. Only what libprotobuf drops is
// lost: replaced values of singular fields, replaced members of a oneof,
// replaced entries of a map, unknown fields in map entries. Time and memory are
// proportional to `bytes` (except for sorting), whatever they hold; canonical
// parts are copied.
//
// InvalidArgument, with the offset in `bytes` and the messages around it,
// exactly when libprotobuf refuses to parse: bytes that end inside a field; a
// varint of more than ten bytes, a tag of more than five; field number 0, wire
// type 6 or 7; an end group without its start or a group without its end; lists
// that don't end with an element; text that isn't UTF-8; more than 100 levels
// of messages and unknown groups.
absl::StatusOr<std::string> Canonicalize(WireMessage message,
                                         absl::string_view bytes,
                                         int depth = 0);

// How many fields in the canonical bytes of a message, at every depth, the
// table doesn't have: those of newer and older schemas. A group is one.
int64_t CountUnknownFields(WireMessage message, absl::string_view canonical);

}  // namespace indim

#endif  // INDIM_PROTO_WIRE_CANONICAL_H_
