// SPDX-License-Identifier: Apache-2.0
#include "indim/io/read.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/io/read_file.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/proto/hlo_module/wrapped_module.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/stablehlo/read.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

bool IsPython() { return GetCallLanguage() == CallLanguage::kPython; }

// With what says it: the command's flag, or Python's keyword.
std::string Describe(ModuleFormat format) {
  const auto said = [](absl::string_view what, absl::string_view flag,
                       absl::string_view keyword) {
    return IsPython() ? absl::StrCat(what, " (format=\"", keyword, "\")")
                      : absl::StrCat(what, " (--from=", flag, ")");
  };
  switch (format) {
    case ModuleFormat::kProto:
      return said("a serialized module", "pb", "pb");
    case ModuleFormat::kProtoText:
      return said("protobuf's text format", "pbtxt", "pbtxt");
    case ModuleFormat::kHloText:
      return said("HLO text", "hlo", "hlo");
    case ModuleFormat::kMlir:
      return said("StableHLO", "mlir", "stablehlo");
    case ModuleFormat::kUnknown:
      break;
  }
  return "no module";
}

absl::string_view FormatChoices() {
  return IsPython() ? R"( format="pb", "pbtxt", "hlo" or "stablehlo")"
                    : " --from=pb|pbtxt|hlo|mlir";
}

// The format in which to read content that looks like `content`, from a file
// called `name`, or from bytes that have this name in errors.
absl::StatusOr<ModuleFormat> Choose(ModuleFormat content,
                                    absl::string_view bytes, bool is_file,
                                    const ReadOptions& options) {
  const std::string& name = options.name;
  if (options.format != ModuleFormat::kUnknown) return options.format;
  if (content != ModuleFormat::kUnknown) return content;
  if (IsJaxExport(bytes)) {
    const absl::Status refused = absl::InvalidArgumentError(absl::StrCat(
        name.empty() ? "the content" : name,
        " is what JAX's Exported.serialize() gives, which only JAX reads; to "
        "fix: write exported.mlir_module_serialized, a portable artifact, to a "
        ".mlirbc file, or call indim.from_jax(exported) in Python; "
        "jax.export.deserialize() makes the Exported of these bytes"));
    return name.empty() ? refused : NamesFile(refused);
  }
  const ModuleFormat named = FormatOfName(name);
  if (named != ModuleFormat::kUnknown) return named;
  if (name.empty() || !is_file) {
    return absl::InvalidArgumentError(
        "neither the content nor a name tells the format; expected a "
        "serialized HloModuleProto, protobuf's text format, HLO text or "
        "StableHLO");
  }
  return NamesFile(absl::InvalidArgumentError(absl::StrCat(
      name == "-" ? std::string("standard input has no name that "
                                "tells the format; expected")
                  : absl::StrCat("the name ", name,
                                 " doesn't tell the format; "
                                 "expected .pb, .pbtxt, .hlo, .mlir, or"),
      FormatChoices())));
}

// `owner` keeps `bytes` alive; if it is null, they are copied as needed.
absl::StatusOr<WrappedModule> ReadIn(ModuleFormat format,
                                     absl::string_view bytes,
                                     std::shared_ptr<const std::string> owner,
                                     const ReadOptions& options) {
  if (format == ModuleFormat::kProto) {
    return owner == nullptr ? ReadAnyModuleProto(bytes)
                            : ReadAnyModuleProto(bytes, std::move(owner));
  }
  if (format == ModuleFormat::kProtoText) return ReadAnyModuleText(bytes);
  if (format == ModuleFormat::kMlir) {
    StablehloReadOptions stablehlo;
    stablehlo.name = options.name;
    stablehlo.left_out = options.left_out;
    stablehlo.allow_elided_constants = options.allow_elided_constants;
    stablehlo.further = options.further;
    stablehlo.violations = options.violations;
    stablehlo.release = options.release;
    stablehlo.sizes = options.scope.values();
    absl::StatusOr<Module> program = ReadStablehlo(bytes, stablehlo);
    if (!program.ok()) return program.status();
    return WrappedModule{*std::move(program), {}};
  }
  ParseOptions text;
  text.file = options.name;
  text.allow_elided_constants = options.allow_elided_constants;
  text.fill_missing_layouts = options.fill_missing_layouts;
  text.symbols = options.symbols;
  text.scope = options.scope;
  absl::StatusOr<Module> module = ParseHloText(bytes, text);
  if (!module.ok()) return module.status();
  return WrappedModule{*std::move(module), {}};
}

absl::StatusOr<WrappedModule> Read(absl::string_view bytes,
                                   std::shared_ptr<const std::string> owner,
                                   bool is_file, const ReadOptions& options) {
  const ModuleFormat content = FormatOfContent(bytes);
  const absl::StatusOr<ModuleFormat> format =
      Choose(content, bytes, is_file, options);
  if (!format.ok()) return format.status();
  if (options.read_as != nullptr) *options.read_as = *format;
  absl::StatusOr<WrappedModule> read =
      ReadIn(*format, bytes, std::move(owner), options);
  if (read.ok() || content == ModuleFormat::kUnknown || content == *format) {
    return read;
  }
  return WithNote(read.status(), absl::StrCat("\nwhat is in it looks like ",
                                              Describe(content)));
}

}  // namespace

absl::StatusOr<WrappedModule> ReadWrappedModuleBytes(
    absl::string_view bytes, const ReadOptions& options) {
  return Read(bytes, nullptr, false, options);
}

absl::StatusOr<WrappedModule> ReadWrappedModuleText(
    absl::string_view text, const ReadOptions& options) {
  ReadOptions as_text = options;
  if (options.format == ModuleFormat::kUnknown) {
    const ModuleFormat content = FormatOfContent(text);
    as_text.format =
        content == ModuleFormat::kProtoText || content == ModuleFormat::kMlir
            ? content
            : ModuleFormat::kHloText;
  }
  return Read(text, nullptr, false, as_text);
}

absl::StatusOr<WrappedModule> ReadWrappedModuleFile(
    absl::string_view path, const ReadOptions& options) {
  ReadOptions named = options;
  named.name = std::string(path);
  return internal::ReadFileWith(
      path, [&named](absl::string_view bytes,
                     std::shared_ptr<const std::string> owner) {
        return Read(bytes, std::move(owner), true, named);
      });
}

absl::StatusOr<Module> ReadModuleBytes(absl::string_view bytes,
                                       const ReadOptions& options) {
  return internal::ModuleIn(ReadWrappedModuleBytes(bytes, options));
}

absl::StatusOr<Module> ReadModuleText(absl::string_view text,
                                      const ReadOptions& options) {
  return internal::ModuleIn(ReadWrappedModuleText(text, options));
}

absl::StatusOr<Module> ReadModuleFile(absl::string_view path,
                                      const ReadOptions& options) {
  return internal::ModuleIn(ReadWrappedModuleFile(path, options));
}

}  // namespace indim
