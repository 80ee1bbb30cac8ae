// SPDX-License-Identifier: Apache-2.0
// Modules in and out: every format, recorded and for XLA, as bytes, text and
// files.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/builder/computation_builder.h"
#include "indim/io/module_format.h"
#include "indim/io/read.h"
#include "indim/io/write.h"
#include "indim/ir/storage/file.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr ModuleForm kForms[] = {ModuleForm::kRecorded, ModuleForm::kForXla};
constexpr ModuleFormat kFormats[] = {
    ModuleFormat::kProto, ModuleFormat::kProtoText, ModuleFormat::kHloText};

// With an implicit broadcast.
Module Affine() {
  ComputationBuilder b("affine");
  const Op x = b.Parameter(0, "f32[2,3]", "x");
  const Op bias = b.Parameter(1, "f32[3]", "bias");
  return *b.Build(b.Add(x, bias, {1}));
}

std::string BytesOf(const Module& module) {
  return *WriteModuleBytes(module, ModuleForm::kRecorded);
}

// The module as something to compare. Text for XLA has no ids, as XLA's own.
std::string Comparable(const Module& module, ModuleFormat format) {
  if (module.is_recorded() || format != ModuleFormat::kHloText) {
    return BytesOf(module);
  }
  return PrintHloText(module, PrintOptions::LargeConstants());
}

std::string PathOf(absl::string_view name) {
  return absl::StrCat(testing::TempDir(), "/io_test.", name);
}

absl::string_view NameOf(ModuleFormat format) {
  return format == ModuleFormat::kProto       ? "m.pb"
         : format == ModuleFormat::kProtoText ? "m.pbtxt"
                                              : "m.hlo";
}

// Through every door of the grid the same module comes back.
TEST(IoTest, TheWholeGridComesBack) {
  const Module recorded = Affine();
  const Module for_xla =
      *ReadModuleBytes(*WriteModuleBytes(recorded, ModuleForm::kForXla));
  EXPECT_TRUE(recorded.is_recorded());
  EXPECT_FALSE(for_xla.is_recorded());
  EXPECT_GT(for_xla.instruction_count(), recorded.instruction_count());
  for (const ModuleForm form : kForms) {
    for (const ModuleFormat format : kFormats) {
      const std::string wanted = Comparable(
          form == ModuleForm::kRecorded ? recorded : for_xla, format);
      WriteOptions options(form);
      options.format = format;
      SCOPED_TRACE(absl::StrCat(NameOf(format), form == ModuleForm::kForXla));
      const absl::StatusOr<std::string> bytes =
          WriteModuleBytes(recorded, options);
      ASSERT_TRUE(bytes.ok()) << bytes.status();
      EXPECT_EQ(Comparable(*ReadModuleBytes(*bytes), format), wanted);

      const absl::StatusOr<std::string> text =
          WriteModuleText(recorded, options);
      EXPECT_EQ(text.ok(), format != ModuleFormat::kProto);
      if (text.ok()) {
        EXPECT_EQ(*text, *bytes);
        EXPECT_EQ(Comparable(*ReadModuleText(*text), format), wanted);
      }

      const std::string path = PathOf(NameOf(format));
      ASSERT_TRUE(WriteModuleFile(recorded, path, form).ok());
      EXPECT_EQ(*ReadFile(path), *bytes);
      EXPECT_EQ(Comparable(*ReadModuleFile(path), format), wanted);

      // The content tells the format, not the name.
      const std::string misnamed = PathOf("m.txt");
      ASSERT_TRUE(WriteModuleFile(recorded, misnamed, options).ok());
      EXPECT_EQ(Comparable(*ReadModuleFile(misnamed), format), wanted);
    }
  }
}

TEST(IoTest, PrintsTextAsItIsTold) {
  WriteOptions options(ModuleForm::kRecorded);
  options.hlo_text = PrintOptions();
  EXPECT_EQ(*WriteModuleText(Affine(), options), PrintHloText(Affine()));
}

