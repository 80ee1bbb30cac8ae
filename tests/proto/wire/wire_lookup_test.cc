// SPDX-License-Identifier: Apache-2.0
// The lookups of wire_table.h against the rows they are built from; that the
// rows are right is for wire_table_test.cc.

#include <map>
#include <string>

#include "gtest/gtest.h"
#include "indim/proto/wire/wire_table.h"

namespace indim {
namespace {

struct LookupRow {
  WireMessage message;
  uint32_t number;
  WireKind kind;
  WireLabel label;
  WirePresence presence;
  const char* submessage;
};

constexpr LookupRow kLookupRows[] = {
#define INDIM_WIRE_FIELD(message, name, number, kind, label, presence,    \
                         submessage)                                      \
  {WireMessage::k##message, number,     WireKind::kind, WireLabel::label, \
   WirePresence::presence,  #submessage},
#include "indim/proto/wire/wire_messages.def"
};

TEST(WireLookupTest, FindsEveryRowAndNothingElse) {
  std::map<WireMessage, size_t> rows;
  for (const LookupRow& row : kLookupRows) {
    const WireMessageInfo& info = GetWireMessageInfo(row.message);
    SCOPED_TRACE(std::string(info.name()));
    EXPECT_EQ(info.message(), row.message);
    const WireField* field = info.Find(row.number);
    ASSERT_NE(field, nullptr) << row.number;
    EXPECT_EQ(field->number, row.number);
    EXPECT_EQ(field->kind, row.kind);
    EXPECT_EQ(field->label, row.label);
    EXPECT_EQ(field->presence, row.presence);
    EXPECT_EQ(field->submessage == nullptr
                  ? "none"
                  : std::string(field->submessage->name()),
              row.submessage);
    ++rows[row.message];
  }
  for (const WireMessageInfo& info : AllWireMessages()) {
    SCOPED_TRACE(std::string(info.name()));
    EXPECT_EQ(info.fields().size(), rows[info.message()]);
    size_t found = 0;
    for (uint32_t number = 0; number < 3000; ++number) {
      if (info.Find(number) != nullptr) ++found;
    }
    EXPECT_EQ(found, info.fields().size());
    EXPECT_EQ(info.Find(0), nullptr);
    EXPECT_EQ(info.Find((1u << 29) - 1), nullptr);
  }
}

TEST(WireLookupTest, MapEntriesHaveKeyAndValue) {
  size_t entries = 0;
  for (const WireMessageInfo& info : AllWireMessages()) {
    if (!info.is_map_entry()) continue;
    ++entries;
    ASSERT_EQ(info.fields().size(), 2u) << info.name();
    EXPECT_EQ(info.fields()[0].number, 1u);
    EXPECT_EQ(info.fields()[1].number, 2u);
  }
  EXPECT_GE(entries, 2u);
}

TEST(WireFieldTest, AcceptsPackedListsInBothForms) {
  const WireMessageInfo& shape = GetWireMessageInfo(WireMessage::kShapeProto);
  const WireField& dimensions = *shape.Find(3);
  EXPECT_TRUE(dimensions.Accepts(WireType::kLengthDelimited));
  EXPECT_TRUE(dimensions.Accepts(WireType::kVarint));
  EXPECT_FALSE(dimensions.Accepts(WireType::kFixed64));
  const WireField& element_type = *shape.Find(2);
  EXPECT_TRUE(element_type.Accepts(WireType::kVarint));
  EXPECT_FALSE(element_type.Accepts(WireType::kLengthDelimited));
  EXPECT_FALSE(element_type.Accepts(WireType::kEndGroup));
}

}  // namespace
}  // namespace indim
