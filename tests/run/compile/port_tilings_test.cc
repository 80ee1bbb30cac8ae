// SPDX-License-Identifier: Apache-2.0
// Tilings of results: each element of a tuple has its own.

#include "indim/run/compile/port_tilings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "indim/io/read.h"
#include "indim/run/compile/interface.h"

namespace indim {
namespace pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Shardy's notes stand at custom calls around them.
TEST(PortTilingsTest, ElementsOfAResult) {
  const absl::StatusOr<Module> module = ReadModuleText(R"(HloModule m,
frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}

ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] custom-call(p), custom_call_target="xla.sdy.FuncResultSharding", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>"}
  ROOT t = (f32[4], f32[4]) tuple(p, q)
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  Interface interface = InterfaceOf(*module).value();
  ASSERT_TRUE(SetTilings(*module, 2, &interface).ok());
  EXPECT_THAT(interface.outputs[0].tiling.tiles, IsEmpty());
  EXPECT_THAT(interface.outputs[1].tiling.tiles, ElementsAre(2));
}

}  // namespace
}  // namespace pjrt
}  // namespace indim
