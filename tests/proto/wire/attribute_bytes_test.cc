// SPDX-License-Identifier: Apache-2.0
// Single fields of an instruction's attribute bytes.
#include "indim/proto/wire/attribute_bytes.h"

#include <string>

#include "gtest/gtest.h"
#include "indim/tests/proto/wire/attribute_bytes_samples.h"

namespace indim {
namespace {

TEST(AttributeBytesFieldTest, SetsReadsAndRemoves) {
  const OwnedAttributeBytes attribute_bytes = AttributeBytesOf(
      FromText("dimensions: 4 dot_dimension_numbers { } "
               "control_predecessor_ids: 7 backend_config: \"xy\""));
  bool present = false;
  EXPECT_EQ(AttributeBytesField(attribute_bytes.view(), 43, &present), "xy");
  EXPECT_TRUE(present);
  EXPECT_EQ(AttributeBytesField(attribute_bytes.view(), 30, &present), "");
  EXPECT_TRUE(present);
  EXPECT_EQ(AttributeBytesField(attribute_bytes.view(), 28, &present), "");
  EXPECT_FALSE(present);
  EXPECT_EQ(AttributeBytesField(attribute_bytes.view(), 14), "\x04");
  EXPECT_EQ(AttributeBytesField(AttributeBytesView(), 43), "");

  EXPECT_EQ(ToText(Parse(WithField(attribute_bytes.view(), 28, "t"))),
            "dimensions: 4 custom_call_target: \"t\" dot_dimension_numbers { } "
            "control_predecessor_ids: 7 backend_config: \"xy\" ");
  EXPECT_EQ(ToText(Parse(WithField(attribute_bytes.view(), 43, ""))),
            "dimensions: 4 dot_dimension_numbers { } "
            "control_predecessor_ids: 7 ");
  EXPECT_EQ(ToText(Parse(WithField(attribute_bytes.view(), 40, ""))),
            "dimensions: 4 dot_dimension_numbers { } "
            "control_predecessor_ids: 7 sharding { } backend_config: \"xy\" ");
  EXPECT_EQ(ToText(Parse(WithoutField(attribute_bytes.view(), 30))),
            "dimensions: 4 control_predecessor_ids: 7 backend_config: \"xy\" ");
  EXPECT_TRUE(WithoutField(attribute_bytes.view(), 28) == attribute_bytes);
  // Setting one kind of replica groups clears the others.
  EXPECT_EQ(
      ToText(Parse(WithField(WithField(AttributeBytesView(), 87, "").view(), 92,
                             "\x08\x02"))),
      "iota_collective_device_list { num_replica_groups: 2 } ");
}

TEST(AttributeBytesFieldTest, LeavesTheRecordAndUnknownNumbersAlone) {
  const OwnedAttributeBytes attribute_bytes =
      AttributeBytesOf(FromText("dimensions: 4"));
  for (int number : {1, 2, 3, 7, 14, 35, 36, 38, 0, -1, 999, 1 << 30}) {
    EXPECT_TRUE(WithField(attribute_bytes.view(), number, "x") ==
                attribute_bytes)
        << number;
  }
  for (int number : {1, 35, 999}) {
    EXPECT_TRUE(WithoutField(attribute_bytes.view(), number) == attribute_bytes)
        << number;
  }
}

TEST(AttributeBytesFieldTest, KeepsUnknownFieldsAtTheEnd) {
  // Field 2000, a varint.
  const std::string unknown = "\x80\x7d\x01";
  OwnedAttributeBytes attribute_bytes =
      AttributeBytesOf(FromText("backend_config: \"xy\""));
  attribute_bytes.after_callees += unknown;
  const OwnedAttributeBytes set = WithField(attribute_bytes.view(), 68, "");
  EXPECT_EQ(set.after_callees.substr(set.after_callees.size() - 3), unknown);
  EXPECT_TRUE(IsCanonicalAttributeBytes(set));
  EXPECT_TRUE(WithoutField(set.view(), 68) == attribute_bytes);
}

}  // namespace
}  // namespace indim
