// SPDX-License-Identifier: Apache-2.0
// Reading .hlo files alone: HLO text. read.h reads every format; a program that
// includes this header instead is linked with no other reader.

#ifndef INDIM_IO_READ_HLO_H_
#define INDIM_IO_READ_HLO_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {

// Reads a module from a file ("-": standard input). Errors as ReadPbFile
// (read_pb.h), and InvalidArgument with all errors of the text, each with its
// line. `options` (text/parse/parse_hlo_text.h) say how the text is
// read; their `file` is the path.
absl::StatusOr<Module> ReadHloFile(absl::string_view path,
                                   const ParseOptions& options = {});

}  // namespace indim

#endif  // INDIM_IO_READ_HLO_H_
