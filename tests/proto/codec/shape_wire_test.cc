// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/shape_wire.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "indim/proto/wire/canonical.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/xla_data.pb.h"
#include "indim/shape/types/shape.h"
#include "indim/tests/parsed_shape.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// Canonical ShapeProto bytes from text format.
template <typename Proto = proto::ShapeProto>
std::string Wire(const std::string& text) {
  Proto message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message))
      << text;
  return message.SerializeAsString();
}

// Every shape comes back, its bytes are canonical and stay the same.
TEST(ShapeWireTest, ShapesComeBack) {
  for (const char* text : {
           "f32[]",
           "f32[2,3]",
           "pred[0]",
           "s64[9223372036854775807]",
           "f32[2,<=3,?]",
           "f32[<=0,<=1]",
           "f32[2..5,3..,4]",
           "bf16[*]",
           "f32[2,3]{1,0}",
           "f32[2,3]{0,1}",
           "f32[128,256]{1,0:T(8,128)}",
           "bf16[128,256]{1,0:T(8,128)(2,1)}",
           "s4[16]{0:E(4)}",
           "f32[16]{0:S(1)}",
           "()",
           "(f32[2], s32[])",
           "((f32[2]{0}, ()), token[], opaque[])",
           "token[]",
           "opaque[]",
           "b(f32[2])",
           "c128[1,1,1,1,1,1,1]",
       }) {
    const Shape shape = S(text);
    const std::string wire = SerializeShapeProto(shape);
    EXPECT_TRUE(IsCanonical(WireMessage::kShapeProto, wire)) << text;
    absl::StatusOr<Shape> back = ParseShapeProto(wire);
    ASSERT_TRUE(back.ok()) << text << ": " << back.status();
    EXPECT_EQ(*back, shape) << text;
  }
}

TEST(ShapeWireTest, AllElementTypes) {
  for (const ElementTypeInfo& info : AllElementTypes()) {
    const Shape shape = Shape::Of(info.type, {2});
    proto::ShapeProto message;
    ASSERT_TRUE(message.ParseFromString(SerializeShapeProto(shape)));
    EXPECT_EQ(message.element_type(), static_cast<int>(info.type));
    EXPECT_EQ(*ParseShapeProto(message.SerializeAsString()), shape);
  }
}

// What XLA's writer makes of a shape.
TEST(ShapeWireTest, SpellsAsXla) {
  EXPECT_EQ(
      SerializeShapeProto(S("s32[2,64]{1,0}")),
      Wire("element_type: S32 dimensions: [2, 64] layout { minor_to_major:"
           " [1, 0] tail_padding_alignment_in_elements: 1 }"
           " is_dynamic_dimension: [false, false]"));
  EXPECT_EQ(SerializeShapeProto(S("f32[<=4,?]")),
            Wire("element_type: F32 dimensions: [4, -9223372036854775808]"
                 " is_dynamic_dimension: [true, true]"));
  EXPECT_EQ(SerializeShapeProto(S("(f32[], token[])")),
            Wire("element_type: TUPLE tuple_shapes { element_type: F32 }"
                 " tuple_shapes { element_type: TOKEN }"));
  EXPECT_EQ(SerializeShapeProto(Shape()), "");
}

// In our own fields, and so that XLA refuses them.
TEST(ShapeWireTest, SpellsWhatXlaCannot) {
  EXPECT_EQ(SerializeShapeProto(S("f32[7,2..5,3..]")),
            Wire("element_type: F32"
                 " dimensions: [7, -9223372036854775808, -9223372036854775808]"
                 " is_dynamic_dimension: [false, false, false]"
                 " dim_intervals { dimension: 1 lower: 2 upper: 5 }"
                 " dim_intervals { dimension: 2 lower: 3 }"));
  EXPECT_EQ(SerializeShapeProto(S("f32[*]")),
            Wire("element_type: F32 is_dynamic_dimension: true"
                 " unranked: true"));
}

