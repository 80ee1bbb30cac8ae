// SPDX-License-Identifier: Apache-2.0
// Modules in files, with constants beside them.

#include "indim/proto/hlo_module/module_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/builder/computation_builder.h"
#include "indim/io/read.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/hlo_module/external_constants.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/wrapped_module.h"
#include "indim/tests/data_files.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::SizeIs;

namespace fs = std::filesystem;

// A new, empty folder.
std::string Folder() {
  static int count = 0;
  const std::string folder =
      absl::StrCat(testing::TempDir(), "/module_file_", count++);
  fs::remove_all(folder);
  fs::create_directory(folder);
  return fs::canonical(folder).string();
}

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.push_back(entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The one file in `folder` that holds values.
std::string ValuesIn(const std::string& folder) {
  for (const std::string& file : FilesIn(folder)) {
    if (absl::EndsWith(file, ".data")) return absl::StrCat(folder, "/", file);
  }
  return "";
}

ProtoFileOptions Outside(uint64_t min_bytes) {
  ProtoFileOptions options;
  options.external_min_bytes = min_bytes;
  return options;
}

Module FromText(absl::string_view text) {
  absl::StatusOr<Module> module = ParseHloText(text, ParseOptions());
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *module : Module();
}

// Literals of all kinds of fields: floats, varints, bytes; layouts, tuples,
// equal elements, none.
constexpr char kMixed[] = R"(
HloModule mixed
ENTRY e {
  a = f32[2,3]{1,0} constant({ { 1, 2, 3 }, { 4, 5, 6 } })
  b = f32[2,3]{0,1} constant({ { 1, 2, 3 }, { 4, 5, 6 } })
  c = s32[4]{0} constant({ -1, 2, 300000, 0 })
  d = s64[3]{0} constant({ -1, -1, -1 })
  p = pred[5]{0} constant({ 1, 0, 1, 1, 0 })
  u = u8[3]{0} constant({ 7, 8, 9 })
  i = s4[4]{0} constant({ -8, 7, 0, 1 })
  z = bf16[3]{0} constant({ 1.5, 1.5, 1.5 })
  s = f16[2,2]{1,0} constant({ { 0.5, 0.5 }, { 0.5, 0.5 } })
  x = c64[2]{0} constant({ (1, 2), (3, -4) })
  n = f32[0]{0} constant({})
  t = (f32[2]{0}, s32[3]{0}) constant(( { 1, 2 }, { 4, 4, 4 } ))
  ROOT r = (f32[2,3]{1,0}) tuple(a)
})";

void ExpectSameLiterals(const Module& a, const Module& b) {
  ASSERT_EQ(a.instruction_count(), b.instruction_count());
  for (int c = 0; c < a.computation_count(); ++c) {
    for (int i = 0; i < a.computation(c).instruction_count(); ++i) {
      const auto left = a.computation(c).instruction(i).literal();
      const auto right = b.computation(c).instruction(i).literal();
      ASSERT_EQ(left.status().code(), right.status().code()) << right.status();
      if (left.ok()) {
        EXPECT_EQ(*left, *right);
        EXPECT_EQ(left->ToString(), right->ToString());
        EXPECT_EQ(*right->Expanded(), *left);
      }
    }
  }
}

void ExpectComesBack(const Module& module, const ModuleWrapper& wrapper,
                     const std::string& bytes) {
  for (const uint64_t min_bytes : {0, 1, 8, 40, 1000, 1000000}) {
    const std::string folder = Folder(), path = folder + "/m.pb";
    ASSERT_TRUE(WriteProtoFile(module, wrapper, path, Outside(min_bytes)).ok());
    EXPECT_LE(FilesIn(folder).size(), 2u);
    absl::StatusOr<WrappedModule> read = ReadWrappedModuleFile(path);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*SerializeWrapped(read->module, read->wrapper), bytes);
    EXPECT_EQ(SerializedSize(read->module),
              SerializeModule(read->module)->size());
    ExpectSameLiterals(module, read->module);
    // Again from there, with another bound and over itself.
    ASSERT_TRUE(
        WriteProtoFile(read->module, read->wrapper, path, Outside(9)).ok());
    read = ReadWrappedModuleFile(path);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*SerializeWrapped(read->module, read->wrapper), bytes);
    const std::string whole = folder + "/whole.pb";
    ASSERT_TRUE(WriteProtoFile(read->module, read->wrapper, whole).ok());
    EXPECT_EQ(*ReadFile(whole), bytes);
  }
}

TEST(ModuleFileTest, ConstantsComeBackTheSame) {
  const Module module = FromText(kMixed);
  ExpectComesBack(module, ModuleWrapper(), *SerializeModule(module));
}

