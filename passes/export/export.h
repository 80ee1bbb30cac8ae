// Export: converts a recorded graph to a module that XLA compiles.

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

// Infers missing shapes, verifies, and expands implicit broadcasts; the result
// of a recorded module is verified by XLA's rules again, because XLA's builder
// accepts more than its verifier. Every array without a layout gets the default
// one, row-major (in instructions, tuples, callees and program shapes): a PJRT
// plugin aborts on a module without layouts. The report is the report of the
// first stage that finds an error, or says which shape XLA can't express
// (unranked, or a dim with a lower bound).
ExpandedModule ExpandForXla(Module module);

struct ExportOptions {
  // False: check only each node's shape, which expansion relies on. XLA
  // verifies everything when it compiles.
  bool verify = true;
};

// ExpandForXla as a Status: InvalidArgument with the first diagnostic when a
// stage finds an error.
absl::StatusOr<Module> ExportModule(
    Module module, const ExportOptions& options = ExportOptions());

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_EXPORT_H_
