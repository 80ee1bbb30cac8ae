// SPDX-License-Identifier: Apache-2.0
// Tilings: every form of sharding beside what it means, written out; and that
// cutting and putting together gives the array again.

#include "indim/sharding/tiling/tiling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/values/random_literal.h"
#include "indim/io/read.h"
#include "indim/run/compile/interface.h"
#include "indim/run/compile/port_tilings.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// The tiling of a parameter that is the result too, with these attributes.
absl::StatusOr<Tiling> TilingOf(const std::string& shape,
                                const std::string& attributes,
                                int64_t partitions,
                                const std::string& header = "") {
  const absl::StatusOr<Module> module = ReadModuleText(
      absl::StrCat("HloModule m", header, "\n\nENTRY e {\n  ROOT p = ", shape,
                   " parameter(0)", attributes, "\n}\n"));
  if (!module.ok()) return module.status();
  absl::StatusOr<pjrt::Interface> interface = pjrt::InterfaceOf(*module);
  if (!interface.ok()) return interface.status();
  const absl::Status status =
      pjrt::SetTilings(*module, partitions, &*interface);
  if (!status.ok()) return status;
  return interface->inputs[0].tiling;
}

struct Case {
  const char* shape;
  const char* attributes;
  std::vector<int64_t> tiles;    // empty: every partition has all
  std::vector<int64_t> tile_of;  // by partition
  const char* header = "";
};

constexpr char kMesh[] =
    ", frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"x\"=2, "
    "\"y\"=2]>, back = #sdy.mesh<[\"x\"=4], device_ids=[3,2,1,0]>}}";

std::vector<Case> Cases() {
  return {
      {"f32[4,6]", "", {}, {}},
      {"f32[4,6]", ", sharding={replicated}", {}, {}},
      {"f32[4,6]", ", sharding={manual}", {}, {}},
      {"f32[4,6]", ", sharding={devices=[4,1]0,1,2,3}", {4, 1}, {0, 1, 2, 3}},
      {"f32[4,6]", ", sharding={devices=[1,4]3,1,0,2}", {1, 4}, {2, 1, 3, 0}},
      {"f32[4,6]", ", sharding={devices=[2,2]<=[4]}", {2, 2}, {0, 1, 2, 3}},
      {"f32[4,6]",
       ", sharding={devices=[2,2]<=[2,2]T(1,0)}",
       {2, 2},
       {0, 2, 1, 3}},
      {"f32[4,6]",
       ", sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}",
       {2, 1},
       {0, 0, 1, 1}},
      {"f32[4,6]",
       ", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}",
       {1, 2},
       {0, 1, 0, 1}},
      {"f32[5]", ", sharding={devices=[4]<=[4]}", {4}, {0, 1, 2, 3}},
      {"f32[4,6]",
       ", sharding={mesh['a'=2,'b'=2], [{'b'}, {}]}",
       {2, 1},
       {0, 1, 0, 1}},
      {"f32[4,6]",
       ", sharding={mesh['a'=2,'b'=2], [{'a'}, {'b'}]}",
       {2, 2},
       {0, 1, 2, 3}},
      {"f32[4,6]",
       ", sharding={mesh['a'=2,'b'=2], [{}, {'b','a'}]}",
       {1, 4},
       {0, 2, 1, 3}},
      {"f32[4,6]",
       ", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, "
       "[{\\\"y\\\"}, {}]>\"}",
       {2, 1},
       {0, 1, 0, 1},
       kMesh},
      {"f32[4,6]",
       ", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, "
       "[{\\\"x\\\", \\\"y\\\"}p1, {?}]>\"}",
       {4, 1},
       {0, 1, 2, 3},
       kMesh},
      {"f32[4,6]",
       ", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@back, "
       "[{}, {\\\"x\\\":(2)2}]>\"}",
       {1, 2},
       {1, 0, 1, 0},
       kMesh},
      {"f32[4,6]",
       ", "
       "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<mesh<[\\\"a\\\"="
       "4]"
       ", device_ids=[1,0,2,3]>, [{\\\"a\\\"}, {}]>\"}",
       {4, 1},
       {1, 0, 2, 3}},
      {"f32[4,6]",
       ", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{}, "
       "{}], replicated={\\\"x\\\"}>\"}",
       {},
       {},
       kMesh},
  };
}

TEST(TilingTest, WhatEachFormMeans) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.attributes);
    const absl::StatusOr<Tiling> tiling =
        TilingOf(c.shape, c.attributes, 4, c.header);
    ASSERT_TRUE(tiling.ok()) << tiling.status();
    EXPECT_THAT(tiling->tiles, ElementsAreArray(c.tiles));
    EXPECT_THAT(tiling->tile_of, ElementsAreArray(c.tile_of));
  }
}

