// SPDX-License-Identifier: Apache-2.0
#include "indim/io/write_pb.h"

#include "indim/passes/export/export.h"
#include "indim/proto/hlo_module/module_file.h"
#include "indim/proto/hlo_module/wrapped_module.h"

namespace indim {
namespace {

bool IsWrapped(const PbOptions& options) {
  return options.wrapper.kind() != WrapperKind::kNone;
}

}  // namespace

absl::StatusOr<std::string> WritePbBytes(const Module& module,
                                         const PbOptions& options) {
  if (options.external_min_bytes.has_value()) {
    return absl::InvalidArgumentError(
        "constants can be kept outside of a file only, not of bytes");
  }
  if (options.form == ModuleForm::kForXla && !IsWrapped(options) &&
      !options.allow_over_2gib) {
    ExportOptions check;
    check.verify = options.verify;
    return ExportHloModuleProto(module, check);
  }
  const absl::StatusOr<Module> formed =
      InForm(module, options.form, options.verify);
  if (!formed.ok()) return formed.status();
  return SerializeWrapped(*formed, options.wrapper, options.allow_over_2gib);
}

absl::Status WritePbFile(const Module& module, absl::string_view path,
                         const PbOptions& options) {
  ProtoFileOptions file;
  file.allow_over_2gib = options.allow_over_2gib;
  file.external_min_bytes = options.external_min_bytes;
  if (options.form == ModuleForm::kForXla && !IsWrapped(options) &&
      options.verify) {
    return WriteHloModuleProto(module, path, file);
  }
  const absl::StatusOr<Module> formed =
      InForm(module, options.form, options.verify);
  if (!formed.ok()) return formed.status();
  return WriteProtoFile(*formed, options.wrapper, path, file);
}

}  // namespace indim
