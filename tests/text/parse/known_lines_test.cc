// SPDX-License-Identifier: Apache-2.0
// Lines like one before are read without the grammar: that must not show.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/module.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// The same module, of lines that are not spelled as printers do: only the
// grammar reads them.
std::string Unusual(absl::string_view text) {
  std::string result;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const size_t equals = line.find(" = ");
    if (absl::StartsWith(line, "  ") && equals != absl::string_view::npos) {
      absl::StrAppend(&result, line.substr(0, equals), " =/**/ ",
                      line.substr(equals + 3), "\n");
    } else {
      absl::StrAppend(&result, line, "\n");
    }
  }
  return result;
}

std::string BytesOf(absl::string_view text) {
  ParseOptions options;
  options.allow_elided_constants = true;
  const absl::StatusOr<Module> module = ParseHloText(text, options);
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) return "";
  const absl::StatusOr<std::string> bytes = SerializeModule(*module);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

TEST(HloParserKnownTest, RealModulesReadTheSame) {
  int64_t count = 0;
  for (const char* name :
       {"ct_callbacks.hlo", "ct_callbacks.opt.hlo", "ct_cond_switch.hlo",
        "ct_while_fori.hlo", "dt_bitcast.hlo", "dt_dot_algorithms.hlo",
        "dt_dot_algorithms_cuda.hlo", "dt_f16_mixed.hlo",
        "dt_int4_weight_only.hlo", "dt_int_bits.hlo"}) {
    const absl::StatusOr<std::string> text =
        ReadFile(absl::StrCat("tests/data/jax/", name));
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_EQ(BytesOf(*text), BytesOf(Unusual(*text))) << name;
    ++count;
  }
  EXPECT_EQ(count, 10);
}

