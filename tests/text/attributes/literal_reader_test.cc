// SPDX-License-Identifier: Apache-2.0
// Literals in text. What they should be was asked of XLA (jaxlib 0.10.2).

#include "indim/text/attributes/literal_reader.h"

#include <string>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/codec/literal_proto.h"

namespace indim {
namespace {

struct LiteralAnswer {
  bool ok = false;
  ReadLiteralResult result;
  std::string error;

  // The values alone, as XLA prints them.
  std::string Printed() const {
    std::string text;
    AppendConstantText(result.wire, /*large=*/true, &text);
    return text;
  }
};

LiteralAnswer ReadLiteralText(absl::string_view shape, absl::string_view text,
                              bool allow_elided = false) {
  LiteralAnswer answer;
  const absl::StatusOr<Shape> parsed = ParseShape(shape);
  EXPECT_TRUE(parsed.ok()) << shape;
  if (!parsed.ok()) return answer;
  TextErrors errors;
  Lexer lexer(text, &errors);
  answer.ok = ReadLiteral(&lexer, *parsed, {allow_elided}, &answer.result);
  if (answer.ok && lexer.token() != Token::kEnd) {
    answer.ok = lexer.Error("something follows");
  }
  if (!errors.empty()) answer.error = errors.errors()[0].message;
  return answer;
}

TEST(LiteralReader, ValuesAreXlas) {
  const struct {
    const char* shape;
    const char* text;
    const char* printed;  // null: as it stands
  } kCases[] = {
      {"f32[]", "-0.0", "-0"},
      {"f32[]", "-0", nullptr},
      {"f32[]", "18446744073709551615", "-1"},
      {"f32[]", "3.4028235e38", "3.40282347e+38"},
      {"f32[]", "nan", nullptr},
      {"f32[]", "-nan", nullptr},
      {"f32[]", "nan(0x41)", nullptr},
      {"f32[]", "-nan(0x7fffff)", nullptr},
      {"f32[]", "nan(0x400000)", "nan"},
      {"f32[]", "nan(0x8000000000000)", "nan"},
      {"f32[]", "1e-46", "0"},
      {"f32[]", "1.", "1"},
      {"f32[]", "-.5", "-0.5"},
      {"f32[]", "1E5", "100000"},
      {"f32[]", "1e6", "1e+06"},
      {"f32[]", "1234567", nullptr},
      {"f32[]", "0.333333343", nullptr},
      {"f32[]", "1.4013e-45", nullptr},
      {"f32[]", "0.0001", nullptr},
      {"f32[]", "0.00001", "1e-05"},
      {"f64[]", "nan(0xfffffffffffff)", nullptr},
      {"f64[]", "4.9e-324", "4.94065645841247e-324"},
      {"f64[]", "0.1", nullptr},
      {"f64[]", "0.33333333333333331", nullptr},
      {"f64[]", "123456789012345678901234567890e0", "1.2345678901234568e+29"},
      {"f64[]", "1234567.5", nullptr},
      // Through f32, as XLA does.
      {"bf16[]", "1.0039062500009095", "1"},
      {"f16[]", "1.000488281250455", "1"},
      {"f16[]", "65519", "65504"},
      {"bf16[]", "nan(0x1)", nullptr},
      {"f8e4m3fn[]", "449", "448"},
      {"f8e4m3fn[]", "inf", "nan"},
      {"f8e4m3fn[]", "-nan", nullptr},
      {"f8e5m2[]", "nan(0x1)", nullptr},
      {"f8e5m2[]", "1.1250000000000002", "1.2"},
      {"f8e4m3fnuz[]", "-0.0", "0"},
      {"f8e4m3fnuz[]", "nan", "-nan"},
      {"f8e8m0fnu[]", "1.5", "2"},
      {"f8e8m0fnu[]", "nan", nullptr},
      {"f4e2m1fn[]", "100", "6"},
      {"f4e2m1fn[]", "nan", "-0"},
      {"f4e2m1fn[2]", "{1.5, -6}", nullptr},
      {"f6e2m3fn[]", "7.5", nullptr},
      {"f6e3m2fn[]", "28", nullptr},
      {"c64[]", "(1, 2)", nullptr},
      {"c64[]", "( 1/*re*/ ,2 )", "(1, 2)"},
      {"c64[]", "(nan, -0)", nullptr},
      {"c64[2]", "{(1,-2),(inf,-inf)}", "{(1, -2), (inf, -inf)}"},
      {"c128[]", "(1e39, nan(0x41))", "(1e+39, nan(0x41))"},
      {"s4[3]", "{1, 2, -3}", nullptr},
      {"u4[3]", "{1, 2, 15}", nullptr},
      {"s2[3]", "{1, -2, -1}", nullptr},
      {"s1[2]", "{0, -1}", nullptr},
      {"u1[2]", "{0, 1}", nullptr},
      {"u64[]", "-1", "18446744073709551615"},
      {"s64[]", "9223372036854775808", "-9223372036854775808"},
      {"pred[]", "2", "true"},
      {"pred[2]", "{0, true}", "{0, 1}"},
      {"f32[2]", "{,,1,,2 ,,}", "{1, 2}"},
      {"f32[2]", "{1 2}", "{1, 2}"},
      {"f32[2,2]", "{ { 1, 2 }, { 3, 4 } }", nullptr},
      {"f32[0]", "{}", nullptr},
      {"s8[2,2]", "7", "{ { 7, 0 }, { 0, 0 } }"},
      {"f32[2,0]", "{ {}, {} }", nullptr},
      {"f32[0,2]", "{  }", nullptr},
      {"f32[<=3]", "{1, 2, 3}", nullptr},
      {"f32[1,1,1,2]", "{ { /*i0=0*/ { /*i1=0*/ { 1, 2 } } } }", nullptr},
      {"f32[2]", "{1,// one\n 2}", "{1, 2}"},
      {"()", "()", "(  )"},
      {"(f32[], (s32[2], pred[]))", "( 1, ( {2, 3}, true ) )", nullptr},
  };
  for (const auto& c : kCases) {
    const LiteralAnswer answer = ReadLiteralText(c.shape, c.text);
    EXPECT_TRUE(answer.ok) << c.shape << " " << c.text << ": " << answer.error;
    EXPECT_EQ(answer.Printed(), c.printed ? c.printed : c.text) << c.shape;
  }
}

TEST(LiteralReader, BytesAreXlas) {
  const struct {
    const char* shape;
    const char* text;
    const char* wire;
  } kCases[] = {
      {"f32[]", "1.5",
       "0a07100b2a038001014204"
       "0000c03f"},
      {"f32[2,3]{0,1}", "{{1,2,3},{4,5,6}}",
       "0a13100b1a0202032a070a02000180010132020000"
       "42180000803f00008040000000400000a040000040400000c040"},
      {"f32[2,2]{0,1:T(8,128)}", "{{1,2},{3,4}}",
       "0a1a100b1a0202022a0e0a02000132050a030880018001013202000042100000803f000"
       "0"
       "40400000004000008040"},
      {"f32[0,2]{0,1}", "{}", "0a13100b1a0200022a070a02000180010132020000"},
      {"f32[<=3]", "{1,2,3}",
       "0a10100b1a01032a060a0100800101320100420c0000803f0000004000004040"},
      {"s4[3]", "{1,2,-3}", "0a1010151a01032a060a0100800101320100aa010301020d"},
      {"s4[2]{0:E(4)}", "{1,2}",
       "0a1010151a01022a060a0100800101320100aa01020102"},
      {"s64[]", "-1", "0a0710052a038001012a0affffffffffffffffff01"},
      {"(f32[],())", "(1,())",
       "0a0f100d2207100b2a038001012202100d520f0a07100b2a0380010142040000803f520"
       "4"
       "0a02100d"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(
        absl::BytesToHexString(ReadLiteralText(c.shape, c.text).result.wire),
        c.wire)
        << c.shape;
  }
}

TEST(LiteralReader, ErrorsSayWhatIsWrong) {
  const struct {
    const char* shape;
    const char* text;
    const char* error;  // a part of it
  } kCases[] = {
      {"f32[]", "0x1p3", "expected a number"},
      {"f32[]", "+1", "expected a number"},
      {"f32[]", "- 1", "expected a number"},
      {"f32[]", "infinity", "expected a number"},
      {"f32[]", "NaN", "expected a number"},
      {"f32[]", "true", "expected a number"},
      {"f32[]", "1x", "expected a number"},
      {"f32[]", "", "expected a number"},
      {"f32[]", "nan(0x0)", "something follows"},
      {"f32[]", "nan(0x800000)", "23 bits"},
      {"f8e4m3fn[]", "nan(0x1)", "no payload"},
      {"f32[]", "1e39", "out of the range of f32"},
      {"f32[]", "3.40282357e38", "out of the range"},
      {"f32[]", "99999999999999999999", "out of the range"},
      {"f64[]", "1e309", "out of the range"},
      {"f16[]", "65520", "out of the range"},
      {"bf16[]", "3.4e38", "out of the range"},
      {"f8e4m3fn[]", "465", "out of the range"},
      {"f8e8m0fnu[]", "0", "out of the range"},
      {"f8e8m0fnu[]", "-1", "out of the range"},
      {"s4[]", "8", "out of the range of s4"},
      {"s1[]", "1", "out of the range"},
      {"u8[]", "-1", "out of the range"},
      {"u64[]", "18446744073709551616", "out of the range"},
      {"s64[]", "-9223372036854775809", "out of the range"},
      {"s32[]", "1.0", "expected an integer"},
      {"s32[]", "1e3", "expected an integer"},
      {"s32[]", "true", "expected an integer"},
      {"pred[]", "1.0", "expected true, false, 0 or 1"},
      {"c64[]", "1", "(real, imaginary)"},
      {"c64[]", "(1,2", "no end"},
      {"c64[]", "(1,2,)", "expected \")\""},
      {"c64[]", "(1e39,1)", "out of the range"},
      {"f32[]", "{1}", "expected a number"},
      {"f32[0]", "1", "expected \"{\""},
      {"f32[1000000]", "1", "expected \"{\""},
      {"f32[2]", "{1}", "here are 1"},
      {"f32[2]", "{1,2,3}", "no more than 2"},
      {"f32[2]", "{1,2", "no end"},
      {"f32[2]", "{1,2}}", "something follows"},
      {"f32[2]", "{1_2}", "expected a number"},
      {"f32[2]", "{{1,2}}", "has 1 dim"},
      {"f32[2,2]", "{1,2,3,4}", "expected \"{\""},
      {"f32[2,2]", "{{1,2}}", "here are 1"},
      {"f32[2,0]", "{}", "here are 0"},
      {"f32[2]", "{...}", "left out"},
      {"f32[2,2]", "{{...},{...}}", "outermost"},
      {"(f32[],f32[])", "(1)", "expected \",\""},
      {"(f32[])", "(1,)", "expected \")\""},
      {"token[]", "token", "no values"},
      {"f32[?]", "{}", "no values"},
      {"f32[2]", "{1,/*", "never closed"},
  };
  for (const auto& c : kCases) {
    const LiteralAnswer answer = ReadLiteralText(c.shape, c.text);
    EXPECT_FALSE(answer.ok) << c.shape << " " << c.text;
    EXPECT_NE(answer.error.find(c.error), std::string::npos)
        << c.shape << " " << c.text << ": " << answer.error;
  }
}

TEST(LiteralReader, ElidedValuesCostNothing) {
  const LiteralAnswer answer =
      ReadLiteralText("f32[1000000,1000000]", "{...}", /*allow_elided=*/true);
  EXPECT_TRUE(answer.ok) << answer.error;
  EXPECT_TRUE(answer.result.elided);
  EXPECT_LT(answer.result.wire.size(), 64u);
  EXPECT_TRUE(ReadLiteralText("f32[5]", "{1, ...}", true).result.elided);
  EXPECT_TRUE(ReadLiteralText("f32[]", "{...}", true).result.elided);
  EXPECT_TRUE(
      ReadLiteralText("(f32[5], s32[])", "{ ... }", true).result.elided);
  EXPECT_TRUE(
      ReadLiteralText("(f32[5], s32[])", "({...}, 1)", true).result.elided);
  EXPECT_FALSE(ReadLiteralText("f32[5]", "{..., 1}", true).ok);
  // A dim of the largest size is full after "...".
  EXPECT_FALSE(
      ReadLiteralText("f32[9223372036854775807]", "{..., 1}", true).ok);
  // Nor does a shape whose values aren't there.
  EXPECT_FALSE(ReadLiteralText("f32[1000000,1000000]", "{{1}}").ok);
}

TEST(LiteralReader, ValuesThatAreNotThereAreNotLeftOut) {
  const char* const kShape = "f32[1000000,1000000,0]";
  const LiteralAnswer answer = ReadLiteralText(kShape, "{...}");
  EXPECT_TRUE(answer.ok) << answer.error;
  EXPECT_FALSE(answer.result.elided);
  EXPECT_EQ(answer.Printed(), "{...}");
  // Few lists are printed, as XLA does.
  EXPECT_EQ(ReadLiteralText("f32[2,0]", "{...}").Printed(), "{ {}, {} }");
  EXPECT_FALSE(ReadLiteralText("f32[0,1000000000000]", "{...}").result.elided);
  EXPECT_EQ(ReadLiteralText("f32[0,1000000000000]", "{}").Printed(), "{  }");
}

// XLA's own tests write f32[4096,4096] constant(0).
TEST(LiteralReader, ManyZerosCostNothing) {
  for (const char* shape : {"f32[1000000,1000000]", "s8[1,384,1024]"}) {
    const LiteralAnswer answer = ReadLiteralText(shape, "0");
    EXPECT_TRUE(answer.ok) << answer.error;
    EXPECT_LT(answer.result.wire.size(), 64u);
    const absl::StatusOr<Literal> literal =
        ParseLiteralProto(answer.result.wire);
    ASSERT_TRUE(literal.ok()) << literal.status();
    EXPECT_TRUE(literal->is_splat());
  }
  EXPECT_TRUE(ReadLiteralText("c64[1000000]", "(0,0)").ok);
  EXPECT_FALSE(ReadLiteralText("f32[1000000]", "-0").ok);
  EXPECT_FALSE(ReadLiteralText("c64[1000000]", "(0,1)").ok);
}

TEST(LiteralReader, TypedLiterals) {
  const struct {
    const char* text;
    const char* wire;  // null: an error
  } kCases[] = {
      {"f32[] 1.5", "0a07100b2a0380010142040000c03f"},
      {"s4[2]{0} {1,2}", "0a1010151a01022a060a0100800101320100aa01020102"},
      {"(f32[] 1, ())",
       "0a0f100d2207100b2a038001012202100d520f0a07100b2a0380010142040000803f520"
       "4"
       "0a02100d"},
      {"1", nullptr},
      {"(f32[] 1", nullptr},
  };
  for (const auto& c : kCases) {
    TextErrors errors;
    Lexer lexer(c.text, &errors);
    ReadLiteralResult result;
    EXPECT_EQ(ReadTypedLiteral(&lexer, {}, &result), c.wire != nullptr)
        << c.text;
    if (c.wire == nullptr) continue;
    EXPECT_EQ(absl::BytesToHexString(result.wire), c.wire) << c.text;
  }
  // Nesting ends somewhere.
  const std::string deep(100000, '(');
  TextErrors errors;
  Lexer lexer(deep, &errors);
  ReadLiteralResult result;
  EXPECT_FALSE(ReadTypedLiteral(&lexer, {}, &result));
}

TEST(LiteralReader, LongNumbersTakeOnePass) {
  const std::string digits(1000000, '7');
  EXPECT_EQ(ReadLiteralText("f64[]", "0." + digits).Printed(),
            "0.77777777777777779");
  EXPECT_EQ(ReadLiteralText("f64[]", "0." + std::string(1000000, '0') + "1")
                .Printed(),
            "0");
  EXPECT_FALSE(ReadLiteralText("f64[]", digits).ok);
  EXPECT_FALSE(ReadLiteralText("s32[]", digits).ok);
  EXPECT_FALSE(ReadLiteralText("f64[]", "1e" + digits).ok);
}

TEST(LiteralReader, AppendConstantTextElides) {
  std::string text;
  AppendConstantText(
      ReadLiteralText("f32[10]", "{1,2,3,4,5,6,7,8,9,10}").result.wire, false,
      &text);
  EXPECT_EQ(text, "{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}");
  text.clear();
  AppendConstantText(
      ReadLiteralText("s32[11]", "{1,2,3,4,5,6,7,8,9,10,11}").result.wire,
      false, &text);
  EXPECT_EQ(text, "{...}");
  text.clear();
  AppendConstantText(ReadLiteralText("(f32[])", "(1)").result.wire, false,
                     &text);
  EXPECT_EQ(text, "{...}");
  text.clear();
  AppendConstantText("", true, &text);
  EXPECT_EQ(text, "{...}");
}

}  // namespace
}  // namespace indim
