// SPDX-License-Identifier: Apache-2.0
// A message that Canonicalize rewrites: its pieces, and its fields, found and
// sorted.

#ifndef INDIM_PROTO_WIRE_FIELD_INDEX_H_
#define INDIM_PROTO_WIRE_FIELD_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_table.h"

namespace indim::canonical {

// A piece of the input. When a singular message field occurs twice, libprotobuf
// parses both records into one message, as it would parse their concatenation.
// So a message is a list of pieces, in the order of the input.
struct Piece {
  const char* begin;
  const char* end;
  // Messages that end at or before this place are canonical. At `begin` nothing
  // is known; at `end` the whole piece is canonical.
  const char* checked;

  absl::string_view bytes() const {
    return absl::string_view(begin, static_cast<size_t>(end - begin));
  }
  bool canonical() const { return checked == end; }
};
using Pieces = absl::InlinedVector<Piece, 1>;

// The piece for `bytes`, which lie inside `outer`. It keeps what is known about
// `outer`, so no byte is checked twice.
inline Piece InnerPiece(absl::string_view bytes, const Piece& outer) {
  const char* end = bytes.data() + bytes.size();
  const char* checked = outer.checked > bytes.data()
                            ? std::min(outer.checked, end)
                            : bytes.data();
  return Piece{bytes.data(), end, checked};
}

// Consecutive fields with one number. Unknown fields of any number have
// kUnknown, because they come last.
inline constexpr uint32_t kUnknown = std::numeric_limits<uint32_t>::max();
struct Run {
  const char* begin;
  uint32_t number;
  uint32_t count;
};

// The fields of a message, found and sorted. It makes two passes, so that the
// list of runs is allocated once, at its size: 16 bytes per run of at least two
// bytes, usually a handful of runs.
class FieldIndex {
 public:
  FieldIndex(const WireMessageInfo& info, absl::Span<const Piece> pieces)
      : info_(info), pieces_(pieces) {
    size_t runs = 0;
    Scan([&runs](const Run&) { ++runs; });
    runs_.reserve(runs);
    Scan([this](const Run& run) { runs_.push_back(run); });
    const auto before = [](const Run& a, const Run& b) {
      return a.number != b.number ? a.number < b.number : a.begin < b.begin;
    };
    // Mostly they are sorted, and only an inner message isn't canonical.
    if (!std::is_sorted(runs_.begin(), runs_.end(), before)) {
      std::sort(runs_.begin(), runs_.end(), before);
    }
  }

  absl::Span<const Run> runs() const { return runs_; }

  // False for a field of a oneof that a later field replaces.
  bool IsSet(const WireField& field, const Run& run) const {
    return field.presence != WirePresence::kOneof ||
           (field.number == oneof_number_ && run.begin >= oneof_since_);
  }

  // Calls `visit(tag, reader, piece)` for every record of the runs that is set;
  // `visit` must consume the value.
  template <typename Visit>
  void ForEach(const WireField* field, absl::Span<const Run> runs,
               const Visit& visit) const {
    for (const Run& run : runs) {
      if (field != nullptr && !IsSet(*field, run)) continue;
      const Piece& piece = PieceAt(run.begin);
      WireReader reader(absl::string_view(
          run.begin, static_cast<size_t>(piece.end - run.begin)));
      for (uint32_t i = 0; i < run.count; ++i) {
        uint32_t tag = 0;
        reader.ReadTag(&tag);
        visit(tag, &reader, piece);
      }
    }
  }

  // The piece that contains `at`.
  const Piece& PieceAt(const char* at) const {
    const auto after = [](const char* place, const Piece& piece) {
      return place < piece.begin;
    };
    return *(std::upper_bound(pieces_.begin(), pieces_.end(), at, after) - 1);
  }

 private:
  template <typename Emit>
  void Scan(const Emit& emit) {
    oneof_number_ = 0;
    for (const Piece& piece : pieces_) {
      WireReader reader(piece.bytes());
      Run run{nullptr, 0, 0};
      while (!reader.done()) {
        const char* start = reader.cursor();
        const uint32_t number = Skip(&reader, start);
        if (run.count != 0 && number == run.number &&
            run.count != std::numeric_limits<uint32_t>::max()) {
          ++run.count;
          continue;
        }
        if (run.count != 0) emit(run);
        run = Run{start, number, 1};
      }
      if (run.count != 0) emit(run);
    }
  }

  // Skips a field and returns its number, or kUnknown. Tracks the oneof.
  uint32_t Skip(WireReader* reader, const char* start) {
    uint32_t tag = 0;
    reader->ReadTag(&tag);
    reader->SkipValue(tag, kMaxWireDepth);
    const WireField* field = info_.Find(TagNumber(tag));
    if (field == nullptr || !field->Accepts(TagType(tag))) return kUnknown;
    if (field->presence == WirePresence::kOneof &&
        field->number != oneof_number_) {
      oneof_number_ = field->number;
      oneof_since_ = start;
    }
    return field->number;
  }

  const WireMessageInfo& info_;
  const absl::Span<const Piece> pieces_;
  std::vector<Run> runs_;
  uint32_t oneof_number_ = 0;  // the oneof's field that is set in the end
  const char* oneof_since_ = nullptr;
};

}  // namespace indim::canonical

#endif  // INDIM_PROTO_WIRE_FIELD_INDEX_H_
