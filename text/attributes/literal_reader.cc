// SPDX-License-Identifier: Apache-2.0
#include "indim/text/attributes/literal_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/float_format.h"
#include "indim/ir/storage/float_text.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/codec/literal_proto.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/text/attributes/literal_scan.h"
#include "indim/text/base/shape_text.h"

namespace indim {
namespace {

namespace of_literal = field::LiteralProto;

uint64_t Bits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

uint64_t Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

constexpr char kLeftOut[] =
    "the values of this constant were left out when the text was printed; to "
    "fix: dump it with --xla_dump_large_constants in XLA_FLAGS, or print it "
    "with `indim print --large-constants`";

// Reads the values of one array.
class ArrayReader {
 public:
  ArrayReader(Lexer* lexer, const Shape& shape,
              const LiteralReaderOptions& options)
      : lexer_(*lexer),
        shape_(shape),
        options_(options),
        info_(Info(shape.element_type())),
        part_(Info(RealPart(shape.element_type()))),
        rank_(static_cast<size_t>(shape.rank())),
        begin_(lexer->whole_text().data()),
        p_(begin_ + lexer->offset()),
        end_(begin_ + lexer->whole_text().size()),
        seen_(rank_, 0) {
    for (const Dim& dim : shape.dims()) sizes_.push_back(dim.upper());
  }

  // Moves the lexer to after the literal.
  bool Read() {
    if (!ReadValues()) return false;
    lexer_.Seek(Offset(p_));
    return true;
  }

  bool elided() const { return elided_; }
  // Whether all values are zeros, of which only one is stored.
  bool all_zero() const { return all_zero_; }
  std::string TakeBytes() { return std::move(bytes_); }

 private:
  static constexpr int64_t kMaxWithoutBraces = 1 << 16;

  size_t Offset(const char* p) const { return static_cast<size_t>(p - begin_); }

  bool ReadValues() {
    if (rank_ == 0) return ReadElement();
    if (p_ != end_ && *p_ != '{') return ReadFirst();
    Reserve();
    while (true) {
      if (p_ == end_) return Error("this literal has no end");
      switch (*p_) {
        case ' ':
        case ',':
        case '\n':
        case '\t':
        case '\r':
          ++p_;
          break;
        case '{':
          if (!Open()) return false;
          break;
        case '}':
          if (!Close()) return false;
          if (level_ == 0) return true;
          break;
        case '/':
          if (!SkipComment()) return false;
          break;
        default:
          if (!(end_ - p_ >= 3 && std::memcmp(p_, "...", 3) == 0
                    ? Elide()
                    : Count() && ReadElement())) {
            return false;
          }
      }
    }
  }

  // Reads a value without braces, which XLA takes as the array's first; the
  // others are 0. A large array is stored only if all are zeros.
  bool ReadFirst() {
    const std::optional<int64_t> count = shape_.ElementCount();
    if (!count || *count == 0) return Count();
    const char* const value = p_;
    if (!ReadElement()) return false;
    if (*count <= kMaxWithoutBraces) {
      bytes_.resize(bytes_.size() * static_cast<size_t>(*count), '\0');
      return true;
    }
    all_zero_ = absl::c_all_of(bytes_, [](char byte) { return byte == 0; });
    if (all_zero_) return true;
    p_ = value;
    return Error(absl::StrCat(
        "expected \"{\": ", shape_.ToString(), " has ", *count,
        " elements; a value without braces is the first of them, all others "
        "would be 0"));
  }

  // Reserves room for all elements, but no more than the text can have: an
  // element takes at least two characters.
  void Reserve() {
    const size_t width =
        static_cast<size_t>(ElementBytes(shape_.element_type()));
    const size_t most = static_cast<size_t>(end_ - p_) / 2 + 1;
    size_t count = 1;
    for (const int64_t size : sizes_) {
      if (size == 0) return;
      count = std::min(most, count * std::min(most, static_cast<size_t>(size)));
    }
    bytes_.reserve(count * width);
  }

  bool Open() {
    if (level_ == rank_) {
      return Error(
          absl::StrCat("expected a value, found \"{\": ", shape_.ToString(),
                       " has ", rank_, rank_ == 1 ? " dim" : " dims"));
    }
    if (level_ > 0 && !CountAt(level_ - 1)) return false;
    seen_[level_++] = 0;
    ++p_;
    return true;
  }

