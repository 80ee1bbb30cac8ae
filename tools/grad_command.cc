// SPDX-License-Identifier: Apache-2.0
// indim grad: the derivative of a module.

#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/grad/gradient.h"
#include "indim/shape/diagnostics/rendered.h"
#include "indim/shape/diagnostics/status_errors.h"
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

}  // namespace

int RunGrad(absl::Span<const std::string> files) {
  std::vector<int64_t> wrt;
  for (const std::string& word : absl::GetFlag(FLAGS_wrt)) {
    int64_t number;
    if (!absl::SimpleAtoi(word, &number)) {
      return Fail(absl::InvalidArgumentError(
          absl::StrCat("--wrt: \"", word, "\" is no number of a parameter")));
    }
    wrt.push_back(number);
  }
  GradientOptions options;
  options.loops = MemoryOfLoops(absl::GetFlag(FLAGS_loops));
  options.loop_bound = absl::GetFlag(FLAGS_loop_bound);
  absl::StatusOr<Job> job = BeginJob(files[0], /*writes=*/true);
  if (!job.ok()) return Fail(job.status());
  const auto count =
      static_cast<int64_t>(job->module.entry().signature().parameters.size());
  for (const int64_t number : wrt) {
    if (number >= 0 && number < count) continue;
    return Fail(absl::InvalidArgumentError(absl::StrCat(
        files[0], ": --wrt=", number, ": there ",
        count == 0   ? "are no parameters"
        : count == 1 ? "is parameter 0 alone"
                     : absl::StrCat("are parameters 0 to ", count - 1))));
  }
  std::vector<RenderedDiagnostic> warnings;
  options.conjugate = absl::GetFlag(FLAGS_complex) == "conjugate";
  options.warnings = &warnings;
  std::vector<KeptValue> kept;
  const bool explains =
      absl::GetFlag(FLAGS_explain) && !absl::GetFlag(FLAGS_forward);
  if (explains) options.kept = &kept;
  absl::StatusOr<Module> derivative = absl::GetFlag(FLAGS_forward)
                                          ? Tangents(job->module, wrt, options)
                                          : Gradient(job->module, wrt, options);
  for (const RenderedDiagnostic& w : warnings) std::cerr << w.text;
  if (!derivative.ok()) return FailOnGraph(files[0], derivative.status());
  if (explains) std::cerr << KeptText(kept);
  job->module = *std::move(derivative);
  return FinishJob(*job);
}

}  // namespace indim
