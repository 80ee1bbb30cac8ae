#include "indim/tools/formats.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/codec/literal.h"
#include "indim/codec/literal_wire.h"
#include "indim/hlo_proto/module_serializer.h"
#include "indim/hlo_proto/proto_text.h"
#include "indim/hlo_proto/wrapped_module.h"
#include "indim/ir/missing_values.h"
#include "indim/ir/module_access.h"
#include "indim/ir/report.h"
#include "indim/storage/file.h"
#include "indim/text/parse/module_format.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"
#include "indim/tools/arguments.h"
#include "indim/wire/attribute_bytes.h"

namespace indim {

absl::StatusOr<Format> FormatOf(absl::string_view path, absl::string_view flag,
                                absl::string_view flag_name) {
  if (flag == "pb") return Format::kPb;
  if (flag == "pbtxt") return Format::kPbtxt;
  if (flag == "hlo") return Format::kHlo;
  if (!flag.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", flag_name, "=", flag, ": expected pb, pbtxt or hlo"));
  }
  if (absl::EndsWith(path, ".pb")) return Format::kPb;
  if (absl::EndsWith(path, ".pbtxt") || absl::EndsWith(path, ".textproto")) {
    return Format::kPbtxt;
  }
  if (absl::EndsWith(path, ".hlo")) return Format::kHlo;
  return absl::InvalidArgumentError(absl::StrCat(
      path == "-"
          ? absl::StrCat("standard ", flag_name == "from" ? "input" : "output",
                         " has no name that tells the format; expected")
          : absl::StrCat("the name ", path,
                         " doesn't tell the format; expected .pb, "
                         ".pbtxt, .hlo, or"),
      " --", flag_name, "=pb|pbtxt|hlo"));
}

ReadOptions ReadOptionsFromFlags() {
  ReadOptions options;
  options.from = absl::GetFlag(FLAGS_from);
  options.allow_elided_constants = absl::GetFlag(FLAGS_allow_elided_constants);
  options.symbols =
      absl::GetFlag(FLAGS_symbols) || !absl::GetFlag(FLAGS_set).empty();
  options.facts = absl::GetFlag(FLAGS_facts);
  return options;
}

namespace {

// What the content looks like; nullopt: nothing that is read.
std::optional<Format> LooksLike(ModuleFormat content) {
  switch (content) {
    case ModuleFormat::kProto:
      return Format::kPb;
    case ModuleFormat::kProtoText:
      return Format::kPbtxt;
    case ModuleFormat::kHloText:
      return Format::kHlo;
    case ModuleFormat::kMlir:
    case ModuleFormat::kUnknown:
      break;
  }
  return std::nullopt;
}

bool IsMlir(absl::string_view path, ModuleFormat content) {
  return content == ModuleFormat::kMlir ||
         (content == ModuleFormat::kUnknown &&
          (absl::EndsWith(path, ".mlir") || absl::EndsWith(path, ".mlirbc")));
}

absl::Status MlirError() {
  return absl::InvalidArgumentError(
      "this is MLIR (StableHLO or another dialect), which isn't read; to fix: "
      "make HLO of it, in JAX by lowered.as_text(dialect=\"hlo\"), of a file "
      "by jaxlib.xla_client._xla.mlir.mlir_module_to_xla_computation(text)"
      ".as_hlo_text()");
}

absl::string_view Describe(Format format) {
  switch (format) {
    case Format::kPb:
      return "a serialized module (--from=pb)";
    case Format::kPbtxt:
      return "protobuf's text format (--from=pbtxt)";
    case Format::kHlo:
      return "HLO text (--from=hlo)";
  }
  return "";
}

absl::StatusOr<WrappedModule> ParseModule(absl::string_view path,
                                          std::string bytes, Format format,
                                          const ReadOptions& options) {
  if (format == Format::kPb) {
    auto owner = std::make_shared<const std::string>(std::move(bytes));
    return ReadAnyModuleProto(*owner, owner);
  }
  ParseOptions text;
  text.file = std::string(path);
  text.allow_elided_constants = options.allow_elided_constants;
  text.symbols = options.symbols || !options.facts.empty();
  const absl::Status stated = text.scope.State(options.facts);
  if (!stated.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--facts: ", stated.message()));
  }
  if (format == Format::kPbtxt) return ReadAnyModuleText(bytes);
  absl::StatusOr<Module> module = ParseHloText(bytes, text);
  if (!module.ok()) return module.status();
  return WrappedModule{*std::move(module), {}};
}

// The format to read `bytes` in, and what their content looks like.
struct Choice {
  Format format;
  std::optional<Format> looks_like;
};
absl::StatusOr<Choice> Choose(absl::string_view path, absl::string_view bytes,
                              absl::string_view from) {
  const ModuleFormat content = FormatOfContent(bytes);
  const std::optional<Format> looks_like = LooksLike(content);
  if (from.empty() && looks_like) return Choice{*looks_like, looks_like};
  if (IsMlir(path, content)) return MlirError();
  const absl::StatusOr<Format> named = FormatOf(path, from, "from");
  if (!named.ok()) return named.status();
  return Choice{*named, looks_like};
}

}  // namespace

absl::StatusOr<WrappedModule> ReadModule(absl::string_view path,
                                         const ReadOptions& options) {
  if (!options.from.empty()) {
    // A flag that nobody knows is an error, whatever the content.
    const absl::StatusOr<Format> format = FormatOf(path, options.from, "from");
    if (!format.ok()) return format.status();
  }
  absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  if (bytes->empty()) return absl::InvalidArgumentError("the file is empty");
  const absl::StatusOr<Choice> choice = Choose(path, *bytes, options.from);
  if (!choice.ok()) return choice.status();
  absl::StatusOr<WrappedModule> read =
      ParseModule(path, *std::move(bytes), choice->format, options);
  if (!read.ok() && choice->looks_like &&
      *choice->looks_like != choice->format) {
    return absl::Status(
        read.status().code(),
        absl::StrCat(read.status().message(), "\nwhat is in it looks like ",
                     Describe(*choice->looks_like)));
  }
  if (!read.ok()) return read;
  absl::StatusOr<Module> module =
      OpenExternalConstants(std::move(read->module), path);
  if (!module.ok()) return module.status();
  read->module = *std::move(module);
  return read;
}

absl::StatusOr<WrappedModule> ReadModuleAndNote(absl::string_view path,
                                                const ReadOptions& options) {
  absl::StatusOr<WrappedModule> read = ReadModule(path, options);
  if (!read.ok()) return read;
  const std::optional<ModuleDiagnostic> unknown =
      MissingValuesWarning(internal::DataOf(read->module));
  if (unknown) std::cerr << RenderDiagnostic(read->module, *unknown);
  return read;
}

namespace {

// Whatever it is called, as XLA's dumps of HLO text are called .txt: a regular
// file that begins with a module's header.
bool HoldsHloText(const std::filesystem::directory_entry& entry) {
  std::error_code error;
  if (!entry.is_regular_file(error)) return false;
  constexpr size_t kLooked = 4096;  // as FormatOfContent
  std::string begin(kLooked, '\0');
  std::ifstream file(entry.path(), std::ios::binary);
  file.read(begin.data(), kLooked);
  begin.resize(static_cast<size_t>(file.gcount()));
  return absl::StrContains(begin, "HloModule ") &&
         FormatOfContent(begin) == ModuleFormat::kHloText;
}

// Modules in `folder` and below it.
absl::StatusOr<std::vector<std::string>> FilesIn(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::end(entry); entry.increment(error)) {
    const std::string file = entry->path().string();
    std::error_code unknown;  // of a link to nothing, say: a file
    if (FormatOf(file, "", "from").ok() ? !entry->is_directory(unknown)
                                        : HoldsHloText(*entry)) {
      found.push_back(file);
    }
  }
  if (error) {
    return absl::ErrnoToStatus(error.value(),
                               absl::StrCat("can't read ", folder));
  }
  if (found.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        folder,
        ": no .pb, .pbtxt, .textproto or .hlo file is in this folder, "
        "nor HLO text by another name"));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<PathInFolder> ModuleFiles(absl::Span<const std::string> paths) {
  std::vector<PathInFolder> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || !std::filesystem::is_directory(path, error)) {
      files.push_back({path, absl::OkStatus()});
      continue;
    }
    absl::StatusOr<std::vector<std::string>> found = FilesIn(path);
    if (!found.ok()) {
      files.push_back({path, found.status()});
      continue;
    }
    for (std::string& file : *found) {
      files.push_back({std::move(file), absl::OkStatus()});
    }
  }
  return files;
}

