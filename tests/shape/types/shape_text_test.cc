// SPDX-License-Identifier: Apache-2.0
// Reading and printing shapes: tables of texts, texts of real modules, and
// thousands of random shapes and damaged texts.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/shape/types/shape.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// Reads `text`, which must do, and prints it.
std::string Reprint(absl::string_view text) {
  absl::StatusOr<Shape> shape = ParseShape(text);
  return shape.ok() ? shape->ToString() : std::string(shape.status().message());
}

TEST(ShapeText, WhatIsWrittenTheWayXlaPrintsComesBack) {
  for (const char* text : {
           "f32[]",
           "f32[2,3]",
           "f32[0]",
           "f32[2,<=8,?]",
           "f32[<=0,<=1]",
           "f32[2..5,2..]",
           "f32[*]",
           "f32[9223372036854775807]",
           "f32[<=4611686018427387903]",
           "pred[1]",
           "f8e4m3b11fnuz[7]",
           "()",
           "(f32[2], s32[])",
           "((f32[2]), (), token[])",
           "token[]",
           "opaque[]",
           "b(f32[2])",
           "b(f32[2]{0})",
           "(b(u1[]), b(f32[*]))",
           // Layouts.
           "f32[2,3]{1,0}",
           "f32[2,3]{0,1}",
           "f32[2,3]{1,0:T(8,128)}",
           "f32[2,3]{1,0:T(8,128)(2,1)}",
           "f32[2,3]{1,0:T(8,128)(2,1)E(4)S(1)}",
           "f32[2,3]{1,0:T(*,2)(*)()(0)}",
           "f32[2,3]{1,0:T(1)L(1024)E(2)S(5)SC(0:1,2)(1:)M(16)}",
           "f32[2,3]{1,0:E(-1)S(-2)SC(-1:-3)}",
           "c64[]{:E(-9223372036854775808)S(9223372036854775807)}",
           "bf16[16,256]{0,1:E(4)}",
           "f32[4]{0:SC(0:1)}",
           "f32[4]{0:M(8)}",
           "s4[]{:E(4)}",
           "f32[2,<=3,?]{2,0,1}",
           "f32[n,2*n+1]",
           "f32[-n]",
       }) {
    EXPECT_EQ(Reprint(text), text);
  }
}

TEST(ShapeText, OtherSpellingsOfTheSame) {
  struct Case {
    const char* text;
    const char* printed;
  };
  for (const Case& c : std::vector<Case>{
           {" f32 [ 2 , 3 ] ", "f32[2,3]"},
           {"f32[3, - 2*n + m,4]", "f32[3,m-2*n,4]"},
           {"f32[-2*n]", "f32[-2*n]"},
           {"f32[\n2,\t3\r]", "f32[2,3]"},
           {"f32[<= 8]", "f32[<=8]"},
           {"f32[2 .. 5, 2 ..]", "f32[2..5,2..]"},
           {"f32[007]", "f32[7]"},
           {"f32[0..5,0..,4..4]", "f32[<=5,?,4]"},
           {"f32[ * ]", "f32[*]"},
           {"/* one */f32/**/[2]// two", "f32[2]"},
           {"f32[// a size\n2]", "f32[2]"},
           {"(f32[], s32[], /*index=2*/u8[])", "(f32[], s32[], u8[])"},
           {"( )", "()"},
           {"(f32[2],s32[])", "(f32[2], s32[])"},
           {"b ( f32[2] )", "b(f32[2])"},
           {"token [ ]", "token[]"},
           {"f32[2,3] { 1 , 0 }", "f32[2,3]{1,0}"},
           {"f32[2,3]{1,0:}", "f32[2,3]{1,0}"},
           {"f32[2,3]{1,0: T(8, 128) (2,1) E(4)}",
            "f32[2,3]{1,0:T(8,128)(2,1)E(4)}"},
           // What says nothing isn't printed; old sparse levels are dropped.
           {"f32[2]{0:L(1)E(0)S(0)M(0)}", "f32[2]{0}"},
           {"f32[2,3]{1,0:D(D,C+~)T(2)}", "f32[2,3]{1,0:T(2)}"},
           {"f32[]{:}", "f32[]"},
       }) {
    EXPECT_EQ(Reprint(c.text), c.printed) << c.text;
    // One shape, not only one text.
    EXPECT_EQ(*ParseShape(c.text), *ParseShape(c.printed)) << c.text;
  }
}

