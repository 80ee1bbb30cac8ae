// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/shape_wire.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "absl/container/fixed_array.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/codec/layout_wire.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/shape/dims/dim_expr.h"

namespace indim {
namespace {

using wire_fields::AppendBytes;
using wire_fields::AppendInt;
using wire_fields::AppendNested;
using wire_fields::Bytes;
using wire_fields::ForEachField;
using wire_fields::Malformed;
using wire_fields::PackedRoom;
using wire_fields::ReadInt;
using wire_fields::ReadPacked;
using wire_fields::Varint;
using wire_fields::WritePacked;

// PrimitiveTypes of shapes that are not arrays.
constexpr int64_t kTupleType = 13;
constexpr int64_t kOpaqueType = 14;
constexpr int64_t kTokenType = 17;
constexpr int64_t kBufferType = 34;

constexpr int64_t kUnboundedSize = std::numeric_limits<int64_t>::min();

// --- Shapes -----------------------------------------------------------------

// The fields of a ShapeProto, unchecked.
struct RawShape {
  int64_t type = 0;
  absl::InlinedVector<int64_t, 8> sizes;
  absl::InlinedVector<int64_t, 8> flags;
  std::vector<absl::string_view> members;
  std::vector<absl::string_view> intervals;
  std::vector<absl::string_view> expressions;
  std::optional<absl::string_view> layout;
  int64_t unranked = 0;
};

absl::Status ReadRawShape(absl::string_view wire, RawShape* shape) {
  namespace of = field::ShapeProto;
  RawShape& raw = *shape;
  return ForEachField(
      "ShapeProto", wire,
      [&](uint32_t tag, WireReader* reader) -> absl::StatusOr<bool> {
        absl::string_view bytes;
        bool read;
        switch (tag) {
          case Varint(of::kElementType):
            read = ReadInt(reader, &raw.type);
            break;
          case Bytes(of::kDimensions):
            read = ReadPacked(reader, &raw.sizes);
            break;
          case Bytes(of::kTupleShapes):
            read = reader->ReadLengthDelimited(&bytes);
            raw.members.push_back(bytes);
            break;
          case Bytes(of::kLayout):
            read = reader->ReadLengthDelimited(&bytes);
            raw.layout = bytes;
            break;
          case Bytes(of::kIsDynamicDimension):
            read = ReadPacked(reader, &raw.flags);
            break;
          case Bytes(of::kDimIntervals):
            read = reader->ReadLengthDelimited(&bytes);
            raw.intervals.push_back(bytes);
            break;
          case Varint(of::kUnranked):
            read = ReadInt(reader, &raw.unranked);
            break;
          case Bytes(of::kDimExpressions):
            read = reader->ReadLengthDelimited(&bytes);
            raw.expressions.push_back(bytes);
            break;
          default:
            return false;
        }
        if (!read) return Malformed("ShapeProto");
        return true;
      });
}

// Reads the dims given by intervals, by position.
absl::Status ReadIntervals(const RawShape& raw,
                           std::vector<std::optional<Dim>>* dims) {
  int64_t last = -1;
  for (absl::string_view wire : raw.intervals) {
    int64_t dimension = 0, lower = 0, upper = Dim::kInfinity;
    absl::Status status = ForEachField(
        "DimInterval", wire,
        [&](uint32_t tag, WireReader* reader) -> absl::StatusOr<bool> {
          int64_t* field =
              tag == Varint(field::DimInterval::kDimension) ? &dimension
              : tag == Varint(field::DimInterval::kLower)   ? &lower
              : tag == Varint(field::DimInterval::kUpper)   ? &upper
                                                            : nullptr;
          if (field == nullptr) return false;
          if (!ReadInt(reader, field)) return Malformed("DimInterval");
          return true;
        });
    if (!status.ok()) return status;
    const std::optional<Dim> dim = Dim::Interval(lower, upper);
    if (dimension <= last ||
        dimension >= static_cast<int64_t>(raw.sizes.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("an interval is for dimension ", dimension, " of ",
                       raw.sizes.size(), "; each may have one, in order"));
    }
    if (!dim.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("dimension ", dimension, " has an interval from ", lower,
                       " that is none or too large"));
    }
    (*dims)[static_cast<size_t>(dimension)] = dim;
    last = dimension;
  }
  return absl::OkStatus();
}

// Reads a DimExpression: the dimension and its size.
absl::StatusOr<std::pair<int64_t, Dim>> ReadExpression(absl::string_view wire) {
  namespace of = field::DimExpression;
  int64_t dimension = 0;
  absl::string_view text;
  SymbolScope scope;
  absl::Status status = ForEachField(
      "DimExpression", wire,
      [&](uint32_t tag, WireReader* reader) -> absl::StatusOr<bool> {
        absl::string_view fact;
        const bool read =
            tag == Varint(of::kDimension)   ? ReadInt(reader, &dimension)
            : tag == Bytes(of::kExpression) ? reader->ReadLengthDelimited(&text)
            : tag == Bytes(of::kFacts)      ? reader->ReadLengthDelimited(&fact)
                                            : false;
        if (tag != Varint(of::kDimension) && tag != Bytes(of::kExpression) &&
            tag != Bytes(of::kFacts)) {
          return false;
        }
        if (!read) return Malformed("DimExpression");
        const absl::Status stated = scope.State(fact);
        if (!stated.ok()) return stated;
        return true;
      });
  if (!status.ok()) return status;
  const absl::StatusOr<DimExpr> expr = ParseDimExpr(text, &scope);
  const std::optional<Dim> dim = expr.ok() ? expr->ToDim() : std::nullopt;
  if (dim && dim->is_symbolic()) return std::make_pair(dimension, *dim);
  return absl::InvalidArgumentError(absl::StrCat(
      "dimension ", dimension, " has the size \"",
      absl::CHexEscape(text.substr(0, DimExpr::kMaxText)),
      "\", which is not an expression",
      expr.ok() ? "" : absl::StrCat(": ", expr.status().message())));
}

// Reads the dims given by expressions, by position.
absl::Status ReadExpressions(const RawShape& raw,
                             std::vector<std::optional<Dim>>* dims) {
  int64_t last = -1;
  for (absl::string_view wire : raw.expressions) {
    const auto read = ReadExpression(wire);
    if (!read.ok()) return read.status();
    const int64_t dimension = read->first;
    if (dimension <= last ||
        dimension >= static_cast<int64_t>(raw.sizes.size()) ||
        (*dims)[static_cast<size_t>(dimension)].has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("an expression is for dimension ", dimension, " of ",
                       raw.sizes.size(), "; each may have one, in order"));
    }
    (*dims)[static_cast<size_t>(dimension)] = read->second;
    last = dimension;
  }
  return absl::OkStatus();
}

