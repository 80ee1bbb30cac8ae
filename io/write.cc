#include "indim/io/write.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/codec/literal.h"
#include "indim/codec/literal_wire.h"
#include "indim/hlo_proto/module_file.h"
#include "indim/hlo_proto/module_serializer.h"
#include "indim/hlo_proto/proto_text.h"
#include "indim/hlo_proto/wrapped_module.h"
#include "indim/io/read.h"
#include "indim/ir/module_access.h"
#include "indim/passes/export/export.h"
#include "indim/passes/export/export_bytes.h"
#include "indim/storage/file.h"
#include "indim/text/print/print_hlo_text.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

bool IsWrapped(const WriteOptions& options) {
  return options.wrapper.kind() != WrapperKind::kNone;
}

// The printer omits a literal that it can't read or spell, and returns no
// error; so this checks first.
absl::Status CheckLiterals(const Module& module) {
  for (const Computation computation : module.computations()) {
    for (const Instruction instruction : computation.instructions()) {
      const absl::string_view wire =
          AttributeBytesField(internal::AttributeBytesOf(instruction),
                              field::HloInstructionProto::kLiteral);
      if (wire.empty() || !IsCompactLiteral(wire)) continue;
      absl::Status status = instruction.literal().status();
      ForEachValues(wire, [&](const StoredValues& values) {
        const int64_t count = values.shape.ElementCount().value_or(0);
        if (values.kind == StoredValues::Kind::kSplat &&
            count > Literal::kMaxSplatElements) {
          status = absl::ResourceExhaustedError(
              absl::StrCat(count, " elements are too many for a text"));
        }
        return true;
      });
      if (status.ok()) continue;
      return absl::Status(status.code(),
                          absl::StrCat("instruction \"", instruction.name(),
                                       "\": ", status.message()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> HloText(const Module& module,
                                    const WriteOptions& options) {
  const uint64_t size = SerializedSize(module);
  if (size > uint64_t{1} << 31) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the module takes ", size, " bytes, too many for a text"));
  }
  const absl::Status literals = CheckLiterals(module);
  if (!literals.ok()) return literals;
  return PrintHloText(module, options.hlo_text);
}

// The module in the form that the options name.
absl::StatusOr<Module> InForm(const Module& module,
                              const WriteOptions& options) {
  if (options.form == ModuleForm::kRecorded) return module;
  ExportOptions check;
  check.verify = options.verify;
  return ExportModule(module, check);
}

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
  const absl::StatusOr<Module> formed = InForm(module, options);
  if (!formed.ok()) return formed.status();
  if (format == ModuleFormat::kProtoText) {
    return WriteWrappedText(*formed, options.wrapper);
  }
  return HloText(*formed, options);
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
  const absl::StatusOr<Module> formed = InForm(module, options);
  if (!formed.ok()) return formed.status();
  return SerializeWrapped(*formed, options.wrapper, options.allow_over_2gib);
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
                           "expected .pb, .pbtxt, .hlo, .mlir or .mlirbc"));
  }
  if (format != ModuleFormat::kProto) {
    WriteOptions as_text = options;
    as_text.format = format;
    if (absl::EndsWith(path, ".mlirbc")) {
      as_text.stablehlo.form = StablehloForm::kArtifact;
    }
    const absl::StatusOr<std::string> text = WriteModuleBytes(module, as_text);
    return text.ok() ? WriteFile(path, *text) : text.status();
  }
  ProtoFileOptions file;
  file.allow_over_2gib = options.allow_over_2gib;
  file.external_min_bytes = options.external_min_bytes;
  if (options.form == ModuleForm::kForXla && !IsWrapped(options) &&
      options.verify) {
    return WriteHloModuleProto(module, path, file);
  }
  const absl::StatusOr<Module> formed = InForm(module, options);
  if (!formed.ok()) return formed.status();
  return WriteProtoFile(*formed, options.wrapper, path, file);
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

}  // namespace indim
