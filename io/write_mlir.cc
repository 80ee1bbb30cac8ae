// SPDX-License-Identifier: Apache-2.0
#include "indim/io/write_mlir.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "indim/ir/storage/file.h"

namespace indim {

bool NamesArtifact(absl::string_view path) {
  return absl::EndsWith(path, ".mlirbc") || absl::EndsWith(path, ".mlir.bc");
}

absl::Status WriteMlirFile(const Module& module, absl::string_view path,
                           const StablehloWriteOptions& options) {
  StablehloWriteOptions of_name = options;
  if (NamesArtifact(path)) of_name.form = StablehloForm::kArtifact;
  const absl::StatusOr<std::string> program = WriteStablehlo(module, of_name);
  return program.ok() ? WriteFile(path, *program) : program.status();
}

}  // namespace indim
