// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/wire/wire_check.h"

#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_scalar.h"

namespace indim {
namespace {

// Checks messages for canonical form. kMaxWireDepth limits the recursion. Every
// byte of every file passes here, so readers stay in registers (no call takes
// the address of one), and each message is one loop.
class CanonicalChecker {
 public:
  bool Message(const WireMessageInfo& info, absl::string_view bytes, int depth);

  // Valid after Message has returned false.
  const char* failure() const { return failure_; }

 private:
  // `where` lies inside the message that isn't canonical, before its end.
  bool Fail(const char* where) {
    failure_ = where;
    return false;
  }
  bool Packed(WireKind kind, absl::string_view bytes);
  bool MapEntry(const WireMessageInfo& info, absl::string_view bytes, int depth,
                const WireScalar* last_key, WireScalar* key);
  bool UnknownTail(const WireMessageInfo& info, WireReader reader, int depth);
  bool UnknownValue(uint32_t tag, WireReader* reader, int depth);

  const char* failure_ = nullptr;
};

// Reads one element of a field that isn't a message.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadCanonicalScalar(
    WireKind kind, WireReader* reader, WireScalar* scalar) {
  switch (kind) {
    case WireKind::kInt64:
    case WireKind::kUint64:
      return reader->ReadMinimalVarint(&scalar->bits);
    case WireKind::kString:
      return reader->ReadMinimalLengthDelimited(&scalar->text) &&
             IsValidUtf8(scalar->text);
    case WireKind::kBytes:
      return reader->ReadMinimalLengthDelimited(&scalar->text);
    case WireKind::kFloat:
    case WireKind::kDouble:
      return ReadScalar(kind, reader, scalar);
    default:
      return reader->ReadMinimalVarint(&scalar->bits) &&
             NormalizeVarint(kind, scalar->bits) == scalar->bits;
  }
}

bool CanonicalChecker::Message(const WireMessageInfo& info,
                               absl::string_view bytes, int depth) {
  WireReader reader(bytes);
  uint32_t last_number = 0;
  bool oneof_set = false;
  WireScalar last_key;  // of the previous map entry, if last_number is its map
  while (!reader.done()) {
    const char* start = reader.cursor();
    const WireReader before = reader;
    uint32_t tag;
    if (!reader.ReadMinimalTag(&tag)) return Fail(start);
    const WireField* field = info.Find(TagNumber(tag));
    if (field == nullptr || TagType(tag) != field->wire_type) {
      const bool unpacked = field != nullptr && field->Accepts(TagType(tag));
      return unpacked ? Fail(start) : UnknownTail(info, before, depth);
    }
    const bool same_as_last = field->number == last_number;
    if (ABSL_PREDICT_FALSE(
            field->number < last_number ||
            (same_as_last && field->label != WireLabel::kRepeated))) {
      return Fail(start);
    }
    last_number = field->number;
    if (field->is_plain_number && reader.ConsumeSmallNumber()) continue;
    if (field->is_plain_text) {
      absl::string_view text;
      if (!reader.ReadMinimalLengthDelimited(&text) || text.empty() ||
          !IsValidUtf8(text)) {
        return Fail(start);
      }
      continue;
    }
    if (field->presence == WirePresence::kOneof) {
      if (oneof_set) return Fail(start);
      oneof_set = true;
    }
    if (field->submessage == nullptr && field->label != WireLabel::kPacked) {
      WireScalar scalar;
      if (!ReadCanonicalScalar(field->kind, &reader, &scalar)) {
        return Fail(start);
      }
      const bool may_be_default = field->label == WireLabel::kRepeated ||
                                  field->presence != WirePresence::kImplicit;
      if (!may_be_default && scalar.is_default()) return Fail(start);
      continue;
    }
    absl::string_view value;
    if (!reader.ReadMinimalLengthDelimited(&value)) return Fail(start);
    if (field->submessage == nullptr) {
      if (!Packed(field->kind, value)) return Fail(start);
      continue;
    }
    if (ABSL_PREDICT_FALSE(depth >= kMaxWireDepth)) return Fail(start);
    if (field->kind == WireKind::kMessage) {
      if (!Message(*field->submessage, value, depth + 1)) return false;
      continue;
    }
    WireScalar key;
    if (value.empty()) return Fail(start);
    if (!MapEntry(*field->submessage, value, depth + 1,
                  same_as_last ? &last_key : nullptr, &key)) {
      return false;
    }
    last_key = key;
  }
  return true;
}

bool CanonicalChecker::Packed(WireKind kind, absl::string_view bytes) {
  if (bytes.empty()) return false;
  if (kind == WireKind::kFloat) return bytes.size() % 4 == 0;
  if (kind == WireKind::kDouble) return bytes.size() % 8 == 0;
  WireReader reader(bytes);
  while (!reader.done()) {
    uint64_t value;
    if (!reader.ReadMinimalVarint(&value)) return false;
    if (NormalizeVarint(kind, value) != value) return false;
  }
  return true;
}

// An entry must have key and value and nothing else, and a key after the last
// one. `bytes` are not empty.
bool CanonicalChecker::MapEntry(const WireMessageInfo& info,
                                absl::string_view bytes, int depth,
                                const WireScalar* last_key, WireScalar* key) {
  const WireField& key_field = info.fields()[0];
  const WireField& value_field = info.fields()[1];
  WireReader entry(bytes);
  uint32_t tag;
  if (!entry.ReadMinimalTag(&tag) || tag != MakeTag(1, key_field.wire_type) ||
      !ReadCanonicalScalar(key_field.kind, &entry, key)) {
    return Fail(bytes.data());
  }
  if (last_key != nullptr && !MapKeyLess(key_field.kind, *last_key, *key)) {
    return Fail(bytes.data());
  }
  WireScalar value;
  if (!entry.ReadMinimalTag(&tag) || tag != MakeTag(2, value_field.wire_type)) {
    return Fail(bytes.data());
  }
  if (value_field.kind != WireKind::kMessage) {
    if (!ReadCanonicalScalar(value_field.kind, &entry, &value)) {
      return Fail(bytes.data());
    }
  } else {
    if (!entry.ReadMinimalLengthDelimited(&value.text) ||
        depth >= kMaxWireDepth) {
      return Fail(bytes.data());
    }
    if (!Message(*value_field.submessage, value.text, depth + 1)) return false;
  }
  return entry.done() || Fail(entry.cursor());
}

// The rest of a message, from its first unknown field on: all its fields must
// be unknown, because unknown fields come last.
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
      open;  // numbers of open groups, at most kMaxWireDepth
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

// The reason for refusing a field that the table lacks.
absl::string_view UnknownFieldError(WireType type) {
  switch (type) {
    case WireType::kStartGroup:
      return "the group is malformed, not ended or nested too deep";
    case WireType::kEndGroup:
      return "a group ends that didn't start";
    default:
      return "the value of an unknown field is cut off or malformed";
  }
}

// Accepts and refuses exactly what libprotobuf does. A message that fails adds
// its name to the path, the innermost first.
class Validator {
 public:
  Validator(absl::string_view bytes, const char* checked)
      : start_(bytes.data()), checked_(checked) {}

