// SPDX-License-Identifier: Apache-2.0
// Export: converts a recorded graph to a module that XLA compiles, or to its
// bytes. Programs use io/write.h.

#ifndef INDIM_PASSES_EXPORT_EXPORT_H_
#define INDIM_PASSES_EXPORT_EXPORT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/proto/hlo_module/module_file.h"

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

// SerializeModule (module_serializer.h) of ExportModule's result, which isn't
// made for a module that a builder recorded. Errors of both.
absl::StatusOr<std::string> ExportHloModuleProto(
    Module module, const ExportOptions& options = ExportOptions());

// Exports to a file, atomically: after an error `path` is unchanged. "-" is
// standard output. `options` (module_file.h) allow forms that XLA doesn't read.
// Memory: for a builder's module a few MiB beside it; else as WriteProtoFile.
// Errors also as WriteProtoFile.
absl::Status WriteHloModuleProto(
    const Module& module, absl::string_view path,
    const ProtoFileOptions& options = ProtoFileOptions());

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_EXPORT_H_