absl::StatusOr<Dim> MakeDim(size_t i, int64_t size, bool dynamic) {
  if (size == kUnboundedSize && dynamic) return Dim::Unknown();
  if (size < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("dimension ", i, " has the size ", size));
  }
  if (!dynamic) return Dim::Static(size);
  if (size > Dim::kMaxBound) {
    return absl::InvalidArgumentError(
        absl::StrCat("dimension ", i, " has the bound ", size,
                     ", the largest is ", Dim::kMaxBound));
  }
  return Dim::Bounded(size);
}

absl::StatusOr<Shape> MakeArray(ElementType type, const RawShape& raw) {
  if (raw.unranked != 0) {
    if (!raw.sizes.empty() || raw.layout.has_value() ||
        !raw.intervals.empty() || !raw.expressions.empty()) {
      return absl::InvalidArgumentError(
          "an unranked shape has dimensions or a layout");
    }
    return Shape::Unranked(type);
  }
  if (!raw.flags.empty() && raw.flags.size() != raw.sizes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a shape of rank ", raw.sizes.size(), " has ",
                     raw.flags.size(), " is_dynamic_dimension flags"));
  }
  // By position; empty: there are only sizes.
  std::vector<std::optional<Dim>> special;
  if (!raw.intervals.empty() || !raw.expressions.empty()) {
    special.resize(raw.sizes.size());
    absl::Status status = ReadIntervals(raw, &special);
    if (status.ok()) status = ReadExpressions(raw, &special);
    if (!status.ok()) return status;
  }
  Shape shape = Shape::Scalar(type);
  for (size_t i = 0; i < raw.sizes.size(); ++i) {
    if (!special.empty() && special[i].has_value()) {
      shape.add_dim(*special[i]);
      continue;
    }
    absl::StatusOr<Dim> dim =
        MakeDim(i, raw.sizes[i], !raw.flags.empty() && raw.flags[i] != 0);
    if (!dim.ok()) return dim.status();
    shape.add_dim(*dim);
  }
  if (raw.layout.has_value()) {
    absl::StatusOr<Layout> layout = ParseLayoutProto(*raw.layout, shape.rank());
    if (!layout.ok()) return layout.status();
    shape.set_layout(*std::move(layout));
  }
  return shape;
}

