// SPDX-License-Identifier: Apache-2.0
// Questions of `indim explain` in StableHLO's own words.

#ifndef INDIM_TOOLS_EXPLAIN_EXPLAIN_STATEMENT_H_
#define INDIM_TOOLS_EXPLAIN_EXPLAIN_STATEMENT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/tools/explain/explain.h"

namespace indim {

// Whether `text` is an operation of StableHLO or CHLO as a program has it, in
// its own form or MLIR's generic one:
//
//   stablehlo.broadcast_in_dim %x, dims = [1]
//       : (tensor<3xf32>) -> tensor<2x3xf32>
//   %0 = "chlo.broadcast_add"(%x, %y)
//       : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
bool IsStatement(absl::string_view text);

// Reads it with the reader of programs, which checks what StableHLO demands,
// and explains the HLO instruction that it becomes; of several it lists them
// and says what is wrong. InvalidArgument: the reader's error.
absl::StatusOr<Explanation> ExplainStatement(absl::string_view text,
                                             const ExplainOptions& options);

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_EXPLAIN_STATEMENT_H_
