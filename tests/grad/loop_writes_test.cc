// SPDX-License-Identifier: Apache-2.0
// Loops that write an array slice by slice: the cotangent of the array is
// cleared in each step back only where it must be.

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "absl/strings/str_replace.h"
#include "indim/grad/gradient.h"
#include "indim/tests/grad/probe.h"

namespace indim {
namespace {

struct LoopWriteRow {
  const char* write;  // of row in ys, of f64[8,3], in step i: new
  bool clears;
  const char* steps = "7";
  const char* init =
      "z = f64[] constant(0)  "
      "init = f64[8,3] broadcast(z), dimensions={}";
};

constexpr char kLoop[] = R"(HloModule m
put { a = f64[8,3] parameter(0)  u = f64[1,3] parameter(1)  k = s32[] parameter(2)  o = s32[] constant(0)  ROOT r = f64[8,3] dynamic-update-slice(a, u, k, o) }
put2 { a = f64[8,3] parameter(0)  u = f64[1,3] parameter(1)  k = s32[] parameter(2)  b = f64[8,3] call(a, u, k), to_apply=put  ROOT r = (f64[8,3], f64[1,3]) tuple(b, u) }
body { p = (s32[], f64[3], f64[8,3], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  ys = f64[8,3] get-tuple-element(p), index=2  w = f64[3] get-tuple-element(p), index=3
  one = s32[] constant(1)  j = s32[] add(i, one)  o = s32[] constant(0)  six = s32[] constant(6)  s = f64[3] sine(x)  y = f64[3] multiply(s, w)  row = f64[1,3] reshape(y)
  $WRITE
  ROOT r = (s32[], f64[3], f64[8,3], f64[3]) tuple(j, y, new, w) }
cond { p = (s32[], f64[3], f64[8,3], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant($STEPS)  ROOT r = pred[] compare(i, n), direction=LT }
ENTRY e { x = f64[3] parameter(0)  w = f64[3] parameter(1)  given = f64[8,3] parameter(2)  i = s32[] constant(0)  $INIT  t = (s32[], f64[3], f64[8,3], f64[3]) tuple(i, x, init, w)  l = (s32[], f64[3], f64[8,3], f64[3]) while(t), condition=cond, body=body  ys = f64[8,3] get-tuple-element(l), index=2  a = f64[8,3] sine(ys)  ROOT r = f64[8,3] multiply(a, given) }
)";

constexpr LoopWriteRow kLoopWriteRows[] = {
    {"new = f64[8,3] dynamic-update-slice(ys, row, i, o)", false},
    // From the last row on.
    {"k = s32[] subtract(six, i)  "
     "new = f64[8,3] dynamic-update-slice(ys, row, k, o)",
     false},
    // As NumPy counts.
    {"n = s32[] constant(8)  k = s32[] add(i, n)  "
     "c = pred[] compare(i, o), direction=LT  q = s32[] select(c, k, i)  "
     "new = f64[8,3] dynamic-update-slice(ys, row, q, o)",
     false},
    {"l = s64[] convert(i)  c = s64[] constant(1)  k = s64[] add(l, c)  "
     "d = s64[] constant(0)  "
     "new = f64[8,3] dynamic-update-slice(ys, row, k, d)",
     false},
    // In what it calls.
    {"t = (f64[8,3], f64[1,3]) call(ys, row, i), to_apply=put2  "
     "new = f64[8,3] get-tuple-element(t), index=0",
     false},
    // All rows: what was there doesn't matter.
    {"new = f64[8,3] dynamic-update-slice(ys, row, i, o)", false, "8",
     "init = f64[8,3] cosine(given)"},
    {"new = f64[8,3] dynamic-update-slice(ys, row, i, o)", true, "7",
     "init = f64[8,3] cosine(given)"},
    // The last steps write the same row.
    {"k = s32[] add(i, six)  "
     "new = f64[8,3] dynamic-update-slice(ys, row, k, o)",
     true},
    {"new = f64[8,3] dynamic-update-slice(ys, row, six, o)", true},
    {"k = s32[] divide(i, six)  "
     "new = f64[8,3] dynamic-update-slice(ys, row, k, o)",
     true},
    // Slices that overlap.
    {"two = f64[2,3] concatenate(row, row), dimensions={0}  "
     "new = f64[8,3] dynamic-update-slice(ys, two, i, o)",
     true},
    {"two = f64[2,3] concatenate(row, row), dimensions={0}  "
     "k = s32[] add(i, i)  "
     "new = f64[8,3] dynamic-update-slice(ys, two, k, o)",
     false, "4", "init = f64[8,3] cosine(given)"},
    // What was written before is read, or written again.
    {"b = f64[8,3] sine(ys)  "
     "new = f64[8,3] dynamic-update-slice(b, row, i, o)",
     true},
    {"a = f64[8,3] dynamic-update-slice(ys, row, i, o)  "
     "new = f64[8,3] dynamic-update-slice(a, row, six, o)",
     true},
    {"a = f64[8,3] dynamic-update-slice(ys, row, i, o)  "
     "new = f64[8,3] sine(a)",
     true},
};

// Whether something writes zeros into an array.
bool Clears(const Module& module) {
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      if (node.opcode() == Opcode::kDynamicUpdateSlice &&
          node.operand(1).opcode() == Opcode::kBroadcast) {
        return true;
      }
    }
  }
  return false;
}

TEST(LoopWritesTest, CotangentsAreClearedWhereTheyMustBe) {
  for (const LoopWriteRow& row : kLoopWriteRows) {
    const Module module = Parsed(absl::StrReplaceAll(
        kLoop,
        {{"$WRITE", row.write}, {"$STEPS", row.steps}, {"$INIT", row.init}}));
    for (const LoopMemory memory :
         {LoopMemory::kResiduals, LoopMemory::kStates, LoopMemory::kSegments,
          LoopMemory::kNothing}) {
      GradientOptions options;
      options.loops = memory;
      const Module gradient = ExpectDerivative(module, row.write, options);
      EXPECT_EQ(Clears(gradient), row.clears) << row.write;
      if (memory != LoopMemory::kResiduals || row.clears) continue;
      ExpectDerivative(gradient, row.write);
    }
  }
}

// Of factors that follow each other a loop keeps the product.
TEST(LoopWritesTest, FactorsAreKeptAsTheirProduct) {
  struct Row {
    const char* body;  // from x to y
    size_t kept;
  };
  const Row rows[] = {
      {"s = f64[3] sine(x)  e = f64[3] exponential(s)  y = f64[3] tanh(e)", 1},
      {"e = f64[3] exponential(x)  a = f64[3] add(e, w)  y = f64[3] log(a)", 1},
      {"s = f64[3] logistic(x)  l = f64[3] log(s)  y = f64[3] sine(l)", 1},
      // The sine has two users: its factor stands alone.
      {"s = f64[3] sine(x)  e = f64[3] exponential(s)  y = f64[3] add(e, s)",
       2},
      {"s = f64[3] sine(x)  y = f64[3] multiply(s, w)", 1}};
  for (const Row& row : rows) {
    const Module module = Parsed(absl::StrReplaceAll(
        R"(HloModule m
body { p = (s32[], f64[3], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f64[3] get-tuple-element(p), index=1  w = f64[3] get-tuple-element(p), index=2
  one = s32[] constant(1)  j = s32[] add(i, one)  $BODY
  ROOT r = (s32[], f64[3], f64[3]) tuple(j, y, w) }
cond { p = (s32[], f64[3], f64[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(2)  ROOT r = pred[] compare(i, n), direction=LT }
ENTRY e { x = f64[3] parameter(0)  w = f64[3] constant({0.5,0.7,0.9})  i = s32[] constant(0)  t = (s32[], f64[3], f64[3]) tuple(i, x, w)  l = (s32[], f64[3], f64[3]) while(t), condition=cond, body=body  ROOT r = f64[3] get-tuple-element(l), index=1 }
)",
        {{"$BODY", row.body}}));
    std::vector<KeptValue> kept;
    GradientOptions options;
    options.kept = &kept;
    const Module gradient = ExpectDerivative(module, row.body, options);
    EXPECT_EQ(kept.size(), row.kept) << row.body << KeptText(kept);
    ExpectDerivative(gradient, row.body);
  }
}

}  // namespace
}  // namespace indim