TEST(TilingTest, WhatCantBeCut) {
  const struct {
    const char* attributes;
    int64_t partitions;
    const char* says;
    const char* header = "";
  } kCases[] = {
      {", sharding={devices=[4,1]<=[4]}", 2, "there are 2 partitions"},
      {", sharding={devices=[2,1]0,2}", 2, "there are the partitions 0 to 1"},
      {", sharding={devices=[4,1]<=[4]}", 8, "there are 8 partitions"},
      {", sharding={maximal device=9}", 4, "names device 9"},
      {", sharding={unreduced}", 4, "to fix: give it a sharding without"},
      {", sharding={devices=[2,1,2]<=[4] last_tile_dims={unreduced}}", 4,
       "to fix: give it a sharding without"},
      {", sharding={mesh['a'=2,'b'=2], [{'a'}, {}], unreduced={'b'}}", 4,
       "to fix: give it a sharding without"},
      {", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@m, [{}]>\"}",
       4, "of the mesh m, which the module hasn't"},
      {", frontend_attributes={xla.sdy.sharding=\"nonsense\"}", 4,
       "Shardy's text isn't understood"},
      {", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@m, "
       "[{\\\"y\\\"}, {}]>\"}",
       4, "Shardy's text isn't understood",
       ", frontend_attributes={xla.sdy.meshes={m = #sdy.mesh<[\"x\"=4]>}}"},
      {", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@m, "
       "[{\\\"x\\\", \\\"x\\\"}, {}]>\"}",
       4, "more parts than there are partitions",
       ", frontend_attributes={xla.sdy.meshes={m = #sdy.mesh<[\"x\"=4]>}}"},
      {", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, "
       "[{\\\"x\\\"}, {\\\"x\\\"}]>\"}",
       4, "a sharding takes axis 0 twice", kMesh},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Tiling> tiling =
        TilingOf("f32[4,6]", c.attributes, c.partitions, c.header);
    EXPECT_FALSE(tiling.ok()) << c.attributes;
    EXPECT_THAT(std::string(tiling.status().message()), HasSubstr(c.says));
    EXPECT_EQ(CodeOf(tiling.status()), Code::kPjrtDevices);
  }
}

// Sizes that divide and that don't, of every form above.
TEST(TilingTest, CutAndPutTogetherIsTheArray) {
  RandomStream random(1);
  for (const Case& c : Cases()) {
    const Tiling tiling = TilingOf(c.shape, c.attributes, 4, c.header).value();
    for (const ElementType type :
         {ElementType::kF32, ElementType::kPred, ElementType::kC128}) {
      for (const int64_t extra : {0, 1, 3}) {
        Shape shape = ParseShape(c.shape).value();
        shape.set_element_type(type);
        for (int d = 0; d < shape.rank(); ++d) {
          shape.set_dim(d, Dim::Static(shape.dim(d).size() + extra));
        }
        const Literal array = RandomLiteral(shape, &random).value();
        std::vector<Literal> parts;
        for (int64_t p = 0; p < 4; ++p) {
          parts.push_back(CutTile(tiling, array, p).value());
          EXPECT_EQ(parts.back().shape(), TileShape(tiling, shape));
        }
        EXPECT_EQ(AssembleTiles(tiling, shape, parts).value(), array)
            << shape << c.attributes;
      }
    }
  }
}

TEST(TilingTest, OneDeviceMayHaveAll) {
  const Tiling tiling =
      TilingOf("f32[2]", ", sharding={maximal device=1}", 2).value();
  EXPECT_TRUE(tiling.is_whole());
  const Literal ours = Literal::Vector({1.0f, 2.0f});
  EXPECT_EQ(AssembleTiles(tiling, ours.shape(), {Literal(), ours}).value(),
            ours);
}

// Devices of one number have one array among them.
TEST(TilingTest, CopiesAreNumbered) {
  EXPECT_THAT(TilingOf("f32[4]",
                       ", sharding={devices=[2,2]<=[4] "
                       "last_tile_dim_replicate}",
                       4)
                  ->copy_of,
              ElementsAreArray({0, 1, 0, 1}));
  EXPECT_THAT(TilingOf("f32[4]",
                       ", sharding={devices=[2,2]<=[2,2]T(1,0) "
                       "last_tile_dim_replicate}",
                       4)
                  ->copy_of,
              ElementsAreArray({0, 0, 1, 1}));
}

TEST(TilingTest, TheLastTilesArePadded) {
  const Tiling tiling{{4}, {3, 2, 1, 0}};
  const Literal array = Literal::Vector({1, 2, 3, 4, 5});
  EXPECT_EQ(CutTile(tiling, array, 3).value().ToString(), "{1, 2}");
  EXPECT_EQ(CutTile(tiling, array, 1).value().ToString(), "{5, 0}");
  EXPECT_EQ(CutTile(tiling, array, 0).value().ToString(), "{0, 0}");
}

}  // namespace
}  // namespace indim
