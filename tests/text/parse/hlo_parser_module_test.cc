// SPDX-License-Identifier: Apache-2.0
// Modules and computations of HLO text: headers, entries, names, ids, bodies.

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/tests/text/parse/parsed_module.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> ComputationNames(const Module& module) {
  std::vector<std::string> names;
  for (Computation c : module.computations()) names.emplace_back(c.name());
  return names;
}

// "name = shape op(operands)", one for each instruction, the root with a star.
std::vector<std::string> Lines(Computation computation) {
  std::vector<std::string> lines;
  for (Instruction i : computation.instructions()) {
    std::vector<std::string> operands;
    for (Instruction operand : i.operands()) operands.push_back(operand.name());
    lines.push_back(absl::StrCat(i == computation.root() ? "*" : "", i.name(),
                                 " = ", i.shape().ToString(), " ",
                                 i.opcode_name(), "(",
                                 absl::StrJoin(operands, ", "), ")"));
  }
  return lines;
}

TEST(HloParserModuleTest, HeaderAndComputations) {
  const Module m = Parsed(R"(HloModule affine, is_scheduled=false

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

ENTRY %main (x: f32[2,3]) -> f32[2] {
  %x = f32[2,3]{1,0} parameter(0)
  %zero = f32[] constant(0)
  ROOT %r = f32[2]{0} reduce(%x, %zero), dimensions={1}, to_apply=%sum
}
)");
  EXPECT_EQ(m.name(), "affine");
  EXPECT_THAT(ComputationNames(m), ElementsAre("sum", "main"));
  EXPECT_EQ(m.entry().name(), "main");
  EXPECT_THAT(Lines(m.entry()), ElementsAre("x = f32[2,3]{1,0} parameter()",
                                            "zero = f32[] constant()",
                                            "*r = f32[2]{0} reduce(x, zero)"));
  EXPECT_EQ(m.entry().root().callee(0).name(), "sum");
}

TEST(HloParserModuleTest, PercentSignsAndLayoutsMayBeMissing) {
  const Module m = Parsed("e { x = f32[2,3] parameter(0) y = negate(x) }");
  EXPECT_EQ(m.name(), "module_e");
  EXPECT_THAT(Lines(m.entry()), ElementsAre("x = f32[2,3]{1,0} parameter()",
                                            "*y = f32[2,3]{1,0} negate(x)"));
  ParseOptions options;
  options.fill_missing_layouts = false;
  absl::StatusOr<Module> bare = ParseHloText(
      "e { x = f32[2,3] parameter(0) y = f32[2,3]{0,1} copy(x) }", options);
  ASSERT_TRUE(bare.ok()) << bare.status();
  EXPECT_THAT(Lines(bare->entry()), ElementsAre("x = f32[2,3] parameter()",
                                                "*y = f32[2,3]{0,1} copy(x)"));
}

TEST(HloParserModuleTest, TheEntryIsMarkedOrLast) {
  constexpr absl::string_view kA = "a { x = f32[] parameter(0) }\n";
  constexpr absl::string_view kB = "b { x = f32[] parameter(0) }\n";
  EXPECT_EQ(Parsed(absl::StrCat("HloModule m\n", kA, kB)).entry().name(), "b");
  EXPECT_EQ(Parsed(absl::StrCat("ENTRY ", kA, kB)).entry().name(), "a");
  const absl::StatusOr<Module> two =
      ParseHloText(absl::StrCat("ENTRY ", kA, "ENTRY ", kB));
  ASSERT_FALSE(two.ok());
  EXPECT_THAT(std::string(two.status().message()),
              HasSubstr("a module has one ENTRY; this is the second"));
}

