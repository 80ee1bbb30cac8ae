// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/write.h"

#include "indim/ir/report.h"
#include "indim/stablehlo/bytecode/artifact_writer.h"
#include "indim/stablehlo/bytecode/release.h"
#include "indim/stablehlo/export/export.h"
#include "indim/stablehlo/read_back.h"
#include "indim/stablehlo/text/print_mlir_text.h"

namespace indim {

absl::StatusOr<std::string> WriteStablehlo(
    const Module& module, const StablehloWriteOptions& options) {
  mlir::ArtifactOptions artifact;
  if (!options.release.empty()) {
    const absl::StatusOr<mlir::Version> release =
        mlir::ParseRelease(options.release);
    if (!release.ok()) return release.status();
    artifact.target = *release;
  }
  const bool is_artifact = options.form == StablehloForm::kArtifact;
  StablehloOptions how;
  how.locations = options.locations || is_artifact;
  how.composites = is_artifact;
  how.batching_dims =
      !is_artifact || !(artifact.target < mlir::Version{1, 1, 0});
  // Older readers take VHLO alone.
  how.shardy = !is_artifact || !(artifact.target < mlir::Version{1, 11, 0});
  how.verify = options.verify;
  StablehloProgram program = ToStablehlo(module, how);
  if (program.ok() && options.verify) ReadBack(&program);
  if (!program.ok()) return ToStatus(program.module, program.report);
  if (is_artifact) return mlir::WriteArtifact(&program.ir, artifact);
  mlir::MlirPrintOptions print;
  print.generic = options.form == StablehloForm::kGenericText;
  print.locations = options.locations;
  return mlir::PrintMlirText(program.ir, print);
}

}  // namespace indim
