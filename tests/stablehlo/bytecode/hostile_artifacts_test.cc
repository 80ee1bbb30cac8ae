// SPDX-License-Identifier: Apache-2.0
// Artifacts that nobody would write.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/stablehlo/bytecode/artifact_reader.h"
#include "indim/stablehlo/bytecode/artifact_writer.h"
#include "indim/stablehlo/bytecode/emitter.h"
#include "indim/stablehlo/bytecode/needs.h"
#include "indim/stablehlo/bytecode/sections.h"
#include "indim/tests/sample.h"
#include "indim/text/base/text_errors.h"

namespace indim::mlir {
namespace {

std::string Varints(std::initializer_list<uint64_t> numbers) {
  std::string bytes;
  for (const uint64_t number : numbers) AppendVarint(number, &bytes);
  return bytes;
}

// An artifact of these entries (each its bytes and whether it is a type) of
// `dialect`, whose module has the last attribute as its dictionary.
// Attributes are numbered from 1 on, types from 0.
struct Entry {
  bool is_type;
  std::string bytes;
};
std::string Artifact(const std::vector<Entry>& entries,
                     absl::string_view dialect = "vhlo") {
  std::string bytes = absl::StrCat(kBytecodeMagic, Varints({6}), kProducer,
                                   "1.16.0", absl::string_view("\0", 1));
  std::string strings = Varints({3, 7, dialect.size() + 1, 8});
  const std::string zero(1, '\0');
  absl::StrAppend(&strings, "builtin", zero, dialect, zero, "module", zero);
  std::string data;
  std::string sizes;
  uint64_t counts[2] = {0, 0};
  for (const bool types : {false, true}) {
    for (const Entry& entry : entries) {
      if (entry.is_type == types) ++counts[types ? 1 : 0];
    }
  }
  // Attribute 0 is the location of the module: unknown.
  data += Varints({15});
  sizes = Varints({counts[0] + 1, counts[1], 0, 1, 1 << 1 | 1});
  for (const bool types : {false, true}) {
    if (counts[types ? 1 : 0] == 0) continue;
    sizes += Varints({1, counts[types ? 1 : 0]});
    for (const Entry& entry : entries) {
      if (entry.is_type != types) continue;
      AppendVarint(entry.bytes.size() << 1 | 1, &sizes);
      data += entry.bytes;
    }
  }
  std::string ir = Varints({2, 0});
  AppendByte(16 + 1, &ir);  // regions and attributes
  ir += Varints({0, counts[0], 2, 0});
  AppendSection(kStringSection, strings, &bytes);
  AppendSection(kDialectSection, Varints({2, 0, 2, 1, 0, 1, 5}), &bytes);
  AppendSection(kEntrySizeSection, sizes, &bytes);
  AppendSection(kEntrySection, data, &bytes);
  AppendSection(kIrSection, ir, &bytes);
  AppendSection(kPropertySection, Varints({0}), &bytes);
  return bytes;
}

std::string ErrorOf(absl::string_view bytes) {
  return std::string(ReadArtifact(bytes).status().message());
}

std::string CodeOf(absl::string_view bytes) {
  const std::vector<PlacedError> errors =
      ErrorsOf(ReadArtifact(bytes).status());
  return errors.empty() ? "none" : CodeText(errors[0].code);
}

TEST(HostileArtifactsTest, RefersToItself) {
  // Attributes 1 and 2 hold each other.
  EXPECT_TRUE(absl::StrContains(
      ErrorOf(
          Artifact({{false, Varints({1, 1, 2})}, {false, Varints({1, 1, 1})}})),
      "refers to itself"));
  EXPECT_TRUE(absl::StrContains(
      ErrorOf(Artifact({{false, Varints({1, 1, 1})}})), "refers to itself"));
  // A tensor of itself.
  EXPECT_TRUE(absl::StrContains(
      ErrorOf(
          Artifact({{false, Varints({17, 0})}, {true, Varints({20, 0, 0})}})),
      "refers to itself"));
}

TEST(HostileArtifactsTest, NamesWhatIsntThere) {
  const uint64_t many = ~uint64_t{0};
  const struct {
    std::vector<Entry> entries;
    const char* error;
    Code code = Code::kArtifactMalformed;
  } kCases[] = {
      {{{false, Varints({1, many})}}, "a list of", Code::kArtifactTruncated},
      {{{false, Varints({17, many})}},
       "there is no type number",
       Code::kArtifactIndex},
      {{{false, Varints({14, 77})}},
       "there is no string number 77",
       Code::kArtifactIndex},
      {{{false, Varints({99, 0})}},
       "there is no VHLO attribute 99",
       Code::kArtifactUnknown},
      {{{false, Varints({17, 0})}, {true, Varints({99})}},
       "there is no VHLO type 99",
       Code::kArtifactUnknown},
      {{{false, Varints({2, 7})}},
       "there is no bool number 7",
       Code::kArtifactIndex},
      {{{false, Varints({11, 9})}},
       "stablehlo.precision has no word 9",
       Code::kArtifactUnknown},
      {{{false, Varints({2, 1, 1})}}, "bytes follow"},
      {{{false, Varints({2, 1})}},
       "the operation's attributes aren't a dictionary"},
      // A tensor of 2^62 times 2^62 elements, and one of -3.
      {{{false, Varints({15, 0, 0})},
        {true, Varints({20, 2, uint64_t{1} << 63, uint64_t{1} << 63, 1})},
        {true, Varints({4})}},
       "must be a tensor of numbers with known sizes"},
      {{{false, Varints({15, 0, 0})},
        {true, Varints({20, 1, 5, 1})},
        {true, Varints({4})}},
       "a dimension is negative"},
      // Seven bytes for three floats.
      {{{false, Varints({15, 0, 7, 0, 0, 0, 0, 0, 0, 0})},
        {true, Varints({20, 1, 6, 1})},
        {true, Varints({4})}},
       "7 bytes aren't the elements of 3 times 4 bytes"},
  };
  for (const auto& c : kCases) {
    const std::string error = ErrorOf(Artifact(c.entries));
    EXPECT_TRUE(absl::StrContains(error, c.error)) << error;
    EXPECT_TRUE(absl::StrContains(error, "byte ")) << error;
    EXPECT_EQ(CodeOf(Artifact(c.entries)), CodeText(c.code)) << error;
  }
}

TEST(HostileArtifactsTest, IsntOne) {
  EXPECT_TRUE(absl::StrContains(ErrorOf(""), "it isn't MLIR bytecode"));
  EXPECT_TRUE(
      absl::StrContains(ErrorOf("module {}"), "it isn't MLIR bytecode"));
  std::string newer = std::string(kBytecodeMagic) + Varints({7});
  EXPECT_TRUE(absl::StrContains(ErrorOf(newer), "its format is version 7"));
  EXPECT_EQ(CodeOf(newer), CodeText(Code::kArtifactRelease));
  EXPECT_FALSE(ReleaseOfArtifact(newer).ok());
  std::string other = absl::StrCat(kBytecodeMagic, Varints({6}), "MLIR22",
                                   std::string(1, '\0'));
  EXPECT_TRUE(absl::StrContains(ReleaseOfArtifact(other).status().message(),
                                "'MLIR22' wrote this bytecode"));
}

// What MLIR wrote of this program as it is, not as a portable artifact:
//   func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
//     %0 = stablehlo.abs %x : tensor<4xf32>
//     return %0 : tensor<4xf32>
//   }
constexpr absl::string_view kMlirsOwn =
    "4d4cef520d4d4c495232332e302e3067697400011f070105090901030f0305071305"
    "03170323110701110b130b0b1313131301071317070249050d170101010d03050f17"
    "0103031701032317010379170105051b03110505030103010b044b05015003010704"
    "3b0301050350090307042703050b03030b0007060d0301030105040f030306030105"
    "010073110b05090f0f150b116275696c74696e0066756e6300737461626c65686c6f"
    "006d6f64756c650072657475726e00616273002d006d61696e000817050501010d01"
    "0501010701";

TEST(HostileArtifactsTest, IsMlirsOwnBytecode) {
  const std::string bytes = absl::HexStringToBytes(kMlirsOwn);
  const std::string error = ErrorOf(bytes);
  EXPECT_TRUE(absl::StrContains(
      error, "this is MLIR's own bytecode of a program (of func.func)"))
      << error;
  EXPECT_TRUE(absl::StrContains(error, "stablehlo-translate --serialize"))
      << error;
  EXPECT_TRUE(absl::StrContains(error, "serialize_portable_artifact")) << error;
  EXPECT_EQ(CodeOf(bytes), CodeText(Code::kArtifactUnknown));
  // An operation that Indim doesn't know in any form.
  std::string other = bytes;
  const size_t at = other.find("stablehlo");
  ASSERT_NE(at, std::string::npos);
  other.replace(at, 9, "elsewhere");
  EXPECT_TRUE(absl::StrContains(ErrorOf(other), "MLIR's own bytecode"));
}

// Deeper than any stack.
// Deeper than any stack holds.
int Deep() { return 100'000 / SampleStep(4); }

TEST(HostileArtifactsTest, NestsRegionsDeeply) {
  Ir ir;
  ir.MakeModule();
  const int deep = Deep();
  BlockId block = ir.module_block();
  for (int i = 0; i < deep; ++i) {
    Ir::OpParts parts;
    parts.name = ir.Intern("stablehlo.case");
    const RegionId region = ir.AddRegion();
    parts.regions = {region};
    const TypeId index = ir.TensorType(ElementType::kS32, {});
    const ValueId value = ir.AddArgument(block, index);
    parts.operands = absl::MakeConstSpan(&value, 1);
    ir.AddOp(block, std::move(parts));
    block = ir.AddBlock(region);
  }
  const absl::StatusOr<std::string> artifact = WriteArtifact(&ir);
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  const absl::StatusOr<Ir> back = ReadArtifact(*artifact);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->op_count(), ir.op_count());
}

// A module with an attribute, a type and a location of these depths.
std::string Nested(int attributes, int types, int locations) {
  Ir ir;
  ir.MakeModule();
  AttrId nested = ir.UnitAttr();
  for (int i = 0; i < attributes; ++i) nested = ir.ArrayAttr({nested});
  TypeId type = ir.ElementTypeId(ElementType::kF32);
  for (int i = 0; i < types; ++i) {
    Type tuple(TypeKind::kTuple);
    tuple.parts = {type};
    type = ir.Intern(std::move(tuple));
  }
  AttrId location;
  for (int i = 0; i < locations; ++i) {
    Attribute loc(AttrKind::kNameLoc);
    loc.text = "n";
    if (location.valid()) loc.elements = {location};
    location = ir.Intern(std::move(loc));
  }
  ir.SetLocation(ir.module_op(), location);
  ir.SetAttrs(ir.module_op(), {},
              {{ir.Intern("a"), nested}, {ir.Intern("t"), ir.TypeAttr(type)}});
  const absl::StatusOr<std::string> artifact = WriteArtifact(&ir);
  EXPECT_TRUE(artifact.ok()) << artifact.status();
  return artifact.value_or("");
}

// Whoever walks what was read may recurse, so that doesn't nest deeply.
TEST(HostileArtifactsTest, NestsAttributesDeeply) {
  const std::string artifact = Nested(150, 150, 900);
  absl::StatusOr<Ir> back = ReadArtifact(artifact);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(*WriteArtifact(&*back) == artifact);
  const struct {
    std::string artifact;
    const char* error;
  } kCases[] = {{Nested(300, 1, 1), "nests more than 200 levels deep"},
                {Nested(Deep(), 1, 1), "nests more than 200 levels deep"},
                {Nested(1, 300, 1), "nests more than 200 levels deep"},
                {Nested(1, Deep(), 1), "nests more than 200 levels deep"},
                {Nested(1, 1, 1300), "nests more than 1000 levels deep"},
                {Nested(1, 1, Deep()), "nests more than 1000 levels deep"}};
  for (const auto& c : kCases) {
    EXPECT_TRUE(absl::StrContains(ErrorOf(c.artifact), c.error))
        << ErrorOf(c.artifact);
    EXPECT_EQ(CodeOf(c.artifact), CodeText(Code::kArtifactMalformed));
  }
}

// An attribute and a type that double 40 times.
TEST(HostileArtifactsTest, Doubles) {
  for (const bool types : {false, true}) {
    Ir ir;
    ir.MakeModule();
    AttrId attribute = ir.UnitAttr();
    TypeId type = ir.ElementTypeId(ElementType::kF32);
    for (int i = 0; i < 40; ++i) {
      attribute = ir.ArrayAttr({attribute, attribute});
      Type tuple(TypeKind::kTuple);
      tuple.parts = {type, type};
      type = ir.Intern(std::move(tuple));
    }
    ir.SetAttrs(ir.module_op(), {},
                {{ir.Intern("a"), types ? ir.TypeAttr(type) : attribute}});
    const absl::StatusOr<std::string> artifact = WriteArtifact(&ir);
    ASSERT_TRUE(artifact.ok()) << artifact.status();
    EXPECT_TRUE(
        absl::StrContains(ErrorOf(*artifact), "has more than 1048576 parts"))
        << ErrorOf(*artifact);
    // What an older release lacks is asked of each type once.
    ir.AddArgument(ir.module_block(), type);
    EXPECT_TRUE(NeedsOf(ir).empty());
  }
}

// Lists of lists of the same: their text must not become long.
TEST(HostileArtifactsTest, CantMakeLongText) {
  std::vector<Entry> entries;
  const auto shardy = [&](const std::string& bytes) {
    entries.push_back({false, bytes});
  };
  std::string list = Varints({11, 3000});
  std::string lists = Varints({12, 3000});
  for (int i = 0; i < 3000; ++i) {
    AppendVarint(1, &list);
    AppendVarint(2, &lists);
  }
  shardy(Varints({4, 0, 0}));
  shardy(list);
  shardy(lists);
  const std::string error = ErrorOf(Artifact(entries, "sdy"));
  EXPECT_TRUE(absl::StrContains(error, "far longer")) << error;
}

}  // namespace
}  // namespace indim::mlir
