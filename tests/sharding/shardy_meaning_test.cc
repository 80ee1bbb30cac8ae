// SPDX-License-Identifier: Apache-2.0
// What Shardy's shardings mean in HLO's terms, as XLA (jaxlib 0.10.2) writes it
// beside them.

#include "indim/sharding/shardy/shardy_meaning.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "indim/sharding/sharding.h"
#include "indim/sharding/text/sharding_text.h"

namespace indim {
namespace {

constexpr char kMeaningMeshes[] =
    R"({m = #sdy.mesh<["a"=2, "b"=4, "c"=2]>, none = #sdy.mesh<[]>, )"
    R"(one = #sdy.mesh<[], device_ids=[3]>, )"
    R"(p = #sdy.mesh<["a"=2, "b"=2], device_ids=[3, 1, 2, 0]>})";

std::optional<std::string> Meaning(absl::string_view text) {
  return MeaningOfShardy(text, [](absl::string_view name) {
    return FindShardyMesh(kMeaningMeshes, name);
  });
}

TEST(ShardyMeaningTest, IsThatOfXla) {
  constexpr struct {
    const char* shardy;
    const char* hlo;  // "": none
  } kMeanings[] = {
      {R"(#sdy.sharding<@m, [{"b", "a"}, {}]>)",
       "{devices=[8,1,2]<=[2,4,2]T(1,0,2) last_tile_dim_replicate}"},
      {R"(#sdy.sharding<@m, [{?}, {?}]>)", "{replicated}"},
      {R"(#sdy.sharding<@m, [{"b":(1)2}, {"b":(2)2, ?}p1], replicated={"a"}>)",
       "{devices=[2,2,4]<=[2,4,2]T(1,0,2) last_tile_dim_replicate}"},
      {R"(#sdy.sharding<@p, [{"b"}]>)",
       "{devices=[2,2]2,3,0,1 last_tile_dim_replicate}"},
      {R"(#sdy.sharding<@m, [{"a"}, {}], unreduced={"c"}>)",
       "{devices=[2,1,2,4]<=[2,4,2]T(0,2,1) last_tile_dims={unreduced, "
       "replicated}}"},
      {R"(#sdy.sharding<@m, [{}, {}], unreduced={"a", "b", "c"}>)",
       "{unreduced}"},
      {R"(#sdy.sharding<@none, [{}]>)", "{replicated}"},
      {R"(#sdy.sharding_per_value<[<@one, []>]>)", "{maximal device=3}"},
      {R"(#sdy.sharding_per_value<[<@p, [{"a", "b"}, {?}]>]>)",
       "{devices=[4,1]3,1,2,0}"},
      {R"(#sdy.sharding_per_value<[<@m, [{"a"}, {}]>, <@m, [{}, {"b"}]>]>)",
       "{{devices=[2,1,8]<=[16] last_tile_dim_replicate}, "
       "{devices=[1,4,4]<=[2,4,2]T(1,0,2) last_tile_dim_replicate}}"},
      {R"(#sdy.sharding<@m, [{"d"}]>)", ""},
      {R"(#sdy.sharding<@x, [{}]>)", ""},
      {R"(#sdy.sharding<mesh<["a"=2, "a"=2]>, [{}]>)", ""},
      {R"(#sdy.sharding<mesh<["a"=2305843009213693952, "b"=3]>, [{"b"}]>)", ""},
      {"replicated", ""},
  };
  for (const auto& c : kMeanings) {
    const std::optional<std::string> meaning = Meaning(c.shardy);
    EXPECT_EQ(meaning.has_value(), *c.hlo != '\0') << c.shardy;
    if (!meaning.has_value()) continue;
    EXPECT_EQ(ShardingText(*meaning, false), c.hlo) << c.shardy;
    const auto is_meaning = [&](absl::string_view sharding, bool is_loop) {
      return IsMeaningOfShardy(sharding, c.shardy, is_loop,
                               [](absl::string_view name) {
                                 return FindShardyMesh(kMeaningMeshes, name);
                               });
    };
    EXPECT_TRUE(is_meaning(*meaning, false)) << c.shardy;
    // A tuple has a single one for each leaf.
    const std::optional<std::string> spread = SpreadSharding(*meaning, 2);
    EXPECT_TRUE(is_meaning(spread.value_or(*meaning), false)) << c.shardy;
    EXPECT_FALSE(is_meaning("another", true)) << c.shardy;
  }
}

}  // namespace
}  // namespace indim
