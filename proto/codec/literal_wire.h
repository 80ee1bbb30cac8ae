// SPDX-License-Identifier: Apache-2.0
// LiteralProto bytes in their three forms: values in the field of the element
// type, as in XLA; one element for all; or values in another file. The last two
// are Indim's (proto/xla_data.proto) and are called compact; a literal with all
// values in its own bytes is plain.
//
// Only a well-formed splat or reference makes a literal compact: an array's,
// without the field of values. Any other bytes are treated as plain, and
// ParseLiteralProto reports their faults.

#ifndef INDIM_PROTO_CODEC_LITERAL_WIRE_H_
#define INDIM_PROTO_CODEC_LITERAL_WIRE_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/storage/byte_pieces.h"
#include "indim/ir/storage/external_files.h"
#include "indim/proto/codec/literal_proto.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Sizes saturate here, so that sums of them fit into 64 bits.
constexpr uint64_t kMaxBytes = uint64_t{1} << 62;

// The part of `more` that can be added to `sum` without passing kMaxBytes.
constexpr uint64_t SaturatingRest(uint64_t sum, uint64_t more) {
  return sum >= kMaxBytes ? 0 : std::min(more, kMaxBytes - sum);
}

// The values of an array's literal.
struct StoredValues {
  enum class Kind : uint8_t { kInline, kSplat, kExternal };
  Kind kind = Kind::kInline;
  // The literal's own shape, and the field for its values.
  Shape shape;
  const WireField* field = nullptr;
  // The size of that field's payload in the plain literal, at most 2^56.
  uint64_t size = 0;
  // kInline: the payload. kSplat: one element of it.
  absl::string_view bytes;
  // For kExternal.
  absl::string_view file;
  uint64_t offset = 0;
  uint64_t checksum = 0;
};

// The field of LiteralProto for values of `type`.
const WireField& ValuesField(ElementType type);
// Whether the field holds varints, of one to ten bytes each. In other fields an
// element takes as many bytes as in a Literal.
bool HasVarints(const WireField& field);
// The size of a payload of `count` elements of `unit` bytes; nullopt past 2^56.
std::optional<uint64_t> PayloadSize(int64_t count, uint64_t unit);

// The values in the canonical LiteralProto `wire`. nullopt: it is not an array,
// has no elements, or is invalid.
std::optional<StoredValues> FindValues(absl::string_view wire);

// A fast check that the canonical LiteralProto `wire` is of `shape`, a static
// array whose ShapeProto bytes are `shape_wire`. True: it has these bytes and
// the right number of values, and ParseLiteralProto can read it. False:
// unknown.
bool IsPlainLiteralOf(const Shape& shape, absl::string_view shape_wire,
                      absl::string_view wire);

// The place of external values. FailedPrecondition: their file isn't in `files`
// (null: no files); InvalidArgument: the file is too short.
absl::StatusOr<CheckedRange> ExternalRange(const StoredValues& values,
                                           const ExternalFiles* files);

// Whether the canonical LiteralProto `wire`, or one inside its tuples, is
// compact.
bool IsCompactLiteral(absl::string_view wire);
// The size of the plain form; kMaxBytes: that size or more.
uint64_t PlainLiteralSize(absl::string_view wire);

// A sink for WritePlainLiteral that makes pieces. Its inputs must outlive the
// pieces.
class PieceSink {
 public:
  PieceSink(const ExternalFiles* files, BytePieces* pieces)
      : files_(files), pieces_(*pieces) {}

  // Sets the prefix of errors about later values.
  void SetPlace(std::string place) { place_ = std::move(place); }
  void Varint(uint64_t value) { AppendVarint(value, &head_); }
  void Raw(absl::string_view bytes);
  void Values(const StoredValues& values);
  // Call it last. Returns the first error, one of ExternalRange's.
  absl::Status Finish();

 private:
  void Flush();

  const ExternalFiles* const files_;
  BytePieces& pieces_;
  std::string head_;  // bytes not yet in a piece
  std::string place_;
  absl::Status status_;
};

