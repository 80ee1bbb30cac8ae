// SPDX-License-Identifier: Apache-2.0
// libprotobuf as the judge of wire bytes, and the makers of bytes to be judged.
#ifndef INDIM_TESTS_PROTO_WIRE_WIRE_ORACLE_H_
#define INDIM_TESTS_PROTO_WIRE_WIRE_ORACLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "indim/proto/wire/wire_table.h"

namespace indim {

using Random = std::mt19937_64;

// A number below `bound`.
inline uint64_t Below(uint64_t bound, Random* random) {
  return (*random)() % bound;
}
// True once in `n` times.
inline bool OneIn(uint64_t n, Random* random) { return Below(n, random) == 0; }

// Every message of the wire table but the entries of maps.
std::vector<WireMessage> MessagesToTest();

// An empty object of the generated class. Null if there is none of that name.
std::unique_ptr<google::protobuf::Message> NewMessage(WireMessage message);

// libprotobuf's deterministic bytes of what it parses from `bytes`, which are
// inside of `depth` messages; nullopt if it refuses to parse.
std::optional<std::string> Judge(WireMessage message, absl::string_view bytes,
                                 int depth = 0);

// libprotobuf's deterministic bytes of `message`.
std::string DeterministicBytes(const google::protobuf::Message& message);

// Sets random fields to random values, messages inside it down to `levels`
// below.
void FillAtRandom(int levels, Random* random,
                  google::protobuf::Message* message);

// Rewrites valid bytes so that most of their meaning stays and much of their
// form changes: order, packing, width of varints, bits that don't count,
// doubled and split fields, wire types, unknown fields and groups.
std::string Scramble(const WireMessageInfo& info, absl::string_view bytes,
                     Random* random);

// How ChangeOneField writes a field.
enum class FieldChange {
  kWideTag,    // the tag in one byte more than it needs
  kWideValue,  // so the length, or the varint
  kFirst,      // before all others of its message
  kTwice,
  kUnknownFirst,  // an unknown field before it
  kOtherType      // a field of its number, but of another wire type, before it
};
constexpr FieldChange kFieldChanges[] = {
    FieldChange::kWideTag, FieldChange::kWideValue,    FieldChange::kFirst,
    FieldChange::kTwice,   FieldChange::kUnknownFirst, FieldChange::kOtherType};
// The same bytes but for one field, the one number `*place` of the message and
// of all in it. *place is below 0 afterwards, unless there are fewer fields.
std::string ChangeOneField(const WireMessageInfo& info, absl::string_view bytes,
                           FieldChange change, int* place);

// Damages bytes without regard to what they mean.
std::string Damage(absl::string_view bytes, Random* random);

// A varint of `width` bytes, or more if the value needs more.
void AppendWideVarint(uint64_t value, int width, std::string* out);

}  // namespace indim

#endif  // INDIM_TESTS_PROTO_WIRE_WIRE_ORACLE_H_
