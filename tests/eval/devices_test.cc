// SPDX-License-Identifier: Apache-2.0
// What modules compute on several devices: each collective with its groups in
// each form, against results by hand; control flow that devices take apart;
// manual regions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/fold.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/eval/eval_text.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::vector<Literal>> EvaluateText(
    const std::string& text, const EvalDevices& devices,
    const std::vector<std::vector<Literal>>& arguments = {},
    const EvalOptions& options = {}) {
  const absl::StatusOr<Module> module = ParseHloText(text);
  if (!module.ok()) return module.status();
  return EvaluateOnDevices(*module, devices, arguments, options);
}

// "3" where all devices have it, else "3 | 4", device by device; CodeOrText of
// an error.
std::string EvalOn(const std::string& text, const EvalDevices& devices) {
  const absl::StatusOr<std::vector<Literal>> results =
      EvaluateText(text, devices);
  if (!results.ok()) return CodeOrText(results.status());
  std::string said;
  for (const Literal& result : *results) {
    absl::StrAppend(&said, said.empty() ? "" : " | ", result.ToString());
  }
  return said;
}

// Device's own number is 10 * replica + partition, `v` an array of it, `x` two
// numbers from ten times it on, `four` as many.
constexpr char kOwn[] =
    "rid = u32[] replica-id();pid = u32[] partition-id();"
    "ten = u32[] constant(10);rt = u32[] multiply(rid,ten);"
    "id = u32[] add(rt,pid);v = u32[1] reshape(id);"
    "i2 = u32[2] iota(), iota_dimension=0;i4 = u32[4] iota(), "
    "iota_dimension=0;"
    "b2 = u32[2] broadcast(id), dimensions={};x = u32[2] add(b2,i2);"
    "b4 = u32[4] broadcast(id), dimensions={};four = u32[4] add(b4,i4);";
constexpr char kSum[] =
    "sum {\n  a = u32[] parameter(0)\n  b = u32[] parameter(1)\n"
    "  ROOT r = u32[] add(a, b)\n}\n"
    "less {\n  a = u32[] parameter(0)\n  b = u32[] parameter(1)\n"
    "  ROOT r = u32[] subtract(a, b)\n}\n";

struct DeviceCase {
  int64_t replicas;
  int64_t partitions;
  const char* root;
  const char* expected;
};

void ExpectOnDevices(const std::vector<DeviceCase>& table) {
  for (const DeviceCase& c : table) {
    EXPECT_EQ(EvalOn(absl::StrCat("HloModule m\n", kSum,
                                  EntryOf(absl::StrCat(kOwn, c.root))),
                     {c.replicas, c.partitions}),
              c.expected)
        << c.replicas << " replicas, " << c.partitions
        << " partitions: " << c.root;
  }
}

TEST(DevicesTest, EachHasItsNumbers) {
  ExpectOnDevices({
      {2, 2, "r = u32[] add(id,id)", "0 | 2 | 20 | 22"},
      {3, 1, "r = u32[] replica-id()", "0 | 1 | 2"},
      {1, 3, "r = u32[] partition-id()", "0 | 1 | 2"},
      {1, 3, "r = u32[] replica-id()", "0"},
      {1, 1, "r = u32[] add(id,id)", "0"},
  });
}

