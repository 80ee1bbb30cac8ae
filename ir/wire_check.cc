#include "indim/ir/wire_check.h"

#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/wire.h"
#include "indim/ir/wire_scalar.h"

namespace indim {
namespace {

// Checks messages for canonical form. The recursion is bounded by
// kMaxWireDepth.
class CanonicalChecker {
 public:
  bool Message(const WireMessageInfo& info, absl::string_view bytes, int depth);

  // Valid after Message has returned false.
  const char* failure() const { return failure_; }

 private:
  // What a message needs to know of its earlier fields.
  struct State {
    uint32_t last_number = 0;
    bool oneof_set = false;
    WireScalar last_key;  // of the map entry before, valid while last_number is
                          // the map's
  };

  // `where` is inside the message that isn't canonical, before its end.
  bool Fail(const char* where) {
    failure_ = where;
    return false;
  }
  // Where a value at fault is reported, as the value itself may lie behind the
  // end.
  static const char* LastOfTag(const WireReader& at_value) {
    return at_value.cursor() - 1;
  }
  bool Field(const WireField& field, WireReader* reader, int depth,
             bool same_as_last, State* state);
  bool Scalar(const WireField& field, bool may_be_default, WireReader* reader,
              WireScalar* scalar);
  bool Packed(WireKind kind, absl::string_view bytes);
  bool Submessage(const WireField& field, WireReader* reader, int depth);
  bool MapEntry(const WireMessageInfo& info, WireReader* reader, int depth,
                const WireScalar* last_key, WireScalar* key);
  bool UnknownTail(const WireMessageInfo& info, WireReader reader, int depth);
  bool UnknownValue(uint32_t tag, WireReader* reader, int depth);

