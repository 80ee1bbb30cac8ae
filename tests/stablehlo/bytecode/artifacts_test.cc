// SPDX-License-Identifier: Apache-2.0
// Real artifacts: those of StableHLO's compatibility tests, of 14 releases, and
// some of JAX's.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "indim/ir/storage/file.h"
#include "indim/stablehlo/bytecode/artifact_reader.h"
#include "indim/stablehlo/bytecode/artifact_writer.h"
#include "indim/stablehlo/text/parse_mlir_text.h"
#include "indim/tests/data_files.h"
#include "indim/tests/sample.h"
#include "indim/tests/stablehlo/bytecode/ir_dump.h"

namespace indim::mlir {
namespace {

std::vector<std::string> Artifacts() {
  return DataFiles("stablehlo/artifacts", ".bc");
}

std::string Read(const std::string& path) {
  absl::StatusOr<std::string> bytes = ReadFile(path);
  return bytes.ok() ? *std::move(bytes) : "";
}

// Every byte of a small artifact, some of a large one.
size_t StepOf(size_t size) {
  return size < 2000 ? static_cast<size_t>(SampleStep(80))
                     : size / 50 * SampleStep(60);
}

// What an artifact of the program says; "" and a failure: there is none.
std::string DumpOfArtifact(Ir* ir, Version target, bool locations,
                           const std::string& path) {
  const absl::StatusOr<std::string> artifact = WriteArtifact(ir, {target});
  EXPECT_TRUE(artifact.ok()) << path << ": " << artifact.status();
  if (!artifact.ok()) return "";
  EXPECT_EQ(*ReleaseOfArtifact(*artifact), target);
  const absl::StatusOr<Ir> back = ReadArtifact(*artifact);
  EXPECT_TRUE(back.ok()) << path << ": " << back.status();
  return back.ok() ? DumpIr(*back, locations) : "";
}

// What is read of an artifact is what is read of one that is written of it.
TEST(ArtifactsTest, SayTheSameWhenWrittenAgain) {
  int count = 0;
  for (const std::string& path : Artifacts()) {
    const std::string bytes = Read(path);
    absl::StatusOr<Ir> ir = ReadArtifact(bytes);
    ASSERT_TRUE(ir.ok()) << path << ": " << ir.status();
    const absl::StatusOr<Version> release = ReleaseOfArtifact(bytes);
    ASSERT_TRUE(release.ok()) << path << ": " << release.status();
    const std::string dump = DumpIr(*ir, /*locations=*/true);
    EXPECT_EQ(DumpOfArtifact(&*ir, kNewestRelease, true, path), dump) << path;
    if (!(*release < kOldestTarget)) {
      EXPECT_EQ(DumpOfArtifact(&*ir, *release, true, path), dump) << path;
    }
    ++count;
  }
  EXPECT_GT(count, 0);
}

// The text says what the artifact says, once what both leave out is left out.
TEST(ArtifactsTest, SayWhatTheirTextsSay) {
  int count = 0;
  for (const std::string& path : Artifacts()) {
    const std::string text =
        Read(absl::StrReplaceAll(path, {{".bc", ".mlir"}}));
    if (text.empty()) continue;
    absl::StatusOr<Ir> from_text = ParseMlirText(text, path);
    ASSERT_TRUE(from_text.ok()) << from_text.status();
    const absl::StatusOr<Ir> from_artifact = ReadArtifact(Read(path));
    ASSERT_TRUE(from_artifact.ok()) << path << ": " << from_artifact.status();
    EXPECT_EQ(DumpOfArtifact(&*from_text, kNewestRelease, false, path),
              DumpIr(*from_artifact, false))
        << path;
    ++count;
  }
  EXPECT_GT(count, 0);
}

// An end at any byte is an error.
TEST(ArtifactsTest, CantEndEarly) {
  for (const std::string& path : Artifacts()) {
    const std::string bytes = Read(path);
    const size_t step = StepOf(bytes.size());
    for (size_t size = 0; size < bytes.size(); size += step) {
      const absl::StatusOr<Ir> ir =
          ReadArtifact(absl::string_view(bytes).substr(0, size));
      EXPECT_FALSE(ir.ok()) << path << " up to " << size;
    }
  }
}

// A byte that differs makes another program or an error. The fuzz target
// `artifact` asks many more.
TEST(ArtifactsTest, SurviveChangedBytes) {
  for (const std::string& path : Artifacts()) {
    std::string bytes = Read(path);
    const size_t step = StepOf(bytes.size());
    for (size_t at = 0; at < bytes.size(); at += step) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        const char before = bytes[at];
        bytes[at] = static_cast<char>(before ^ flip);
        absl::StatusOr<Ir> ir = ReadArtifact(bytes);
        if (ir.ok()) WriteArtifact(&*ir).IgnoreError();
        bytes[at] = before;
      }
    }
  }
}

// An artifact that jaxlib 0.10.2 wrote: MLIR leaves the types of Shardy's
// operations as they are, a token among them.
TEST(ArtifactsTest, TokensOfShardy) {
  const std::string bytes = absl::HexStringToBytes(
      "4d4cef520d537461626c65484c4f5f76312e31372e30000125090105090d0d01051317"
      "03051b1f050523270341230701150b0b13130b1313130b130307130f1305090b0b0b0b"
      "0505071707030702750515050d1701072717010b0b0517170103031701050717010707"
      "090317010915050317010319090d110101030123031d1b1d1d2d110301030101047105"
      "03500b0107046103010905400d0309500f050704450309130303050001060503050301"
      "0746130703050303010607030103050b0407030706030105010012021f030b05050515"
      "11290b0f37150b09116275696c74696e007364790076686c6f00737461626c65686c6f"
      "00756e7265616c697a65645f636f6e76657273696f6e5f63617374006d6f64756c6500"
      "6d657368007368617264696e675f636f6e73747261696e740066756e635f7631007265"
      "7475726e5f7631002d006d0061006d61696e0000081f090513010515030b1b1d1b1f21"
      "0319");
  absl::StatusOr<Ir> from_text = ParseMlirText(R"(module @m {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%arg0: !stablehlo.token) -> !stablehlo.token {
    %0 = sdy.sharding_constraint %arg0 <@mesh, []> : !stablehlo.token
    return %0 : !stablehlo.token
  }
}
)");
  ASSERT_TRUE(from_text.ok()) << from_text.status();
  const absl::StatusOr<Ir> from_artifact = ReadArtifact(bytes);
  ASSERT_TRUE(from_artifact.ok()) << from_artifact.status();
  EXPECT_EQ(DumpIr(*from_artifact, /*locations=*/false),
            DumpIr(*from_text, /*locations=*/false));
}

}  // namespace
}  // namespace indim::mlir