  bool Close() {
    if (level_ == 0) return Error("expected \"{\"");
    const size_t dim = level_ - 1;
    if (seen_[dim] != sizes_[dim]) {
      return Error(absl::StrCat("dim ", dim, " of ", shape_.ToString(), " has ",
                                sizes_[dim], " elements, but here are ",
                                seen_[dim]));
    }
    --level_;
    ++p_;
    return true;
  }

  bool CountAt(size_t dim) {
    if (seen_[dim] < sizes_[dim]) {
      ++seen_[dim];
      return true;
    }
    return Error(absl::StrCat("dim ", dim, " of ", shape_.ToString(),
                              " has no more than ", sizes_[dim], " elements"));
  }

  // Counts one element.
  bool Count() {
    if (level_ != rank_) {
      return Error(absl::StrCat("expected \"{\": ", shape_.ToString(), " has ",
                                rank_, rank_ == 1 ? " dim" : " dims"));
    }
    return CountAt(rank_ - 1);
  }

  // Reads {...}.
  bool Elide() {
    if (level_ != 1) {
      return Error("\"...\" stands for all values, in the outermost braces");
    }
    // A literal without elements omits nothing.
    const bool is_empty = absl::c_linear_search(sizes_, 0);
    if (!options_.allow_elided && !is_empty) {
      return Error(kLeftOut);
    }
    elided_ = !is_empty;
    seen_[0] = sizes_[0];
    p_ += 3;
    return true;
  }

  bool SkipComment() {
    lexer_.Seek(Offset(p_));
    if (lexer_.token() == Token::kBad) return false;
    p_ = begin_ + lexer_.offset();
    return true;
  }

  // Skips blanks and comments.
  bool SkipSpace() {
    lexer_.Seek(Offset(p_));
    p_ = begin_ + lexer_.offset();
    return lexer_.token() != Token::kEnd || Error("this literal has no end");
  }

  bool ReadElement() {
    if (info_.kind == ElementKind::kComplex) return ReadComplex();
    ScannedValue value;
    const char* const after = ScanValue(p_, end_, &value);
    switch (info_.kind) {
      case ElementKind::kFloat:
        if (!PutFloat(value)) return false;
        break;
      case ElementKind::kPred:
        if (value.kind != ScannedValue::kInt &&
            value.kind != ScannedValue::kBool) {
          return NoValue(value, "true, false, 0 or 1");
        }
        bytes_.push_back(value.magnitude != 0 ? 1 : 0);
        break;
      default:
        if (!PutInt(value)) return false;
    }
    p_ = after;
    return true;
  }

  // Reads (1, -2).
  bool ReadComplex() {
    if (p_ == end_ || *p_ != '(') {
      return Error(
          absl::StrCat("expected a ", info_.name, " as (real, imaginary)"));
    }
    ++p_;
    for (int i = 0; i < 2; ++i) {
      if (!SkipSpace()) return false;
      ScannedValue value;
      const char* const after = ScanValue(p_, end_, &value);
      if (!PutFloat(value)) return false;
      p_ = after;
      if (!SkipSpace()) return false;
      const char wanted = i == 0 ? ',' : ')';
      if (*p_ != wanted) {
        return Error(absl::StrCat("expected \"", std::string(1, wanted), "\""));
      }
      ++p_;
    }
    return true;
  }

  bool PutInt(const ScannedValue& value) {
    if (value.kind != ScannedValue::kInt) return NoValue(value, "an integer");
    const int64_t number = value.AsInt();
    const int bits = info_.bits;
    // Any 64-bit value fits.
    if (bits < 64) {
      const bool is_signed = info_.kind == ElementKind::kSigned;
      const int64_t most = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
      if (number > most || number < (is_signed ? -most - 1 : 0)) {
        return OutOfRange();
      }
    }
    Append(bits < 8 ? static_cast<uint64_t>(number) & ((1u << bits) - 1)
                    : static_cast<uint64_t>(number),
           bits < 8 ? 1 : bits / 8);
    return true;
  }

