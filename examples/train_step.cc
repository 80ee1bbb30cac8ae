#include "indim/examples/train_step.h"

#include "indim/builder/composites/einsum.h"
#include "indim/builder/composites/losses.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/reductions.h"

namespace indim {

absl::StatusOr<Module> TrainStep(const TrainStepOptions& options) {
  ComputationBuilder b("train_step");
  b.set_sharding(options.data_sharding);
  Op x = b.Parameter("f32[32,16]", "x");
  Op y = b.Parameter("f32[32,5]", "y");
  b.set_sharding(options.weight_sharding);
  Op w1 = b.Parameter("f32[16,24]", "w1");
  Op b1 = b.Parameter("f32[24]", "b1");
  Op w2 = b.Parameter("f32[24,5]", "w2");
  Op b2 = b.Parameter("f32[5]", "b2");
  b.set_sharding({});

  // {1}: a bias goes along dim 1.
  Op hidden = b.Tanh(b.Add(b.Dot(x, w1), b1, {1}));
  Op logits = b.Add(b.Dot(hidden, w2), b2, {1});
  Op loss = Mean(SoftCrossEntropy(logits, y));

  // What the loss changes by, for each value on the way back.
  Op d_logits = (Softmax(logits) - y) / 32;
  Op d_hidden = Einsum("nc,hc->nh", {d_logits, w2}) * (1 - hidden * hidden);
  w1 -= options.rate * b.Dot(b.Transpose(x), d_hidden);
  b1 -= options.rate * ReduceSum(d_hidden, {0});
  w2 -= options.rate * b.Dot(b.Transpose(hidden), d_logits);
  b2 -= options.rate * ReduceSum(d_logits, {0});
  return b.Build(b.Tuple({w1, b1, w2, b2, loss}), options.build);
}

}  // namespace indim
