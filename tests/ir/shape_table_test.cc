// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/shape_table.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/shape/types/shape.h"
#include "indim/tests/parsed_shape.h"

namespace indim {
namespace {

TEST(ShapeTableTest, NoShapeIsZero) {
  ShapeTable table;
  EXPECT_EQ(table.Intern(Shape()), ShapeId());
  EXPECT_TRUE(table.shape(ShapeId()).is_none());
  EXPECT_EQ(table.structure(ShapeId()), StructureId());
  EXPECT_EQ(table.wire(ShapeId()), "");
}

TEST(ShapeTableTest, EqualShapesHaveOneId) {
  ShapeTable table;
  const ShapeId a = table.Intern(S("f32[2,<=3,?]"));
  EXPECT_EQ(table.Intern(S("f32[2,<=3,?]")), a);
  EXPECT_NE(table.Intern(S("f32[2,3,?]")), a);
  EXPECT_EQ(table.shape(a), S("f32[2,<=3,?]"));
  EXPECT_EQ(table.wire(a), SerializeShapeProto(S("f32[2,<=3,?]")));
}

// Shapes that differ in one place only, each interned three times.
TEST(ShapeTableTest, EachPartOfAShapeCounts) {
  const std::vector<std::string> texts = {
      "f32[2,3]",
      "f16[2,3]",
      "f32[3,2]",
      "f32[<=2,3]",
      "f32[2,3]{1,0}",
      "f32[2,3]{0,1}",
      "f32[2,3]{1,0:S(5)}",
      "f32[2,3]{1,0:T(8,128)}",
      "f32[2,3]{1,0:T(8,128)(2,1)}",
      "f32[*]",
      "f32[]",
      "()",
      "(f32[2,3])",
      "((f32[2,3]))",
      "(f32[2,3], ())",
      "((f32[2,3], f32[]))",
      "((f32[2,3]), f32[])",
      "(f32[2,3], f32[])",
      "(f32[], f32[2,3])",
      "token[]",
      "opaque[]",
  };
  ShapeTable table;
  std::vector<ShapeId> ids;
  for (const std::string& text : texts) ids.push_back(table.Intern(S(text)));
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(table.Intern(S(texts[i])), ids[i]) << texts[i];
    EXPECT_EQ(table.Intern(S(texts[i])), ids[i]) << texts[i];
    EXPECT_EQ(table.shape(ids[i]), S(texts[i]));
    for (size_t k = 0; k < i; ++k) EXPECT_NE(ids[k], ids[i]) << texts[i];
  }
  EXPECT_EQ(table.size(), texts.size() + 1);
}

TEST(ShapeTableTest, LayoutsShareAStructure) {
  ShapeTable table;
  const ShapeId row = table.Intern(S("(f32[2,3]{1,0}, s32[])"));
  const ShapeId column = table.Intern(S("(f32[2,3]{0,1}, s32[])"));
  const ShapeId plain = table.Intern(S("(f32[2,3], s32[])"));
  EXPECT_NE(row, column);
  EXPECT_NE(row, plain);
  EXPECT_EQ(table.structure(row), table.structure(column));
  EXPECT_EQ(table.structure(row), table.structure(plain));
  EXPECT_NE(table.structure(row),
            table.structure(table.Intern(S("(f32[2,3])"))));
}

// Whichever of them comes first, and whatever comes before.
TEST(ShapeTableTest, StructuresAreOneInAnyOrder) {
  const std::vector<std::string> texts = {
      "f32[2,3]{1,0}", "f32[2,3]",        "f32[2,3]{0,1}", "(f32[2,3])",
      "f32[3,2]",      "(f32[2,3]{0,1})", "f32[2,3,1]",    "s32[2,3]{1,0}",
      "f32[*]",        "f32[]",           "f32[2,<=3]",    "token[]"};
  for (size_t first = 0; first < texts.size(); ++first) {
    ShapeTable table;
    for (size_t k = 0; k < texts.size(); ++k) {
      table.Intern(S(texts[(first + k) % texts.size()]));
    }
    for (const std::string& a : texts) {
      for (const std::string& b : texts) {
        EXPECT_EQ(table.structure(table.Intern(S(a))) ==
                      table.structure(table.Intern(S(b))),
                  SameStructure(S(a), S(b)))
            << a << ", " << b << ", from " << texts[first];
      }
    }
  }
}

TEST(ShapeTableTest, OurSpellingFromWireIsTheInternedOne) {
  ShapeTable table;
  const std::string wire = SerializeShapeProto(S("f32[4]{0}"));
  const ShapeId read = *table.InternWire(wire);
  EXPECT_EQ(table.Intern(S("f32[4]{0}")), read);
  EXPECT_EQ(table.FindWire(wire), read);

  const ShapeId made = table.Intern(S("s8[9]"));
  EXPECT_EQ(*table.InternWire(SerializeShapeProto(S("s8[9]"))), made);
}

TEST(ShapeTableTest, OtherSpellingsAreKept) {
  ShapeTable table;
  // f32[4] without the flag that our writer gives every dim.
  const std::string bare("\x10\x0b\x1a\x01\x04", 5);
  const ShapeId ours = table.Intern(S("f32[4]"));
  const ShapeId theirs = *table.InternWire(bare);
  EXPECT_NE(theirs, ours);
  EXPECT_EQ(table.shape(theirs), table.shape(ours));
  EXPECT_EQ(table.structure(theirs), table.structure(ours));
  EXPECT_EQ(table.wire(theirs), bare);
  EXPECT_EQ(*table.InternWire(bare), theirs);
  // An unknown field.
  const std::string unknown = bare + std::string("\x98\x06\x01", 3);
  const ShapeId more = *table.InternWire(unknown);
  EXPECT_EQ(table.wire(more), unknown);
  EXPECT_EQ(table.structure(more), table.structure(ours));
}

TEST(ShapeTableTest, PresentButEmptyIsNotAbsent) {
  ShapeTable table;
  const ShapeId empty = *table.InternWire("");
  EXPECT_NE(empty, ShapeId());
  EXPECT_TRUE(table.shape(empty).is_none());
  EXPECT_EQ(table.structure(empty), StructureId());
  EXPECT_EQ(*table.InternWire(""), empty);
}

TEST(ShapeTableTest, RefusesWhatIsNoShape) {
  ShapeTable table;
  const size_t size = table.size();
  EXPECT_FALSE(table.InternWire("\x10\x63").ok());
  EXPECT_EQ(table.FindWire("\x10\x63"), ShapeId());
  EXPECT_EQ(table.size(), size);
}

TEST(ShapeTableTest, CopiesKeepIdsAndGrowApart) {
  ShapeTable table;
  const ShapeId a = table.Intern(S("f32[2]{0}"));
  ShapeTable copy(table);
  EXPECT_EQ(copy.Intern(S("f32[2]{0}")), a);
  const ShapeId b = table.Intern(S("s32[]"));
  const ShapeId c = copy.Intern(S("pred[7]"));
  EXPECT_EQ(b, c);
  EXPECT_EQ(table.shape(b), S("s32[]"));
  EXPECT_EQ(copy.shape(c), S("pred[7]"));
  EXPECT_EQ(copy.wire(a), table.wire(a));
}

TEST(ShapeTableTest, ReferencesStayValid) {
  ShapeTable table;
  const ShapeId first = table.Intern(S("f32[1]"));
  const Shape* shape = &table.shape(first);
  for (int i = 2; i < 5000; ++i)
    table.Intern(Shape::Of(ElementType::kF32, {i}));
  EXPECT_EQ(shape, &table.shape(first));
  EXPECT_EQ(*shape, S("f32[1]"));
}

}  // namespace
}  // namespace indim