absl::Status WithFileName(absl::string_view path, const absl::Status& status) {
  const absl::string_view message = status.message();
  if (path == "-") {
    return absl::StrContains(message, "standard input")
               ? status
               : absl::Status(status.code(),
                              absl::StrCat("standard input: ", message));
  }
  if (absl::StartsWith(message, absl::StrCat(path, ":")) ||
      absl::StartsWith(message, absl::StrCat("can't open ", path, ":")) ||
      absl::StartsWith(message, absl::StrCat("can't read ", path, ":")) ||
      absl::StartsWith(message, absl::StrCat("the name ", path, " "))) {
    return status;
  }
  return absl::Status(status.code(), absl::StrCat(path, ": ", message));
}

namespace {

// The printer leaves out what it can't read or spell, and has no way to say so.
absl::Status CheckLiterals(const Module& module) {
  constexpr int kLiteral = 8;  // HloInstructionProto.literal
  for (const Computation computation : module.computations()) {
    for (const Instruction instruction : computation.instructions()) {
      const absl::string_view wire = AttributeBytesField(
          internal::AttributeBytesOf(instruction), kLiteral);
      if (wire.empty() || !IsCompactLiteral(wire)) continue;
      absl::Status status = instruction.literal().status();
      ForEachValues(wire, [&](const StoredValues& values) {
        const int64_t count = values.shape.ElementCount().value_or(0);
        if (values.kind == StoredValues::Kind::kSplat &&
            count > Literal::kMostOfSplat) {
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

absl::StatusOr<std::string> HloText(const Module& module) {
  const uint64_t size = SerializedSize(module);
  if (size > uint64_t{1} << 31) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the module takes ", size, " bytes, too many for a text"));
  }
  const absl::Status literals = CheckLiterals(module);
  if (!literals.ok()) return literals;
  return PrintHloText(module, PrintOptions::LargeConstants());
}

}  // namespace

absl::Status WriteModule(const Module& module, const ModuleWrapper& wrapper,
                         absl::string_view path, Format format,
                         const WriteOptions& options) {
  if (format == Format::kPb) {
    return WriteModuleFile(module, wrapper, path, options);
  }
  if (options.external_min_bytes.has_value()) {
    return absl::InvalidArgumentError(
        "a text has its constants in it; only .pb can keep them outside");
  }
  const absl::StatusOr<std::string> text =
      format == Format::kPbtxt ? WriteWrappedText(module, wrapper)
                               : HloText(module);
  if (!text.ok()) return text.status();
  return WriteFile(path, *text);
}

std::string LeftOut(const ModuleWrapper& wrapper, Format format) {
  std::vector<std::string> parts;
  if (format == Format::kHlo) {
    parts = PartsBesideModule(wrapper);
  } else if (format == Format::kPbtxt && !wrapper.tail().empty()) {
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
