#include "indim/examples/train_step.h"

#include <vector>

#include "indim/builder/composites/losses.h"
#include "indim/builder/composites/reductions.h"
#include "indim/grad/builder_gradient.h"

namespace indim {

absl::StatusOr<Module> TrainStep(const TrainStepOptions& options) {
  ComputationBuilder b("train_step");
  b.set_sharding(options.data_sharding);
  Op x = b.Parameter("f32[32,16]", "x");
  Op y = b.Parameter("f32[32,5]", "y");
  b.set_sharding(options.weight_sharding);
  std::vector<Op> w = {
      b.Parameter("f32[16,24]", "w1"), b.Parameter("f32[24]", "b1"),
      b.Parameter("f32[24,5]", "w2"), b.Parameter("f32[5]", "b2")};
  b.set_sharding({});
  // {1}: a bias goes along dim 1.
  Op hidden = b.Tanh(b.Add(b.Dot(x, w[0]), w[1], {1}));
  Op logits = b.Add(b.Dot(hidden, w[2]), w[3], {1});
  Op loss = Mean(SoftCrossEntropy(logits, y));
  std::vector<Op> gradients = Gradient(loss, w);
  for (size_t i = 0; i < 4; ++i) w[i] -= options.rate * gradients[i];
  w.push_back(loss);
  return b.Build(b.Tuple(w), options.build);
}

}  // namespace indim