// What XLA's module of the same text has (jaxlib 0.10.2).
TEST(HloParserModuleTest, IdsAndNamesAreXlas) {
  const Module m = Parsed(R"(
sum { a = f32[] parameter(0) b = f32[] parameter(1) s = add(a, b) }
ENTRY e {
  x = f32[2,3] parameter(0)
  z = f32[] constant(0)
  r = f32[2] reduce(x, z), dimensions={1}, to_apply=sum
  q = f32[2] add(r, multiply(r, r))
  a = f32[2] negate(q), control-predecessors={z}
  ROOT t = (f32[2], f32[2]) tuple(r, a)
})");
  EXPECT_THAT(Lines(m.entry()),
              ElementsAre("x = f32[2,3]{1,0} parameter()",
                          "z = f32[] constant()", "r = f32[2]{0} reduce(x, z)",
                          "multiply.anon = f32[2]{0} multiply(r, r)",
                          "q = f32[2]{0} add(r, multiply.anon)",
                          "a.1 = f32[2]{0} negate(q)",
                          "*t = (f32[2]{0}, f32[2]{0}) tuple(r, a.1)"));
  std::vector<int64_t> ids;
  for (Instruction i : m.entry().instructions()) ids.push_back(i.id());
  const int64_t first = int64_t{1} << 32;
  EXPECT_THAT(ids, ElementsAre(first, first + 1, first + 2, first + 3,
                               first + 4, first + 5, first + 6));
  EXPECT_EQ(m.computation(0).id(), 0);
  EXPECT_EQ(m.computation(0).instruction(0).id(), 0);
  // Field 37, packed: z.
  EXPECT_EQ(internal::AttributeBytesOf(m.entry().instruction(5)).control,
            absl::string_view("\xaa\x02\x05\x81\x80\x80\x80\x10"));
}

TEST(HloParserModuleTest, BodiesInPlaceOfNames) {
  const Module m = Parsed(R"(ENTRY e {
  p = s32[] parameter(0)
  w = s32[] while(p),
    condition={ p = s32[] parameter(0) c = s32[] constant(5)
                ROOT l = compare(p, c), direction=LT },
    body={ p = s32[] parameter(0)
           ROOT d = s32[] call(p), to_apply={ p = s32[] parameter(0)
                                              n = negate(p) } }
  ROOT u = add(p, w)
})");
  EXPECT_EQ(m.computation_count(), 4);
  const Instruction loop = m.entry().instruction(1);
  ASSERT_EQ(loop.callee_count(), 2);
  // Body before condition.
  EXPECT_EQ(loop.callee(0).root().opcode(), Opcode::kCall);
  EXPECT_EQ(loop.callee(1).root().opcode(), Opcode::kCompare);
  EXPECT_EQ(loop.callee(0).root().callee(0).root().opcode(), Opcode::kNegate);
  // The names of the outer computation mean what they did.
  EXPECT_EQ(m.entry().root().operand(0), m.entry().instruction(0));
  EXPECT_TRUE(ReadHloModuleProto(*SerializeModule(m)).ok());
}

TEST(HloParserModuleTest, ABodyDoesNotSeeTheNamesAroundIt) {
  const absl::StatusOr<Module> m = ParseHloText(
      "e { x = f32[] parameter(0) c = f32[] call(x), to_apply={ n = negate(x) "
      "} }");
  ASSERT_FALSE(m.ok());
  EXPECT_THAT(std::string(m.status().message()),
              HasSubstr("no instruction before this one is named \"x\""));
}

TEST(HloParserModuleTest, ABareInstruction) {
  const Module m = Parsed("sum = f32[2] add(f32[2] x, f32[2])");
  EXPECT_EQ(m.name(), "_");
  EXPECT_EQ(m.entry().name(), "_");
  EXPECT_THAT(Lines(m.entry()), ElementsAre("x = f32[2]{0} parameter()",
                                            "_1 = f32[2]{0} parameter()",
                                            "*sum = f32[2]{0} add(x, _1)"));
  EXPECT_THAT(
      Lines(Parsed("f32[2] add(f32[2] x, f32[2] x)").entry()),
      ElementsAre("x = f32[2]{0} parameter()", "*_ = f32[2]{0} add(x, x)"));
}