TEST(ShapeWireTest, ReadsOtherSpellings) {
  const struct {
    const char* proto;
    const char* shape;
  } kCases[] = {
      {"element_type: F32 dimensions: [2, 3]", "f32[2,3]"},
      {"element_type: F32 unranked: true", "f32[*]"},
      {"element_type: F32 dimensions: 0 dim_intervals { lower: 2 upper: 5 }",
       "f32[2..5]"},
      {"element_type: F32 dimensions: 9 dim_intervals { lower: 4 upper: 4 }",
       "f32[4]"},
      {"element_type: F32 dimensions: 9 dim_intervals { }", "f32[?]"},
      {"element_type: F32 dimensions: 9 dim_intervals { upper: 0 }", "f32[0]"},
      {"element_type: F32 dimensions: 9 dim_intervals { upper: 3 }",
       "f32[<=3]"},
      {"element_type: F32 dimensions: 4 layout { minor_to_major: 0 }",
       "f32[4]{0}"},
      {"element_type: F32 dimensions: 4 layout { minor_to_major: 0"
       " dim_level_types: DIM_DENSE dim_unique: true dim_ordered: true }",
       "f32[4]{0}"},
  };
  for (const auto& c : kCases) {
    absl::StatusOr<Shape> shape = ParseShapeProto(Wire(c.proto));
    ASSERT_TRUE(shape.ok()) << c.proto << ": " << shape.status();
    EXPECT_EQ(*shape, S(c.shape)) << c.proto;
  }
  EXPECT_TRUE(ParseShapeProto("")->is_none());

  Shape scalar = S("f32[]");
  scalar.set_layout(Layout());
  const std::string wire = Wire("element_type: F32 layout { }");
  EXPECT_EQ(*ParseShapeProto(wire), scalar);
}

TEST(ShapeWireTest, ArraysComeBack) {
  for (const char* text :
       {"f32[]", "pred[0]", "s64[9223372036854775807]", "f32[2,300,70000]",
        "f32[2,3]{1,0}", "f32[2,3]{0,1}", "u4[5,0,1]{1,2,0}",
        "c128[1,2,3,4,5,6,7,8]{0,1,2,3,4,5,6,7}", "f32[1,1,1,1,1,1,1,1,1]",
        "f32[2]{0:S(1)}", "f32[8]{0:T(8)}", "f32[<=2]", "f32[?]", "f32[2..5]",
        "f32[*]", "(f32[2])"}) {
    const Shape shape = S(text);
    const absl::StatusOr<Shape> back =
        ParseShapeProto(SerializeShapeProto(shape));
    ASSERT_TRUE(back.ok()) << text;
    EXPECT_EQ(*back, shape) << text;
  }
}

