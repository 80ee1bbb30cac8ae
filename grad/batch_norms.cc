// SPDX-License-Identifier: Apache-2.0
// Batch norms as sums and products.

#include <cstdint>
#include <vector>

#include "indim/grad/emit.h"
#include "indim/grad/expand.h"
#include "indim/grad/rules.h"
#include "indim/grad/tape.h"
#include "indim/shape/dims/free_dims.h"

namespace indim::internal {
namespace {

// What the batch norms have in common.
struct BatchNorm {
  BatchNorm(const Instruction& node)
      : b("batch_norm"),
        parameters(Parameters(b, node)),
        shape(node.operand(0).shape().WithoutLayout()),
        feature(As<BatchNormAttributes>(node.attributes()).feature_index),
        epsilon(As<BatchNormAttributes>(node.attributes()).epsilon),
        others(FreeDims(shape.rank(), {feature})) {
    for (const int64_t dim : others) {
      count *= static_cast<double>(shape.dim(static_cast<int>(dim)).size());
    }
  }
  // A vector of the features, as the operand's shape.
  Op Full(Op vector) { return SpreadTo(b, vector, {feature}, shape); }
  Op Sum(Op x) { return SumOver(b, x, others); }
  Op Normalized(Op mean, Op variance) {
    const Op scale = b.Rsqrt(b.Add(variance, epsilon));
    return b.Mul(b.Sub(parameters[0], Full(mean)), Full(scale));
  }

  ComputationBuilder b;
  std::vector<Op> parameters;
  Shape shape;
  int64_t feature;
  double epsilon;
  DimIndices others;
  double count = 1;
};

}  // namespace

absl::StatusOr<Module> ExpandBatchNormTraining(const Instruction& node) {
  BatchNorm n(node);
  ComputationBuilder& b = n.b;
  const Op x = n.parameters[0];
  const Op mean = b.Div(n.Sum(x), n.count);
  const Op centered = b.Sub(x, n.Full(mean));
  const Op variance = b.Div(n.Sum(b.Mul(centered, centered)), n.count);
  const Op y =
      b.Add(b.Mul(n.Normalized(mean, variance), n.Full(n.parameters[1])),
            n.Full(n.parameters[2]));
  return Finished(b, b.Tuple({y, mean, variance}));
}

absl::StatusOr<Module> ExpandBatchNormInference(const Instruction& node) {
  BatchNorm n(node);
  ComputationBuilder& b = n.b;
  return Finished(b, b.Add(b.Mul(n.Normalized(n.parameters[3], n.parameters[4]),
                                 n.Full(n.parameters[1])),
                           n.Full(n.parameters[2])));
}

absl::StatusOr<Module> ExpandBatchNormGrad(const Instruction& node) {
  BatchNorm n(node);
  ComputationBuilder& b = n.b;
  const Op scale = n.parameters[1], g = n.parameters[4];
  const Op y = n.Normalized(n.parameters[2], n.parameters[3]);
  const Op by_scale = n.Sum(b.Mul(g, y)), by_offset = n.Sum(g);
  const Op inverse = b.Rsqrt(b.Add(n.parameters[3], n.epsilon));
  const Op centered = b.Sub(b.Sub(g, n.Full(b.Div(by_offset, n.count))),
                            b.Mul(y, n.Full(b.Div(by_scale, n.count))));
  const Op by_operand = b.Mul(n.Full(b.Mul(scale, inverse)), centered);
  return Finished(b, b.Tuple({by_operand, by_scale, by_offset}));
}

}  // namespace indim::internal