TEST(ShapeText, ErrorsSayWhereAndWhat) {
  struct Case {
    const char* text;
    int column;
    const char* what;
  };
  for (const Case& c : std::vector<Case>{
           {"", 1, "expected a shape such as f32[2,3], but the text ends"},
           {"  ", 3, "but the text ends"},
           {"f32", 4, "expected '[' after f32, but the text ends"},
           {"f32{", 4, "expected '[' after f32, not '{'"},
           {"f32[2", 6, "expected ']' or ',' after a dim, but the text ends"},
           {"f32[2x3]", 6, "expected ']' or ',' after a dim, not 'x3'"},
           {"f32[,]", 5, "expected a size, not ','"},
           {"f32[2,]", 7, "expected a size, not ']'"},
           {"f32[-1]", 5, "a size can't be negative; to fix: write ?"},
           {"f32[+1]", 5, "expected a size, not '+'"},
           {"f32[-1,n]", 5, "a size can't be negative; to fix: write ?"},
           {"f32[None,4]", 5,
            "'None' is not a name of a size; to fix: write ?"},
           {"f32[2,null]", 7, "'null' is not a name of a size"},
           {"f32[-(3)]", 5, "the size is negative"},
           {"f32[<=]", 7, "expected a bound, not ']'"},
           {"f32[<=?]", 7, "expected a bound, not '?'"},
           {"f32[<=n]", 7, "give the size a name, as in f32[k], and state"},
           {"f32[<=(n)]", 7, "a bound must be a number; give"},
           {"f32[2,<=2*n+1]", 9, "a bound must be a number; give"},
           {"f32[<=8-n,3]", 7, "a bound must be a number; give"},
           {"f32[*,2]", 6, "expected ']' after '*'"},
           {"f32[9223372036854775808]", 5,
            "a size is out of range, at most 9223372036854775807"},
           {"f32[99999999999999999999999999]", 5, "out of range"},
           {"f32[1,<=4611686018427387904]", 9,
            "a bound is out of range, at most 4611686018427387903"},
           {"f32[5..2]", 5, "the lower end of a dim is above its upper end"},
           {"f32[2..1073741824]", 5, "at most 1073741823"},
           {"f32[1073741824..]", 5, "at most 1073741823"},
           {"f32[1] f32[2]", 8, "expected the end of the shape, not 'f32'"},
           {"f32[1]]", 7, "expected the end of the shape, not ']'"},
           {"f32[1]{}", 7, "expected the end of the shape, not '{'"},
           {"f32[1]\x01", 7, "not '\\x01'"},
           {"f32[1] /* no end", 8, "a comment without its end"},
           {"f32[/* no end", 5, "a comment without its end"},
           {"f32[1] / 2", 8, "not '/'"},
           {"2", 1, "expected a shape"},
           {"(", 2, "expected a shape"},
           {"(f32[2]", 8, "expected ')' or ',' after an element"},
           {"(f32[2],)", 9, "expected a shape"},
           {"(f32[2]]", 8, "expected ')'"},
           {"token", 6, "expected '['"},
           {"token[2]", 7, "expected ']'"},
           {"token[]{0}", 8, "expected the end"},
           {"b(token[])", 3, "a buffer holds an array"},
           {"b((f32[]))", 3, "a buffer holds an array"},
           {"b(f32[], f32[])", 8, "expected ')' after the array"},
           // Layouts.
           {"f32[2]{1}", 8, "the layout names dim 1, but the rank is 1"},
           {"f32[2]{0,0}", 10, "the layout names dim 0 twice"},
           {"f32[2,3]{1}", 10, "the layout names 1 dim, but the rank is 2"},
           {"f32[2]{:T(2)}", 8, "the layout names 0 dims, but the rank is 1"},
           {"f32[]{0}", 7, "the layout names dim 0, but the rank is 0"},
           {"f32[2]{-1}", 8, "expected a dim of the layout, not '-1'"},
           {"f32[2]{0", 9, "expected '}'"},
           {"f32[2]{0:E(4)T(2)}", 14, "in this order"},
           {"f32[2]{0:T(2)T(2)}", 14, "in this order"},
           {"f32[2]{0:Q(2)}", 10, "expected '}'"},
           {"f32[2]{0:L(0)}", 12, "must be at least 1"},
           {"f32[2]{0:L(-1)}", 12, "must be at least 1"},
           {"f32[2]{0:T}", 11, "expected '(' before the sizes of a tile"},
           {"f32[2]{0:T(a)}", 12, "expected a tile size or '*', not 'a'"},
           {"f32[2]{0:T(-2)}", 12, "expected a tile size"},
           {"f32[2]{0:T(2}", 13, "expected ')' or ',' after a tile size"},
           {"f32[2]{0:E()}", 12, "expected a number"},
           {"f32[2]{0:S(9223372036854775808)}", 12, "out of range"},
           {"f32[2]{0:SC()}", 13, "expected the dim of a split"},
           {"f32[2]{0:SC(0)}", 14, "expected ':'"},
           {"f32[2]{0:D(!)}", 12, "expected a dim level"},
           {"f32[2,3]{1,0:D(X,C)}", 16, "expected a dim level: D, C, S or H"},
           {"f32[2,3]{1,0:D(D C)}", 18, "expected ')' or ',' after"},
           {"f32[2]{0:#(u32)}", 10, "index and pointer types"},
           {"f32[2]{0:*(u32)}", 10, "index and pointer types"},
           {"f32[2]{0:P(f32[2])}", 10, "physical shapes"},
           {"f32[*]{0}", 7, "expected the end"},
       }) {
    SCOPED_TRACE(c.text);
    absl::StatusOr<Shape> shape = ParseShape(c.text);
    ASSERT_FALSE(shape.ok());
    EXPECT_EQ(shape.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(shape.status().message()),
                HasSubstr(absl::StrCat("column ", c.column, ": ")));
    EXPECT_THAT(std::string(shape.status().message()), HasSubstr(c.what));
  }
}