  const char* failure_ = nullptr;
};

bool CanonicalChecker::Message(const WireMessageInfo& info,
                               absl::string_view bytes, int depth) {
  WireReader reader(bytes);
  State state;
  while (!reader.done()) {
    const WireReader before = reader;
    uint32_t tag;
    if (!reader.ReadMinimalTag(&tag)) return Fail(before.cursor());
    const WireField* field = info.Find(TagNumber(tag));
    if (field == nullptr || !field->Accepts(TagType(tag)))
      return UnknownTail(info, before, depth);
    const bool same_as_last = field->number == state.last_number;
    const bool in_order =
        field->number > state.last_number ||
        (same_as_last && field->label == WireLabel::kRepeated);
    if (!in_order || TagType(tag) != field->wire_type)
      return Fail(before.cursor());
    state.last_number = field->number;
    if (!Field(*field, &reader, depth, same_as_last, &state)) return false;
  }
  return true;
}

bool CanonicalChecker::Field(const WireField& field, WireReader* reader,
                             int depth, bool same_as_last, State* state) {
  const char* start = LastOfTag(*reader);
  if (field.presence == WirePresence::kOneof) {
    if (state->oneof_set) return Fail(start);
    state->oneof_set = true;
  }
  if (field.kind == WireKind::kMessage) return Submessage(field, reader, depth);
  if (field.kind == WireKind::kMap) {
    WireScalar key;
    if (!MapEntry(*field.submessage, reader, depth,
                  same_as_last ? &state->last_key : nullptr, &key))
      return false;
    state->last_key = key;
    return true;
  }
  if (field.label == WireLabel::kPacked) {
    absl::string_view bytes;
    return (reader->ReadMinimalLengthDelimited(&bytes) &&
            Packed(field.kind, bytes)) ||
           Fail(start);
  }
  WireScalar scalar;
  const bool may_be_default = field.label == WireLabel::kRepeated ||
                              field.presence != WirePresence::kImplicit;
  return Scalar(field, may_be_default, reader, &scalar);
}

bool CanonicalChecker::Scalar(const WireField& field, bool may_be_default,
                              WireReader* reader, WireScalar* scalar) {
  const char* start = LastOfTag(*reader);
  bool canonical = true;
  if (field.wire_type == WireType::kVarint) {
    canonical = reader->ReadMinimalVarint(&scalar->bits) &&
                NormalizeVarint(field.kind, scalar->bits) == scalar->bits;
  } else if (field.wire_type == WireType::kLengthDelimited) {
    canonical = reader->ReadMinimalLengthDelimited(&scalar->text) &&
                (field.kind == WireKind::kBytes || IsValidUtf8(scalar->text));
  } else {
    canonical = ReadScalar(field.kind, reader, scalar);
  }
  return (canonical && (may_be_default || !scalar->is_default())) ||
         Fail(start);
}

bool CanonicalChecker::Packed(WireKind kind, absl::string_view bytes) {
  if (bytes.empty()) return false;
  if (kind == WireKind::kFloat) return bytes.size() % 4 == 0;
  if (kind == WireKind::kDouble) return bytes.size() % 8 == 0;
  WireReader reader(bytes);
  while (!reader.done()) {
    uint64_t value;
    if (!reader.ReadMinimalVarint(&value) ||
        NormalizeVarint(kind, value) != value)
      return false;
  }
  return true;
}

bool CanonicalChecker::Submessage(const WireField& field, WireReader* reader,
                                  int depth) {
  const char* start = LastOfTag(*reader);
  absl::string_view bytes;
  if (!reader->ReadMinimalLengthDelimited(&bytes) || depth >= kMaxWireDepth)
    return Fail(start);
  return Message(*field.submessage, bytes, depth + 1);
}

// Key and value, both there and nothing else, the key after the one before.
bool CanonicalChecker::MapEntry(const WireMessageInfo& info, WireReader* reader,
                                int depth, const WireScalar* last_key,
                                WireScalar* key) {
  const char* start = LastOfTag(*reader);
  absl::string_view bytes;
  if (!reader->ReadMinimalLengthDelimited(&bytes) || depth >= kMaxWireDepth)
    return Fail(start);
  const WireField& key_field = info.fields()[0];
  const WireField& value_field = info.fields()[1];
  WireReader entry(bytes);
  uint32_t tag;
  if (!entry.ReadMinimalTag(&tag) || tag != MakeTag(1, key_field.wire_type))
    return Fail(start);
  if (!Scalar(key_field, true, &entry, key)) return false;
  if (last_key != nullptr && !MapKeyLess(key_field.kind, *last_key, *key))
    return Fail(start);
  if (!entry.ReadMinimalTag(&tag) || tag != MakeTag(2, value_field.wire_type))
    return Fail(start);
  if (value_field.kind == WireKind::kMessage) {
    if (!Submessage(value_field, &entry, depth + 1)) return false;
  } else {
    WireScalar value;
    if (!Scalar(value_field, true, &entry, &value)) return false;
  }
  return entry.done() || Fail(entry.cursor());
}

// The rest of a message, from its first unknown field: all others must be
// unknown too, as unknown ones come last.
bool CanonicalChecker::UnknownTail(const WireMessageInfo& info,
                                   WireReader reader, int depth) {
  while (!reader.done()) {
    const char* start = reader.cursor();
    uint32_t tag;
    if (!reader.ReadMinimalTag(&tag)) return Fail(start);
    const WireField* field = info.Find(TagNumber(tag));
    if (field != nullptr && field->Accepts(TagType(tag))) return Fail(start);
    if (!UnknownValue(tag, &reader, depth)) return Fail(start);
  }
  return true;
}

bool CanonicalChecker::UnknownValue(uint32_t tag, WireReader* reader,
                                    int depth) {
  absl::InlinedVector<uint32_t, 8>
      open;  // the numbers of open groups, at most kMaxWireDepth
  uint64_t value;
  absl::string_view bytes;
  while (true) {
    bool canonical = true;
    switch (TagType(tag)) {
      case WireType::kVarint:
        canonical = reader->ReadMinimalVarint(&value);
        break;
      case WireType::kLengthDelimited:
        canonical = reader->ReadMinimalLengthDelimited(&bytes);
        break;
      case WireType::kStartGroup:
        canonical = depth + static_cast<int>(open.size()) < kMaxWireDepth;
        open.push_back(TagNumber(tag));
        break;
      case WireType::kEndGroup:
        canonical = !open.empty() && open.back() == TagNumber(tag);
        if (canonical) open.pop_back();
        break;
      default:
        canonical = reader->SkipValue(tag, 0);
    }
    if (!canonical) return false;
    if (open.empty()) return true;
    if (!reader->ReadMinimalTag(&tag)) return false;
  }
}

// Accepts and refuses what libprotobuf does. Each message adds its name to the
// path when it fails, innermost first.
class Validator {
 public:
  Validator(absl::string_view bytes, const char* checked)
      : start_(bytes.data()), checked_(checked) {}

