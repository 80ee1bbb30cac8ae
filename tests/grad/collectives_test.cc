// SPDX-License-Identifier: Apache-2.0
// Derivatives of collectives: over all devices, the sums of <cotangent, f(t)>
// and of <gradient, t> are equal, since f is linear.

#include <gmock/gmock.h>
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
      // Groups by a formula and by an axis.
      {4, 1, "",
       "ROOT r = f64[4] collective-broadcast(x), "
       "replica_groups=[2,2]<=[2,2]T(1,0)"},
      {4, 1, "",
       "ROOT r = f64[4] collective-broadcast(x), "
       "replica_groups=mesh['a'=2,'b'=2] {'a'}"},
      // XLA takes further operands, which say nothing.
      {4, 1, "",
       "n = f64[4] negate(x)  ROOT r = f64[4] collective-broadcast(x, n), "
       "replica_groups={{1,0},{2,3}}"},
      {2, 1, "",
       "zero = f64[] constant(0)  y = f64[4] broadcast(zero), dimensions={}  "
       "ROOT r = f64[4] collective-broadcast(y, x), replica_groups={{1,0}}"},
      // Near the last channel there is.
      {2, 2, "",
       "ROOT r = f64[4] collective-broadcast(x), "
       "channel_id=9223372036854775807, replica_groups={{1,0}}"},
      {2, 2, "",
       "ROOT r = f64[4] collective-broadcast(x), channel_id=1, "
       "replica_groups={{1,0}}"},
      {4, 1,
       "add { a = f64[] parameter(0)  b = f64[] parameter(1)  "
       "ROOT c = f64[] add(a, b) }\n",
       "ROOT r = f64[4] collective-reduce(x), replica_groups={{1,0},{2,3}}, "
       "to_apply=add"},
      {2, 2,
       "add { a = f64[] parameter(0)  b = f64[] parameter(1)  "
       "ROOT c = f64[] add(a, b) }\n",
       "ROOT r = f64[4] collective-reduce(x), channel_id=1, "
       "replica_groups={{3,1},{0,2}}, use_global_device_ids=true, "
       "to_apply=add"},
      // The all-reduces of the derivative demand layouts as this one does.
      {4, 1,
       "add { a = f64[] parameter(0)  b = f64[] parameter(1)  "
       "ROOT c = f64[] add(a, b) }\n",
       "s = f64[4] all-reduce(x), replica_groups={{0,1},{2,3}}, "
       "constrain_layout=true, to_apply=add  "
       "ROOT r = f64[4] collective-reduce(s), replica_groups={{1,0},{2,3}}, "
       "to_apply=add"},
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
      // The same by arrays of rank 2.
      {2, 1, "",
       "id = u32[] replica-id()  me = s32[] convert(id)  "
       "one = s32[] constant(1)  you = s32[] subtract(one, me)  "
       "a = s32[] add(one, me)  b = s32[] add(one, you)  "
       "a1 = s32[1,1] reshape(a)  b1 = s32[1,1] reshape(b)  "
       "sizes = s32[2,1] concatenate(a1, b1), dimensions={0}  "
       "z = s32[1,1] constant({{0}})  "
       "from = s32[2,1] concatenate(z, a1), dimensions={0}  "
       "m1 = s32[1,1] reshape(me)  t = s32[] add(me, me)  t1 = s32[1,1] "
       "reshape(t)  out = f64[4] negate(x)  "
       "at = s32[2,1] concatenate(m1, t1), dimensions={0}  "
       "ROOT r = f64[4] ragged-all-to-all(x, out, from, sizes, at, sizes), "
       "replica_groups={{0,1}}"},
      // A tuple of parts, of which one is used.
      {2, 1, "",
       "a = f64[2] slice(x), slice={[0:2]}  b = f64[2] slice(x), "
       "slice={[1:3]}  t = (f64[2], f64[2]) all-to-all(a, b), "
       "replica_groups={{1,0}}  c = f64[2] get-tuple-element(t), index=1  "
       "ROOT r = f64[4] concatenate(c, c), dimensions={0}"},
      // JAX's sum of meshes with explicit axes.
      {4, 1,
       "add { a = f64[] parameter(0)  b = f64[] parameter(1)  "
       "c = f64[] add(a, b)  ROOT d = f64[] custom-call(c), "
       "custom_call_target=\"Sharding\", sharding={replicated} }\n",
       "ROOT r = f64[4] all-reduce(x), replica_groups={{0,1},{2,3}}, "
       "to_apply=add"},
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

