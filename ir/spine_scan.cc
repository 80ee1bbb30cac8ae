#include "indim/ir/spine_scan.h"

#include "indim/ir/wire.h"
#include "indim/ir/wire_table.h"

namespace indim {
namespace {

constexpr uint32_t Bytes(uint32_t number) {
  return MakeTag(number, WireType::kLengthDelimited);
}

// HloInstructionProto.
constexpr uint32_t kName = Bytes(1);
constexpr uint32_t kOpcode = Bytes(2);
constexpr uint32_t kShape = Bytes(3);
constexpr uint32_t kMetadata = Bytes(7);
constexpr uint32_t kId = MakeTag(35, WireType::kVarint);
constexpr uint32_t kOperandIds = Bytes(36);
constexpr uint32_t kControlPredecessorIds = Bytes(37);
constexpr uint32_t kCalledComputationIds = Bytes(38);

// The tag of a field that stands between metadata and id. Records with another
// tag are unknown fields, or come later.
bool IsBeforeId(uint32_t tag) {
  static const WireMessageInfo* const kInfo =
      &GetWireMessageInfo(WireMessage::kHloInstructionProto);
  if (TagNumber(tag) >= 35) return false;
  const WireField* field = kInfo->Find(TagNumber(tag));
  return field != nullptr && field->wire_type == TagType(tag);
}

// A `string` field without presence: written only when not empty.
bool ReadText(WireReader* reader, absl::string_view* text) {
  return reader->ReadMinimalLengthDelimited(text) && !text->empty() &&
         IsValidUtf8(*text);
}

bool ReadIds(WireReader* reader, std::vector<int64_t>* ids, size_t* count) {
  absl::string_view payload;
  if (!reader->ReadMinimalLengthDelimited(&payload) || payload.empty()) {
    return false;
  }
  const size_t before = ids->size();
  WireReader values(payload);
  while (!values.done()) {
    uint64_t value;
    if (!values.ReadMinimalVarint(&value)) return false;
    ids->push_back(static_cast<int64_t>(value));
  }
  *count = ids->size() - before;
  return true;
}

// The bytes from `start` up to where the reader is.
absl::string_view Since(const char* start, const WireReader& reader) {
  return {start, static_cast<size_t>(reader.cursor() - start)};
}

bool ReadPresent(WireReader* reader, std::optional<absl::string_view>* field) {
  return reader->ReadMinimalLengthDelimited(&field->emplace());
}

// The tags of ScannedParts' fields; 0: there is none.
struct PartTags {
  uint32_t name, entry_name, elements, program_shape, id, entry_or_root_id;
};
constexpr PartTags kModuleTags = {Bytes(1),
                                  Bytes(2),
                                  Bytes(3),
                                  Bytes(4),
                                  MakeTag(5, WireType::kVarint),
                                  MakeTag(6, WireType::kVarint)};
constexpr PartTags kComputationTags = {Bytes(1),
                                       0,
                                       Bytes(2),
                                       Bytes(4),
                                       MakeTag(5, WireType::kVarint),
                                       MakeTag(6, WireType::kVarint)};

bool ReadNumber(WireReader* reader, int64_t* number) {
  uint64_t bits = 0;
  if (!reader->ReadMinimalVarint(&bits)) return false;
  *number = static_cast<int64_t>(bits);
  return bits != 0;
}

bool ScanParts(absl::string_view bytes, const PartTags& tags,
               ScannedParts* parts) {
  *parts = ScannedParts();
  WireReader reader(bytes);
  const char* first_element = nullptr;
  uint32_t last = 0;
  while (!reader.done()) {
    const char* start = reader.cursor();
    uint32_t tag;
    if (!reader.ReadMinimalTag(&tag)) return false;
    bool read;
    if (tag == tags.elements) {
      absl::string_view element;
      read = last <= tag && reader.ReadMinimalLengthDelimited(&element);
      if (parts->elements.count++ == 0) first_element = start;
      parts->elements.bytes = Since(first_element, reader);
    } else if (tag == tags.name) {
      read = last < tag && ReadText(&reader, &parts->name);
    } else if (tag == tags.entry_name) {
      read = last < tag && ReadText(&reader, &parts->entry_name);
    } else if (tag == tags.program_shape) {
      read = last < tag && ReadPresent(&reader, &parts->program_shape);
    } else if (tag == tags.id) {
      read = last < tag && ReadNumber(&reader, &parts->id);
    } else if (tag == tags.entry_or_root_id) {
      read = last < tag && ReadNumber(&reader, &parts->entry_or_root_id);
    } else {
      parts->rest = bytes.substr(static_cast<size_t>(start - bytes.data()));
      return true;
    }
    if (!read) return false;
    last = tag;
  }
  return true;
}

}  // namespace

bool ScanModule(absl::string_view bytes, ScannedParts* parts) {
  return ScanParts(bytes, kModuleTags, parts);
}

bool ScanComputation(absl::string_view bytes, ScannedParts* parts) {
  return ScanParts(bytes, kComputationTags, parts);
}

bool ScanInstruction(absl::string_view bytes, ScannedInstruction* result,
                     std::vector<int64_t>* ids) {
  *result = ScannedInstruction();
  WireReader reader(bytes);
  const char* blob_start = nullptr;
  uint32_t last = 0;  // number of the last field; of those before the id, 8
  while (!reader.done()) {
    const char* start = reader.cursor();
    uint32_t tag;
    if (!reader.ReadMinimalTag(&tag)) return false;
    uint32_t number = TagNumber(tag);
    bool read = true;
    switch (tag) {
      case kName:
        read = last < number && ReadText(&reader, &result->name);
        break;
      case kOpcode:
        read = last < number && ReadText(&reader, &result->opcode);
        break;
      case kShape:
        read = last < number && ReadPresent(&reader, &result->shape);
        break;
      case kMetadata:
        read = last < number && ReadPresent(&reader, &result->metadata);
        break;
      case kId:
        read = last < number && ReadNumber(&reader, &result->id);
        break;
      case kOperandIds:
        read = last < number && ReadIds(&reader, ids, &result->operand_count);
        break;
      case kControlPredecessorIds:
        read = last < number && reader.SkipValue(tag, kMaxWireDepth);
        result->blob.control = Since(start, reader);
        break;
      case kCalledComputationIds:
        read = last < number && ReadIds(&reader, ids, &result->callee_count);
        break;
      default:
        if (!IsBeforeId(tag)) {
          // The rest: whoever looks into it sees whether a field of the spine
          // comes too late.
          result->blob.after_callees = {
              start, static_cast<size_t>(reader.cursor() - start) +
                         reader.remaining()};
          return true;
        }
        number = 8;
        if (blob_start == nullptr) blob_start = start;
        read = last <= number && reader.SkipValue(tag, kMaxWireDepth);
        result->blob.before_id = Since(blob_start, reader);
    }
    if (!read) return false;
    last = number;
  }
  return true;
}

}  // namespace indim