// Groups in every form, and all that their numbers can mean.
TEST(DevicesTest, Groups) {
  ExpectOnDevices({
      {4, 1, "r = u32[] all-reduce(id), replica_groups={}, to_apply=sum", "60"},
      {4, 1,
       "r = u32[] all-reduce(id), replica_groups={{0,1},{2,3}}, to_apply=sum",
       "10 | 10 | 50 | 50"},
      {4, 1,
       "r = u32[] all-reduce(id), replica_groups={{0,1,2},{3}}, to_apply=sum",
       "30"},
      {4, 1,
       "r = u32[] all-reduce(id), replica_groups=[2,2]<=[4], to_apply=sum",
       "10 | 10 | 50 | 50"},
      {4, 1,
       "r = u32[] all-reduce(id), replica_groups=[2,2]<=[2,2]T(1,0), "
       "to_apply=sum",
       "20 | 40 | 20 | 40"},
      {4, 1,
       "r = u32[] all-reduce(id), replica_groups=mesh['a'=2,'b'=2] {'b'}, "
       "to_apply=sum",
       "10 | 10 | 50 | 50"},
      {4, 1,
       "r = u32[] all-reduce(id), replica_groups=mesh['a'=2,'b'=2] {'a'}, "
       "to_apply=sum",
       "20 | 40 | 20 | 40"},
      {4, 1,
       "r = u32[] all-reduce(id), replica_groups=mesh['a'=4] {'a':(1)2}, "
       "to_apply=sum",
       "20 | 40 | 20 | 40"},
      {4, 1,
       "r = u32[] all-reduce(id), replica_groups=mesh['a'=4] {'a':(2)2}, "
       "to_apply=sum",
       "10 | 10 | 50 | 50"},
      {4, 1,
       "r = u32[] all-reduce(id), replica_groups=mesh['a'=2,'b'=2], "
       "device_ids=(3,1,2,0) {'b'}, to_apply=sum",
       "20 | 40 | 20 | 40"},
      {4, 1,
       "r = u32[2] all-gather(v), replica_groups=mesh['a'=2,'b'=2], "
       "device_ids=([2,2]T(1,0)) {'b'}, dimensions={0}",
       "{0, 20} | {10, 30} | {0, 20} | {10, 30}"},
      {4, 1,
       "r = u32[4] all-gather(v), replica_groups=mesh['a'=2,'b'=2] {'b','a'}, "
       "dimensions={0}",
       "{0, 20, 10, 30}"},
      // Replicas of one partition.
      {2, 2, "r = u32[] all-reduce(id), replica_groups={{0,1}}, to_apply=sum",
       "10 | 12 | 10 | 12"},
      {2, 2, "r = u32[2] all-gather(v), replica_groups={{1,0}}, dimensions={0}",
       "{10, 0} | {11, 1} | {10, 0} | {11, 1}"},
      // Replicas with all their partitions.
      {2, 2,
       "r = u32[] all-reduce(id), channel_id=1, replica_groups={{0},{1}}, "
       "to_apply=sum",
       "1 | 1 | 21 | 21"},
      {2, 2,
       "r = u32[4] all-gather(v), channel_id=1, replica_groups={{1,0}}, "
       "dimensions={0}",
       "{10, 11, 0, 1}"},
      {2, 2,
       "r = u32[] all-reduce(id), channel_id=1, replica_groups={}, "
       "to_apply=sum",
       "22"},
      // All devices.
      {2, 2,
       "r = u32[] all-reduce(id), channel_id=1, replica_groups={{0,3},{1,2}}, "
       "use_global_device_ids=true, to_apply=less",
       "4294967285 | 4294967287 | 4294967287 | 4294967285"},
      {2, 2,
       "r = u32[2] all-gather(v), channel_id=1, replica_groups=[2,2]<=[2,2]T(1,"
       "0), use_global_device_ids=true, dimensions={0}",
       "{0, 10} | {1, 11} | {0, 10} | {1, 11}"},
      // Partitions.
      {2, 2,
       "r = u32[2] all-to-all(x), channel_id=1, replica_groups={{0,1}}, "
       "dimensions={0}",
       "{0, 1} | {1, 2} | {10, 11} | {11, 12}"},
  });
}

