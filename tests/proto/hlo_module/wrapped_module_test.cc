// SPDX-License-Identifier: Apache-2.0
// Wrapped modules: libprotobuf writes the wrappers, and must read what comes
// back.
#include "indim/proto/hlo_module/wrapped_module.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_config.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/proto/wire/wire.h"
#include "indim/tests/data_files.h"
#include "indim/tests/proto/wire/wire_oracle.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

struct Wrapping {
  WrapperKind kind;
  std::string bytes;
};

// `module` in every message that can hold it, with little and with much beside
// it.
std::vector<Wrapping> Wrappings(const proto::HloModuleProto& module) {
  std::vector<Wrapping> all;
  const auto add = [&](WrapperKind kind,
                       const google::protobuf::Message& message) {
    all.push_back({kind, DeterministicBytes(message)});
  };
  add(WrapperKind::kNone, module);
  proto::HloProto hlo;
  *hlo.mutable_hlo_module() = module;
  add(WrapperKind::kHloProto, hlo);
  auto* buffers = hlo.mutable_buffer_assignment();
  buffers->add_logical_buffers()->set_size(16);
  auto* alias = buffers->add_buffer_aliases();
  alias->set_source_buffer_id(3);
  alias->mutable_location()->set_instruction_id(7);
  buffers->add_buffer_allocations()->set_index(1);
  add(WrapperKind::kHloProto, hlo);
  proto::HloModuleProtoWithConfig config;
  *config.mutable_hlo_module() = module;
  config.mutable_config()->set_replica_count(2);
  *config.mutable_config()->mutable_entry_computation_layout() =
      module.host_program_shape();
  add(WrapperKind::kWithConfig, config);
  proto::HloSnapshot snapshot;
  *snapshot.mutable_hlo() = hlo;
  snapshot.set_execution_platform("Host");
  add(WrapperKind::kSnapshot, snapshot);
  snapshot.mutable_hlo()->clear_buffer_assignment();
  auto* argument = snapshot.add_arguments();
  argument->mutable_shape()->set_element_type(proto::F32);
  argument->add_f32s(1);
  *snapshot.mutable_result() = *argument;
  add(WrapperKind::kSnapshot, snapshot);
  proto::HloUnoptimizedSnapshot unoptimized;
  *unoptimized.mutable_hlo_module() = module;
  *unoptimized.add_partitions()->add_arguments() = *argument;
  unoptimized.set_version(1);
  add(WrapperKind::kUnoptimizedSnapshot, unoptimized);
  return all;
}

proto::HloModuleProto Parse(const std::string& bytes) {
  proto::HloModuleProto module;
  EXPECT_TRUE(module.ParseFromString(bytes));
  return module;
}

void ExpectKnown(const proto::HloModuleProto& module) {
  const std::string plain = DeterministicBytes(module);
  for (const Wrapping& w : Wrappings(module)) {
    SCOPED_TRACE(Name(w.kind));
    const absl::StatusOr<WrappedModule> read = ReadAnyModuleProto(w.bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->wrapper.kind(), w.kind);
    EXPECT_EQ(read->module.name(), module.name());
    const absl::StatusOr<std::string> inside = SerializeModule(read->module);
    ASSERT_TRUE(inside.ok());
    EXPECT_TRUE(*inside == plain);
    const absl::StatusOr<std::string> back =
        SerializeWrapped(read->module, read->wrapper);
    ASSERT_TRUE(back.ok());
    EXPECT_TRUE(*back == w.bytes);
  }
}

TEST(WrappedModuleTest, RealModulesInEveryWrapper) {
  ASSERT_FALSE(JaxModules().empty());
  for (const std::string& file : JaxModules()) {
    SCOPED_TRACE(file);
    proto::HloModuleProto module = Parse(*ReadFile(file));
    ExpectKnown(module);
    module.clear_name();
    ExpectKnown(module);
    module.clear_host_program_shape();
    module.set_entry_computation_name(module.computations(0).name());
    ExpectKnown(module);
  }
}