TEST(ShapeText, NearlyAShapeIsToldAsOne) {
  struct Case {
    const char* text;
    const char* meant;  // "": nobody knows
  };
  for (const Case& c : std::vector<Case>{
           {"f32", "f32[]"},
           {"f32[2,3", "f32[2,3]"},
           {"f32[2,3]]", "f32[2,3]"},
           {"f32(2,3)", "f32[2,3]"},
           {"f32[2 3]", "f32[2,3]"},
           {"f32[2x3]", "f32[2,3]"},
           {"float32(2, 3)", "f32[2,3]"},
           {"F32[2,3]", "f32[2,3]"},
           {"tensor<2x3xf32>", "f32[2,3]"},
           {"tensor<?x3xbf16>", "bf16[?,3]"},
           {"tensor<f32>", "f32[]"},
           {"2x3xf32", "f32[2,3]"},
           {"2,3", ""},
           {"f32[2]{0", ""},
           {"f32[1] f32[2]", ""},
           {"(f32[2]", ""},
           {"f32[2,q]", ""},
           {"add f32[2]", ""},
           {"", ""},
       }) {
    SCOPED_TRACE(c.text);
    const std::string said(ParseShape(c.text).status().message());
    if (*c.meant == '\0') {
      EXPECT_THAT(said, Not(HasSubstr("did you mean")));
      continue;
    }
    EXPECT_THAT(said,
                EndsWith(absl::StrCat("; did you mean '", c.meant, "'?")));
    EXPECT_TRUE(ParseShape(c.meant).ok());
  }
}

