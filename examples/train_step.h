// One step of training, as a graph: a network of two layers, its loss, its
// gradients by hand, and the new weights.
//
//   hidden = tanh(x . w1 + b1)
//   loss   = mean over rows of -sum(y * log_softmax(hidden . w2 + b2))
//   w     := w - rate * dloss/dw        for each of w1, b1, w2, b2
//
// Parameters: x f32[batch,inputs], y f32[batch,classes] (one 1 in each row), w1
// f32[inputs,hidden], b1 f32[hidden], w2 f32[hidden,classes], b2 f32[classes].
// Result: the tuple (w1, b1, w2, b2, loss), so a step's result is the next
// one's argument.

#ifndef INDIM_EXAMPLES_TRAIN_STEP_H_
#define INDIM_EXAMPLES_TRAIN_STEP_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "indim/builder/computation_builder.h"
#include "indim/ir/module.h"

namespace indim {

struct TrainStepSizes {
  int64_t batch = 32;
  int64_t inputs = 16;
  int64_t hidden = 24;
  int64_t classes = 5;
  double rate = 0.5;
  // More than 1: the rows of x and y are spread over so many devices, and each
  // has all weights; XLA's partitioner does the rest.
  int64_t devices = 1;
};

absl::StatusOr<Module> TrainStep(const TrainStepSizes& sizes,
                                 const BuildOptions& options = {});

}  // namespace indim

#endif  // INDIM_EXAMPLES_TRAIN_STEP_H_
