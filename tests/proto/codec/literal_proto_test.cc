// SPDX-License-Identifier: Apache-2.0
// Literals as LiteralProto: what is written, what is read back.
#include "indim/proto/codec/literal_proto.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/codec/literal_wire.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/canonical.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/xla_data.pb.h"
#include "indim/tests/proto/codec/literals.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

std::string LiteralWire(const std::string& text) {
  proto::LiteralProto message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message))
      << text;
  return DeterministicBytes(message);
}

std::string LiteralText(const std::string& bytes) {
  proto::LiteralProto message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(message, &text);
  return text;
}

Literal SixValues(const ElementTypeInfo& info) {
  std::vector<double> values = {0, 1, 1, 0, 1, 1};
  if (info.kind == ElementKind::kSigned) values = {0, -1, 0, -1, 0, 0};
  if (info.bits >= 8 && info.type != ElementType::kPred) values[4] = 100;
  if (info.type == ElementType::kF8E8M0FNU) values = {1, 2, 4, 1, 1, 2};
  return Doubles(info.type, values, {2, 3});
}

// What IsPlainLiteralOf says of a literal and the shape that it says.
bool IsPlain(const std::string& wire) {
  FieldList fields(WireMessage::kLiteralProto);
  if (!fields.Append(wire)) return false;
  const absl::string_view shape_wire = fields.Text(1);
  const absl::StatusOr<Shape> shape = ParseShapeProto(shape_wire);
  return shape.ok() && IsPlainLiteralOf(*shape, shape_wire, wire);
}

TEST(LiteralProtoTest, EveryElementTypeComesBack) {
  for (const ElementTypeInfo& info : AllElementTypes()) {
    const Literal literal = SixValues(info);
    const std::string wire = SerializeLiteralProto(literal);
    EXPECT_TRUE(IsCanonical(WireMessage::kLiteralProto, wire)) << info.name;
    const absl::StatusOr<Literal> read = ParseLiteralProto(wire);
    ASSERT_TRUE(read.ok()) << info.name << read.status();
    EXPECT_TRUE(*read == literal) << info.name;
    EXPECT_TRUE(IsPlain(wire)) << info.name;
    // libprotobuf finds the values in the field that the table names.
    proto::LiteralProto message;
    ASSERT_TRUE(message.ParseFromString(wire));
    EXPECT_EQ(DeterministicBytes(message), wire);
    const auto* field =
        message.GetDescriptor()->FindFieldByNumber(info.literal_field);
    ASSERT_NE(field, nullptr) << info.name;
    EXPECT_TRUE(field->is_repeated()
                    ? message.GetReflection()->FieldSize(message, field) > 0
                    : message.GetReflection()->HasField(message, field))
        << info.name;
  }
}

TEST(LiteralProtoTest, SplatsOfEveryElementTypeComeBack) {
  for (const ElementTypeInfo& info : AllElementTypes()) {
    const double value = info.kind == ElementKind::kSigned ? -1 : 1;
    const absl::StatusOr<Literal> splat =
        Literal::Splat(info.type, value, {2, 3});
    ASSERT_TRUE(splat.ok()) << info.name << splat.status();
    EXPECT_TRUE(splat->is_splat());
    EXPECT_EQ(splat->element_count(), 6);
    const Literal whole =
        Doubles(info.type, std::vector<double>(6, value), {2, 3});
    EXPECT_TRUE(*splat == whole && whole == *splat) << info.name;
    EXPECT_EQ(splat->Expanded()->bytes(), whole.bytes()) << info.name;
    EXPECT_EQ(splat->ToString(), whole.ToString()) << info.name;
    EXPECT_EQ(splat->AsDouble(5), whole.AsDouble(5)) << info.name;
    EXPECT_EQ(splat->AsDouble(6), 0);
    EXPECT_EQ(splat->AsDouble(-1), 0);
    const std::string wire = SerializeLiteralProto(*splat);
    EXPECT_TRUE(IsCanonical(WireMessage::kLiteralProto, wire)) << info.name;
    const absl::StatusOr<Literal> read = ParseLiteralProto(wire);
    ASSERT_TRUE(read.ok()) << info.name << read.status();
    EXPECT_TRUE(read->is_splat() && *read == *splat) << info.name;
    // What writers make of it is what XLA reads.
    EXPECT_EQ(*PlainLiteral(wire, nullptr), SerializeLiteralProto(whole))
        << info.name;
    EXPECT_EQ(PlainLiteralSize(wire), SerializeLiteralProto(whole).size());
  }
}

