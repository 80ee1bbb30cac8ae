// SPDX-License-Identifier: Apache-2.0
// indim check: infer and verify, one summary a file and every diagnostic.

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/flags/flag.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/ir/report.h"
#include "indim/passes/structure/structure.h"
#include "indim/shape/types/suggest.h"
#include "indim/stablehlo/read.h"
#include "indim/tools/arguments.h"
#include "indim/tools/check/check_module.h"
#include "indim/tools/check/check_output.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"
#include "indim/tools/output/progress.h"

namespace indim {
namespace {

// The command line's words, read.
struct CheckOptions {
  CheckFormat format = CheckFormat::kText;
  CheckOutputOptions output;
  VerifyOptions verify;
  std::set<Code> disabled;
};

absl::StatusOr<CheckFormat> FormatFromFlags() {
  const std::string name = absl::GetFlag(FLAGS_format);
  const CheckFormat format =
      CheckFormatFromName(name).value_or(CheckFormat::kText);
  if (!absl::GetFlag(FLAGS_json) || format == CheckFormat::kJson) {
    return format;
  }
  if (format == CheckFormat::kText) return CheckFormat::kJson;
  return absl::InvalidArgumentError(absl::StrCat(
      "--json is --format=json, but --format=", name, " is given"));
}

absl::StatusOr<std::set<Code>> DisabledCodes(
    const std::vector<std::string>& words) {
  std::set<Code> codes;
  for (const std::string& word : words) {
    const std::optional<Code> code = FindCode(word);
    if (!code) {
      std::vector<std::string> ids;
      std::vector<absl::string_view> names;
      for (const CodeInfo& info : AllCodes()) {
        ids.push_back(CodeText(info.code));
        names.push_back(info.slug);
      }
      // Of numbers none is nearer than another.
      const bool is_number =
          absl::c_all_of(absl::StripPrefix(word, "IND"), absl::ascii_isdigit);
      if (!is_number) names.insert(names.end(), ids.begin(), ids.end());
      const absl::string_view near = NearestName(word, names);
      return absl::InvalidArgumentError(absl::StrCat(
          "--disable=", word, ": no code has this number or name; ",
          near.empty() ? "" : absl::StrCat("did you mean ", near, "? "),
          "indim explain codes lists them"));
    }
    if (Info(*code).kind == CodeKind::kUnreadable) {
      return absl::InvalidArgumentError(
          absl::StrCat("--disable=", word,
                       ": a file that can't be read is always an error"));
    }
    codes.insert(*code);
  }
  return codes;
}

absl::StatusOr<CheckOptions> CheckOptionsFromFlags() {
  CheckOptions options;
  options.verify.mode = BroadcastableModeFromName(absl::GetFlag(FLAGS_mode))
                            .value_or(options.verify.mode);
  const absl::StatusOr<CheckFormat> format = FormatFromFlags();
  if (!format.ok()) return format.status();
  options.format = *format;
  // A person sees some of each kind and a count, a program all.
  if (*format != CheckFormat::kText) {
    options.verify.max_per_code = kAllDiagnostics;
  }
  absl::StatusOr<std::set<Code>> disabled =
      DisabledCodes(absl::GetFlag(FLAGS_disable));
  if (!disabled.ok()) return disabled.status();
  options.disabled = *std::move(disabled);
  options.output.verbose = absl::GetFlag(FLAGS_verbose);
  options.output.quiet = absl::GetFlag(FLAGS_quiet);
  options.output.warnings_are_errors = absl::GetFlag(FLAGS_werror);
  return options;
}

// One module of a file, of which `file` has what is known before the check;
// `violations` are the constraints that it breaks.
int CheckOne(Module module, const absl::Status& violations,
             const CheckOptions& options, const VerifyOptions& verify,
             CheckedFile file, CheckOutput* output) {
  if (options.disabled.count(Code::kStablehloConstraint) == 0) {
    file.status = violations;
  }
  const CheckedModule checked =
      CheckModule(std::move(module), verify, options.disabled);
  const VerifyResult& result = checked.result;
  file.module = &checked.module;
  file.result = &result;
  output->Add(file);
  const bool ok = file.status.ok() && result.ok() &&
                  !(options.output.warnings_are_errors &&
                    result.report.warning_count() > 0);
  return ok ? kExitOk : kExitErrors;
}

int CheckFile(const PathInFolder& path, const CheckOptions& options,
              const FilesDone& done, CheckOutput* output) {
  ProgressStage stage(done.Text(ReadingText(path.path)));
  std::vector<Module> further;
  std::vector<absl::Status> violations;
  StablehloRelease release;
  absl::StatusOr<WrappedModule> module =
      path.status.ok()
          ? ReadModuleToCheck(path.path, &further, &violations, &release)
          : path.status;
  if (!module.ok()) {
    CheckedFile file;
    file.path = path.path;
    file.status = module.status();
    stage.Done();
    output->Add(file);
    return kExitUsage;
  }
  VerifyOptions verify = options.verify;
  verify.devices = module->wrapper.devices();
  stage.Next(done.Text(InstructionsText("checking", module->module)));
  further.insert(further.begin(), std::move(module->module));
  violations.resize(further.size());  // HLO has none
  CheckedFile file;
  file.path = path.path;
  file.release = release.written_for;
  file.needs = release.needs;
  file.release_text = ReleaseText(release);
  file.count = static_cast<int64_t>(further.size());
  int exit = kExitOk;
  for (size_t i = 0; i < further.size(); ++i) {
    if (i + 1 == further.size()) stage.Done();
    file.number = static_cast<int64_t>(i) + 1;
    exit = std::max(exit, CheckOne(std::move(further[i]), violations[i],
                                   options, verify, file, output));
  }
  return exit;
}

}  // namespace

int RunCheck(absl::Span<const std::string> files) {
  const absl::StatusOr<CheckOptions> options = CheckOptionsFromFlags();
  if (!options.ok()) return Fail(options.status());
  const std::unique_ptr<CheckOutput> output =
      MakeCheckOutput(options->format, options->output, std::cout);
  int exit = kExitOk;
  StartProgress(absl::GetFlag(FLAGS_quiet));
  output->Begin();
  ProgressStage listing("looking for modules");
  const std::vector<PathInFolder> paths = ModuleFiles(files);
  listing.Done();
  FilesDone done{0, paths.size()};
  for (const PathInFolder& file : paths) {
    exit = std::max(exit, CheckFile(file, *options, done, output.get()));
    ++done.done;
    if (!std::cout.good()) break;  // main says so
  }
  output->End(exit);
  return exit;
}

}  // namespace indim
