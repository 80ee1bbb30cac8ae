// An LSTM: its cell, and the cell over a sequence, as a scan.
//
// Source: Hochreiter and Schmidhuber, Long Short-Term Memory; the gates have
// PyTorch's order.

#ifndef INDIM_EXAMPLES_MODELS_LSTM_H_
#define INDIM_EXAMPLES_MODELS_LSTM_H_

#include <tuple>

#include "absl/status/statusor.h"
#include "indim/builder/computation_builder.h"
#include "indim/ir/module.h"

namespace indim {

// f32[inputs,4*size], f32[size,4*size], f32[4*size]: for the input gate, the
// forget gate, the new values and the output gate, side by side.
struct LstmWeights {
  Op input, hidden, bias;
};

// f32[batch,size] each.
struct LstmState {
  Op hidden, cell;
  auto Members() { return std::tie(hidden, cell); }
};

// The state after the input x, f32[batch,inputs].
LstmState LstmCell(ComputationBuilder& b, const LstmWeights& weights,
                   const LstmState& state, Op x);

// Parameters: x f32[12,4,8] (time first), the weights for the size 16. Result:
// the tuple (hidden and cell after the last input, hidden after each).
absl::StatusOr<Module> Lstm();

}  // namespace indim

#endif  // INDIM_EXAMPLES_MODELS_LSTM_H_
