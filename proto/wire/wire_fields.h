// SPDX-License-Identifier: Apache-2.0
// Reads and writes messages record by record. Of the ways to read a message:
//
//   FieldList (field_list.h): the fields of a canonical message by number, to
//       look some up, replace or remove them.
//   AllRecords, ForEachField (below): the records in their order, to take a
//       message apart, or decode all of it.
//   WireReader (wire.h): a cursor, for what neither can do: known fields at the
//       front, bytes that are checked while they are read.

#ifndef INDIM_PROTO_WIRE_WIRE_FIELDS_H_
#define INDIM_PROTO_WIRE_WIRE_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/container/fixed_array.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/proto/wire/wire.h"

namespace indim::wire_fields {

// Tags of fields by number.
constexpr uint32_t Varint(uint32_t number) {
  return MakeTag(number, WireType::kVarint);
}
constexpr uint32_t Bytes(uint32_t number) {
  return MakeTag(number, WireType::kLengthDelimited);
}

inline absl::Status Malformed(absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat(message, " is not well-formed"));
}

// One field of a message in its bytes.
// Compare `tag` with Bytes(n) or Varint(n): a field n of another wire type is
// an unknown one, which says nothing.
struct Record {
  uint32_t tag;
  absl::string_view bytes;  // all of it
  absl::string_view value;  // empty unless it has a length
  uint64_t number;          // 0 unless it is a varint
};

// Whether `wire` is well-formed and `holds(record)` for each record. It stops
// at the first one where not.
template <typename Function>
bool AllRecords(absl::string_view wire, const Function& holds) {
  WireReader reader(wire);
  while (!reader.done()) {
    const char* const start = reader.cursor();
    Record record = {};
    if (!reader.ReadTag(&record.tag)) return false;
    const WireType type = TagType(record.tag);
    if (!(type == WireType::kLengthDelimited
              ? reader.ReadLengthDelimited(&record.value)
          : type == WireType::kVarint
              ? reader.ReadVarint(&record.number)
              : reader.SkipValue(record.tag, kMaxWireDepth))) {
      return false;
    }
    record.bytes =
        absl::string_view(start, static_cast<size_t>(reader.cursor() - start));
    if (!holds(record)) return false;
  }
  return true;
}

// Calls `field(tag, reader)` for each record. It must read the value, or return
// false for a record that it doesn't know, which is then skipped.
template <typename Function>
absl::Status ForEachField(absl::string_view message, absl::string_view wire,
                          Function field) {
  WireReader reader(wire);
  while (!reader.done()) {
    uint32_t tag;
    if (!reader.ReadTag(&tag)) return Malformed(message);
    const WireReader value = reader;
    absl::StatusOr<bool> known = field(tag, &reader);
    if (!known.ok()) return known.status();
    if (*known) continue;
    reader = value;
    if (!reader.SkipValue(tag, kMaxWireDepth)) return Malformed(message);
  }
  return absl::OkStatus();
}

// Reads the numbers in the value of a packed field.
template <typename List>
bool Unpack(absl::string_view packed, List* list) {
  WireReader values(packed);
  while (!values.done()) {
    uint64_t value;
    if (!values.ReadVarint(&value)) return false;
    list->push_back(static_cast<int64_t>(value));
  }
  return true;
}

// Reads the numbers of a packed field, after its tag.
template <typename List>
bool ReadPacked(WireReader* reader, List* list) {
  absl::string_view payload;
  return reader->ReadLengthDelimited(&payload) && Unpack(payload, list);
}

inline bool ReadInt(WireReader* reader, int64_t* value) {
  uint64_t bits;
  if (!reader->ReadVarint(&bits)) return false;
  *value = static_cast<int64_t>(bits);
  return true;
}

inline void AppendBytes(uint32_t number, absl::string_view bytes,
                        std::string* out) {
  AppendTag(number, WireType::kLengthDelimited, out);
  AppendLengthDelimited(bytes, out);
}

// Appends a varint field with presence, such as a member of a oneof: also 0.
inline void AppendNumber(uint32_t number, uint64_t value, std::string* out) {
  char buffer[2 * kMaxVarintBytes];
  char* const end = WriteVarint(value, WriteVarint(Varint(number), buffer));
  out->append(buffer, static_cast<size_t>(end - buffer));
}

// Appends a varint field without presence: nothing for 0.
inline void AppendInt(uint32_t number, int64_t value, std::string* out) {
  if (value != 0) AppendNumber(number, static_cast<uint64_t>(value), out);
}

// Appends a field with the bytes that write() appends to *out.
template <typename Write>
void AppendNested(uint32_t number, std::string* out, const Write& write) {
  AppendTag(number, WireType::kLengthDelimited, out);
  const size_t start = out->size();
  out->push_back('\0');  // a guess: the length mostly takes one byte
  write();
  const size_t size = out->size() - start - 1;
  const size_t width = VarintSize(size);
  if (width > 1) out->insert(start, width - 1, '\0');
  WriteVarint(size, &(*out)[start]);
}

// The most bytes that a packed field of `count` numbers takes.
constexpr size_t PackedRoom(size_t count) {
  return (count + 2) * kMaxVarintBytes;
}
// Writes a packed field of number(element) for each element of `list`, nothing
// for an empty list, at `out`, which must have room for it. Returns the end.
template <typename List, typename Number>
char* WritePacked(uint32_t field, const List& list, const Number& number,
                  char* out) {
  if (list.empty()) return out;
  size_t size = 0;
  for (const auto& element : list) size += VarintSize(number(element));
  out = WriteVarint(size, WriteVarint(Bytes(field), out));
  for (const auto& element : list) out = WriteVarint(number(element), out);
  return out;
}

// Appends a packed field; nothing for an empty list. Each call of append takes
// longer than a number.
template <typename List>
void AppendPacked(uint32_t field, const List& values, std::string* out) {
  absl::FixedArray<char, PackedRoom(8)> bytes(PackedRoom(values.size()));
  const char* const end = WritePacked(
      field, values, [](int64_t value) { return static_cast<uint64_t>(value); },
      bytes.data());
  out->append(bytes.data(), static_cast<size_t>(end - bytes.data()));
}

}  // namespace indim::wire_fields

#endif  // INDIM_PROTO_WIRE_WIRE_FIELDS_H_
