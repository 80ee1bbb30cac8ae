// SPDX-License-Identifier: Apache-2.0
// Derivatives of loops and calls beside numerical ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/grad/gradient.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/grad/probe.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

constexpr LoopMemory kMemories[] = {LoopMemory::kResiduals, LoopMemory::kStates,
                                    LoopMemory::kSegments,
                                    LoopMemory::kNothing};

// In reverse mode with each LoopMemory, and once more by the gradient's module.
void ExpectLoop(const Module& module, GradientOptions options,
                const std::string& what) {
  for (const LoopMemory memory : kMemories) {
    options.loops = memory;
    const std::string name =
        absl::StrCat(what, ", memory ", static_cast<int>(memory));
    const Module gradient = ExpectDerivative(module, name, options);
    // Segments have lengths of their own.
    if (memory == LoopMemory::kSegments) options.loop_bound = 20;
    ExpectDerivative(gradient, "second order: " + name, options);
  }
}

// Seven steps; the state has a nested tuple, a part that is handed on, and a
// matrix of which each step reads a row.
constexpr char kKnown[] = R"(HloModule m
body { p = (s32[], (f64[3], f64[3]), f64[3], f64[7,3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  xy = (f64[3], f64[3]) get-tuple-element(p), index=1  x = f64[3] get-tuple-element(xy), index=0  y = f64[3] get-tuple-element(xy), index=1  w = f64[3] get-tuple-element(p), index=2  rows = f64[7,3] get-tuple-element(p), index=3
  one = s32[] constant(1)  j = s32[] add(i, one)  z = s32[] constant(0)  row = f64[1,3] dynamic-slice(rows, i, z), dynamic_slice_sizes={1,3}  v = f64[3] reshape(row)  s = f64[3] sine(x)  a = f64[3] multiply(s, w)  b = f64[3] add(a, v)  c = f64[3] multiply(y, b)  d = f64[3] cosine(c)  new = (f64[3], f64[3]) tuple(b, d)
  ROOT r = (s32[], (f64[3], f64[3]), f64[3], f64[7,3]) tuple(j, new, w, rows) }
cond { p = (s32[], (f64[3], f64[3]), f64[3], f64[7,3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(7)  ROOT r = pred[] compare(i, n), direction=LT }
ENTRY e { x = f64[3] parameter(0)  y = f64[3] parameter(1)  w = f64[3] parameter(2)  rows = f64[7,3] parameter(3)  i = s32[] constant(0)  xy = (f64[3], f64[3]) tuple(x, y)  t = (s32[], (f64[3], f64[3]), f64[3], f64[7,3]) tuple(i, xy, w, rows)  l = (s32[], (f64[3], f64[3]), f64[3], f64[7,3]) while(t), condition=cond, body=body  last = (f64[3], f64[3]) get-tuple-element(l), index=1  u = f64[3] get-tuple-element(last), index=0  v = f64[3] get-tuple-element(last), index=1  ROOT r = f64[3] add(u, v) }
)";

TEST(ControlFlowTest, LoopOfKnownLength) {
  ExpectLoop(Parsed(kKnown), {}, "known");
}

// A part of the state on which the result doesn't depend: its derivative, which
// is infinite or isn't there, doesn't matter, also in a computation that the
// body calls.
std::string LoopWithDeadPart(const char* dead) {
  return absl::StrCat(R"(HloModule m
step { x = f64[3] parameter(0)  y = f64[3] parameter(1)  s = f64[3] sine(x)  d = f64[3] add(y, x)  z = f64[3] subtract(d, d)  u = f64[3] )",
                      dead, R"(  ROOT r = (f64[3], f64[3]) tuple(s, u) }
body { p = (s32[], f64[3], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  y = f64[3] get-tuple-element(p), index=2  one = s32[] constant(1)  j = s32[] add(i, one)  c = (f64[3], f64[3]) call(x, y), to_apply=step  a = f64[3] get-tuple-element(c), index=0  b = f64[3] get-tuple-element(c), index=1  ROOT r = (s32[], f64[3], f64[3]) tuple(j, a, b) }
cond { p = (s32[], f64[3], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(4)  ROOT r = pred[] compare(i, n), direction=LT }
ENTRY e { x = f64[3] parameter(0)  i = s32[] constant(0)  t = (s32[], f64[3], f64[3]) tuple(i, x, x)  l = (s32[], f64[3], f64[3]) while(t), condition=cond, body=body  ROOT r = f64[3] get-tuple-element(l), index=1 }
)");
}

TEST(ControlFlowTest, LoopWithDeadPart) {
  ExpectLoop(Parsed(LoopWithDeadPart("sqrt(z)")), {}, "dead part");
  const Module module =
      Parsed(LoopWithDeadPart("custom-call(z), custom_call_target=\"mine\""));
  EXPECT_TRUE(Gradient(module, {0}).ok());
  EXPECT_TRUE(Tangents(module, {0}).ok());
}

// The start of a loop isn't taken apart again.
TEST(ControlFlowTest, StartsArePutTogetherOnce) {
  const absl::StatusOr<Module> gradient =
      Gradient(Parsed(LoopWithDeadPart("sine(z)")), {0});
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  for (const Instruction node : gradient->entry().instructions()) {
    if (node.opcode() != Opcode::kGetTupleElement) continue;
    EXPECT_NE(node.operand(0).opcode(), Opcode::kTuple);
  }
}

// x is multiplied by w, about 0.4, until it is no more than `stop`.
std::string UnknownLoop(double stop) {
  return absl::StrCat(R"(HloModule m
body { p = (f64[], f64[]) parameter(0)  x = f64[] get-tuple-element(p), index=0  w = f64[] get-tuple-element(p), index=1  y = f64[] multiply(x, w)  ROOT r = (f64[], f64[]) tuple(y, w) }
cond { p = (f64[], f64[]) parameter(0)  x = f64[] get-tuple-element(p), index=0  n = f64[] constant()",
                      stop, R"()  ROOT r = pred[] compare(x, n), direction=GT }
ENTRY e { x = f64[] parameter(0)  h = f64[] constant(0.4)  w = f64[] multiply(x, h)  t = (f64[], f64[]) tuple(x, w)  l = (f64[], f64[]) while(t), condition=cond, body=body  ROOT r = f64[] get-tuple-element(l), index=0 }
)");
}

TEST(ControlFlowTest, LoopOfUnknownLength) {
  GradientOptions bound;
  bound.loop_bound = 20;
  ExpectLoop(Parsed(UnknownLoop(1e-4)), bound, "unknown");
  ExpectLoop(Parsed(UnknownLoop(99)), bound, "no step");
}

// A counter says how often it runs at most, as TensorFlow's maximum_iterations.
TEST(ControlFlowTest, LoopThatACounterBounds) {
  const Module module = Parsed(R"(HloModule m
body { p = (f64[], s32[], f64[]) parameter(0)  x = f64[] get-tuple-element(p), index=0  i = s32[] get-tuple-element(p), index=1  w = f64[] get-tuple-element(p), index=2  y = f64[] multiply(x, w)  one = s32[] constant(1)  j = s32[] add(i, one)  ROOT r = (f64[], s32[], f64[]) tuple(y, j, w) }
cond { p = (f64[], s32[], f64[]) parameter(0)  x = f64[] get-tuple-element(p), index=0  i = s32[] get-tuple-element(p), index=1  n = f64[] constant(1e-4)  m = s32[] constant(20)  a = pred[] compare(x, n), direction=GT  b = pred[] compare(i, m), direction=LT  ROOT r = pred[] and(a, b) }
ENTRY e { x = f64[] parameter(0)  h = f64[] constant(0.4)  z = s32[] constant(0)  w = f64[] multiply(x, h)  t = (f64[], s32[], f64[]) tuple(x, z, w)  l = (f64[], s32[], f64[]) while(t), condition=cond, body=body  ROOT r = f64[] get-tuple-element(l), index=0 }
)");
  GradientOptions options;
  for (const LoopMemory memory : kMemories) {
    options.loops = memory;
    ExpectDerivative(module, absl::StrCat("memory ", static_cast<int>(memory)),
                     options);
  }
}

// A limit that no stack of steps would fit is none.
TEST(ControlFlowTest, LoopThatOnlyItsTypeBounds) {
  const Module module = Parsed(R"(HloModule m
body { p = (f64[], s32[]) parameter(0)  x = f64[] get-tuple-element(p), index=0  i = s32[] get-tuple-element(p), index=1  y = f64[] multiply(x, x)  one = s32[] constant(1)  j = s32[] add(i, one)  ROOT r = (f64[], s32[]) tuple(y, j) }
cond { p = (f64[], s32[]) parameter(0)  x = f64[] get-tuple-element(p), index=0  i = s32[] get-tuple-element(p), index=1  n = f64[] constant(1e-4)  m = s32[] constant(2147483646)  a = pred[] compare(x, n), direction=GT  b = pred[] compare(i, m), direction=LT  ROOT r = pred[] and(a, b) }
ENTRY e { x = f64[] parameter(0)  z = s32[] constant(0)  t = (f64[], s32[]) tuple(x, z)  l = (f64[], s32[]) while(t), condition=cond, body=body  ROOT r = f64[] get-tuple-element(l), index=0 }
)");
  EXPECT_THAT(std::string(Gradient(module, {0}).status().message()),
              HasSubstr("how often the loop runs isn't known"));
  GradientOptions options;
  options.loop_bound = 10;
  EXPECT_TRUE(Gradient(module, {0}, options).ok());
}

TEST(ControlFlowTest, LoopOfUnknownLengthIsRefused) {
  const Module module = Parsed(UnknownLoop(0.1));
  GradientOptions options;
  EXPECT_TRUE(Tangents(module, {0}).ok());
  for (const LoopMemory memory : kMemories) {
    options.loops = memory;
    const absl::Status refused = Gradient(module, {0}, options).status();
    if (memory == LoopMemory::kNothing) {
      EXPECT_TRUE(refused.ok());
      continue;
    }
    EXPECT_EQ(CodeOf(refused), Code::kNoDerivative);
    for (const char* way :
         {"Tangents", "GradientOptions::loop_bound", "LoopMemory::kNothing"}) {
      EXPECT_THAT(std::string(refused.message()), HasSubstr(way));
    }
  }
}

// A loop that runs longer than it may: the gradient says so.
TEST(ControlFlowTest, LoopThatRunsTooLong) {
  const Module module = Parsed(UnknownLoop(1e-4));
  const Probe probe(module);
  GradientOptions options;
  options.loop_bound = 2;
  for (const LoopMemory memory : kMemories) {
    options.loops = memory;
    const absl::StatusOr<Module> gradient = Gradient(module, {0}, options);
    ASSERT_TRUE(gradient.ok()) << gradient.status();
    EXPECT_EQ(std::isnan(probe.ByGradient(*gradient)),
              memory != LoopMemory::kNothing);
  }
}

// How often they run comes from elsewhere.
TEST(ControlFlowTest, LengthsFromOutside) {
  constexpr char kInner[] = R"(HloModule m
body { p = (s32[], s32[], f64[]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] get-tuple-element(p), index=1  x = f64[] get-tuple-element(p), index=2  one = s32[] constant(1)  j = s32[] add(i, one)  y = f64[] sine(x)  ROOT r = (s32[], s32[], f64[]) tuple(j, n, y) }
cond { p = (s32[], s32[], f64[]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] get-tuple-element(p), index=1  ROOT r = pred[] compare(i, n), direction=LT }
run { n = s32[] parameter(0)  x = f64[] parameter(1)  z = s32[] constant(0)  t = (s32[], s32[], f64[]) tuple(z, n, x)  l = (s32[], s32[], f64[]) while(t), condition=cond, body=body  ROOT r = f64[] get-tuple-element(l), index=2 }
)";
  const char* const entries[] = {
      // Two calls that run unlike numbers of steps, and one as the first.
      R"(ENTRY e { x = f64[] parameter(0)  two = s32[] constant(2)  three = s32[] constant(3)  a = f64[] call(two, x), to_apply=run  b = f64[] call(three, a), to_apply=run  c = f64[] call(two, b), to_apply=run  ROOT r = f64[] add(a, c) }
)",
      // The bound is a part of an outer loop's state.
      R"(body2 { p = (s32[], s32[], f64[]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] get-tuple-element(p), index=1  x = f64[] get-tuple-element(p), index=2  one = s32[] constant(1)  j = s32[] add(i, one)  y = f64[] call(n, x), to_apply=run  z = f64[] multiply(y, x)  ROOT r = (s32[], s32[], f64[]) tuple(j, n, z) }
ENTRY e { x = f64[] parameter(0)  z = s32[] constant(0)  n = s32[] constant(3)  t = (s32[], s32[], f64[]) tuple(z, n, x)  l = (s32[], s32[], f64[]) while(t), condition=cond, body=body2  ROOT r = f64[] get-tuple-element(l), index=2 }
)",
      // Of a branch.
      R"(branch { p = (s32[], f64[]) parameter(0)  n = s32[] get-tuple-element(p), index=0  x = f64[] get-tuple-element(p), index=1  ROOT r = f64[] call(n, x), to_apply=run }
other { x = f64[] parameter(0)  ROOT r = f64[] cosine(x) }
ENTRY e { x = f64[] parameter(0)  z = s32[] constant(0)  n = s32[] constant(3)  t = (s32[], f64[]) tuple(n, x)  ROOT r = f64[] conditional(z, t, x), branch_computations={branch, other} }
)",
      // Conditions as TensorFlow has them: in a call, of two counters.
      R"(said { p = (s32[], s32[], f64[]) parameter(0)  i = s32[] get-tuple-element(p), index=0  k = s32[] get-tuple-element(p), index=1  m = s32[] constant(9)  n = s32[] constant(3)  a = pred[] compare(i, m), direction=LT  b = pred[] compare(k, n), direction=LT  c = pred[] and(a, b)  d = pred[] reshape(c)  ROOT r = (pred[]) tuple(d) }
asked { p = (s32[], s32[], f64[]) parameter(0)  c = (pred[]) call(p), to_apply=said  ROOT r = pred[] get-tuple-element(c), index=0 }
both { p = (s32[], s32[], f64[]) parameter(0)  i = s32[] get-tuple-element(p), index=0  k = s32[] get-tuple-element(p), index=1  x = f64[] get-tuple-element(p), index=2  one = s32[] constant(1)  j = s32[] add(i, one)  h = s32[] reshape(j)  l = s32[] add(k, one)  y = f64[] sine(x)  ROOT r = (s32[], s32[], f64[]) tuple(h, l, y) }
ENTRY e { x = f64[] parameter(0)  z = s32[] constant(0)  t = (s32[], s32[], f64[]) tuple(z, z, x)  l = (s32[], s32[], f64[]) while(t), condition=asked, body=both  ROOT r = f64[] get-tuple-element(l), index=2 }
)",
      // XLA's note.
      R"(longer { p = (f64[], f64[]) parameter(0)  x = f64[] get-tuple-element(p), index=0  c = f64[] constant(0.3)  ROOT r = pred[] compare(x, c), direction=GT }
body3 { p = (f64[], f64[]) parameter(0)  x = f64[] get-tuple-element(p), index=0  y = f64[] get-tuple-element(p), index=1  h = f64[] constant(0.25)  s = f64[] subtract(x, h)  z = f64[] sine(y)  ROOT r = (f64[], f64[]) tuple(s, z) }
ENTRY e { x = f64[] parameter(0)  c = f64[] constant(1)  t = (f64[], f64[]) tuple(c, x)  l = (f64[], f64[]) while(t), condition=longer, body=body3, backend_config={"known_trip_count":{"n":"3"}}  ROOT r = f64[] get-tuple-element(l), index=1 }
)"};
  for (const char* entry : entries) {
    const Module module = Parsed(absl::StrCat(kInner, entry));
    ExpectDerivative(ExpectDerivative(module, entry), entry);
  }
}

// Calls are written where they are called: what would become too large, or
// nests too deeply, is refused, soon.
TEST(ControlFlowTest, CallsThatDouble) {
  std::string text =
      "HloModule m\ng0 { x = f64[] parameter(0)  ROOT r = f64[] sine(x) }\n";
  for (int i = 1; i <= 60; ++i) {
    absl::StrAppend(&text, "g", i,
                    " { x = f64[] parameter(0)  y = f64[] call(x), to_apply=g",
                    i - 1, "  ROOT r = f64[] call(y), to_apply=g", i - 1,
                    " }\n");
  }
  absl::StrAppend(&text,
                  "ENTRY e { x = f64[] parameter(0)  ROOT r = f64[] call(x), "
                  "to_apply=g60 }\n");
  EXPECT_EQ(CodeOf(Gradient(Parsed(text), {0}).status()), Code::kNoDerivative);
}

TEST(ControlFlowTest, DeepCalls) {
  std::string text =
      "HloModule m\ng0 { x = f64[] parameter(0)  ROOT r = f64[] sine(x) }\n";
  for (int i = 1; i <= 3000; ++i) {
    absl::StrAppend(&text, "g", i,
                    " { x = f64[] parameter(0)  ROOT r = f64[] "
                    "call(x), to_apply=g",
                    i - 1, " }\n");
  }
  const std::string without = absl::StrCat(
      text,
      "ENTRY e { x = f64[] parameter(0)  y = s32[] convert(x)  z = "
      "f64[] convert(y)  d = f64[] call(z), to_apply=g3000  ROOT r "
      "= f64[] multiply(d, x) }\n");
  EXPECT_TRUE(Gradient(Parsed(without), {0}).ok());
  const std::string with =
      absl::StrCat(text,
                   "ENTRY e { x = f64[] parameter(0)  ROOT d = f64[] call(x), "
                   "to_apply=g3000 }\n");
  EXPECT_EQ(CodeOf(Gradient(Parsed(with), {0}).status()), Code::kNoDerivative);
}

// What computations of elements call is recorded for arrays: that ends too.
TEST(ControlFlowTest, DeepCallsOfElements) {
  constexpr int kDepth = 100000;
  std::string text =
      "HloModule m\ng0 { x = f64[] parameter(0)  y = f64[] parameter(1)  ROOT "
      "r "
      "= f64[] power(x, y) }\n";
  for (int i = 1; i <= kDepth; ++i) {
    absl::StrAppend(&text, "g", i,
                    " { x = f64[] parameter(0)  y = f64[] parameter(1)  ROOT r "
                    "= f64[] call(x, y), to_apply=g",
                    i - 1, " }\n");
  }
  for (const char* row :
       {"map(x, x), dimensions={0}", "reduce-window(x, z), window={size=1}"}) {
    const std::string module = absl::StrCat(
        text,
        "ENTRY e { x = f64[3] parameter(0)  z = f64[] constant(1)  ROOT "
        "r = f64[3] ",
        row, ", to_apply=g", kDepth, " }\n");
    const absl::Status status = Gradient(Parsed(module), {0}).status();
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr("nest too deeply"))
        << row;
  }
}

// The first branch that can't be differentiated ends it, else each would try
// both branches in it.
TEST(ControlFlowTest, DeepBranches) {
  std::string text =
      "HloModule m\ng0 { x = f64[] parameter(0)  ROOT r = f64[] sine(x) }\n";
  for (int i = 1; i <= 1000; ++i) {
    absl::StrAppend(&text, "g", i,
                    " { x = f64[] parameter(0)  p = pred[] constant(true)  "
                    "ROOT r = f64[] conditional(p, x, x), true_computation=g",
                    i - 1, ", false_computation=g", i - 1, " }\n");
  }
  absl::StrAppend(&text,
                  "ENTRY e { x = f64[] parameter(0)  ROOT r = f64[] call(x), "
                  "to_apply=g1000 }\n");
  EXPECT_EQ(CodeOf(Gradient(Parsed(text), {0}).status()), Code::kNoDerivative);
}

}  // namespace
}  // namespace indim