  // An element, or a component of a complex one.
  bool PutFloat(const ScannedValue& scanned) {
    double value = 0;
    switch (scanned.kind) {
      case ScannedValue::kDecimal:
        if (std::isinf(scanned.value)) return OutOfRange();
        value = scanned.negative ? -scanned.value : scanned.value;
        break;
      case ScannedValue::kInt:
        // XLA prints -0.0 as "-0" and reads that as 0; this keeps -0.0.
        value = static_cast<double>(scanned.AsInt());
        if (scanned.negative && value == 0) value = -0.0;
        break;
      case ScannedValue::kInfinity:
        value = scanned.negative ? -HUGE_VAL : HUGE_VAL;
        break;
      case ScannedValue::kNan:
        return PutNan(scanned);
      default:
        return NoValue(scanned, "a number");
    }
    switch (part_.type) {
      case ElementType::kF64:
        Append(Bits(value), 8);
        return true;
      case ElementType::kF32: {
        const float rounded = static_cast<float>(value);
        if (std::isinf(rounded) && !std::isinf(value)) return OutOfRange();
        Append(Bits(rounded), 4);
        return true;
      }
      case ElementType::kBF16: {
        // XLA rounds twice: this takes the upper half of an f32, ties to even.
        const uint64_t bits = Bits(static_cast<float>(value));
        const uint64_t code = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
        if ((code & 0x7fff) == 0x7f80 && !std::isinf(value)) {
          return OutOfRange();
        }
        Append(code, 2);
        return true;
      }
      case ElementType::kF16:
        return PutNarrow(static_cast<double>(static_cast<float>(value)), value);
      default:
        return PutNarrow(value, value);
    }
  }

  bool PutNarrow(double rounded, double value) {
    const uint64_t code = EncodeFloat(part_.type, rounded);
    if (std::isfinite(value) && !std::isfinite(DecodeFloat(part_.type, code))) {
      return OutOfRange();
    }
    Append(code, ElementBytes(part_.type));
    return true;
  }

  bool PutNan(const ScannedValue& value) {
    constexpr uint64_t kNone = uint64_t{1} << 51;  // of a quiet f64
    uint64_t payload = value.payload == kNone ? 0 : value.payload;
    const int bytes = ElementBytes(part_.type);
    if (!HasNanPayload(part_.type)) {
      if (payload != 0) {
        return Error(absl::StrCat("a NaN of ", part_.name, " has no payload"));
      }
      // For a type without NaN, XLA makes it a zero of the other sign.
      const uint64_t sign = uint64_t{1} << (part_.bits - 1);
      Append(HasNan(part_.type)
                 ? EncodeFloat(part_.type, value.negative ? -NAN : NAN)
                 : (value.negative ? 0 : sign),
             bytes);
      return true;
    }
    const int digits = part_.significand - 1;
    if (payload >> digits != 0) {
      return Error(absl::StrCat("the payload of a NaN of ", part_.name, " has ",
                                digits, " bits"));
    }
    if (payload == 0) payload = uint64_t{1} << (digits - 1);
    const uint64_t exponent = (uint64_t{1} << (part_.bits - 1 - digits)) - 1;
    Append((value.negative ? uint64_t{1} << (part_.bits - 1) : 0) |
               exponent << digits | payload,
           bytes);
    return true;
  }

  void Append(uint64_t bits, int count) {
    char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(bits >> (8 * i));
    bytes_.append(bytes, static_cast<size_t>(count));
  }

  // --- Errors, all at p_ ----------------------------------------------------

  bool Error(std::string message) {
    lexer_.Seek(Offset(p_));
    return lexer_.Error(std::move(message));
  }
  bool NoValue(const ScannedValue& value, absl::string_view what) {
    if (value.kind == ScannedValue::kTooLong) return OutOfRange();
    lexer_.Seek(Offset(p_));
    return lexer_.Expected(absl::StrCat(what, " (", info_.name, ")"));
  }
  bool OutOfRange() {
    return Error(absl::StrCat("this is out of the range of ", part_.name));
  }

