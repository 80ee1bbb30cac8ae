// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/instruction_encoder.h"

#include <charconv>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "indim/ir/final_names.h"
#include "indim/ir/pools.h"
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

// Copies go in steps of this many bytes.
constexpr size_t kSlack = 16;
constexpr size_t kMaxDigits = 20;
// So few ids have a payload shorter than 128 bytes, whose size is one byte.
constexpr size_t kFewIds = 12;

// Room for everything except an instruction's pieces and slack.
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
inline char* WriteId(int64_t id, char* out) {
  const uint64_t value = static_cast<uint64_t>(id);
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

// Reads and writes up to kSlack - 1 further bytes.
inline char* CopyRoomily(const char* from, size_t size, char* out) {
  for (size_t done = 0; done < size; done += kSlack) {
    std::memcpy(out + done, from + done, kSlack);
  }
  return out + size;
}
char* CopyExactly(absl::string_view bytes, char* out) {
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

std::string IdField(int64_t id) {
  std::string field;
  wire_fields::AppendInt(kId, id, &field);
  return field;
}

}  // namespace

void InstructionBytes::Assign(absl::string_view opcode,
                              const absl::string_view* shape,
                              const absl::string_view* metadata,
                              const AttributeBytesView& attribute_bytes) {
  const absl::string_view base = FinalNames::BaseOf(opcode);
  name_.assign(base.data(), base.size());
  name_.push_back('.');
  name_size_ = name_.size();
  name_.append(kSlack, '\0');
  fields_.clear();
  if (!opcode.empty()) wire_fields::AppendBytes(kOpcode, opcode, &fields_);
  if (shape != nullptr) wire_fields::AppendBytes(kShape, *shape, &fields_);
  if (metadata != nullptr)
    wire_fields::AppendBytes(kMetadata, *metadata, &fields_);
  rest_ = attribute_bytes;
  // Longer ones aren't copied first.
  if (attribute_bytes.before_id.size() <= Pools::kManyAttributeBytes) {
    fields_.append(attribute_bytes.before_id.data(),
                   attribute_bytes.before_id.size());
    rest_.before_id = absl::string_view();
  }
  tail_.clear();
  if (attribute_bytes.after_callees.size() <= Pools::kManyAttributeBytes) {
    tail_.append(attribute_bytes.after_callees.data(),
                 attribute_bytes.after_callees.size());
    rest_.after_callees = absl::string_view();
  }
  has_rest_ = !rest_.empty();
  fields_size_ = fields_.size();
  fields_.append(kSlack, '\0');
  tail_size_ = tail_.size();
  tail_.append(kSlack, '\0');
  room_ = name_size_ + fields_size_ + tail_size_ + rest_.size() + kRoomBeside;
  length_size_ = fields_size_ + name_size_ < 100 ? 1 : 2;
}

char* InstructionEncoder::WriteName(const Own& own,
                                    const InstructionBytes& bytes, char* out) {
  if (own.nameless) return out;
  *out++ = MakeTag(kName, WireType::kLengthDelimited);
  if (!own.name.empty()) {
    return CopyExactly(own.name, WriteVarint(own.name.size(), out));
  }
  // Opcodes of the table are far shorter than 100 bytes; one of a file may not
  // be.
  char* const size = out++;
  out = CopyRoomily(bytes.name_.data(), bytes.name_size_, out);
  out = std::to_chars(out, out + kMaxDigits, own.id).ptr;
  const size_t length = static_cast<size_t>(out - size - 1);
  *size = static_cast<char>(length);
  if (length < 0x80) return out;
  const size_t length_size = VarintSize(length);
  std::memmove(size + length_size, size + 1, length);
  WriteVarint(length, size);
  return size + length_size + length;
}

void InstructionEncoder::Write(const Own& own, InstructionBytes* bytes) {
  const size_t most =
      bytes->room_ + own.name.size() + kMaxVarintBytes * own.ids.size();
  if (most > WireBuffer::kMaxRoom || own.operands_as_read != nullptr) {
    return WriteLarge(own, *bytes);
  }
  const AttributeBytesView& rest = bytes->rest_;
  char* const start = out_.Room(most);
  const size_t length_size = bytes->length_size_;
  char* const content = start + 1 + length_size;
  char* out = WriteName(own, *bytes, content);
  out = CopyRoomily(bytes->fields_.data(), bytes->fields_size_, out);
  if (bytes->has_rest_) out = CopyExactly(rest.before_id, out);
  if (own.id != 0) {
    out = WriteTag<kId, WireType::kVarint>(out);
    out = WriteId(own.id, out);
  }
  out = WriteIds<kOperandIds>(own.operands(), out);
  if (bytes->has_rest_) out = CopyExactly(rest.control, out);
  out = WriteIds<kCalledComputationIds>(own.callees(), out);
  out = CopyRoomily(bytes->tail_.data(), bytes->tail_size_, out);
  if (bytes->has_rest_) out = CopyExactly(rest.after_callees, out);
  *start = MakeTag(kInstructions, WireType::kLengthDelimited);
  const size_t length = static_cast<size_t>(out - content);
  const size_t needed = VarintSize(length);
  if (needed != length_size) {
    std::memmove(start + 1 + needed, content, length);
    bytes->length_size_ = needed;
  }
  WriteVarint(length, start + 1);
  out_.Advance(start + 1 + needed + length);
}

// Writes a large instruction in pieces, after counting their sizes.
void InstructionEncoder::WriteLarge(const Own& own,
                                    const InstructionBytes& bytes) {
  std::string made;
  absl::string_view name = own.name;
  if (name.empty() && !own.nameless) {
    made = absl::StrCat(
        absl::string_view(bytes.name_).substr(0, bytes.name_size_), own.id);
    name = made;
  }
  const std::string id = IdField(own.id);
  uint64_t operands = 0;
  if (own.operands_as_read != nullptr) {
    operands = own.operands_as_read->size();
  } else {
    operands = PackedSize(own.operands());
  }
  const uint64_t callees = PackedSize(own.callees());
  uint64_t size =
      bytes.fields_size_ + bytes.tail_size_ + bytes.rest_.size() + id.size();
  if (!name.empty()) size += 1 + LengthDelimitedSize(name.size());
  if (operands != 0) {
    size += 2 + LengthDelimitedSize(static_cast<size_t>(operands));
  }
  if (callees != 0) {
    size += 2 + LengthDelimitedSize(static_cast<size_t>(callees));
  }

  wire_field::Header(kInstructions, size, &out_);
  wire_field::Text(kName, name, &out_);
  out_.Raw(absl::string_view(bytes.fields_).substr(0, bytes.fields_size_));
  out_.Raw(bytes.rest_.before_id);
  out_.Raw(id);
  if (own.operands_as_read != nullptr) {
    wire_field::Text(kOperandIds, *own.operands_as_read, &out_);
  } else {
    WriteIds(kOperandIds, own.operands(), &out_);
  }
  out_.Raw(bytes.rest_.control);
  WriteIds(kCalledComputationIds, own.callees(), &out_);
  out_.Raw(absl::string_view(bytes.tail_).substr(0, bytes.tail_size_));
  out_.Raw(bytes.rest_.after_callees);
}

}  // namespace indim