TEST(DevicesTest, Collectives) {
  ExpectOnDevices({
      // An order that isn't that of the numbers.
      {4, 1,
       "r = u32[] all-reduce(id), replica_groups={{3,0},{2,1}}, to_apply=less",
       "30 | 10 | 10 | 30"},
      {2, 1,
       "r = (u32[], u32[2]) all-reduce(id,x), replica_groups={}, to_apply=sum",
       "( 10, {10, 12} )"},
      {2, 1,
       "s = u32[] all-reduce-start(id), replica_groups={}, to_apply=sum;"
       "r = u32[] all-reduce-done(s)",
       "10"},
      {4, 1,
       "r = u32[2] all-gather(v), replica_groups={{2,0},{1,3}}, dimensions={0}",
       "{20, 0} | {10, 30} | {20, 0} | {10, 30}"},
      {2, 1,
       "c = u32[2,1] reshape(x);"
       "r = u32[2,2] all-gather(c), replica_groups={{0,1}}, dimensions={1}",
       "{ { 0, 10 }, { 1, 11 } }"},
      {2, 1,
       "r = (u32[2], u32[4]) all-gather(v,x), replica_groups={{0,1}}, "
       "dimensions={0}",
       "( {0, 10}, {0, 1, 10, 11} )"},
      {2, 1,
       "s = (u32[1], u32[2]) all-gather-start(v), replica_groups={{0,1}}, "
       "dimensions={0};r = u32[2] all-gather-done(s)",
       "{0, 10}"},
      {4, 1,
       "r = u32[2] reduce-scatter(four), replica_groups={{0,1},{3,2}}, "
       "dimensions={0}, to_apply=sum",
       "{10, 12} | {14, 16} | {54, 56} | {50, 52}"},
      {2, 1,
       "f = u32[2,2] reshape(four);"
       "r = u32[2,1] reduce-scatter(f), replica_groups={}, dimensions={1}, "
       "to_apply=sum",
       "{ {10}, {14} } | { {12}, {16} }"},
      {2, 1, "r = u32[4] all-to-all(four), replica_groups={}, dimensions={0}",
       "{0, 1, 10, 11} | {2, 3, 12, 13}"},
      {2, 1,
       "f = u32[2,2] reshape(four);"
       "r = u32[2,2] all-to-all(f), replica_groups={{1,0}}, dimensions={1}",
       "{ { 11, 1 }, { 13, 3 } } | { { 10, 0 }, { 12, 2 } }"},
      {2, 1, "r = (u32[1], u32[1]) all-to-all(v,v), replica_groups={{0,1}}",
       "( {0}, {10} )"},
      {2, 1,
       "w = u32[1] add(v,v);"
       "r = (u32[1], u32[1]) all-to-all(v,w), replica_groups={{0,1}}",
       "( {0}, {10} ) | ( {0}, {20} )"},
      {4, 1,
       "r = u32[] collective-permute(id), "
       "source_target_pairs={{0,1},{1,2},{3,3}}",
       "0 | 0 | 10 | 30"},
      {2, 2,
       "r = u32[] collective-permute(id), channel_id=1, "
       "source_target_pairs={{0,1},{1,0}}",
       "1 | 0 | 11 | 10"},
      {2, 2,
       "r = u32[] collective-permute(id), source_target_pairs={{0,1},{1,0}}",
       "10 | 11 | 0 | 1"},
      {2, 1,
       "s = (u32[], u32[], u32[], u32[]) collective-permute-start(id), "
       "source_target_pairs={{0,1}};r = u32[] collective-permute-done(s)",
       "0"},
      {4, 1, "r = u32[] collective-broadcast(id), replica_groups={{1,0}}",
       "10 | 10 | 0 | 0"},
      {2, 2,
       "r = u32[] collective-broadcast(id), channel_id=1, "
       "replica_groups={{1,0}}",
       "1 | 1 | 11 | 11"},
      {4, 1,
       "r = u32[] collective-reduce(id), replica_groups={{1,0},{2,3}}, "
       "to_apply=sum",
       "0 | 10 | 50 | 0"},
      {4, 1,
       "root = s32[1] constant({1});r = u32[] collective-reduce(id, root), "
       "replica_groups={{0,1,2}}, has_dynamic_root=true, to_apply=sum",
       "0 | 30 | 0 | 0"},
  });
}

// Each device sends one row to each, behind those of the devices before it.
TEST(DevicesTest, RaggedAllToAll) {
  constexpr char kOperands[] =
      "z = u32[4] constant({0,0,0,0});two = u32[] constant(2);"
      "to = u32[] multiply(rid,two);from = s32[2] constant({0,1});"
      "rows = s32[2] constant({1,1});t = s32[] convert(to);"
      "at = s32[2] broadcast(t), dimensions={};";
  const std::string good =
      absl::StrCat(kOperands,
                   "r = u32[4] ragged-all-to-all(x,z,from,rows,at,rows), "
                   "replica_groups={{0,1}}");
  const std::string outside =
      absl::StrCat(kOperands,
                   "r = u32[4] ragged-all-to-all(x,z,rows,at,from,rows), "
                   "replica_groups={{0,1}}");
  ExpectOnDevices({{2, 1, good.c_str(), "{0, 0, 10, 0} | {1, 0, 11, 0}"},
                   {2, 1, outside.c_str(), "!IND0855"}});
}

