// The network of Leela Chess Zero (lc0): a tower of residual blocks with
// squeeze-and-excitation over the 8 by 8 squares of a chess board, and two
// heads: a policy, whose moves a gather picks, and win, draw and loss.
//
// Source: lc0, doc/ and src/neural/onnx/converter.cc; Hu et al.,
// Squeeze-and-Excitation Networks.

#ifndef INDIM_EXAMPLES_MODELS_RESIDUAL_TOWER_H_
#define INDIM_EXAMPLES_MODELS_RESIDUAL_TOWER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/builder/computation_builder.h"
#include "indim/ir/module.h"

namespace indim {

struct ResidualTowerSizes {
  int64_t batch = 1;
  int64_t filters = 128;
  int64_t squeezed = 32;
  int64_t blocks = 10;
  // For each move its place among the 80 * 64 outputs of the policy's last
  // convolution: the plane times 64 plus the square.
  std::vector<int32_t> policy_map = {};
};

// Parameters: planes f32[batch,112,8,8]; then, in the order of the layers, the
// kernel (output, input, height, width) or weights (input, output) of each, and
// its bias; batch normalizations are folded into these. Result: the tuple
// (policy f32[batch,moves], logits; f32[batch,3], probabilities).
absl::StatusOr<Module> ResidualTower(const ResidualTowerSizes& sizes);

}  // namespace indim

#endif  // INDIM_EXAMPLES_MODELS_RESIDUAL_TOWER_H_