TEST(IoTest, TextIsNeverTakenForBytes) {
  const std::string bytes = BytesOf(Affine());
  EXPECT_TRUE(ReadModuleBytes(bytes).ok());
  EXPECT_FALSE(ReadModuleText(bytes).ok());
  EXPECT_TRUE(ReadModuleText("f32[2] add(f32[2], f32[2])").ok());
}

// Every error of a file names it.
TEST(IoTest, ErrorsNameTheFile) {
  const struct {
    const char* name;
    const char* content;
    const char* message;
  } rows[] = {
      {"empty.hlo", "", "the file is empty"},
      {"a.hlo", "ENTRY e {", ":1:"},
      {"a.pbtxt", "nonsense: 1", "nonsense"},
      {"a.pb", "\x01\x02", ""},
      {"a.mlir", "module @m {}", "no function with a body"},
      {"a.bin", "\x01\x02", "doesn't tell the format"},
  };
  for (const auto& row : rows) {
    const std::string path = PathOf(row.name);
    ASSERT_TRUE(WriteFile(path, row.content).ok());
    const absl::Status status = ReadModuleFile(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.message));
  }
  const absl::Status missing = ReadModuleFile(PathOf("none.pb")).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("none.pb"));
  const absl::Status unwritten =
      WriteModuleFile(Affine(), PathOf("none/m.pb"), ModuleForm::kForXla);
  EXPECT_FALSE(unwritten.ok());
  EXPECT_THAT(std::string(unwritten.message()), HasSubstr("none/m.pb"));
}

// A flatbuffer of two fields, of which one is an artifact.
std::string JaxExport(absl::string_view artifact) {
  std::string bytes;
  const auto add = [&bytes](uint32_t value, int size) {
    for (int i = 0; i < size; ++i) {
      bytes.push_back(static_cast<char>(value >> (8 * i) & 0xff));
    }
  };
  add(12, 4);  // where the table is
  for (const uint32_t field : {8, 12, 4, 8}) add(field, 2);
  add(8, 4);  // the table: its fields are 8 bytes before it
  add(8, 4);  // where its first field is
  add(6, 4);  // the second one
  add(static_cast<uint32_t>(artifact.size()), 4);
  return bytes.append(artifact.data(), artifact.size());
}