TEST(DevicesTest, WhatCantBeExchanged) {
  ExpectOnDevices({
      {2, 1,
       "r = u32[] all-reduce(id), replica_groups={{0,1},{2,3}}, to_apply=sum",
       "!IND0855"},
      {4, 1, "r = u32[] all-reduce(id), replica_groups={{0,1}}, to_apply=sum",
       "!IND0855"},
      {2, 1, "r = u32[] all-reduce(id), replica_groups={{0,0}}, to_apply=sum",
       "!IND0855"},
      {2, 1,
       "r = u32[] all-reduce(id), replica_groups=[2,2]<=[4], to_apply=sum",
       "!IND0855"},
      {2, 1,
       "r = u32[] all-reduce(id), replica_groups=mesh['a'=2,'b'=2] {'b'}, "
       "to_apply=sum",
       "!IND0855"},
      {2, 1, "r = u32[] collective-permute(id), source_target_pairs={{0,2}}",
       "!IND0855"},
      // Not cut into equal parts.
      {4, 1, "r = u32[2] all-to-all(x), replica_groups={}, dimensions={0}",
       "!IND0855"},
      {3, 1,
       "r = u32[1] reduce-scatter(four), replica_groups={}, dimensions={0}, "
       "to_apply=sum",
       "!IND0855"},
      {3, 1, "r = (u32[1], u32[1]) all-to-all(v,v), replica_groups={{0,1,2}}",
       "!IND0855"},
      // The recorded result is of another number of devices.
      {3, 1,
       "r = u32[2] all-gather(v), replica_groups={{0,1,2}}, dimensions={0}",
       "!IND0853"},
      {5000, 1, "r = u32[] replica-id()", "!IND0866"},
      {0, 1, "r = u32[] replica-id()", "!IND0866"},
  });
}

// --- Control flow ------------------------------------------------------------

std::string EvalFlow(const std::string& computations, const std::string& body,
                     const EvalDevices& devices) {
  return EvalOn(absl::StrCat("HloModule m\n", kSum, computations,
                             EntryOf(absl::StrCat(kOwn, body))),
                devices);
}

// Devices 0 and 1 take the first branch, in which `groups` meet.
std::string EvalBranches(const std::string& groups) {
  return EvalFlow(
      absl::StrCat("first {\n  a = u32[] parameter(0)\n  ROOT r = u32[] "
                   "all-reduce(a), replica_groups=",
                   groups,
                   ", to_apply=sum\n}\nsecond {\n  a = u32[] parameter(0)\n  "
                   "ROOT r = u32[] add(a, a)\n}\n"),
      "c = u32[] constant(15);p = pred[] compare(id,c), direction=LT;"
      "r = u32[] conditional(p,id,id), true_computation=first, "
      "false_computation=second",
      {4, 1});
}

TEST(DevicesTest, BranchesApart) {
  EXPECT_EQ(EvalBranches("{{0,1},{2,3}}"), "10 | 10 | 40 | 60");
  EXPECT_EQ(EvalBranches("{{0,2},{1,3}}"), "!IND0865");
  EXPECT_EQ(EvalBranches("{}"), "!IND0865");
}

// Each device goes on while the turns are below `limit`.
std::string EvalTurns(const std::string& limit) {
  return EvalFlow(
      "body {\n  s = (u32[], u32[], u32[]) parameter(0)\n"
      "  i = u32[] get-tuple-element(s), index=0\n"
      "  n = u32[] get-tuple-element(s), index=1\n"
      "  a = u32[] get-tuple-element(s), index=2\n"
      "  one = u32[] constant(1)\n  j = u32[] add(i, one)\n"
      "  b = u32[] all-reduce(a), replica_groups={{0,1},{2,3}}, to_apply=sum\n"
      "  ROOT r = (u32[], u32[], u32[]) tuple(j, n, b)\n}\n"
      "condition {\n  s = (u32[], u32[], u32[]) parameter(0)\n"
      "  i = u32[] get-tuple-element(s), index=0\n"
      "  n = u32[] get-tuple-element(s), index=1\n"
      "  ROOT r = pred[] compare(i, n), direction=LT\n}\n",
      absl::StrCat("o = u32[] constant(0);two = u32[] constant(2);"
                   "one = u32[] constant(1);h = u32[] divide(rid,two);",
                   limit,
                   ";s = (u32[], u32[], u32[]) tuple(o,n,id);"
                   "w = (u32[], u32[], u32[]) while(s), body=body, "
                   "condition=condition;"
                   "r = u32[] get-tuple-element(w), index=2"),
      {4, 1});
}

