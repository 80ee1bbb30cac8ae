// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/shape.h"

#include <cstdint>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/hash/hash_testing.h"
#include "gtest/gtest.h"
#include "indim/tests/parsed_shape.h"

namespace indim {
namespace {

constexpr ElementType kF32 = ElementType::kF32;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// A tuple around a tuple ... around an array, `levels` in all.
Shape Nested(int levels) {
  Shape shape = Shape::Scalar(kF32);
  for (int i = 0; i < levels; ++i) shape = Shape::Tuple({shape});
  return shape;
}

TEST(Shape, KindsAnswerForThemselvesOnly) {
  struct Case {
    Shape shape;
    const char* text;
    Shape::Kind kind;
    int rank, elements, depth;
  };
  const Case cases[] = {
      {Shape(), "none", Shape::Kind::kNone, 0, 0, 0},
      {Shape::Of(kF32, {2, 3}), "f32[2,3]", Shape::Kind::kArray, 2, 0, 0},
      {Shape::Of(kF32, {-4}), "f32[0]", Shape::Kind::kArray, 1, 0, 0},
      {Shape::Scalar(kF32), "f32[]", Shape::Kind::kArray, 0, 0, 0},
      {Shape::Unranked(kF32), "f32[*]", Shape::Kind::kArray, 0, 0, 0},
      {Shape::Tuple({}), "()", Shape::Kind::kTuple, 0, 0, 1},
      {Shape::Tuple({Shape::Token(), Shape::Scalar(kF32)}), "(token[], f32[])",
       Shape::Kind::kTuple, 0, 2, 1},
      {Shape::Token(), "token[]", Shape::Kind::kToken, 0, 0, 0},
      {Shape::Opaque(), "opaque[]", Shape::Kind::kOpaque, 0, 0, 0},
      {Shape::Buffer(Shape::Of(kF32, {2})), "b(f32[2])", Shape::Kind::kBuffer,
       0, 1, 1},
      {Shape::Tuple({Shape::Tuple({}), Shape::Buffer(Shape::Scalar(kF32))}),
       "((), b(f32[]))", Shape::Kind::kTuple, 0, 2, 2},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(c.shape.ToString(), c.text);
    EXPECT_EQ(c.shape.kind(), c.kind);
    EXPECT_EQ(c.shape.rank(), c.rank);
    EXPECT_EQ(c.shape.dims().size(), static_cast<size_t>(c.rank));
    EXPECT_EQ(c.shape.tuple_size(), c.elements);
    EXPECT_EQ(c.shape.depth(), c.depth);
    EXPECT_EQ(c.shape.is_none(), c.kind == Shape::Kind::kNone);
    EXPECT_EQ(c.shape.is_array(), c.kind == Shape::Kind::kArray);
    EXPECT_EQ(c.shape.is_tuple(), c.kind == Shape::Kind::kTuple);
    EXPECT_EQ(c.shape.is_token(), c.kind == Shape::Kind::kToken);
    EXPECT_EQ(c.shape.is_opaque(), c.kind == Shape::Kind::kOpaque);
    EXPECT_EQ(c.shape.is_buffer(), c.kind == Shape::Kind::kBuffer);
    EXPECT_EQ(c.shape.element_type(),
              c.shape.is_array() ? kF32 : ElementType::kInvalid);
    std::ostringstream out;
    out << c.shape;
    EXPECT_EQ(out.str(), c.text);
    for (const Case& other : cases) {
      EXPECT_EQ(c.shape == other.shape, &c == &other) << other.text;
      EXPECT_EQ(SameStructure(c.shape, other.shape), &c == &other);
    }
  }
}

TEST(Shape, WhatCannotBeIsNone) {
  EXPECT_TRUE(Shape::Tuple({Shape::Token(), Shape()}).is_none());
  EXPECT_TRUE(Shape::Buffer(Shape::Token()).is_none());
  EXPECT_TRUE(Shape::Buffer(Shape::Tuple({})).is_none());
  EXPECT_TRUE(Shape::Buffer(Shape()).is_none());
}

TEST(Shape, TuplesNestToTheLimitAndNoDeeper) {
  const Shape deepest = Nested(Shape::kMaxTupleDepth);
  EXPECT_EQ(deepest.depth(), Shape::kMaxTupleDepth);
  EXPECT_TRUE(deepest.is_tuple());
  EXPECT_TRUE(Shape::Tuple({deepest}).is_none());
  EXPECT_TRUE(Shape::Tuple({Shape::Token(), deepest}).is_none());
  // A buffer is a level too.
  Shape shape = Shape::Buffer(Shape::Scalar(kF32));
  for (int i = 1; i < Shape::kMaxTupleDepth; ++i) shape = Shape::Tuple({shape});
  EXPECT_EQ(shape.depth(), Shape::kMaxTupleDepth);
  EXPECT_TRUE(Shape::Tuple({shape}).is_none());
}

TEST(Shape, CopiesShareTheirElements) {
  const Shape tuple =
      Shape::Tuple(std::vector<Shape>(100000, Shape::Of(kF32, {2, 3})));
  const Shape copy = tuple;  // NOLINT: the copy is the point
  EXPECT_EQ(copy.elements().data(), tuple.elements().data());
  EXPECT_EQ(copy, tuple);
  // Nothing to strip: shared too.
  EXPECT_EQ(tuple.WithoutLayout().elements().data(), tuple.elements().data());
}

TEST(Shape, DimsCanBeChanged) {
  Shape shape = Shape::Scalar(kF32);
  shape.add_dim(Dim::Static(2));
  shape.add_dim(Dim::Unknown());
  shape.set_dim(0, Dim::Bounded(4));
  shape.set_element_type(ElementType::kS8);
  EXPECT_EQ(shape, S("s8[<=4,?]"));
}

TEST(Shape, StaticAndUnbounded) {
  struct Case {
    const char* text;
    bool is_static, unbounded;
  };
  for (const Case& c : std::vector<Case>{
           {"f32[]", true, false},
           {"f32[2,0]", true, false},
           {"f32[9223372036854775807]", true, false},
           {"f32[2,<=3]", false, false},
           {"f32[2,?]", false, true},
           {"f32[2..5]", false, false},
           {"f32[2..]", false, true},
           {"f32[*]", false, false},
           {"token[]", true, false},
           {"()", true, false},
           {"(f32[2], (s32[?]))", false, true},
           {"(f32[2], (s32[<=1]))", false, false},
           {"b(f32[?])", false, true},
       }) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(S(c.text).is_static(), c.is_static);
    EXPECT_EQ(S(c.text).is_unbounded(), c.unbounded);
  }
}

TEST(Shape, ElementCount) {
  struct Case {
    const char* text;
    std::optional<int64_t> count;
  };
  for (const Case& c : std::vector<Case>{
           {"f32[]", 1},
           {"f32[2,3,4]", 24},
           {"f32[2,<=3]", 6},
           {"f32[2..5,2]", 10},
           {"f32[2,?]", std::nullopt},
           {"f32[0,?]", std::nullopt},
           {"f32[2..]", std::nullopt},
           {"f32[*]", std::nullopt},
           {"()", std::nullopt},
           {"token[]", std::nullopt},
           {"f32[9223372036854775807]", kMax},
           {"f32[4611686018427387904,2]", std::nullopt},
           {"f32[4611686018427387904,2,0]", 0},
           {"f32[0,9223372036854775807,9223372036854775807]", 0},
           {"f32[3037000499,3037000499]", int64_t{3037000499} * 3037000499},
           {"f32[3037000500,3037000500]", std::nullopt},
       }) {
    EXPECT_EQ(S(c.text).ElementCount(), c.count) << c.text;
  }
}

TEST(Shape, CompatibleDims) {
  struct Case {
    const char* a;
    const char* b;
    bool compatible;
  };
  for (const Case& c : std::vector<Case>{
           {"4", "4", true},        {"4", "5", false},
           {"4", "<=4", true},      {"4", "<=5", false},
           {"<=4", "<=4", true},    {"<=4", "<=5", false},
           {"0", "<=0", true},      {"1", "<=1", true},
           {"?", "0", true},        {"?", "4", true},
           {"?", "<=4", true},      {"?", "?", true},
           {"?", "2..5", true},     {"2..5", "2", true},
           {"2..5", "5", true},     {"2..5", "6", false},
           {"2..5", "1", false},    {"2..5", "<=2", true},
           {"2..5", "<=1", false},  {"2..5", "5..9", true},
           {"2..5", "6..9", false}, {"2..", "1000", true},
           {"2..", "1", false},     {"2..", "7..", true},
       }) {
    SCOPED_TRACE(testing::Message() << c.a << " with " << c.b);
    EXPECT_EQ(CompatibleDims(*Dim::Parse(c.a), *Dim::Parse(c.b)), c.compatible);
    EXPECT_EQ(CompatibleDims(*Dim::Parse(c.b), *Dim::Parse(c.a)), c.compatible);
  }
}

TEST(Shape, CompatibleShapes) {
  struct Case {
    const char* a;
    const char* b;
    bool same, compatible, ignoring_precision;
  };
  for (const Case& c : std::vector<Case>{
           {"f32[2,3]", "f32[2,3]{0,1}", true, true, true},
           {"f32[2,3]", "f32[2,<=3]", false, true, true},
           {"f32[2,3]", "f32[?,3]", false, true, true},
           {"f32[2,3]", "bf16[?,3]", false, false, true},
           {"f32[2]", "s32[2]", false, false, false},
           {"c64[2]", "c128[2]", false, false, false},
           {"f32[2,3]", "f32[2]", false, false, false},
           {"f32[2,3]", "f32[*]", false, true, true},
           {"f32[*]", "f32[*]", true, true, true},
           {"f32[]", "f32[*]", false, true, true},
           {"s32[*]", "f32[*]", false, false, false},
           {"(f32[2], s32[])", "(f32[?], s32[])", false, true, true},
           {"(f32[2], s32[])", "(f32[2])", false, false, false},
           {"(f32[2])", "(f16[2])", false, false, true},
           {"(f32[2])", "f32[2]", false, false, false},
           {"()", "()", true, true, true},
           {"()", "token[]", false, false, false},
           {"token[]", "opaque[]", false, false, false},
           {"b(f32[2])", "b(f32[?])", false, true, true},
           {"b(f32[2])", "(f32[2])", false, false, false},
       }) {
    SCOPED_TRACE(testing::Message() << c.a << " with " << c.b);
    for (auto [a, b] : {std::pair(S(c.a), S(c.b)), std::pair(S(c.b), S(c.a))}) {
      EXPECT_EQ(SameStructure(a, b), c.same);
      EXPECT_EQ(Compatible(a, b), c.compatible);
      EXPECT_EQ(CompatibleIgnoringFloatPrecision(a, b), c.ignoring_precision);
    }
  }
}

TEST(Shape, Layouts) {
  Shape shape = Shape::Of(kF32, {2, 3});
  EXPECT_EQ(shape.layout(), nullptr);
  EXPECT_EQ(shape.WithDefaultLayout().ToString(), "f32[2,3]{1,0}");
  EXPECT_EQ(*shape.WithDefaultLayout().layout(), Layout::RowMajor(2));
  Layout layout;
  layout.minor_to_major = {0, 1};
  shape.set_layout(layout);
  EXPECT_EQ(shape.ToString(), "f32[2,3]{0,1}");
  EXPECT_NE(shape, Shape::Of(kF32, {2, 3})) << "layouts count";
  EXPECT_EQ(shape.WithDefaultLayout(), shape) << "a layout stays";
  EXPECT_EQ(shape.WithoutLayout(), Shape::Of(kF32, {2, 3}));

  const Shape tuple =
      S("(f32[2]{0}, (s32[3,4], b(f32[5]{0}), token[]), f32[*])");
  EXPECT_TRUE(tuple.has_layout_anywhere());
  EXPECT_EQ(tuple.WithoutLayout().ToString(),
            "(f32[2], (s32[3,4], b(f32[5]), token[]), f32[*])");
  EXPECT_FALSE(tuple.WithoutLayout().has_layout_anywhere());
  EXPECT_EQ(tuple.WithDefaultLayout().ToString(),
            "(f32[2]{0}, (s32[3,4]{1,0}, b(f32[5]{0}), token[]), f32[*])");
  EXPECT_TRUE(SameStructure(tuple, tuple.WithoutLayout()));

  for (Shape other : {Shape(), Shape::Token(), Shape::Unranked(kF32),
                      Shape::Tuple({}), Shape::Buffer(Shape::Scalar(kF32))}) {
    other.set_layout(Layout());
    EXPECT_EQ(other.layout(), nullptr) << other;
  }
  EXPECT_TRUE(Layout::RowMajor(-1).minor_to_major.empty());
  EXPECT_TRUE(Shape::Scalar(kF32).WithDefaultLayout().has_layout_anywhere());
  EXPECT_EQ(S("(f32[], (s32[3], b(f32[])))").WithScalarLayouts(),
            Shape::Tuple({S("f32[]").WithDefaultLayout(),
                          Shape::Tuple({S("s32[3]"),
                                        S("b(f32[])").WithDefaultLayout()})}));
}

TEST(Shape, EqualityAndHashAgree) {
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly({
      Shape(),
      S("f32[]"),
      S("f32[]").WithDefaultLayout(),
      S("f32[*]"),
      S("s32[]"),
      S("f32[0]"),
      S("f32[<=0]"),
      S("f32[1]"),
      S("f32[1,1]"),
      S("f32[1,1]{0,1}"),
      S("f32[1,1]{1,0}"),
      S("f32[1,1]{1,0}"),
      S("f32[1,1]{1,0:T(2)}"),
      S("f32[1,1]{1,0:T(2)(2)}"),
      S("f32[1,1]{1,0:SC(0:1)}"),
      S("f32[1,1]{1,0:SC(0:1)(1:1)}"),
      S("f32[1,1]{1,0:L(2)}"),
      S("f32[1,1]{1,0:E(2)}"),
      S("f32[1,1]{1,0:S(2)}"),
      S("f32[1,1]{1,0:M(2)}"),
      S("token[]"),
      S("opaque[]"),
      S("()"),
      S("()"),
      S("(())"),
      S("((), ())"),
      S("((()))"),
      S("(f32[1])"),
      S("(f32[1]{0})"),
      S("b(f32[1])"),
      S("(f32[1], f32[1])"),
      S("(f32[1], f32[1])"),
      Nested(Shape::kMaxTupleDepth),
      Nested(Shape::kMaxTupleDepth),
  }));
}

}  // namespace
}  // namespace indim