  Lexer& lexer_;
  const Shape& shape_;
  const LiteralReaderOptions& options_;
  const ElementTypeInfo& info_;
  const ElementTypeInfo& part_;  // a complex type's component
  const size_t rank_;
  const char* const begin_;
  const char* p_;
  const char* const end_;
  std::vector<int64_t> sizes_;
  std::vector<int64_t> seen_;  // per dim, in the open braces
  size_t level_ = 0;
  std::string bytes_;
  bool elided_ = false;
  bool all_zero_ = false;
};

bool ReadTuple(Lexer* lexer, const Shape& shape,
               const LiteralReaderOptions& options, ReadLiteralResult* to) {
  if (!lexer->Expect(Token::kLeftParen)) return false;
  to->wire.clear();
  wire_fields::AppendBytes(of_literal::kShape, SerializeShapeProto(shape),
                           &to->wire);
  for (size_t i = 0; i < shape.elements().size(); ++i) {
    if (i > 0 && !lexer->Expect(Token::kComma)) return false;
    ReadLiteralResult element;
    if (!ReadLiteral(lexer, shape.elements()[i], options, &element)) {
      return false;
    }
    wire_fields::AppendBytes(of_literal::kTupleLiterals, element.wire,
                             &to->wire);
    to->elided = to->elided || element.elided;
  }
  return lexer->Expect(Token::kRightParen);
}

// The shape of an array's literal: XLA makes bounds sizes, and has no packed
// elements. kNone if it can't have values.
Shape LiteralShape(const Shape& shape) {
  if (!shape.has_rank()) return Shape();
  std::vector<int64_t> sizes;
  for (const Dim& dim : shape.dims()) {
    if (!dim.is_static() && !dim.is_bounded()) return Shape();
    sizes.push_back(dim.upper());
  }
  Shape result = Shape::Of(shape.element_type(), sizes);
  if (shape.layout() != nullptr) {
    Layout layout = *shape.layout();
    layout.element_size_in_bits = 0;
    result.set_layout(std::move(layout));
  }
  return result.ElementCount() ? result.WithDefaultLayout() : Shape();
}

// Whether `{...}` is next, which is printed for any constant without values,
// also a tuple or scalar.
bool IsElisionAhead(Lexer* lexer) {
  if (lexer->token() != Token::kLeftBrace) return false;
  const size_t at = lexer->offset();
  const bool found = lexer->Accept(Token::kLeftBrace) &&
                     lexer->Accept(Token::kEllipsis) &&
                     lexer->token() == Token::kRightBrace;
  lexer->Seek(at);
  return found;
}

// Reads a literal with its shape, to its shape and its wire.
bool ReadTyped(Lexer* lexer, const LiteralReaderOptions& options, int depth,
               Shape* shape, ReadLiteralResult* to) {
  if (lexer->token() != Token::kLeftParen) {
    return ReadShape(lexer, /*fill_layouts=*/true, shape) &&
           ReadLiteral(lexer, *shape, options, to);
  }
  if (depth == Shape::kMaxTupleDepth) {
    return lexer->Error("tuples don't nest as deep as this");
  }
  lexer->Next();
  std::vector<Shape> shapes;
  std::string elements;
  while (lexer->token() != Token::kRightParen) {
    shapes.emplace_back();
    ReadLiteralResult element;
    if (!ReadTyped(lexer, options, depth + 1, &shapes.back(), &element)) {
      return false;
    }
    wire_fields::AppendBytes(of_literal::kTupleLiterals, element.wire,
                             &elements);
    to->elided = to->elided || element.elided;
    if (!lexer->Accept(Token::kComma)) break;
  }
  *shape = Shape::Tuple(std::move(shapes));
  to->wire.clear();
  wire_fields::AppendBytes(of_literal::kShape, SerializeShapeProto(*shape),
                           &to->wire);
  to->wire += elements;
  return lexer->Expect(Token::kRightParen, "\",\" or \")\"");
}

}  // namespace

bool ReadLiteral(Lexer* lexer, const Shape& shape,
                 const LiteralReaderOptions& options, ReadLiteralResult* to) {
  to->elided = false;
  const Shape array = LiteralShape(shape);
  if (array.rank() <= 0 && IsElisionAhead(lexer)) {
    if (!options.allow_elided) return lexer->Error(kLeftOut);
    to->elided = true;
    to->wire.clear();
    wire_fields::AppendBytes(of_literal::kShape, SerializeShapeProto(shape),
                             &to->wire);
    return lexer->SkipBraces();
  }
  if (shape.is_tuple()) {
    return ReadTuple(lexer, shape.WithDefaultLayout(), options, to);
  }
  if (array.is_none()) {
    return lexer->Error(
        absl::StrCat(shape.ToString(), " has no values that text can express"));
  }
  ArrayReader reader(lexer, array, options);
  if (!reader.Read()) return false;
  to->elided = reader.elided();
  to->wire.clear();
  if (to->elided) {
    wire_fields::AppendBytes(of_literal::kShape, SerializeShapeProto(array),
                             &to->wire);
  } else if (reader.all_zero()) {
    const absl::StatusOr<Literal> zeros =
        Literal::Splat(array, reader.TakeBytes());
    if (!zeros.ok()) return lexer->Error(std::string(zeros.status().message()));
    to->wire = SerializeLiteralProto(*zeros);
  } else {
    to->wire = SerializeArrayLiteral(array, reader.TakeBytes());
  }
  return true;
}

bool ReadTypedLiteral(Lexer* lexer, const LiteralReaderOptions& options,
                      ReadLiteralResult* to) {
  Shape shape;
  to->elided = false;
  return ReadTyped(lexer, options, 0, &shape, to);
}

}  // namespace indim