// What XLA's verifier takes.
TEST(CollectiveGradientTest, Refused) {
  const struct {
    const char* body;  // of f64[4] x and f64[] s
    const char* why;
  } rows[] = {
      {"ROOT r = f64[4] collective-broadcast(x), replica_groups={{1,0,1}}",
       "name a device twice"},
      {"ROOT r = f64[4] collective-broadcast(x), replica_groups={{1,0},{0}}",
       "name a device twice"},
      {"ROOT r = f64[4] collective-broadcast(x), replica_groups={{-2}}",
       "twice, or a negative one"},
      {"n = s32[1] constant({0})  "
       "ROOT r = f64[] ragged-all-to-all(s, s, n, n, n, n), "
       "replica_groups={{0,1}}",
       "a scalar has no rows"},
  };
  for (const auto& row : rows) {
    const absl::StatusOr<Module> module = ParseHloText(absl::StrCat(
        "HloModule m, replica_count=2\nENTRY e { x = f64[4] parameter(0)  "
        "s = f64[] parameter(1)  ",
        row.body, " }\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_THAT(std::string(Gradient(*module, {0, 1}).status().message()),
                testing::HasSubstr(row.why));
  }
}

// On a mesh of 2 x 2: one array is cut by both axes, of the other and of a
// result the devices along "a" have copies.
TEST(CollectiveGradientTest, OfManualRegions) {
  const char* const shardy = R"(HloModule m, num_partitions=4,
  frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2, "b"=2]>}}
add { p = f64[] parameter(0)  q = f64[] parameter(1)  ROOT s = f64[] add(p, q) }
xla.sdy.manual_computation_body {
  x = f64[2,1] parameter(0)  w = f64[1] parameter(1)
  s = f64[2,1] sine(x)  spread = f64[2,1] broadcast(w), dimensions={1}
  m = f64[2,1] multiply(s, spread)  zero = f64[] constant(0)
  r = f64[1] reduce(m, zero), dimensions={0}, to_apply=add
  all = f64[1] all-reduce(r), channel_id=1, replica_groups={{0,2},{1,3}},
    use_global_device_ids=true, to_apply=add
  ROOT t = (f64[2,1], f64[1]) tuple(m, all)
}
ENTRY e {
  x = f64[4,2] parameter(0)  w = f64[2] parameter(1)
  cut = (f64[2,1], f64[1]) custom-call(x, w),
    custom_call_target="xla.sdy.GlobalToLocalShape",
    custom_call_has_side_effect=true, frontend_attributes={
    xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"a\"}, {\"b\"}]>, <@mesh, [{\"b\"}], replicated={\"a\"}>]>",
    xla.sdy.manual_axes="#sdy<manual_axes{\"a\", \"b\"}>"}
  c0 = f64[2,1] get-tuple-element(cut), index=0
  c1 = f64[1] get-tuple-element(cut), index=1
  made = (f64[2,1], f64[1]) call(c0, c1),
    to_apply=xla.sdy.manual_computation_body
  m0 = f64[2,1] get-tuple-element(made), index=0
  m1 = f64[1] get-tuple-element(made), index=1
  ROOT joined = (f64[4,2], f64[2]) custom-call(m0, m1),
    custom_call_target="xla.sdy.LocalToGlobalShape",
    custom_call_has_side_effect=true, frontend_attributes={
    xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"a\"}, {\"b\"}]>, <@mesh, [{\"b\"}]>]>",
    xla.sdy.manual_axes="#sdy<manual_axes{\"a\", \"b\"}>"}
})";
  const char* const gspmd = R"(HloModule m, num_partitions=4