TEST(HloParserModuleTest, BareInstructions) {
  const Module m = Parsed(
      "y = f32[2] negate(f32[2] x)\n// twice\nz = add(x, y)\n"
      "%w = f32[2]{0} multiply(%z, f32[2] %x)\n");
  EXPECT_EQ(m.name(), "_");
  EXPECT_THAT(
      Lines(m.entry()),
      ElementsAre("x = f32[2]{0} parameter()", "y = f32[2]{0} negate(x)",
                  "z = f32[2]{0} add(x, y)", "*w = f32[2]{0} multiply(z, x)"));
  EXPECT_THAT(
      Lines(Parsed("x = f32[2] parameter(0)\nROOT y = f32[2] "
                   "negate(x)\nz = f32[2] negate(y)")
                .entry()),
      ElementsAre("x = f32[2]{0} parameter()", "*y = f32[2]{0} negate(x)",
                  "z = f32[2]{0} negate(y)"));
  for (const auto& [text, error] :
       std::vector<std::pair<absl::string_view, absl::string_view>>{
           {"x = f32[2] negate(f32[2] a)\ny = f32[2] negate(b)",
            "no instruction before this one is named \"b\""},
           {"x = f32[2] negat(f32[2] a)\ny = f32[2] abs(x)",
            "unknown op \"negat\", did you mean \"negate\"?"},
           {"x = f32[2] parameter(0)\ny = f32[2] negate(f32[2] z)",
            "parameter(0) is here twice"},
           {"f32[2] negate(f32[2] x) y = f32[2] negate(x)",
            "expected nothing after an instruction without a name"}}) {
    const absl::StatusOr<Module> module = ParseHloText(text);
    ASSERT_FALSE(module.ok()) << text;
    EXPECT_THAT(std::string(module.status().message()),
                HasSubstr(std::string(error)))
        << text;
  }
}

