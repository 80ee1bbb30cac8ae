// SPDX-License-Identifier: Apache-2.0
// Writes artifacts of programs: rewrite_artifact TARGET FOLDER FILE...
// Each FILE, an artifact or a text, becomes FOLDER/NAME.bc; what is refused
// becomes FOLDER/NAME.error.

#include <cstdio>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/file.h"
#include "indim/stablehlo/bytecode/artifact_reader.h"
#include "indim/stablehlo/bytecode/artifact_writer.h"
#include "indim/stablehlo/text/parse_mlir_text.h"

namespace indim::mlir {
namespace {

absl::StatusOr<std::string> Rewrite(const std::string& path, Version target) {
  absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<Ir> ir =
      IsBytecode(*bytes) ? ReadArtifact(*bytes) : ParseMlirText(*bytes, path);
  if (!ir.ok()) {
    return absl::InternalError(absl::StrCat("READ ", ir.status().message()));
  }
  return WriteArtifact(&*ir, {target});
}

int Main(int argc, char** argv) {
  if (argc < 3) return 2;
  const absl::StatusOr<Version> target = ParseRelease(argv[1]);
  if (!target.ok()) return 2;
  for (int i = 3; i < argc; ++i) {
    const std::string path = argv[i];
    const std::string name = path.substr(path.rfind('/') + 1);
    const absl::StatusOr<std::string> artifact = Rewrite(path, *target);
    const absl::Status status = WriteFile(
        absl::StrCat(argv[2], "/", name, artifact.ok() ? ".bc" : ".error"),
        artifact.ok() ? *artifact : artifact.status().message());
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace indim::mlir

int main(int argc, char** argv) { return indim::mlir::Main(argc, argv); }
