// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/wire/canonical.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "indim/proto/wire/field_index.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_check.h"
#include "indim/proto/wire/wire_scalar.h"

namespace indim {
namespace {

using canonical::FieldIndex;
using canonical::InnerPiece;
using canonical::kUnknown;
using canonical::Piece;
using canonical::Pieces;
using canonical::Run;

// An entry of a map, for sorting; 24 bytes for an entry of at least two bytes.
struct KeyedEntry {
  const char* key_text;
  uint64_t key_bits;  // of a text its size
  const char* at;     // the place of the entry's length

  WireScalar Key(WireKind kind) const {
    WireScalar key;
    if (kind == WireKind::kString) {
      key.text = absl::string_view(key_text, static_cast<size_t>(key_bits));
    } else {
      key.bits = key_bits;
    }
    return key;
  }
};

// Rewrites valid bytes in canonical form. kMaxWireDepth limits the recursion.
class Rewriter {
 public:
  explicit Rewriter(std::string* out) : out_(out) {}

  void Message(const WireMessageInfo& info, absl::Span<const Piece> pieces,
               int depth);

 private:
  using Runs = absl::Span<const Run>;

  void Singular(const WireField& field, const FieldIndex& index, Runs runs);
  void SingularMessage(const WireField& field, const FieldIndex& index,
                       Runs runs, int depth);
  void Repeated(const WireField& field, const FieldIndex& index, Runs runs,
                int depth);
  void Packed(const WireField& field, const FieldIndex& index, Runs runs);
  void Map(const WireField& field, const FieldIndex& index, Runs runs,
           int depth);
  void MapEntry(const WireField& field, const WireScalar& key,
                const Piece& entry, int depth);
  void Submessage(const WireMessageInfo& info, absl::Span<Piece> pieces,
                  int depth);
  void Unknown(uint32_t tag, WireReader* reader);

  // Reserves room for a length, probably that of `size`; CloseLength writes the
  // real one.
  struct OpenLength {
    size_t at;
    size_t width;
  };
  OpenLength ReserveLength(size_t size);
  void CloseLength(OpenLength open);

