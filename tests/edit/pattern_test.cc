// SPDX-License-Identifier: Apache-2.0
// Patterns: what they match, and what is wrong with those that can't be read.

#include "indim/edit/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/tests/edit/edit_util.h"

namespace indim {
namespace {

constexpr char kModuleToMatch[] = R"(HloModule m

sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY main {
  a = bf16[8,16] parameter(0)
  w = bf16[16,1024] parameter(1)
  c = bf16[8,1024] parameter(2)
  d = bf16[8,1024] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  m = bf16[8,1024] multiply(d, c)
  f = bf16[8,1024] add(c, m)
  q = bf16[8,1024] multiply(f, f)
  n = bf16[8,1024] subtract(q, f)
  half = f32[] constant(0.5)
  zeros = f32[3] constant({0, 0, 0})
  mixed = f32[3] constant({0, 0, 1})
  e = f32[8,1024] convert(n)
  r = f32[8] reduce(e, half), dimensions={1}, to_apply=sum
  p = f32[8] exponential(r), metadata={op_name="a, b=c"}, frontend_attributes={k="v"}
  t = (f32[8], f32[]) tuple(p, half)
  cat = f32[6] concatenate(zeros, mixed), dimensions={0}
  ROOT g = f32[8] get-tuple-element(t), index=0
}
)";

// Roots and names of all matches: "f: a=d, b=c".
std::vector<std::string> Matches(const char* text) {
  const Editor editor(FromText(kModuleToMatch));
  const absl::StatusOr<Pattern> pattern = Pattern::Parse(text);
  if (!pattern.ok()) return {std::string(pattern.status().message())};
  std::vector<std::string> found;
  for (const PatternMatch& match : FindAll(editor, *pattern)) {
    std::vector<std::string> names;
    for (const auto& [name, instruction] : match.named) {
      names.push_back(absl::StrCat(name, "=", editor.name(instruction)));
      EXPECT_EQ(match[name], instruction);
    }
    EXPECT_FALSE(match["no such name"]);
    found.push_back(absl::StrCat(editor.name(match.root),
                                 names.empty() ? "" : ": ",
                                 absl::StrJoin(names, ", ")));
  }
  return found;
}

struct PatternCase {
  const char* pattern;
  std::vector<std::string> matches;
};

TEST(PatternTest, Matches) {
  const PatternCase cases[] = {
      {"dot", {"d"}},
      {"dot(?x, ?w)", {"d: x=a, w=w"}},
      {" dot ( ?x , ?w ) ", {"d: x=a, w=w"}},
      {"dot(?x)", {}},
      {"dot(?x, ...)", {"d: x=a"}},
      {"dot(...)", {"d"}},
      {"dot(*, *)", {"d"}},
      {"add(multiply(?a, ?b), ?c)", {"f: a=d, b=c, c=c"}},
      {"add(?c, multiply(?b, ?a))", {"f: c=c, b=d, a=c"}},
      {"add(multiply(?b, ?a), ?b)", {"f: b=c, a=d"}},
      {"add(multiply(dot, ?a), ?a)", {"f: a=c"}},
      {"multiply(?a, ?a)", {"q: a=f"}},
      {"subtract(?a, multiply(?a, ?a))", {}},
      {"subtract(multiply(?a, ?a), ?a)", {"n: a=f"}},
      {"multiply(?s=add(?c, *), ?s)", {"q: s=f, c=c"}},
      {"dot(?x, ?w) : bf16[*,1024]", {"d: x=a, w=w"}},
      {"dot(?x, ?w) : bf16[*,1023]", {}},
      {"dot : f32[*,*]", {}},
      {"dot : *[8,*]", {"d"}},
      {"dot : bf16", {"d"}},
      {"dot : bf16[*]", {}},
      {"dot(?x : bf16[8,*], *) : *", {"d: x=a"}},
      {"dot, lhs_contracting_dims={1}", {"d"}},
      {"dot, lhs_contracting_dims={0}", {}},
      {"dot, lhs_contracting_dims = { 1 }, rhs_contracting_dims={0} : bf16",
       {"d"}},
      {"multiply(dot(?x, *), lhs_contracting_dims={1}, ?y)", {"m: x=a, y=c"}},
      {"reduce(convert(?x), constant), dimensions={1}, to_apply=sum",
       {"r: x=n"}},
      {"reduce, to_apply=main", {}},
      {"exponential, metadata={op_name=\"a, b=c\"}", {"p"}},
      {"exponential, frontend_attributes={k=\"v\"}", {"p"}},
      {"constant", {"half", "zeros", "mixed"}},
      {"constant(0.5)", {"half"}},
      {"constant(0)", {"zeros"}},
      {"?z=constant(0)", {"zeros: z=zeros"}},
      {"constant() : f32[3]", {"zeros", "mixed"}},
      {"parameter(2)", {"c"}},
      {"parameter(0)", {"x", "a"}},
      {"get-tuple-element(tuple(?p, *)), index=0", {"g: p=p"}},
      {"get-tuple-element, index=1", {}},
      {"tuple : (f32[8], *)", {"t"}},
      {"tuple : (f32[8])", {}},
      {"tuple : *", {"t"}},
      {"concatenate(?a, ...), dimensions={0}", {"cat: a=zeros"}},
      {"* : f32[6]", {"cat"}},
      {"tanh", {}},
  };
  for (const PatternCase& c : cases)
    EXPECT_EQ(Matches(c.pattern), c.matches) << c.pattern;
}

TEST(PatternTest, SaysWhatDoesNotFit) {
  const Editor editor(FromText(kModuleToMatch));
  const struct {
    const char *pattern, *instruction, *misfit;
  } kCases[] = {
      {"add(multiply, *)", "f", ""},  // in either order
      {"multiply", "f", "%f is no multiply"},
      {"add(dot, ?x)", "f", "%c is no dot"},
      // Of both orders the one that fits better.
      {"add(multiply(dot, dot), parameter(2))", "f", "%c is no dot"},
      {"add(multiply, parameter(1))", "f", "%c is parameter 2, not 1"},
      {"add(?x, ?x)", "f",
       "a name of the pattern is another instruction at its next place"},
      {"tuple(?x)", "t", "%t has 2 operands, not 1"},
      {"tuple(?x, ?y, ?z, ...)", "t", "%t has 2 operands, not 3 or more"},
      {"dot: bf16[8, *, *]", "d", "%d is bf16[8,1024]{1,0}, not bf16[8, *, *]"},
      {"reduce(convert : f32, constant(1))", "r", "%half isn't 1 everywhere"},
      {"dot, lhs_contracting_dims={1}, rhs_contracting_dims={1}", "d",
       "%d hasn't rhs_contracting_dims={1}"},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Pattern> pattern = Pattern::Parse(c.pattern);
    ASSERT_TRUE(pattern.ok()) << pattern.status();
    const InstructionRef ref = editor.Find(c.instruction);
    EXPECT_EQ(pattern->Misfit(editor, ref), c.misfit) << c.pattern;
    EXPECT_EQ(pattern->Match(editor, ref).has_value(), *c.misfit == '\0');
  }
}

TEST(PatternTest, NearIsOfTheSameOpcode) {
  const Editor editor(FromText(kModuleToMatch));
  const auto near = [&](const char* pattern) {
    std::vector<std::string> names;
    for (const InstructionRef ref :
         FindNear(editor, *Pattern::Parse(pattern))) {
      names.push_back(editor.name(ref));
    }
    return absl::StrJoin(names, " ");
  };
  EXPECT_EQ(near("multiply(dot, *)"), "q");
  EXPECT_EQ(near("?m=multiply(subtract, *)"), "m q");
  EXPECT_EQ(near("multiply"), "");
  EXPECT_EQ(near("*: f32[3,3]"), "");
}

TEST(PatternTest, ErrorsSayWhere) {
  struct Row {
    const char* pattern;
    int column;
    const char* expected;
  };
  constexpr char kEnd[] =
      "the end of the pattern, which has operations, not names of instructions";
  const Row rows[] = {
      {"", 1, "an opcode, ?name or *"},
      {"addd(?a, ?b)", 1, "an opcode; did you mean add?"},
      {"add(?a, ?b", 11, "',' or ')'"},
      {"add(?a, ?b))", 12, kEnd},
      {"add(?a ?b)", 8, "',' or ')'"},
      {"add(?, ?b)", 6, "a name behind ?"},
      {"add(?a, )", 9, "an opcode, ?name or *"},
      {"add(..., ?b)", 8, "',' or ')'"},
      {"dot : bf17[2]", 7, "a shape"},
      {"dot : bf16[2", 13, "',' or ']'"},
      {"dot : bf16[x]", 12, "a size or *; an element type alone has any dims"},
      {"tuple : (f32[2]", 16, "',' or ')'"},
      {"constant(x)", 10, "a number"},
      {"parameter(0.5)", 11, "a number"},
      {"dot, lhs_contracting_dims=", 27, "a value of lhs_contracting_dims"},
      {"?x, index=0", 3, "no attribute without an opcode"},
      {"add(?a, ?b) ?", 13, kEnd},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(std::string(Pattern::Parse(row.pattern).status().message()),
              absl::StrCat("pattern, column ", row.column, ": expected ",
                           row.expected, " in '", row.pattern, "'"));
  }
}

TEST(PatternTest, DeepPatternsAreErrors) {
  std::string text = "?x";
  for (int i = 0; i < 2000; ++i) text = absl::StrCat("negate(", text, ")");
  EXPECT_FALSE(Pattern::Parse(text).ok());
  std::string shape = "tuple : ";
  for (int i = 0; i < 100000; ++i) shape += "(";
  EXPECT_FALSE(Pattern::Parse(shape).ok());
}

// After edits the new operands count.
TEST(PatternTest, MatchesTheEditedGraph) {
  Editor editor(FromText(kModuleToMatch));
  const Pattern pattern = *Pattern::Parse("exponential(negate(?x))");
  EXPECT_TRUE(FindAll(editor, pattern).empty());
  Insertion at = editor.Before(editor.Find("p"));
  editor.SetOperand(editor.Find("p"), 0,
                    at.Insert(at->Neg(at.Use(editor.Find("r")))));
  ASSERT_EQ(FindAll(editor, pattern).size(), 1u);
  EXPECT_EQ(FindAll(editor, pattern)[0]["x"], editor.Find("r"));
  EXPECT_FALSE(pattern.Match(editor, InstructionRef()));
}

}  // namespace
}  // namespace indim