// In text, too, and back.
TEST(WrappedModuleTest, InTextFormat) {
  for (const Wrapping& w : Wrappings(Parse(*ReadFile(JaxModules().front())))) {
    SCOPED_TRACE(Name(w.kind));
    const absl::StatusOr<WrappedModule> read = ReadAnyModuleProto(w.bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    const absl::StatusOr<std::string> text =
        WriteWrappedText(read->module, read->wrapper);
    ASSERT_TRUE(text.ok()) << text.status();
    const absl::StatusOr<WrappedModule> again = ReadAnyModuleText(*text);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->wrapper.kind(), w.kind);
    EXPECT_TRUE(SerializeWrapped(again->module, again->wrapper).value() ==
                w.bytes);
  }
}

TEST(WrappedModuleTest, SaysWhatIsBesideTheModule) {
  const std::vector<std::vector<std::string>> kParts = {
      {},
      {},
      {"the assignment of buffers"},
      {"the configuration"},
      {"the platform \"Host\""},
      {"1 argument", "the result", "the platform \"Host\""},
      {"the arguments of 1 partition"}};
  const auto wrappings = Wrappings(Parse(*ReadFile(JaxModules().front())));
  ASSERT_EQ(wrappings.size(), kParts.size());
  for (size_t i = 0; i < kParts.size(); ++i) {
    const auto read = ReadAnyModuleProto(wrappings[i].bytes);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(PartsBesideModule(read->wrapper), kParts[i]) << i;
  }
}

TEST(WrappedModuleTest, TheRecordedRun) {
  proto::LiteralProto three, four;
  three.mutable_shape()->set_element_type(proto::F32);
  four = three;
  three.add_f32s(3);
  four.add_f32s(4);
  proto::HloSnapshot snapshot;
  *snapshot.mutable_hlo()->mutable_hlo_module() =
      Parse(*ReadFile(JaxModules().front()));
  proto::HloUnoptimizedSnapshot unoptimized;
  *unoptimized.mutable_hlo_module() = snapshot.hlo().hlo_module();
  unoptimized.set_version(1);
  const auto run = [](const google::protobuf::Message& message) {
    const auto read = ReadAnyModuleProto(DeterministicBytes(message));
    EXPECT_TRUE(read.ok()) << read.status();
    return ReadRecordedRun(read->wrapper);
  };
  EXPECT_TRUE(run(snapshot.hlo().hlo_module())->arguments.empty());
  EXPECT_TRUE(run(snapshot)->arguments.empty());
  EXPECT_FALSE(run(snapshot)->result.has_value());
  *snapshot.add_arguments() = three;
  *snapshot.add_arguments() = four;
  *snapshot.mutable_result() = four;
  ASSERT_EQ(run(snapshot)->arguments.size(), 2u);
  EXPECT_EQ(run(snapshot)->arguments[0].AsDouble(0), 3);
  EXPECT_EQ(run(snapshot)->arguments[1].AsDouble(0), 4);
  EXPECT_EQ(run(snapshot)->result->AsDouble(0), 4);
  *unoptimized.add_partitions()->add_arguments() = three;
  *unoptimized.add_partitions()->add_arguments() = four;
  ASSERT_EQ(run(unoptimized)->arguments.size(), 1u);
  EXPECT_EQ(run(unoptimized)->arguments[0].AsDouble(0), 3);
  snapshot.mutable_arguments(0)->add_f32s(1);
  EXPECT_FALSE(run(snapshot).ok());
}

// The smallest module that can be read, and names that look like messages.
TEST(WrappedModuleTest, SmallModulesAndOddNames) {
  proto::HloModuleProto module;
  module.add_computations()->add_instructions()->set_opcode("iota");
  for (const std::string& name :
       {std::string(), std::string("\n\0", 2), std::string("j\0", 2),
        std::string("\x12\x01x"), std::string("\x1a\0", 2),
        std::string("\x1a\x02\x0a\0", 4), std::string("\n\x02\x1a\0", 4)}) {
    module.set_name(name);
    ExpectKnown(module);
  }
  module.mutable_computations(0)->set_name("c");
  module.mutable_computations(0)->mutable_instructions(0)->set_name("i");
  ExpectKnown(module);
}