absl::StatusOr<Shape> ParseShapeAtDepth(absl::string_view wire, int depth);

absl::StatusOr<Shape> MakeTuple(const RawShape& raw, int depth) {
  if (depth >= Shape::kMaxTupleDepth) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tuples are nested more than ", Shape::kMaxTupleDepth, " deep"));
  }
  std::vector<Shape> elements;
  elements.reserve(raw.members.size());
  for (absl::string_view member : raw.members) {
    absl::StatusOr<Shape> element = ParseShapeAtDepth(member, depth + 1);
    if (!element.ok()) return element.status();
    if (element->is_none()) {
      return absl::InvalidArgumentError("an element of a tuple has no shape");
    }
    elements.push_back(*std::move(element));
  }
  Shape tuple = Shape::Tuple(std::move(elements));
  if (tuple.is_none()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a tuple has more than ", Shape::kMaxTupleParts, " parts"));
  }
  return tuple;
}

absl::StatusOr<Shape> MakeBuffer(const RawShape& raw, int depth) {
  if (raw.members.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a buffer has ", raw.members.size(), " shapes, it must have one"));
  }
  absl::StatusOr<Shape> array = ParseShapeAtDepth(raw.members[0], depth + 1);
  if (!array.ok()) return array.status();
  if (!array->is_array()) {
    return absl::InvalidArgumentError("the shape in a buffer is not an array");
  }
  return Shape::Buffer(*std::move(array));
}

// Recursion is limited by Shape::kMaxTupleDepth.
absl::StatusOr<Shape> ParseShapeAtDepth(absl::string_view wire, int depth) {
  RawShape raw;
  const absl::Status status = ReadRawShape(wire, &raw);
  if (!status.ok()) return status;
  const std::optional<ElementType> type = ElementTypeFromNumber(raw.type);
  if (type.has_value()) return MakeArray(*type, raw);
  if (raw.layout.has_value()) {
    return absl::InvalidArgumentError(
        "a shape that is not an array has a layout");
  }
  switch (raw.type) {
    case kTupleType:
      return MakeTuple(raw, depth);
    case kOpaqueType:
      return Shape::Opaque();
    case kTokenType:
      return Shape::Token();
    case kBufferType:
      return MakeBuffer(raw, depth);
    case 0:
      // Present but empty: a shape still to be inferred.
      if (raw.sizes.empty() && raw.members.empty()) return Shape();
      return absl::InvalidArgumentError("a shape has no element type");
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("a shape has the unknown element type ", raw.type));
  }
}

// --- Writing ----------------------------------------------------------------

std::string SerializeInterval(int dimension, Dim dim) {
  std::string out;
  AppendInt(field::DimInterval::kDimension, dimension, &out);
  AppendInt(field::DimInterval::kLower, dim.lower(), &out);
  if (dim.has_upper()) {
    // The field has presence, so 0 is written too.
    wire_fields::AppendNumber(field::DimInterval::kUpper,
                              static_cast<uint64_t>(dim.upper()), &out);
  }
  return out;
}

std::string SerializeExpression(int dimension, Dim dim) {
  std::string out;
  AppendInt(field::DimExpression::kDimension, dimension, &out);
  AppendBytes(field::DimExpression::kExpression, dim.ToString(), &out);
  for (const auto& [name, facts] : DimExpr(dim).Symbols()) {
    for (const std::string& fact : FactTexts(name, facts)) {
      AppendBytes(field::DimExpression::kFacts, fact, &out);
    }
  }
  return out;
}

// Of an interval or an expression a size that XLA refuses, the minimum without
// its flag, so that XLA never misreads it.
constexpr auto kSizeOf = [](Dim dim) {
  return static_cast<uint64_t>(
      dim.is_static() || dim.is_bounded() ? dim.upper() : kUnboundedSize);
};
constexpr auto kFlagOf = [](Dim dim) {
  return uint64_t{dim.is_bounded() || dim.is_unknown()};
};

