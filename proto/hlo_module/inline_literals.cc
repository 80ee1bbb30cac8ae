// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/inline_literals.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/proto/codec/literal_wire.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"

namespace indim {
namespace {

using field::HloInstructionProto::kLiteral;
using field::HloInstructionProto::kName;  // same in modules, computations
using literal_wire::MeasuringSink;
using literal_wire::WriteHeader;
using wire_fields::AllRecords;
using wire_fields::Bytes;
using wire_fields::Record;

// The messages around a literal, and the field of each that leads to it.
enum Level { kModule, kComputation, kInstruction, kLiteralLevel };
constexpr uint32_t kNext[] = {Bytes(3), Bytes(2), Bytes(kLiteral)};
constexpr absl::string_view kPlace[] = {"", "computation", "instruction"};

bool IsCompact(absl::string_view bytes, int level) {
  if (level == kLiteralLevel) return IsCompactLiteral(bytes);
  return !AllRecords(bytes, [level](const Record& record) {
    return record.tag != kNext[level] || !IsCompact(record.value, level + 1);
  });
}

// The names of the messages around a literal, for errors.
struct LiteralPlace {
  std::string text;
};
void Enter(const LiteralPlace& place, PieceSink* sink) {
  sink->SetPlace(place.text);
}
void Enter(const LiteralPlace&, MeasuringSink*) {}

template <typename Sink>
void Write(absl::string_view bytes, int level, const LiteralPlace& place,
           Sink* sink) {
  if (level == kLiteralLevel) {
    Enter(place, sink);
    return WritePlainLiteral(bytes, sink);
  }
  LiteralPlace inner = place;
  const char* run = bytes.data();  // start of fields that stay
  AllRecords(bytes, [&](const Record& record) {
    if (record.tag == Bytes(kName) && level != kModule) {
      absl::StrAppend(&inner.text, kPlace[level], " \"", record.value, "\": ");
    }
    if (record.tag != kNext[level] || !IsCompact(record.value, level + 1)) {
      return true;
    }
    sink->Raw({run, static_cast<size_t>(record.bytes.data() - run)});
    run = record.bytes.data() + record.bytes.size();
    MeasuringSink size;
    Write(record.value, level + 1, inner, &size);
    WriteHeader(TagNumber(record.tag), size.size(), sink);
    Write(record.value, level + 1, inner, sink);
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
