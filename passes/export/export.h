// Export: from a recorded graph to bytes that XLA compiles.

#ifndef INDIM_PASSES_EXPORT_EXPORT_H_
#define INDIM_PASSES_EXPORT_EXPORT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"

namespace indim {

struct ExpandedModule {
  Module module;  // ready for XLA when the report has no error
  Report report;

  bool ok() const { return report.ok(); }
};

// Infers what has no shape yet, verifies, expands implicit broadcasts and, of a
// recorded module, verifies the result as XLA does, whose builder takes more
// than its verifier. Every array whose layout nobody wrote gets the default
// one, row-major (of instructions, also in tuples and callees, and of program
// shapes): a PJRT plugin that is handed a module without aborts. The report is
// that of the first stage that finds an error; also when a shape can't be
// spelled for XLA (unranked, or a dim with a lower bound).
ExpandedModule ExpandForXla(Module module);

struct ExportOptions {
  // False: of what ExpandForXla verifies, only what expansion relies on, each
  // node's shape before it. XLA's own builder verifies less when it builds;
  // XLA verifies everything when it compiles.
  bool verify = true;
};

// ExpandForXla, as a status: InvalidArgument with the first diagnostic when a
// stage finds an error.
absl::StatusOr<Module> ExportModule(
    Module module, const ExportOptions& options = ExportOptions());

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_EXPORT_H_
