// SPDX-License-Identifier: Apache-2.0
// Writing .hlo files alone: HLO text, as it is or what XLA would print of the
// module for XLA. write.h writes every format.

#ifndef INDIM_IO_WRITE_HLO_H_
#define INDIM_IO_WRITE_HLO_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/io/module_form.h"
#include "indim/ir/module.h"
#include "indim/text/base/print_options.h"

namespace indim {

struct HloTextOptions {
  // A form converts to the options of that form. There is no default form.
  HloTextOptions(ModuleForm form) : form(form) {}  // NOLINT(runtime/explicit)

  ModuleForm form;
  // For XLA: false omits the checks that XLA makes when it compiles.
  bool verify = true;
  // PrintOptions::LargeConstants() omits nothing.
  PrintOptions print = PrintOptions::LargeConstants();
};

// The text that Indim reads back, or, for XLA, what XLA would print.
// InvalidArgument: for XLA, the first error of the module. ResourceExhausted:
// more than 2 GiB, or a constant of too many equal elements, are too long for a
// text. Errors of a constant's values name its instruction.
absl::StatusOr<std::string> WriteHloText(const Module& module,
                                         const HloTextOptions& options);
// Writes atomically: after an error `path` ("-": standard output) is unchanged.
absl::Status WriteHloFile(const Module& module, absl::string_view path,
                          const HloTextOptions& options);

}  // namespace indim

#endif  // INDIM_IO_WRITE_HLO_H_