TEST(DevicesTest, LoopsEndApart) {
  EXPECT_EQ(EvalTurns("n = u32[] add(h,one)"), "10 | 10 | 100 | 100");
  EXPECT_EQ(EvalTurns("n = u32[] add(one,one)"), "20 | 20 | 100 | 100");
  EXPECT_EQ(EvalTurns("n = u32[] multiply(h,two)"), "0 | 10 | 100 | 100");
  EXPECT_EQ(EvalTurns("n = u32[] add(rid,one)"), "!IND0865");
}

TEST(DevicesTest, Calls) {
  constexpr char kWrapped[] =
      "wrapped {\n  a = u32[] parameter(0)\n  ROOT r = u32[] all-reduce(a), "
      "replica_groups={}, to_apply=sum\n}\n"
      "own {\n  a = u32[] parameter(0)\n  i = u32[] replica-id()\n  ROOT r = "
      "u32[] add(a, i)\n}\n"
      "both {\n  a = u32[] parameter(0)\n  b = u32[] parameter(1)\n  s = u32[] "
      "all-reduce(a), replica_groups={}, to_apply=sum\n  ROOT r = u32[] add(b, "
      "s)\n}\n";
  const struct {
    const char* body;
    const char* expected;
  } kCases[] = {
      {"r = u32[] call(id), to_apply=wrapped", "10"},
      {"s = ((u32[]), u32[], u32[]) async-start(id), calls=wrapped;"
       "r = u32[] async-done(s)",
       "10"},
      // A function of elements knows its device, but meets none.
      {"r = u32[1] map(v), dimensions={0}, to_apply=own", "{0} | {11}"},
      {"r = u32[1] map(v,v), dimensions={0}, to_apply=both", "!IND0855"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(EvalFlow(kWrapped, c.body, {2, 1}), c.expected) << c.body;
  }
}

// --- Manual regions ----------------------------------------------------------

// 0, 1, 2, ... of these sizes.
Literal Counting(absl::Span<const int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  std::vector<int32_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int32_t>(i);
  }
  return Literal::Array(absl::MakeConstSpan(values), sizes).value();
}

std::string EvalCounting(const std::string& text, const EvalDevices& devices,
                         absl::Span<const int64_t> sizes) {
  const auto results = EvaluateText(text, devices, {{Counting(sizes)}});
  if (!results.ok()) return std::string(results.status().message());
  return results->size() == 1 ? (*results)[0].ToString() : "they differ";
}

// Two copies of each half.
TEST(DevicesTest, RegionsOfOldShardings) {
  constexpr char kText[] = R"(HloModule m

sum {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] add(a, b)
}

ENTRY e {
  p = s32[4] parameter(0)
  s = s32[4] custom-call(p), custom_call_target="Sharding", sharding={devices=[2,2]<=[4] last_tile_dim_replicate}
  f = s32[2] custom-call(s), custom_call_target="SPMDFullToShardShape", sharding={manual}
  i = u32[] partition-id()
  j = s32[] convert(i)
  k = s32[] all-reduce(j), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=sum
  b = s32[2] broadcast(k), dimensions={}
  g = s32[2] multiply(f, b)
  m = s32[2] custom-call(g), custom_call_target="Sharding", sharding={manual}
  w = s32[4] custom-call(m), custom_call_target="SPMDShardToFullShape", sharding={devices=[2,2]<=[4] last_tile_dim_replicate}
  ROOT r = s32[4] add(w, p)
}
)";
  // The halves times 1 and 5, and the array.
  EXPECT_EQ(EvalCounting(kText, {1, 4}, {4}), "{0, 2, 12, 18}");
  EXPECT_THAT(EvalCounting(kText, {2, 4}, {4}),
              HasSubstr("device 4 takes no part in it"));
  EXPECT_THAT(EvalCounting(kText, {1, 2}, {4}), HasSubstr("over 4 devices"));
}

