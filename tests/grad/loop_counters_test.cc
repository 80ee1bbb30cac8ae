// SPDX-License-Identifier: Apache-2.0
// Loops whose steps use a counter: it is known from the number of the step, so
// no stack keeps it, nor what is computed from it alone.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/grad/gradient.h"
#include "indim/tests/grad/probe.h"

namespace indim {
namespace {

struct CounterCase {
  const char* name;
  // Of the counter: its type, start, how it changes, and while what holds.
  const char *type, *start, *next, *more;
  // What a step does with the counter i; it gives v, an f64[3].
  const char* use;
};

void PrintTo(const CounterCase& row, std::ostream* out) { *out << row.name; }

// The state has a second counter, which begins where a parameter says.
constexpr char kCountedLoop[] = R"(HloModule m
body { p = (T[], f64[3], f64[9], s32[]) parameter(0)  i = T[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  w = f64[9] get-tuple-element(p), index=2  n = s32[] get-tuple-element(p), index=3
  d = T[] constant(NEXT_NUMBER)  j = T[] NEXT_OP(i, d)  three = s32[] constant(3)  m = s32[] add(three, n)  zero = s32[] constant(0)
  USE
  s = f64[3] sine(x)  y = f64[3] multiply(s, v)  q = f64[9] multiply(w, w)  ROOT r = (T[], f64[3], f64[9], s32[]) tuple(j, y, q, m) }
cond { p = (T[], f64[3], f64[9], s32[]) parameter(0)  i = T[] get-tuple-element(p), index=0  n = T[] constant(MORE_NUMBER)  ROOT r = pred[] compare(i, n), direction=MORE_HOW }
ENTRY e { x = f64[3] parameter(0)  w = f64[9] parameter(1)  n = s32[] parameter(2)  i = T[] constant(START)  t = (T[], f64[3], f64[9], s32[]) tuple(i, x, w, n)  l = (T[], f64[3], f64[9], s32[]) while(t), condition=cond, body=body  ROOT r = f64[3] get-tuple-element(l), index=1 }
)";

constexpr char kUseAsIndex[] =
    "v = f64[3] dynamic-slice(w, i), dynamic_slice_sizes={3}";
constexpr char kUseOfOther[] =
    "v = f64[3] dynamic-slice(w, n), dynamic_slice_sizes={3}";
// As JAX writes an index that may be negative.
constexpr char kUseWrapped[] =
    "z = T[] constant(0)  c = pred[] compare(i, z), direction=LT  nine = T[] "
    "constant(9)  a = T[] add(i, nine)  k = T[] select(c, a, i)  v = f64[3] "
    "dynamic-slice(w, k), dynamic_slice_sizes={3}";
constexpr char kUseAsFloat[] =
    "f = f64[] convert(i)  g = f64[] cosine(f)  b = f64[3] broadcast(g), "
    "dimensions={}  v = f64[3] multiply(b, x)";
constexpr char kUseInCondition[] =
    "two = T[] constant(2)  c = pred[] compare(i, two), direction=GT  b = "
    "pred[3] broadcast(c), dimensions={}  e = f64[3] exponential(x)  v = "
    "f64[3] select(b, e, x)";
constexpr char kUseOfBoth[] =
    "k = s32[] convert(i)  a = s32[] multiply(k, n)  v = f64[3] "
    "dynamic-slice(w, a), dynamic_slice_sizes={3}";

constexpr CounterCase kCounters[] = {
    {"Index", "s32", "0", "add 1", "LT 5", kUseAsIndex},
    {"IndexOf64Bits", "s64", "0", "add 1", "LT 5", kUseAsIndex},
    {"StepTwo", "s64", "1", "add 2", "LT 6", kUseAsIndex},
    {"Down", "s32", "5", "add -1", "GE 1", kUseAsIndex},
    {"DownBySubtracting", "s64", "6", "subtract 2", "GT 0", kUseAsIndex},
    {"Unsigned", "u32", "6", "subtract 1", "GT 2", kUseAsIndex},
    {"Bytes", "s8", "0", "add 1", "LE 4", kUseAsIndex},
    {"UntilEqual", "u64", "2", "add 2", "NE 8", kUseAsIndex},
    {"Wrapped", "s64", "-4", "add 1", "LT 1", kUseWrapped},
    {"Float", "s32", "-1", "add 1", "LT 3", kUseAsFloat},
    {"Condition", "s32", "0", "add 1", "LT 5", kUseInCondition},
    {"OtherStart", "s64", "0", "add 1", "LT 3", kUseOfOther},
    {"Both", "s32", "1", "add 1", "LT 4", kUseOfBoth},
    {"OneStep", "s32", "4", "add 1", "LT 5", kUseAsFloat},
};

std::string CountedLoop(const CounterCase& row) {
  const auto number = [](const std::string& text) {
    return text.substr(text.find(' ') + 1);
  };
  const auto word = [](const std::string& text) {
    return text.substr(0, text.find(' '));
  };
  return absl::StrReplaceAll(
      absl::StrReplaceAll(kCountedLoop, {{"USE", row.use},
                                         {"NEXT_NUMBER", number(row.next)},
                                         {"NEXT_OP", word(row.next)},
                                         {"MORE_NUMBER", number(row.more)},
                                         {"MORE_HOW", word(row.more)},
                                         {"START", row.start}}),
      {{"T[]", absl::StrCat(row.type, "[]")}});
}

// How many arrays of integers or truth values loops carry.
int StacksOfIntegers(const Module& module) {
  int count = 0;
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      if (node.opcode() != Opcode::kWhile || !node.shape().is_tuple()) continue;
      for (const Shape& part : node.shape().elements()) {
        count += part.is_array() && part.rank() > 0 && !IsReal(part) ? 1 : 0;
      }
    }
  }
  return count;
}