// What looks like a line before, but isn't. Each body is read twice, once by
// the grammar alone.
TEST(HloParserKnownTest, LinesThatLookAlike) {
  const std::vector<std::string> bodies = {
      // Constants, some longer than their line.
      "  %a = s32[] constant(1)\n  %b = s32[] constant(2)\n"
      "  %c = s32[] constant(1)\n",
      "  %a = s32[2] constant({1,\n2})\n  %b = s32[2] constant({1,\n3})\n"
      "  %c = s32[2] constant({1,\n2})\n",
      // Attributes and comments that go on behind the line.
      "  %a = f32[2]{0} negate(%x)\n  %b = f32[2]{0} negate(%x)\n"
      "  , metadata={op_name=\"b\"}\n  %c = f32[2]{0} negate(%x)\n",
      "  %a = f32[2]{0} negate(%x) /* one\n two */\n"
      "  %b = f32[2]{0} negate(%x) /* one\n three */, "
      "metadata={op_name=\"b\"}\n",
      // Strings that do, or that look like metadata.
      "  %a = f32[2]{0} custom-call(%x), custom_call_target=\"t\nu\"\n"
      "  %b = f32[2]{0} custom-call(%x), custom_call_target=\"t\nv\"\n"
      "  %c = f32[2]{0} custom-call(%x), custom_call_target=\"t\nu\"\n",
      "  %a = f32[2]{0} custom-call(%x), custom_call_target=\", metadata={}\"\n"
      "  %b = f32[2]{0} custom-call(%x), custom_call_target=\", "
      "metadata={}\"\n",
      "  %a = f32[2]{0} negate(%x), metadata={op_name=\"}, metadata={\"}\n"
      "  %b = f32[2]{0} negate(%x), metadata={op_name=\"}, metadata={\"}\n"
      "  %c = f32[2]{0} negate(%x), metadata={op_name=\"c\"}\n",
      // Attributes on both sides of metadata, and the same on one.
      "  %a = f32[2]{0} negate(%x), metadata={op_name=\"a\"}, "
      "sharding={replicated}\n"
      "  %b = f32[2]{0} negate(%x), metadata={op_name=\"b\"}, "
      "sharding={replicated}\n"
      "  %c = f32[2]{0} negate(%x), sharding={replicated}, "
      "metadata={op_name=\"a\"}\n"
      "  %d = f32[2]{0} negate(%x), metadata={op_name=\"a\"}\n",
      // Operands of other shapes, with their shapes, nested, elements.
      "  %a = pred[2]{0} compare(%x, %x), direction=LT\n"
      "  %b = pred[2]{0} compare(%i, %i), direction=LT\n"
      "  %c = pred[2]{0} compare(%x, %x), direction=LT\n",
      "  %a = f32[2]{0} add(f32[2]{0} %x, f32[2]{0} %x)\n"
      "  %b = f32[2]{0} add(f32[2]{0} %a, f32[2]{0} %x)\n"
      "  %c = f32[2]{0} add(%b, f32[2]{0} negate(%b))\n"
      "  %d = f32[2]{0} add(%a, %b)\n",
      "  %a = (f32[2]{0}, s32[2]{0}) tuple(%x, %i)\n"
      "  %b = f32[2]{0} negate(%a#0)\n  %c = f32[2]{0} negate(%x)\n"
      "  %d = (f32[2]{0}, s32[2]{0}) tuple(%x, %i)\n",
      "  %a = (f32[2]{0}, f32[2]{0}, f32[2]{0}, f32[2]{0}, f32[2]{0}, "
      "/*index=5*/f32[2]{0}) tuple(%x, %x, %x, %x, %x, /*index=5*/%x)\n"
      "  %b = (f32[2]{0}, f32[2]{0}, f32[2]{0}, f32[2]{0}, f32[2]{0}, "
      "/*index=5*/f32[2]{0}) tuple(%x, %x, %x, %x, %x, /*index=5*/%x)\n",
      // Names that want to be something else.
      "  a = f32[2]{0} negate(x)\n  b.01 = f32[2]{0} negate(a)\n"
      "  b.1 = f32[2]{0} negate(b.01)\n",
      // What is called, by name and as a body.
      "  %a = f32[2]{0} map(%x), dimensions={0}, to_apply=%f\n"
      "  %b = f32[2]{0} map(%x), dimensions={0}, to_apply=%f\n"
      "  %c = f32[2]{0} fusion(%x), kind=kLoop, calls=%g\n"
      "  %d = f32[2]{0} fusion(%x), kind=kLoop, calls=%g\n",
      // Other computations, called in the same way.
      "  %a = f32[2]{0} map(%x), dimensions={0}, to_apply=%f\n"
      "  %b = f32[2]{0} map(%x), dimensions={0}, to_apply=%h, "
      "metadata={op_name=\"b\"}\n"
      "  %c = f32[2]{0} map(%x), dimensions={0}, to_apply=%h, "
      "backend_config={\"h\":1}\n"
      "  %d = f32[2]{0} map(%x), dimensions={0}, to_apply=%f, "
      "backend_config={\"h\":1}\n"
      "  %e = f32[2]{0} map(%x), to_apply=%h, dimensions={0}\n"
      "  %k = f32[2]{0} map(%x), to_apply=%f, dimensions={0}\n",
      "  %a = f32[2]{0} fusion(%x), kind=kLoop, calls=%g\n"
      "  %b = f32[2]{0} fusion(%x), kind=kLoop, calls=%l\n",
      "  %a = f32[2]{0} custom-call(%x), custom_call_target=\"=%f\"\n"
      "  %b = f32[2]{0} custom-call(%x), custom_call_target=\"=%h\"\n"
      "  %c = f32[2]{0} custom-call(%x), custom_call_target=\"=%f\", "
      "called_computations={%h}\n"
      "  %d = f32[2]{0} custom-call(%x), custom_call_target=\"=%f\", "
      "called_computations={%f}\n",
      // Parameters that differ by their number.
      "  %a = f32[2]{0} parameter(3)\n  %b = f32[2]{0} parameter(2)\n"
      "  %c = f32[2]{0} parameter(4), sharding={replicated}\n"
      "  %d = f32[2]{0} parameter(6), sharding={replicated}\n"
      "  %e = f32[2]{0} parameter(05), sharding={replicated}\n"
      "  %k = f32[2]{0} parameter( 7)\n  %l = f32[2]{0} parameter(8 )\n",
      // Tuples of shapes that were read before, and not.
      "  %a = (f32[2]{0}, f32[2]{0}) tuple(%x, %x)\n"
      "  %b = (f32[2]{0}, s32[2]{0}, f32[2]) tuple(%x, %i, %x)\n"
      "  %c = ((f32[2]{0}, f32[2]{0}), s32[2]{0}) tuple(%a, %i)\n"
      "  %d = ((f32[2]{0}, f32[2]{0}), s32[2]{0}) tuple(%a, %i)\n"
      "  %e = () tuple()\n  %k = ( f32[2]{0},s32[2]{0} ) tuple(%x, %i)\n",
      "  %a = f32[2]{0} negate(%x)\n"
      "  %b = f32[2]{0} negate(%a), control-predecessors={%a}\n"
      "  %c = f32[2]{0} negate(%b), control-predecessors={%b}\n",
      // The last line's metadata, a beginning of it, and the one before.
      "  %a = f32[2]{0} negate(%x), metadata={op_name=\"a\"}\n"
      "  %b = f32[2]{0} negate(%x), metadata={op_name=\"a\"}\n"
      "  %c = f32[2]{0} negate(%x), metadata={op_name=\"ab\"}\n"
      "  %d = f32[2]{0} negate(%x), metadata={op_name=\"a\"}, "
      "sharding={replicated}\n"
      "  %e = f32[2]{0} negate(%x)\n"
      "  %k = f32[2]{0} negate(%x), metadata={op_name=\"a\"}\n",
      "  %a = f32[2]{0} negate(%x), metadata={op_name=\"}\" "
      "source_file=\"{\" source_line=1}\n"
      "  %b = f32[2]{0} negate(%x), metadata={source_line=1 "
      "op_name=\"a\\\"}\"}\n"
      "  %c = f32[2]{0} negate(%x), metadata={op_name=\"a\" "
      "source_line=0}\n"
      "  %d = f32[2]{0} negate(%x), metadata={op_name=\"\"}\n"
      "  %e = f32[2]{0} negate(%x), metadata={}\n",
      // Without a result's shape.
      "  %a = negate(%x)\n  %b = negate(%i)\n  %c = negate(%x)\n",
  };
  for (const std::string& body : bodies) {
    const std::string text = absl::StrCat(
        "HloModule m\n\n%f (p: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n"
        "  ROOT %q = f32[] negate(%p)\n}\n\n"
        "%h (p: f32[]) -> f32[] {\n  %p.1 = f32[] parameter(0)\n"
        "  ROOT %q.1 = f32[] exponential(%p.1)\n}\n\n"
        "%l (y: f32[2]) -> f32[2] {\n  %y.1 = f32[2]{0} parameter(0)\n"
        "  ROOT %z.1 = f32[2]{0} exponential(%y.1)\n}\n\n"
        "%g (y: f32[2]) -> f32[2] {\n  %y = f32[2]{0} parameter(0)\n"
        "  ROOT %z = f32[2]{0} negate(%y)\n}\n\nENTRY %main {\n"
        "  %x = f32[2]{0} parameter(0)\n  %i = s32[2]{0} parameter(1)\n",
        body, "  ROOT %r = f32[2]{0} negate(%x)\n}\n");
    EXPECT_EQ(BytesOf(text), BytesOf(Unusual(text))) << body;
  }
}

