// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/instruction_encoder.h"

#include <charconv>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "indim/ir/final_names.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"

namespace indim {
namespace {

using field::HloComputationProto::kInstructions;
using field::HloInstructionProto::kCalledComputationIds;
using field::HloInstructionProto::kId;
using field::HloInstructionProto::kMetadata;
using field::HloInstructionProto::kName;
using field::HloInstructionProto::kOpcode;
using field::HloInstructionProto::kOperandIds;
using field::HloInstructionProto::kShape;

constexpr size_t kMaxDigits = 20;
// So few ids have a payload shorter than 128 bytes, whose size is one byte.
constexpr size_t kFewIds = 12;

// Room for the tags and lengths of an instruction and for a made name's id.
constexpr size_t kRoomBeside = 160;

// A tag of two bytes.
template <uint32_t kNumber, WireType kType>
char* WriteTag(char* out) {
  constexpr uint32_t kTag = MakeTag(kNumber, kType);
  static_assert(kTag >= 0x80 && kTag < 0x4000, "");
  out[0] = static_cast<char>(kTag | 0x80);
  out[1] = static_cast<char>(kTag >> 7);
  return out + 2;
}

// WriteVarint for mostly small numbers.
inline char* WriteSmall(uint64_t value, char* out) {
  if (value < 0x80) {
    out[0] = static_cast<char>(value);
    return out + 1;
  }
  out[0] = static_cast<char>(value | 0x80);
  if (value < 0x4000) {
    out[1] = static_cast<char>(value >> 7);
    return out + 2;
  }
  out[1] = static_cast<char>(value >> 7 | 0x80);
  return WriteVarint(value >> 14, out + 2);
}

inline char* WriteId(int64_t id, char* out) {
  return WriteSmall(static_cast<uint64_t>(id), out);
}

inline char* Copy(absl::string_view bytes, char* out) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

uint64_t PackedSize(absl::Span<const int64_t> ids) {
  uint64_t size = 0;
  for (const int64_t id : ids) size += VarintSize(static_cast<uint64_t>(id));
  return size;
}

// A packed field of ids.
template <uint32_t kNumber>
char* WriteIds(absl::Span<const int64_t> ids, char* out) {
  if (ids.empty()) return out;
  out = WriteTag<kNumber, WireType::kLengthDelimited>(out);
  if (ids.size() > kFewIds) {
    out = WriteVarint(PackedSize(ids), out);
    for (const int64_t id : ids) out = WriteId(id, out);
    return out;
  }
  char* const size = out++;
  for (const int64_t id : ids) out = WriteId(id, out);
  *size = static_cast<char>(out - size - 1);
  return out;
}

void WriteIds(uint32_t number, absl::Span<const int64_t> ids, WireBuffer* out) {
  if (ids.empty()) return;
  wire_field::Header(number, PackedSize(ids), out);
  for (const int64_t id : ids) out->Varint(static_cast<uint64_t>(id));
}

// A field whose tag is one byte.
template <uint32_t kNumber>
char* WriteField(absl::string_view bytes, char* out) {
  constexpr uint32_t kTag = MakeTag(kNumber, WireType::kLengthDelimited);
  static_assert(kTag < 0x80, "");
  *out++ = static_cast<char>(kTag);
  return Copy(bytes, WriteSmall(bytes.size(), out));
}

char* WriteName(const InstructionEncoder::Own& own, absl::string_view opcode,
                char* out) {
  if (own.nameless) return out;
  if (!own.name.empty()) return WriteField<kName>(own.name, out);
  *out++ = MakeTag(kName, WireType::kLengthDelimited);
  // Opcodes of the table are far shorter than 100 bytes; one of a file may not
  // be.
  char* const size = out++;
  out = Copy(FinalNames::BaseOf(opcode), out);
  *out++ = '.';
  out = std::to_chars(out, out + kMaxDigits, own.id).ptr;
  const size_t length = static_cast<size_t>(out - size - 1);
  *size = static_cast<char>(length);
  if (length < 0x80) return out;
  const size_t length_size = VarintSize(length);
  std::memmove(size + length_size, size + 1, length);
  WriteVarint(length, size);
  return size + length_size + length;
}

// Opcode, shape and metadata.
void AppendFields(const InstructionParts& parts, std::string* out) {
  out->append(parts.joined.data(), parts.joined.size());
  if (!parts.joined.empty()) return;
  if (!parts.opcode.empty()) {
    wire_fields::AppendBytes(kOpcode, parts.opcode, out);
  }
  if (parts.shape) wire_fields::AppendBytes(kShape, *parts.shape, out);
  if (parts.metadata) wire_fields::AppendBytes(kMetadata, *parts.metadata, out);
}

// The sizes of everything but tags, lengths, ids and a made name.
size_t SizeOf(const InstructionEncoder::Own& own,
              const InstructionParts& parts) {
  return own.name.size() + parts.attribute_bytes.size() +
         (!parts.joined.empty()
              ? parts.joined.size()
              : parts.opcode.size() + (parts.shape ? parts.shape->size() : 0) +
                    (parts.metadata ? parts.metadata->size() : 0));
}

std::string IdField(int64_t id) {
  std::string field;
  wire_fields::AppendInt(kId, id, &field);
  return field;
}

}  // namespace

void JoinParts(InstructionParts* parts, std::string* joined) {
  AppendFields(*parts, joined);
  parts->joined = *joined;
  parts->shape.reset();
  parts->metadata.reset();
}

void InstructionEncoder::Write(const Own& own, const InstructionParts& parts) {
  const size_t size = SizeOf(own, parts);
  const size_t most = size + FinalNames::BaseOf(parts.opcode).size() +
                      kRoomBeside + kMaxVarintBytes * own.ids.size();
  if (most > WireBuffer::kMaxRoom || own.operands_as_read != nullptr) {
    return WriteLarge(own, parts);
  }
  const AttributeBytesView& attributes = parts.attribute_bytes;
  char* const start = out_.Room(most);
  // Tags, lengths and few ids take about so many bytes.
  const size_t guess = size < 100 ? 1 : 2;
  char* const content = start + 1 + guess;
  char* out = WriteName(own, parts.opcode, content);
  if (!parts.joined.empty()) {
    out = Copy(parts.joined, out);
  } else {
    if (!parts.opcode.empty()) out = WriteField<kOpcode>(parts.opcode, out);
    if (parts.shape) out = WriteField<kShape>(*parts.shape, out);
    if (parts.metadata) out = WriteField<kMetadata>(*parts.metadata, out);
  }
  out = Copy(attributes.before_id, out);
  if (own.id != 0) {
    out = WriteTag<kId, WireType::kVarint>(out);
    out = WriteId(own.id, out);
  }
  out = WriteIds<kOperandIds>(own.operands(), out);
  out = Copy(attributes.control, out);
  out = WriteIds<kCalledComputationIds>(own.callees(), out);
  out = Copy(attributes.after_callees, out);
  *start = MakeTag(kInstructions, WireType::kLengthDelimited);
  const size_t length = static_cast<size_t>(out - content);
  const size_t needed = VarintSize(length);
  if (needed != guess) std::memmove(start + 1 + needed, content, length);
  WriteVarint(length, start + 1);
  out_.Advance(start + 1 + needed + length);
}

// Writes pieces, after counting their sizes.
void InstructionEncoder::WriteLarge(const Own& own,
                                    const InstructionParts& parts) {
  std::string fields;  // all before the attributes
  if (!own.nameless) {
    const std::string made =
        absl::StrCat(FinalNames::BaseOf(parts.opcode), ".", own.id);
    wire_fields::AppendBytes(kName, own.name.empty() ? made : own.name,
                             &fields);
  }
  AppendFields(parts, &fields);
  const std::string id = IdField(own.id);
  const uint64_t operands = own.operands_as_read != nullptr
                                ? own.operands_as_read->size()
                                : PackedSize(own.operands());
  const uint64_t callees = PackedSize(own.callees());
  uint64_t size = fields.size() + parts.attribute_bytes.size() + id.size();
  if (operands != 0) {
    size += 2 + LengthDelimitedSize(static_cast<size_t>(operands));
  }
  if (callees != 0) {
    size += 2 + LengthDelimitedSize(static_cast<size_t>(callees));
  }

  wire_field::Header(kInstructions, size, &out_);
  out_.Raw(fields);
  out_.Raw(parts.attribute_bytes.before_id);
  out_.Raw(id);
  if (own.operands_as_read != nullptr) {
    wire_field::Text(kOperandIds, *own.operands_as_read, &out_);
  } else {
    WriteIds(kOperandIds, own.operands(), &out_);
  }
  out_.Raw(parts.attribute_bytes.control);
  WriteIds(kCalledComputationIds, own.callees(), &out_);
  out_.Raw(parts.attribute_bytes.after_callees);
}

}  // namespace indim
