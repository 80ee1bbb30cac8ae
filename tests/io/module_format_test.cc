// SPDX-License-Identifier: Apache-2.0
#include "indim/io/module_format.h"

#include <string>

#include "gtest/gtest.h"

namespace indim {
namespace {

using namespace std::string_literals;  // NOLINT: text with zeros in it

struct Row {
  ModuleFormat format;
  std::string bytes;
};

TEST(ModuleFormatTest, OfContent) {
  for (const Row& row : {
           Row{ModuleFormat::kHloText, "HloModule m"},
           Row{ModuleFormat::kHloText, "// c\nHloModule m"},
           Row{ModuleFormat::kHloText, "/* c\n */ HloModule m"},
           Row{ModuleFormat::kHloText, "HloModule m, x=\"\x01\""},
           Row{ModuleFormat::kHloText, "ENTRY e {"},
           Row{ModuleFormat::kHloText, "ROOT x = f32[] add()"},
           Row{ModuleFormat::kHloText, "%x = f32[] add()"},
           Row{ModuleFormat::kHloText, "%f (x: f32[]) -> f32[] {"},
           Row{ModuleFormat::kHloText, "x = f32[]"},
           Row{ModuleFormat::kHloText, "f32[2] add(f32[2])"},
           Row{ModuleFormat::kHloText, "(f32[], f32[]) tuple()"},
           Row{ModuleFormat::kHloText, "e { "},
           Row{ModuleFormat::kHloText, "e {\n  x = f32[] parameter(0)\n}"},
           Row{ModuleFormat::kHloText, "hlo { ROOT x = f32[] parameter(0) }"},
           Row{ModuleFormat::kHloText, "e { %x = f32[] parameter(0) }"},
           Row{ModuleFormat::kProtoText, "name: \"m\"\n"},
           Row{ModuleFormat::kProtoText, "name : \"m\"\n"},
           Row{ModuleFormat::kProtoText, "# c\n# d\n\nname: \"m\"\n"},
           Row{ModuleFormat::kProtoText, "recorded {}\nname: \"m\""},
           Row{ModuleFormat::kProtoText, "computations {\n"},
           Row{ModuleFormat::kProtoText, "computations { name: \"e\" }"},
           Row{ModuleFormat::kProtoText, "hlo_module {\n"},
           Row{ModuleFormat::kProtoText, "hlo { hlo_module { name: \"m\" } }"},
           Row{ModuleFormat::kProtoText, "schedule { sequences { key: 0 } }"},
           Row{ModuleFormat::kProtoText, "goo.gle/debugstr   name: \"m\""},
           Row{ModuleFormat::kProtoText, "go/debugproto hlo_module { id: 1 }"},
           Row{ModuleFormat::kProtoText, "# goo.gle/debugproto\nname: \"m\""},
           Row{ModuleFormat::kProto, "\n\x01m\x1a"},
           Row{ModuleFormat::kProto,
               "\n\x0d"
               "a name of thirteen"s.substr(0, 15) +
                   "\x12\x01"
                   "e"},
           Row{ModuleFormat::kUnknown, "\0"s},
           Row{ModuleFormat::kMlir, "ML\xefR\x00\x01"s},
           Row{ModuleFormat::kMlir, "module @jit_f attributes {"},
           Row{ModuleFormat::kMlir, "module attributes {mhlo.n = 1 : i32} {"},
           Row{ModuleFormat::kMlir, "module {\n  func.func public @main("},
           Row{ModuleFormat::kMlir, "// c\n#loc = loc(unknown)\nmodule @m {"},
           Row{ModuleFormat::kMlir, "#map0 = affine_map<(d0) -> (d0)>"},
           Row{ModuleFormat::kMlir, "func.func @f(%a: tensor<2xf32>) {"},
           Row{ModuleFormat::kMlir, "\"builtin.module\"() ({"},
           Row{ModuleFormat::kUnknown, ""},
           Row{ModuleFormat::kUnknown, "{}"},
           Row{ModuleFormat::kUnknown, "123"},
           Row{ModuleFormat::kUnknown, "# c"},
           Row{ModuleFormat::kUnknown, "\x01\x02"},
           Row{ModuleFormat::kUnknown, "no module"},
           Row{ModuleFormat::kUnknown,
               "\n\x0d"
               "name_of_13___"},
       }) {
    EXPECT_EQ(FormatOfContent(row.bytes), row.format) << row.bytes;
    // A byte order mark is text's, and changes nothing about it.
    if (row.format != ModuleFormat::kProto && row.bytes[0] != 'M') {
      EXPECT_EQ(FormatOfContent("\xef\xbb\xbf" + row.bytes), row.format)
          << row.bytes;
    }
  }
}

// XLA's own tests begin with comments of 5,000 bytes.
TEST(ModuleFormatTest, LongCommentsSayNothing) {
  const std::string comment = "//" + std::string(5000, '-') + "\n";
  EXPECT_EQ(FormatOfContent(comment + "HloModule m"), ModuleFormat::kHloText);
  EXPECT_EQ(FormatOfContent(comment + "module {\nfunc.func"),
            ModuleFormat::kMlir);
  EXPECT_EQ(FormatOfContent("#" + comment + "name: \"m\""),
            ModuleFormat::kProtoText);
  EXPECT_EQ(FormatOfContent(comment), ModuleFormat::kUnknown);
  EXPECT_EQ(FormatOfContent("HloModule m\n" + comment + "\x01"),
            ModuleFormat::kHloText);
}

}  // namespace
}  // namespace indim
