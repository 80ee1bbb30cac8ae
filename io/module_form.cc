// SPDX-License-Identifier: Apache-2.0
#include "indim/io/module_form.h"

#include "indim/passes/export/export.h"

namespace indim {

absl::StatusOr<Module> InForm(const Module& module, ModuleForm form,
                              bool verify) {
  if (form == ModuleForm::kRecorded) return module;
  ExportOptions check;
  check.verify = verify;
  return ExportModule(module, check);
}

}  // namespace indim