TEST(ShapeWireTest, RefusesWhatIsNoShape) {
  const struct {
    const char* proto;
    const char* error;
  } kCases[] = {
      {"element_type: 99", "unknown element type 99"},
      {"element_type: -1", "unknown element type -1"},
      {"dimensions: 1", "no element type"},
      {"element_type: F32 dimensions: -1", "has the size -1"},
      {"element_type: F32 dimensions: [4, -2] is_dynamic_dimension: [true,"
       " true]",
       "dimension 1 has the size -2"},
      {"element_type: F32 dimensions: -9223372036854775808", "has the size"},
      {"element_type: F32 dimensions: -9223372036854775808"
       " is_dynamic_dimension: false",
       "has the size"},
      {"element_type: F32 dimensions: 9223372036854775807"
       " is_dynamic_dimension: true",
       "has the bound"},
      {"element_type: F32 dimensions: [1, 2] is_dynamic_dimension: true",
       "rank 2 has 1 is_dynamic_dimension"},
      {"element_type: F32 is_dynamic_dimension: true", "rank 0 has 1"},
      {"element_type: F32 dimensions: 2 layout { }", "not a permutation"},
      {"element_type: F32 dimensions: [2, 3]"
       " layout { minor_to_major: [0, 0] }",
       "not a permutation"},
      {"element_type: F32 dimensions: [2, 3]"
       " layout { minor_to_major: [2, 0] }",
       "not a permutation"},
      {"element_type: F32 dimensions: [2, 3]"
       " layout { minor_to_major: [-1, 0] }",
       "not a permutation"},
      {"element_type: F32 dimensions: 2"
       " layout { minor_to_major: 0 tiles { dimensions: 0 } }",
       "a tile of a layout has the size 0"},
      {"element_type: F32 dimensions: 2"
       " layout { minor_to_major: 0 physical_shape { } }",
       "physical shape"},
      {"element_type: F32 dimensions: 2"
       " layout { minor_to_major: 0 index_primitive_type: S32 }",
       "index or pointer type"},
      {"element_type: TUPLE layout { }", "not an array has a layout"},
      {"element_type: TOKEN layout { }", "not an array has a layout"},
      {"element_type: TUPLE tuple_shapes { }", "has no shape"},
      {"element_type: BUFFER", "0 shapes"},
      {"element_type: BUFFER tuple_shapes { element_type: TOKEN }",
       "is not an array"},
      {"element_type: F32 dimensions: 2 unranked: true", "unranked"},
      {"element_type: F32 dim_intervals { lower: 1 }", "dimension 0 of 0"},
      {"element_type: F32 dimensions: 1 dim_intervals { lower: 5 upper: 2 }",
       "an interval from 5"},
      {"element_type: F32 dimensions: 1 dim_intervals { lower: -1 }",
       "an interval from -1"},
      {"element_type: F32 dimensions: 1 dim_intervals { lower: 1 }"
       " dim_intervals { lower: 2 }",
       "each may have one"},
  };
  for (const auto& c : kCases) {
    absl::StatusOr<Shape> shape = ParseShapeProto(Wire(c.proto));
    ASSERT_FALSE(shape.ok()) << c.proto;
    EXPECT_EQ(shape.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(shape.status().message()), HasSubstr(c.error))
        << c.proto;
  }
}

TEST(ShapeWireTest, RefusesDeepNesting) {
  std::string wire = SerializeShapeProto(S("f32[]"));
  proto::ShapeProto tuple;
  for (int depth = 1; depth <= 300; ++depth) {
    std::string next("\x10\x0d\x22", 3);
    AppendLengthDelimited(wire, &next);
    wire = next;
    EXPECT_EQ(ParseShapeProto(wire).ok(), depth <= Shape::kMaxTupleDepth)
        << depth;
  }
}

TEST(ShapeWireTest, TruncatedBytesAreErrorsOrShapes) {
  const std::string wire = SerializeShapeProto(
      S("((f32[2,<=3]{1,0:T(8,128)}, bf16[*]), s32[2..5])"));
  for (size_t size = 0; size < wire.size(); ++size) {
    ParseShapeProto(wire.substr(0, size)).IgnoreError();
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = wire;
      flipped[size] = static_cast<char>(flipped[size] ^ (1 << bit));
      ParseShapeProto(flipped).IgnoreError();
    }
  }
}

// A field of a message or a string.
std::string Field(uint32_t number, absl::string_view bytes) {
  std::string wire;
  AppendTag(number, WireType::kLengthDelimited, &wire);
  AppendLengthDelimited(bytes, &wire);
  return wire;
}

TEST(ShapeWireTest, ProgramShapes) {
  const Shape x = S("f32[2]{0}"), y = S("s32[]"), result = S("(f32[2]{0})");
  const std::string wire = absl::StrCat(
      Field(1, SerializeShapeProto(x)), Field(1, SerializeShapeProto(y)),
      Field(2, SerializeShapeProto(result)), Field(3, "x"), Field(3, "y"));
  EXPECT_TRUE(IsCanonical(WireMessage::kProgramShapeProto, wire));
  absl::StatusOr<ProgramShape> program = ParseProgramShapeProto(wire);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_THAT(program->parameters, testing::ElementsAre(x, y));
  EXPECT_THAT(program->names, testing::ElementsAre("x", "y"));
  EXPECT_EQ(program->result, result);

  EXPECT_FALSE(ParseProgramShapeProto(Field(1, SerializeShapeProto(x))).ok());
  EXPECT_FALSE(ParseProgramShapeProto(Wire<proto::ProgramShapeProto>(
                                          "parameters { element_type: 99 }"
                                          " parameter_names: 'x'"))
                   .ok());
}

}  // namespace
}  // namespace indim