TEST(ModuleFileTest, RealModulesComeBackTheSame) {
  int with_constants = 0;
  for (const std::string& file : JaxModules()) {
    const absl::StatusOr<WrappedModule> read = ReadWrappedModuleFile(file);
    ASSERT_TRUE(read.ok()) << file << read.status();
    const std::string bytes = *SerializeWrapped(read->module, read->wrapper);
    if (bytes.size() > 300000) continue;
    const std::string path = Folder() + "/m.pb";
    // Their constants are small.
    ASSERT_TRUE(
        WriteProtoFile(read->module, read->wrapper, path, Outside(1)).ok());
    const absl::StatusOr<WrappedModule> again = ReadWrappedModuleFile(path);
    ASSERT_TRUE(again.ok()) << file << again.status();
    EXPECT_EQ(*SerializeWrapped(again->module, again->wrapper), bytes) << file;
    with_constants += *ReadFile(path) != bytes ? 1 : 0;
  }
  EXPECT_GT(with_constants, 3);
}

TEST(ModuleFileTest, ValuesAreAlignedAndNamedAfterThemselves) {
  const Module module = FromText(kMixed);
  const std::string folder = Folder();
  ASSERT_TRUE(WriteProtoFile(module, {}, folder + "/a.pb", Outside(1)).ok());
  const std::string first = ValuesIn(folder);
  const std::string values = *ReadFile(first);
  // a, the first literal.
  EXPECT_EQ(values.substr(0, 8), std::string("\0\0\x80?\0\0\0@", 8));
  EXPECT_EQ(values.substr(24, 40), std::string(40, '\0'));
  // The same values have the same name, others another; the old ones stay.
  ASSERT_TRUE(WriteProtoFile(module, {}, folder + "/a.pb", Outside(1)).ok());
  EXPECT_THAT(FilesIn(folder), SizeIs(2));
  const Module other =
      FromText(absl::StrReplaceAll(kMixed, {{"300000", "300001"}}));
  ASSERT_TRUE(WriteProtoFile(other, {}, folder + "/a.pb", Outside(1)).ok());
  EXPECT_THAT(FilesIn(folder), SizeIs(3));
}

TEST(ModuleFileTest, ALargeSplatCostsBytes) {
  ComputationBuilder b("large");
  const Op zeros = b.ConstantLiteral(
      *Literal::Splat(ElementType::kF32, 0, {1 << 15, 1 << 15}));  // 4 GiB
  const Op ones =
      b.ConstantLiteral(*Literal::Splat(ElementType::kS64, -1, {1 << 28}));
  const Op large = b.ConstantLiteral(
      *Literal::Splat(ElementType::kU8, 255, {int64_t{1} << 50}));
  b.SetName(zeros, "zeros");
  b.SetName(ones, "ones");
  b.SetName(large, "large");
  const absl::StatusOr<Module> module = b.Build(b.Tuple({zeros, ones, large}));
  ASSERT_TRUE(module.ok()) << module.status();
  // Exact: 4 bytes an element, 10 for each varint of -1, 1.
  const uint64_t values =
      (uint64_t{1} << 32) + (uint64_t{10} << 28) + (uint64_t{1} << 50);
  const uint64_t size = SerializedSize(*module);
  EXPECT_GT(size, values);
  EXPECT_LT(size, values + 1000);
  const absl::StatusOr<std::string> refused = SerializeModule(*module);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(
      std::string(refused.status().message()),
      AllOf(HasSubstr(absl::StrCat("takes ", size, " bytes")),
            ContainsRegex("large \\([0-9]+ bytes\\), zeros "
                          "\\([0-9]+ bytes\\), ones \\([0-9]+ bytes\\)")));
  const std::string path = Folder() + "/m.pb";
  ASSERT_TRUE(WriteProtoFile(*module, {}, path, Outside(1)).ok());
  EXPECT_LT(ReadFile(path)->size(), 2000u);
  const absl::StatusOr<WrappedModule> read = ReadWrappedModuleFile(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(SerializedSize(read->module), size);
  for (int i = 0; i < 3; ++i) {
    const auto before = module->entry().instruction(i).literal();
    const auto after = read->module.entry().instruction(i).literal();
    ASSERT_TRUE(after.ok()) << after.status();
    EXPECT_TRUE(after->is_splat());
    EXPECT_EQ(*before, *after);
    EXPECT_EQ(after->AsDouble(after->element_count() - 1), before->AsDouble(0));
  }
  ProtoFileOptions large_files;
  large_files.allow_over_2gib = true;
  // 2^50 bytes are more than any disk here has: the old file stays.
  rlimit few = {1 << 20, 1 << 20}, all;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &all), 0);
  few.rlim_max = all.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &few), 0);
  const std::string old = *ReadFile(path);
  const absl::Status full = WriteProtoFile(*module, {}, path, large_files);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &all), 0);
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted) << full;
  EXPECT_EQ(*ReadFile(path), old);
}

