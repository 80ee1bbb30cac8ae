#include "indim/examples/models/adam.h"

#include "indim/builder/composites/reductions.h"

namespace indim {

void AdamStep(ComputationBuilder& b, Op step, const std::vector<Op>& gradients,
              double rate, std::vector<Op>* weights, Adam* adam) {
  Op t = b.ConvertElementType(step + 1, ElementType::kF32);
  Op mean_weight = 1 - b.Pow(0.9, t);
  Op square_weight = 1 - b.Pow(0.999, t);
  for (size_t i = 0; i < weights->size(); ++i) {
    Op& mean = adam->mean[i];
    Op& square = adam->square[i];
    mean = 0.9 * mean + 0.1 * gradients[i];
    square = 0.999 * square + 0.001 * gradients[i] * gradients[i];
    (*weights)[i] -=
        rate * (mean / mean_weight) / (b.Sqrt(square / square_weight) + 1e-8);
  }
}

namespace {

struct Fit {
  std::vector<Op> weights;
  Adam adam;
  auto Members() { return std::tie(weights, adam); }
};

}  // namespace

absl::StatusOr<Module> FitLine(int64_t steps) {
  ComputationBuilder b("fit_line");
  Op x = b.Parameter("f32[64,3]", "x");
  Op y = b.Parameter("f32[64]", "y");
  const std::vector<Op> zeros = {b.Splat(0, "f32[3]"), b.Splat(0, "f32[]")};
  Fit fit = {zeros, {zeros, zeros}};
  fit = b.ForLoop(steps, fit, [&](Op step, Fit now) {
    Op error = b.Dot(x, now.weights[0]) + now.weights[1] - y;
    const std::vector<Op> gradients = {b.Dot(error, x) / 32, 2 * Mean(error)};
    AdamStep(b, step, gradients, 0.1, &now.weights, &now.adam);
    return now;
  });
  return b.Build(b.Tuple(fit));
}

}  // namespace indim
