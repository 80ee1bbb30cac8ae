// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/formats.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/io/module_format.h"
#include "indim/ir/missing_values.h"
#include "indim/ir/module_access.h"
#include "indim/ir/program_warnings.h"
#include "indim/ir/report.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/stablehlo/read.h"
#include "indim/tools/arguments.h"

namespace indim {

absl::StatusOr<ModuleFormat> FormatOf(absl::string_view path,
                                      absl::string_view flag,
                                      absl::string_view flag_name) {
  if (flag == "pb") return ModuleFormat::kProto;
  if (flag == "pbtxt") return ModuleFormat::kProtoText;
  if (flag == "hlo") return ModuleFormat::kHloText;
  if (flag == "mlir") return ModuleFormat::kMlir;
  if (!flag.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", flag_name, "=", flag, ": expected pb, pbtxt, hlo or mlir"));
  }
  const ModuleFormat named = FormatOfName(path);
  if (named != ModuleFormat::kUnknown) return named;
  return NamesFile(absl::InvalidArgumentError(absl::StrCat(
      path == "-"
          ? absl::StrCat("standard ", flag_name == "from" ? "input" : "output",
                         " has no name that tells the format; expected")
          : absl::StrCat("the name ", path,
                         " doesn't tell the format; expected .pb, "
                         ".pbtxt, .hlo, .mlir, .mlirbc, or"),
      " --", flag_name, "=pb|pbtxt|hlo|mlir")));
}

namespace {

absl::StatusOr<WrappedModule> ReadWith(absl::string_view path,
                                       ReadOptions options) {
  const std::string from = absl::GetFlag(FLAGS_from);
  if (!from.empty()) {
    const absl::StatusOr<ModuleFormat> format = FormatOf(path, from, "from");
    if (!format.ok()) return format.status();
    options.format = *format;
  }
  options.allow_elided_constants = absl::GetFlag(FLAGS_allow_elided_constants);
  const std::string facts = absl::GetFlag(FLAGS_facts);
  options.symbols = absl::GetFlag(FLAGS_symbols) || !facts.empty() ||
                    !absl::GetFlag(FLAGS_set).empty();
  const absl::Status stated = options.scope.State(facts);
  if (!stated.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--facts: ", stated.message()));
  }
  ModuleFormat format = ModuleFormat::kUnknown;
  options.read_as = &format;
  absl::StatusOr<WrappedModule> read = ReadWrappedModuleFile(path, options);
  // Whoever has a file changes its instructions.
  SetCallLanguage(format == ModuleFormat::kMlir ? CallLanguage::kStablehlo
                                                : CallLanguage::kHlo);
  return read;
}

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
    return FileError(absl::StatusCode::kInvalidArgument, "read", folder,
                     error.message());
  }
  if (found.empty()) {
    return WithFileName(
        folder, absl::InvalidArgumentError(
                    "no .pb, .pbtxt, .textproto, .hlo, .mlir or .mlirbc file "
                    "is in this folder, nor HLO text by another name"));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

absl::StatusOr<WrappedModule> ReadModule(absl::string_view path,
                                         std::vector<std::string>* left_out) {
  ReadOptions options;
  options.left_out = left_out;
  return ReadWith(path, std::move(options));
}

absl::StatusOr<WrappedModule> ReadModuleToCheck(
    absl::string_view path, std::vector<Module>* further,
    std::vector<absl::Status>* violations, StablehloRelease* release) {
  ReadOptions options;
  options.further = further;
  options.violations = violations;
  options.release = release;
  return ReadWith(path, std::move(options));
}

std::string ReleaseText(const StablehloRelease& release) {
  if (release.written_for.empty()) return "";
  std::string text = absl::StrCat("for StableHLO ", release.written_for);
  for (const std::string& need : release.needs) {
    absl::StrAppend(&text, ", needs ", need);
  }
  return text;
}

absl::StatusOr<WrappedModule> ReadModuleAndWarn(
    absl::string_view path, std::vector<std::string>* left_out,
    StablehloRelease* release) {
  ReadOptions options;
  options.left_out = left_out;
  options.release = release;
  absl::StatusOr<WrappedModule> read = ReadWith(path, std::move(options));
  if (!read.ok()) return read;
  const std::optional<ModuleDiagnostic> unknown =
      MissingValuesWarning(internal::DataOf(read->module));
  if (unknown) std::cerr << RenderDiagnostic(read->module, *unknown);
  for (const ModuleDiagnostic& warning : WarningsOfProgram(read->module)) {
    std::cerr << RenderDiagnostic(read->module, warning);
  }
  return read;
}

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

}  // namespace indim
