// indim eval: what a module computes.

#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/npy.h"
#include "indim/eval/random_literal.h"
#include "indim/ir/file.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"

namespace indim {
namespace {

absl::StatusOr<std::vector<Literal>> MakeInputs(const Signature& signature,
                                                const std::string& text) {
  uint64_t seed = 0;
  if (!absl::SimpleAtoi(text, &seed)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--random-inputs=", text, " is no number"));
  }
  RandomStream random(seed);
  std::vector<Literal> inputs;
  for (const Shape& shape : signature.parameters) {
    absl::StatusOr<Literal> input = RandomLiteral(shape, &random);
    if (!input.ok()) return input.status();
    inputs.push_back(*std::move(input));
  }
  return inputs;
}

absl::StatusOr<std::vector<Literal>> ReadInputs(
    const Signature& signature, absl::Span<const std::string> files) {
  if (files.size() != signature.parameters.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the module takes ", signature.parameters.size(),
                     " inputs, but ", files.size(), " are given"));
  }
  std::vector<Literal> inputs;
  for (size_t i = 0; i < files.size(); ++i) {
    const absl::StatusOr<std::string> bytes = ReadFile(files[i]);
    if (!bytes.ok()) return bytes.status();
    absl::StatusOr<Literal> input =
        ReadNpy(*bytes, signature.parameters[i].element_type());
    if (!input.ok()) return WithFileName(files[i], input.status());
    inputs.push_back(*std::move(input));
  }
  return inputs;
}

void Print(const Literal& result) {
  const int64_t most = absl::GetFlag(FLAGS_large_constants)
                           ? std::numeric_limits<int64_t>::max()
                           : 1000;
  std::cout << result.shape().ToString() << " " << result.ToString(most)
            << "\n";
}

absl::Status Write(const Literal& result, const std::string& path) {
  if (!result.shape().is_tuple()) {
    const absl::StatusOr<std::string> bytes = WriteNpy(result);
    return bytes.ok() ? WriteFile(path, *bytes) : bytes.status();
  }
  const std::string stem(absl::StripSuffix(path, ".npy"));
  for (size_t i = 0; i < result.elements().size(); ++i) {
    const absl::Status written =
        Write(result.elements()[i], absl::StrCat(stem, ".", i, ".npy"));
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

}  // namespace

int RunEval(absl::Span<const std::string> files) {
  const absl::StatusOr<WrappedModule> module =
      ReadModule(files[0], ReadOptionsFromFlags());
  if (!module.ok()) return Fail(WithFileName(files[0], module.status()));
  if (module->module.computation_count() == 0) {
    return Fail(absl::InvalidArgumentError("the module has no computation"));
  }
  const Signature signature = module->module.entry().signature();
  std::vector<std::string> paths = absl::GetFlag(FLAGS_input);
  paths.insert(paths.end(), files.begin() + 1, files.end());
  const std::string seed = absl::GetFlag(FLAGS_random_inputs);
  const absl::StatusOr<std::vector<Literal>> inputs =
      seed.empty() ? ReadInputs(signature, paths) : MakeInputs(signature, seed);
  if (!inputs.ok()) return Fail(inputs.status());
  EvalOptions options;
  options.max_steps = absl::GetFlag(FLAGS_max_steps);
  options.max_bytes = absl::GetFlag(FLAGS_max_bytes);
  const absl::StatusOr<Literal> result =
      Evaluate(module->module, *inputs, options);
  if (!result.ok()) {
    std::cerr << result.status().message();
    return kExitErrors;
  }
  if (absl::GetFlag(FLAGS_output).empty()) {
    Print(*result);
    return kExitOk;
  }
  const absl::Status written = Write(*result, absl::GetFlag(FLAGS_output));
  return written.ok() ? kExitOk : Fail(written);
}

}  // namespace indim
