// Export to bytes and files: writes the result of ExportModule (export.h), if
// possible without building the expanded graph. Programs use io/write.h.

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

// ExportModule, then serialization. InvalidArgument: the first diagnostic of a
// stage that finds an error, or a shape that XLA can't express (unranked, or a
// dim with a lower bound).
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

#endif  // INDIM_PASSES_EXPORT_EXPORT_BYTES_H_
