// SPDX-License-Identifier: Apache-2.0
// Derivatives of collectives: over all devices, the sums of <cotangent, f(t)>
// and of <gradient, t> are equal, since f is linear.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/evaluator.h"
#include "indim/grad/gradient.h"
#include "indim/passes/check/verify_module.h"
#include "indim/tests/grad/probe.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

struct CollectiveRow {
  int64_t replicas, partitions;
  const char* called;  // computations
  const char* body;    // of f64[4] x, to a result of f64[4]
};

// Values that differ by device.
std::vector<Literal> OnDevices(size_t count, double seed) {
  std::vector<Literal> values;
  for (size_t d = 0; d < count; ++d) {
    std::vector<double> x;
    for (int i = 0; i < 4; ++i) {
      x.push_back(std::sin(seed + 7 * static_cast<double>(d) + i));
    }
    values.push_back(LiteralOf(Shape::Of(kF64, {4}), x));
  }
  return values;
}

double SumOfProducts(const std::vector<Literal>& a,
                     const std::vector<Literal>& b) {
  double sum = 0;
  for (size_t d = 0; d < a.size(); ++d) sum += Dot(Flat(a[d]), Flat(b[d]));
  return sum;
}

TEST(CollectiveGradientTest, IsTheTranspose) {
  const CollectiveRow rows[] = {
      {4, 1, "",
       "ROOT r = f64[4] collective-broadcast(x), replica_groups={{1,0},{2,3}}"},
      // What no group names gets zeros.
      {4, 1, "",
       "ROOT r = f64[4] collective-broadcast(x), replica_groups={{2,0,1}}"},
      {2, 2, "",
       "ROOT r = f64[4] collective-broadcast(x), channel_id=1, "
       "replica_groups={{1,0}}"},
      // Each device sends a row to itself, and two rows to the other.
      {2, 1, "",
       "id = u32[] replica-id()  me = s32[] convert(id)  "
       "one = s32[] constant(1)  you = s32[] subtract(one, me)  "
       "a = s32[] add(one, me)  b = s32[] add(one, you)  "
       "a1 = s32[1] reshape(a)  b1 = s32[1] reshape(b)  "
       "sizes = s32[2] concatenate(a1, b1), dimensions={0}  "
       "z = s32[1] constant({0})  "
       "from = s32[2] concatenate(z, a1), dimensions={0}  "
       "m1 = s32[1] reshape(me)  t = s32[] add(me, me)  t1 = s32[1] reshape(t) "
       " "
       "out = f64[4] negate(x)  "
       "at = s32[2] concatenate(m1, t1), dimensions={0}  "
       "ROOT r = f64[4] ragged-all-to-all(x, out, from, sizes, at, sizes), "
       "replica_groups={{0,1}}"},
      // Asynchronous pairs.
      {4, 1,
       "add { a = f64[] parameter(0)  b = f64[] parameter(1)  "
       "ROOT c = f64[] add(a, b) }\n",
       "s = f64[4] all-reduce-start(x), replica_groups={{0,1},{2,3}}, "
       "to_apply=add  ROOT r = f64[4] all-reduce-done(s)"},
      {4, 1, "",
       "s = (f64[4], f64[4], u32[], u32[]) collective-permute-start(x), "
       "source_target_pairs={{0,1},{1,2}}  "
       "ROOT r = f64[4] collective-permute-done(s)"},
      {2, 1, "",
       "s = (f64[4], f64[8]) all-gather-start(x), replica_groups={{0,1}}, "
       "dimensions={0}  g = f64[8] all-gather-done(s)  "
       "a = f64[4] slice(g), slice={[2:6]}  ROOT r = f64[4] add(a, x)"},
      {1, 1, "",
       "s = (f64[4], f64[4], u32[]) copy-start(x)  "
       "ROOT r = f64[4] copy-done(s)"},
      {1, 1, "wrapped { p = f64[4] parameter(0)  ROOT n = f64[4] negate(p) }\n",
       "s = ((f64[4]), f64[4], u32[]) async-start(x), calls=wrapped  "
       "u = ((f64[4]), f64[4], u32[]) async-update(s)  "
       "ROOT r = f64[4] async-done(u)"},
  };
  for (const CollectiveRow& row : rows) {
    const absl::StatusOr<Module> module = ParseHloText(
        absl::StrCat("HloModule m, replica_count=", row.replicas,
                     ", num_partitions=", row.partitions, "\n", row.called,
                     "ENTRY e { x = f64[4] parameter(0)  ", row.body, " }\n"));
    ASSERT_TRUE(module.ok()) << module.status() << row.body;
    const absl::StatusOr<Module> gradient = Gradient(*module, {0});
    ASSERT_TRUE(gradient.ok()) << gradient.status() << row.body;
    EXPECT_TRUE(VerifyModule(*gradient).ok()) << row.body;
    const EvalDevices devices{row.replicas, row.partitions};
    const auto x = OnDevices(devices.count(), 1),
               g = OnDevices(devices.count(), 2);
    const auto t = OnDevices(devices.count(), 3);
    const auto moved = EvaluateOnDevices(*module, devices, {t});
    ASSERT_TRUE(moved.ok()) << moved.status() << row.body;
    const auto back = EvaluateOnDevices(*gradient, devices, {x, g});
    ASSERT_TRUE(back.ok()) << back.status() << row.body;
    EXPECT_NEAR(SumOfProducts(*moved, g), SumOfProducts(*back, t), 1e-12)
        << row.body;
    const absl::StatusOr<Module> tangents = Tangents(*module, {0});
    ASSERT_TRUE(tangents.ok()) << tangents.status() << row.body;
    const auto forward = EvaluateOnDevices(*tangents, devices, {x, t});
    ASSERT_TRUE(forward.ok()) << forward.status() << row.body;
    EXPECT_NEAR(SumOfProducts(*forward, g), SumOfProducts(*moved, g), 1e-12)
        << row.body;
  }
}

}  // namespace
}  // namespace indim
