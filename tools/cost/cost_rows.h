// SPDX-License-Identifier: Apache-2.0
// A report of costs put together by what people ask about: opcodes, source
// lines, scopes, computations.

#ifndef INDIM_TOOLS_COST_COST_ROWS_H_
#define INDIM_TOOLS_COST_COST_ROWS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/passes/cost/cost.h"

namespace indim {

enum class CostKey {
  kInstruction,  // main/add.3
  kOpcode,
  kLine,   // of the source: model.py:12
  kScope,  // the op_name of JAX without its last part
  kLayer,  // the scope with forward and backward together, and numbers as *
  kComputation,
};

// The words of --by: "instruction", "opcode", "line", "scope", "layer",
// "computation".
absl::string_view Name(CostKey key);
std::optional<CostKey> CostKeyFromName(absl::string_view name);

struct CostSum {
  std::string key;
  Costs costs;
  Costs on_device;  // nothing where report.is_cut is false
};

// Rows of what costs anything, the dearest first: by operations, then by bytes.
// Of scopes and layers the first `depth` parts count; 0: all.
std::vector<CostSum> CostSums(const CostReport& report, CostKey by,
                              int64_t depth = 0);

// Weights of branches for CostOptions, each of them "cond.3=0.9:0.1". Errors:
// InvalidArgument for a text of another form.
absl::StatusOr<std::map<std::string, std::vector<double>>> BranchWeightsFrom(
    absl::Span<const std::string> texts);

}  // namespace indim

#endif  // INDIM_TOOLS_COST_COST_ROWS_H_
