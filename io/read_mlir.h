// SPDX-License-Identifier: Apache-2.0
// Reading .mlir and .mlirbc files alone: programs of StableHLO. read.h reads
// every format; a program that includes this header instead is linked with no
// other reader.

#ifndef INDIM_IO_READ_MLIR_H_
#define INDIM_IO_READ_MLIR_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/stablehlo/read.h"

namespace indim {

// Reads a module from a file ("-": standard input). Errors as ReadPbFile
// (read_pb.h), and InvalidArgument with all errors of the text, each with its
// line. `options` (stablehlo/read.h) say what is told of the
// program; their `name` is the path.
absl::StatusOr<Module> ReadMlirFile(absl::string_view path,
                                    const StablehloReadOptions& options = {});

}  // namespace indim

#endif  // INDIM_IO_READ_MLIR_H_