TEST(ShapeText, UnknownTypesAreNamedWithTheOneThatWasMeant) {
  struct Case {
    const char* type;
    const char* meant;  // null: nothing is near
  };
  for (const Case& c : std::vector<Case>{
           {"f23", "f32"},     {"F32", "f32"},       {"f322", "f32"},
           {"float32", "f32"}, {"float", "f32"},     {"double", "f64"},
           {"int32", "s32"},   {"i32", "s32"},       {"si8", "s8"},
           {"ui8", "u8"},      {"uint64", "u64"},    {"bool", "pred"},
           {"i1", "pred"},     {"half", "f16"},      {"bfloat16", "bf16"},
           {"fp16", "f16"},    {"complex64", "c64"}, {"F8E4M3FN", "f8e4m3fn"},
           {"tokn", "token"},  {"Token", "token"},   {"opaqe", "opaque"},
           {"flaot32", "f32"}, {"itn8", "s8"},       {"compelx128", "c128"},
           {"xyzzy", nullptr}, {"tensor", nullptr},  {"memref", nullptr},
           {"q", nullptr},     {"b", nullptr},
       }) {
    SCOPED_TRACE(c.type);
    const std::string message = Reprint(absl::StrCat(c.type, "[2]"));
    EXPECT_THAT(message,
                HasSubstr(absl::StrCat("unknown element type '", c.type, "'")));
    if (c.meant == nullptr) {
      EXPECT_THAT(message, ::testing::Not(HasSubstr("did you mean")));
    } else {
      // With its sizes, where it has some.
      EXPECT_THAT(message, HasSubstr(absl::StrCat("did you mean '", c.meant)));
    }
  }
}

TEST(ShapeText, ConsumeTakesTheShapeAndNothingElse) {
  struct Case {
    const char* text;
    const char* shape;
    const char* rest;
  };
  for (const Case& c : std::vector<Case>{
           {"f32[2] add(x, y)", "f32[2]", " add(x, y)"},
           {"f32[2]{0} add(x)", "f32[2]{0}", " add(x)"},
           {"f32[2], s32[]", "f32[2]", ", s32[]"},
           {"(f32[2], s32[]) tuple(a)", "(f32[2], s32[])", " tuple(a)"},
           {"f32[2] {\n  ROOT x", "f32[2]", " {\n  ROOT x"},
           {"f32[2]{}", "f32[2]", "{}"},
           {"f32[] /* c */ {0", "f32[]", nullptr},
           {"f32[2]/*", "f32[2]", "/*"},
           {"token[]{0}", "token[]", "{0}"},
           {"  ()x", "()", "x"},
       }) {
    SCOPED_TRACE(c.text);
    absl::string_view text = c.text;
    absl::StatusOr<Shape> shape = ConsumeShape(&text);
    if (c.rest == nullptr) {
      EXPECT_FALSE(shape.ok());
      EXPECT_EQ(text, c.text) << "untouched after an error";
      continue;
    }
    ASSERT_TRUE(shape.ok()) << shape.status();
    EXPECT_EQ(shape->ToString(), c.shape);
    EXPECT_EQ(text, c.rest);
  }
}

// --- Size and depth ---------------------------------------------------------

std::string NestedText(int levels, absl::string_view inner) {
  return absl::StrCat(std::string(levels, '('), inner,
                      std::string(levels, ')'));
}

