// Scalars from bytes to text: what a Literal would say, or nothing.

#include "indim/text/base/scalar_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/codec/literal.h"
#include "indim/codec/literal_proto.h"
#include "indim/shape/types/element_type.h"
#include "indim/wire/field_list.h"

namespace indim {
namespace {

absl::string_view ShapeOf(const FieldList& literal) { return literal.Text(1); }

FieldList FieldsOf(absl::string_view wire) {
  FieldList fields(WireMessage::kLiteralProto);
  EXPECT_TRUE(fields.Append(wire));
  return fields;
}

std::optional<std::string> ScalarText(const Shape& shape,
                                      absl::string_view shape_wire,
                                      absl::string_view wire) {
  TextBuffer out;
  const bool is_scalar = AppendScalarText(shape, shape_wire, wire, &out);
  std::string text = out.Take();
  if (is_scalar) return text;
  EXPECT_EQ(text, "");
  return std::nullopt;
}

// Every code of small types, and of larger ones those with few bits set or few
// missing: zeros, NaNs, infinities, ends of ranges.
std::vector<uint64_t> Codes(int bits) {
  std::vector<uint64_t> codes;
  if (bits <= 8) {
    for (uint64_t code = 0; code < uint64_t{1} << bits; ++code) {
      codes.push_back(code);
    }
    return codes;
  }
  for (int i = 0; i <= bits; ++i) {
    for (int k = 0; k <= i && k < 64; ++k) {
      const uint64_t high = i == 64 ? 0 : uint64_t{1} << i;
      codes.push_back(high - (uint64_t{1} << k));
      codes.push_back(high ^ (uint64_t{1} << k));
    }
  }
  return codes;
}

TEST(ScalarTextTest, EveryElementTypeAsALiteral) {
  for (const ElementTypeInfo& info : AllElementTypes()) {
    if (info.kind == ElementKind::kComplex) continue;
    const size_t width = static_cast<size_t>(ElementBytes(info.type));
    for (const uint64_t code : Codes(info.bits)) {
      // Bools are one of two.
      if (info.kind == ElementKind::kPred && code > 1) continue;
      std::string bytes;
      for (size_t i = 0; i < width; ++i) {
        bytes += static_cast<char>(code >> (8 * i) & 0xFF);
      }
      const absl::StatusOr<Literal> literal =
          Literal::FromBytes(Shape::Scalar(info.type), bytes);
      ASSERT_TRUE(literal.ok()) << info.name << " " << literal.status();
      const std::string wire = SerializeLiteralProto(*literal);
      const absl::StatusOr<Literal> read = ParseLiteralProto(wire);
      ASSERT_TRUE(read.ok()) << info.name << " " << read.status();
      const FieldList fields = FieldsOf(wire);
      EXPECT_EQ(ScalarText(read->shape(), ShapeOf(fields), wire),
                read->ToString())
          << info.name << " " << code;
    }
  }
}

TEST(ScalarTextTest, NothingElse) {
  const Literal one = Literal::Vector({1.0f});
  const absl::StatusOr<Literal> scalar =
      Literal::FromDoubles(ElementType::kF32, {1}, {});
  const absl::StatusOr<Literal> complex =
      Literal::FromDoubles(ElementType::kC64, {1}, {});
  ASSERT_TRUE(scalar.ok() && complex.ok());
  for (const Literal& literal :
       {one, *complex, Literal::Token(), Literal::Tuple({*scalar})}) {
    const std::string wire = SerializeLiteralProto(literal);
    const FieldList fields = FieldsOf(wire);
    EXPECT_EQ(ScalarText(literal.shape(), ShapeOf(fields), wire), std::nullopt)
        << literal.ToString();
  }
  // Of another shape; two values; half of one; none; nothing at all.
  const std::string wire = SerializeLiteralProto(*scalar);
  const FieldList fields = FieldsOf(wire);
  const absl::string_view shape = ShapeOf(fields);
  EXPECT_EQ(ScalarText(Shape::Scalar(ElementType::kF32), shape, wire), "1");
  EXPECT_EQ(ScalarText(Shape::Scalar(ElementType::kF32), "", wire),
            std::nullopt);
  EXPECT_EQ(ScalarText(Shape::Scalar(ElementType::kS32), shape, wire),
            std::nullopt);
  for (const size_t size : {0, 2, 3, 5, 8}) {
    std::string other = wire.substr(0, wire.size() - 5);
    other += static_cast<char>(size);
    other.append(size, 'x');
    EXPECT_EQ(ScalarText(Shape::Scalar(ElementType::kF32), shape, other),
              std::nullopt);
  }
  for (size_t size = 0; size < wire.size(); ++size) {
    EXPECT_EQ(ScalarText(Shape::Scalar(ElementType::kF32), shape,
                         absl::string_view(wire).substr(0, size)),
              std::nullopt);
  }
}

}  // namespace
}  // namespace indim
