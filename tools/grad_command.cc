// SPDX-License-Identifier: Apache-2.0
// indim grad: the derivative of a module.

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "indim/grad/gradient.h"
#include "indim/ir/module.h"
#include "indim/proto/wire/printable.h"
#include "indim/shape/diagnostics/rendered.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/suggest.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/module_job.h"

namespace indim {

namespace {

LoopMemory MemoryOfLoops(absl::string_view word) {
  if (word == "states") return LoopMemory::kStates;
  if (word == "segments") return LoopMemory::kSegments;
  if (word == "nothing") return LoopMemory::kNothing;
  return LoopMemory::kResiduals;
}

// The entry's parameters, by number.
std::vector<std::string> ParameterNames(const Module& module) {
  std::vector<std::string> names(module.entry().signature().parameters.size());
  for (const Instruction i : module.entry().instructions()) {
    if (i.opcode() != Opcode::kParameter) continue;
    const auto number =
        static_cast<size_t>(As<ParameterAttributes>(i.attributes()).number);
    if (number < names.size()) names[number] = i.text_name();
  }
  return names;
}

// "there are x, w and i": what --wrt may name.
std::string KnownParameters(const std::vector<std::string>& names) {
  constexpr size_t kMost = 8;
  if (names.empty()) return "there are no parameters";
  if (names.size() == 1) {
    return absl::StrCat("there is parameter 0 alone, ", Printable(names[0]));
  }
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() < kMost) shown.push_back(Printable(name));
  }
  return absl::StrCat("there are parameters 0 to ", names.size() - 1, ", ",
                      absl::StrJoin(shown, ", "),
                      names.size() > kMost ? ", ..." : "");
}

// The numbers of the parameters that `words` names or numbers.
absl::StatusOr<std::vector<int64_t>> ReadWrt(
    const std::vector<std::string>& words, const Module& module) {
  const std::vector<std::string> names = ParameterNames(module);
  std::vector<int64_t> wrt;
  for (absl::string_view word : words) {
    absl::ConsumePrefix(&word, "%");
    // A name first, since it may be a number too.
    const auto found = std::find(names.begin(), names.end(), word);
    int64_t number = found - names.begin();
    if (found == names.end() && !absl::SimpleAtoi(word, &number)) {
      const absl::string_view near = NearestName(
          word, std::vector<absl::string_view>(names.begin(), names.end()));
      return absl::InvalidArgumentError(absl::StrCat(
          "--wrt=", Printable(word), ": no parameter is called so; ",
          near.empty() ? KnownParameters(names)
                       : absl::StrCat("did you mean ", near, "?")));
    }
    if (number < 0 || number >= static_cast<int64_t>(names.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("--wrt=", number, ": ", KnownParameters(names)));
    }
    wrt.push_back(number);
  }
  return wrt;
}

}  // namespace

int RunGrad(absl::Span<const std::string> files) {
  GradientOptions options;
  options.loops = MemoryOfLoops(absl::GetFlag(FLAGS_loops));
  options.loop_bound = absl::GetFlag(FLAGS_loop_bound);
  absl::StatusOr<Job> job = BeginJob(files[0], /*writes=*/true);
  if (!job.ok()) return Fail(job.status());
  const absl::StatusOr<std::vector<int64_t>> wrt =
      ReadWrt(absl::GetFlag(FLAGS_wrt), job->module);
  if (!wrt.ok()) return Fail(WithFileName(files[0], wrt.status()));
  std::vector<RenderedDiagnostic> warnings;
  options.conjugate = absl::GetFlag(FLAGS_complex) == "conjugate";
  options.warnings = &warnings;
  std::vector<KeptValue> kept;
  const bool explains =
      absl::GetFlag(FLAGS_explain) && !absl::GetFlag(FLAGS_forward);
  if (explains) options.kept = &kept;
  absl::StatusOr<Module> derivative =
      absl::GetFlag(FLAGS_forward) ? Tangents(job->module, *wrt, options)
                                   : Gradient(job->module, *wrt, options);
  for (const RenderedDiagnostic& w : warnings) std::cerr << w.text;
  if (!derivative.ok()) return FailOnGraph(files[0], derivative.status());
  if (explains) std::cerr << KeptText(kept);
  job->module = *std::move(derivative);
  return FinishJob(*job);
}

}  // namespace indim