// Shapes that don't go with the operands are the verifier's business.
TEST(HloParserModuleTest, ShapesAreBelieved) {
  for (const absl::string_view root :
       {"f32[5] reshape(x)", "f32[2,2] dynamic-reshape(x, i)",
        "f32[2] dynamic-slice(x, i, i), dynamic_slice_sizes={2}",
        "f32[4] dynamic-update-slice(x, x)", "(f32[4], f32[4]) tuple(x)",
        "f32[4] conditional(x, x, x), branch_computations={a, a}",
        "f32[4] conditional(p, x), true_computation=a, false_computation=a",
        "f32[4] conditional(p, x, x), branch_computations={a}",
        "f32[4] recv(k), channel_id=1", "f32[4] infeed(k)",
        "f32[4] recv-done(x), channel_id=1", "f32[4] async-start(x), calls=a",
        "(f32[4], f32[4]) async-start(x), calls=a", "f32[4] async-update(x)",
        "token[] reshape(x)", "f32[4] reshape(k)"}) {
    const absl::StatusOr<Module> module = ParseHloText(absl::StrCat(
        "HloModule m\n\na { y = f32[4] parameter(0) ROOT n = f32[4] negate(y) "
        "}\n\nENTRY e {\n x = f32[4] parameter(0)\n i = s32[] parameter(1)\n "
        "p = pred[] parameter(2)\n k = token[] after-all()\n ROOT r = ",
        root, "\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    const std::string text = PrintHloText(*module);
    const absl::StatusOr<Module> again = ParseHloText(text);
    ASSERT_TRUE(again.ok()) << again.status() << text;
    EXPECT_EQ(PrintHloText(*again), text);
  }
}

TEST(HloParserModuleTest, AByteOrderMarkMayStandInFront) {
  EXPECT_EQ(Parsed("\xef\xbb\xbfHloModule m\nENTRY e { x = f32[] parameter(0) "
                   "}")
                .name(),
            "m");
}

TEST(HloParserModuleTest, TheEntryOfABareInstructionHasTheFirstId) {
  const Module m = Parsed(
      "f32[2] while(f32[2] x), body={ q = f32[2] parameter(0) }, condition={ q "
      "= f32[2] parameter(0) ROOT z = pred[] constant(1) }");
  EXPECT_EQ(m.entry().id(), 0);
  EXPECT_EQ(m.entry().name(), "_");
  EXPECT_THAT(ComputationNames(m), ElementsAre("_.1", "_.2", "_"));
  EXPECT_EQ(m.computation(1).instruction(0).name(), "q.1");
}

TEST(HloParserModuleTest, TheSignaturesResultMustBeTheRoots) {
  const absl::StatusOr<Module> m =
      ParseHloText("ENTRY e (x: f32[2]) -> f32[3] { x = f32[2] parameter(0) }");
  EXPECT_EQ(
      m.status().message(),
      "text:1:24: error: the result of e is f32[3] here, but its root has "
      "f32[2]\n"
      "  ENTRY e (x: f32[2]) -> f32[3] { x = f32[2] parameter(0) }\n"
      "                         ^");
}

TEST(HloParserModuleTest, ParametersAreNumberedFromZero) {
  EXPECT_EQ(
      ParseHloText("ENTRY e { p = f32[] parameter(1) }").status().message(),
      "text:1:9: error: parameter(0) is missing here, but there is "
      "parameter(1)\n"
      "  ENTRY e { p = f32[] parameter(1) }\n"
      "          ^");
  EXPECT_THAT(
      std::string(
          ParseHloText("e { p = f32[] parameter(0) q = f32[] parameter(0) }")
              .status()
              .message()),
      HasSubstr("parameter(0) is here twice"));
}

TEST(HloParserModuleTest, EmptyAndOtherTexts) {
  EXPECT_EQ(ParseHloText("").status().message(),
            "text:1:1: error: expected an HLO module or an instruction, found "
            "the end of the text\n  \n  ^");
  for (absl::string_view text :
       {"HloModule", "HloModule m", "e {", "e { }", "ENTRY", "{", "}", "(",
        "e { x = f32[] }", "e { x }", "x = ", "%", "\"", "/*", "f32[", "((((",
        "HloModule m, e { x = f32[] constant(1) }"}) {
    EXPECT_FALSE(ParseHloText(text).ok()) << text;
  }
}

TEST(HloParserModuleTest, NestingHasALimit) {
  const auto nest = [](int depth, absl::string_view open,
                       absl::string_view inside, absl::string_view close) {
    std::string text = "e { p = f32[] parameter(0) r = ";
    for (int i = 0; i < depth; ++i) absl::StrAppend(&text, open);
    absl::StrAppend(&text, inside);
    for (int i = 0; i < depth; ++i) absl::StrAppend(&text, close);
    return absl::StrCat(text, " }");
  };
  EXPECT_TRUE(ParseHloText(nest(400, "negate(", "p", ")")).ok());
  for (const std::string& text :
       {nest(100000, "negate(", "p", ")"),
        nest(100000, "f32[] negate(", "", ""),
        nest(5000, "f32[] call(p), to_apply={ p = f32[] parameter(0) r = ",
             "negate(p)", "}"),
        nest(100000, "(", "f32[]", ")"),
        nest(5000, "f32[] call(p), to_apply={ p = f32[] parameter(0) r = ", "",
             "")}) {
    EXPECT_FALSE(ParseHloText(text).ok());
  }
}

// --- Sizes that have names --------------------------------------------------

absl::StatusOr<Module> WithSymbols(const std::string& text,
                                   absl::string_view facts = "") {
  ParseOptions options;
  options.symbols = true;
  EXPECT_TRUE(options.scope.State(facts).ok());
  return ParseHloText(text, options);
}

// What is known of symbols is in the text, and comes back with them.
TEST(SymbolTextTest, FactsSurvive) {
  const char kBody[] = R"(

ENTRY %e (x: f32[n,2*m], y: (f32[k], s32[])) -> f32[n,2*m] {
  %x = f32[n,2*m]{1,0} parameter(0)
  %y = (f32[k]{0}, s32[]) parameter(1)
  ROOT %r = f32[n,2*m]{1,0} exponential(%x)
}
)";
  const std::string header =
      "HloModule h, entry_computation_layout={(f32[n,2*m]{1,0}, (f32[k]{0}, "
      "s32[]))->f32[n,2*m]{1,0}}";
  const struct {
    const char* facts;
    const char* noted;
  } kCases[] = {
      {"", ""},
      {"n>=1, n%8==0", "n>=8; n%8==0"},
      {"n<=m, m<=k+3", "m<=k+3; n<=m"},
      {"n<=min(m,k), k<=4096", "k<=4096; n<=4096; n<=min(k,m)"},
      {"m==4*k", ""},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Module> module =
        WithSymbols(absl::StrCat(header, kBody), c.facts);
    ASSERT_TRUE(module.ok()) << module.status();
    const std::string text = PrintHloText(*module);
    const std::string noted =
        absl::StrCat("frontend_attributes={indim.facts=\"", c.noted, "\"}");
    EXPECT_TRUE(absl::StrContains(text, noted)) << text;
    // The header says that sizes have names.
    const absl::StatusOr<Module> unasked = ParseHloText(text);
    ASSERT_TRUE(unasked.ok()) << unasked.status() << text;
    EXPECT_EQ(PrintHloText(*unasked), text);
    const absl::StatusOr<Module> again = WithSymbols(text);
    ASSERT_TRUE(again.ok()) << again.status() << text;
    EXPECT_EQ(PrintHloText(*again), text);
    // Facts are part of a shape's identity.
    EXPECT_EQ(again->entry().signature().parameters,
              module->entry().signature().parameters)
        << text;
  }
}

// One name is two symbols in two computations of a module.
TEST(SymbolTextTest, ComputationsMayKnowDifferentThings) {
  const std::string text =
      "HloModule h, entry_computation_layout={(f32[n]{0}, f32[k,m]{1,0})->"
      "f32[n]{0}}, frontend_attributes={indim.facts=\"k>=2\",indim.facts.e="
      "\"n>=8\",indim.facts.g=\"n%4==0\"}\n\n"
      "%f (p: f32[n]) -> f32[n] {\n  %p = f32[n]{0} parameter(0)\n"
      "  ROOT %q = f32[n]{0} negate(%p)\n}\n\n"
      "%g (r: f32[n]) -> f32[n] {\n  %r = f32[n]{0} parameter(0)\n"
      "  ROOT %s = f32[n]{0} negate(%r)\n}\n\n"
      "ENTRY %e (x: f32[n], y: f32[k,m]) -> f32[n] {\n"
      "  %y = f32[k,m]{1,0} parameter(1)\n  %x = f32[n]{0} parameter(0)\n"
      "  %a = f32[n]{0} call(%x), to_apply=%f\n"
      "  ROOT %b = f32[n]{0} call(%a), to_apply=%g\n}\n\n";
  const absl::StatusOr<Module> module = WithSymbols(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto n_of = [&](int computation, int instruction) {
    return module->computation(computation)
        .instruction(instruction)
        .shape()
        .dim(0);
  };
  for (const int instruction : {0, 1}) {
    EXPECT_EQ(n_of(0, instruction).lower(), 0);
    EXPECT_EQ(n_of(0, instruction), *SymbolDim("n"));
    EXPECT_EQ(n_of(1, instruction), *SymbolDim("n", {0, Dim::kInfinity, 4}));
  }
  EXPECT_EQ(n_of(2, 0).lower(), 2);
  EXPECT_EQ(n_of(2, 1).lower(), 8);
  EXPECT_EQ(n_of(2, 3).lower(), 8);
  EXPECT_EQ(PrintHloText(*module), text);
  const absl::StatusOr<Module> refused = WithSymbols(text, "n<=7");
  EXPECT_TRUE(absl::StrContains(refused.status().message(),
                                "indim.facts.e: 'n>=8' contradicts"))
      << refused.status();
}

// Where the header is silent, the entry's layouts are the instructions'; but
// XLA's parser forgets them where it sets anything else of the configuration.
TEST(HloParserModuleTest, EntryLayoutsThatAreLeftOut) {
  const struct {
    absl::string_view header;
    absl::string_view layout;
  } rows[] = {
      {"", "{0,1}"},
      {", num_partitions=1", "{0,1}"},
      {", is_scheduled=true", "{0,1}"},
      {", num_partitions=16", "{1,0}"},
      {", replica_count=2", "{1,0}"},
      {", allow_spmd_sharding_propagation_to_output={true}", "{1,0}"},
  };
  for (const auto& [header, layout] : rows) {
    const absl::StatusOr<Module> module = ParseHloText(
        absl::StrCat("HloModule m", header,
                     "\nENTRY e { ROOT x = f32[2,3]{0,1} parameter(0) }\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_THAT(
        PrintHloText(*module),
        ::testing::HasSubstr(absl::StrCat("entry_computation_layout={(f32[2,3]",
                                          layout, ")->f32[2,3]", layout, "}")))
        << header;
  }
}

// Nothing stands behind "padding=" of a scalar.
TEST(HloParserModuleTest, PadOfAScalar) {
  const absl::StatusOr<Module> module = ParseHloText(
      "HloModule m, entry_computation_layout={(f32[])->f32[]}\n\n"
      "ENTRY %e (x: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n"
      "  %p = f32[] pad(%x, %x), padding=\n"
      "  %q = f32[] pad(%p, %x), padding=, metadata={op_name=\"q\"}\n"
      "  ROOT %r = f32[] negate(%q)\n}\n\n");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const std::string text = PrintHloText(*module);
  EXPECT_TRUE(absl::StrContains(text, "pad(%x, %x), padding=\n")) << text;
  const absl::StatusOr<Module> again = ParseHloText(text);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(PrintHloText(*again), text);
  EXPECT_FALSE(
      ParseHloText("ENTRY e { x = f32[] parameter(0) ROOT p = f32[] pad(x, x), "
                   "padding=a }")
          .ok());
}

TEST(SymbolTextTest, FactsThatContradictAreAnError) {
  const std::string text =
      "HloModule h, frontend_attributes={a=\"b\",indim.facts=\"n>=8\"}\n"
      "ENTRY e { ROOT x = f32[n] parameter(0) }\n";
  const absl::StatusOr<Module> module = WithSymbols(text);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().root().shape().dim(0).lower(), 8);
  // Other attributes of the module stay.
  EXPECT_TRUE(absl::StrContains(PrintHloText(*module), "a=\"b\""));
  const absl::StatusOr<Module> refused = WithSymbols(text, "n<=7");
  EXPECT_TRUE(absl::StrContains(refused.status().message(),
                                "indim.facts: 'n>=8' contradicts"))
      << refused.status();
}

TEST(SymbolTextTest, AnErrorNamesTheOption) {
  const absl::StatusOr<Module> module =
      ParseHloText("ENTRY e { ROOT x = f32[n,4] parameter(0) }");
  EXPECT_TRUE(absl::StrContains(
      module.status().message(),
      "expected a size, not 'n'; sizes have names with ReadOptions::symbols"))
      << module.status();
  const absl::StatusOr<Module> other =
      ParseHloText("ENTRY e { ROOT x = f32[$,4] parameter(0) }");
  EXPECT_FALSE(absl::StrContains(other.status().message(), "--symbols"))
      << other.status();
}

// Without names no size is an expression, in tuples as elsewhere.
TEST(SymbolTextTest, SizesOfTuplesAreNumbers) {
  for (const char* lines : {"ROOT p = (f32[2*3], f32[]) parameter(0)",
                            "ROOT p = (f32[n-n], f32[]) parameter(0)",
                            "p = (f32[2*3], f32[]) parameter(0)\n"
                            "  ROOT q = f32[2*3] parameter(1)"}) {
    EXPECT_FALSE(ParseHloText(absl::StrCat("ENTRY e {\n  ", lines, "\n}")).ok())
        << lines;
  }
}

}  // namespace
}  // namespace indim
