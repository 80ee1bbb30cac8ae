// SPDX-License-Identifier: Apache-2.0
// indim run: a module on real XLA, through a PJRT plugin.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "indim/eval/evaluator.h"
#include "indim/io/read.h"
#include "indim/run/client.h"
#include "indim/run/executable.h"
#include "indim/run/isolated.h"
#include "indim/run/pass_library.h"
#include "indim/run/plugin.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/output/progress.h"
#include "indim/tools/task.h"
#include "indim/tools/values/compare_values.h"
#include "indim/tools/values/device_values.h"

namespace indim {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// "1.75 us", "12.3 ms", "4.2 s": three digits.
std::string TimeText(double seconds) {
  if (seconds < 1e-3) return absl::StrFormat("%.3g us", seconds * 1e6);
  if (seconds < 1) return absl::StrFormat("%.3g ms", seconds * 1e3);
  return absl::StrFormat("%.3g s", seconds);
}

// The time that a part of the runs stayed within; `times` ascend.
std::string Within(const std::vector<double>& times, double part) {
  const auto at =
      static_cast<size_t>(std::ceil(part * static_cast<double>(times.size())));
  return TimeText(times[std::max<size_t>(at, 1) - 1]);
}

void PrintTimes(const pjrt::Client& client, double compiling,
                std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::cerr << "indim: on " << client.platform_name() << ": compiled in "
            << TimeText(compiling) << "; of " << times.size()
            << " runs the fastest took " << TimeText(times.front())
            << ", the median " << Within(times, 0.5) << ", 90% at most "
            << Within(times, 0.9) << ", 99% " << Within(times, 0.99) << ", all "
            << TimeText(times.back()) << "\n";
}

// By device, then by input.
using Inputs = std::vector<std::vector<pjrt::Buffer>>;

// Whether the module's input_output_alias has given a buffer to a run.
absl::StatusOr<bool> AnyDeleted(const Inputs& inputs) {
  for (const std::vector<pjrt::Buffer>& of_device : inputs) {
    for (const pjrt::Buffer& input : of_device) {
      absl::StatusOr<bool> deleted = input.IsDeleted();
      if (!deleted.ok() || *deleted) return deleted;
    }
  }
  return false;
}

absl::Status RunOnce(const pjrt::Executable& executable, const Inputs& inputs) {
  const absl::StatusOr<pjrt::ShardedExecution> run =
      executable.ExecuteSharded(inputs);
  if (!run.ok()) return run.status();
  absl::Status status;
  for (const pjrt::Event& done : run->done) status.Update(done.Await());
  return status;
}

// Runs as often as `repeat` says and keeps the time of each run.
absl::Status Repeat(const pjrt::Executable& executable,
                    const std::vector<Literal>& arguments, int64_t repeat,
                    std::vector<double>* times) {
  absl::StatusOr<Inputs> inputs = executable.ToDevices(arguments);
  for (int64_t i = 0; i < repeat; ++i) {
    if (!inputs.ok()) return inputs.status();
    const Clock::time_point start = Clock::now();
    const absl::Status status = RunOnce(executable, *inputs);
    if (!status.ok()) return status;
    times->push_back(SecondsSince(start));
    const absl::StatusOr<bool> deleted = AnyDeleted(*inputs);
    if (!deleted.ok()) return deleted.status();
    if (*deleted) inputs = executable.ToDevices(arguments);
  }
  return absl::OkStatus();
}

// What the evaluator computes, on as many devices.
absl::StatusOr<Literal> EvaluateToCompare(const Task& task) {
  const absl::StatusOr<EvalDevices> devices =
      DevicesOf(task.module, absl::GetFlag(FLAGS_devices));
  if (!devices.ok()) return devices.status();
  std::vector<std::vector<Literal>> inputs;
  for (const Literal& input : task.inputs) inputs.push_back({input});
  absl::StatusOr<std::vector<Literal>> results =
      EvaluateOnDevices(task.module, *devices, inputs);
  if (!results.ok()) return results.status();
  return (*results)[0];
}

// What the evaluator computes beside what the plugin did; the exit status.
int CompareWithEvaluator(const Task& task, const Literal& result) {
  const absl::StatusOr<Literal> evaluated = EvaluateToCompare(task);
  if (!evaluated.ok()) {
    std::cerr << "indim: `indim eval` can't tell: "
              << absl::StripTrailingAsciiWhitespace(
                     ErrorText(evaluated.status()))
              << "\n";
    return kExitErrors;
  }
  const ValueComparison comparison = CompareValues(result, *evaluated);
  std::cerr << "indim: beside `indim eval`: " << comparison.text << "\n";
  return comparison.ok ? kExitOk : kExitErrors;
}

// An error of XLA or of what goes into the program.
int FailToRun(const Task& task, const absl::Status& status) {
  std::cerr << absl::StripTrailingAsciiWhitespace(
                   ErrorText(WithFileName(task.path, status)))
            << "\n";
  return kExitErrors;
}

absl::StatusOr<pjrt::Client> StartClient() {
  const std::string name = absl::GetFlag(FLAGS_plugin);
  const absl::StatusOr<pjrt::Plugin> plugin =
      pjrt::Plugin::Find(name.empty() ? "cpu" : name);
  if (!plugin.ok()) return plugin.status();
  absl::StatusOr<pjrt::Client> client = pjrt::Client::Create(*plugin);
  if (!client.ok() || client->platform_name() != "cpu") return client;
  const int64_t devices = absl::GetFlag(FLAGS_devices);
  if (devices <= static_cast<int64_t>(client->devices().size())) return client;
  // A CPU has as many as one asks for; others have what they have.
  return pjrt::Client::Create(*plugin, {{{"cpu_device_count", devices}}});
}

int RunTask(const Task& task, const pjrt::Client& client,
            ProgressStage* stage) {
  stage->Next(InstructionsText("compiling", task.module));
  const Clock::time_point start = Clock::now();
  pjrt::CompileOptions options;
  options.preflight = absl::GetFlag(FLAGS_preflight);
  options.devices = absl::GetFlag(FLAGS_devices);
  const absl::StatusOr<pjrt::Executable> executable =
      pjrt::CanIsolate() && absl::GetFlag(FLAGS_pass).empty()
          ? pjrt::CompileIsolated(client, task.module, options)
          : client.Compile(task.module, options);
  const double compiling = SecondsSince(start);
  if (!executable.ok()) return FailToRun(task, executable.status());
  stage->Next(InstructionsText("running", task.module));
  const absl::StatusOr<Literal> result = executable->Run(task.inputs);
  if (!result.ok()) return FailToRun(task, result.status());
  const int64_t repeat = absl::GetFlag(FLAGS_repeat);
  std::vector<double> times;
  const absl::Status repeated =
      Repeat(*executable, task.inputs, repeat, &times);
  if (!repeated.ok()) return FailToRun(task, repeated);
  stage->Done();
  int status = FinishTask(task, *result);
  if (!times.empty()) PrintTimes(client, compiling, std::move(times));
  if (absl::GetFlag(FLAGS_compare)) {
    status = std::max(status, CompareWithEvaluator(task, *result));
  }
  return status;
}

// Runs the task with the passes of the libraries that --pass names.
int RunWithPasses(const Task& task, const pjrt::Client& client,
                  ProgressStage* stage) {
  const std::vector<std::string> paths = absl::GetFlag(FLAGS_pass);
  std::vector<pjrt::RegisteredPass> passes;
  for (const std::string& path : paths) {
    absl::StatusOr<pjrt::RegisteredPass> pass =
        pjrt::RegisterPassLibrary(client.plugin(), path);
    if (!pass.ok()) return Fail(pass.status());
    passes.push_back(*std::move(pass));
  }
  const int status = RunTask(task, client, stage);
  for (size_t i = 0; i < passes.size(); ++i) {
    const pjrt::PassCounts counts = passes[i].counts();
    std::cerr << "indim: the pass of " << paths[i] << ": calls " << counts.calls
              << ", changed " << counts.changed << ", failed " << counts.failed
              << ", in " << TimeText(absl::ToDoubleSeconds(counts.time))
              << "\n";
  }
  return status;
}

}  // namespace

int RunRun(absl::Span<const std::string> files) {
  return WithTask(files, [](const Task& task, ProgressStage* stage) -> int {
    stage->Next("starting the plugin");
    const absl::StatusOr<pjrt::Client> client = StartClient();
    return client.ok() ? RunWithPasses(task, *client, stage)
                       : Fail(client.status());
  });
}

}  // namespace indim
