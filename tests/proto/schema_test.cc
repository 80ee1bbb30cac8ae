// SPDX-License-Identifier: Apache-2.0
// The schema of proto/ against tests/data/proto/schema.txt, XLA's schema as a
// table: nothing missing, nothing different, and nothing more than Indim's own
// fields from 1000 up.

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "gtest/gtest.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_config.pb.h"
#include "indim/proto/metrics.pb.h"
#include "indim/proto/xla_data.pb.h"

namespace indim {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::EnumDescriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::FileDescriptor;
using ::testing::IsEmpty;

using Lines = std::set<std::string>;

constexpr int kFirstOwnNumber = 1000;

// Indim's additions. Their numbers are in files that people keep: lines may be
// added here, but never changed.
constexpr absl::string_view kAdditions[] = {
    "DimExpression 1 dimension int64",
    "DimExpression 2 expression string",
    "DimExpression 3 facts repeated string",
    "DimInterval 1 dimension int64",
    "DimInterval 2 lower int64",
    "DimInterval 3 upper optional int64",
    "ExternalValues 1 file string",
    "ExternalValues 2 offset uint64",
    "ExternalValues 3 size uint64",
    "ExternalValues 4 checksum uint64",
    "HloInstructionProto 1000 implicit_broadcast ImplicitBroadcast",
    "HloModuleProto 1000 recorded RecordedModule",
    "HloModuleConfigProto 1000 frames_in_order bool",
    "HloModuleProto 1001 text_config bytes",
    "HloInstructionProto.SliceDimensions 1000 whole bool",
    "ImplicitBroadcast 1 broadcast_dimensions repeated int64",
    "ImplicitBroadcast 2 has_broadcast_dimensions bool",
    "ImplicitBroadcast 3 rule ImplicitBroadcast.Rule",
    "ImplicitBroadcast 4 axis optional int64",
    "LiteralProto 1000 splat bytes",
    "LiteralProto 1001 external ExternalValues",
    "RecordedModule 1 version int64",
    "RecordedModule 2 producer string",
    "ShapeProto 1000 dim_intervals repeated DimInterval",
    "ShapeProto 1002 dim_expressions repeated DimExpression",
    "ShapeProto 1001 unranked bool",
    "enum ImplicitBroadcast.Rule RULE_BIDIRECTIONAL 4",
    "enum ImplicitBroadcast.Rule RULE_NONE 1",
    "enum ImplicitBroadcast.Rule RULE_NUMPY 2",
    "enum ImplicitBroadcast.Rule RULE_PDPD 3",
    "enum ImplicitBroadcast.Rule RULE_XLA 0",
};

std::vector<const FileDescriptor*> Files() {
  return {
      proto::HloModuleProto::descriptor()->file(),
      proto::HloModuleProtoWithConfig::descriptor()->file(),
      proto::KeyValueMetric::descriptor()->file(),
      proto::LiteralProto::descriptor()->file(),
  };
}

// A name without our package; other packages' names stay whole.
std::string ShortName(const std::string& full_name) {
  constexpr absl::string_view kPackage = "indim.proto.";
  if (!absl::StartsWith(full_name, kPackage)) return full_name;
  return full_name.substr(kPackage.size());
}

std::string TypeName(const FieldDescriptor& field) {
  if (field.is_map()) {
    return absl::StrCat("map<", TypeName(*field.message_type()->map_key()), ",",
                        TypeName(*field.message_type()->map_value()), ">");
  }
  if (field.message_type() != nullptr) {
    return ShortName(field.message_type()->full_name());
  }
  if (field.enum_type() != nullptr) {
    return ShortName(field.enum_type()->full_name());
  }
  return field.type_name();
}

std::string FieldLine(const FieldDescriptor& field) {
  std::string line =
      absl::StrCat(ShortName(field.containing_type()->full_name()), " ",
                   field.number(), " ", field.name(), " ");
  const bool optional = field.has_optional_keyword();
  if (field.is_repeated() && !field.is_map())
    absl::StrAppend(&line, "repeated ");
  if (optional) absl::StrAppend(&line, "optional ");
  absl::StrAppend(&line, TypeName(field));
  if (field.real_containing_oneof() != nullptr) {
    absl::StrAppend(&line, " oneof=", field.real_containing_oneof()->name());
  }
  if (field.options().deprecated()) absl::StrAppend(&line, " deprecated");
  return line;
}

void AddEnum(const EnumDescriptor& type, Lines& lines) {
  for (int i = 0; i < type.value_count(); ++i) {
    lines.insert(absl::StrCat("enum ", ShortName(type.full_name()), " ",
                              type.value(i)->name(), " ",
                              type.value(i)->number()));
  }
}

void AddMessage(const Descriptor& type, Lines& lines) {
  if (type.options().map_entry()) return;  // Told by its map field.
  const std::string name = ShortName(type.full_name());
  for (int i = 0; i < type.field_count(); ++i) {
    lines.insert(FieldLine(*type.field(i)));
  }
  if (type.field_count() == 0) lines.insert(absl::StrCat(name, " empty"));
  for (int i = 0; i < type.reserved_range_count(); ++i) {
    const Descriptor::ReservedRange& range = *type.reserved_range(i);
    for (int number = range.start; number < range.end; ++number) {
      lines.insert(absl::StrCat(name, " reserved ", number));
    }
  }
  for (int i = 0; i < type.reserved_name_count(); ++i) {
    lines.insert(absl::StrCat(name, " reserved ", type.reserved_name(i)));
  }
  for (int i = 0; i < type.enum_type_count(); ++i) {
    AddEnum(*type.enum_type(i), lines);
  }
  for (int i = 0; i < type.nested_type_count(); ++i) {
    AddMessage(*type.nested_type(i), lines);
  }
}

// The schema that was compiled in, as the lines of the table.
Lines CompiledSchema() {
  Lines lines;
  for (const FileDescriptor* file : Files()) {
    for (int i = 0; i < file->enum_type_count(); ++i) {
      AddEnum(*file->enum_type(i), lines);
    }
    for (int i = 0; i < file->message_type_count(); ++i) {
      AddMessage(*file->message_type(i), lines);
    }
  }
  return lines;
}

Lines Table() {
  std::ifstream in("tests/data/proto/schema.txt");
  Lines lines;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    EXPECT_TRUE(lines.insert(line).second) << "twice: " << line;
  }
  return lines;
}

