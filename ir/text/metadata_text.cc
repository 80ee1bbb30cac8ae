#include "indim/ir/text/metadata_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
constexpr uint32_t kOpName = 2;
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

// "op_name=\"x\""; empty where the member has its default.
std::string ValueText(const Member& member, const FieldList& from) {
  if (!from.has(member.field)) return "";
  switch (member.kind) {
    case Kind::kText:
      return absl::StrCat(member.name, "=\"",
                          EscapeText(from.Text(member.field)), "\"");
    case Kind::kRawText:
      return absl::StrCat(member.name, "=\"", from.Text(member.field), "\"");
    case Kind::kInt:
      return absl::StrCat(member.name, "=", from.Number(member.field));
    case Kind::kProfile:
      return absl::StrCat(member.name, "={",
                          absl::StrJoin(from.Numbers(member.field), ","), "}");
    case Kind::kPayload: {
      FieldList payload(WireMessage::kPayload);
      payload.Append(from.Text(member.field));
      if (!payload.has(kPayloadValue)) return "";
      return absl::StrCat(member.name, "=\"",
                          EscapeText(payload.Text(kPayloadValue)), "\"");
    }
  }
  return "";
}

std::string MembersText(const FieldList& metadata) {
  std::string out;
  for (const Member& member : kMembers) {
    const std::string text = ValueText(member, metadata);
    if (!text.empty()) absl::StrAppend(&out, out.empty() ? "" : " ", text);
  }
  return out;
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
  FieldList metadata(WireMessage::kOpMetadata);
  metadata.Append(wire);
  if (!std::any_of(std::begin(kShownFor), std::end(kShownFor),
                   [&](uint32_t field) { return metadata.has(field); })) {
    return "";
  }
  if (!only_op_name) return absl::StrCat("{", MembersText(metadata), "}");
  if (!metadata.has(kOpName)) return "{}";
  return absl::StrCat("{op_name=\"", EscapeText(metadata.Text(kOpName)), "\"}");
}

std::string MetadataMembersText(absl::string_view wire) {
  FieldList metadata(WireMessage::kOpMetadata);
  metadata.Append(wire);
  return MembersText(metadata);
}

}  // namespace indim
