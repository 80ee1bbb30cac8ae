// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/external_constants.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/checksum.h"
#include "indim/ir/storage/external_files.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/codec/literal_wire.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim {
namespace internal {

std::string FolderOf(absl::string_view path) {
  const std::string resolved = ResolvedPath(path);
  return resolved.substr(0, resolved.rfind('/') + 1);
}

absl::Status AtAttributeBytes(const Module& module,
                              AttributeBytesId attribute_bytes,
                              const absl::Status& status) {
  for (const Computation computation : module.computations()) {
    for (const Instruction instruction : computation.instructions()) {
      if (internal::RecordOf(instruction).attribute_bytes != attribute_bytes)
        continue;
      return absl::Status(status.code(),
                          absl::StrCat("computation \"", computation.name(),
                                       "\": instruction \"", instruction.name(),
                                       "\": ", status.message()));
    }
  }
  return status;
}

}  // namespace internal
namespace {

using field::HloInstructionProto::kLiteral;
using internal::AtAttributeBytes;
using internal::FolderOf;

// The file must be in the folder where it is looked for.
absl::Status CheckName(absl::string_view name) {
  if (name.empty() || name == "." || name == ".." ||
      name.find_first_of(absl::string_view("/\\\0", 3)) !=
          absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("its values are in \"", name,
                     "\", which is not the name of a file beside the module"));
  }
  return absl::OkStatus();
}

absl::Status OpenFileOf(const StoredValues& values, absl::string_view path,
                        ExternalFiles* files) {
  absl::Status name = CheckName(values.file);
  if (!name.ok()) return name;
  if (files->Find(values.file) == nullptr) {
    if (path == "-") {
      return absl::InvalidArgumentError(
          absl::StrCat("its values are in the file \"", values.file,
                       "\", and standard input has no folder"));
    }
    auto file =
        RandomAccessFile::Open(absl::StrCat(FolderOf(path), values.file));
    if (!file.ok()) {
      return absl::Status(
          file.status().code(),
          absl::StrCat("its values: ", file.status().message()));
    }
    files->Add(values.file, *std::move(file));
  }
  const absl::Status range = ExternalRange(values, files).status();
  if (!range.ok() || HasVarints(*values.field)) return range;
  const std::optional<uint64_t> size = PayloadSize(
      values.shape.ElementCount().value_or(-1),
      static_cast<uint64_t>(ElementBytes(values.shape.element_type())));
  if (size == values.size) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its values are ", values.size, " bytes of the file \"",
                   values.file, "\", but ", values.shape.ToString(), " has ",
                   size ? absl::StrCat(*size) : "too many"));
}

}  // namespace

absl::StatusOr<Module> OpenExternalConstants(Module module,
                                             absl::string_view path) {
  const Pools& pools = *internal::DataOf(module).pools;
  auto files = std::make_shared<ExternalFiles>();
  bool any = false;
  for (uint32_t id = 1; id < pools.attribute_bytes_count(); ++id) {
    const absl::string_view literal = AttributeBytesField(
        pools.attribute_bytes(AttributeBytesId{id}), kLiteral);
    if (literal.empty() || !IsCompactLiteral(literal)) continue;
    absl::Status status;
    ForEachValues(literal, [&](const StoredValues& values) {
      if (values.kind == StoredValues::Kind::kExternal) {
        any = true;
        status = OpenFileOf(values, path, files.get());
      }
      return status.ok();
    });
    if (!status.ok())
      return AtAttributeBytes(module, AttributeBytesId{id}, status);
  }
  if (!any) return module;
  std::shared_ptr<ModuleData> data = internal::TakeData(std::move(module));
  data->MutablePools().SetExternalFiles(std::move(files));
  return internal::ModuleOf(std::move(data));
}

absl::StatusOr<MappedValues> MapExternalValues(const Instruction& constant,
                                               bool verify) {
  const std::optional<StoredValues> values = FindValues(
      AttributeBytesField(internal::AttributeBytesOf(constant), kLiteral));
  if (!values || values->kind != StoredValues::Kind::kExternal) {
    return absl::FailedPreconditionError(
        absl::StrCat(constant.name(),
                     " has no array of values outside the module; literal() "
                     "reads what it has"));
  }
  if (HasVarints(*values->field)) {
    return absl::FailedPreconditionError(absl::StrCat(
        constant.name(), ": values of ", values->shape.ToString(),
        " are varints in the file, which can't be used as they are; literal() "
        "reads them"));
  }
  const absl::StatusOr<CheckedRange> range =
      ExternalRange(*values, internal::ExternalFilesOf(constant));
  if (!range.ok()) return range.status();
  if (verify) {
    const absl::Status same = ForEachChunk(
        *range, [](absl::string_view) { return absl::OkStatus(); });
    if (!same.ok()) return same;
  }
  const size_t size = static_cast<size_t>(range->size);
  absl::StatusOr<std::shared_ptr<const char>> mapping =
      range->file->Map(range->offset, size);
  if (!mapping.ok()) return mapping.status();
  const absl::string_view bytes(mapping->get(), size);
  return MappedValues{values->shape, bytes, *std::move(mapping)};
}

}  // namespace indim
