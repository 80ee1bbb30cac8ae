// SPDX-License-Identifier: Apache-2.0
// Real modules through the schema: everything in them has a field, and they
// come back byte for byte if they were in libprotobuf's deterministic form.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/message.h"
#include "google/protobuf/unknown_field_set.h"
#include "gtest/gtest.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo.pb.h"
#include "indim/tests/data_files.h"

namespace indim {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;
using ::testing::IsEmpty;

// Adds "message #number" for every field in `message` that has no descriptor.
void AddUnknown(const Message& message, std::vector<std::string>& found) {
  const Reflection& reflection = *message.GetReflection();
  const auto& unknown = reflection.GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    found.push_back(
        absl::StrCat(message.GetTypeName(), " #", unknown.field(i).number()));
  }
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->message_type() == nullptr) continue;
    if (!field->is_repeated()) {
      AddUnknown(reflection.GetMessage(message, field), found);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      AddUnknown(reflection.GetRepeatedMessage(message, field, i), found);
    }
  }
}

std::string SerializeDeterministic(const Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

TEST(RealModulesTest, AllFieldsAreKnown) {
  const std::vector<std::string> files = JaxModules();
  ASSERT_GE(files.size(), 12u);
  for (const std::string& file : files) {
    proto::HloModuleProto module;
    ASSERT_TRUE(module.ParseFromString(*ReadFile(file))) << file;
    EXPECT_GT(module.computations_size(), 0) << file;
    EXPECT_FALSE(module.has_recorded()) << file;
    std::vector<std::string> unknown;
    AddUnknown(module, unknown);
    EXPECT_THAT(unknown, IsEmpty()) << file;
  }
}

// What libprotobuf writes deterministically, it reads and writes unchanged.
// The files themselves differ from that only in the order of map entries, so
// never in length.
TEST(RealModulesTest, ComeBackUnchanged) {
  int unchanged = 0;
  for (const std::string& file : JaxModules()) {
    const std::string bytes = *ReadFile(file);
    proto::HloModuleProto module;
    ASSERT_TRUE(module.ParseFromString(bytes)) << file;
    const std::string canonical = SerializeDeterministic(module);
    EXPECT_EQ(canonical.size(), bytes.size()) << file;
    if (canonical == bytes) ++unchanged;

    proto::HloModuleProto again;
    ASSERT_TRUE(again.ParseFromString(canonical)) << file;
    EXPECT_EQ(SerializeDeterministic(again), canonical) << file;
  }
  EXPECT_GE(unchanged, 12);
}

// The walk above sees unknown fields at any depth.
TEST(RealModulesTest, UnknownFieldIsFound) {
  proto::HloModuleProto module;
  auto& shape = *module.add_computations()->add_instructions()->mutable_shape();
  shape.GetReflection()->MutableUnknownFields(&shape)->AddVarint(999, 1);
  std::vector<std::string> unknown;
  AddUnknown(module, unknown);
  EXPECT_THAT(unknown, testing::ElementsAre("indim.proto.ShapeProto #999"));
}

}  // namespace
}  // namespace indim
