// Export to bytes and files: what ExportModule (export.h) makes, without a
// graph of it in memory where that can be helped. io/write.h is the way in for
// programs.

#ifndef INDIM_PASSES_EXPORT_EXPORT_BYTES_H_
#define INDIM_PASSES_EXPORT_EXPORT_BYTES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/hlo_proto/module_file.h"
#include "indim/ir/module.h"
#include "indim/passes/export/export.h"

namespace indim {

// ExportModule and serializes. InvalidArgument with the first
// diagnostic when a stage finds an error; also when a shape can't be spelled
// for XLA (unranked, or a dim with a lower bound).
absl::StatusOr<std::string> ExportHloModuleProto(
    Module module, const ExportOptions& options = ExportOptions());

// The same into a file, atomically: on any error `path` is as it was. "-" is
// standard output. `options` (module_file.h) for what XLA doesn't read. Memory:
// of what a builder made, a few MiB beside the module; else as WriteProtoFile.
// Errors also as WriteProtoFile.
absl::Status WriteHloModuleProto(
    const Module& module, absl::string_view path,
    const ProtoFileOptions& options = ProtoFileOptions());

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_EXPORT_BYTES_H_