  std::string* out_;
};

void Rewriter::Message(const WireMessageInfo& info,
                       absl::Span<const Piece> pieces, int depth) {
  const FieldIndex index(info, pieces);
  const Runs all = index.runs();
  size_t next = 0;
  for (size_t i = 0; i < all.size(); i = next) {
    while (next < all.size() && all[next].number == all[i].number) ++next;
    const Runs runs = all.subspan(i, next - i);
    if (runs[0].number == kUnknown) {
      index.ForEach(nullptr, runs,
                    [this](uint32_t tag, WireReader* reader, const Piece&) {
                      Unknown(tag, reader);
                    });
      continue;
    }
    const WireField& field = *info.Find(runs[0].number);
    if (field.kind == WireKind::kMap) {
      Map(field, index, runs, depth);
    } else if (field.label == WireLabel::kPacked) {
      Packed(field, index, runs);
    } else if (field.label == WireLabel::kRepeated) {
      Repeated(field, index, runs, depth);
    } else if (field.kind == WireKind::kMessage) {
      SingularMessage(field, index, runs, depth);
    } else {
      Singular(field, index, runs);
    }
  }
}

void Rewriter::Singular(const WireField& field, const FieldIndex& index,
                        Runs runs) {
  WireScalar last;
  bool set = false;
  index.ForEach(&field, runs, [&](uint32_t, WireReader* reader, const Piece&) {
    ReadScalar(field.kind, reader, &last);
    set = true;
  });
  if (!set || (field.presence == WirePresence::kImplicit && last.is_default()))
    return;
  AppendTag(field.number, field.wire_type, out_);
  AppendScalar(field.kind, last, out_);
}

void Rewriter::SingularMessage(const WireField& field, const FieldIndex& index,
                               Runs runs, int depth) {
  Pieces pieces;
  bool set = false;
  // Count first, so that the list is allocated at its size. Empty pieces only
  // make the field present.
  size_t count = 0;
  index.ForEach(&field, runs, [&](uint32_t, WireReader* reader, const Piece&) {
    absl::string_view bytes;
    reader->ReadLengthDelimited(&bytes);
    if (!bytes.empty()) ++count;
    set = true;
  });
  if (!set) return;
  pieces.reserve(count);
  index.ForEach(&field, runs,
                [&](uint32_t, WireReader* reader, const Piece& outer) {
                  absl::string_view bytes;
                  reader->ReadLengthDelimited(&bytes);
                  if (!bytes.empty())
                    pieces.push_back(InnerPiece(bytes, outer));
                });
  AppendTag(field.number, field.wire_type, out_);
  Submessage(*field.submessage, absl::MakeSpan(pieces), depth + 1);
}

void Rewriter::Repeated(const WireField& field, const FieldIndex& index,
                        Runs runs, int depth) {
  index.ForEach(
      &field, runs, [&](uint32_t, WireReader* reader, const Piece& outer) {
        absl::string_view bytes;
        reader->ReadLengthDelimited(&bytes);
        AppendTag(field.number, field.wire_type, out_);
        if (field.kind == WireKind::kMessage) {
          Piece piece = InnerPiece(bytes, outer);
          Submessage(*field.submessage, absl::MakeSpan(&piece, 1), depth + 1);
        } else {
          AppendLengthDelimited(bytes, out_);
        }
      });
}

void Rewriter::Packed(const WireField& field, const FieldIndex& index,
                      Runs runs) {
  // Calls `visit(element)` for every element, packed or not.
  const auto for_each_element = [&](const auto& visit) {
    index.ForEach(&field, runs,
                  [&](uint32_t tag, WireReader* reader, const Piece&) {
                    WireScalar element;
                    if (TagType(tag) != field.wire_type) {
                      ReadScalar(field.kind, reader, &element);
                      visit(element);
                      return;
                    }
                    absl::string_view bytes;
                    reader->ReadLengthDelimited(&bytes);
                    WireReader elements(bytes);
                    while (!elements.done() &&
                           ReadScalar(field.kind, &elements, &element))
                      visit(element);
                  });
  };
  size_t size = 0;
  for_each_element([&](const WireScalar& element) {
    size += ScalarSize(field.kind, element);
  });
  if (size == 0) return;
  AppendTag(field.number, field.wire_type, out_);
  AppendVarint(size, out_);
  for_each_element([&](const WireScalar& element) {
    AppendScalar(field.kind, element, out_);
  });
}

void Rewriter::Map(const WireField& field, const FieldIndex& index, Runs runs,
                   int depth) {
  const WireField& key_field = field.submessage->fields()[0];
  size_t count = 0;
  for (const Run& run : runs) count += run.count;
  std::vector<KeyedEntry> entries;
  entries.reserve(count);
  index.ForEach(&field, runs, [&](uint32_t, WireReader* reader, const Piece&) {
    const char* at = reader->cursor();
    absl::string_view bytes;
    reader->ReadLengthDelimited(&bytes);
    WireScalar key;  // the last key in the entry; the default if it has none
    WireReader entry(bytes);
    while (!entry.done()) {
      uint32_t tag = 0;
      entry.ReadTag(&tag);
      if (tag == MakeTag(1, key_field.wire_type)) {
        ReadScalar(key_field.kind, &entry, &key);
      } else {
        entry.SkipValue(tag, kMaxWireDepth);
      }
    }
    const bool text = key_field.kind == WireKind::kString;
    entries.push_back({key.text.data(), text ? key.text.size() : key.bits, at});
  });
  std::sort(entries.begin(), entries.end(),
            [&](const KeyedEntry& a, const KeyedEntry& b) {
              const WireScalar a_key = a.Key(key_field.kind);
              const WireScalar b_key = b.Key(key_field.kind);
              if (MapKeyLess(key_field.kind, a_key, b_key)) return true;
              return !MapKeyLess(key_field.kind, b_key, a_key) && a.at < b.at;
            });
  for (size_t i = 0; i < entries.size(); ++i) {
    const WireScalar key = entries[i].Key(key_field.kind);
    // Of entries with equal keys the last one counts.
    if (i + 1 < entries.size() &&
        !MapKeyLess(key_field.kind, key, entries[i + 1].Key(key_field.kind)))
      continue;
    const Piece& outer = index.PieceAt(entries[i].at);
    WireReader reader(absl::string_view(
        entries[i].at, static_cast<size_t>(outer.end - entries[i].at)));
    absl::string_view bytes;
    reader.ReadLengthDelimited(&bytes);
    AppendTag(field.number, field.wire_type, out_);
    MapEntry(field, key, InnerPiece(bytes, outer), depth + 1);
  }
}

// Writes an entry from its length on: the key, and the last value in `entry`,
// or for messages all values merged.
void Rewriter::MapEntry(const WireField& field, const WireScalar& key,
                        const Piece& entry, int depth) {
  const WireField& key_field = field.submessage->fields()[0];
  const WireField& value_field = field.submessage->fields()[1];
  WireScalar value;
  Pieces values;
  WireReader reader(entry.bytes());
  while (!reader.done()) {
    uint32_t tag = 0;
    reader.ReadTag(&tag);
    if (tag != MakeTag(2, value_field.wire_type)) {
      reader.SkipValue(tag, kMaxWireDepth);
    } else if (ReadScalar(value_field.kind, &reader, &value) &&
               value_field.kind == WireKind::kMessage && !value.text.empty()) {
      values.push_back(InnerPiece(value.text, entry));
    }
  }
  const OpenLength length = ReserveLength(entry.bytes().size());
  AppendTag(1, key_field.wire_type, out_);
  AppendScalar(key_field.kind, key, out_);
  AppendTag(2, value_field.wire_type, out_);
  if (value_field.kind == WireKind::kMessage) {
    Submessage(*value_field.submessage, absl::MakeSpan(values), depth + 1);
  } else {
    AppendScalar(value_field.kind, value, out_);
  }
  CloseLength(length);
}

// Writes length and bytes of the message in `pieces`. A single canonical piece
// is copied.
void Rewriter::Submessage(const WireMessageInfo& info, absl::Span<Piece> pieces,
                          int depth) {
  if (pieces.size() == 1) {
    Piece& piece = pieces[0];
    if (piece.checked == piece.begin) {
      const char* failure = FindNonCanonical(info, piece.bytes(), depth);
      piece.checked = failure == nullptr ? piece.end : failure;
    }
    if (piece.canonical()) return AppendLengthDelimited(piece.bytes(), out_);
  }
  size_t size = 0;
  for (const Piece& piece : pieces) size += piece.bytes().size();
  const OpenLength length = ReserveLength(size);
  Message(info, pieces, depth);
  CloseLength(length);
}

// Writes an unknown field as libprotobuf keeps it: its number and value, in
// minimal varints. `open` counts the groups.
void Rewriter::Unknown(uint32_t tag, WireReader* reader) {
  int open = 0;
  while (true) {
    AppendVarint(tag, out_);
    WireScalar value;
    switch (TagType(tag)) {
      case WireType::kVarint:
        ReadScalar(WireKind::kUint64, reader, &value);
        AppendScalar(WireKind::kUint64, value, out_);
        break;
      case WireType::kFixed64:
        ReadScalar(WireKind::kDouble, reader, &value);
        AppendScalar(WireKind::kDouble, value, out_);
        break;
      case WireType::kFixed32:
        ReadScalar(WireKind::kFloat, reader, &value);
        AppendScalar(WireKind::kFloat, value, out_);
        break;
      case WireType::kLengthDelimited:
        ReadScalar(WireKind::kBytes, reader, &value);
        AppendScalar(WireKind::kBytes, value, out_);
        break;
      case WireType::kStartGroup:
        ++open;
        break;
      case WireType::kEndGroup:
        --open;
        break;
    }
    if (open == 0 || !reader->ReadTag(&tag)) return;
  }
}

Rewriter::OpenLength Rewriter::ReserveLength(size_t size) {
  const OpenLength open{out_->size(), VarintSize(size)};
  out_->append(open.width, '\0');
  return open;
}

void Rewriter::CloseLength(OpenLength open) {
  const size_t size = out_->size() - open.at - open.width;
  const size_t width = VarintSize(size);
  if (width > open.width) {
    out_->insert(open.at, width - open.width, '\0');
  } else if (width < open.width) {
    out_->erase(open.at, open.width - width);
  }
  WriteVarint(size, &(*out_)[open.at]);
}

// Depth is at most kMaxWireDepth in canonical bytes.
int64_t CountUnknown(const WireMessageInfo& info, absl::string_view bytes) {
  int64_t count = 0;
  WireReader reader(bytes);
  uint32_t tag;
  while (reader.ReadTag(&tag)) {
    const WireField* field = info.Find(TagNumber(tag));
    const bool is_known = field != nullptr && TagType(tag) == field->wire_type;
    if (!is_known) ++count;
    if (is_known && field->submessage != nullptr) {
      absl::string_view message;
      if (!reader.ReadLengthDelimited(&message)) break;
      count += CountUnknown(*field->submessage, message);
    } else if (!reader.SkipValue(tag, kMaxWireDepth)) {
      break;
    }
  }
  return count;
}

}  // namespace

bool IsCanonical(WireMessage message, absl::string_view bytes, int depth) {
  if (depth > kMaxWireDepth) return false;
  return FindNonCanonical(GetWireMessageInfo(message), bytes, depth) == nullptr;
}

absl::StatusOr<std::string> Canonicalize(WireMessage message,
                                         absl::string_view bytes, int depth) {
  const WireMessageInfo& info = GetWireMessageInfo(message);
  const char* failure = nullptr;
  if (depth <= kMaxWireDepth) {
    failure = FindNonCanonical(info, bytes, depth);
    if (failure == nullptr) return std::string(bytes);
  }
  const absl::Status valid = ValidateWire(info, bytes, depth, failure);
  if (!valid.ok()) return valid;
  std::string out;
  out.reserve(bytes.size());
  const Piece piece{bytes.data(), bytes.data() + bytes.size(), failure};
  Rewriter(&out).Message(info, absl::MakeConstSpan(&piece, 1), depth);
  return out;
}

int64_t CountUnknownFields(WireMessage message, absl::string_view canonical) {
  return CountUnknown(GetWireMessageInfo(message), canonical);
}

}  // namespace indim