TEST(IoTest, JaxsOwnExportsAreTold) {
  WriteOptions artifact(ModuleForm::kRecorded);
  artifact.format = ModuleFormat::kMlir;
  artifact.stablehlo.form = StablehloForm::kArtifact;
  const std::string inner = *WriteModuleBytes(Affine(), artifact);
  const std::string bytes = JaxExport(inner);
  for (const std::string path : {"f.jax", "f.mlirbc", "f.pb"}) {
    ASSERT_TRUE(WriteFile(PathOf(path), bytes).ok());
    const absl::Status status = ReadModuleFile(PathOf(path)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                AllOf(StartsWith(PathOf(path)),
                      HasSubstr("write exported.mlir_module_serialized")));
  }
  EXPECT_THAT(std::string(ReadModuleBytes(bytes).status().message()),
              HasSubstr("Exported.serialize()"));
  EXPECT_TRUE(ReadModuleBytes(inner).ok());
  // Neither a part of one, nor what has no artifact in it.
  for (size_t size = 0; size < 24; ++size) {
    EXPECT_FALSE(IsJaxExport(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(IsJaxExport(JaxExport("text")));
  EXPECT_FALSE(IsJaxExport(inner));
  EXPECT_FALSE(IsJaxExport(BytesOf(Affine())));
}

TEST(IoTest, BytesAreNamedInErrors) {
  ReadOptions options;
  options.name = "answer.hlo";
  EXPECT_THAT(
      std::string(ReadModuleText("ENTRY e {", options).status().message()),
      StartsWith("answer.hlo:1:"));
  EXPECT_THAT(std::string(ReadModuleBytes("\x01").status().message()),
              HasSubstr("neither the content nor a name tells the format"));
}

TEST(IoTest, WhatDoesNotGoTogetherIsRefused) {
  WriteOptions outside(ModuleForm::kRecorded);
  outside.external_min_bytes = 1;
  EXPECT_FALSE(WriteModuleBytes(Affine(), outside).ok());
  EXPECT_FALSE(WriteModuleText(Affine(), outside).ok());
  EXPECT_FALSE(WriteModuleFile(Affine(), PathOf("m.hlo"), outside).ok());
  EXPECT_TRUE(WriteModuleFile(Affine(), PathOf("m.pb"), outside).ok());
  EXPECT_FALSE(
      WriteModuleFile(Affine(), PathOf("m"), ModuleForm::kForXla).ok());
}

TEST(IoTest, StablehloIsWrittenAndReadAgain) {
  WriteOptions mlir(ModuleForm::kRecorded);
  mlir.format = ModuleFormat::kMlir;
  const absl::StatusOr<std::string> text = WriteModuleText(Affine(), mlir);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("stablehlo.add"));
  const absl::StatusOr<Module> back = ReadModuleText(*text);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*WriteModuleText(*back, mlir), *text);
}

TEST(IoTest, NamesTellArtifacts) {
  for (const auto& [name, magic] : std::vector<std::pair<std::string, bool>>{
           {"a.mlir", false}, {"a.mlirbc", true}, {"a.mlir.bc", true}}) {
    const std::string path = PathOf(name);
    ASSERT_TRUE(WriteModuleFile(Affine(), path, ModuleForm::kRecorded).ok());
    EXPECT_EQ(absl::StartsWith(*ReadFile(path), "ML\xefR"), magic) << name;
  }
}

TEST(IoTest, WhatOnlyStablehloSaysIsToldOf) {
  const absl::StatusOr<Module> module = ReadModuleText(R"(
func.func @main(%a: tensor<2xf32> {mhlo.memory_kind = "device"}, %b: tensor<2xf32> {mhlo.memory_kind = "pinned_host"}) -> (tensor<2xf32> {mhlo.memory_kind = "device"}) {
  return %a : tensor<2xf32>
})");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(LostAsHlo(*module),
            (std::vector<std::string>{"mhlo.memory_kind of 2 arguments",
                                      "mhlo.memory_kind of 1 result"}));
  const absl::StatusOr<std::string> bytes =
      WriteModuleBytes(*module, ModuleForm::kRecorded);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_TRUE(LostAsHlo(ReadModuleBytes(*bytes).value()).empty());
}

// For XLA a wrong graph is refused, with its diagnostic; as it is, it isn't.
TEST(IoTest, AWrongGraphIsWrittenOnlyAsItIs) {
  const Module wrong = *ReadModuleText(
      "ENTRY e { x = f32[2] parameter(0) ROOT y = f32[3] add(x, x) }");
  EXPECT_TRUE(WriteModuleBytes(wrong, ModuleForm::kRecorded).ok());
  for (const absl::Status& status :
       {WriteModuleBytes(wrong, ModuleForm::kForXla).status(),
        WriteModuleText(wrong, ModuleForm::kForXla).status(),
        WriteModuleFile(wrong, PathOf("w.pb"), ModuleForm::kForXla),
        WriteModuleFile(wrong, PathOf("w.hlo"), ModuleForm::kForXla)}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), StartsWith("text:1:"));
  }
}

TEST(IoTest, NamesTellFormats) {
  EXPECT_EQ(FormatOfName("a.pb"), ModuleFormat::kProto);
  EXPECT_EQ(FormatOfName("a.hlo.pb"), ModuleFormat::kProto);
  EXPECT_EQ(FormatOfName("a.pbtxt"), ModuleFormat::kProtoText);
  EXPECT_EQ(FormatOfName("a.textproto"), ModuleFormat::kProtoText);
  EXPECT_EQ(FormatOfName("a.hlo"), ModuleFormat::kHloText);
  EXPECT_EQ(FormatOfName("a.mlirbc"), ModuleFormat::kMlir);
  EXPECT_EQ(FormatOfName("a.mlir.bc"), ModuleFormat::kMlir);
  EXPECT_EQ(FormatOfName("a.txt"), ModuleFormat::kUnknown);
  EXPECT_EQ(FormatOfName("-"), ModuleFormat::kUnknown);
}

}  // namespace
}  // namespace indim