TEST(ShapeText, NestsToTheLimitAndSaysSoBeyond) {
  const std::string deepest = NestedText(Shape::kMaxTupleDepth, "f32[]");
  EXPECT_EQ(Reprint(deepest), deepest);
  for (const std::string& text :
       {NestedText(Shape::kMaxTupleDepth + 1, "f32[]"),
        NestedText(Shape::kMaxTupleDepth, "b(f32[])"),
        std::string(1000000, '(')}) {
    EXPECT_THAT(Reprint(text), HasSubstr("deeper than 90 levels"));
  }
  const std::string buffers = NestedText(Shape::kMaxTupleDepth - 1, "b(u8[])");
  EXPECT_EQ(Reprint(buffers), buffers);
}

TEST(ShapeText, MegabytesAreReadInLinearTime) {
  std::string tuple = "(";
  for (int i = 0; i < 200000; ++i) {
    absl::StrAppend(&tuple, i > 0 ? ", " : "", "f32[", i, "]");
  }
  absl::StrAppend(&tuple, ")");
  EXPECT_EQ(Reprint(tuple), tuple);

  std::string dims = "f32[1";
  std::string layout = "{0";
  for (int i = 1; i < 200000; ++i) {
    absl::StrAppend(&dims, ",1");
    absl::StrAppend(&layout, ",", i);
  }
  const std::string wide = absl::StrCat(dims, "]", layout, "}");
  EXPECT_EQ(Reprint(wide), wide);

  // Blanks, comments, digits and letters by the million.
  EXPECT_EQ(Reprint(absl::StrCat("f32[", std::string(2000000, ' '), "2]")),
            "f32[2]");
  std::string comments = "f32[2]";
  for (int i = 0; i < 300000; ++i) comments += "/**/\n";
  EXPECT_EQ(Reprint(comments), "f32[2]");
  EXPECT_EQ(Reprint(absl::StrCat("f32[", std::string(2000000, '0'), "2]")),
            "f32[2]");
  const std::string message = Reprint(std::string(2000000, 'f'));
  EXPECT_THAT(message, HasSubstr("unknown element type"));
  EXPECT_LT(message.size(), 300u) << "errors stay short";
  EXPECT_LT(Reprint(std::string(2000000, '9')).size(), 300u);
}

// --- Random shapes ----------------------------------------------------------

class RandomShapes {
 public:
  explicit RandomShapes(uint32_t seed) : random_(seed) {}

  int64_t Below(int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(random_);
  }

  Dim RandomDim() {
    const int64_t scale = int64_t{1} << Below(62);
    switch (Below(6)) {
      case 0:
        return Dim::Unknown();
      case 1:
        return Dim::Bounded(Below(scale));
      case 2:
        return Dim::Hull(Below(40), Below(40));
      case 3:
        return Dim::Hull(Below(scale), Dim::kInfinity);
      default:
        return Dim::Static(Below(scale));
    }
  }

  std::vector<int64_t> Numbers(int64_t most) {
    std::vector<int64_t> numbers(Below(most + 1));
    for (int64_t& number : numbers) number = Below(1000);
    return numbers;
  }

  Layout RandomLayout(int rank) {
    Layout layout = Layout::RowMajor(rank);
    std::shuffle(layout.minor_to_major.begin(), layout.minor_to_major.end(),
                 random_);
    if (Below(3) == 0) {
      for (int64_t i = Below(4); i > 0; --i) {
        layout.tiles.push_back(Numbers(3));
        if (Below(3) == 0) layout.tiles.back().push_back(Layout::kCombine);
      }
    }
    if (Below(4) == 0) layout.tail_padding_alignment_in_elements = 1 + Below(9);
    if (Below(4) == 0) layout.element_size_in_bits = Below(9);
    if (Below(4) == 0) layout.memory_space = Below(9) - 2;
    if (Below(4) == 0) {
      for (int64_t i = Below(3); i > 0; --i) {
        layout.splits.push_back({Below(4), Numbers(3)});
      }
    }
    if (Below(4) == 0) layout.dynamic_shape_metadata_prefix_bytes = Below(99);
    return layout;
  }

