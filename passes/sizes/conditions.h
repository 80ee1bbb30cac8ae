// SPDX-License-Identifier: Apache-2.0
// The conditions that a graph sets on its symbolic sizes.

#ifndef INDIM_PASSES_SIZES_CONDITIONS_H_
#define INDIM_PASSES_SIZES_CONDITIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/shape/broadcast/condition.h"
#include "indim/shape/dims/dim_expr.h"

namespace indim {

// One condition, and the first instruction that needs it.
struct NodeCondition {
  uint32_t computation = 0;
  uint32_t instruction = 0;  // position in the computation
  Condition condition;
};

struct Conditions {
  // Each condition once per computation, in the order of instructions,
  // simplified. Conditions that facts about the symbols or earlier conditions
  // imply are omitted.
  std::vector<NodeCondition> conditions;
  // The equations, and the bounds and divisors of single symbols, together.
  SymbolScope known;
  // IND0193: a condition that contradicts earlier ones, which the message
  // names.
  Report report;

  bool ok() const { return report.ok(); }
};

// Collects the conditions of every instruction, for the recorded shapes. Sizes
// without a name (?, <=n) give no conditions.
Conditions CollectConditions(const Module& module);

// A line for each condition: "%dot.3 needs b == c".
std::string RenderConditions(const Module& module,
                             const Conditions& conditions);

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_CONDITIONS_H_
