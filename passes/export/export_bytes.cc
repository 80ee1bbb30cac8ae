#include "indim/passes/export/export_bytes.h"

#include <optional>
#include <utility>

#include "indim/hlo_proto/module_serializer.h"
#include "indim/passes/export/expanded_writer.h"
#include "indim/storage/file.h"

namespace indim {

absl::StatusOr<std::string> ExportHloModuleProto(Module module,
                                                 const ExportOptions& options) {
  const ExportCheck check =
      options.verify ? ExportCheck::kAll : ExportCheck::kShapes;
  std::optional<std::string> bytes = VerifyExpandAndWrite(module, check);
  if (bytes) return *std::move(bytes);
  const absl::StatusOr<Module> exported =
      ExportModule(std::move(module), options);
  if (!exported.ok()) return exported.status();
  return SerializeModule(*exported);
}

absl::Status WriteHloModuleProto(const Module& module, absl::string_view path,
                                 const ProtoFileOptions& options) {
  if (!options.external_min_bytes.has_value()) {
    std::optional<FileWriter> file;
    const std::optional<absl::Status> written = VerifyExpandAndWriteTo(
        module, ExportCheck::kAll,
        [&] {
          absl::StatusOr<FileWriter> opened = FileWriter::Open(path);
          if (opened.ok()) file.emplace(*std::move(opened));
          return opened.status();
        },
        [&](absl::string_view bytes) { return file->Write(bytes); });
    if (written) return written->ok() ? file->Commit() : *written;
  }
  const absl::StatusOr<Module> exported = ExportModule(module);
  if (!exported.ok()) return exported.status();
  return WriteProtoFile(*exported, ModuleWrapper(), path, options);
}

}  // namespace indim
