// SPDX-License-Identifier: Apache-2.0
// Literals to and from LiteralProto bytes.

#include "indim/proto/codec/literal_proto.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/byte_pieces.h"
#include "indim/ir/storage/external_files.h"
#include "indim/ir/storage/literal_bytes.h"
#include "indim/proto/codec/literal_wire.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/proto/wire/wire_scalar.h"
#include "indim/proto/wire/wire_table.h"

namespace indim {
namespace {

using field::LiteralProto::kDynamicSizes;
using field::LiteralProto::kExternal;
using field::LiteralProto::kShape;
using field::LiteralProto::kSparseIndices;
using field::LiteralProto::kSplat;
using field::LiteralProto::kTupleLiterals;

// Indim's own fields of LiteralProto begin here.
constexpr uint32_t kOurs = 1000;

// --- Writing ----------------------------------------------------------------

std::string PackVarints(const WireField& field, ElementType type,
                        absl::string_view bytes) {
  const int width = ElementBytes(type);
  std::string packed;
  packed.reserve(bytes.size());
  for (size_t i = 0; i < bytes.size(); i += static_cast<size_t>(width)) {
    // NormalizeVarint sign-extends or cuts 32-bit kinds.
    AppendVarint(NormalizeVarint(field.kind, BitsAt(bytes, i, width)), &packed);
  }
  return packed;
}

uint32_t ValuesNumber(const Shape& shape) {
  return ValuesField(shape.element_type()).number;
}

// Appends values as field `number`: the type's field, or the field of a splat.
void AppendValues(ElementType type, absl::string_view bytes, uint32_t number,
                  std::string* out) {
  const WireField& field = ValuesField(type);
  if (bytes.empty()) return;
  if (HasVarints(field)) {
    wire_fields::AppendBytes(number, PackVarints(field, type, bytes), out);
    return;
  }
  wire_fields::AppendBytes(number, bytes, out);
  const int bits = Info(type).bits;
  if (bits >= 8) return;
  // XLA keeps the bits above an element's own at 0.
  for (size_t i = out->size() - bytes.size(); i < out->size(); ++i) {
    (*out)[i] = static_cast<char>((*out)[i] & ((1 << bits) - 1));
  }
}

// A dim of an array in the loop over its elements: its size, and the distance
// of neighbours in the order of the layout. AxesOf lists the dims from the last
// to the first, without dims of size 1.
struct Axis {
  size_t size;
  size_t step;
  size_t index = 0;
};
std::vector<Axis> AxesOf(const Shape& shape) {
  std::vector<size_t> steps(static_cast<size_t>(shape.rank()));
  size_t next = static_cast<size_t>(ElementBytes(shape.element_type()));
  for (int64_t dim : shape.layout()->minor_to_major) {
    steps[static_cast<size_t>(dim)] = next;
    next *= static_cast<size_t>(shape.dim(static_cast<int>(dim)).upper());
  }
  std::vector<Axis> axes;
  for (int dim = shape.rank() - 1; dim >= 0; --dim) {
    const int64_t size = shape.dim(dim).upper();
    if (size > 1) {
      axes.push_back(
          {static_cast<size_t>(size), steps[static_cast<size_t>(dim)]});
    }
  }
  return axes;
}

// Calls f(offset in the order of the layout) for each element, in row-major
// order.
template <typename F>
void ForEachElement(const Shape& shape, size_t count, const F& f) {
  std::vector<Axis> axes = AxesOf(shape);
  size_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    f(offset);
    for (Axis& axis : axes) {
      offset += axis.step;
      if (++axis.index < axis.size) break;
      offset -= axis.step * axis.size;
      axis.index = 0;
    }
  }
}

bool IsRowMajor(const Shape& shape) {
  if (shape.layout() == nullptr) return true;
  int64_t dim = shape.rank();
  for (const int64_t next_major : shape.layout()->minor_to_major) {
    if (next_major != --dim) return false;
  }
  return true;
}

// Reorders bytes from row-major order to the order of `shape`'s layout.
std::string Physical(const Shape& shape, std::string row_major) {
  if (IsRowMajor(shape) || row_major.empty()) return row_major;
  const size_t width = static_cast<size_t>(ElementBytes(shape.element_type()));
  std::string bytes(row_major.size(), '\0');
  size_t next = 0;
  ForEachElement(shape, row_major.size() / width, [&](size_t offset) {
    row_major.copy(&bytes[offset], width, next);
    next += width;
  });
  return bytes;
}

// --- Reading ----------------------------------------------------------------

absl::Status Invalid(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("literal: ", what));
}

