// SPDX-License-Identifier: Apache-2.0
// Threads, numbers of devices, and layouts.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "indim/tests/passes/text_verdicts.h"

namespace indim {
namespace {

using Case = TextVerdict;

// --- Threads -----------------------------------------------------------------

// A computation that says one thread, started on another.
std::string Started(const char* said, const char* on) {
  return absl::Substitute(R"(
wrapped {
  a = f32[2] parameter(0)
  ROOT b = f32[2] negate(a)
}, execution_thread="$0"
ENTRY e {
  x = f32[2] parameter(0)
  s = ((f32[2]), f32[2], s32[]) async-start(x), async_execution_thread="$1", calls=wrapped
  ROOT d = f32[2] async-done(s), async_execution_thread="$1"
})",
                          said, on);
}

std::vector<Case> ThreadCases() {
  const auto fusion = [](const char* thread) {
    return absl::StrCat(R"(
body {
  a = f32[2] parameter(0)
  ROOT b = f32[2] negate(a)
})",
                        thread, R"(
ENTRY e {
  x = f32[2] parameter(0)
  ROOT f = f32[2] fusion(x), kind=kLoop, calls=body
})");
  };
  return {
      {"a fusion's body", {}, fusion("")},
      {"a fusion's body on another thread",
       {Code::kCalleeThread},
       fusion(", execution_thread=\"side\"")},
      {"a condition on another thread",
       {Code::kCalleeThread},
       R"(
go_on {
  p = s32[] parameter(0)
  ROOT t = pred[] constant(true)
}, execution_thread="side"
turn {
  ROOT p = s32[] parameter(0)
}
ENTRY e {
  x = s32[] parameter(0)
  ROOT w = s32[] while(x), condition=go_on, body=turn
})"},
      {"a call on another thread", {}, R"(
f {
  ROOT p = s32[] parameter(0)
}, execution_thread="side"
ENTRY e {
  x = s32[] parameter(0)
  ROOT c = s32[] call(x), to_apply=f
})"},
      {"a start on its computation's thread", {}, Started("a", "a")},
      {"a start on another thread than its computation says",
       {},
       Started("a", "b")},
      {"a start on the main thread of what says another",
       {},
       Started("a", "main")},
      {"what is called goes along", {}, R"(
inner {
  a = f32[2] parameter(0)
  ROOT b = f32[2] negate(a)
}
outer {
  a = f32[2] parameter(0)
  ROOT b = f32[2] fusion(a), kind=kLoop, calls=inner
}, execution_thread="side"
ENTRY e {
  x = f32[2] parameter(0)
  s = ((f32[2]), f32[2], s32[]) async-start(x), async_execution_thread="side", calls=outer
  ROOT d = f32[2] async-done(s)
})"},
  };
}

// --- How many devices there are ----------------------------------------------

std::string Gather(const char* header, const char* attributes) {
  return absl::StrCat(header, R"(
ENTRY e {
  x = f32[2] parameter(0)
  ROOT g = f32[8] all-gather(x), dimensions={0}, )",
                      attributes, "\n}");
}

std::vector<Case> CountCases() {
  return {
      {"all replicas, not counted", {}, Gather("", "replica_groups={}")},
      {"all of 4", {}, Gather(", replica_count=4", "replica_groups={}")},
      {"all of 16",
       {Code::kShardGroupSize},
       Gather(", replica_count=16", "replica_groups={}")},
      {"2 replicas of 2 partitions",
       {},
       Gather(", num_partitions=2",
              "channel_id=1, replica_groups={{0,1},{2,3}}")},
      {"2 replicas of 1 partition",
       {Code::kShardGroupSize},
       Gather("", "channel_id=1, replica_groups={{0,1},{2,3}}")},
      {"4 of 8 devices",
       {Code::kDeviceCount},
       Gather(", num_partitions=8",
              "channel_id=1, use_global_device_ids=true, "
              "replica_groups=[1,4]<=[4]")},
      {"shardings of as many devices as partitions",
       {},
       R"(, num_partitions=4
ENTRY e {
  x = f32[4] parameter(0), sharding={devices=[4]<=[4]}
  y = f32[4] parameter(1), sharding={devices=[2,2]0,1,3,2 last_tile_dim_replicate}
  z = f32[4] parameter(2), sharding={maximal device=3}
  ROOT a = f32[4] add(x, y), sharding={replicated}
})"},
      {"shardings of other devices",
       {Code::kShardingForm, Code::kShardingForm, Code::kShardingDevice,
        Code::kShardingDevice},
       R"(, num_partitions=4
ENTRY e {
  x = f32[4] parameter(0), sharding={devices=[8]<=[8]}
  y = f32[4] parameter(1), sharding={devices=[2]1,0}
  z = f32[4] parameter(2), sharding={maximal device=4}
  ROOT a = f32[4] add(x, y), sharding={devices=[4]0,1,2,5}
})"},
      {"an array for each of 2 replicas",
       {},
       R"(, replica_count=2
ENTRY e {
  x = f32[2] parameter(0)
  ROOT a = (f32[2], f32[2]) all-to-all(x, x), replica_groups={}
})"},
      {"an array too few",
       {Code::kShardGroupSize},
       R"(, replica_count=3
ENTRY e {
  x = f32[2] parameter(0)
  ROOT a = (f32[2], f32[2]) all-to-all(x, x), replica_groups={}
})"},
      {"shardings by axes of as many devices as partitions",
       {},
       R"(, num_partitions=4
ENTRY e {
  x = f32[4] parameter(0), sharding={mesh['a'=2,'b'=2], [{'b'}]}
  y = f32[4] parameter(1), sharding={mesh['a'=4], device_ids=(3,2,1,0), [{'a'}]}
  z = f32[4] parameter(2), sharding={maximal_mesh[device_id=3]}
  v = f32[4] parameter(3), sharding={mesh['a'=8], [{}]}
  w = f32[4] parameter(4), sharding={mesh['a'=8], manual}
  ROOT a = f32[4] add(x, y), sharding={mesh['a'=8], unreduced}
})"},
      {"shardings by axes of others",
       {Code::kShardingForm, Code::kShardingForm, Code::kShardingDevice},
       R"(, num_partitions=4
ENTRY e {
  x = f32[4] parameter(0), sharding={mesh['a'=2,'b'=4], [{'b'}]}
  y = f32[4] parameter(1), sharding={mesh['a'=8], [{}], manual={'a':(1)2}}
  z = f32[4] parameter(2), sharding={maximal_mesh[device_id=4]}
  ROOT a = f32[4] add(x, y)
})"},
  };
}

// --- Layouts -----------------------------------------------------------------

std::vector<Case> LayoutCases() {
  const auto parameter = [](const char* layout) {
    return absl::Substitute(R"(
ENTRY e {
  x = f32[4]{$0} parameter(0)
  ROOT a = f32[4] negate(x)
})",
                            layout);
  };
  return {
      {"a tile", {}, parameter("0:T(2)")},
      {"a tile of all that is left", {}, parameter("0:T(*,2)")},
      {"a tile of nothing", {Code::kLayoutNumbers}, parameter("0:T(0)")},
  };
}

INSTANTIATE_TEST_SUITE_P(Threads, TextVerdictsTest,
                         ::testing::ValuesIn(ThreadCases()));
INSTANTIATE_TEST_SUITE_P(Counts, TextVerdictsTest,
                         ::testing::ValuesIn(CountCases()));

INSTANTIATE_TEST_SUITE_P(Layouts, TextVerdictsTest,
                         ::testing::ValuesIn(LayoutCases()));

}  // namespace
}  // namespace indim