// Only the module inside changes.
TEST(WrappedModuleTest, AnotherModuleInTheSameWrapper) {
  const proto::HloModuleProto first = Parse(*ReadFile(JaxModules().front()));
  const proto::HloModuleProto second = Parse(*ReadFile(JaxModules().back()));
  const auto before = Wrappings(first);
  const auto module = ReadHloModuleProto(DeterministicBytes(second));
  ASSERT_TRUE(module.ok());
  for (const Wrapping& w : before) {
    SCOPED_TRACE(Name(w.kind));
    const auto read = ReadAnyModuleProto(w.bytes);
    ASSERT_TRUE(read.ok());
    const auto written = SerializeWrapped(*module, read->wrapper);
    ASSERT_TRUE(written.ok());
    const auto again = ReadAnyModuleProto(*written);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->module.name(), second.name());
    EXPECT_EQ(again->wrapper.kind(), w.kind);
    EXPECT_TRUE(again->wrapper.Wrap("") == read->wrapper.Wrap(""));
  }
}

// What stands before field 1 and what nobody knows is kept too.
TEST(WrappedModuleTest, UnknownFieldsAndOtherOrders) {
  const std::string module =
      DeterministicBytes(Parse(*ReadFile(JaxModules().front())));
  proto::HloProto hlo;
  *hlo.mutable_hlo_module() = Parse(module);
  const std::string wrapped = DeterministicBytes(hlo);
  for (const std::string& bytes :
       {absl::StrCat("\x1a", std::string(1, '\0'), wrapped),
        absl::StrCat(wrapped, "\xa2\x1f\x01z"),
        absl::StrCat("\xa0\x1f\x05", wrapped, "\xa0\x1f\x06")}) {
    const auto read = ReadAnyModuleProto(bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->wrapper.kind(), WrapperKind::kHloProto);
    EXPECT_TRUE(*SerializeWrapped(read->module, read->wrapper) == bytes);
  }
}

// XLA's own form of an HloUnoptimizedSnapshot: the length first, arguments
// last.
TEST(WrappedModuleTest, ASnapshotWithItsArgumentsBehindIt) {
  for (const std::string& file : JaxModules()) {
    SCOPED_TRACE(file);
    proto::HloUnoptimizedSnapshot snapshot;
    *snapshot.mutable_hlo_module() = Parse(*ReadFile(file));
    auto* descriptor = snapshot.add_partitions()->add_arguments_descriptors();
    descriptor->set_version(1);
    descriptor->set_argument_size_bytes(7);
    const std::string message = DeterministicBytes(snapshot);
    std::string bytes;
    AppendLengthDelimited(message, &bytes);
    bytes += std::string("\x0a\xff\0raw!", 7);
    const auto read = ReadAnyModuleProto(bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->wrapper.kind(), WrapperKind::kUnoptimizedSnapshot);
    EXPECT_TRUE(*SerializeWrapped(read->module, read->wrapper) == bytes);
    // Another module, another length.
    proto::HloModuleProto renamed = snapshot.hlo_module();
    renamed.set_name("another name, which is longer than that");
    const auto other = ReadHloModuleProto(DeterministicBytes(renamed));
    ASSERT_TRUE(other.ok());
    const auto again =
        ReadAnyModuleProto(*SerializeWrapped(*other, read->wrapper));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->module.name(), renamed.name());
  }
}

// A snapshot whose arguments aren't text, or no message at all.
TEST(WrappedModuleTest, TheRestOfAnUnoptimizedSnapshotIsChecked) {
  proto::HloUnoptimizedSnapshot snapshot;
  *snapshot.mutable_hlo_module() = Parse(*ReadFile(JaxModules().front()));
  snapshot.set_version(1);
  std::string bytes = DeterministicBytes(snapshot);
  EXPECT_TRUE(ReadAnyModuleProto(bytes).ok());
  AppendVarint(MakeTag(2, WireType::kLengthDelimited), &bytes);
  AppendLengthDelimited("\x0a\x05", &bytes);
  EXPECT_FALSE(ReadAnyModuleProto(bytes).ok());
}