TEST(HloParserKnownTest, ErrorsInLinesLikeOnesBefore) {
  struct Case {
    std::string lines;  // from line 4 of the text on
    std::string error;
  };
  const std::vector<Case> cases = {
      {"  %a = f32[2]{0} negate(%x)\n  %b = f32[2]{0} negate(%y)\n",
       "text:5:25: error: no instruction before this one is named \"y\""},
      {"  %a = f32[2]{0} negate(%x)\n  %a = f32[2]{0} negate(%x)\n",
       "text:5:3: error: there is an instruction named \"a\" already"},
      {"  ROOT %a = f32[2]{0} negate(%x)\n  ROOT %b = f32[2]{0} negate(%x)\n",
       "text:5:3: error: a computation has one ROOT"},
      {"  %a = f32[2]{0} negate(%x)\n  %f32 = f32[2]{0} negate(%x)\n",
       "text:5:3: error: \"f32\" can't be a name"},
      {"  %a = f32[2]{0} negate(%x)\n  %b = f32[2]{0} negate(%x), wrong=1\n",
       "text:5:30: error: unknown attribute of negate \"wrong\""},
      {"  %a = f32[2]{0} negate(%x), metadata={op_name=\"a\"}\n"
       "  %b = f32[2]{0} negate(%x), metadata={op_nam=\"b\"}\n",
       "text:5:40: error: unknown member of metadata"},
      {"  %a = f32[2]{0} map(%x), dimensions={0}, to_apply=%f\n"
       "  %b = f32[2]{0} map(%x), dimensions={0}, to_apply=%e\n",
       "text:5:52: error: no computation before this one is named \"e\""},
      {"  %a = f32[2]{0} parameter(1)\n  %b = f32[2]{0} parameter(1)\n",
       "error: parameter(1) is here twice"},
      {"  %a = f32[2]{0} parameter(1)\n  %b = f32[2]{0} parameter(3)\n",
       "error: parameter(2) is missing here, but there is parameter(3)"},
      {"  %a = f32[2]{0} parameter(1)\n"
       "  %b = f32[2]{0} parameter(99999999999999999999999)\n",
       "text:5:28: error:"},
      {"  %a = f32[2]{0} negate(%x)\n  %b = f32[2]{0} negate(%x\n",
       "text:6:1: error:"},
  };
  for (const Case& c : cases) {
    const std::string text = absl::StrCat(
        "%f { %p = f32[] parameter(0) }\nENTRY %main {\n"
        "  %x = f32[2]{0} parameter(0)\n",
        c.lines, "}\n");
    const absl::StatusOr<Module> module = ParseHloText(text);
    ASSERT_FALSE(module.ok()) << text;
    EXPECT_THAT(std::string(module.status().message()), HasSubstr(c.error));
  }
}

