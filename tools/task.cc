// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/task.h"

#include <cstdint>
#include <iostream>
#include <limits>
#include <map>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "indim/eval/values/npy.h"
#include "indim/eval/values/random_literal.h"
#include "indim/passes/sizes/refine.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"
#include "indim/tools/values/compare_values.h"
#include "indim/tools/values/device_values.h"
#include "indim/tools/values/settings.h"

namespace indim {
namespace {

// Sizes that the module leaves open become what `options` say.
void RefineSizes(const RefineOptions& options, Task* task) {
  if (!HasOpenSizes(task->module)) return;
  const Module before = task->module;
  RefineResult refined = Refine(std::move(task->module), options);
  if (!refined.report.ok())
    task->errors = RenderRefinement(before, refined, task->path);
  task->module = std::move(refined.module);
}

absl::Status MakeInputs(const std::string& text, Task* task) {
  uint64_t seed = 0;
  if (!absl::SimpleAtoi(text, &seed)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--random-inputs=", text,
                     " can't be read: expected a whole number in 0..",
                     std::numeric_limits<uint64_t>::max()));
  }
  RandomStream random(seed);
  // What sizes must meet is known of shapes that are inferred.
  RefineSizes({}, task);
  if (!task->errors.empty()) return absl::OkStatus();
  // What has one name is of one size in all of them.
  RefineSizes(RandomSettings(task->module, &random), task);
  if (!task->errors.empty()) return absl::OkStatus();
  for (const Shape& shape : task->module.entry().signature().parameters) {
    absl::StatusOr<Literal> input = RandomLiteral(shape, &random);
    if (!input.ok()) return WithFileName(task->path, input.status());
    task->inputs.push_back(*std::move(input));
  }
  RefineSizes(SettingsOf(task->inputs), task);
  return absl::OkStatus();
}

// A value of the shape and the run-time sizes of `like`, all of zeros.
absl::StatusOr<Literal> ZeroLike(const Literal& like) {
  const Shape& shape = like.shape();
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : like.elements()) {
      absl::StatusOr<Literal> zero = ZeroLike(element);
      if (!zero.ok()) return zero;
      elements.push_back(*std::move(zero));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (!shape.is_array()) return like;
  if (!like.dynamic_sizes().empty()) {
    return Literal::Bounded(shape, std::string(like.bytes().size(), '\0'),
                            like.dynamic_sizes());
  }
  return Literal::Splat(shape.element_type(), 0, SizesOf(shape));
}

absl::Status MakeZeros(Task* task) {
  const absl::Status made = MakeInputs("1", task);
  if (!made.ok()) return made;
  for (Literal& input : task->inputs) {
    absl::StatusOr<Literal> zero = ZeroLike(input);
    if (!zero.ok()) return WithFileName(task->path, zero.status());
    input = *std::move(zero);
  }
  return absl::OkStatus();
}

// "x f32[8,784], w f32[784,10]": the parameters by number, the first ones.
std::string InputsText(const Computation& entry) {
  constexpr size_t kMax = 8;
  std::map<int64_t, std::string> inputs;
  for (const Instruction i : entry.instructions()) {
    if (i.opcode() != Opcode::kParameter) continue;
    inputs.emplace(
        As<ParameterAttributes>(i.attributes()).number,
        absl::StrCat(i.name(), " ", i.shape().WithoutLayout().ToString()));
  }
  std::vector<std::string> texts;
  for (const auto& [number, text] : inputs) {
    if (texts.size() == kMax) {
      texts.push_back("...");
      break;
    }
    texts.push_back(text);
  }
  return absl::StrJoin(texts, ", ");
}

absl::Status ReadInputs(absl::Span<const std::string> files, Task* task) {
  const Signature signature = task->module.entry().signature();
  if (files.size() != signature.parameters.size()) {
    return WithFileName(
        task->path,
        absl::InvalidArgumentError(absl::StrCat(
            "the module takes an .npy file for each parameter, ",
            InputsText(task->module.entry()), "; given ",
            files.size() == 1 ? "is " : "are ", files.size(),
            " (--random-inputs=1 makes some up, --zeros takes zeros)")));
  }
  for (size_t i = 0; i < files.size(); ++i) {
    absl::StatusOr<Literal> input =
        ReadNpyFile(files[i], signature.parameters[i].element_type());
    if (!input.ok()) return input.status();
    task->inputs.push_back(*std::move(input));
  }
  RefineSizes(SettingsOf(task->inputs), task);
  return absl::OkStatus();
}