// Checks that values are only in the field of the shape's type or in Indim's.
absl::Status CheckFields(const FieldList& fields, const Shape& shape) {
  const uint32_t values = ValuesField(shape.element_type()).number;
  absl::Status status;
  fields.ForEachNumber([&](uint32_t number) {
    if (number != values && number != kShape && number != kSparseIndices &&
        number != kDynamicSizes && number < kOurs && status.ok()) {
      status = Invalid(absl::StrCat(
          "field ", number, " holds values, but not of ", shape.ToString()));
    }
  });
  return status;
}

// Converts the payload of a field of values, `count` of them in the order of
// the layout, to a Literal's bytes.
absl::StatusOr<std::string> Unpack(absl::string_view packed, const Shape& shape,
                                   int64_t count) {
  const ElementType type = shape.element_type();
  const WireField& field = ValuesField(type);
  const uint64_t width = static_cast<uint64_t>(ElementBytes(type));
  uint64_t found = packed.size() / width;
  std::string bytes;
  if (HasVarints(field)) {
    WireReader reader(packed);
    WireScalar scalar;
    for (found = 0; !reader.done(); ++found) {
      if (!ReadScalar(field.kind, &reader, &scalar)) {
        return Invalid("a value is cut short");
      }
      AppendBits(scalar.bits, static_cast<int>(width), &bytes);
    }
  } else if (packed.size() % width == 0) {
    bytes.assign(packed.data(), packed.size());
  } else {
    return Invalid("a value is cut short");
  }
  if (found != static_cast<uint64_t>(count)) {
    return Invalid(absl::StrCat(shape.ToString(), " has ", count,
                                " elements, but there are ", found, " values"));
  }
  return bytes;
}

// Reorders bytes from the order of `shape`'s layout to row-major order. Dims
// count with their upper ends; their product is the element count, at least 1.
std::string RowMajor(const Shape& shape, std::string physical) {
  if (IsRowMajor(shape)) return physical;
  const size_t width = static_cast<size_t>(ElementBytes(shape.element_type()));
  std::string bytes;
  bytes.reserve(physical.size());
  ForEachElement(shape, physical.size() / width,
                 [&](size_t offset) { bytes.append(physical, offset, width); });
  return bytes;
}

// Reads a payload in another file.
absl::StatusOr<std::string> ReadExternal(const StoredValues& values,
                                         const ExternalFiles* files) {
  absl::StatusOr<CheckedRange> range = ExternalRange(values, files);
  if (!range.ok()) return range.status();
  BytePieces pieces;
  pieces.AppendRange(*std::move(range), "");
  return pieces.ToString();
}

// The values of an array: all in row-major order, or one that stands for all.
struct ArrayValues {
  std::string bytes;
  bool splat = false;
};
absl::StatusOr<ArrayValues> ReadValues(absl::string_view wire,
                                       const FieldList& fields,
                                       const Shape& shape, int64_t count,
                                       const ExternalFiles* files) {
  const absl::Status checked = CheckFields(fields, shape);
  if (!checked.ok()) return checked;
  absl::string_view payload =
      fields.Text(ValuesField(shape.element_type()).number);
  std::string external;
  if (fields.has(kSplat) || fields.has(kExternal)) {
    const std::optional<StoredValues> stored = FindValues(wire);
    if (!stored) {
      return Invalid(
          absl::StrCat("field ", fields.has(kSplat) ? kSplat : kExternal,
                       " can't stand for the values of ", shape.ToString()));
    }
    if (stored->kind == StoredValues::Kind::kSplat) {
      absl::StatusOr<std::string> one = Unpack(stored->bytes, shape, 1);
      if (!one.ok()) return one.status();
      return ArrayValues{*std::move(one), count > 1};
    }
    absl::StatusOr<std::string> read = ReadExternal(*stored, files);
    if (!read.ok()) return read.status();
    external = *std::move(read);
    payload = external;
  }
  absl::StatusOr<std::string> values = Unpack(payload, shape, count);
  if (!values.ok()) return values.status();
  return ArrayValues{values->empty() ? ""
                                     : RowMajor(shape, *std::move(values))};
}

// Whether a LiteralProto has the structure of `shape`.
bool IsOf(const Shape& shape, absl::string_view wire) {
  FieldList fields(WireMessage::kLiteralProto);
  if (!fields.Append(wire)) return false;
  const absl::StatusOr<Shape> own = ParseShapeProto(fields.Text(kShape));
  return own.ok() && SameStructure(*own, shape);
}

