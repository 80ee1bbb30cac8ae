// SPDX-License-Identifier: Apache-2.0
// indim print, indim diff: modules as HLO text.

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "indim/passes/structure/fingerprint.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"
#include "indim/text/print/print_hlo_text.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/diff/module_diff.h"
#include "indim/tools/formats.h"
#include "indim/tools/output/progress.h"

namespace indim {
namespace {

bool WantsColor() {
  const std::string when = absl::GetFlag(FLAGS_color);
  return when == "always" || (when == "auto" && isatty(STDOUT_FILENO) == 1);
}

PrintOptions OptionsOfFlags() {
  PrintOptions options =
      absl::GetFlag(FLAGS_canonical) ? PrintOptions::Canonical()
      : absl::GetFlag(FLAGS_short)   ? PrintOptions::ShortParsable()
                                     : PrintOptions::Default();
  options.large_constants = absl::GetFlag(FLAGS_large_constants);
  options.ids &= absl::GetFlag(FLAGS_ids);
  options.metadata &= absl::GetFlag(FLAGS_metadata);
  options.operand_shapes |= absl::GetFlag(FLAGS_operand_shapes);
  options.layouts &= absl::GetFlag(FLAGS_layouts);
  options.max_body_text =
      static_cast<uint64_t>(std::max(absl::GetFlag(FLAGS_max_body_mib), 0))
      << 20;
  return options;
}

absl::StatusOr<Module> Read(const std::string& file, const FilesDone& done = {},
                            StablehloRelease* release = nullptr) {
  const ProgressStage stage(done.Text(ReadingText(file)));
  absl::StatusOr<WrappedModule> module =
      ReadModuleAndWarn(file, nullptr, release);
  if (module.ok()) return std::move(module->module);
  return WithFileName(file, module.status());
}

absl::StatusOr<std::string> StablehloText(const Module& module) {
  StablehloWriteOptions options;
  options.locations = absl::GetFlag(FLAGS_locations);
  if (absl::GetFlag(FLAGS_generic)) options.form = StablehloForm::kGenericText;
  return WriteStablehlo(module, options);
}

}  // namespace

int RunPrint(absl::Span<const std::string> files) {
  StartProgress(absl::GetFlag(FLAGS_quiet));
  PrintOptions options = OptionsOfFlags();
  options.color = WantsColor();
  int exit = kExitOk;
  const std::vector<PathInFolder> paths = ModuleFiles(files);
  FilesDone done{0, paths.size()};
  for (const PathInFolder& file : paths) {
    StablehloRelease release;
    const absl::StatusOr<Module> module =
        file.status.ok() ? Read(file.path, done, &release) : file.status;
    ++done.done;
    const std::string of_artifact = ReleaseText(release);
    if (module.ok() && !of_artifact.empty() && !absl::GetFlag(FLAGS_quiet)) {
      std::cerr << "indim: note: " << file.path << " is an artifact "
                << of_artifact << "\n";
    }
    if (!module.ok()) {
      exit = Fail(module.status());
      continue;
    }
    if (absl::GetFlag(FLAGS_stablehlo)) {
      const absl::StatusOr<std::string> text = StablehloText(*module);
      if (!text.ok()) {
        exit = Fail(WithFileName(file.path, text.status()));
        continue;
      }
      std::cout << *text << std::flush;
      if (!std::cout.good()) break;  // main says so
      continue;
    }
    const absl::Status printed = PrintHloText(
        *module, options, [](absl::string_view text) { std::cout << text; });
    std::cout << std::flush;
    if (!std::cout.good()) break;  // main says so
    if (!printed.ok()) {
      exit = Fail(absl::ResourceExhaustedError(
          absl::StrCat(file.path, ": ", printed.message(),
                       " (--max-body-mib allows more)")));
    }
  }
  return exit;
}

namespace {

// Of two lines, one of which is very long, the place where they part.
void CutAroundDifference(std::string* a, std::string* b) {
  constexpr size_t kMost = 200, kBefore = 40, kBehind = 100;
  if (std::max(a->size(), b->size()) <= kMost) return;
  const auto parted = std::mismatch(
      a->begin(),
      a->begin() + static_cast<std::ptrdiff_t>(std::min(a->size(), b->size())),
      b->begin());
  const auto at = static_cast<size_t>(parted.first - a->begin());
  for (std::string* const line : {a, b}) {
    if (line->size() > at + kBehind) {
      line->replace(at + kBehind, std::string::npos, "...");
    }
    if (at > kBefore) line->replace(0, at - kBefore, "...");
  }
}

// The first change of a diff: where it is, the old line and the new one.
std::string FirstChange(const std::string& diff) {
  std::string where, removed, added;
  for (const absl::string_view line : absl::StrSplit(diff, '\n')) {
    const bool is_change =
        absl::StartsWith(line, "-") || absl::StartsWith(line, "+");
    if (absl::StartsWith(line, "@@")) {
      if (!removed.empty()) break;
      where = absl::StrCat(line, " ");
    } else if (is_change) {
      // At most one of each, the old one first.
      if (!removed.empty() && line[0] == '-') break;
      (line[0] == '-' ? removed : added) =
          std::string(absl::StripAsciiWhitespace(line.substr(1)));
      if (line[0] == '+') break;
    } else if (!removed.empty()) {
      break;
    }
  }
  CutAroundDifference(&removed, &added);
  return absl::StrCat(where, removed.empty() ? "" : "- ", removed,
                      removed.empty() || added.empty() ? "" : "  ",
                      added.empty() ? "" : "+ ", added);
}

}  // namespace

int RunDiff(absl::Span<const std::string> files) {
  StartProgress(absl::GetFlag(FLAGS_quiet));
  DiffOptions options;
  options.color = WantsColor() && !absl::GetFlag(FLAGS_first);
  options.metadata = absl::GetFlag(FLAGS_compare_metadata);
  options.layouts = absl::GetFlag(FLAGS_layouts);
  const absl::StatusOr<Module> a = Read(files[0]);
  if (!a.ok()) return Fail(a.status());
  const absl::StatusOr<Module> b = Read(files[1]);
  if (!b.ok()) return Fail(b.status());
  ProgressStage stage(InstructionsText("comparing", *a));
  const ModuleDiff diff = DiffModules(*a, *b, options);
  stage.Done();
  if (diff.equal()) return kExitOk;
  if (absl::GetFlag(FLAGS_first)) {
    std::cout << FirstChange(diff.text) << "\n";
    return kExitErrors;
  }
  std::cout << "--- " << files[0] << "\n+++ " << files[1] << "\n" << diff.text;
  return kExitErrors;
}

int RunFingerprint(absl::Span<const std::string> files) {
  int exit = kExitOk;
  for (const std::string& file : files) {
    const absl::StatusOr<Module> module = Read(file);
    if (!module.ok()) {
      exit = Fail(module.status());
      continue;
    }
    std::cout << Fingerprint(*module) << "  " << file << "\n";
  }
  return exit;
}

}  // namespace indim