// What a snapshot was run on, where it says so and the command doesn't.
absl::Status TakeRecordedRun(const ModuleWrapper& wrapper, Task* task) {
  absl::StatusOr<RecordedRun> run = ReadRecordedRun(wrapper);
  if (!run.ok()) return WithFileName(task->path, run.status());
  if (run->arguments.empty() && !run->result) return ReadInputs({}, task);
  task->inputs = std::move(run->arguments);
  task->recorded = std::move(run->result);
  RefineSizes(SettingsOf(task->inputs), task);
  return absl::OkStatus();
}

// The result beside that of the snapshot. The exit status.
int CompareWithRecorded(const Literal& result, const Task& task) {
  if (!task.recorded) return kExitOk;
  const ValueComparison comparison = CompareValues(result, *task.recorded);
  std::cerr << "indim: beside the snapshot's result: " << comparison.text
            << "\n";
  return comparison.ok ? kExitOk : kExitErrors;
}

void Print(const Literal& result) {
  const int64_t most = absl::GetFlag(FLAGS_large_constants)
                           ? std::numeric_limits<int64_t>::max()
                           : 1000;
  std::cout << result.shape().ToString() << " " << result.ToString(most)
            << "\n";
}

absl::Status Write(const Literal& result, const std::string& path) {
  if (!result.shape().is_tuple()) return WriteNpyFile(result, path);
  const std::string stem(absl::StripSuffix(path, ".npy"));
  for (size_t i = 0; i < result.elements().size(); ++i) {
    const absl::Status written =
        Write(result.elements()[i], absl::StrCat(stem, ".", i, ".npy"));
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

// The module of the first file, and its inputs: from the other files and
// --input, made up with --random-inputs, --zeros, or those of a snapshot. Sizes
// that the module leaves open become those of the inputs.
absl::StatusOr<Task> ReadTask(absl::Span<const std::string> files) {
  absl::StatusOr<WrappedModule> module = ReadModule(files[0]);
  if (!module.ok()) return WithFileName(files[0], module.status());
  if (module->module.computation_count() == 0) {
    return WithFileName(
        files[0], absl::InvalidArgumentError("the module has no computation"));
  }
  Task task;
  task.path = files[0];
  task.module = std::move(module->module);
  std::vector<std::string> paths = absl::GetFlag(FLAGS_input);
  paths.insert(paths.end(), files.begin() + 1, files.end());
  const std::string seed = absl::GetFlag(FLAGS_random_inputs);
  if (!seed.empty() && !paths.empty()) {
    return absl::InvalidArgumentError(
        "--random-inputs makes up all inputs, so no files go with it");
  }
  const bool zeros = absl::GetFlag(FLAGS_zeros);
  if (zeros && (!seed.empty() || !paths.empty())) {
    return absl::InvalidArgumentError(
        "--zeros gives all inputs, so no files and no --random-inputs go with "
        "it");
  }
  const absl::Status made = zeros           ? MakeZeros(&task)
                            : !seed.empty() ? MakeInputs(seed, &task)
                            : paths.empty()
                                ? TakeRecordedRun(module->wrapper, &task)
                                : ReadInputs(paths, &task);
  if (!made.ok()) return made;
  return task;
}

}  // namespace

int WithTask(absl::Span<const std::string> files,
             absl::FunctionRef<int(const Task&, ProgressStage*)> with) {
  StartProgress(absl::GetFlag(FLAGS_quiet));
  const absl::Status devices = CheckDevicesFlag(absl::GetFlag(FLAGS_devices));
  if (!devices.ok()) return Fail(devices);
  ProgressStage stage(ReadingText(files[0]));
  const absl::StatusOr<Task> task = ReadTask(files);
  if (!task.ok()) return Fail(task.status());
  if (!task->errors.empty()) {
    std::cerr << task->errors;
    return kExitErrors;
  }
  return with(*task, &stage);
}

int FinishTask(const Task& task, const Literal& result) {
  const std::string output = absl::GetFlag(FLAGS_output);
  if (output.empty()) {
    Print(result);
    return CompareWithRecorded(result, task);
  }
  const absl::Status written = Write(result, output);
  return written.ok() ? CompareWithRecorded(result, task) : Fail(written);
}

}  // namespace indim
