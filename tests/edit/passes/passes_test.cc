// SPDX-License-Identifier: Apache-2.0
// Each pass: what it changes, and what it leaves alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "indim/edit/editor.h"
#include "indim/edit/passes/common_subexpressions.h"
#include "indim/edit/passes/constants_to_parameters.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/edit/passes/extract.h"
#include "indim/edit/passes/fold_constants.h"
#include "indim/edit/passes/inline_calls.h"
#include "indim/tests/edit/edit_util.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// `module` after `pass`; *count is what the pass returned.
Module After(const Module& module, std::function<int64_t(Editor*)> pass,
             int64_t* count) {
  Editor editor(module);
  *count = pass(&editor);
  return Finished(&editor);
}

struct PassCase {
  const char* name;
  std::function<int64_t(Editor*)> pass;
  const char* before;
  int64_t count;
  const char* after;  // its listing
};

const PassCase kCases[] = {
    {"DeadCode", [](Editor* e) { return RemoveDeadCode(e); },
     R"(HloModule m

unused {
  x = f32[] parameter(0)
  ROOT n = f32[] negate(x)
}

ENTRY main {
  p = f32[2] parameter(0)
  q = f32[2] parameter(1)
  d = f32[2] exponential(p)
  dd = f32[2] log(d)
  effect = f32[2] custom-call(q), custom_call_target="f", custom_call_has_side_effect=true
  first = f32[2] negate(p)
  ROOT r = f32[2] add(p, p), control-predecessors={first}
}
)",
     4,
     "ENTRY main: p=parameter() q=parameter() effect=custom-call(q) "
     "first=negate(p) ROOT r=add(p,p)\n"},
    // A call of what has side effects stays.
    {"DeadCall", [](Editor* e) { return RemoveDeadCode(e); },
     R"(HloModule m

f {
  x = f32[2] parameter(0)
  ROOT c = f32[2] custom-call(x), custom_call_target="f", custom_call_has_side_effect=true
}

g {
  y = f32[2] parameter(0)
  ROOT n = f32[2] negate(y)
}

ENTRY main {
  p = f32[2] parameter(0)
  a = f32[2] call(p), to_apply=f
  b = f32[2] call(p), to_apply=g
  ROOT r = f32[2] add(p, p)
}
)",
     3,
     "f: x=parameter() ROOT c=custom-call(x)\nENTRY main: p=parameter() "
     "a=call(p) ROOT r=add(p,p)\n"},
    {"CommonSubexpressions",
     [](Editor* e) { return MergeCommonSubexpressions(e); },
     R"(HloModule m

ENTRY main {
  p = f32[2] parameter(0)
  q = f32[2] parameter(1)
  e = f32[2] exponential(p), metadata={op_name="a"}
  f = f32[2] exponential(p), metadata={op_name="b"}
  l = f32[2] log(e)
  k = f32[2] log(f)
  a = f32[2] add(l, q)
  b = f32[2] add(q, k)
  c = f32[] constant(1)
  d = f32[] constant(1)
  t = f32[2] transpose(q), dimensions={0}
  u = f32[2] exponential(q)
  v = f32[2] exponential(q), frontend_attributes={k="v"}
  ROOT r = (f32[2], f32[2], f32[2], f32[2], f32[], f32[], f32[2]) tuple(a, b, u, v, c, d, k)
}
)",
     3,
     "ENTRY main: p=parameter() q=parameter() e=exponential(p) l=log(e) "
     "a=add(l,q) b=add(q,l) c=constant() t=transpose(q) u=exponential(q) "
     "v=exponential(q) ROOT r=tuple(a,b,u,v,c,c,l)\n"},
    {"FoldConstants", [](Editor* e) { return FoldConstants(e); },
     R"(HloModule m

sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY main {
  p = f32[] parameter(0)
  zero = f32[] constant(0)
  v = f32[3] constant({1, 2, 3})
  total = f32[] reduce(v, zero), dimensions={0}, to_apply=sum
  twice = f32[] add(total, total)
  i = s32[3] iota(), iota_dimension=0
  large = f32[4096] broadcast(zero), dimensions={}
  ROOT r = f32[] multiply(p, twice)
}
)",
     2,
     "sum: x=parameter() y=parameter() ROOT s=add(x,y)\nENTRY main: "
     "p=parameter() zero=constant() v=constant() constant.8=constant() "
     "constant.9=constant() i=iota() large=broadcast(zero) ROOT "
     "r=multiply(p,constant.9)\n"},
    {"InlineCalls", [](Editor* e) { return InlineCalls(e); },
     R"(HloModule m

h {
  z = f32[] parameter(0)
  ROOT w = f32[] negate(z)
}

f {
  x = f32[2] parameter(0)
  ROOT n = f32[2] negate(x)
}

g {
  y = f32[2] parameter(0)
  c = f32[2] call(y), to_apply=f
  ROOT l = f32[2] log(c)
}

ENTRY main {
  p = f32[2] parameter(0)
  a = f32[2] call(p), to_apply=g
  b = f32[2] call(a), to_apply=f
  ROOT r = f32[2] map(b), dimensions={0}, to_apply=h
}
)",
     3,
     "h: z=parameter() ROOT w=negate(z)\nENTRY main: p=parameter() "
     "n=negate(p) l=log(n) n.1=negate(l) ROOT r=map(n.1)\n"},
    {"ConstantsToParameters",
     [](Editor* e) {
       return static_cast<int64_t>(ConstantsToParameters(e).size());
     },
     R"(HloModule m

ENTRY main {
  p = f32[2] parameter(0)
  w = f32[2] constant({1, 2})
  s = f32[] constant(3)
  a = f32[2] add(p, w)
  t = (f32[2], f32[]) tuple(a, s)
  v = f32[2] constant({4, 5})
  ROOT m = f32[2] multiply(a, v)
}
)",
     2,
     "ENTRY main: p=parameter() w=parameter() v=parameter() s=constant() "
     "a=add(p,w) t=tuple(a,s) ROOT m=multiply(a,v)\n"},
    {"ExtractCone",
     [](Editor* e) {
       ExtractOptions options;
       options.inputs = {e->Find("b")};
       ExtractCone(e, {e->Find("d")}, options);
       return int64_t{0};
     },
     R"(HloModule m

ENTRY main {
  p = f32[2] parameter(0)
  q = f32[2] parameter(1)
  a = f32[2] exponential(p)
  b = f32[2] log(a)
  c = f32[2] negate(q)
  d = f32[2] add(b, c)
  e = f32[2] custom-call(d), custom_call_target="f", custom_call_has_side_effect=true
  ROOT r = f32[2] multiply(d, a)
}
)",
     0,
     "ENTRY main: q=parameter() b=parameter() c=negate(q) ROOT d=add(b,c)\n"},
    {"FoldInAFusion", [](Editor* e) { return FoldConstants(e); },
     R"(HloModule m

body {
  p = f32[] parameter(0)
  c = f32[] constant(2)
  n = f32[] negate(c)
  ROOT m = f32[] multiply(p, n)
}

ENTRY main {
  x = f32[] parameter(0)
  ROOT f = f32[] fusion(x), kind=kLoop, calls=body
}
)",
     1,
     "body: p=parameter() constant.4=constant() ROOT "
     "m=multiply(p,constant.4)\nENTRY main: x=parameter() ROOT f=fusion(x)\n"},
    {"FoldKeepsLayouts", [](Editor* e) { return FoldConstants(e); },
     R"(HloModule m

ENTRY main {
  c = f32[2,1]{0,1} constant({{1}, {2}})
  ROOT n = f32[2,1]{0,1} negate(c)
}
)",
     0, "ENTRY main: c=constant() ROOT n=negate(c)\n"},
    {"FoldAScheduledFusion", [](Editor* e) { return FoldConstants(e); },
     R"(HloModule m, is_scheduled=true

body {
  p = f32[] parameter(0)
  ROOT n = f32[] negate(p)
}

ENTRY main {
  c = f32[] constant(2)
  ROOT f = f32[] fusion(c), kind=kLoop, calls=body
}
)",
     1,
     "body: p=parameter() ROOT n=negate(p)\nENTRY main: c=constant() ROOT "
     "constant.2=constant()\n"},
    {"InlineNothingIntoAStart", [](Editor* e) { return InlineCalls(e); },
     R"(HloModule m

f {
  p = f32[] parameter(0)
  n = f32[] negate(p)
  ROOT e = f32[] exponential(n)
}

started {
  q = f32[] parameter(0)
  ROOT c = f32[] call(q), to_apply=f
}

ENTRY main {
  x = f32[] parameter(0)
  s = ((f32[]), f32[], u32[]) async-start(x), calls=started
  ROOT d = f32[] async-done(s)
}
)",
     0,
     "f: p=parameter() n=negate(p) ROOT e=exponential(n)\nstarted: "
     "q=parameter() ROOT c=call(q)\nENTRY main: x=parameter() s=async-start(x) "
     "ROOT d=async-done(s)\n"},
    {"InlineAFusionTwice", [](Editor* e) { return InlineCalls(e); },
     R"(HloModule m

body {
  a = f32[] parameter(0)
  ROOT n = f32[] negate(a)
}

f {
  p = f32[] parameter(0)
  ROOT u = f32[] fusion(p), kind=kLoop, calls=body
}

ENTRY main {
  x = f32[] parameter(0)
  c = f32[] call(x), to_apply=f
  ROOT d = f32[] call(c), to_apply=f
}
)",
     2,
     "body.1: a.1=parameter() ROOT n.1=negate(a.1)\nbody.2: a.2=parameter() "
     "ROOT n.2=negate(a.2)\nbody: a=parameter() ROOT n=negate(a)\nENTRY main: "
     "x=parameter() u=fusion(x) ROOT u.1=fusion(u)\n"},
    {"ExtractFromABody",
     [](Editor* e) {
       ExtractCone(e, {e->Find("next"), e->Find("turn")});
       return int64_t{0};
     },
     R"(HloModule m

body {
  s = (s32[], f32[2]) parameter(0)
  turn = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(turn, one)
  x = f32[2] get-tuple-element(s), index=1
  y = f32[2] negate(x)
  ROOT t = (s32[], f32[2]) tuple(next, y)
}

condition {
  st = (s32[], f32[2]) parameter(0)
  turn2 = s32[] get-tuple-element(st), index=0
  three = s32[] constant(3)
  ROOT lt = pred[] compare(turn2, three), direction=LT
}

ENTRY main {
  p = (s32[], f32[2]) parameter(0)
  ROOT w = (s32[], f32[2]) while(p), condition=condition, body=body
}
)",
     0,
     "ENTRY body: s=parameter() turn=get-tuple-element(s) one=constant() "
     "next=add(turn,one) ROOT tuple.7=tuple(next,turn)\n"},
};

