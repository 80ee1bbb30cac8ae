// SPDX-License-Identifier: Apache-2.0
// wire_messages.def against the descriptors of the generated classes, both
// ways, for every message that a module, snapshot or module with configuration
// can contain.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_config.pb.h"

namespace indim {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::testing::ElementsAreArray;

constexpr const char* kMessages[] = {
#define INDIM_WIRE_MESSAGE(message) #message,
#include "indim/proto/wire/wire_messages.def"
};

struct TableRow {
  const char* message;
  const char* name;
  int number;
  const char* kind;
  const char* label;
  const char* presence;
  const char* submessage;
};

constexpr TableRow kTableRows[] = {
#define INDIM_WIRE_FIELD(message, name, number, kind, label, presence, \
                         submessage)                                   \
  {#message, #name, number, #kind, #label, #presence, #submessage},
#include "indim/proto/wire/wire_messages.def"
};

// The name of the C++ class without its package.
std::string WireName(const Descriptor& type) {
  return absl::StrReplaceAll(
      type.full_name().substr(type.file()->package().size() + 1), {{".", "_"}});
}

std::string Name(const FieldDescriptor& field) {
  std::string name = field.camelcase_name();  // "tupleIndex"
  name[0] = absl::ascii_toupper(name[0]);
  return name;
}

std::string Kind(const FieldDescriptor& field) {
  if (field.is_map()) return "kMap";
  std::string name = field.type_name();  // "int64", "message", ...
  name[0] = absl::ascii_toupper(name[0]);
  return absl::StrCat("k", name);
}

std::string Label(const FieldDescriptor& field) {
  return !field.is_repeated() ? "kSingular"
         : field.is_packed()  ? "kPacked"
                              : "kRepeated";
}

std::string Presence(const FieldDescriptor& field) {
  const auto* oneof = field.real_containing_oneof();
  if (oneof != nullptr && oneof->field_count() > 1) return "kOneof";
  return field.has_presence() ? "kExplicit" : "kImplicit";
}

std::string RowText(const TableRow& row) {
  return absl::StrCat(row.message, ", ", row.name, ", ", row.number, ", ",
                      row.kind, ", ", row.label, ", ", row.presence, ", ",
                      row.submessage);
}

// What the table should hold, by message name, each with its rows by number.
std::map<std::string, std::map<int, std::string>> Reachable() {
  std::vector<const Descriptor*> left = {
      proto::HloModuleProto::descriptor(),
      proto::HloModuleProtoWithConfig::descriptor(),
      proto::HloProto::descriptor(),
      proto::HloSnapshot::descriptor(),
      proto::HloUnoptimizedSnapshot::descriptor(),
  };
  std::map<std::string, std::map<int, std::string>> messages;
  while (!left.empty()) {
    const Descriptor& type = *left.back();
    left.pop_back();
    const auto [entry, is_new] = messages.try_emplace(WireName(type));
    if (!is_new) continue;
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      const std::string submessage = field.message_type() != nullptr
                                         ? WireName(*field.message_type())
                                         : "none";
      entry->second[field.number()] =
          absl::StrCat(entry->first, ", ", Name(field), ", ", field.number(),
                       ", ", Kind(field), ", ", Label(field), ", ",
                       Presence(field), ", ", submessage);
      if (field.message_type() != nullptr) left.push_back(field.message_type());
    }
  }
  return messages;
}

TEST(WireTableTest, HoldsEveryMessageOnce) {
  std::set<std::string> expected;
  for (const auto& [name, rows] : Reachable()) expected.insert(name);
  const std::set<std::string> listed(std::begin(kMessages),
                                     std::end(kMessages));
  EXPECT_THAT(listed, ElementsAreArray(expected));
  EXPECT_EQ(listed.size(), std::size(kMessages)) << "a message twice";
}

TEST(WireTableTest, HoldsEveryFieldInOrder) {
  std::map<std::string, std::vector<std::string>> listed;
  for (const TableRow& row : kTableRows)
    listed[row.message].push_back(RowText(row));
  for (const auto& [name, rows] : Reachable()) {
    std::vector<std::string> expected;
    for (const auto& [number, text] : rows) expected.push_back(text);
    EXPECT_THAT(listed[name], ElementsAreArray(expected));
  }
}

// Readers may take the rows of a message as one range.
TEST(WireTableTest, RowsFollowTheOrderOfMessages) {
  std::vector<std::string> order;
  for (const TableRow& row : kTableRows) {
    if (order.empty() || order.back() != row.message) {
      order.push_back(row.message);
    }
  }
  std::vector<std::string> messages;
  for (const char* message : kMessages) {
    if (std::string(message) == "DebugOptions") continue;  // Has no fields.
    messages.push_back(message);
  }
  EXPECT_THAT(order, ElementsAreArray(messages));
}

// kOneof names no group: the table's promise that there is one at most.
TEST(WireTableTest, MessagesHaveAtMostOneOneofOfSeveralFields) {
  std::vector<const Descriptor*> left = {
      proto::HloModuleProtoWithConfig::descriptor(),
      proto::HloSnapshot::descriptor(),
      proto::HloUnoptimizedSnapshot::descriptor(),
  };
  std::set<const Descriptor*> seen;
  while (!left.empty()) {
    const Descriptor& type = *left.back();
    left.pop_back();
    if (!seen.insert(&type).second) continue;
    int oneofs = 0;
    for (int i = 0; i < type.real_oneof_decl_count(); ++i) {
      if (type.oneof_decl(i)->field_count() > 1) ++oneofs;
    }
    EXPECT_LE(oneofs, 1) << type.full_name();
    for (int i = 0; i < type.field_count(); ++i) {
      if (type.field(i)->message_type() != nullptr) {
        left.push_back(type.field(i)->message_type());
      }
    }
  }
}

}  // namespace
}  // namespace indim