// A module whose constant a is outside; the file with its values.
struct WrittenFiles {
  std::string folder;
  std::string path;
  std::string values;
};
WrittenFiles WriteOne() {
  const Module module = FromText(R"(
HloModule one
ENTRY e {
  ROOT a = f32[4]{0} constant({ 1, 2, 3, 4 })
})");
  WrittenFiles w;
  w.folder = Folder();
  w.path = w.folder + "/m.pb";
  EXPECT_TRUE(WriteProtoFile(module, {}, w.path, Outside(1)).ok());
  w.values = ValuesIn(w.folder);
  return w;
}

void ExpectRefused(const WrittenFiles& w, absl::StatusCode code,
                   absl::string_view message) {
  const absl::StatusOr<WrappedModule> read = ReadWrappedModuleFile(w.path);
  ASSERT_FALSE(read.ok()) << message;
  EXPECT_EQ(read.status().code(), code) << read.status();
  EXPECT_THAT(
      std::string(read.status().message()),
      AllOf(HasSubstr("instruction \"a\""), HasSubstr(std::string(message))));
}

TEST(ModuleFileTest, MissingValues) {
  const WrittenFiles w = WriteOne();
  fs::remove(w.values);
  ExpectRefused(w, absl::StatusCode::kNotFound, w.values);
}

TEST(ModuleFileTest, ShortValues) {
  const WrittenFiles w = WriteOne();
  fs::resize_file(w.values, 15);
  ExpectRefused(w, absl::StatusCode::kInvalidArgument,
                "16 bytes at offset 0 of " + w.values + ", which has 15");
}

TEST(ModuleFileTest, ValuesThatAreNoFile) {
  WrittenFiles w = WriteOne();
  const std::string elsewhere = Folder() + "/values";
  fs::rename(w.values, elsewhere);
  ASSERT_EQ(symlink(elsewhere.c_str(), w.values.c_str()), 0);
  ExpectRefused(w, absl::StatusCode::kInvalidArgument, w.values);
  fs::remove(w.values);
  ASSERT_EQ(mkfifo(w.values.c_str(), 0600), 0);
  ExpectRefused(w, absl::StatusCode::kInvalidArgument, "not a regular file");
  fs::remove(w.values);
  fs::create_directory(w.values);
  ExpectRefused(w, absl::StatusCode::kInvalidArgument, "not a regular file");
}

TEST(ModuleFileTest, AlteredValuesAreFoundWhenTheyAreRead) {
  const WrittenFiles w = WriteOne();
  std::string bytes = *ReadFile(w.values);
  bytes[5] ^= 1;
  ASSERT_TRUE(WriteFile(w.values, bytes).ok());
  const absl::StatusOr<WrappedModule> read = ReadWrappedModuleFile(w.path);
  ASSERT_TRUE(read.ok()) << read.status();
  for (const absl::Status& status :
       {read->module.entry().root().literal().status(),
        SerializeModule(read->module).status(),
        WriteProtoFile(read->module, {}, w.folder + "/b.pb"),
        WriteProtoFile(read->module, {}, w.folder + "/b.pb", Outside(1))}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("was altered"), HasSubstr(w.values)));
  }
  EXPECT_THAT(FilesIn(w.folder), SizeIs(2));
}

// No signal, and nothing half-read, when the file shrinks under a module.
TEST(ModuleFileTest, ValuesThatShrinkWhileTheyAreInUse) {
  const WrittenFiles w = WriteOne();
  const absl::StatusOr<WrappedModule> read = ReadWrappedModuleFile(w.path);
  ASSERT_TRUE(read.ok()) << read.status();
  fs::resize_file(w.values, 0);
  EXPECT_THAT(
      std::string(read->module.entry().root().literal().status().message()),
      HasSubstr("it had 16 bytes"));
  EXPECT_FALSE(WriteProtoFile(read->module, {}, w.folder + "/b.pb").ok());
  EXPECT_THAT(FilesIn(w.folder), SizeIs(2));
}

