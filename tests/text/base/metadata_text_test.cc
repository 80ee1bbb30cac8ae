// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/metadata_text.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/text/base/shape_text.h"

namespace indim {
namespace {

// Reads `text`; its wire, or the first error after "error: ".
std::string MetadataWire(absl::string_view text) {
  TextErrors errors;
  Lexer lexer(text, &errors);
  std::string wire;
  if (!ReadMetadata(&lexer, &wire)) {
    return "error: " + errors.errors()[0].message;
  }
  EXPECT_EQ(lexer.token(), Token::kEnd) << text;
  return wire;
}

// What the texts here have.
constexpr int64_t kFrame = 9;

std::string MetadataText(absl::string_view wire, bool only_op_name = false,
                         int64_t frame = kFrame) {
  TextBuffer out;
  const bool shown = AppendMetadata("", wire, frame, only_op_name, &out);
  EXPECT_EQ(shown, out.size() > 0);
  return out.Take();
}

TEST(MetadataTextTest, PrintsFrameThatItIsTold) {
  const std::string wire = MetadataWire(R"({op_name="n" stack_frame_id=9})");
  EXPECT_EQ(MetadataText(wire, false, 123),
            R"({op_name="n" stack_frame_id=123})");
  EXPECT_EQ(MetadataText(wire, false, 0), R"({op_name="n"})");
  EXPECT_EQ(MetadataText(MetadataWire("{stack_frame_id=9}"), false, 0), "");
  EXPECT_EQ(MetadataText(MetadataWire(R"({op_name="n"})"), false, 5),
            R"({op_name="n"})");
}

TEST(MetadataTextTest, PrintsWhatItRead) {
  for (
      const char* text : {
          R"({op_name="a\"b"})",
          R"({op_type="t" op_name="n" source_file="f" source_line=3 source_end_line=4 source_column=-5 source_end_column=2147483647 profile_type={0,1,2,3} deduplicated_name="d" scheduling_name="s" stack_frame_id=9 metadata_payload="\377"})",
          R"({metadata_payload=""})",
          R"({stack_frame_id=9})",
      }) {
    EXPECT_EQ(MetadataText(MetadataWire(text)), text);
  }
}

// Through the quick reader, or past it by a blank that only the grammar takes.
TEST(MetadataTextTest, QuickAndByTheGrammar) {
  for (const char* text : {
           R"({op_name="n" source_file="f" source_line=3 stack_frame_id=9})",
           R"({stack_frame_id=9 op_name="n"})",
           R"({op_type="" op_name="" source_line=0})",
           R"({op_name="a\"b"})",
           R"({op_name="} metadata={"})",
           R"({source_line=-3 op_name="n"})",
           R"({source_line=999999999})",
           R"({source_line=2147483647})",
           R"({source_line=2147483648})",
           R"({source_line=99999999999999999999})",
           R"({op_name="n" op_name="n"})",
           R"({op_name="n" source_line=x})",
           R"({op_name="n"source_line=1})",
           R"({op_name="n",source_line=1})",
           R"({op_name="\377"})",
           "{op_name=\"\377\"}",
           R"({profile_type={1} op_name="n"})",
           R"({metadata_payload="p" op_name="n"})",
           R"({op_nam="n"})",
           R"({})",
       }) {
    EXPECT_EQ(MetadataWire(text), MetadataWire(std::string("{ ") + (text + 1)))
        << text;
    std::string wire;
    const size_t size =
        ReadPrintedMetadata(std::string(text) + ", tail", &wire);
    if (size == 0) continue;
    EXPECT_EQ(size, std::string(text).size());
    EXPECT_EQ(wire, MetadataWire(text));
  }
  std::string wire;
  EXPECT_EQ(ReadPrintedMetadata("{op_name=\"n\" stack_frame_id=1}", &wire), 30);
  EXPECT_EQ(ReadPrintedMetadata("{op_name=\"n", &wire), 0);
  EXPECT_EQ(ReadPrintedMetadata("", &wire), 0);
}

// Too long to be put together at once.
TEST(MetadataTextTest, LongTexts) {
  for (const size_t size : {100u, 300u, 400u, 500u, 1000u, 100000u}) {
    const std::string text =
        "{op_name=\"" + std::string(size, 'n') + "\" source_line=7}";
    EXPECT_EQ(MetadataText(MetadataWire(text)), text);
  }
}

TEST(MetadataTextTest, OtherSpellings) {
  struct Case {
    const char* text;
    const char* want;
  };
  for (const Case& c : {
           Case{"{}", ""},
           Case{"{op_name=\"\"}", ""},
           // Not shown by XLA either, though it is there.
           Case{"{source_line=3}", ""},
           Case{"{source_line=3, op_name='x'}",
                "{op_name=\"x\" source_line=3}"},
           Case{"{op_type='t' op_name='x' source_line=0}",
                "{op_type=\"t\" op_name=\"x\"}"},
       }) {
    EXPECT_EQ(MetadataText(MetadataWire(c.text)), c.want) << c.text;
  }
  EXPECT_EQ(MetadataMembersText(MetadataWire("{source_line=3}")),
            "source_line=3");
  EXPECT_EQ(MetadataText(MetadataWire("{op_type='t' op_name='x'}"), true),
            "{op_name=\"x\"}");
  EXPECT_EQ(MetadataText(MetadataWire("{op_type='t'}"), true), "{}");
}

TEST(MetadataTextTest, Errors) {
  struct Case {
    const char* text;
    const char* want;
  };
  for (
      const Case& c : {
          Case{"x", R"(expected "{", found "x")"},
          Case{
              "{op_nam='x'}",
              R"(unknown member of metadata "op_nam", did you mean "op_name"?)"},
          Case{"{zzz='x'}", R"(unknown member of metadata "zzz")"},
          Case{"{op_name='x' op_name='y'}", R"("op_name" is given twice)"},
          Case{"{op_name=3}", R"(expected a string, found "3")"},
          Case{"{op_name='\\377'}", "this text isn't UTF-8"},
          Case{"{source_line=2147483648}",
               R"("2147483648" doesn't fit into 32 bits)"},
          Case{"{profile_type={4}}", "profile types are 0 to 3"},
          Case{
              "{op_name='x'",
              R"(expected a member of metadata or "}", found the end of the text)"},
      }) {
    EXPECT_EQ(MetadataWire(c.text), std::string("error: ") + c.want);
  }
}

TEST(ShapeTextTest, ReadsAShapeInTheMiddle) {
  TextErrors errors;
  Lexer lexer("a=(f32[2]{0}, /*index=1*/s32[]) {x}", &errors);
  lexer.Next();
  Shape shape;
  ASSERT_TRUE(ReadShape(&lexer, true, &shape));
  EXPECT_EQ(shape.ToString(), "(f32[2]{0}, s32[])");
  EXPECT_EQ(lexer.token(), Token::kLeftBrace);
  lexer.Seek(2);
  ASSERT_TRUE(ReadShape(&lexer, false, &shape));
  EXPECT_EQ(shape.elements()[1].layout(), nullptr);

  Lexer bad("f33[2]", &errors);
  EXPECT_FALSE(ReadShape(&bad, true, &shape));
  EXPECT_THAT(errors.errors()[0].message, testing::HasSubstr("f33"));
}

}  // namespace
}  // namespace indim
