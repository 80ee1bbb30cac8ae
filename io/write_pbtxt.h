// SPDX-License-Identifier: Apache-2.0
// Writing .pbtxt files alone: modules in protobuf's text format, as they are or
// for XLA. write.h writes every format.

#ifndef INDIM_IO_WRITE_PBTXT_H_
#define INDIM_IO_WRITE_PBTXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/io/module_form.h"
#include "indim/ir/module.h"
#include "indim/proto/hlo_module/module_wrapper.h"

namespace indim {

struct PbtxtOptions {
  // A form converts to the options of that form. There is no default form.
  PbtxtOptions(ModuleForm form) : form(form) {}  // NOLINT(runtime/explicit)

  ModuleForm form;
  // The wrapper that the module was read with; it is written around the module,
  // but for its values, which a text has no place for.
  ModuleWrapper wrapper;
  // For XLA: false omits the checks that XLA makes when it compiles.
  bool verify = true;
};

// The module as text. InvalidArgument: for XLA, the first error of the module.
// ResourceExhausted: it exceeds 2 GiB.
absl::StatusOr<std::string> WritePbtxt(const Module& module,
                                       const PbtxtOptions& options);
// Writes atomically: after an error `path` ("-": standard output) is unchanged.
absl::Status WritePbtxtFile(const Module& module, absl::string_view path,
                            const PbtxtOptions& options);

}  // namespace indim

#endif  // INDIM_IO_WRITE_PBTXT_H_