// By named axes, of which the region has one for itself; the other cuts
// nothing.
TEST(DevicesTest, RegionsOfNamedAxes) {
  const auto text = [](const std::string& part, const std::string& whole,
                       const std::string& inside) {
    return absl::StrCat(
        "HloModule m\n\nENTRY e {\n  p = s32[4,4] parameter(0)\n"
        "  s = s32[4,4] custom-call(p), custom_call_target=\"Sharding\", "
        "sharding={",
        whole, "}\n  f = ", part,
        " custom-call(s), custom_call_target=\"SPMDFullToShardShape\", "
        "sharding={",
        inside,
        "}\n  i = u32[] partition-id()\n  j = s32[] convert(i)\n"
        "  h = s32[] constant(100)\n  k = s32[] multiply(h, j)\n  b = ",
        part, " broadcast(k), dimensions={}\n  g = ", part,
        " add(f, b)\n  m = ", part,
        " custom-call(g), custom_call_target=\"Sharding\", sharding={", inside,
        "}\n  ROOT w = s32[4,4] custom-call(m), "
        "custom_call_target=\"SPMDShardToFullShape\", sharding={",
        whole, "}\n}\n");
  };
  const std::string mesh = "mesh['x'=2,'y'=2], ";
  const std::string named = mesh + "[{'x'}, {'y'}]";
  EXPECT_EQ(EvalCounting(text("s32[2,2]", named, "manual"), {1, 4}, {4, 4}),
            "{ { 0, 1, 102, 103 }, { 4, 5, 106, 107 }, { 208, 209, 310, 311 }, "
            "{ 212, 213, 314, 315 } }");
  // Devices of an x differ by y, and so do the wholes.
  EXPECT_EQ(
      EvalCounting(text("s32[2,4]", named, mesh + "[{}, {'y'}], manual={'x'}"),
                   {1, 4}, {4, 4}),
      "they differ");
  const std::string back =
      "mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)), [{'x'}, {'y'}]";
  EXPECT_EQ(EvalCounting(text("s32[2,2]", back,
                              back.substr(0, back.find("[{")) +
                                  "[{}, {}], manual={'x', 'y'}"),
                         {1, 4}, {4, 4}),
            "{ { 0, 1, 202, 203 }, { 4, 5, 206, 207 }, { 108, 109, 310, 311 }, "
            "{ 112, 113, 314, 315 } }");
  EXPECT_THAT(
      EvalCounting(text("s32[2,2]", named, mesh + "[{}, {'y'}], manual={'x'}"),
                   {1, 4}, {4, 4}),
      HasSubstr("a part of s32[4,4] is s32[2,4], not s32[2,2]"));
  for (const char* const unreduced :
       {"unreduced", "mesh['x'=2,'y'=2], [{'x'}, {}], unreduced={'y'}",
        "devices=[2,1,2]<=[4] last_tile_dims={unreduced}"}) {
    EXPECT_THAT(
        EvalCounting(text("s32[4,4]", unreduced, "manual"), {1, 4}, {4, 4}),
        HasSubstr("to fix: give it a sharding without unreduced"))
        << unreduced;
  }
}

// A region of one axis in a region of another, and parts that differ.
TEST(DevicesTest, RegionsOfShardy) {
  constexpr char kText[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=2]>}}

inner {
  a = s32[2,2] parameter(0)
  i = u32[] partition-id()
  j = s32[] convert(i)
  h = s32[] constant(100)
  k = s32[] multiply(h, j)
  b = s32[2,2] broadcast(k), dimensions={}
  ROOT r = s32[2,2] add(a, b)
}

