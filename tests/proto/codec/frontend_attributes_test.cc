// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/frontend_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Fields that XLA's schema doesn't have, among them one of map's number in
// another wire type, are no entries.
TEST(FrontendAttributesTest, UnknownFieldsAreNoEntries) {
  const std::string entries = FrontendAttributesBytes({{"a", "1"}, {"b", "2"}});
  for (const std::string unknown :
       {"\x28\x07", "\x32\x02zz", "\x08\x01", "\x2a\x06\x0a\x01z\x12\x01y"}) {
    const std::string wire = entries + unknown;
    EXPECT_THAT(FrontendAttributesWithPrefix(wire, ""),
                ElementsAre(Pair("a", "1"), Pair("b", "2")));
    EXPECT_FALSE(FrontendAttribute(wire, "").has_value());
    EXPECT_FALSE(FrontendAttribute(wire, "z").has_value());
  }
}

}  // namespace
}  // namespace indim