TEST(WrappedModuleTest, TheConfigurationSaysForHowManyDevices) {
  proto::HloModuleProtoWithConfig config;
  *config.mutable_hlo_module() = Parse(*ReadFile(JaxModules().front()));
  auto counts = [](const google::protobuf::Message& message) {
    const auto read = ReadAnyModuleProto(DeterministicBytes(message));
    EXPECT_TRUE(read.ok()) << read.status();
    const DeviceCounts devices = read->wrapper.devices();
    return std::make_tuple(devices.replicas, devices.partitions,
                           devices.sharded());
  };
  EXPECT_EQ(counts(config.hlo_module()), std::make_tuple(1, 1, 0));
  config.mutable_config();
  EXPECT_EQ(counts(config), std::make_tuple(1, 1, 0));
  config.mutable_config()->set_replica_count(2);
  config.mutable_config()->set_num_partitions(4);
  EXPECT_EQ(counts(config), std::make_tuple(2, 4, 0));
  config.mutable_config()->set_use_spmd_partitioning(true);
  EXPECT_EQ(counts(config), std::make_tuple(2, 4, 4));
  config.mutable_config()->set_num_partitions(-3);
  EXPECT_EQ(counts(config), std::make_tuple(2, 1, 0));
}

TEST(WrappedModuleTest, Errors) {
  EXPECT_FALSE(ReadAnyModuleProto("").ok());
  EXPECT_FALSE(ReadAnyModuleProto("\xff").ok());
  EXPECT_FALSE(ReadAnyModuleProto("\n\x04name").ok());
  // The module is named in what its wrapper says.
  proto::HloProto hlo;
  hlo.mutable_hlo_module()->add_computations()->add_instructions()->set_id(4);
  const auto read = ReadAnyModuleProto(DeterministicBytes(hlo));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().message().substr(0, 16), "in its HloProto:");
  // A snapshot whose platform isn't text.
  proto::HloSnapshot snapshot;
  *snapshot.mutable_hlo()->mutable_hlo_module() =
      Parse(*ReadFile(JaxModules().front()));
  EXPECT_FALSE(
      ReadAnyModuleProto(DeterministicBytes(snapshot) + "\"\x01\xff").ok());
}

// Bytes at random: no crash, and what libprotobuf reads comes back as it would
// write the module in it.
TEST(WrappedModuleTest, DamagedFiles) {
  Random random(3);
  std::vector<std::string> originals;
  for (const std::string& file : JaxModules()) {
    const std::string bytes = *ReadFile(file);
    if (bytes.size() > 3000) continue;
    for (Wrapping& w : Wrappings(Parse(bytes))) {
      originals.push_back(std::move(w.bytes));
    }
  }
  ASSERT_FALSE(originals.empty());
  int read = 0;
  for (int i = 0; i < 8000 / SampleStep(4); ++i) {
    std::string bytes = originals[Below(originals.size(), &random)];
    if (OneIn(2, &random)) {
      bytes = Damage(bytes, &random);
    } else {
      bytes[Below(std::min<size_t>(bytes.size(), 60), &random)] =
          static_cast<char>(random());
    }
    const auto module = ReadAnyModuleProto(bytes);
    if (!module.ok()) continue;
    ++read;
    const auto written = SerializeWrapped(module->module, module->wrapper);
    ASSERT_TRUE(written.ok());
    const auto again = ReadAnyModuleProto(*written);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->wrapper.kind(), module->wrapper.kind());
    EXPECT_TRUE(*SerializeWrapped(again->module, again->wrapper) == *written);
  }
  EXPECT_GT(read, 1000 / SampleStep(4));
}

}  // namespace
}  // namespace indim
