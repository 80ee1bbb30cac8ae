// Arrays as printers write them, read straight away: as the grammar reads them,
// or not at all.

#include "indim/text/base/shape_text.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

struct Scanned {
  bool is_plain = false;
  size_t end = 0;
  PlainArray array;
};

Scanned Scan(absl::string_view text) {
  // The last character of memory that is ours is the text's last.
  const std::vector<char> exact(text.begin(), text.end());
  Scanned result;
  result.is_plain =
      ScanPlainArray(absl::string_view(exact.data(), exact.size()), 0,
                     &result.array, &result.end);
  return result;
}

// What the grammar makes of `text`; none: it refuses it.
Shape ReadByGrammar(absl::string_view text, bool fill_layouts, size_t* end) {
  TextErrors errors;
  Lexer lexer(text, &errors);
  Shape shape;
  if (!ReadShape(&lexer, fill_layouts, &shape)) return Shape();
  *end = lexer.previous_end();
  return shape;
}

// True where `text` was read straight away, and then as the grammar does.
bool IsReadAlike(absl::string_view text) {
  const Scanned scanned = Scan(text);
  if (!scanned.is_plain) return false;
  for (const bool fill : {false, true}) {
    size_t end = 0;
    const Shape shape = ReadByGrammar(text, fill, &end);
    EXPECT_EQ(scanned.array.ToShape(fill), shape) << text;
    EXPECT_EQ(scanned.end, end) << text;
  }
  return true;
}

TEST(ScanPlainArrayTest, EveryElementType) {
  for (const ElementTypeInfo& info : AllElementTypes()) {
    for (const char* rest :
         {"[],", "[7])", "[2,3] add", "[2,3]{1,0}", "[0]{0} %x"}) {
      EXPECT_TRUE(IsReadAlike(absl::StrCat(info.name, rest)))
          << info.name << rest;
    }
  }
}

// Whatever stands in an array's braces and brackets: what is no shape is never
// taken for one.
TEST(ScanPlainArrayTest, AllShortTexts) {
  int64_t taken = 0;
  for (const absl::string_view dims : {"",
                                       "1",
                                       "2,3",
                                       "2,3,4",
                                       ",",
                                       "2,",
                                       ",2",
                                       "-1",
                                       "?",
                                       "<=4",
                                       "?,2",
                                       "2 ,3",
                                       "2, 3",
                                       "02",
                                       "n",
                                       "2,/**/3",
                                       "99999999999999999999",
                                       "9223372036854775807",
                                       "4611686018427387904",
                                       "4611686018427387904,4"}) {
    for (const absl::string_view layout :
         {"", "{}", "{0}", "{1}", "{0,1}", "{1,0}", "{0,0}", "{2,1,0}",
          "{1,2,0}", "{1,0,}", "{1,0", "{1 ,0}", "{:T(8)}", "{0:T(8)}",
          "{1,0:E(4)}", "{10}", "{a}", " {1,0}", "/**/{1,0}"}) {
      for (const absl::string_view after :
           {"", " ", ",", ")", " %x", " add(", "  add(", "{", " {", "[", " /",
            "/**/ add(", "=", "\n", "%"}) {
        taken += IsReadAlike(absl::StrCat("f32[", dims, "]", layout, after));
      }
    }
  }
  EXPECT_GT(taken, 50);
}

TEST(ScanPlainArrayTest, NothingElse) {
  for (const char* text :
       {"", "f32", "f33[2],", "F32[2],", "token[],", "token[2],", "opaque[],",
        "tuple[],", "invalid[],", "(f32[2],", "b(f32[2]),", "f32 [2],",
        "f32[2]", "f32[1,1,1,1,1,1,1,1,1],", "[2],", "é[2],"}) {
    EXPECT_FALSE(Scan(text).is_plain) << text;
  }
}

TEST(ScanPlainArrayTest, AsManyDimsAsItHolds) {
  EXPECT_TRUE(IsReadAlike("s8[1,2,3,4,5,6,7,8]{7,6,5,4,3,2,1,0},"));
  EXPECT_TRUE(IsReadAlike("s8[1,2,3,4,5,6,7,8]{0,1,2,3,4,5,6,7} %a"));
}

}  // namespace
}  // namespace indim