  bool Message(const WireMessageInfo& info, absl::string_view bytes, int depth);
  absl::Status status() const {
    return absl::InvalidArgumentError(absl::StrCat(
        "byte ", failure_ - start_, ", in ", Path(), ": ", reason_));
  }

 private:
  bool Fail(const char* where, absl::string_view reason) {
    failure_ = where;
    reason_ = std::string(reason);
    return false;
  }
  // The messages from the outermost on; for a deep one without the middle.
  std::string Path() const;
  bool Field(const WireField& field, uint32_t tag, WireReader* reader,
             int depth);
  bool Bytes(const WireField& field, absl::string_view bytes, int depth);
  bool Packed(WireKind kind, absl::string_view bytes);

  const char* start_;
  const char* checked_;
  const char* failure_ = nullptr;
  std::string reason_;
  std::vector<std::string> path_;  // the innermost message first
};

std::string Validator::Path() const {
  constexpr size_t kOuter = 3, kInner = 2;
  if (path_.size() <= kOuter + kInner + 1) {
    return absl::StrJoin(path_.rbegin(), path_.rend(), " > ");
  }
  return absl::StrCat(
      absl::StrJoin(path_.rbegin(), path_.rbegin() + kOuter, " > "), " > (",
      path_.size() - kOuter - kInner, " more) > ",
      absl::StrJoin(path_.rend() - kInner, path_.rend(), " > "));
}

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
        valid = Fail(start, UnknownFieldError(TagType(tag)));
      }
    }
    if (valid) continue;
    path_.push_back(tag == 0
                        ? std::string(info.name())
                        : absl::StrCat(info.name(), " field ", TagNumber(tag)));
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
