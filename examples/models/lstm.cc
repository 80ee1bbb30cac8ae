#include "indim/examples/models/lstm.h"

#include <utility>
#include <vector>

#include "indim/builder/composites/shaping.h"

namespace indim {

LstmState LstmCell(ComputationBuilder& b, const LstmWeights& weights,
                   const LstmState& state, Op x) {
  Op sums = b.Dot(x, weights.input) + b.Dot(state.hidden, weights.hidden);
  const std::vector<Op> gates = Split(b.Add(sums, weights.bias, {1}), 4, -1);
  Op cell = b.Logistic(gates[1]) * state.cell +
            b.Logistic(gates[0]) * b.Tanh(gates[2]);
  return {b.Logistic(gates[3]) * b.Tanh(cell), cell};
}

absl::StatusOr<Module> Lstm() {
  ComputationBuilder b("lstm");
  Op x = b.Parameter("f32[12,4,8]", "x");
  const LstmWeights weights = {b.Parameter("f32[8,64]", "input"),
                               b.Parameter("f32[16,64]", "hidden"),
                               b.Parameter("f32[64]", "bias")};
  Op zeros = b.Splat(0, "f32[4,16]");
  const auto [last, all] =
      b.Scan(LstmState{zeros, zeros}, x, [&](LstmState state, Op x_now) {
        state = LstmCell(b, weights, state, x_now);
        return std::pair(state, state.hidden);
      });
  return b.Build(b.Tuple({last.hidden, last.cell, all}));
}

}  // namespace indim