class LoopCountersTest : public ::testing::TestWithParam<CounterCase> {};

TEST_P(LoopCountersTest, AreNotKept) {
  const std::string text = CountedLoop(GetParam());
  for (const LoopMemory memory :
       {LoopMemory::kResiduals, LoopMemory::kStates, LoopMemory::kSegments,
        LoopMemory::kNothing}) {
    GradientOptions options;
    options.loops = memory;
    const std::string name =
        absl::StrCat(GetParam().name, ", memory ", static_cast<int>(memory));
    const Module gradient = ExpectDerivative(Parsed(text), name, options);
    // A segment's length is kept.
    EXPECT_EQ(StacksOfIntegers(gradient),
              memory == LoopMemory::kSegments ? 2 : 0)
        << name;
    if (memory == LoopMemory::kSegments) options.loop_bound = 9;
    ExpectDerivative(gradient, "second order: " + name, options);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LoopCountersTest, ::testing::ValuesIn(kCounters),
                         [](const auto& row) { return row.param.name; });

// The inner loop's counter begins at the outer's.
TEST(LoopCounters, OfNestedLoops) {
  const Module module = Parsed(R"(HloModule m
inner { p = (s32[], s32[], f64[3], f64[9]) parameter(0)  k = s32[] get-tuple-element(p), index=0  j = s32[] get-tuple-element(p), index=1  x = f64[3] get-tuple-element(p), index=2  w = f64[9] get-tuple-element(p), index=3  one = s32[] constant(1)  l = s32[] add(k, one)  two = s32[] constant(2)  m = s32[] add(j, two)
  v = f64[3] dynamic-slice(w, j), dynamic_slice_sizes={3}  s = f64[3] sine(x)  y = f64[3] multiply(s, v)  q = f64[9] cosine(w)  ROOT r = (s32[], s32[], f64[3], f64[9]) tuple(l, m, y, q) }
more { p = (s32[], s32[], f64[3], f64[9]) parameter(0)  k = s32[] get-tuple-element(p), index=0  n = s32[] constant(2)  ROOT r = pred[] compare(k, n), direction=LT }
outer { p = (s32[], f64[3], f64[9]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  w = f64[9] get-tuple-element(p), index=2  one = s32[] constant(1)  l = s32[] add(i, one)  zero = s32[] constant(0)
  t = (s32[], s32[], f64[3], f64[9]) tuple(zero, i, x, w)  u = (s32[], s32[], f64[3], f64[9]) while(t), condition=more, body=inner  y = f64[3] get-tuple-element(u), index=2  q = f64[9] get-tuple-element(u), index=3  ROOT r = (s32[], f64[3], f64[9]) tuple(l, y, q) }
cond { p = (s32[], f64[3], f64[9]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(4)  ROOT r = pred[] compare(i, n), direction=LT }
ENTRY e { x = f64[3] parameter(0)  w = f64[9] parameter(1)  i = s32[] constant(1)  t = (s32[], f64[3], f64[9]) tuple(i, x, w)  l = (s32[], f64[3], f64[9]) while(t), condition=cond, body=outer  ROOT r = f64[3] get-tuple-element(l), index=1 }
)");
  const Module gradient = ExpectDerivative(module, "nested");
  EXPECT_EQ(StacksOfIntegers(gradient), 0);
  ExpectDerivative(gradient, "second order: nested");
}

}  // namespace
}  // namespace indim