ENTRY e {
  x = f64[4,2] parameter(0)  w = f64[2] parameter(1)
  noted = f64[4,2] custom-call(x), custom_call_target="Sharding",
    sharding={devices=[2,2]<=[4]}
  cut = f64[2,1] custom-call(noted), sharding={manual},
    custom_call_target="SPMDFullToShardShape"
  s = f64[2,1] sine(cut)
  joined = f64[4,2] custom-call(s), sharding={devices=[2,2]<=[4]},
    custom_call_target="SPMDShardToFullShape"
  spread = f64[4,2] broadcast(w), dimensions={1}
  m = f64[4,2] multiply(joined, spread)
  ROOT t = (f64[4,2], f64[2]) tuple(m, w)
})";
  const auto values = [](double seed) {
    std::vector<std::vector<Literal>> arrays;
    for (const std::vector<int64_t>& dims :
         {std::vector<int64_t>{4, 2}, std::vector<int64_t>{2}}) {
      std::vector<double> x;
      for (int i = 0; i < (dims.size() == 2 ? 8 : 2); ++i) {
        x.push_back(std::sin(seed + 3 * i));
      }
      arrays.push_back({LiteralOf(Shape::Of(kF64, dims), x)});
    }
    return arrays;
  };
  for (const char* const text : {shardy, gspmd}) {
    const absl::StatusOr<Module> module = ParseHloText(text);
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::StatusOr<Module> gradient = Gradient(*module, {});
    ASSERT_TRUE(gradient.ok()) << gradient.status();
    const absl::StatusOr<Module> tangents = Tangents(*module, {});
    ASSERT_TRUE(tangents.ok()) << tangents.status();
    EXPECT_TRUE(VerifyModule(*gradient).ok());
    EXPECT_TRUE(VerifyModule(*tangents).ok());
    const auto on_all = [](const Module& of,
                           std::vector<std::vector<Literal>> arguments) {
      for (std::vector<Literal>& argument : arguments) {
        argument.assign(4, Literal(argument[0]));
      }
      const auto all = EvaluateOnDevices(of, EvalDevices{1, 4}, arguments);
      EXPECT_TRUE(all.ok()) << all.status();
      return all.ok() ? Flat((*all)[0]) : std::vector<double>();
    };
    const auto x = values(1), t = values(2), g = values(4);
    const auto joined = [](auto a, const auto& b) {
      a.insert(a.end(), b.begin(), b.end());
      return a;
    };
    std::vector<double> seeds, along;
    for (size_t i = 0; i < 2; ++i) {
      seeds = joined(seeds, Flat(g[i][0]));
      along = joined(along, Flat(t[i][0]));
    }
    const std::vector<double> moved = on_all(*tangents, joined(x, t));
    EXPECT_NEAR(Dot(moved, seeds), Dot(on_all(*gradient, joined(x, g)), along),
                1e-12);
    const auto at = [&](double h) {
      auto arguments = x;
      for (size_t i = 0; i < 2; ++i) {
        std::vector<double> shifted = Flat(x[i][0]);
        for (size_t k = 0; k < shifted.size(); ++k) {
          shifted[k] += h * Flat(t[i][0])[k];
        }
        arguments[i][0] = LiteralOf(x[i][0].shape(), shifted);
      }
      return Dot(on_all(*module, arguments), seeds);
    };
    EXPECT_NEAR((at(1e-5) - at(-1e-5)) / 2e-5, Dot(moved, seeds), 1e-8);
  }
}

}  // namespace
}  // namespace indim
