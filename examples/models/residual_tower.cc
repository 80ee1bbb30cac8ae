#include "indim/examples/models/residual_tower.h"

#include "indim/builder/composites/math.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/composites/selection.h"
#include "indim/builder/composites/shaping.h"
#include "indim/examples/models/weights.h"

namespace indim {
namespace {

Op Conv(ComputationBuilder& b, Op x, int64_t size, int64_t from, int64_t to) {
  Op kernel = Weights(b, {to, from, size, size}), bias = Weights(b, {to});
  return b.Add(b.ConvWithGeneralDimensions(x, kernel, {1, 1}, Padding::kSame,
                                           "NCHW,OIHW->NCHW"),
               bias, {1});
}

Op Dense(ComputationBuilder& b, Op x, int64_t from, int64_t to) {
  Op weights = Weights(b, {from, to}), bias = Weights(b, {to});
  return b.Add(b.Dot(x, weights), bias, {1});
}

// Each filter times a factor, plus a term, that depend on the whole board.
Op SqueezeExcite(ComputationBuilder& b, Op x, int64_t filters,
                 int64_t squeezed) {
  Op y = Relu(Dense(b, Mean(x, {2, 3}), filters, squeezed));
  const std::vector<Op> parts = Split(Dense(b, y, squeezed, 2 * filters), 2, 1);
  return b.Add(b.Mul(x, b.Logistic(parts[0]), {0, 1}), parts[1], {0, 1});
}

}  // namespace

absl::StatusOr<Module> ResidualTower(const ResidualTowerSizes& s) {
  ComputationBuilder b("residual_tower");
  Op planes = b.Parameter(Shape::Of(ElementType::kF32, {s.batch, 112, 8, 8}));
  Op x = Relu(Conv(b, planes, 3, 112, s.filters));
  for (int64_t block = 0; block < s.blocks; ++block) {
    Op y = Relu(Conv(b, x, 3, s.filters, s.filters));
    y = Conv(b, y, 3, s.filters, s.filters);
    x = Relu(x + SqueezeExcite(b, y, s.filters, s.squeezed));
  }
  Op policy = Relu(Conv(b, x, 3, s.filters, s.filters));
  policy = b.Reshape(Conv(b, policy, 3, s.filters, 80), {s.batch, -1});
  policy = Take(policy, b.ConstantR1<int32_t>(s.policy_map), 1);
  Op value = b.Reshape(Relu(Conv(b, x, 1, s.filters, 32)), {s.batch, -1});
  value = Relu(Dense(b, value, 32 * 64, 128));
  return b.Build(b.Tuple({policy, Softmax(Dense(b, value, 128, 3))}));
}

}  // namespace indim
