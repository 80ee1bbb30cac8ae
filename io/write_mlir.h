// SPDX-License-Identifier: Apache-2.0
// Writing .mlir and .mlirbc files alone: programs of StableHLO, as text or as a
// portable artifact. write.h writes every format.

#ifndef INDIM_IO_WRITE_MLIR_H_
#define INDIM_IO_WRITE_MLIR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/stablehlo/write.h"

namespace indim {

// Whether `path` is the name of an artifact: it ends in .mlirbc or .mlir.bc.
bool NamesArtifact(absl::string_view path);

// Writes a module in the form that `options` name, or as an artifact when the
// name is an artifact's; atomically: after an error `path` ("-": standard
// output) is unchanged. Errors as WriteStablehlo; those of the file name it.
absl::Status WriteMlirFile(const Module& module, absl::string_view path,
                           const StablehloWriteOptions& options = {});

}  // namespace indim

#endif  // INDIM_IO_WRITE_MLIR_H_
