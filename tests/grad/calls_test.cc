// SPDX-License-Identifier: Apache-2.0
// Calls stay calls: each computation is differentiated once for a pattern.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/grad/gradient.h"
#include "indim/tests/grad/probe.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

constexpr char kCalledOften[] = R"(HloModule m
f { x = f64[2] parameter(0)  w = f64[2] parameter(1)  a = f64[2] multiply(x, w)  s = f64[2] sine(a)  c = f64[2] cosine(x)  e = f64[2] exponential(c)  t = f64[2] tanh(e)  u = f64[2] multiply(t, s)  v = f64[2] multiply(u, a)  ROOT r = f64[2] multiply(v, e) }
g { x = f64[2] parameter(0)  w = f64[2] parameter(1)  a = f64[2] call(x, w), to_apply=f  b = f64[2] call(a, x), to_apply=f  ROOT r = f64[2] multiply(a, b) }
two { x = f64[2] parameter(0)  w = f64[2] parameter(1)  n = s32[] constant(3)  a = f64[2] multiply(x, w)  b = f64[2] exponential(a)  t = (f64[2], f64[2]) tuple(w, b)  ROOT r = (f64[2], s32[], (f64[2], f64[2])) tuple(a, n, t) }
pair { p = (f64[2], (f64[2], f64[2])) parameter(0)  x = f64[2] get-tuple-element(p), index=0  q = (f64[2], f64[2]) get-tuple-element(p), index=1  y = f64[2] get-tuple-element(q), index=1  e = f64[2] exponential(y)  ROOT r = f64[2] multiply(x, e) }
same { x = f64[2] parameter(0)  ROOT y = f64[2] parameter(1) }
fused { x = f64[2] parameter(0)  w = f64[2] parameter(1)  a = f64[2] multiply(x, w)  ROOT s = f64[2] sine(a) }
none { x = f64[2] parameter(0)  n = s32[2] convert(x)  ROOT r = f64[2] convert(n) }
body { p = (s32[], f64[2], f64[2]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[2] get-tuple-element(p), index=1  w = f64[2] get-tuple-element(p), index=2  one = s32[] constant(1)  j = s32[] add(i, one)  y = f64[2] call(x, w), to_apply=g  ROOT r = (s32[], f64[2], f64[2]) tuple(j, y, w) }
cond { p = (s32[], f64[2], f64[2]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT }
left { p = (f64[2], f64[2]) parameter(0)  x = f64[2] get-tuple-element(p), index=0  w = f64[2] get-tuple-element(p), index=1  ROOT r = f64[2] call(w, x), to_apply=f }
right { x = f64[2] parameter(0)  ROOT r = f64[2] call(x, x), to_apply=f }
ENTRY e { x = f64[2] parameter(0)  w = f64[2] parameter(1)  c = f64[2] constant({1, 2})  z = s32[] constant(0)
  )";

TEST(CallsTest, InAllPlaces) {
  const char* const bodies[] = {
      "ROOT r = f64[2] call(x, w), to_apply=f",
      // The patterns differ.
      "a = f64[2] call(c, w), to_apply=f  b = f64[2] call(a, w), to_apply=f  d "
      "= f64[2] call(b, c), to_apply=f  ROOT r = f64[2] call(d, d), to_apply=f",
      "a = f64[2] call(x, w), to_apply=g  ROOT r = f64[2] call(a, w), "
      "to_apply=g",
      // Results of which one is used, or none that is active.
      "t = (f64[2], s32[], (f64[2], f64[2])) call(x, w), to_apply=two  ROOT r "
      "= f64[2] get-tuple-element(t), index=0",
      "t = (f64[2], s32[], (f64[2], f64[2])) call(x, w), to_apply=two  q = "
      "(f64[2], f64[2]) get-tuple-element(t), index=2  a = f64[2] "
      "get-tuple-element(q), index=0  b = f64[2] get-tuple-element(q), index=1 "
      " ROOT r = f64[2] multiply(a, b)",
      "t = (f64[2], s32[], (f64[2], f64[2])) call(x, w), to_apply=two  n = "
      "s32[] get-tuple-element(t), index=1  k = f64[] convert(n)  l = f64[2] "
      "broadcast(k), dimensions={}  ROOT r = f64[2] multiply(l, x)",
      "q = (f64[2], f64[2]) tuple(w, x)  p = (f64[2], (f64[2], f64[2])) "
      "tuple(x, q)  ROOT r = f64[2] call(p), to_apply=pair",
      "a = f64[2] call(x, w), to_apply=same  ROOT r = f64[2] multiply(a, x)",
      "a = f64[2] call(x), to_apply=none  ROOT r = f64[2] multiply(a, x)",
      "t = (s32[], f64[2], f64[2]) tuple(z, x, w)  l = (s32[], f64[2], f64[2]) "
      "while(t), condition=cond, body=body  ROOT r = f64[2] "
      "get-tuple-element(l), index=1",
      "t = (f64[2], f64[2]) tuple(x, w)  ROOT r = f64[2] conditional(z, t, w), "
      "branch_computations={left, right}",
      "ROOT r = f64[2] fusion(x, w), kind=kLoop, calls=fused",
      // An operand without a parameter.
      "ROOT r = f64[2] fusion(x, w, x), kind=kLoop, calls=fused"};
  for (const char* body : bodies) {
    const Module module = Parsed(absl::StrCat(kCalledOften, body, "\n}\n"));
    ExpectDerivative(ExpectDerivative(module, body),
                     absl::StrCat("second order: ", body));
  }
}

// `layers` calls of one computation of `steps` instructions.
Module Layers(int layers, int steps) {
  std::string text =
      "HloModule m\nf { x = f32[2] parameter(0)  w = f32[2] parameter(1)  y0 = "
      "f32[2] multiply(x, w)\n";
  for (int i = 0; i < steps; ++i) {
    absl::StrAppend(&text, "  y", i + 1, " = f32[2] ",
                    i % 2 == 0 ? "sine" : "tanh", "(y", i, ")\n");
  }
  absl::StrAppend(&text, "  ROOT r = f32[2] add(x, y", steps,
                  ") }\nENTRY e { x0 = f32[2] parameter(0)  w = f32[2] "
                  "parameter(1)\n");
  for (int i = 0; i < layers; ++i) {
    absl::StrAppend(&text, i + 1 == layers ? "  ROOT" : "", "  x", i + 1,
                    " = f32[2] call(x", i, ", w), to_apply=f\n");
  }
  return Parsed(text + "}\n");
}

int64_t SizeOfDerivative(const Module& module, bool forward) {
  const absl::StatusOr<Module> made =
      forward ? Tangents(module, {0, 1}) : Gradient(module, {0, 1});
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? made->instruction_count() : 0;
}

// What a layer adds doesn't depend on what is in it.
TEST(CallsTest, SizeIsOfLayersPlusBody) {
  for (const bool forward : {false, true}) {
    std::set<int64_t> added;
    for (const int steps : {10, 60}) {
      const int64_t few = SizeOfDerivative(Layers(10, steps), forward);
      const int64_t many = SizeOfDerivative(Layers(100, steps), forward);
      ASSERT_EQ((many - few) % 90, 0);
      added.insert((many - few) / 90);
    }
    EXPECT_EQ(added.size(), 1u);
    EXPECT_LE(*added.begin(), 8);
  }
}

// Calls of few instructions are written out, but not what they call in turn,
// which may double at each level, nor what says more than what to compute.
TEST(CallsTest, FewInstructions) {
  const auto calls = [](const std::string& text) {
    int count = 0;
    const Module made = ExpectDerivative(Parsed(text), text);
    for (const Computation computation : made.computations()) {
      for (const Instruction node : computation.instructions()) {
        count += node.opcode() == Opcode::kCall ? 1 : 0;
      }
    }
    return count;
  };
  const auto of_square = [](const char* attributes) {
    return absl::StrCat(
        "HloModule m\nf { x = f64[2] parameter(0)  s = f64[2] sine(x)  ROOT r "
        "= f64[2] multiply(s, x) }\nENTRY e { x = f64[2] parameter(0)  a = "
        "f64[2] cosine(x)  c = f64[2] call(a), to_apply=f",
        attributes, "  ROOT r = f64[2] sine(c) }\n");
  };
  EXPECT_EQ(calls(of_square("")), 0);
  EXPECT_EQ(calls(of_square(", frontend_attributes={where=\"host\"}")), 2);
  std::string text =
      "HloModule m\nlevel0 { x = f64[2] parameter(0)  ROOT r = f64[2] sine(x) "
      "}\n";
  constexpr int kLevels = 8;
  for (int i = 1; i <= kLevels; ++i) {
    absl::StrAppend(&text, "level", i,
                    " { x = f64[2] parameter(0)  a = f64[2] ",
                    "call(x), to_apply=level", i - 1,
                    "  ROOT b = f64[2] call(a), to_apply=level", i - 1, " }\n");
  }
  EXPECT_LT(calls(absl::StrCat(text,
                               "ENTRY e { x = f64[2] parameter(0)  ROOT r = "
                               "f64[2] call(x), to_apply=level",
                               kLevels, " }\n")),
            6 * kLevels);
}

// What calls keep nests as calls do, up to a depth.
TEST(CallsTest, Nest) {
  constexpr int kLevels = 40;
  std::string text =
      "HloModule m\nlevel0 { x = f64[2] parameter(0)  ROOT r = f64[2] sine(x) "
      "}\n";
  for (int i = 1; i <= kLevels; ++i) {
    absl::StrAppend(&text, "level", i,
                    " { x = f64[2] parameter(0)  a = f64[2] sine(x)  b = "
                    "f64[2] cosine(a)  c = f64[2] sine(b)  d = f64[2] "
                    "cosine(c)  e = f64[2] call(d), to_apply=level",
                    i - 1,
                    "  g = f64[2] sine(e)  ROOT r = f64[2] add(g, x) }\n");
  }
  ExpectDerivative(
      Parsed(absl::StrCat(text,
                          "ENTRY e { x = f64[2] parameter(0)  ROOT r = f64[2] "
                          "call(x), to_apply=level",
                          kLevels, " }\n")),
      "nested");
}

// A loop inside runs as often as an operand says: one computation for each
// number, not for each call.
TEST(CallsTest, ShareByLength) {
  std::string text = R"(HloModule m
body { p = (s32[], s32[], f64[]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] get-tuple-element(p), index=1  x = f64[] get-tuple-element(p), index=2  one = s32[] constant(1)  j = s32[] add(i, one)  y = f64[] sine(x)  ROOT r = (s32[], s32[], f64[]) tuple(j, n, y) }
cond { p = (s32[], s32[], f64[]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] get-tuple-element(p), index=1  ROOT r = pred[] compare(i, n), direction=LT }
run { n = s32[] parameter(0)  x = f64[] parameter(1)  z = s32[] constant(0)  t = (s32[], s32[], f64[]) tuple(z, n, x)  l = (s32[], s32[], f64[]) while(t), condition=cond, body=body  ROOT r = f64[] get-tuple-element(l), index=2 }
ENTRY e { x0 = f64[] parameter(0)  n0 = s32[] constant(2)  n1 = s32[] constant(3)
)";
  for (int i = 0; i < 6; ++i) {
    absl::StrAppend(&text, i == 5 ? "  ROOT" : "", "  x", i + 1,
                    " = f64[] call(n", i % 2, ", x", i, "), to_apply=run\n");
  }
  const Module gradient = ExpectDerivative(Parsed(text + "}\n"), "lengths");
  int whiles = 0;
  for (const Computation computation : gradient.computations()) {
    for (const Instruction node : computation.instructions()) {
      whiles += node.opcode() == Opcode::kWhile ? 1 : 0;
    }
  }
  // Forward and backward, of two lengths.
  EXPECT_EQ(whiles, 4) << PrintHloText(gradient);
}

}  // namespace
}  // namespace indim
