// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/literal_wire.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_scalar.h"

namespace indim {
namespace {

using field::ExternalValues::kChecksum;
using field::ExternalValues::kFile;
using field::ExternalValues::kOffset;
using field::ExternalValues::kSize;
using field::LiteralProto::kShape;
using literal_wire::FormOf;
using literal_wire::kExternal;
using literal_wire::kSplat;
using literal_wire::kTupleLiterals;
using literal_wire::LiteralForm;

// The largest payload of one literal.
constexpr uint64_t kMaxPayload = uint64_t{1} << 56;

// Whether `unit` is exactly one element of `field`.
bool IsElement(const WireField& field, ElementType type,
               absl::string_view unit) {
  if (!HasVarints(field)) {
    return unit.size() == static_cast<size_t>(ElementBytes(type));
  }
  WireReader reader(unit);
  uint64_t value;
  return reader.ReadMinimalVarint(&value) && reader.done() &&
         NormalizeVarint(field.kind, value) == value;
}

bool FindSplat(const FieldList& fields, int64_t count, StoredValues* values) {
  values->kind = StoredValues::Kind::kSplat;
  values->bytes = fields.Text(kSplat);
  const std::optional<uint64_t> size = PayloadSize(count, values->bytes.size());
  values->size = size.value_or(0);
  return size.has_value() && !fields.has(kExternal) &&
         IsElement(*values->field, values->shape.element_type(), values->bytes);
}

bool FindExternal(const FieldList& fields, StoredValues* values) {
  FieldList external(WireMessage::kExternalValues);
  if (!external.Append(fields.Text(kExternal))) return false;
  values->kind = StoredValues::Kind::kExternal;
  values->file = external.Text(kFile);
  values->offset = static_cast<uint64_t>(external.Number(kOffset));
  values->size = static_cast<uint64_t>(external.Number(kSize));
  values->checksum = static_cast<uint64_t>(external.Number(kChecksum));
  return values->size > 0 && values->size <= kMaxPayload;
}

// Calls f(literal) on every LiteralProto in `wire` that isn't a tuple, until it
// returns false. Returns whether it never did.
bool ForEachLeaf(absl::string_view wire, int depth,
                 absl::FunctionRef<bool(absl::string_view)> f) {
  if (FormOf(wire) != LiteralForm::kTuple) return f(wire);
  if (depth == 0) return true;
  bool all = true;
  wire_fields::AllRecords(wire, [&](const wire_fields::Record& record) {
    return all = record.tag != wire_fields::Bytes(kTupleLiterals) ||
                 ForEachLeaf(record.value, depth - 1, f);
  });
  return all;
}

using Replace =
    absl::FunctionRef<absl::StatusOr<ReplacedValues>(const StoredValues&)>;

absl::StatusOr<std::string> ReplaceIn(absl::string_view wire, int depth,
                                      Replace replace) {
  FieldList fields(WireMessage::kLiteralProto);
  if (!fields.Append(wire)) {
    return absl::InvalidArgumentError("literal: its bytes are not canonical");
  }
  if (FormOf(wire) == LiteralForm::kTuple && depth > 0) {
    std::vector<std::string> elements;
    for (const absl::string_view element : fields.Texts(kTupleLiterals)) {
      absl::StatusOr<std::string> replaced =
          ReplaceIn(element, depth - 1, replace);
      if (!replaced.ok()) return replaced;
      elements.push_back(*std::move(replaced));
    }
    fields.SetTexts(kTupleLiterals, elements);
    return fields.Serialize();
  }
  const std::optional<StoredValues> values = FindValues(wire);
  if (!values) return std::string(wire);
  absl::StatusOr<ReplacedValues> replaced = replace(*values);
  if (!replaced.ok()) return replaced.status();
  if (replaced->number == 0) return std::string(wire);
  for (const uint32_t number :
       {uint32_t{values->field->number}, kSplat, kExternal}) {
    fields.Remove(number);
  }
  fields.SetText(replaced->number, replaced->text);
  return fields.Serialize();
}

}  // namespace

namespace literal_wire {

LiteralForm FormOf(absl::string_view wire) {
  using wire_fields::Bytes;
  LiteralForm form = LiteralForm::kPlain;
  wire_fields::AllRecords(wire, [&form](const wire_fields::Record& record) {
    if (record.tag == Bytes(kTupleLiterals)) form = LiteralForm::kTuple;
    if (record.tag == Bytes(kSplat) || record.tag == Bytes(kExternal)) {
      form = LiteralForm::kCompact;
    }
    return form != LiteralForm::kTuple;
  });
  return form;
}

}  // namespace literal_wire

const WireField& ValuesField(ElementType type) {
  return *GetWireMessageInfo(WireMessage::kLiteralProto)
              .Find(static_cast<uint32_t>(Info(type).literal_field));
}

bool HasVarints(const WireField& field) {
  return field.label == WireLabel::kPacked &&
         ElementWireType(field.kind) == WireType::kVarint;
}

std::optional<uint64_t> PayloadSize(int64_t count, uint64_t unit) {
  uint64_t size;
  if (count < 0 ||
      __builtin_mul_overflow(static_cast<uint64_t>(count), unit, &size) ||
      size > kMaxPayload) {
    return std::nullopt;
  }
  return size;
}

std::optional<StoredValues> FindValues(absl::string_view wire) {
  FieldList fields(WireMessage::kLiteralProto);
  if (!fields.Append(wire)) return std::nullopt;
  absl::StatusOr<Shape> shape = ParseShapeProto(fields.Text(kShape));
  if (!shape.ok() || !shape->has_rank() ||
      ElementBytes(shape->element_type()) == 0) {
    return std::nullopt;
  }
  const std::optional<int64_t> count = shape->ElementCount();
  if (!count || *count == 0) return std::nullopt;
  StoredValues values;
  values.field = &ValuesField(shape->element_type());
  values.shape = *std::move(shape);
  const bool splat = fields.has(kSplat);
  if (fields.has(values.field->number)) {
    values.bytes = fields.Text(values.field->number);
    values.size = values.bytes.size();
    if (splat || fields.has(kExternal)) return std::nullopt;
  } else if (splat ? !FindSplat(fields, *count, &values)
                   : !FindExternal(fields, &values)) {
    return std::nullopt;
  }
  return values;
}

bool IsPlainLiteralOf(const Shape& shape, absl::string_view shape_wire,
                      absl::string_view wire) {
  if (!shape.is_array() || !shape.is_static()) return false;
  const uint64_t width =
      static_cast<uint64_t>(ElementBytes(shape.element_type()));
  const std::optional<int64_t> count = shape.ElementCount();
  if (width == 0 || !count) return false;
  const WireField& field = ValuesField(shape.element_type());
  WireReader reader(wire);
  absl::string_view said, packed;
  if (!reader.ConsumeTag(MakeTag(kShape, WireType::kLengthDelimited)) ||
      !reader.ReadLengthDelimited(&said) || said != shape_wire ||
      !reader.ConsumeTag(MakeTag(field.number, WireType::kLengthDelimited)) ||
      !reader.ReadLengthDelimited(&packed) || !reader.done()) {
    return false;
  }
  if (!HasVarints(field)) {
    return PayloadSize(*count, width) == packed.size();
  }
  WireReader values(packed);
  int64_t found = 0;
  for (uint64_t value; !values.done(); ++found) {
    if (!values.ReadVarint(&value)) return false;
  }
  return found == *count;
}

absl::StatusOr<CheckedRange> ExternalRange(const StoredValues& values,
                                           const ExternalFiles* files) {
  CheckedRange range;
  if (files != nullptr) range.file = files->Find(values.file);
  if (range.file == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("its values are in the file \"", values.file,
                     "\", which was not opened with the module"));
  }
  if (values.size > range.file->size() ||
      values.offset > range.file->size() - values.size) {
    return absl::InvalidArgumentError(
        absl::StrCat("its values are ", values.size, " bytes at offset ",
                     values.offset, " of ", range.file->path(), ", which has ",
                     range.file->size(), " bytes"));
  }
  range.offset = values.offset;
  range.size = values.size;
  range.checksum = values.checksum;
  return range;
}

