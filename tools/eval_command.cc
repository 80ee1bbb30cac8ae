// SPDX-License-Identifier: Apache-2.0
// indim eval: what a module computes.

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "indim/eval/evaluator.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/output/progress.h"
#include "indim/tools/task.h"
#include "indim/tools/values/device_values.h"

namespace indim {
namespace {

EvalOptions Options() {
  EvalOptions options;
  options.max_steps = absl::GetFlag(FLAGS_max_steps);
  options.max_bytes = absl::GetFlag(FLAGS_max_bytes);
  return options;
}

// The inputs by parameter, each for all devices or for each of them.
absl::StatusOr<std::vector<std::vector<Literal>>> Spread(const Task& task,
                                                         size_t devices) {
  const Signature signature = task.module.entry().signature();
  std::vector<std::vector<Literal>> spread;
  for (size_t i = 0; i < task.inputs.size(); ++i) {
    if (!absl::GetFlag(FLAGS_per_device) || i >= signature.parameters.size()) {
      spread.push_back({task.inputs[i]});
      continue;
    }
    absl::StatusOr<std::vector<Literal>> parts =
        SplitByDevice(task.inputs[i], signature.parameters[i], devices);
    if (!parts.ok()) return parts.status();
    spread.push_back(*std::move(parts));
  }
  return spread;
}

absl::StatusOr<Literal> EvaluateTask(const Task& task) {
  const absl::StatusOr<EvalDevices> devices =
      DevicesOf(task.module, absl::GetFlag(FLAGS_devices));
  if (!devices.ok()) return devices.status();
  const bool per_device = absl::GetFlag(FLAGS_per_device);
  if (devices->count() == 1 && !per_device) {
    return Evaluate(task.module, task.inputs, Options());
  }
  const absl::StatusOr<std::vector<std::vector<Literal>>> inputs =
      Spread(task, devices->count());
  if (!inputs.ok()) return inputs.status();
  absl::StatusOr<std::vector<Literal>> results =
      EvaluateOnDevices(task.module, *devices, *inputs, Options());
  if (!results.ok()) return results.status();
  if (per_device) return JoinDevices(*results, devices->count());
  if (results->size() > 1) {
    std::cerr << "indim: this is the result of device 0; others differ "
                 "(--per-device gives all)\n";
  }
  return (*results)[0];
}

}  // namespace

int RunEval(absl::Span<const std::string> files) {
  return WithTask(files, [](const Task& task, ProgressStage* stage) -> int {
    stage->Next(InstructionsText("evaluating", task.module));
    const absl::StatusOr<Literal> result = EvaluateTask(task);
    stage->Done();
    if (!result.ok()) return FailOnGraph(task.path, result.status());
    return FinishTask(task, *result);
  });
}

}  // namespace indim
