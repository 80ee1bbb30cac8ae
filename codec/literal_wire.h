// LiteralProto bytes by how they keep their values: in the field of the element
// type, as XLA does; as one element that all are; or in another file. The last
// two are ours (proto/xla_data.proto). A literal that has them is compact; the
// same with all values in its own bytes is plain.
//
// Only a well-formed splat or reference counts: an array's, whose field of
// values is absent. Anything else is bytes like any others, and
// ParseLiteralProto says what is wrong with it.

#ifndef INDIM_CODEC_LITERAL_WIRE_H_
#define INDIM_CODEC_LITERAL_WIRE_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"
#include "indim/storage/byte_pieces.h"
#include "indim/storage/external_files.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"
#include "indim/wire/wire_table.h"

namespace indim {

// Sizes end here, so that sums of them fit into 64 bits.
constexpr uint64_t kMostBytes = uint64_t{1} << 62;

// `more` as far as `sum` plus it stays below kMostBytes.
constexpr uint64_t SaturatingRest(uint64_t sum, uint64_t more) {
  return sum >= kMostBytes ? 0 : std::min(more, kMostBytes - sum);
}

// The values of an array's literal.
struct StoredValues {
  enum class Kind : uint8_t { kInline, kSplat, kExternal };
  Kind kind = Kind::kInline;
  // The shape as the literal says it, and the field where values belong.
  Shape shape;
  const WireField* field = nullptr;
  // Of that field's payload in a plain literal, at most 2^56.
  uint64_t size = 0;
  // kInline: the payload. kSplat: one element of it.
  absl::string_view bytes;
  // kExternal.
  absl::string_view file;
  uint64_t offset = 0;
  uint64_t checksum = 0;
};

// Where LiteralProto has the values of a type.
const WireField& ValuesField(ElementType type);
// Values in varint fields stand in as many bytes as they need, all others in as
// many as in a Literal.
bool HasVarints(const WireField& field);
// How many bytes a payload of so many elements takes where they all take
// `unit`; nullopt past 2^56.
std::optional<uint64_t> PayloadSize(int64_t count, uint64_t unit);

// The values in the canonical LiteralProto `wire`. nullopt: it is no array, has
// no elements, or isn't understood.
std::optional<StoredValues> FindValues(absl::string_view wire);

// True where the canonical LiteralProto `wire` surely is of `shape`, an array
// of static sizes whose ShapeProto bytes are `shape_wire`: it has these bytes,
// and as many values. ParseLiteralProto then reads it. False: perhaps not.
bool IsPlainLiteralOf(const Shape& shape, absl::string_view shape_wire,
                      absl::string_view wire);

// Where external values are. FailedPrecondition: their file isn't in `files`
// (null: none is); InvalidArgument: it has fewer bytes.
absl::StatusOr<CheckedRange> ExternalRange(const StoredValues& values,
                                           const ExternalFiles* files);

// Whether the canonical LiteralProto `wire`, or one in a tuple, is compact.
bool IsCompactLiteral(absl::string_view wire);
// How many bytes it takes when plain; kMostBytes: as many or more.
uint64_t PlainLiteralSize(absl::string_view wire);

// A sink of plain forms (WritePlainLiteral) that makes pieces; what it is given
// must outlive them.
class PieceSink {
 public:
  PieceSink(const ExternalFiles* files, BytePieces* pieces)
      : files_(files), pieces_(*pieces) {}

  // What begins errors about values from now on.
  void SetPlace(std::string place) { place_ = std::move(place); }
  void Varint(uint64_t value) { AppendVarint(value, &head_); }
  void Raw(absl::string_view bytes);
  void Values(const StoredValues& values);
  // After all. The first error: those of ExternalRange.
  absl::Status Finish();

 private:
  void Flush();

  const ExternalFiles* const files_;
  BytePieces& pieces_;
  std::string head_;  // not in a piece yet
  std::string place_;
  absl::Status status_;
};

// Its plain form. Errors as ExternalRange and BytePieces::ToString.
absl::StatusOr<std::string> PlainLiteral(absl::string_view wire,
                                         const ExternalFiles* files);

// f(values) on each array in `wire`, in order, until it says false.
void ForEachValues(absl::string_view wire,
                   absl::FunctionRef<bool(const StoredValues&)> f);

// `wire` with values in another form, where `replace` gives one: the field
// (1000 or 1001) and what is in it. InvalidArgument: not canonical; else the
// errors of `replace`.
struct ReplacedValues {
  uint32_t number = 0;  // 0: they stay as they are
  std::string text;
};
absl::StatusOr<std::string> ReplaceValues(
    absl::string_view wire,
    absl::FunctionRef<absl::StatusOr<ReplacedValues>(const StoredValues&)>
        replace);

// The plain form of `wire`, into a sink that has Varint(uint64_t),
// Raw(absl::string_view), which is part of `wire`, and Values(const
// StoredValues&), which takes payloads that aren't in `wire`.
template <typename Sink>
void WritePlainLiteral(absl::string_view wire, Sink* sink);

// --- Implementation ----------------------------------------------------------

namespace literal_wire {

using field::LiteralProto::kExternal;
using field::LiteralProto::kSplat;
using field::LiteralProto::kTupleLiterals;

// What the fields of one literal say about its form.
enum class Form : uint8_t { kPlain, kCompact, kTuple };
Form FormOf(absl::string_view wire);

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
  const Form form = depth > 0 ? FormOf(wire) : Form::kPlain;
  std::optional<StoredValues> values;
  if (form == Form::kCompact) values = FindValues(wire);
  if (form == Form::kPlain || (form == Form::kCompact && !values)) {
    return sink->Raw(wire);
  }
  bool written = form == Form::kTuple;
  const auto write_values = [&] {
    if (written) return;
    WriteHeader(values->field->number, values->size, sink);
    sink->Values(*values);
    written = true;
  };
  WireReader reader(wire);
  while (!reader.done()) {
    const char* const start = reader.cursor();
    uint32_t tag;
    absl::string_view inner;
    if (!reader.ReadTag(&tag)) break;
    const bool text = TagType(tag) == WireType::kLengthDelimited;
    if (!(text ? reader.ReadLengthDelimited(&inner)
               : reader.SkipValue(tag, kMaxWireDepth))) {
      break;
    }
    const uint32_t number = TagNumber(tag);
    if (form == Form::kTuple && text && number == kTupleLiterals) {
      MeasuringSink size;
      WritePlain(inner, depth - 1, &size);
      WriteHeader(number, size.size(), sink);
      WritePlain(inner, depth - 1, sink);
      continue;
    }
    // In canonical bytes what comes after the values has higher numbers, or
    // comes after ours.
    if (!written && number > values->field->number) write_values();
    if (form == Form::kCompact && text &&
        (number == kSplat || number == kExternal)) {
      continue;
    }
    sink->Raw(
        absl::string_view(start, static_cast<size_t>(reader.cursor() - start)));
  }
}

}  // namespace literal_wire

template <typename Sink>
void WritePlainLiteral(absl::string_view wire, Sink* sink) {
  literal_wire::WritePlain(wire, kMaxWireDepth, sink);
}

}  // namespace indim

#endif  // INDIM_CODEC_LITERAL_WIRE_H_
