// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/module_scanner.h"

#include "absl/base/attributes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/proto/wire/wire_table.h"

namespace indim {
namespace {

namespace instruction = field::HloInstructionProto;
namespace computation = field::HloComputationProto;
namespace module = field::HloModuleProto;
using wire_fields::Bytes;
using wire_fields::Varint;

// The tags of an instruction's fields.
constexpr uint32_t kNameTag = Bytes(instruction::kName);
constexpr uint32_t kOpcodeTag = Bytes(instruction::kOpcode);
constexpr uint32_t kShapeTag = Bytes(instruction::kShape);
constexpr uint32_t kMetadataTag = Bytes(instruction::kMetadata);
constexpr uint32_t kIdTag = Varint(instruction::kId);
constexpr uint32_t kOperandIdsTag = Bytes(instruction::kOperandIds);
constexpr uint32_t kControlPredecessorIdsTag =
    Bytes(instruction::kControlPredecessorIds);
constexpr uint32_t kCalledComputationIdsTag =
    Bytes(instruction::kCalledComputationIds);

// From this field to the id the fields belong to the attribute bytes.
constexpr uint32_t kFirstOfAttributeBytes = instruction::kLiteral;

// The field, among those up to the called computations, as which libprotobuf
// reads a record with `tag`; null: an unknown field, or a later one.
const WireField* FieldUpToCallees(uint32_t tag) {
  if (TagNumber(tag) > TagNumber(kCalledComputationIdsTag)) return nullptr;
  static const WireMessageInfo* const kInfo =
      &GetWireMessageInfo(WireMessage::kHloInstructionProto);
  const WireField* field = kInfo->Find(TagNumber(tag));
  return field != nullptr && field->Accepts(TagType(tag)) ? field : nullptr;
}

// A WireReader stays in registers while no call takes its address: functions
// that take one are inlined, or get a copy.

// A `string` field without presence: written only when not empty.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadText(WireReader* reader,
                                                  absl::string_view* text) {
  return reader->ReadMinimalLengthDelimited(text) && !text->empty() &&
         IsValidUtf8(*text);
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadIds(WireReader* reader,
                                                 absl::string_view* ids) {
  return reader->ReadMinimalLengthDelimited(ids) && !ids->empty();
}

// The bytes from `start` to the reader's position.
absl::string_view Since(const char* start, const WireReader& reader) {
  return {start, static_cast<size_t>(reader.cursor() - start)};
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadPresent(
    WireReader* reader, std::optional<absl::string_view>* field) {
  return reader->ReadMinimalLengthDelimited(&field->emplace());
}

// The tags of ScannedParts' fields; 0: there is none.
struct PartTags {
  uint32_t name, entry_name, elements, program_shape, id, entry_or_root_id;
};
constexpr PartTags kModuleTags = {
    Bytes(module::kName),         Bytes(module::kEntryComputationName),
    Bytes(module::kComputations), Bytes(module::kHostProgramShape),
    Varint(module::kId),          Varint(module::kEntryComputationId)};
constexpr PartTags kComputationTags = {
    Bytes(computation::kName),         0,
    Bytes(computation::kInstructions), Bytes(computation::kProgramShape),
    Varint(computation::kId),          Varint(computation::kRootId)};

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadNumber(WireReader* reader,
                                                    int64_t* number) {
  uint64_t bits = 0;
  if (!reader->ReadMinimalVarint(&bits)) return false;
  *number = static_cast<int64_t>(bits);
  return bits != 0;
}

bool ScanParts(absl::string_view bytes, const PartTags& tags,
               ScannedParts* parts) {
  *parts = ScannedParts();
  WireReader reader(bytes);
  uint32_t last = 0;
  while (!reader.done()) {
    const char* start = reader.cursor();
    uint32_t tag;
    if (!reader.ReadMinimalTag(&tag)) return false;
    bool read;
    if (tag == tags.elements) {
      // Reads consecutive elements in a loop: most of a file is these.
      absl::string_view element;
      read = last < tag;
      do {
        read &= reader.ReadMinimalLengthDelimited(&element);
        ++parts->elements.count;
      } while (read && reader.ConsumeTag(tag));
      parts->elements.bytes = Since(start, reader);
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

// Moves the reader behind the attribute bytes' fields before the id. False:
// they, or the bytes after them, can't be canonical.
bool SkipToId(WireReader* reader) {
  uint32_t last = kFirstOfAttributeBytes;
  while (!reader->done()) {
    WireReader next = *reader;
    uint32_t tag;
    if (!next.ReadMinimalTag(&tag)) return false;
    const uint32_t number = TagNumber(tag);
    if (number >= TagNumber(kIdTag)) return true;
    const WireField* field = FieldUpToCallees(tag);
    if (field == nullptr) return true;
    if (number < last || field->wire_type != TagType(tag) ||
        !next.SkipValue(tag, kMaxWireDepth)) {
      return false;
    }
    *reader = next;
    last = number;
  }
  return true;
}

// Whether the next field, if any, may follow the earlier ones.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool NothingIsLate(WireReader reader) {
  uint32_t tag;
  return reader.done() ||
         (reader.ReadMinimalTag(&tag) &&
          (TagNumber(tag) > TagNumber(kCalledComputationIdsTag) ||
           FieldUpToCallees(tag) == nullptr));
}

}  // namespace

bool ScanModule(absl::string_view bytes, ScannedParts* parts) {
  return ScanParts(bytes, kModuleTags, parts);
}

bool ReadComputationName(WireReader* reader, absl::string_view* name) {
  return !reader->ConsumeTag(kComputationTags.name) || ReadText(reader, name);
}

bool HasNoComputationName(absl::string_view fields) {
  return wire_fields::AllRecords(fields, [](const wire_fields::Record& record) {
    return record.tag != kComputationTags.name;
  });
}

bool ScanAfterInstructions(absl::string_view bytes, ScannedParts* parts) {
  return ScanParts(bytes, kComputationTags, parts) && parts->name.empty() &&
         parts->elements.count == 0;
}

bool AllFollowCallees(absl::string_view fields) {
  return wire_fields::AllRecords(fields, [](const wire_fields::Record& record) {
    return FieldUpToCallees(record.tag) == nullptr;
  });
}

// Straight-line code, because fields ascend in canonical bytes.
bool ScanInstruction(absl::string_view bytes, ScannedInstruction* result) {
  const char* const end = bytes.data() + bytes.size();
  WireReader reader(bytes);
  result->name = {};
  if (reader.ConsumeTag(kNameTag) && !ReadText(&reader, &result->name)) {
    return false;
  }
  result->opcode = {};
  if (reader.ConsumeTag(kOpcodeTag) &&
      (!reader.ReadMinimalLengthDelimited(&result->opcode) ||
       result->opcode.empty())) {
    return false;
  }
  result->shape.reset();
  if (reader.ConsumeTag(kShapeTag) && !ReadPresent(&reader, &result->shape)) {
    return false;
  }
  result->metadata.reset();
  if (reader.ConsumeTag(kMetadataTag) &&
      !ReadPresent(&reader, &result->metadata)) {
    return false;
  }
  const char* start = reader.cursor();
  result->attribute_bytes.before_id = {};
  bool has_id = reader.ConsumeTag(kIdTag);
  if (!has_id) {
    if (!SkipToId(&reader)) return false;
    result->attribute_bytes.before_id = Since(start, reader);
    has_id = reader.ConsumeTag(kIdTag);
  }
  result->id = 0;
  if (has_id) {
    // Ids have five or six bytes.
    uint64_t id;
    const char* next = reader.remaining() >= 8
                           ? ParseShortMinimalVarint(reader.cursor(), &id)
                           : nullptr;
    if (ABSL_PREDICT_TRUE(next != nullptr && id != 0)) {
      result->id = static_cast<int64_t>(id);
      reader =
          WireReader(absl::string_view(next, static_cast<size_t>(end - next)));
    } else if (!ReadNumber(&reader, &result->id)) {
      return false;
    }
  }
  result->operand_ids = {};
  if (reader.ConsumeTag(kOperandIdsTag) &&
      !ReadIds(&reader, &result->operand_ids)) {
    return false;
  }
  start = reader.cursor();
  result->attribute_bytes.control = {};
  if (reader.ConsumeTag(kControlPredecessorIdsTag)) {
    absl::string_view value;
    if (!reader.ReadLengthDelimited(&value)) return false;
    result->attribute_bytes.control = Since(start, reader);
  }
  result->callee_ids = {};
  if (reader.ConsumeTag(kCalledComputationIdsTag) &&
      !ReadIds(&reader, &result->callee_ids)) {
    return false;
  }
  // The caller checks that fields ascend in the rest.
  result->attribute_bytes.after_callees =
      absl::string_view(reader.cursor(), reader.remaining());
  return NothingIsLate(reader);
}

}  // namespace indim
