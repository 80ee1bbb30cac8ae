// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/suggest.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace indim {
namespace {

TEST(NearestName, FindsTheNameThatWasMeant) {
  const std::vector<absl::string_view> names = {
      "add", "subtract", "multiply", "dot", "dynamic-slice", "reduce-window"};
  struct Case {
    const char* name;
    const char* nearest;
  };
  for (const Case& c : std::vector<Case>{
           {"add", "add"},
           {"adds", "add"},  // one too many
           {"dt", "dot"},    // one missing
           {"dat", "dot"},   // another letter
           {"dad", "add"},   // two swapped
           {"multipyl", "multiply"},
           {"dynamic_slice", "dynamic-slice"},
           {"reducewindows", "reduce-window"},  // two edits
           {"reducewindowss", ""},              // three
           {"xyz", ""},
           {"", ""},
           {"d", ""},       // half a word is a guess
           {"ADD", "add"},  // other case alone
           {"AD", ""},      // else case counts
       }) {
    EXPECT_EQ(NearestName(c.name, names), c.nearest) << c.name;
  }
}

TEST(NearestName, PrefersFewerEditsThenTheFirst) {
  EXPECT_EQ(NearestName("f31", {"f16", "f32", "f33"}), "f32");
  EXPECT_EQ(NearestName("tuples", {"tuplet", "tuple"}), "tuplet");
}

TEST(NearestName, UnderstandsShortForms) {
  const std::vector<absl::string_view> names = {"broadcast_dimensions",
                                                "dimensions", "convert",
                                                "convolution", "dynamic-slice"};
  struct Case {
    const char* name;
    const char* nearest;
  };
  for (const Case& c : std::vector<Case>{
           {"broadcast_dims", "broadcast_dimensions"},
           {"bcast_dims", "broadcast_dimensions"},
           {"dims", "dimensions"},
           {"dyn-slice", "dynamic-slice"},
           {"convn", "convolution"},
           {"conv", ""},           // one of two
           {"dim", ""},            // too short to say which
           {"broadcast", ""},      // a word is missing
           {"roadcast_dims", ""},  // each word begins as it does
           {"broadcast_sdim", ""},
           {"dims_broadcast", ""},
       }) {
    EXPECT_EQ(NearestName(c.name, names), c.nearest) << c.name;
  }
}

TEST(NearestName, HandlesOddInput) {
  EXPECT_EQ(NearestName("add", {}), "");
  EXPECT_EQ(NearestName("add", {""}), "");
  const std::string longest(64, 'a');
  EXPECT_EQ(NearestName(longest, {longest}), longest);
  EXPECT_EQ(NearestName(longest + "a", {longest}), "") << "not looked at";
  EXPECT_EQ(NearestName(std::string(10000000, 'a'), {"add"}), "");
}

}  // namespace
}  // namespace indim
