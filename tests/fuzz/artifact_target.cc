// SPDX-License-Identifier: Apache-2.0
// Portable artifacts of StableHLO.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/artifact_reader.h"
#include "indim/stablehlo/bytecode/artifact_writer.h"
#include "indim/tests/fuzz/fuzz_target.h"

namespace indim {

std::string CheckArtifact(absl::string_view bytes) {
  absl::StatusOr<mlir::Ir> ir = mlir::ReadArtifact(bytes);
  if (!ir.ok()) return "";
  const absl::StatusOr<std::string> artifact =
      mlir::WriteArtifact(&*ir, {mlir::kNewestRelease});
  if (!artifact.ok()) return "";
  absl::StatusOr<mlir::Ir> back = mlir::ReadArtifact(*artifact);
  if (!back.ok()) {
    return absl::StrCat("what is written can't be read: ",
                        back.status().message());
  }
  const absl::StatusOr<std::string> again =
      mlir::WriteArtifact(&*back, {mlir::kNewestRelease});
  if (!again.ok()) {
    return absl::StrCat("what is read can't be written again: ",
                        again.status().message());
  }
  return *again == *artifact ? "" : "what is read is written otherwise";
}

}  // namespace indim
