// SPDX-License-Identifier: Apache-2.0
#include "indim/io/write.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/io/write_hlo.h"
#include "indim/io/write_mlir.h"
#include "indim/io/write_pbtxt.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/wrapped_module.h"
#include "indim/proto/wire/canonical.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/stablehlo/write.h"

namespace indim {
namespace {

absl::StatusOr<std::string> TextOf(const Module& module, ModuleFormat format,
                                   const WriteOptions& options) {
  if (options.external_min_bytes.has_value()) {
    return absl::InvalidArgumentError(
        "text holds its constants; only .pb can keep them in a file of their "
        "own");
  }
  const std::string left_out = LeftOut(options.wrapper, format);
  if (!left_out.empty() && !options.allow_left_out) {
    return absl::InvalidArgumentError(
        absl::StrCat("a text has no place for ", left_out, " of the ",
                     Name(options.wrapper.kind()), "; to fix: allow_left_out"));
  }
  if (format == ModuleFormat::kMlir) {
    StablehloWriteOptions stablehlo = options.stablehlo;
    stablehlo.verify = options.verify;
    return WriteStablehlo(module, stablehlo);
  }
  if (format == ModuleFormat::kProtoText) {
    PbtxtOptions text(options.form);
    text.wrapper = options.wrapper;
    text.verify = options.verify;
    return WritePbtxt(module, text);
  }
  HloTextOptions text(options.form);
  text.verify = options.verify;
  text.print = options.hlo_text;
  return WriteHloText(module, text);
}

absl::Status NoSuchFormat(absl::string_view asked) {
  return absl::InvalidArgumentError(
      absl::StrCat(asked, "; expected kProto, kProtoText, kHloText or kMlir"));
}

}  // namespace

absl::StatusOr<std::string> WriteModuleBytes(const Module& module,
                                             const WriteOptions& options) {
  if (options.format == ModuleFormat::kMlir) {
    return TextOf(module, options.format, options);
  }
  if (options.format != ModuleFormat::kUnknown &&
      options.format != ModuleFormat::kProto) {
    return WriteModuleText(module, options);
  }
  return WritePbBytes(module, options);
}

absl::StatusOr<std::string> WriteModuleText(const Module& module,
                                            const WriteOptions& options) {
  switch (options.format) {
    case ModuleFormat::kUnknown:
    case ModuleFormat::kHloText:
      return TextOf(module, ModuleFormat::kHloText, options);
    case ModuleFormat::kProtoText:
      return TextOf(module, ModuleFormat::kProtoText, options);
    case ModuleFormat::kProto:
      return NoSuchFormat("a serialized module is not text");
    case ModuleFormat::kMlir:
      if (options.stablehlo.form == StablehloForm::kArtifact) {
        return absl::InvalidArgumentError(
            "an artifact is not text; WriteModuleBytes writes it");
      }
      return TextOf(module, ModuleFormat::kMlir, options);
  }
  return NoSuchFormat("no such format");
}

absl::Status WriteModuleFile(const Module& module, absl::string_view path,
                             const WriteOptions& options) {
  ModuleFormat format = options.format;
  if (format == ModuleFormat::kUnknown) format = FormatOfName(path);
  if (format == ModuleFormat::kUnknown) {
    return absl::InvalidArgumentError(
        path == "-"
            ? std::string("standard output has no name that tells the format")
            : absl::StrCat("the name ", path, " doesn't tell the format; ",
                           "expected .pb, .pbtxt, .hlo, .mlir or .mlirbc",
                           GetCallLanguage() == CallLanguage::kPython
                               ? ", or format=\"hlo\""
                               : ""));
  }
  if (format != ModuleFormat::kProto) {
    WriteOptions as_text = options;
    as_text.format = format;
    if (NamesArtifact(path)) {
      as_text.stablehlo.form = StablehloForm::kArtifact;
    }
    const absl::StatusOr<std::string> text = WriteModuleBytes(module, as_text);
    return text.ok() ? WriteFile(path, *text) : text.status();
  }
  return WritePbFile(module, path, options);
}

std::string LeftOut(const ModuleWrapper& wrapper, ModuleFormat format) {
  std::vector<std::string> parts;
  if (format == ModuleFormat::kHloText || format == ModuleFormat::kMlir) {
    parts = PartsBesideModule(wrapper);
  } else if (format == ModuleFormat::kProtoText && !wrapper.tail().empty()) {
    parts.push_back("the values of the arguments");
  }
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    absl::StrAppend(&text,
                    i == 0                  ? ""
                    : i + 1 == parts.size() ? " and "
                                            : ", ",
                    parts[i]);
  }
  return text;
}

int64_t UnknownFieldsLeftOut(const Module& module, ModuleFormat format) {
  if (format != ModuleFormat::kHloText && format != ModuleFormat::kMlir) {
    return 0;
  }
  const absl::StatusOr<std::string> bytes = SerializeModule(module);
  return bytes.ok() ? CountUnknownFields(WireMessage::kHloModuleProto, *bytes)
                    : 0;
}

std::vector<std::string> LostAsHlo(const Module& module) {
  const ModuleData& data = internal::DataOf(module);
  std::vector<std::string> lost;
  const auto add = [&](size_t count, absl::string_view noun) {
    if (count == 0) return;
    lost.push_back(absl::StrCat("mhlo.memory_kind of ", count, " ", noun,
                                count == 1 ? "" : "s"));
  };
  add(data.argument_memory_kinds.size(), "argument");
  add(data.result_memory_kinds.size(), "result");
  return lost;
}

}  // namespace indim
