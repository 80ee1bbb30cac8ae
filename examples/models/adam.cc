#include "indim/examples/models/adam.h"

#include <vector>

#include "indim/builder/composites/optimizers.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/computation_builder.h"
#include "indim/grad/builder_gradient.h"

namespace indim {

absl::StatusOr<Module> FitLine(int64_t steps) {
  ComputationBuilder b("fit_line");
  Op x = b.Parameter("f32[64,3]", "x");
  Op y = b.Parameter("f32[64]", "y");
  std::vector<AdamState> fit;
  for (const char* shape : {"f32[3]", "f32[]"}) {
    Op zeros = b.Splat(0, shape);
    fit.push_back({zeros, zeros, zeros});
  }
  fit = b.ForLoop(steps, fit, [&](Op step, std::vector<AdamState> now) {
    Op w = now[0].weight, c = now[1].weight;
    Op error = b.Dot(x, w) + c - y;
    const std::vector<Op> gradients = Gradient(Mean(error * error), {w, c});
    for (size_t i = 0; i < now.size(); ++i) {
      now[i] = Adam(now[i].weight, gradients[i], now[i].mean, now[i].square,
                    step, 0.1);
    }
    return now;
  });
  return b.Build(b.Tuple({fit[0].weight, fit[1].weight, fit[0].mean,
                          fit[1].mean, fit[0].square, fit[1].square}));
}

}  // namespace indim
