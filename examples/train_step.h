// One step of training, as a graph: a network of two layers, its loss, the
// gradients of it, and the new weights. mlp.py is the same in Python.
//
//   hidden = tanh(x . w1 + b1)
//   loss   = mean over rows of -sum(y * log_softmax(hidden . w2 + b2))
//   w     := w - rate * dloss/dw        for each of w1, b1, w2, b2
//
// Parameters: x f32[32,16], y f32[32,5] (one 1 in each row), w1 f32[16,24],
// b1 f32[24], w2 f32[24,5], b2 f32[5]. Result: the tuple (w1, b1, w2, b2,
// loss), so a step's result is the next one's argument.

#ifndef INDIM_EXAMPLES_TRAIN_STEP_H_
#define INDIM_EXAMPLES_TRAIN_STEP_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "indim/builder/computation_builder.h"
#include "indim/ir/module.h"

namespace indim {

struct TrainStepOptions {
  double rate = 0.5;
  // How x and y, and how the weights lie on several devices (sharding.h); XLA's
  // partitioner does the rest. nullopt: there is one device.
  std::optional<std::string> data_sharding = {};
  std::optional<std::string> weight_sharding = {};
  BuildOptions build = {};
};

absl::StatusOr<Module> TrainStep(const TrainStepOptions& options = {});

}  // namespace indim

#endif  // INDIM_EXAMPLES_TRAIN_STEP_H_
