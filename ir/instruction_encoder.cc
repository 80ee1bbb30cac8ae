#include "indim/ir/instruction_encoder.h"

#include <charconv>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "indim/ir/final_names.h"
#include "indim/ir/wire.h"

namespace indim {
namespace {

// Fields of HloInstructionProto.
constexpr uint32_t kName = 1;
constexpr uint32_t kOpcode = 2;
constexpr uint32_t kShape = 3;
constexpr uint32_t kMetadata = 7;
constexpr uint32_t kId = 35;
constexpr uint32_t kOperandIds = 36;
constexpr uint32_t kCalledComputationIds = 38;
// HloComputationProto.instructions.
constexpr uint32_t kInstructions = 2;

// Copies go in steps of this many bytes.
constexpr size_t kSlack = 16;
constexpr size_t kMostDigits = 20;
// Blobs above this are not copied before they are written.
constexpr size_t kLargeBlob = 1024;
// Payloads of so few ids are shorter than 128 bytes: their size is one byte.
constexpr size_t kFewIds = 12;

// What an instruction takes beside its pieces, and slack, fits in this.
constexpr size_t kRoomBeside = 160;

constexpr char kPairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536"
    "37383940414243444546474849505152535455565758596061626364656667686970717273"
    "7475767778798081828384858687888990919293949596979899";

char* WriteTag(uint32_t number, WireType type, char* out) {
  return WriteVarint(MakeTag(number, type), out);
}

// Up to kSlack - 1 bytes more are read and written.
char* CopyRoomily(const char* from, size_t size, char* out) {
  for (size_t done = 0; done < size; done += kSlack) {
    std::memcpy(out + done, from + done, kSlack);
  }
  return out + size;
}
char* CopyExactly(absl::string_view bytes, char* out) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

uint64_t PayloadSize(absl::Span<const int64_t> ids) {
  uint64_t size = 0;
  for (const int64_t id : ids) size += VarintSize(static_cast<uint64_t>(id));
  return size;
}

// A packed field of ids.
char* WriteIds(uint32_t number, absl::Span<const int64_t> ids, char* out) {
  if (ids.empty()) return out;
  out = WriteTag(number, WireType::kLengthDelimited, out);
  if (ids.size() > kFewIds) {
    out = WriteVarint(PayloadSize(ids), out);
    for (const int64_t id : ids) {
      out = WriteVarint(static_cast<uint64_t>(id), out);
    }
    return out;
  }
  char* const size = out++;
  for (const int64_t id : ids) {
    out = WriteVarint(static_cast<uint64_t>(id), out);
  }
  *size = static_cast<char>(out - size - 1);
  return out;
}

void WriteIds(uint32_t number, absl::Span<const int64_t> ids, WireBuffer* out) {
  if (ids.empty()) return;
  wire_field::Header(number, PayloadSize(ids), out);
  for (const int64_t id : ids) out->Varint(static_cast<uint64_t>(id));
}

std::string IdField(int64_t id) {
  std::string field;
  if (id == 0) return field;
  AppendTag(kId, WireType::kVarint, &field);
  AppendVarint(static_cast<uint64_t>(id), &field);
  return field;
}

void AppendMessage(uint32_t number, absl::string_view bytes, std::string* out) {
  AppendTag(number, WireType::kLengthDelimited, out);
  AppendLengthDelimited(bytes, out);
}

}  // namespace

void InstructionBytes::Assign(absl::string_view opcode,
                              const absl::string_view* shape,
                              const absl::string_view* metadata,
                              const BlobView& blob) {
  const absl::string_view base = FinalNames::BaseOf(opcode);
  name_.assign(base.data(), base.size());
  name_.push_back('.');
  name_size_ = name_.size();
  name_.append(kSlack, '\0');
  fields_.clear();
  if (!opcode.empty()) AppendMessage(kOpcode, opcode, &fields_);
  if (shape != nullptr) AppendMessage(kShape, *shape, &fields_);
  if (metadata != nullptr) AppendMessage(kMetadata, *metadata, &fields_);
  rest_ = blob;
  if (blob.before_id.size() <= kLargeBlob) {
    fields_.append(blob.before_id.data(), blob.before_id.size());
    rest_.before_id = absl::string_view();
  }
  fields_size_ = fields_.size();
  fields_.append(kSlack, '\0');
  length_size_ = fields_size_ + name_size_ < 100 ? 1 : 2;
}

char* InstructionEncoder::Digits::Write(int64_t number, char* out) {
  if (number < 100) return std::to_chars(out, out + kMostDigits, number).ptr;
  const uint64_t value = static_cast<uint64_t>(number) / 100;
  if (prefixes_[last_].value != value) {
    last_ ^= 1;
    Prefix& other = prefixes_[last_];
    if (other.value != value) {
      other.value = value;
      char* const end =
          std::to_chars(other.text, other.text + kMostDigits, value).ptr;
      other.size = static_cast<size_t>(end - other.text);
    }
  }
  const Prefix& prefix = prefixes_[last_];
  std::memcpy(out, prefix.text, sizeof prefix.text);
  out += prefix.size;
  std::memcpy(out, kPairs + 2 * (static_cast<uint64_t>(number) % 100), 2);
  return out + 2;
}

char* InstructionEncoder::WriteName(const Own& own,
                                    const InstructionBytes& bytes, char* out) {
  if (own.nameless) return out;
  out = WriteTag(kName, WireType::kLengthDelimited, out);
  if (!own.name.empty()) {
    return CopyExactly(own.name, WriteVarint(own.name.size(), out));
  }
  // Opcodes of the table are far shorter than 100; one of a file may not be.
  char* const size = out++;
  out = CopyRoomily(bytes.name_.data(), bytes.name_size_, out);
  out = digits_.Write(own.id, out);
  const size_t length = static_cast<size_t>(out - size - 1);
  *size = static_cast<char>(length);
  if (length < 0x80) return out;
  const size_t length_size = VarintSize(length);
  std::memmove(size + length_size, size + 1, length);
  WriteVarint(length, size);
  return size + length_size + length;
}

void InstructionEncoder::Write(const Own& own, InstructionBytes* bytes) {
  const BlobView& rest = bytes->rest_;
  const size_t most =
      own.name.size() + bytes->name_size_ + bytes->fields_size_ + rest.size() +
      kMaxVarintBytes * (own.operands.size() + own.callees.size()) +
      kRoomBeside;
  if (most > WireBuffer::kMostRoom || own.operands_as_read != nullptr) {
    return WriteLarge(own, *bytes);
  }
  char* const start = out_.Room(most);
  const size_t length_size = bytes->length_size_;
  char* out = WriteName(own, *bytes, start + 1 + length_size);
  out = CopyRoomily(bytes->fields_.data(), bytes->fields_size_, out);
  out = CopyExactly(rest.before_id, out);
  if (own.id != 0) {
    out = WriteTag(kId, WireType::kVarint, out);
    out = WriteVarint(static_cast<uint64_t>(own.id), out);
  }
  out = WriteIds(kOperandIds, own.operands, out);
  out = CopyExactly(rest.control, out);
  out = WriteIds(kCalledComputationIds, own.callees, out);
  out = CopyExactly(rest.after_callees, out);
  *start = MakeTag(kInstructions, WireType::kLengthDelimited);
  const size_t length = static_cast<size_t>(out - start) - 1 - length_size;
  const size_t needed = VarintSize(length);
  if (needed != length_size) {
    std::memmove(start + 1 + needed, start + 1 + length_size, length);
    out = start + 1 + needed + length;
    bytes->length_size_ = needed;
  }
  WriteVarint(length, start + 1);
  out_.Advance(out);
}

// In pieces: their sizes first.
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
    operands = PayloadSize(own.operands);
  }
  const uint64_t callees = PayloadSize(own.callees);
  uint64_t size = bytes.fields_size_ + bytes.rest_.size() + id.size();
  if (!name.empty()) size += 1 + LengthDelimitedSize(name.size());
  if (operands != 0) size += 2 + LengthDelimitedSize(operands);
  if (callees != 0) size += 2 + LengthDelimitedSize(callees);

  wire_field::Header(kInstructions, size, &out_);
  wire_field::Text(kName, name, &out_);
  out_.Raw(absl::string_view(bytes.fields_).substr(0, bytes.fields_size_));
  out_.Raw(bytes.rest_.before_id);
  out_.Raw(id);
  if (own.operands_as_read != nullptr) {
    wire_field::Text(kOperandIds, *own.operands_as_read, &out_);
  } else {
    WriteIds(kOperandIds, own.operands, &out_);
  }
  out_.Raw(bytes.rest_.control);
  WriteIds(kCalledComputationIds, own.callees, &out_);
  out_.Raw(bytes.rest_.after_callees);
}

}  // namespace indim
