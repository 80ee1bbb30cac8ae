// SPDX-License-Identifier: Apache-2.0
// Reading .pbtxt files alone: modules in protobuf's text format. read.h reads
// every format; a program that includes this header instead is linked with no
// other reader.

#ifndef INDIM_IO_READ_PBTXT_H_
#define INDIM_IO_READ_PBTXT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"

namespace indim {

// Reads a module from a file ("-": standard input). Errors as ReadPbFile
// (read_pb.h), and InvalidArgument with all errors of the text, each with its
// line.
absl::StatusOr<Module> ReadPbtxtFile(absl::string_view path);

}  // namespace indim

#endif  // INDIM_IO_READ_PBTXT_H_
