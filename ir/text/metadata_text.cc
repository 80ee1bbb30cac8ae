#include "indim/ir/text/metadata_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/ir/field_list.h"
#include "indim/ir/text/members.h"
#include "indim/ir/wire.h"
#include "indim/ir/wire_table.h"

namespace indim {
namespace {

enum class Kind : uint8_t { kText, kRawText, kInt, kProfile, kPayload };

struct Member {
  absl::string_view name;
  uint32_t field;
  Kind kind;
};

// In the order in which XLA prints them (OpMetadataToString). scheduling_name
// is printed without escapes.
constexpr Member kMembers[] = {
    {"op_type", 1, Kind::kText},
    {"op_name", 2, Kind::kText},
    {"source_file", 3, Kind::kText},
    {"source_line", 4, Kind::kInt},
    {"source_end_line", 17, Kind::kInt},
    {"source_column", 18, Kind::kInt},
    {"source_end_column", 19, Kind::kInt},
    {"profile_type", 5, Kind::kProfile},
    {"deduplicated_name", 12, Kind::kText},
    {"scheduling_name", 16, Kind::kRawText},
    {"stack_frame_id", 15, Kind::kInt},
    {"metadata_payload", 20, Kind::kPayload},
};
constexpr size_t kOpNameMember = 1;
constexpr uint32_t kPayloadValue = 1;
constexpr int64_t kLastProfileType = 3;
// A metadata with none of these is not shown.
constexpr uint32_t kShownFor[] = {1, 2, 3, 15, 16, 20};

// Appends the member's record, nothing where it has its default.
bool ReadValue(const Member& member, Lexer* lexer, std::string* out) {
  switch (member.kind) {
    case Kind::kText:
    case Kind::kRawText: {
      absl::string_view text;
      std::string unescaped;
      if (!ReadUtf8View(lexer, &unescaped, &text)) return false;
      if (text.empty()) return true;
      AppendTag(member.field, WireType::kLengthDelimited, out);
      AppendLengthDelimited(text, out);
      return true;
    }
    case Kind::kInt: {
      int64_t value = 0;
      if (!ReadInt32(lexer, &value)) return false;
      if (value == 0) return true;
      AppendTag(member.field, WireType::kVarint, out);
      AppendVarint(static_cast<uint64_t>(value), out);
      return true;
    }
    case Kind::kProfile: {
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
      AppendTag(member.field, WireType::kLengthDelimited, out);
      AppendLengthDelimited(packed, out);
      return true;
    }
    case Kind::kPayload: {
      std::string value;
      if (!lexer->ReadString(&value)) return false;
      // Present even when empty: a oneof.
      std::string payload;
      AppendTag(kPayloadValue, WireType::kLengthDelimited, &payload);
      AppendLengthDelimited(value, &payload);
      AppendTag(member.field, WireType::kLengthDelimited, out);
      AppendLengthDelimited(payload, out);
      return true;
    }
  }
  return false;
}

// Where a member's record stands among those that were read.
struct Record {
  uint32_t field;
  size_t begin;
  size_t end;
};

// Where a member's value stands in the bytes: a text's characters, a number.
struct Value {
  bool there = false;
  absl::string_view text;
  uint64_t number = 0;
};
using Values = std::array<Value, std::size(kMembers)>;

// One walk over canonical bytes. True when XLA shows such a metadata.
bool FindValues(absl::string_view wire, Values* values) {
  bool shown = false;
  WireReader reader(wire);
  uint32_t tag;
  while (!reader.done() && reader.ReadTag(&tag)) {
    const uint32_t field = TagNumber(tag);
    Value value;
    value.there = true;
    if (TagType(tag) == WireType::kVarint) {
      if (!reader.ReadVarint(&value.number)) return shown;
    } else if (TagType(tag) == WireType::kLengthDelimited) {
      if (!reader.ReadLengthDelimited(&value.text)) return shown;
    } else if (!reader.SkipValue(tag, kMaxWireDepth)) {
      return shown;
    }
    for (size_t i = 0; i < std::size(kMembers); ++i) {
      if (kMembers[i].field == field) (*values)[i] = value;
    }
    shown |= std::find(std::begin(kShownFor), std::end(kShownFor), field) !=
             std::end(kShownFor);
  }
  return shown;
}

// "op_name=\"x\"".
void AppendValue(const Member& member, const Value& value, std::string* out) {
  switch (member.kind) {
    case Kind::kText:
      absl::StrAppend(out, member.name, "=\"", EscapeText(value.text), "\"");
      return;
    case Kind::kRawText:
      absl::StrAppend(out, member.name, "=\"", value.text, "\"");
      return;
    case Kind::kInt:
      absl::StrAppend(out, member.name, "=",
                      static_cast<int64_t>(value.number));
      return;
    case Kind::kProfile: {
      absl::StrAppend(out, member.name, "={");
      WireReader reader(value.text);
      uint64_t type = 0;
      for (absl::string_view comma = ""; reader.ReadVarint(&type);
           comma = ",") {
        absl::StrAppend(out, comma, static_cast<int64_t>(type));
      }
      out->append("}");
      return;
    }
    case Kind::kPayload: {
      FieldList payload(WireMessage::kPayload);
      payload.Append(value.text);
      absl::StrAppend(out, member.name, "=\"",
                      EscapeText(payload.Text(kPayloadValue)), "\"");
      return;
    }
  }
}

// A payload that is elsewhere has no value to show.
bool HasText(const Member& member, const Value& value) {
  if (!value.there || member.kind != Kind::kPayload) return value.there;
  FieldList payload(WireMessage::kPayload);
  payload.Append(value.text);
  return payload.has(kPayloadValue);
}

void AppendMembers(const Values& values, std::string* out) {
  const size_t begin = out->size();
  for (size_t i = 0; i < std::size(kMembers); ++i) {
    if (!HasText(kMembers[i], values[i])) continue;
    if (out->size() > begin) out->append(" ");
    AppendValue(kMembers[i], values[i], out);
  }
}

}  // namespace

bool ReadMetadata(Lexer* lexer, std::string* wire) {
  static const std::vector<absl::string_view>* const kNames = [] {
    auto* names = new std::vector<absl::string_view>();
    for (const Member& member : kMembers) names->push_back(member.name);
    return names;
  }();
  std::string records;
  absl::InlinedVector<Record, std::size(kMembers)> order;
  if (!ReadMembers(lexer, "metadata", *kNames, [&](size_t i) {
        const size_t begin = records.size();
        if (!ReadValue(kMembers[i], lexer, &records)) return false;
        order.push_back({kMembers[i].field, begin, records.size()});
        return true;
      })) {
    return false;
  }
  const auto by_field = [](const Record& a, const Record& b) {
    return a.field < b.field;
  };
  if (std::is_sorted(order.begin(), order.end(), by_field)) {
    *wire = std::move(records);
    return true;
  }
  std::sort(order.begin(), order.end(), by_field);
  wire->clear();
  for (const Record& record : order) {
    wire->append(records, record.begin, record.end - record.begin);
  }
  return true;
}

std::string MetadataText(absl::string_view wire, bool only_op_name) {
  Values values;
  if (!FindValues(wire, &values)) return "";
  std::string out = "{";
  if (!only_op_name) {
    AppendMembers(values, &out);
  } else if (values[kOpNameMember].there) {
    AppendValue(kMembers[kOpNameMember], values[kOpNameMember], &out);
  }
  out.append("}");
  return out;
}

std::string MetadataMembersText(absl::string_view wire) {
  Values values;
  FindValues(wire, &values);
  std::string out;
  AppendMembers(values, &out);
  return out;
}

}  // namespace indim
