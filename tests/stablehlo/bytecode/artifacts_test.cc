// SPDX-License-Identifier: Apache-2.0
// Real artifacts: those of StableHLO's compatibility tests, of 14 releases, and
// some of JAX's.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
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

// Artifacts that jaxlib 0.10.2 wrote: MLIR leaves the types of Shardy's
// operations as they are, a token among them, and floats of few bits.
TEST(ArtifactsTest, TypesOfShardy) {
  std::string floats =
      "module {\n  sdy.mesh @m = <[\"a\"=1]>\n  func.func @main(";
  std::string constraints;
  int number = 0;
  for (const char* type : {"f8E5M2", "f8E4M3", "f8E4M3FN", "f8E5M2FNUZ",
                           "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E3M4", "f4E2M1FN",
                           "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU"}) {
    absl::StrAppend(&floats, number == 0 ? "" : ", ", "%arg", number,
                    ": tensor<", type, ">");
    absl::StrAppend(&constraints, "    %", number,
                    " = sdy.sharding_constraint %arg", number,
                    " <@m, []> : tensor<", type, ">\n");
    ++number;
  }
  absl::StrAppend(&floats, ") {\n", constraints, "    return\n  }\n}\n");
  const struct {
    const char* artifact;
    std::string text;
  } kCases[] = {
      {"4d4cef520d537461626c65484c4f5f76312e31372e30000125090105090d0d01051317"
       "03051b1f050523270341230701150b0b13130b1313130b130307130f1305090b0b0b0b"
       "0505071707030702750515050d1701072717010b0b0517170103031701050717010707"
       "090317010915050317010319090d110101030123031d1b1d1d2d110301030101047105"
       "03500b0107046103010905400d0309500f050704450309130303050001060503050301"
       "0746130703050303010607030103050b0407030706030105010012021f030b05050515"
       "11290b0f37150b09116275696c74696e007364790076686c6f00737461626c65686c6f"
       "00756e7265616c697a65645f636f6e76657273696f6e5f63617374006d6f64756c6500"
       "6d657368007368617264696e675f636f6e73747261696e740066756e635f7631007265"
       "7475726e5f7631002d006d0061006d61696e0000081f090513010515030b1b1d1b1f21"
       "0319",
       R"(module @m {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%arg0: !stablehlo.token) -> !stablehlo.token {
    %0 = sdy.sharding_constraint %arg0 <@mesh, []> : !stablehlo.token
    return %0 : !stablehlo.token
  }
}
)"},
      {"4d4cef520d537461626c65484c4f5f76312e31372e30000123070105090d01050f1303"
       "05171b05051f2303bb495b013b0b0b13131313131717171717171313130b1313131313"
       "13131313131313030713130f05090b0b0b0b012d0f0f0f0f0f0f0f0f0f0f0f07070707"
       "07070707070707052f0f0f0f0f0f0f0f0f0f0f0f3b070707070707070707070702b603"
       "0513051517010523170105511701057f170105b1170105e71701053a02170105b20217"
       "01050e031701057203170105d6031701053a0417010101170103031701050309031701"
       "07111701091117010b1117010d1117010f111701111117011311170115111701171117"
       "01191117011b1317011d070d21010105033f01031705030123431d191d1b1b01171b01"
       "191b011b1b011d1b011f1b01211b01231b01251b01271b01291b012b413f3d3b393735"
       "33312f2d29014529014729014929014b29014d29014f29015129015329015529015729"
       "015911172d2f31333537393b3d3f41010f470d39373b494b4d4f51046e030503501b01"
       "07044a0303010907401d0309501f0507040e0303435f175b055f076309670b6b0d6f0f"
       "731177137b157f17831900010619030103150106170303031301061503050311010613"
       "0307030f0106110309030d01060f030b030b01060d030d030901060b030f0307010609"
       "031103050106070313030301060503150301054623070315032b054625070313032905"
       "4627070311032705462907030f032505462b07030d032305462d07030b032105462f07"
       "0309031f054631070307031d054633070305031b054635070303031905463707030103"
       "170b0039060301050100f31d030b05050515110b290f370b09116275696c74696e0073"
       "64790076686c6f00756e7265616c697a65645f636f6e76657273696f6e5f6361737400"
       "6d6f64756c65007368617264696e675f636f6e73747261696e74006d6573680066756e"
       "635f76310072657475726e5f7631002d006d0061006d61696e0000081f09050101053d"
       "030b4143414547033b",
       floats},
  };
  for (const auto& c : kCases) {
    absl::StatusOr<Ir> from_text = ParseMlirText(c.text);
    ASSERT_TRUE(from_text.ok()) << from_text.status();
    const absl::StatusOr<Ir> from_artifact =
        ReadArtifact(absl::HexStringToBytes(c.artifact));
    ASSERT_TRUE(from_artifact.ok()) << from_artifact.status();
    EXPECT_EQ(DumpIr(*from_artifact, /*locations=*/false),
              DumpIr(*from_text, /*locations=*/false));
    // Older releases read such types as text.
    const absl::StatusOr<std::string> again =
        WriteArtifact(&*from_text, {Version{1, 11, 0}});
    ASSERT_TRUE(again.ok()) << again.status();
    const absl::StatusOr<Ir> read = ReadArtifact(*again);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(DumpIr(*read, /*locations=*/false),
              DumpIr(*from_text, /*locations=*/false));
  }
}

}  // namespace
}  // namespace indim::mlir