// The plain form. Errors are those of ExternalRange and BytePieces::ToString.
absl::StatusOr<std::string> PlainLiteral(absl::string_view wire,
                                         const ExternalFiles* files);

// Calls f(values) on each array in `wire`, in order, until it returns false.
void ForEachValues(absl::string_view wire,
                   absl::FunctionRef<bool(const StoredValues&)> f);

// `wire` with values in another form, wherever `replace` gives one: the field
// number (1000 or 1001) and its contents. InvalidArgument: not canonical; else
// the errors of `replace`.
struct ReplacedValues {
  uint32_t number = 0;  // 0: keep the values
  std::string text;
};
absl::StatusOr<std::string> ReplaceValues(
    absl::string_view wire,
    absl::FunctionRef<absl::StatusOr<ReplacedValues>(const StoredValues&)>
        replace);

// Writes the plain form of `wire` into a sink that has Varint(uint64_t),
// Raw(absl::string_view) for parts of `wire`, and Values(const StoredValues&)
// for payloads that aren't in `wire`.
template <typename Sink>
void WritePlainLiteral(absl::string_view wire, Sink* sink);

// --- Implementation ----------------------------------------------------------

namespace literal_wire {

using field::LiteralProto::kExternal;
using field::LiteralProto::kSplat;
using field::LiteralProto::kTupleLiterals;

// The form of one literal, as its fields show it.
enum class LiteralForm : uint8_t { kPlain, kCompact, kTuple };
LiteralForm FormOf(absl::string_view wire);

class MeasuringSink {
 public:
  void Varint(uint64_t value) { Add(VarintSize(value)); }
  void Raw(absl::string_view bytes) { Add(bytes.size()); }
  void Values(const StoredValues& values) { Add(values.size); }
  uint64_t size() const { return size_; }

 private:
  void Add(uint64_t more) { size_ += SaturatingRest(size_, more); }

  uint64_t size_ = 0;
};

template <typename Sink>
void WriteHeader(uint32_t number, uint64_t size, Sink* sink) {
  sink->Varint(MakeTag(number, WireType::kLengthDelimited));
  sink->Varint(size);
}

template <typename Sink>
void WritePlain(absl::string_view wire, int depth, Sink* sink) {
  const LiteralForm form = depth > 0 ? FormOf(wire) : LiteralForm::kPlain;
  std::optional<StoredValues> values;
  if (form == LiteralForm::kCompact) values = FindValues(wire);
  if (form == LiteralForm::kPlain ||
      (form == LiteralForm::kCompact && !values)) {
    return sink->Raw(wire);
  }
  bool written = form == LiteralForm::kTuple;
  const auto write_values = [&] {
    if (written) return;
    WriteHeader(values->field->number, values->size, sink);
    sink->Values(*values);
    written = true;
  };
  wire_fields::AllRecords(wire, [&](const wire_fields::Record& record) {
    using wire_fields::Bytes;
    const uint32_t number = TagNumber(record.tag);
    if (form == LiteralForm::kTuple && record.tag == Bytes(kTupleLiterals)) {
      MeasuringSink size;
      WritePlain(record.value, depth - 1, &size);
      WriteHeader(number, size.size(), sink);
      WritePlain(record.value, depth - 1, sink);
      return true;
    }
    // In canonical bytes fields after the values have higher numbers, or follow
    // Indim's own fields.
    if (!written && number > values->field->number) write_values();
    if (form == LiteralForm::kCompact &&
        (record.tag == Bytes(kSplat) || record.tag == Bytes(kExternal))) {
      return true;
    }
    sink->Raw(record.bytes);
    return true;
  });
}

}  // namespace literal_wire

template <typename Sink>
void WritePlainLiteral(absl::string_view wire, Sink* sink) {
  literal_wire::WritePlain(wire, kMaxWireDepth, sink);
}

}  // namespace indim

#endif  // INDIM_PROTO_CODEC_LITERAL_WIRE_H_