class PassTest : public ::testing::TestWithParam<PassCase> {};

TEST_P(PassTest, Changes) {
  int64_t count = -1;
  const Module changed =
      After(FromText(GetParam().before), GetParam().pass, &count);
  EXPECT_EQ(Listing(changed), GetParam().after);
  EXPECT_EQ(count, GetParam().count);
  // Of what it made, nothing is left to do.
  if (count > 0) {
    After(changed, GetParam().pass, &count);
    EXPECT_EQ(count, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PassTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(PassesTest, TakenConstantsHaveTheirValues) {
  Editor editor(FromText(R"(HloModule m

ENTRY main {
  p = f32[2] parameter(0)
  w = f32[2] constant({1, 2}), sharding={replicated}
  ROOT a = f32[2] add(p, w)
}
)"));
  const std::vector<TakenConstant> taken = ConstantsToParameters(&editor);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].parameter, 1);
  EXPECT_EQ(taken[0].value.ToString(), "{1, 2}");
  EXPECT_EQ(editor.name(taken[0].instruction), "w");
  EXPECT_THAT(ToText(Finished(&editor)),
              HasSubstr("w = f32[2] parameter(1), sharding={replicated}"));
}

TEST(PassesTest, LimitsHold) {
  const Module module = FromText(R"(HloModule m

f {
  x = f32[4] parameter(0)
  ROOT n = f32[4] negate(x)
}

ENTRY main {
  c = f32[4] constant({1, 2, 3, 4})
  ROOT a = f32[4] call(c), to_apply=f
}
)");
  int64_t count = -1;
  FoldOptions fold;
  fold.max_elements = 3;
  After(
      module, [&](Editor* e) { return FoldConstants(e, fold); }, &count);
  EXPECT_EQ(count, 0);
  fold.max_elements = 4;
  After(
      module, [&](Editor* e) { return FoldConstants(e, fold); }, &count);
  EXPECT_EQ(count, 1);
  InlineOptions inlining;
  inlining.max_instructions = 1;
  After(
      module, [&](Editor* e) { return InlineCalls(e, inlining); }, &count);
  EXPECT_EQ(count, 0);
  inlining.max_instructions = 2;
  After(
      module, [&](Editor* e) { return InlineCalls(e, inlining); }, &count);
  EXPECT_EQ(count, 1);
}

TEST(PassesTest, NothingAfterFinish) {
  Editor editor(
      FromText("HloModule m\n\nENTRY e {\n  ROOT p = f32[] "
               "parameter(0)\n}\n"));
  ASSERT_TRUE(editor.Finish().ok());
  RemoveDeadCode(&editor);
  MergeCommonSubexpressions(&editor);
  FoldConstants(&editor);
  InlineCalls(&editor);
  ConstantsToParameters(&editor);
  ExtractCone(&editor, {});
  const EditResult result = editor.Finish();
  EXPECT_EQ(CodesOf(result), std::vector<std::string>(7, "IND1003"));
}

TEST(PassesTest, WrongCones) {
  Editor editor(FromText(R"(HloModule m

f {
  x = f32[4] parameter(0)
  ROOT n = f32[4] negate(x)
}

ENTRY main {
  c = f32[4] parameter(0)
  ROOT a = f32[4] call(c), to_apply=f
}
)"));
  ExtractCone(&editor, {});
  ExtractCone(&editor, {editor.Find("a"), editor.Find("n")});
  ExtractCone(&editor, {InstructionRef()});
  EXPECT_THAT(CodesOf(editor.Finish()),
              ElementsAre("IND1012", "IND1002", "IND1000"));
}

}  // namespace
}  // namespace indim
