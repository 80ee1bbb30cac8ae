#include "indim/hlo_proto/inline_literals.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/codec/literal_wire.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"

namespace indim {
namespace {

using field::HloInstructionProto::kLiteral;
using field::HloInstructionProto::kName;  // same in modules, computations
using literal_wire::MeasuringSink;
using literal_wire::WriteHeader;

// The messages around a literal, and the field of each that leads to it.
enum Level { kModule, kComputation, kInstruction, kLiteralLevel };
constexpr uint32_t kNext[] = {3, 2, kLiteral};
constexpr absl::string_view kPlace[] = {"", "computation", "instruction"};

// Calls f(number, field, value) for each field; value is empty unless the field
// has a length. False: f returned false, which ends it.
template <typename F>
bool ForEachField(absl::string_view bytes, const F& f) {
  WireReader reader(bytes);
  while (!reader.done()) {
    const char* const start = reader.cursor();
    uint32_t tag;
    absl::string_view value;
    if (!reader.ReadTag(&tag)) return true;
    const bool has_length = TagType(tag) == WireType::kLengthDelimited;
    if (!(has_length ? reader.ReadLengthDelimited(&value)
                     : reader.SkipValue(tag, kMaxWireDepth))) {
      return true;
    }
    const size_t size = static_cast<size_t>(reader.cursor() - start);
    if (!f(has_length ? TagNumber(tag) : 0, absl::string_view(start, size),
           value)) {
      return false;
    }
  }
  return true;
}

bool IsCompact(absl::string_view bytes, int level) {
  if (level == kLiteralLevel) return IsCompactLiteral(bytes);
  return !ForEachField(bytes, [level](uint32_t number, absl::string_view,
                                      absl::string_view value) {
    return number != kNext[level] || !IsCompact(value, level + 1);
  });
}

// The names of the messages around a literal, for errors.
struct Place {
  std::string text;
};
void Enter(const Place& place, PieceSink* sink) { sink->SetPlace(place.text); }
void Enter(const Place&, MeasuringSink*) {}

template <typename Sink>
void Write(absl::string_view bytes, int level, const Place& place, Sink* sink) {
  if (level == kLiteralLevel) {
    Enter(place, sink);
    return WritePlainLiteral(bytes, sink);
  }
  Place inner = place;
  const char* run = bytes.data();  // start of fields that stay
  ForEachField(bytes, [&](uint32_t number, absl::string_view field,
                          absl::string_view value) {
    if (number == kName && level != kModule) {
      absl::StrAppend(&inner.text, kPlace[level], " \"", value, "\": ");
    }
    if (number != kNext[level] || !IsCompact(value, level + 1)) return true;
    sink->Raw({run, static_cast<size_t>(field.data() - run)});
    run = field.data() + field.size();
    MeasuringSink size;
    Write(value, level + 1, inner, &size);
    WriteHeader(number, size.size(), sink);
    Write(value, level + 1, inner, sink);
    return true;
  });
  sink->Raw({run, static_cast<size_t>(bytes.data() + bytes.size() - run)});
}

}  // namespace

bool HasCompactLiterals(const Pools& pools) {
  for (uint32_t id = 1; id < pools.attribute_bytes_count(); ++id) {
    const AttributeBytesView attribute_bytes =
        pools.attribute_bytes(AttributeBytesId{id});
    // A literal comes first, if there is one.
    if (!attribute_bytes.before_id.empty() &&
        attribute_bytes.before_id[0] ==
            MakeTag(kLiteral, WireType::kLengthDelimited) &&
        IsCompactLiteral(AttributeBytesField(attribute_bytes, kLiteral))) {
      return true;
    }
  }
  return false;
}

uint64_t PlainModuleSize(absl::string_view bytes) {
  MeasuringSink size;
  Write(bytes, kModule, {}, &size);
  return size.size();
}

absl::Status AppendPlainModule(absl::string_view bytes,
                               const ExternalFiles* files, BytePieces* pieces) {
  PieceSink sink(files, pieces);
  Write(bytes, kModule, {}, &sink);
  return sink.Finish();
}

}  // namespace indim