outer {
  a = s32[2,4] parameter(0)
  l = s32[2,2] custom-call(a), custom_call_target="xla.sdy.GlobalToLocalShape", frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{}, {\"y\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"y\"}>"}
  c = s32[2,2] call(l), to_apply=inner
  ROOT r = s32[2,4] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", frontend_attributes={xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{}, {\"y\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"y\"}>"}
}

ENTRY e {
  p = s32[4,4] parameter(0)
  l = (s32[2,4]) custom-call(p), custom_call_target="xla.sdy.GlobalToLocalShape", frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {\"y\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"}
  a = s32[2,4] get-tuple-element(l), index=0
  c = s32[2,4] call(a), to_apply=outer
  ROOT r = s32[4,4] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", frontend_attributes={xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"}
}
)";
  EXPECT_EQ(EvalCounting(kText, {1, 4}, {4, 4}),
            "{ { 0, 1, 102, 103 }, { 4, 5, 106, 107 }, { 208, 209, 310, 311 }, "
            "{ 212, 213, 314, 315 } }");
  EXPECT_EQ(EvalCounting(kText, {2, 4}, {4, 4}),
            EvalCounting(kText, {1, 4}, {4, 4}));
  EXPECT_THAT(EvalCounting(kText, {1, 8}, {4, 4}), HasSubstr("over 4 devices"));
}

// --- Arguments ---------------------------------------------------------------

TEST(DevicesTest, AnArgumentServesAllOrOne) {
  constexpr char kText[] =
      "HloModule m\nsum {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n"
      "  ROOT r = s32[] add(a, b)\n}\nENTRY e {\n  p = s32[] parameter(0)\n"
      "  q = s32[] parameter(1)\n  s = s32[] all-reduce(p), replica_groups={}, "
      "to_apply=sum\n  ROOT r = s32[] subtract(s, q)\n}\n";
  const std::vector<Literal> one = {Literal::Scalar(int32_t{5})};
  const std::vector<Literal> each = {Literal::Scalar(int32_t{1}),
                                     Literal::Scalar(int32_t{2}),
                                     Literal::Scalar(int32_t{4})};
  const auto all = EvaluateText(kText, {3, 1}, {each, one});
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->size(), 1);
  EXPECT_EQ((*all)[0].ToString(), "2");
  const auto apart = EvaluateText(kText, {3, 1}, {one, each});
  ASSERT_TRUE(apart.ok()) << apart.status();
  ASSERT_EQ(apart->size(), 3);
  EXPECT_EQ((*apart)[2].ToString(), "11");
  const struct {
    std::vector<std::vector<Literal>> arguments;
    const char* says;
  } kWrong[] = {
      {{one, {each[0], each[1]}}, "[IND0866]"},
      {{one, {}}, "[IND0866]"},
      {{one}, "[IND0854]"},
      {{one, {Literal::Scalar(1.0f)}}, "[IND0854]"},
      {{one, {each[0], each[1], Counting({2})}}, "on device 2"},
  };
  for (const auto& c : kWrong) {
    EXPECT_THAT(ErrorText(EvaluateText(kText, {3, 1}, c.arguments).status()),
                HasSubstr(c.says));
  }
}

TEST(DevicesTest, LimitsCountForAll) {
  const std::string text =
      "HloModule m\n" + EntryOf(
                            "i = u32[] replica-id();"
                            "r = u32[1000] broadcast(i), dimensions={}");
  EvalOptions options;
  options.max_steps = 5000;
  EXPECT_TRUE(EvaluateText(text, {4, 1}, {}, options).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(
      EvaluateText(text, {8, 1}, {}, options).status()));
}

// What depends on devices is no constant.
TEST(DevicesTest, NothingOfDevicesIsFolded) {
  for (const char* body :
       {"r = u32[] partition-id()", "r = u32[] replica-id()",
        "x = u32[] constant(3);r = u32[] all-reduce(x), replica_groups={}, "
        "to_apply=sum"}) {
    const absl::StatusOr<Module> module =
        ParseHloText(absl::StrCat("HloModule m\n", kSum, EntryOf(body)));
    ASSERT_TRUE(module.ok()) << module.status();
    ConstantFolder folder(module->entry());
    EXPECT_FALSE(folder.Fold(module->entry().root().index()).has_value())
        << body;
  }
}

}  // namespace
}  // namespace indim
