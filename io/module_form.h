// SPDX-License-Identifier: Apache-2.0
// The two forms in which a module is written: as it is, or for XLA.

#ifndef INDIM_IO_MODULE_FORM_H_
#define INDIM_IO_MODULE_FORM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim {

enum class ModuleForm : uint8_t {
  // The graph as it is, also with implicit broadcasts and without inferred
  // shapes. Nothing is checked.
  kRecorded,
  // A module that XLA compiles: missing shapes are inferred, everything is
  // verified, implicit broadcasts become explicit, and every array has a layout
  // (ExpandForXla, passes/export/export.h). Sizes that are `?` stay, and XLA's
  // CPU compiler refuses them; a named size is an error (Refine,
  // passes/sizes/refine.h).
  kForXla,
};

// The module in `form`. `verify`: false omits the checks that XLA makes when it
// compiles; shapes are always checked. InvalidArgument: for XLA, the first
// error of the module.
absl::StatusOr<Module> InForm(const Module& module, ModuleForm form,
                              bool verify);

}  // namespace indim

#endif  // INDIM_IO_MODULE_FORM_H_