bool IsCompactLiteral(absl::string_view wire) {
  return !ForEachLeaf(wire, kMaxWireDepth, [](absl::string_view literal) {
    return FormOf(literal) != LiteralForm::kCompact || !FindValues(literal);
  });
}

uint64_t PlainLiteralSize(absl::string_view wire) {
  literal_wire::MeasuringSink size;
  WritePlainLiteral(wire, &size);
  return size.size();
}

void PieceSink::Raw(absl::string_view bytes) {
  constexpr size_t kCopied = 4096;
  if (bytes.size() <= kCopied) {
    absl::StrAppend(&head_, bytes);
    return;
  }
  Flush();
  pieces_.Append(bytes);
}

void PieceSink::Values(const StoredValues& values) {
  Flush();
  if (values.kind == StoredValues::Kind::kSplat) {
    pieces_.AppendRepeated(std::string(values.bytes), values.size);
    return;
  }
  absl::StatusOr<CheckedRange> range = ExternalRange(values, files_);
  if (range.ok()) {
    pieces_.AppendRange(*std::move(range), place_);
  } else {
    status_.Update(absl::Status(
        range.status().code(), absl::StrCat(place_, range.status().message())));
  }
}

void PieceSink::Flush() {
  pieces_.AppendOwned(std::move(head_));
  head_.clear();
}

absl::Status PieceSink::Finish() {
  Flush();
  return status_;
}

absl::StatusOr<std::string> PlainLiteral(absl::string_view wire,
                                         const ExternalFiles* files) {
  BytePieces pieces;
  PieceSink sink(files, &pieces);
  WritePlainLiteral(wire, &sink);
  const absl::Status status = sink.Finish();
  if (!status.ok()) return status;
  return pieces.ToString();
}

void ForEachValues(absl::string_view wire,
                   absl::FunctionRef<bool(const StoredValues&)> f) {
  ForEachLeaf(wire, kMaxWireDepth, [f](absl::string_view literal) {
    const std::optional<StoredValues> values = FindValues(literal);
    return !values || f(*values);
  });
}

absl::StatusOr<std::string> ReplaceValues(absl::string_view wire,
                                          Replace replace) {
  return ReplaceIn(wire, kMaxWireDepth, replace);
}

}  // namespace indim
