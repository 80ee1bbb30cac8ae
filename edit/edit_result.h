// SPDX-License-Identifier: Apache-2.0
// EditResult: what Editor::Finish() returns.

#ifndef INDIM_EDIT_EDIT_RESULT_H_
#define INDIM_EDIT_EDIT_RESULT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "indim/ir/module.h"
#include "indim/shape/diagnostics/rendered.h"

namespace indim {

// An error or a warning about an edit or about what it made. Its text:
// "a.cc:14: error: SetOperand: dot.4 was erased  [IND1001]\n".
using EditDiagnostic = RenderedDiagnostic;

struct EditResult {
  Module module;  // after an error: the module that went in
  std::vector<EditDiagnostic> diagnostics;  // errors and warnings

  bool ok() const;
  // OK, or InvalidArgument with the first error and the number of the others.
  absl::Status status() const;
  // The texts of all diagnostics.
  std::string text() const;
};

namespace internal {
// EditResult::status().
absl::Status StatusOf(const std::vector<EditDiagnostic>& diagnostics);
}  // namespace internal

}  // namespace indim

#endif  // INDIM_EDIT_EDIT_RESULT_H_
