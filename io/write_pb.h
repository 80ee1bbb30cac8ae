// SPDX-License-Identifier: Apache-2.0
// Writing .pb files alone: serialized modules (HloModuleProto), as they are or
// for XLA.
//
//   absl::Status written = WritePbFile(module, "m.pb", ModuleForm::kForXla);
//
// write.h writes every format; a program that includes this header instead is
// linked with no printer of text.

#ifndef INDIM_IO_WRITE_PB_H_
#define INDIM_IO_WRITE_PB_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/io/module_form.h"
#include "indim/ir/module.h"
#include "indim/proto/hlo_module/module_wrapper.h"

namespace indim {

struct PbOptions {
  // A form converts to the options of that form. There is no default form.
  PbOptions(ModuleForm form) : form(form) {}  // NOLINT(runtime/explicit)

  ModuleForm form;
  // The wrapper that the module was read with; it is written around the module.
  ModuleWrapper wrapper;
  // For XLA: false omits the checks that XLA makes when it compiles; shapes are
  // always checked.
  bool verify = true;
  // Accept more than 2 GiB, which XLA's protobuf can't read.
  bool allow_over_2gib = false;
  // Of a file: literals of so many bytes or more go to a file beside it
  // (proto/hlo_module/external_constants.h), which XLA can't read.
  std::optional<uint64_t> external_min_bytes;
};

// Errors of both. InvalidArgument: for XLA, the first error of the module, or a
// shape that XLA can't express (unranked, a lower bound, a named size); for
// bytes, external_min_bytes. ResourceExhausted: the bytes exceed 2 GiB (the
// message names the three largest literals). FailedPrecondition: the file with
// a constant's values isn't open.
absl::StatusOr<std::string> WritePbBytes(const Module& module,
                                         const PbOptions& options);
// Writes atomically: after an error `path` ("-": standard output) is unchanged.
// Errors of the file name it.
absl::Status WritePbFile(const Module& module, absl::string_view path,
                         const PbOptions& options);

}  // namespace indim

#endif  // INDIM_IO_WRITE_PB_H_