// Dims that ShapeProto of XLA has no form for.
void AppendOwnDims(const Shape& shape, std::string* out) {
  namespace of = field::ShapeProto;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i).is_interval()) {
      AppendBytes(of::kDimIntervals, SerializeInterval(i, shape.dim(i)), out);
    }
  }
  AppendInt(of::kUnranked, shape.is_unranked() ? 1 : 0, out);
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i).is_symbolic()) {
      AppendBytes(of::kDimExpressions, SerializeExpression(i, shape.dim(i)),
                  out);
    }
  }
}

void AppendArray(const Shape& shape, std::string* out) {
  namespace of = field::ShapeProto;
  // XLA refuses a flag without a dimension; without it XLA would read a scalar.
  static constexpr Dim kUnrankedFlag[] = {Dim::Unknown()};
  const absl::Span<const Dim> flagged =
      shape.is_unranked() ? kUnrankedFlag : shape.dims();
  absl::FixedArray<char, 2 * PackedRoom(8)> bytes(2 *
                                                  PackedRoom(flagged.size()));
  char* const start = bytes.data();
  char* end = start;
  const auto append = [&] {
    out->append(start, static_cast<size_t>(end - start));
    end = start;
  };
  if (shape.element_type() != ElementType::kInvalid) {
    end = WriteVarint(static_cast<uint64_t>(shape.element_type()),
                      WriteVarint(Varint(of::kElementType), end));
  }
  end = WritePacked(of::kDimensions, shape.dims(), kSizeOf, end);
  if (shape.layout() != nullptr) {
    append();
    AppendNested(of::kLayout, out,
                 [&] { AppendLayoutProto(*shape.layout(), out); });
  }
  end = WritePacked(of::kIsDynamicDimension, flagged, kFlagOf, end);
  append();
  if (!shape.is_static()) AppendOwnDims(shape, out);
}

// Recursion is limited by Shape::kMaxTupleDepth.
void AppendShape(const Shape& shape, std::string* out) {
  namespace of = field::ShapeProto;
  switch (shape.kind()) {
    case Shape::Kind::kNone:
      break;
    case Shape::Kind::kArray:
      AppendArray(shape, out);
      break;
    case Shape::Kind::kToken:
      AppendInt(of::kElementType, kTokenType, out);
      break;
    case Shape::Kind::kOpaque:
      AppendInt(of::kElementType, kOpaqueType, out);
      break;
    case Shape::Kind::kTuple:
    case Shape::Kind::kBuffer:
      AppendInt(of::kElementType, shape.is_tuple() ? kTupleType : kBufferType,
                out);
      for (const Shape& element : shape.elements()) {
        AppendNested(of::kTupleShapes, out, [&] { AppendShape(element, out); });
      }
      break;
  }
}

}  // namespace

absl::StatusOr<Shape> ParseShapeProto(absl::string_view wire) {
  return ParseShapeAtDepth(wire, 0);
}

std::string SerializeShapeProto(const Shape& shape) {
  std::string out;
  AppendShape(shape, &out);
  return out;
}

absl::StatusOr<ProgramShape> ParseProgramShapeProto(absl::string_view wire) {
  namespace of = field::ProgramShapeProto;
  ProgramShape program;
  absl::Status status = ForEachField(
      "ProgramShapeProto", wire,
      [&](uint32_t tag, WireReader* reader) -> absl::StatusOr<bool> {
        if (tag != Bytes(of::kParameters) && tag != Bytes(of::kResult) &&
            tag != Bytes(of::kParameterNames)) {
          return false;
        }
        absl::string_view bytes;
        if (!reader->ReadLengthDelimited(&bytes)) {
          return Malformed("ProgramShapeProto");
        }
        if (tag == Bytes(of::kParameterNames)) {
          program.names.emplace_back(bytes);
          return true;
        }
        absl::StatusOr<Shape> shape = ParseShapeProto(bytes);
        if (!shape.ok()) return shape.status();
        if (tag == Bytes(of::kParameters)) {
          program.parameters.push_back(*std::move(shape));
        } else {
          program.result = *std::move(shape);
        }
        return true;
      });
  if (!status.ok()) return status;
  if (program.names.size() != program.parameters.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a program shape has ", program.parameters.size(), " parameters and ",
        program.names.size(), " parameter names"));
  }
  return program;
}

}  // namespace indim
