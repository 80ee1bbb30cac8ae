// SPDX-License-Identifier: Apache-2.0
// The builder's forms of broadcast and reshape. Against XLA's own answers:
// tests/tools/query/query_test.cc.

#include "indim/shape/infer/builder_forms.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "indim/tests/parsed_shape.h"
#include "indim/tests/shape/infer/infer_testing.h"

namespace indim {
namespace {

// The dims of "f32[...]".
DimVector DimsOf(const std::string& text) {
  const Shape shape = S(text);
  return DimVector(shape.dims().begin(), shape.dims().end());
}

TEST(DimsFromSizesTest, NegativeSizesAreErrors) {
  InferContext context;
  EXPECT_EQ(DimsFromSizes(&context, {0, 7}),
            DimVector({Dim::Static(0), Dim::Static(7)}));
  EXPECT_FALSE(context.has_error());
  EXPECT_EQ(DimsFromSizes(&context, {3, -1}), std::nullopt);
  ASSERT_EQ(context.diagnostics().size(), 1);
  EXPECT_EQ(context.diagnostics()[0].code, Code::kNegativeSize);
  EXPECT_EQ(context.diagnostics()[0].dim, 1);
}

struct SizesCase {
  const char* operand;
  std::vector<int64_t> sizes;
  const char* answer;
};

TEST(InferBroadcastSizesTest, Table) {
  const SizesCase kCases[] = {
      {"f32[2,<=3]", {5, 0}, "f32[5,0,2,<=3]"},
      {"s8[]", {}, "s8[]"},
      {"f32[2..5]", {4}, "f32[4,2..5]"},
      {"f32[*]", {4}, "f32[*]"},
      {"f32[?]", {4}, "!broadcast-of-unknown"},
      {"f32[2]", {-1}, "!negative-size"},
      {"(f32[2])", {1}, "!operand-not-array"},
  };
  for (const SizesCase& c : kCases) {
    InferContext context;
    const std::optional<Shape> shape =
        InferBroadcastSizes(&context, S(c.operand), c.sizes);
    EXPECT_EQ(AnswerText(context, shape), c.answer) << c.operand;
  }
}

struct InDimCase {
  const char* operand;
  const char* dims;  // as an array
  std::vector<int64_t> map;
  const char* answer;
};

TEST(InferBroadcastInDimTest, Table) {
  const InDimCase kCases[] = {
      {"f32[3]", "f32[2,3]", {1}, "f32[2,3]"},
      {"f32[1,3]", "f32[2,7,3]", {0, 2}, "f32[2,7,3]"},
      {"s8[]", "f32[4]", {}, "s8[4]"},
      {"f32[1]", "f32[0]", {0}, "f32[0]"},
      {"f32[<=3]", "f32[2,3]", {1}, "f32[2,<=3]"},
      {"f32[<=1]", "f32[2,1]", {1}, "f32[2,<=1]"},
      // A bounded 1 may be 0 at run time, and does not stretch.
      {"f32[<=1]", "f32[2,3]", {1}, "!broadcast-stretch"},
      {"f32[3]", "f32[<=3]", {0}, "f32[3]"},
      {"f32[?]", "f32[7]", {0}, "f32[7]"},
      {"f32[1..7]", "f32[7]", {0}, "f32[7]"},
      {"f32[2..6]", "f32[7]", {0}, "!broadcast-stretch"},
      {"f32[*]", "f32[7]", {3}, "f32[7]"},
      {"f32[3]", "f32[4]", {0}, "!broadcast-stretch"},
      {"f32[3]", "f32[?]", {0}, "!result-size-unknown"},
      {"f32[3]", "f32[2..5]", {0}, "!result-size-unknown"},
      {"f32[3,3]", "f32[3]", {0, 1}, "!broadcast-lowers-rank"},
      {"f32[3]", "f32[3]", {}, "!broadcast-map-count"},
      {"f32[3]", "f32[3]", {1}, "!broadcast-map-range"},
      {"f32[3]", "f32[3]", {-1}, "!broadcast-map-range"},
      {"f32[3,2]", "f32[2,3]", {1, 0}, "!broadcast-map-increasing"},
      {"f32[2,2]", "f32[2,3]", {0, 0}, "!broadcast-map-increasing"},
      {"token[]", "f32[3]", {}, "!operand-not-array"},
  };
  for (const InDimCase& c : kCases) {
    InferContext context;
    const std::optional<Shape> shape =
        InferBroadcastInDim(&context, S(c.operand), DimsOf(c.dims), c.map);
    EXPECT_EQ(AnswerText(context, shape), c.answer)
        << c.operand << " to " << c.dims;
  }
}

TEST(InferBroadcastInDimTest, AnUnknownSizeIsACondition) {
  InferContext context;
  EXPECT_TRUE(
      InferBroadcastInDim(&context, S("f32[?]"), DimsOf("f32[7]"), {0}));
  ASSERT_EQ(context.conditions().size(), 1);
  EXPECT_EQ(ToString(context.conditions()[0]), "operand 0 dim 0 is 1 or 7");
}

struct ReshapeCase {
  const char* operand;
  const char* dims;  // as an array
  int64_t inferred;
  const char* answer;
};

TEST(InferReshapeToTest, Table) {
  const ReshapeCase kCases[] = {
      {"f32[2,3,4]", "f32[6,4]", -1, "f32[6,4]"},
      {"f32[0,3]", "f32[7,0]", -1, "f32[7,0]"},
      {"f32[]", "f32[1,1]", -1, "f32[1,1]"},
      // Kept, merged into one, split to the one that isn't 1.
      {"f32[<=4,6]", "f32[4,2,3]", -1, "f32[<=4,2,3]"},
      {"f32[<=4,6]", "f32[24]", -1, "f32[<=24]"},
      {"f32[<=4]", "f32[1,4,1]", -1, "f32[1,<=4,1]"},
      // Split in two: the most-major that isn't 1, unless told.
      {"f32[<=6]", "f32[2,3]", -1, "f32[<=2,3]"},
      {"f32[128,<=128]", "f32[64,2,64,2]", -1, "f32[64,2,<=64,2]"},
      {"f32[<=8]", "f32[1,4,2]", -1, "f32[1,<=4,2]"},
      {"f32[<=6]", "f32[2,3]", 1, "f32[2,<=3]"},
      {"f32[<=2,<=3]", "f32[6]", -1, "f32[<=6]"},
      {"f32[<=2,6]", "f32[3,4]", -1, "!reshape-splits-and-merges"},
      {"f32[2,<=1]", "f32[2,1]", -1, "f32[2,<=1]"},
      {"f32[<=1,2]", "f32[1,2]", -1, "f32[<=1,2]"},
      {"f32[<=1]", "f32[]", -1, "f32[]"},
      {"f32[2,<=1,3]", "f32[2,3]", -1, "!reshape-bounded-one"},
      {"f32[?]", "f32[7]", -1, "f32[7]"},
      {"f32[?,<=2]", "f32[4]", -1, "!reshape-mixed-dynamism"},
      {"f32[2..3,2]", "f32[6]", -1, "f32[6]"},
      {"f32[2..3,2]", "f32[8]", -1, "!element-counts-differ"},
      {"f32[*]", "f32[8]", -1, "f32[8]"},
      {"f32[2,3]", "f32[5]", -1, "!element-counts-differ"},
      {"f32[2,3]", "f32[?]", -1, "!result-size-unknown"},
      {"f32[6]", "f32[6]", 1, "!inferred-dimension-range"},
      {"f32[6]", "f32[6]", -2, "!inferred-dimension-range"},
      {"()", "f32[]", -1, "!operand-not-array"},
      // A 0 hides products that don't fit.
      {"f32[0,<=3,4611686018427387904,4]", "f32[0,4611686018427387904,8]", -1,
       "!reshape-splits-and-merges"},
  };
  for (const ReshapeCase& c : kCases) {
    InferContext context;
    const std::optional<Shape> shape =
        InferReshapeTo(&context, S(c.operand), DimsOf(c.dims), c.inferred);
    EXPECT_EQ(AnswerText(context, shape), c.answer)
        << c.operand << " to " << c.dims;
  }
}

// Every way to write 24 elements as up to four sizes, to every other.
TEST(InferReshapeToTest, BoundedDimsNeverChangeTheSizes) {
  std::vector<std::vector<int64_t>> all;
  for (int64_t a : {1, 2, 3, 4, 6, 8, 12, 24}) {
    for (int64_t b : {1, 2, 3, 4, 6, 8, 12, 24}) {
      if (24 % (a * b) == 0) all.push_back({a, b, 24 / (a * b)});
    }
  }
  for (const std::vector<int64_t>& from : all) {
    for (const std::vector<int64_t>& to : all) {
      const Shape plain = Shape::Of(ElementType::kF32, to);
      for (int bounded = 0; bounded < 3; ++bounded) {
        Shape operand = Shape::Of(ElementType::kF32, from);
        operand.set_dim(bounded, Dim::Bounded(from[bounded]));
        InferContext context;
        const std::optional<Shape> shape =
            InferReshapeTo(&context, operand, plain.dims());
        ASSERT_EQ(shape.has_value(), !context.has_error());
        if (!shape) continue;
        int bounds = 0;
        for (int i = 0; i < shape->rank(); ++i) {
          EXPECT_EQ(shape->dim(i).size(), to[i]);
          bounds += shape->dim(i).is_bounded() ? 1 : 0;
        }
        EXPECT_LE(bounds, 1)
            << operand.ToString() << " to " << shape->ToString();
        if (from == to && from[bounded] != 1) {
          EXPECT_EQ(*shape, operand);
        }
      }
    }
  }
}

struct DynamicReshapeCase {
  std::vector<std::string> operands;
  std::vector<int64_t> bounds;
  std::vector<bool> dynamic;
  const char* answer;
};

TEST(InferDynamicReshapeToTest, Table) {
  const DynamicReshapeCase kCases[] = {
      {{"f32[6]", "s32[]", "s32[]"}, {2, 3}, {true, false}, "f32[<=2,3]"},
      {{"f32[<=6]", "s32[]"}, {6}, {false}, "f32[6]"},
      {{"f32[*]", "s32[]"}, {6}, {true}, "f32[<=6]"},
      {{"f32[0,?]", "s32[]"}, {0}, {true}, "f32[<=0]"},
      {{"f32[0,?]", "s32[]"}, {7}, {true}, "!element-counts-differ"},
      {{"f32[?,<=0]", "s32[]"}, {6}, {false}, "!element-counts-differ"},
      {{"f32[?]", "s32[]"}, {6}, {true}, "!element-count-unknown"},
      {{"f32[6]", "s32[]"}, {5}, {true}, "!element-counts-differ"},
      {{"f32[6]", "s32[]"}, {6}, {}, "!dynamic-sizes-count"},
      {{"f32[6]", "s32[]"}, {-6}, {true}, "!negative-size"},
      {{"f32[6]", "f32[2]"}, {6}, {true}, "!dynamic-size-not-s32"},
      {{"f32[6]", "token[]"}, {6}, {true}, "!dynamic-size-not-s32"},
      {{"token[]", "s32[]"}, {6}, {true}, "!operand-not-array"},
  };
  for (const DynamicReshapeCase& c : kCases) {
    std::vector<Shape> operands;
    for (const std::string& text : c.operands) {
      operands.push_back(S(text));
    }
    std::vector<const Shape*> sizes;
    for (size_t i = 1; i < operands.size(); ++i) sizes.push_back(&operands[i]);
    InferContext context;
    const std::optional<Shape> shape = InferDynamicReshapeTo(
        &context, operands[0], sizes, c.bounds, c.dynamic);
    EXPECT_EQ(AnswerText(context, shape), c.answer)
        << absl::StrJoin(c.operands, " ");
  }
}

}  // namespace
}  // namespace indim