  bool Message(const WireMessageInfo& info, absl::string_view bytes, int depth);
  absl::Status status() const {
    return absl::InvalidArgumentError(absl::StrCat(
        "byte ", failure_ - start_, ", in ", path_, ": ", reason_));
  }

 private:
  bool Fail(const char* where, absl::string_view reason) {
    failure_ = where;
    reason_ = std::string(reason);
    return false;
  }
  bool Field(const WireField& field, uint32_t tag, WireReader* reader,
             int depth);
  bool Bytes(const WireField& field, absl::string_view bytes, int depth);
  bool Packed(WireKind kind, absl::string_view bytes);

  const char* start_;
  const char* checked_;
  const char* failure_ = nullptr;
  std::string reason_;
  std::string path_;
};

bool Validator::Message(const WireMessageInfo& info, absl::string_view bytes,
                        int depth) {
  WireReader reader(bytes);
  while (!reader.done()) {
    const char* start = reader.cursor();
    uint32_t tag = 0;
    bool valid = reader.ReadTag(&tag);
    if (!valid) {
      Fail(start, "not a field tag");
    } else {
      const WireField* field = info.Find(TagNumber(tag));
      if (field != nullptr && field->Accepts(TagType(tag))) {
        valid = Field(*field, tag, &reader, depth);
      } else if (!reader.SkipValue(tag, kMaxWireDepth - depth)) {
        valid = Fail(start,
                     "the value of an unknown field is cut off or malformed");
      }
    }
    if (valid) continue;
    const std::string field =
        tag == 0 ? "" : absl::StrCat(" field ", TagNumber(tag));
    path_ = absl::StrCat(info.name(), field, path_.empty() ? "" : " > ", path_);
    return false;
  }
  return true;
}

bool Validator::Field(const WireField& field, uint32_t tag, WireReader* reader,
                      int depth) {
  const char* start = reader->cursor();
  if (TagType(tag) != WireType::kLengthDelimited) {
    return reader->SkipValue(tag, 0) ||
           Fail(start, "the number is cut off or has more than ten bytes");
  }
  absl::string_view bytes;
  if (!reader->ReadLengthDelimited(&bytes))
    return Fail(start,
                "the length is malformed or exceeds the bytes that are left");
  return Bytes(field, bytes, depth);
}

bool Validator::Bytes(const WireField& field, absl::string_view bytes,
                      int depth) {
  switch (field.kind) {
    case WireKind::kMessage:
    case WireKind::kMap:
      if (depth >= kMaxWireDepth) {
        return Fail(bytes.data(), absl::StrCat("messages are nested more than ",
                                               kMaxWireDepth, " deep"));
      }
      if (checked_ != nullptr && bytes.data() + bytes.size() <= checked_)
        return true;
      return Message(*field.submessage, bytes, depth + 1);
    case WireKind::kString:
      return IsValidUtf8(bytes) ||
             Fail(bytes.data(), "the string is not valid UTF-8");
    case WireKind::kBytes:
      return true;
    default:
      return Packed(field.kind, bytes);
  }
}

bool Validator::Packed(WireKind kind, absl::string_view bytes) {
  WireReader reader(bytes);
  WireScalar scalar;
  while (!reader.done()) {
    const char* start = reader.cursor();
    if (!ReadScalar(kind, &reader, &scalar))
      return Fail(start, "an element of the list is cut off or malformed");
  }
  return true;
}

}  // namespace

const char* FindNonCanonical(const WireMessageInfo& info,
                             absl::string_view bytes, int depth) {
  CanonicalChecker checker;
  if (depth > kMaxWireDepth) return bytes.data();
  return checker.Message(info, bytes, depth) ? nullptr : checker.failure();
}

absl::Status ValidateWire(const WireMessageInfo& info, absl::string_view bytes,
                          int depth, const char* checked) {
  if (depth > kMaxWireDepth) {
    return absl::InvalidArgumentError(absl::StrCat(
        "byte 0, in ", info.name(), ": messages are nested more than ",
        kMaxWireDepth, " deep"));
  }
  Validator validator(bytes, checked);
  return validator.Message(info, bytes, depth) ? absl::OkStatus()
                                               : validator.status();
}

}  // namespace indim
