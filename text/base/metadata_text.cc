// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/metadata_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/numeric/bits.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/text/base/braced_members.h"
#include "indim/text/base/copy_text.h"
#include "indim/text/base/escaped_text.h"

namespace indim {
namespace {

enum class MemberKind : uint8_t { kText, kRawText, kInt, kProfile, kPayload };

struct MetadataMember {
  absl::string_view name;
  uint32_t field;
  MemberKind kind;
};

// In XLA's print order (OpMetadataToString). It prints scheduling_name without
// escapes.
constexpr MetadataMember kMembers[] = {
    {"op_type", 1, MemberKind::kText},
    {"op_name", 2, MemberKind::kText},
    {"source_file", 3, MemberKind::kText},
    {"source_line", 4, MemberKind::kInt},
    {"source_end_line", 17, MemberKind::kInt},
    {"source_column", 18, MemberKind::kInt},
    {"source_end_column", 19, MemberKind::kInt},
    {"profile_type", 5, MemberKind::kProfile},
    {"deduplicated_name", 12, MemberKind::kText},
    {"scheduling_name", 16, MemberKind::kRawText},
    {"stack_frame_id", 15, MemberKind::kInt},
    {"metadata_payload", 20, MemberKind::kPayload},
};
constexpr size_t kOpNameMember = 1;
constexpr size_t kFrameMember = 10;
constexpr int64_t kLastProfileType = 3;
// A metadata without any of these isn't shown.
constexpr uint32_t kShownFor[] = {1, 2, 3, 15, 16, 20};

// Appends the member's record; nothing for a default value.
bool ReadValue(const MetadataMember& member, Lexer* lexer, std::string* out) {
  switch (member.kind) {
    case MemberKind::kText:
    case MemberKind::kRawText: {
      absl::string_view text;
      std::string unescaped;
      if (!ReadUtf8View(lexer, &unescaped, &text)) return false;
      if (text.empty()) return true;
      wire_fields::AppendBytes(member.field, text, out);
      return true;
    }
    case MemberKind::kInt: {
      int64_t value = 0;
      if (!ReadInt32(lexer, &value)) return false;
      wire_fields::AppendInt(member.field, value, out);
      return true;
    }
    case MemberKind::kProfile: {
      const size_t begin = lexer->offset();
      DimIndices types;
      if (!lexer->ReadInts(&types)) return false;
      std::string packed;
      for (const int64_t type : types) {
        if (type < 0 || type > kLastProfileType) {
          return lexer->ErrorAt(begin, 1, "profile types are 0 to 3");
        }
        AppendVarint(static_cast<uint64_t>(type), &packed);
      }
      if (packed.empty()) return true;
      wire_fields::AppendBytes(member.field, packed, out);
      return true;
    }
    case MemberKind::kPayload: {
      std::string value;
      if (!lexer->ReadString(&value)) return false;
      // Present even when empty, because it is in a oneof.
      std::string payload;
      wire_fields::AppendBytes(field::Payload::kValue, value, &payload);
      wire_fields::AppendBytes(member.field, payload, out);
      return true;
    }
  }
  return false;
}

// The position of a member's record among those that were read.
struct MetadataRecord {
  uint32_t field;
  size_t begin;
  size_t end;
};
using Records = absl::InlinedVector<MetadataRecord, std::size(kMembers)>;

// Puts the records in canonical order.
void PutInOrder(std::string bytes, Records* records, std::string* wire) {
  const auto by_field = [](const MetadataRecord& a, const MetadataRecord& b) {
    return a.field < b.field;
  };
  if (std::is_sorted(records->begin(), records->end(), by_field)) {
    *wire = std::move(bytes);
    return;
  }
  std::sort(records->begin(), records->end(), by_field);
  wire->clear();
  for (const MetadataRecord& record : *records) {
    wire->append(bytes, record.begin, record.end - record.begin);
  }
}

// A member's value in the bytes: a text's characters, or a number.
struct MemberValue {
  absl::string_view text;
  uint64_t number = 0;
};
struct MemberValues {
  uint32_t there = 0;  // a bit for each member
  std::array<MemberValue, std::size(kMembers)> of;
};

// The member of each field.
constexpr uint32_t kFields = 32;
constexpr std::array<uint8_t, kFields> MakeMembersOfFields() {
  std::array<uint8_t, kFields> members{};
  for (uint8_t& member : members) member = std::size(kMembers);
  for (size_t i = 0; i < std::size(kMembers); ++i) {
    members[kMembers[i].field] = static_cast<uint8_t>(i);
  }
  return members;
}
constexpr std::array<uint8_t, kFields> kMembersOfFields = MakeMembersOfFields();

// Consumes a member's name and "=" at the beginning of `text`; null: none.
const MetadataMember* ConsumeMember(absl::string_view* text) {
  for (const MetadataMember& member : kMembers) {
    const size_t size = member.name.size();
    if (text->size() > size && (*text)[size] == '=' &&
        SameBytes(text->substr(0, size), member.name)) {
      text->remove_prefix(size + 1);
      return &member;
    }
  }
  return nullptr;
}

// Consumes a string without escapes.
bool ConsumePlainText(absl::string_view* text, absl::string_view* value) {
  if (text->empty() || text->front() != '"') return false;
  const char* const begin = text->data() + 1;
  const void* const quote = std::memchr(begin, '"', text->size() - 1);
  if (quote == nullptr) return false;
  const size_t size =
      static_cast<size_t>(static_cast<const char*>(quote) - begin);
  *value = absl::string_view(begin, size);
  if (size != 0 && std::memchr(begin, '\\', size) != nullptr) return false;
  if (!IsValidUtf8(*value)) return false;
  text->remove_prefix(size + 2);
  return true;
}

// Consumes a number without sign.
bool ConsumePlainNumber(absl::string_view* text, uint64_t* value) {
  constexpr size_t kFitsInto32Bits = 9;
  size_t digits = 0;
  *value = 0;
  for (; digits < text->size() && absl::ascii_isdigit((*text)[digits]);
       ++digits) {
    *value = 10 * *value + static_cast<uint64_t>((*text)[digits] - '0');
    if (digits == kFitsInto32Bits) return false;
  }
  text->remove_prefix(digits);
  return digits != 0;
}

// The members for which XLA shows a metadata, as bits.
constexpr uint32_t MakeShown() {
  uint32_t shown = 0;
  for (const uint32_t field : kShownFor) {
    shown |= uint32_t{1} << kMembersOfFields[field];
  }
  return shown;
}
constexpr uint32_t kShown = MakeShown();

// Finds all values in one walk over canonical bytes.
void FindValues(absl::string_view wire, MemberValues* values) {
  wire_fields::AllRecords(wire, [values](const wire_fields::Record& record) {
    const uint32_t field = TagNumber(record.tag);
    if (field >= kFields) return true;
    const uint8_t member = kMembersOfFields[field];
    if (member == std::size(kMembers)) return true;
    values->of[member].number = record.number;
    values->of[member].text = record.value;
    values->there |= uint32_t{1} << member;
    return true;
  });
}

// Writes canonical bytes of texts and numbers, without defaults.
void WriteValues(const MemberValues& values, std::string* wire) {
  constexpr size_t kMaxNumberBytes = 2 * kMaxVarintBytes;  // tag, size or value
  size_t most = 0;
  uint32_t fields = 0;  // a bit for each
  for (uint32_t left = values.there; left != 0; left &= left - 1) {
    const size_t i = static_cast<size_t>(absl::countr_zero(left));
    most += kMaxNumberBytes + values.of[i].text.size();
    fields |= uint32_t{1} << kMembers[i].field;
  }
  wire->resize(most);
  char* const begin = &(*wire)[0];
  char* to = begin;
  for (; fields != 0; fields &= fields - 1) {
    const uint32_t field = static_cast<uint32_t>(absl::countr_zero(fields));
    const MemberValue& value = values.of[kMembersOfFields[field]];
    if (!value.text.empty()) {
      to = WriteVarint(MakeTag(field, WireType::kLengthDelimited), to);
      to = CopyText(value.text, WriteVarint(value.text.size(), to));
    } else if (value.number != 0) {
      to = WriteVarint(MakeTag(field, WireType::kVarint), to);
      to = WriteVarint(value.number, to);
    }
  }
  wire->resize(static_cast<size_t>(to - begin));
}

absl::string_view PayloadValue(absl::string_view wire) {
  FieldList payload(WireMessage::kPayload, wire);
  return payload.Text(field::Payload::kValue);
}

// Appends "op_name=\"x\"".
void AppendValue(const MetadataMember& member, const MemberValue& value,
                 TextBuffer* out) {
  out->Append(member.name);
  out->Append('=');
  if (member.kind == MemberKind::kInt) {
    out->AppendNumber(static_cast<int64_t>(value.number));
    return;
  }
  if (member.kind == MemberKind::kProfile) {
    WireReader reader(value.text);
    uint64_t type = 0;
    char before = '{';
    for (; reader.ReadVarint(&type); before = ',') {
      out->Append(before);
      out->AppendNumber(static_cast<int64_t>(type));
    }
    out->Append(before == '{' ? "{}" : "}");
    return;
  }
  const absl::string_view text = member.kind == MemberKind::kPayload
                                     ? PayloadValue(value.text)
                                     : value.text;
  out->Append('"');
  if (member.kind == MemberKind::kRawText) {
    out->Append(text);
  } else {
    AppendEscaped(text, out);
  }
  out->Append('"');
}

// A payload stored elsewhere has no value to show.
bool HasText(const MetadataMember& member, const MemberValue& value) {
  if (member.kind != MemberKind::kPayload) return true;
  FieldList payload(WireMessage::kPayload, value.text);
  return payload.has(field::Payload::kValue);
}

void AppendMembers(const MemberValues& values, TextBuffer* out) {
  const size_t begin = out->size();
  for (uint32_t left = values.there; left != 0; left &= left - 1) {
    const size_t i = static_cast<size_t>(absl::countr_zero(left));
    if (!HasText(kMembers[i], values.of[i])) continue;
    if (out->size() > begin) out->Append(' ');
    AppendValue(kMembers[i], values.of[i], out);
  }
}

}  // namespace

bool ReadMetadata(Lexer* lexer, std::string* wire) {
  static const std::vector<absl::string_view>* const kNames = [] {
    auto* names = new std::vector<absl::string_view>();
    for (const MetadataMember& member : kMembers) names->push_back(member.name);
    return names;
  }();
  const absl::string_view ahead = lexer->whole_text().substr(lexer->offset());
  if (const size_t size = ReadPrintedMetadata(ahead, wire)) {
    lexer->Seek(lexer->offset() + size - 1);
    return lexer->Expect(Token::kRightBrace);
  }
  std::string records;
  Records order;
  if (!ReadMembers(lexer, "metadata", *kNames, [&](size_t i) {
        const size_t begin = records.size();
        if (!ReadValue(kMembers[i], lexer, &records)) return false;
        order.push_back({kMembers[i].field, begin, records.size()});
        return true;
      })) {
    return false;
  }
  PutInOrder(std::move(records), &order, wire);
  return true;
}

size_t ReadPrintedMetadata(absl::string_view text, std::string* wire) {
  const size_t size = text.size();
  if (!absl::ConsumePrefix(&text, "{")) return 0;
  MemberValues values;
  do {
    const MetadataMember* const member = ConsumeMember(&text);
    if (member == nullptr) return 0;
    const size_t i = static_cast<size_t>(member - kMembers);
    if ((values.there >> i & 1) != 0) return 0;
    values.there |= uint32_t{1} << i;
    switch (member->kind) {
      case MemberKind::kText:
      case MemberKind::kRawText:
        if (!ConsumePlainText(&text, &values.of[i].text)) return 0;
        break;
      case MemberKind::kInt:
        if (!ConsumePlainNumber(&text, &values.of[i].number)) return 0;
        break;
      default:
        return 0;
    }
  } while (absl::ConsumePrefix(&text, " "));
  if (!absl::ConsumePrefix(&text, "}")) return 0;
  WriteValues(values, wire);
  return size - text.size();
}

bool AppendMetadata(absl::string_view prefix, absl::string_view wire,
                    int64_t frame, bool only_op_name, TextBuffer* out) {
  MemberValues values;
  FindValues(wire, &values);
  uint64_t& stored_frame = values.of[kFrameMember].number;
  if (frame == 0 && stored_frame != 0) {
    values.there &= ~(uint32_t{1} << kFrameMember);
  }
  stored_frame = static_cast<uint64_t>(frame);
  if ((values.there & kShown) == 0) return false;
  if (only_op_name) values.there &= uint32_t{1} << kOpNameMember;
  out->Append(prefix);
  out->Append('{');
  AppendMembers(values, out);
  out->Append('}');
  return true;
}

std::string MetadataMembersText(absl::string_view wire) {
  MemberValues values;
  FindValues(wire, &values);
  TextBuffer out;
  AppendMembers(values, &out);
  return out.Take();
}

bool ReadMetadataList(Lexer* lexer, std::vector<std::string>* wires) {
  const size_t start = lexer->offset();
  if (!lexer->Expect(Token::kLeftBrace)) return false;
  if (lexer->token() != Token::kLeftBrace) {
    lexer->Seek(start);
    wires->emplace_back();
    return ReadMetadata(lexer, &wires->back());
  }
  do {
    wires->emplace_back();
    if (!ReadMetadata(lexer, &wires->back())) return false;
  } while (lexer->Accept(Token::kComma));
  return lexer->Expect(Token::kRightBrace, "\",\" or \"}\"");
}

std::string MetadataListText(const std::vector<std::string>& wires) {
  std::string text = "{";
  for (size_t i = 0; i < wires.size(); ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", "{",
                    MetadataMembersText(wires[i]), "}");
  }
  return text + "}";
}

}  // namespace indim
