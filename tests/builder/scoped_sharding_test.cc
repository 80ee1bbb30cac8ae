// SPDX-License-Identifier: Apache-2.0
// A sharding in scope: which ops of the graph get it. A loop over the call of
// each operation, and tables of the calls that record more than one.

#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/composites/shaping.h"
#include "indim/builder/sharding.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/builder/sharding_scope.h"

namespace indim {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAreArray;

using B = TestBuilder;
using Sizes = std::vector<int64_t>;

struct ScopeCase {
  std::string name;
  std::vector<std::string> operands;
  CallOfSeveral call;
};

// The call of one result as one of several.
template <typename Call>
CallOfSeveral OfOne(Call call) {
  return [=](B& b, const Ops& x) { return Ops{call(b, x)}; };
}

Op Sum(Op x, Op y) { return x + y; }

// One call each; its results, and nothing else, have the sharding.
std::vector<ScopeCase> Elementwise() {
  return {
      {"x + 1", {"f32[4,2]"}, OfOne([](B&, Ops x) { return x[0] + 1; })},
      {"1 - x", {"f32[4,2]"}, OfOne([](B&, Ops x) { return 1 - x[0]; })},
      {"x *= 2", {"f32[4,2]"}, OfOne([](B&, Ops x) { return x[0] *= 2; })},
      {"x >> 1", {"u32[4,2]"}, OfOne([](B&, Ops x) { return x[0] >> 1; })},
      {"Max", {"f32[4,2]"}, OfOne([](B& b, Ops x) { return b.Max(x[0], 0); })},
      {"Gt", {"f32[4,2]"}, OfOne([](B& b, Ops x) { return b.Gt(x[0], 0); })},
      {"Clamp", {"f32[4,2]"}, OfOne([](B& b, Ops x) {
         return b.Clamp(0, x[0], 1);
       })},
      {"Select", {"pred[4,2]", "f32[4,2]"}, OfOne([](B& b, Ops x) {
         return b.Select(x[0], x[1], 0);
       })},
      {"Convert of complex", {"c64[4,2]"}, OfOne([](B& b, Ops x) {
         return b.ConvertElementType(x[0], ElementType::kF32);
       })},
      {"Map", {"f32[4,2]", "f32[]"}, OfOne([](B& b, Ops x) {
         return b.Map(x[0], [&](Op e) { return e * x[1] + 1; });
       })},
      {"Splat", {}, OfOne([](B& b, Ops) { return b.Splat(1, "f32[4,2]"); })},
      {"Splat of a scalar", {}, OfOne([](B& b, Ops) {
         return b.Splat(1, "f32[]");
       })},
      {"Iota", {}, OfOne([](B& b, Ops) { return b.Iota("s32[4,2]", 0); })},
      {"ConstantR2", {}, OfOne([](B& b, Ops) {
         return b.ConstantR2<float>({{1}, {2}});
       })},
      {"Parameter", {}, OfOne([](B& b, Ops) {
         return b.Parameter("f32[4,2]", "p");
       })},
  };
}

std::vector<ScopeCase> OfArrays() {
  const char* const x42 = "f32[4,2]";
  return {
      {"Broadcast", {"f32[2]"}, OfOne([](B& b, Ops x) {
         return b.Broadcast(x[0], {4});
       })},
      {"Reshape", {"f32[8]"}, OfOne([](B& b, Ops x) {
         return b.Reshape(x[0], {4, -1});
       })},
      {"Transpose", {"f32[2,4]"}, OfOne([](B& b, Ops x) {
         return b.Transpose(x[0]);
       })},
      {"DynamicSlice", {"f32[8,2]", "s32[]"}, OfOne([](B& b, Ops x) {
         return b.DynamicSlice(x[0], {x[1], 0}, {4, 2});
       })},
      {"DynamicUpdateSlice", {"f32[8,2]", "f32[1,2]"}, OfOne([](B& b, Ops x) {
         return b.DynamicUpdateSlice(x[0], x[1], {3, 0});
       })},
      {"Index", {"f32[8,2,4]", "s32[]"}, OfOne([](B& b, Ops x) {
         return b.Index(x[0], {Range{0, 4}, kAll, x[1]});
       })},
      {"RemoveDynamicDimension", {"f32[<=4,2]"}, OfOne([](B& b, Ops x) {
         return b.RemoveDynamicDimension(x[0], 0);
       })},
      {"Dot", {x42, "f32[2,6]"}, OfOne([](B& b, Ops x) {
         return b.Dot(x[0], x[1]);
       })},
      {"Reduce, a number", {x42}, OfOne([](B& b, Ops x) {
         return b.Reduce(x[0], 0, Sum, {1});
       })},
      {"Reduce, a kind", {x42}, OfOne([](B& b, Ops x) {
         return b.Reduce(x[0], ReduceKind::kMax, {1});
       })},
      {"Reduce to a scalar", {x42}, OfOne([](B& b, Ops x) {
         return b.Reduce(x[0], ReduceKind::kAdd);
       })},
      {"Reduce of two",
       {x42, "s32[4,2]", "f32[]", "s32[]"},
       [](B& b, const Ops& x) {
         return b.Reduce({x[0], x[1]}, {x[2], x[3]},
                         [](absl::Span<const Op> s) {
                           return Ops{s[0] + s[2], s[1] + s[3]};
                         },
                         {1});
       }},
      {"ReduceWindow", {x42}, OfOne([](B& b, Ops x) {
         return b.ReduceWindow(x[0], 0, Sum, {WindowDim{2}, WindowDim{1}});
       })},
      {"Sort", {x42}, OfOne([](B& b, Ops x) {
         return b.Sort(x[0], [&](Op p, Op q) { return b.Lt(p, q); });
       })},
      {"Sort of two", {x42, "s32[4,2]"}, OfOne([](B& b, Ops x) {
         return b.Sort(
             x, [&](absl::Span<const Op> s) { return b.Lt(s[0], s[1]); });
       })},
      {"AllReduce of a tuple of one", {"(f32[4,2])"}, OfOne([](B& b, Ops x) {
         return b.CrossReplicaSum(x[0]);
       })},
      {"AllReduce of a tuple", {"(f32[4,2], f32[2])"}, OfOne([](B& b, Ops x) {
         return b.CrossReplicaSum(x[0]);
       })},
      {"AllToAll", {x42}, OfOne([](B& b, Ops x) {
         return b.AllToAll(x[0], 0, 1, 2);
       })},
      {"AllToAll, a layout", {x42}, OfOne([](B& b, Ops x) {
         Layout layout;
         layout.minor_to_major = {1, 0};
         return b.AllToAll(x[0], 0, 1, 2, {}, layout);
       })},
      {"ExpectShape", {x42}, OfOne([](B& b, Ops x) {
         return b.ExpectShape(b.Neg(x[0]), "f32[4,2]");
       })},
  };
}

std::vector<ScopeCase> OfRegions() {
  const char* const x42 = "f32[4,2]";
  return {
      {"While",
       {x42, "s32[]"},
       [](B& b, const Ops& x) {
         const auto [y, i] = b.While(
             std::tuple(x[0], x[1]), [&](Op, Op i) { return b.Lt(i, 10); },
             [&](Op v, Op i) { return std::tuple(v * x[0] + 1, i + 1); });
         return Ops{y, i};
       }},
      {"ForLoop", {x42}, OfOne([](B& b, Ops x) {
         return b.ForLoop(3, x[0], [](Op, Op v) { return v * 2; });
       })},
      {"ForLoop, captured", {x42, "s32[]", "f32[3]"}, OfOne([](B& b, Ops x) {
         return b.ForLoop(x[1], x[0], [&](Op, Op v) {
           return v * b.Reduce(x[2], ReduceKind::kAdd);
         });
       })},
      {"Scan",
       {"f32[2]", x42},
       [](B& b, const Ops& x) {
         const auto [last, all] = b.Scan(x[0], x[1], [](Op carry, Op e) {
           return std::pair(carry + e, carry * 2);
         });
         return Ops{all, last};
       }},
      {"Conditional", {"pred[]", x42}, OfOne([](B& b, Ops x) {
         return b.Conditional(
             x[0], [&] { return x[1] + 1; }, [&] { return x[1]; });
       })},
      {"Conditional of two",
       {"pred[]", x42},
       [](B& b, const Ops& x) {
         const auto [y, z] = b.Conditional(
             x[0],
             [&] {
               return std::pair(x[1], b.Reduce(x[1], 0, Sum, {0, 1}));
             },
             [&] { return std::pair(-x[1], b.ConstantR0(1.0f)); });
         return Ops{y, z};
       }},
      {"Call of one", {x42}, OfOne([](B& b, Ops x) {
         return b.Call("layer", x[0], [&](Op p) { return p * x[0] + 1; });
       })},
      {"Call of two",
       {x42},
       [](B& b, const Ops& x) {
         const auto [y, z] = b.Call("layer", x[0], [&](Op p) {
           return std::pair(p + 1, b.Reduce(p, 0, Sum, {1}));
         });
         return Ops{y, z};
       }},
      {"Softmax", {x42}, OfOne([](B&, Ops x) { return Softmax(x[0]); })},
      {"Mean", {x42}, OfOne([](B&, Ops x) { return Mean(x[0]); })},
      {"Split",
       {"f32[4,6]"},
       [](B&, const Ops& x) { return Split(x[0], 3, 1); }},
  };
}

TEST(ScopedShardingTest, GoesOnResultsAndNothingElse) {
  for (const auto& table : {Elementwise(), OfArrays(), OfRegions()}) {
    for (const ScopeCase& c : table) {
      SCOPED_TRACE(c.name);
      const UnderScope found = CallUnder(ShardingOf, c.operands, c.call);
      EXPECT_THAT(found.errors, IsEmpty());
      EXPECT_THAT(found.results, Not(IsEmpty()));
      EXPECT_THAT(found.sharded, UnorderedElementsAreArray(found.results));
    }
  }
}

// What fits every value goes on all of them, the counter of a loop aside.
TEST(ScopedShardingTest, OfADeviceIsOnAllResults) {
  for (const auto& table : {Elementwise(), OfArrays(), OfRegions()}) {
    for (const ScopeCase& c : table) {
      SCOPED_TRACE(c.name);
      const UnderScope found = CallUnder(
          [](const Shape&) { return MaximalSharding(1); }, c.operands, c.call);
      EXPECT_THAT(found.errors, IsEmpty());
      EXPECT_THAT(found.sharded, UnorderedElementsAreArray(found.results));
    }
  }
}

// XLA's builder sets it on both broadcasts, and on all ops about a transfer.
TEST(ScopedShardingTest, OfPairsAsXla) {
  const auto check = [](std::vector<std::string> operands, CallOfSeveral call,
                        std::string sharding,
                        std::vector<std::string> sharded) {
    const UnderScope found =
        CallUnder([&](const Shape&) { return sharding; }, operands, call);
    EXPECT_THAT(found.errors, IsEmpty());
    EXPECT_THAT(found.sharded, ElementsAreArray(sharded));
  };
  const std::string rows = TileSharding({2, 1}), device = MaximalSharding(1);
  check({"f32[1,4]"}, OfOne([](B& b, Ops x) {
          return b.BroadcastInDim(x[0], {8, 4}, {0, 1});
        }),
        rows, {"broadcast f32[1,4]", "broadcast f32[8,4]"});
  const CallOfSeveral send =
      OfOne([](B& b, Ops x) { return b.SendWithToken(x[0], x[1], 7); });
  check({"f32[4,2]", "token[]"}, send, device,
        {"send (f32[4,2], u32[], token[])", "send-done token[]"});
  check({"f32[4,2]", "token[]"}, send, rows, {"send-done token[]"});
  const CallOfSeveral receive =
      OfOne([](B& b, Ops) { return b.Recv("f32[4,2]", 7); });
  check({}, receive, device,
        {"after-all token[]", "recv (f32[4,2], u32[], token[])",
         "recv-done (f32[4,2], token[])", "get-tuple-element f32[4,2]"});
  check({}, receive, rows, {"after-all token[]", "get-tuple-element f32[4,2]"});
}

// The parts of a tuple's sharding are for the results, one each.
TEST(ScopedShardingTest, OfATupleIsForSeveralResults) {
  const std::string parts =
      TupleSharding({TileSharding({1, 2}), ReplicateSharding()});
  const auto loop = [](B& b, const Ops& x) {
    const auto [y, i] =
        b.ForLoop(3, std::tuple(x[0], x[1]),
                  [](Op, Op v, Op i) { return std::tuple(v + 1, i + 1); });
    return Ops{y, i};
  };
  const auto of = [&](const Shape&) { return parts; };
  const UnderScope found = CallUnder(of, {"f32[4,2]", "s32[]"}, loop);
  EXPECT_THAT(found.errors, IsEmpty());
  EXPECT_THAT(found.sharded, ElementsAreArray({"get-tuple-element f32[4,2]",
                                               "get-tuple-element s32[]"}));
  EXPECT_THAT(CallUnder(of, {"f32[4]", "s32[]"}, loop).errors,
              HasSubstr("IND0786"));
}

// XLA's builder refuses it too. Of several results one that can is enough.
TEST(ScopedShardingTest, ThatNoResultCanCarryIsAnError) {
  const auto of = [](const Shape&) { return TileSharding({2, 1}); };
  const CallOfSeveral wrong[] = {
      OfOne([](B&, Ops x) { return x[1] + 1; }),
      OfOne([](B& b, Ops) { return b.ConstantR0(1.0f); }),
      OfOne([](B& b, Ops x) { return b.Reduce(x[0], ReduceKind::kAdd); }),
      OfOne([](B&, Ops x) { return ReduceSum(x[0]); }),
      OfOne([](B& b, Ops x) {
        return b.ForLoop(3, x[1], [](Op, Op v) { return v + 1; });
      }),
  };
  for (const CallOfSeveral& call : wrong) {
    const UnderScope found = CallUnder(of, {"f32[4,2]", "f32[3]"}, call);
    EXPECT_THAT(found.errors, HasSubstr("IND0786"));
    EXPECT_THAT(found.errors, HasSubstr("scoped_sharding_test.cc:"));
    EXPECT_THAT(found.errors, Not(HasSubstr("more error")));
  }
}

}  // namespace
}  // namespace indim