TEST(ModuleFileTest, MappedValuesAreThoseThatAreRead) {
  const Module module = FromText(kMixed);
  const std::string path = Folder() + "/m.pb";
  ASSERT_TRUE(WriteProtoFile(module, {}, path, Outside(1)).ok());
  std::vector<MappedValues> kept;
  std::vector<std::string> bytes;
  int refused = 0;
  {
    const absl::StatusOr<WrappedModule> read = ReadWrappedModuleFile(path);
    ASSERT_TRUE(read.ok()) << read.status();
    for (const Computation computation : read->module.computations()) {
      for (const Instruction instruction : computation.instructions()) {
        const absl::StatusOr<MappedValues> mapped =
            MapExternalValues(instruction, /*verify=*/true);
        if (!mapped.ok()) {
          EXPECT_EQ(mapped.status().code(),
                    absl::StatusCode::kFailedPrecondition)
              << mapped.status();
          EXPECT_THAT(std::string(mapped.status().message()),
                      HasSubstr("literal() reads"));
          ++refused;
          continue;
        }
        const absl::StatusOr<Literal> literal = instruction.literal();
        ASSERT_TRUE(literal.ok()) << literal.status();
        EXPECT_EQ(mapped->shape.WithoutLayout(), literal->shape());
        EXPECT_EQ(reinterpret_cast<uintptr_t>(mapped->bytes.data()) % 64, 0u);
        const Layout* layout = mapped->shape.layout();
        if (layout != nullptr &&
            *layout != Layout::RowMajor(mapped->shape.rank())) {
          EXPECT_EQ(mapped->bytes.size(), literal->bytes().size());
          continue;
        }
        EXPECT_EQ(mapped->bytes, literal->bytes()) << instruction.name();
        kept.push_back(*mapped);
        bytes.push_back(std::string(literal->bytes()));
      }
    }
  }
  // The module is gone, and so are its files' descriptors.
  EXPECT_GT(kept.size(), 0u);
  EXPECT_GT(refused, 0);
  for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].bytes, bytes[i]);
}

TEST(ModuleFileTest, WhatCannotBeMapped) {
  const WrittenFiles w = WriteOne();
  absl::StatusOr<WrappedModule> read = ReadWrappedModuleFile(w.path);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_TRUE(MapExternalValues(read->module.entry().root(), true).ok());
  std::string bytes = *ReadFile(w.values);
  bytes[5] ^= 1;
  ASSERT_TRUE(WriteFile(w.values, bytes).ok());
  read = ReadWrappedModuleFile(w.path);
  ASSERT_TRUE(read.ok()) << read.status();
  const Instruction root = read->module.entry().root();
  EXPECT_TRUE(MapExternalValues(root).ok());
  EXPECT_THAT(
      std::string(MapExternalValues(root, /*verify=*/true).status().message()),
      HasSubstr("was altered"));
  fs::resize_file(w.values, 4);
  EXPECT_THAT(std::string(MapExternalValues(root).status().message()),
              HasSubstr("ends now after 4"));
  const absl::StatusOr<Module> closed = ReadHloModuleProto(*ReadFile(w.path));
  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_EQ(MapExternalValues(closed->entry().root()).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(ModuleFileTest, NamesDoNotLeaveTheFolder) {
  const WrittenFiles w = WriteOne();
  const std::string bytes = *ReadFile(w.path);
  const std::string name = fs::path(w.values).filename().string();
  // As long as the name, so that no length changes.
  for (const absl::string_view start : {"../", "./", "/", "x/", "x\\"}) {
    const std::string other = absl::StrCat(start, name.substr(start.size()));
    ASSERT_TRUE(
        WriteFile(w.path, absl::StrReplaceAll(bytes, {{name, other}})).ok());
    ExpectRefused(w, absl::StatusCode::kInvalidArgument,
                  "not the name of a file beside the module");
  }
}

TEST(ModuleFileTest, WhatWasNotOpenedIsAnError) {
  const WrittenFiles w = WriteOne();
  const absl::StatusOr<Module> read = ReadHloModuleProto(*ReadFile(w.path));
  ASSERT_TRUE(read.ok()) << read.status();
  for (const absl::Status& status :
       {read->entry().root().literal().status(),
        SerializeModule(*read).status(),
        WriteProtoFile(*read, {}, w.folder + "/b.pb", Outside(1))}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  }
  EXPECT_FALSE(WriteProtoFile(*read, {}, "-", Outside(1)).ok());
}

TEST(ModuleFileTest, AFailureLeavesNothingBehind) {
  const Module module = FromText(kMixed);
  const std::string folder = Folder();
  EXPECT_FALSE(
      WriteProtoFile(module, {}, folder + "/none/m.pb", Outside(1)).ok());
  fs::create_directory(folder + "/m.pb");
  EXPECT_FALSE(WriteProtoFile(module, {}, folder + "/m.pb", Outside(1)).ok());
  EXPECT_THAT(FilesIn(folder), SizeIs(1));
}

}  // namespace
}  // namespace indim