TEST(LiteralProtoTest, SplatsThatAreNone) {
  // One element, or none, isn't a splat.
  EXPECT_FALSE(Literal::Splat(ElementType::kF32, 2, {})->is_splat());
  EXPECT_FALSE(Literal::Splat(ElementType::kF32, 2, {1, 1})->is_splat());
  const Literal none = *Literal::Splat(ElementType::kF32, 2, {0, 5});
  EXPECT_EQ(none, Doubles(ElementType::kF32, {}, {0, 5}));
  EXPECT_EQ(SerializeLiteralProto(none),
            SerializeLiteralProto(Doubles(ElementType::kF32, {}, {0, 5})));
  EXPECT_FALSE(Literal::Splat(ElementType::kF32, 2, {-1}).ok());
  EXPECT_FALSE(Literal::Splat(ElementType::kS8, 200, {2}).ok());
  EXPECT_FALSE(
      Literal::Splat(ElementType::kF32, 0, {int64_t{1} << 55, 4}).ok());
  EXPECT_FALSE(
      Literal::Splat(ElementType::kF32, 0, {int64_t{1} << 40, int64_t{1} << 40})
          .ok());
  EXPECT_FALSE(Literal::Splat(Shape::Of(ElementType::kF32, {2}), "abc").ok());
  EXPECT_NE(*Literal::Splat(ElementType::kF32, 1, {2}),
            Doubles(ElementType::kF32, {1, 2}, {2}));
  const Literal large =
      *Literal::Splat(ElementType::kF32, 0, {int64_t{1} << 40});
  EXPECT_EQ(large.Expanded().status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(large.ToString(2), "{0, 0, ...}");
  EXPECT_EQ(large.ToString(int64_t{1} << 40), "{...}");
}

// Fields of ours that can't stand for values: bytes like any others, and an
// error for who wants the values.
TEST(LiteralProtoTest, MalformedCompactLiterals) {
  const std::string shape =
      "shape { element_type: F32 dimensions: 2 layout { minor_to_major: 0 } } ";
  for (const std::string& text :
       {shape + "splat: 'abc'", shape + "splat: 'abcde'",
        shape + "splat: 'abcd' f32s: [1, 2]",
        shape + "splat: 'abcd' external { size: 8 file: 'x' }",
        shape + "external { }", shape + "f32s: [1, 2] external { size: 8 }",
        shape + "external { size: 18446744073709551615 file: 'x' }",
        shape + "splat: 'abcd' s32s: [1, 2]", std::string("splat: 'abcd'"),
        std::string("shape { element_type: S32 dimensions: 2 } splat: "
                    "'\\200\\000'"),
        std::string("shape { element_type: S32 dimensions: 2 } splat: "
                    "'\\377\\377\\377\\377\\017'"),
        std::string("shape { element_type: F32 dimensions: 0 } splat: 'abcd'"),
        std::string("shape { element_type: TOKEN } splat: 'abcd'"),
        std::string("shape { element_type: F64 dimensions: 4611686018427387904 "
                    "} splat: 'abcdefgh'")}) {
    const std::string wire = LiteralWire(text);
    ASSERT_FALSE(wire.empty()) << text;
    const absl::StatusOr<Literal> literal = ParseLiteralProto(wire);
    EXPECT_EQ(literal.ok(), absl::StrContains(text, "TOKEN")) << text;
    if (!absl::StrContains(text, "s32s")) {
      EXPECT_FALSE(IsCompactLiteral(wire)) << text;
      EXPECT_EQ(PlainLiteralSize(wire), wire.size()) << text;
    }
  }
  const std::string outside =
      LiteralWire(shape + "external { file: 'x' offset: 64 size: 8 }");
  EXPECT_TRUE(IsCompactLiteral(outside));
  EXPECT_EQ(ParseLiteralProto(outside).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(PlainLiteralSize(outside),
            LiteralWire(shape + "f32s: [1, 2]").size());
}

TEST(LiteralProtoTest, WritesWhatXlaReads) {
  EXPECT_EQ(LiteralText(SerializeLiteralProto(
                Doubles(ElementType::kS32, {1, -2}, {2, 1}))),
            "shape { element_type: S32 dimensions: 2 dimensions: 1 layout { "
            "minor_to_major: 1 minor_to_major: 0 "
            "tail_padding_alignment_in_elements: 1 } is_dynamic_dimension: "
            "false is_dynamic_dimension: false } s32s: 1 s32s: -2 ");
  EXPECT_EQ(
      LiteralText(SerializeLiteralProto(Doubles(ElementType::kF16, {1}, {}))),
      "shape { element_type: F16 layout { "
      "tail_padding_alignment_in_elements: 1 } } f16s: \"\\000<\" ");
  EXPECT_EQ(SerializeLiteralProto(Literal()), "");
}

TEST(LiteralProtoTest, HonoursTheLayout) {
  // Column-major: the values go down first.
  const absl::StatusOr<Literal> matrix = ParseLiteralProto(LiteralWire(
      "shape { element_type: S8 dimensions: [2, 3] layout { minor_to_major: "
      "[0, 1] } } s8s: \"\\001\\004\\002\\005\\003\\006\""));
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(matrix->ToString(), "{ { 1, 2, 3 }, { 4, 5, 6 } }");
  EXPECT_FALSE(matrix->shape().has_layout_anywhere());
  // Rank 3, against the definition.
  const std::vector<int64_t> order = {1, 2, 0};
  const int64_t sizes[] = {2, 3, 4};
  proto::LiteralProto message;
  message.mutable_shape()->set_element_type(proto::S32);
  for (int64_t size : sizes) message.mutable_shape()->add_dimensions(size);
  for (int64_t dim : order) {
    message.mutable_shape()->mutable_layout()->add_minor_to_major(dim);
  }
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t k = 0; k < 4; ++k) {
      for (int64_t j = 0; j < 3; ++j) {
        message.add_s32s(static_cast<int32_t>(100 * i + 10 * j + k));
      }
    }
  }
  const absl::StatusOr<Literal> cube =
      ParseLiteralProto(DeterministicBytes(message));
  ASSERT_TRUE(cube.ok()) << cube.status();
  for (int64_t i = 0; i < 24; ++i) {
    EXPECT_EQ(cube->AsDouble(i), 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
  }
}

TEST(LiteralProtoTest, ReadsTuplesAndBoundedShapes) {
  const Literal tuple =
      Literal::Tuple({Literal::Vector({1, 2}),
                      Literal::Tuple({Doubles(ElementType::kPred, {1}, {})})});
  const absl::StatusOr<Literal> read =
      ParseLiteralProto(SerializeLiteralProto(tuple));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(*read == tuple);

  const std::string bounded = LiteralWire(
      "shape { element_type: U8 dimensions: [3] is_dynamic_dimension: [true] "
      "layout { minor_to_major: 0 tail_padding_alignment_in_elements: 1 } } "
      "u8s: \"abc\" dynamic_sizes: 2");
  const absl::StatusOr<Literal> dynamic = ParseLiteralProto(bounded);
  ASSERT_TRUE(dynamic.ok()) << dynamic.status();
  EXPECT_EQ(dynamic->shape().ToString(), "u8[<=3]");
  EXPECT_EQ(dynamic->dynamic_sizes().size(), 1u);
  EXPECT_EQ(dynamic->dynamic_sizes()[0], 2);
  EXPECT_EQ(SerializeLiteralProto(*dynamic), bounded);
}

TEST(LiteralProtoTest, RefusesWhatDoesNotMatch) {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"", "no shape"},
      {"f32s: 1", "no shape"},
      {"shape { element_type: 77 }", ""},
      {"shape { element_type: F32 dimensions: 2 } f32s: 1",
       "has 2 elements, but there are 1 values"},
      {"shape { element_type: F32 dimensions: 2 } f32s: [1, 2, 3]", "3 values"},
      {"shape { element_type: F32 dimensions: 2 } s32s: [1, 2]",
       "field 4 holds values"},
      {"shape { element_type: F32 } f32s: 1 u8s: \"a\"",
       "field 3 holds values"},
      {"shape { element_type: F16 dimensions: 1 } f16s: \"abc\"", "cut short"},
      {"shape { element_type: S32 dimensions: [1000000000, 1000000000] }",
       "there are 0 values"},
      {"shape { element_type: S32 dimensions: [4611686018427387904, 4] }",
       "can't have values"},
      {"shape { element_type: S32 dimensions: -9223372036854775808 "
       "is_dynamic_dimension: true }",
       "can't have values"},
      {"shape { element_type: OPAQUE_TYPE }", "can't have values"},
      {"shape { element_type: TUPLE tuple_shapes { element_type: F32 } }",
       "a tuple of 1 has 0 elements"},
      {"shape { element_type: TUPLE tuple_shapes { element_type: F32 } } "
       "tuple_literals { shape { element_type: S32 } s32s: 1 }",
       "tuple element 0 is no f32[]"},
      {"shape { element_type: TUPLE tuple_shapes { element_type: F32 } } "
       "tuple_literals { shape { element_type: F32 } }",
       "there are 0 values"},
      {"shape { element_type: U8 dimensions: 3 is_dynamic_dimension: true } "
       "u8s: \"abc\" dynamic_sizes: 4",
       "dynamic_sizes[0] is 4"},
      {"shape { element_type: U8 dimensions: 3 is_dynamic_dimension: true } "
       "u8s: \"abc\" dynamic_sizes: [1, 1]",
       "needs 1 dynamic_sizes"},
  };
  for (const Case& c : cases) {
    const absl::StatusOr<Literal> literal =
        ParseLiteralProto(LiteralWire(c.text));
    ASSERT_FALSE(literal.ok()) << c.text;
    EXPECT_EQ(literal.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(literal.status().message()), HasSubstr(c.message));
    EXPECT_FALSE(IsPlain(LiteralWire(c.text))) << c.text;
  }
}