  Shape RandomArray() {
    const auto types = AllElementTypes();
    const ElementType type = types[Below(types.size())].type;
    if (Below(12) == 0) return Shape::Unranked(type);
    DimVector dims;
    for (int64_t i = Below(7); i > 0; --i) dims.push_back(RandomDim());
    Shape array = Shape::Array(type, dims);
    if (Below(2) == 0) array.set_layout(RandomLayout(array.rank()));
    // The one thing that text can't tell: a scalar's layout that says nothing.
    if (array.is_scalar() && array.layout() && *array.layout() == Layout()) {
      array.clear_layout();
    }
    return array;
  }

  Shape RandomShape(int depth = 0) {
    switch (Below(10)) {
      case 0:
        return Shape::Token();
      case 1:
        return Shape::Opaque();
      case 2:
        return Shape::Buffer(RandomArray());
      case 3:
      case 4:
      case 5: {
        std::vector<Shape> elements;
        for (int64_t i = depth < 5 ? Below(5) : 0; i > 0; --i) {
          elements.push_back(RandomShape(depth + 1));
        }
        return Shape::Tuple(std::move(elements));
      }
      default:
        return RandomArray();
    }
  }

  // `text` with a few characters changed, added, removed or repeated.
  std::string Damaged(std::string text) {
    static constexpr absl::string_view kCharacters =
        "0123456789()[]{}<=?*,:./-+~# bfsuTLESCMPD\n\\\"'\xff";
    for (int64_t i = 1 + Below(3); i > 0; --i) {
      const size_t at = Below(text.size() + 1);
      const char character = kCharacters[Below(kCharacters.size())];
      switch (Below(4)) {
        case 0:
          text.insert(at, 1, character);
          break;
        case 1:
          if (at < text.size()) text[at] = character;
          break;
        case 2:
          text.erase(at, 1 + Below(3));
          break;
        default:
          text.insert(at, text.substr(Below(text.size() + 1), Below(9)));
      }
    }
    return text;
  }

 private:
  std::mt19937 random_;
};

TEST(ShapeText, RandomShapesComeBack) {
  RandomShapes random(1);
  for (int i = 0; i < 20000 / SampleStep(4); ++i) {
    const Shape shape = random.RandomShape();
    const std::string text = shape.ToString();
    const absl::StatusOr<Shape> read = ParseShape(text);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(*read, shape) << text;
    ASSERT_EQ(read->ToString(), text);
    ASSERT_EQ(read->depth(), shape.depth());
  }
}

TEST(ShapeText, DamagedTextsAreRefusedOrMeanWhatTheyPrint) {
  RandomShapes random(2);
  int refused = 0;
  const int texts = 30000 / SampleStep(4);
  for (int i = 0; i < texts; ++i) {
    const std::string text = random.Damaged(random.RandomShape().ToString());
    const absl::StatusOr<Shape> read = ParseShape(text);
    if (!read.ok()) {
      ++refused;
      ASSERT_TRUE(absl::StrContains(read.status().message(), "column "));
      continue;
    }
    ASSERT_EQ(Reprint(read->ToString()), read->ToString()) << text;
    absl::string_view rest = text;
    ASSERT_TRUE(ConsumeShape(&rest).ok());
  }
  EXPECT_GT(refused, texts / 2);
  EXPECT_LT(refused, texts);
}

TEST(ShapeText, EveryPrefixIsHandled) {
  const std::string text =
      "(f32[2,<=8,?,2..5]{3,0,1,2:D(D)T(8,*)(2)L(2)E(4)S(1)SC(0:1,2)M(8)}, "
      "/*index=1*/ b(u8[]), token[], ((), opaque[])) // end";
  ASSERT_TRUE(ParseShape(text).ok()) << ParseShape(text).status();
  const size_t end = text.rfind(')') + 1;
  for (size_t i = 0; i < end; ++i) {
    EXPECT_FALSE(ParseShape(text.substr(0, i)).ok()) << text.substr(0, i);
  }
}

}  // namespace
}  // namespace indim
