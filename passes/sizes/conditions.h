// What a graph needs of its symbolic sizes.

#ifndef INDIM_PASSES_SIZES_CONDITIONS_H_
#define INDIM_PASSES_SIZES_CONDITIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/infer/dim_condition.h"
#include "indim/shape/infer/infer.h"

namespace indim {

// One condition, and the first instruction that needs it.
struct NodeCondition {
  uint32_t computation = 0;
  uint32_t instruction = 0;  // position in the computation
  DimCondition condition;
};

struct Conditions {
  // Each once per computation, in the order of instructions, simplified; those
  // that symbols' facts or conditions before them imply are left out.
  std::vector<NodeCondition> conditions;
  // What equations, and bounds and divisors of one symbol, say together.
  SymbolScope known;
  // IND0193: a condition that no sizes meet together with what is known
  // from those before it, which are named.
  Report report;

  bool ok() const { return report.ok(); }
};

// Asks every instruction, with the shapes that are recorded. Sizes without a
// name (?, <=n) leave nothing here.
Conditions CollectConditions(const Module& module);

// "%dot.3 needs b == c", a line each.
std::string RenderConditions(const Module& module,
                             const Conditions& conditions);

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_CONDITIONS_H_
