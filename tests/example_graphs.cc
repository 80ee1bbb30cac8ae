// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/example_graphs.h"

#include "indim/builder/composites/math.h"
#include "indim/examples/train_step.h"

namespace indim {
namespace {

absl::StatusOr<Module> Affine(const BuildOptions& options) {
  ComputationBuilder b("affine");
  const Op x = b.Parameter(0, "f32[8,784]", "x");
  const Op w = b.Parameter(1, "f32[784,10]", "w");
  const Op bias = b.Parameter(2, "f32[10]", "bias");
  return b.Build(b.Add(b.Dot(x, w), bias, {1}), options);
}

absl::StatusOr<Module> SoftmaxOfThree(const BuildOptions& options) {
  ComputationBuilder b("softmax");
  const Op x = b.Parameter(0, "f32[3]", "x");
  return b.Build(Softmax(x), options);
}

}  // namespace

std::vector<ExampleGraph> ExampleGraphs(const BuildOptions& options) {
  TrainStepOptions train_step;
  train_step.build = options;
  return {{"affine", Affine(options)},
          {"softmax", SoftmaxOfThree(options)},
          {"train_step", TrainStep(train_step)}};
}

}  // namespace indim