std::vector<std::string> Minus(const Lines& a, const Lines& b) {
  std::vector<std::string> rest;
  for (const std::string& line : a) {
    if (b.count(line) == 0) rest.push_back(line);
  }
  return rest;
}

TEST(SchemaTest, IsTheTablePlusAdditions) {
  Lines expected = Table();
  EXPECT_GT(expected.size(), 700u);
  for (absl::string_view line : kAdditions) {
    EXPECT_TRUE(expected.insert(std::string(line)).second) << line;
  }
  const Lines compiled = CompiledSchema();
  EXPECT_THAT(Minus(expected, compiled), IsEmpty()) << "missing in proto/";
  EXPECT_THAT(Minus(compiled, expected), IsEmpty()) << "only in proto/";
}

TEST(SchemaTest, AdditionsToMessagesOfXlaStartAt1000) {
  const Lines table = Table();
  std::set<std::string> of_xla;
  for (const std::string& line : table) {
    of_xla.insert(std::vector<std::string>(absl::StrSplit(line, ' '))[0]);
  }
  for (absl::string_view line : kAdditions) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (of_xla.count(words[0]) == 0 || words[0] == "enum") continue;
    EXPECT_GE(std::stoi(words[1]), kFirstOwnNumber) << line;
  }
  for (const std::string& line : table) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words[0] == "enum" || words[1] == "reserved" || words[1] == "empty") {
      continue;
    }
    EXPECT_LT(std::stoi(words[1]), kFirstOwnNumber) << line;
  }
}

TEST(SchemaTest, RepeatedScalarsArePacked) {
  std::vector<const Descriptor*> left;
  for (const FileDescriptor* file : Files()) {
    for (int i = 0; i < file->message_type_count(); ++i) {
      left.push_back(file->message_type(i));
    }
  }
  while (!left.empty()) {
    const Descriptor* type = left.back();
    left.pop_back();
    for (int i = 0; i < type->field_count(); ++i) {
      EXPECT_EQ(type->field(i)->is_packed(), type->field(i)->is_packable())
          << type->field(i)->full_name();
    }
    for (int i = 0; i < type->nested_type_count(); ++i) {
      left.push_back(type->nested_type(i));
    }
  }
}

// XLA's files in the same process must not meet ours.
TEST(SchemaTest, HasPackageAndPathsOfItsOwn) {
  for (const FileDescriptor* file : Files()) {
    EXPECT_EQ(file->package(), "indim.proto");
    EXPECT_TRUE(absl::StartsWith(file->name(), "indim/proto/")) << file->name();
    EXPECT_EQ(file->syntax(), FileDescriptor::SYNTAX_PROTO3);
  }
}

// //proto:descriptor_set, for tools without generated classes, is the same
// schema.
TEST(SchemaTest, DescriptorSetHoldsTheCompiledFiles) {
  std::ifstream in("proto/descriptor_set.binpb", std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  google::protobuf::FileDescriptorSet set;
  ASSERT_TRUE(set.ParseFromString(bytes.str()));
  google::protobuf::DescriptorPool pool;
  for (const auto& file : set.file()) {
    ASSERT_NE(pool.BuildFile(file), nullptr) << file.name();
  }
  for (const FileDescriptor* file : Files()) {
    const FileDescriptor* in_set = pool.FindFileByName(file->name());
    ASSERT_NE(in_set, nullptr) << file->name();
    google::protobuf::FileDescriptorProto a, b;
    file->CopyTo(&a);
    in_set->CopyTo(&b);
    file->CopyJsonNameTo(&a);
    in_set->CopyJsonNameTo(&b);
    EXPECT_EQ(a.SerializeAsString(), b.SerializeAsString()) << file->name();
  }
}

}  // namespace
}  // namespace indim