// The run-time sizes of a shape with bounded dims; empty where the literal has
// none (then the bounds apply).
absl::StatusOr<std::vector<int32_t>> DynamicSizes(const FieldList& fields,
                                                  const Shape& shape) {
  std::vector<int32_t> sizes;
  if (shape.is_static()) return sizes;
  const DimIndices given = fields.Numbers(kDynamicSizes);
  if (given.empty()) return sizes;
  if (given.size() != static_cast<size_t>(shape.rank())) {
    return Invalid(absl::StrCat(shape.ToString(), " needs ", shape.rank(),
                                " dynamic_sizes, not ", given.size()));
  }
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t size = given[static_cast<size_t>(i)];
    if (!shape.dim(i).Contains(size)) {
      return Invalid(absl::StrCat("dynamic_sizes[", i, "] is ", size,
                                  ", outside ", shape.ToString()));
    }
    sizes.push_back(static_cast<int32_t>(size));
  }
  return sizes;
}

}  // namespace

std::string SerializeLiteralProto(const Literal& literal) {
  const Shape& shape = literal.shape();
  std::string out;
  if (shape.is_none()) return out;
  wire_fields::AppendBytes(
      kShape, SerializeShapeProto(shape.WithDefaultLayout()), &out);
  if (shape.is_tuple()) {
    for (const Literal& element : literal.elements()) {
      wire_fields::AppendBytes(kTupleLiterals, SerializeLiteralProto(element),
                               &out);
    }
    return out;
  }
  if (!shape.has_rank()) return out;
  // The number of the values' field is below dynamic_sizes, except for f6 types
  // and splats.
  std::string values;
  AppendValues(shape.element_type(), literal.bytes(),
               literal.is_splat() ? kSplat : ValuesNumber(shape), &values);
  std::string sizes;
  for (int32_t size : literal.dynamic_sizes()) {
    AppendVarint(static_cast<uint64_t>(int64_t{size}), &sizes);
  }
  std::string dynamic;
  if (!sizes.empty()) wire_fields::AppendBytes(kDynamicSizes, sizes, &dynamic);
  const bool values_first =
      !literal.is_splat() && ValuesNumber(shape) < kDynamicSizes;
  return absl::StrCat(out, values_first ? values : dynamic,
                      values_first ? dynamic : values);
}

std::string SerializeArrayLiteral(const Shape& shape, std::string bytes) {
  std::string out;
  wire_fields::AppendBytes(
      kShape, SerializeShapeProto(shape.WithDefaultLayout()), &out);
  AppendValues(shape.element_type(), Physical(shape, std::move(bytes)),
               ValuesNumber(shape), &out);
  return out;
}

absl::StatusOr<Literal> ParseLiteralProto(absl::string_view wire,
                                          const ExternalFiles* files) {
  FieldList fields(WireMessage::kLiteralProto);
  if (!fields.Append(wire)) return Invalid("its bytes are not canonical");
  if (!fields.has(kShape)) return Invalid("it has no shape");
  absl::StatusOr<Shape> parsed = ParseShapeProto(fields.Text(kShape));
  if (!parsed.ok()) return Invalid(parsed.status().message());
  const Shape& shape = *parsed;

  Literal literal;
  literal.shape_ = shape.WithoutLayout();
  if (shape.is_token()) return literal;
  if (shape.is_tuple()) {
    const std::vector<absl::string_view> texts = fields.Texts(kTupleLiterals);
    if (texts.size() != shape.elements().size()) {
      return Invalid(absl::StrCat("a tuple of ", shape.tuple_size(), " has ",
                                  texts.size(), " elements"));
    }
    for (size_t i = 0; i < texts.size(); ++i) {
      // Check the shape first: then literals nest no deeper than shapes can.
      if (!IsOf(shape.elements()[i], texts[i])) {
        return Invalid(absl::StrCat("tuple element ", i, " is no ",
                                    shape.elements()[i].ToString()));
      }
      absl::StatusOr<Literal> element = ParseLiteralProto(texts[i], files);
      if (!element.ok()) return element.status();
      literal.elements_.push_back(*std::move(element));
    }
    return literal;
  }
  const std::optional<int64_t> count = shape.ElementCount();
  if (!shape.has_rank() || !count) {
    return Invalid(absl::StrCat(shape.ToString(), " can't have values"));
  }
  absl::StatusOr<ArrayValues> values =
      ReadValues(wire, fields, shape, *count, files);
  if (!values.ok()) return values.status();
  literal.bytes_ = std::move(values->bytes);
  literal.splat_ = values->splat;
  absl::StatusOr<std::vector<int32_t>> sizes = DynamicSizes(fields, shape);
  if (!sizes.ok()) return sizes.status();
  literal.dynamic_sizes_ = *std::move(sizes);
  return literal;
}

}  // namespace indim