TEST(LiteralProtoTest, ManyDimensionsOfOneCostNothing) {
  proto::LiteralProto message;
  message.mutable_shape()->set_element_type(proto::U8);
  constexpr int kRank = 20000;
  for (int i = 0; i < kRank; ++i) {
    message.mutable_shape()->add_dimensions(i == 0 ? 20000 : 1);
    message.mutable_shape()->mutable_layout()->add_minor_to_major(i);
  }
  message.set_u8s(std::string(20000, 'x'));
  EXPECT_TRUE(ParseLiteralProto(DeterministicBytes(message)).ok());
}

TEST(LiteralProtoTest, DamagedBytesAreSafe) {
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    proto::LiteralProto message;
    FillAtRandom(3, &random, &message);
    const std::string bytes = Damage(DeterministicBytes(message), &random);
    const absl::StatusOr<Literal> literal = ParseLiteralProto(bytes);
    if (literal.ok()) literal->ToString();
  }
}

// What is told of a literal without reading its values holds once they are
// read: of every element type, whole and damaged.
TEST(LiteralProtoTest, PlainOnesCanBeRead) {
  Random random(6);
  int plain = 0;
  for (const ElementTypeInfo& info : AllElementTypes()) {
    const std::string whole = SerializeLiteralProto(SixValues(info));
    for (int i = 0; i < 1000; ++i) {
      const std::string bytes = Damage(whole, &random);
      if (!IsCanonical(WireMessage::kLiteralProto, bytes) || !IsPlain(bytes)) {
        continue;
      }
      ++plain;
      const absl::StatusOr<Literal> literal = ParseLiteralProto(bytes);
      EXPECT_TRUE(literal.ok()) << info.name << literal.status();
    }
  }
  EXPECT_GT(plain, 1000);
}

}  // namespace
}  // namespace indim