// What becomes of a computation with this signature: its module's bytes, or the
// error without its place.
std::string WithSignature(absl::string_view signature) {
  const absl::StatusOr<Module> module =
      ParseHloText(absl::StrCat("HloModule m\n\nENTRY %main ", signature,
                                " {\n  %x = f32[2]{0} parameter(0)\n  %y.1 = "
                                "(s32[], f32[]) parameter(1)\n"
                                "  ROOT %r = f32[2]{0} negate(%x)\n}\n"));
  if (module.ok()) return SerializeModule(*module).value_or("");
  const std::string message(module.status().message());
  const size_t place = message.find("error: ");
  return message.substr(place, message.find('\n', place) - place);
}

// Signatures as printers write them are read without the grammar as well, which
// a comment leads back to.
TEST(HloParserKnownTest, Signatures) {
  int64_t read = 0;
  for (const absl::string_view parameters :
       {"",
        "x: f32[2]",
        "x: f32[2], y.1: (s32[], f32[])",
        "x: f32[2]{0}, y: s32[]",
        "%x: f32[2]",
        "x : f32[2]",
        "x:f32[2]",
        "x: f32[2],y: s32[]",
        "f32: f32[2]",
        "1x: f32[2]",
        ": f32[2]",
        "x",
        "x: ",
        "x: f32",
        "x: f32[2],",
        "x: f32[2], ",
        "x: f32[2] y: f32[2]",
        "x: f32[2], y",
        "x: f32[2]{0:T(8)}, y: bf16[3]",
        "x: f32[<=2], y: s8[]",
        "x: token[], y: f32[2]",
        "x: f32[2,,3]",
        "x: f32[2]{1}",
        "x: f99[2], y: s8[]",
        "x: f32[4611686018427387904,4]",
        "x: f32[2], y: f32[2], z: f32[2]"}) {
    for (const absl::string_view result :
         {" -> f32[2]", " -> f32[2]{0}", " -> f32[3]", "", " ->", " -> f32"}) {
      const std::string plain =
          WithSignature(absl::StrCat("(", parameters, ")", result));
      EXPECT_EQ(plain,
                WithSignature(absl::StrCat("(/**/", parameters, ")", result)))
          << parameters << result;
      read += plain.substr(0, 7) != "error: ";
    }
  }
  EXPECT_GT(read, 15);
}

// A comment may stand before and behind each punctuation mark, as for XLA,
// except within strings and before the colon of a parameter's name.
TEST(HloParserKnownTest, CommentsSayNothing) {
  constexpr absl::string_view kText = R"(HloModule m

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

ENTRY %main (x: f32[2,3], y: (s32[], bf16[4])) -> f32[2,3] {
  %x = f32[2,3]{1,0:T(2,128)} parameter(0), sharding={devices=[2,1]<=[2]}
  %y = (s32[], bf16[4]{0}) parameter(1)
  %c = f32[2,3]{1,0} constant({{1, 2, 3}, {4, -5, inf}})
  %z = f32[] constant(0)
  %p = f32[3,4]{1,0} pad(%x, %z), padding=0_1x0_1
  %l = f32[2,3]{1,0} slice(%p), slice={[0:2], [1:4:1]}
  %w = f32[2,3]{1,0} reduce-window(%x, %z), window={size=1x2 pad=0_0x0_1},
    to_apply=%add
  %d = f32[2,2]{1,0} dot(%x, %c), lhs_contracting_dims={1},
    rhs_contracting_dims={1}, operand_precision={highest,default}
  %u = f32[2,3]{1,0} all-reduce(%c), replica_groups={{0,1}}, to_apply=%add
  ROOT %o = f32[2,3]{1,0} add(%u, %w), control-predecessors={%l}
}
)";
  const std::string bytes = BytesOf(kText);
  for (size_t i = kText.find("\n\n"); i < kText.size(); ++i) {
    if (!absl::StrContains("{}[](),", kText[i])) continue;
    for (const size_t at : {i, i + 1}) {
      const std::string text =
          absl::StrCat(kText.substr(0, at), "/**/", kText.substr(at));
      EXPECT_TRUE(BytesOf(text) == bytes)
          << text.substr(at - std::min<size_t>(at, 20), 40);
    }
  }
}

}  // namespace
}  // namespace indim
