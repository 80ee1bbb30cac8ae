// SPDX-License-Identifier: Apache-2.0
// Run-time checks: adds the conditions on sizes that can't be decided before
// the run to the graph.

#ifndef INDIM_PASSES_SIZES_RUN_TIME_CHECKS_H_
#define INDIM_PASSES_SIZES_RUN_TIME_CHECKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "indim/ir/module.h"

namespace indim {

enum class CheckForm {
  // A custom-call "shape_assertion" of the condition and the two sizes, with a
  // side effect and an error_message that shows them, before the instruction
  // that needs it: the form that JAX exports. A later refinement evaluates it.
  kAssertion,
  // The entry's result becomes (result, pred[]): all conditions combined, in
  // plain HLO. Callees with conditions of their own return a pred too:
  // computations of call, branches of conditional, bodies of while (whose state
  // becomes (state, pred[]), so every iteration counts).
  kPredicate,
};

struct RunTimeChecks {
  Module module;
  int64_t emitted = 0;
  // Conditions that could not be written, as texts: a symbol that is not by
  // itself a dim of one of the computation's parameters; numbers past 32 bits;
  // and, under kPredicate, conditions of computations whose callers can't
  // return a pred: conditions of loops, functions of elements (map, reduce,
  // sort, ...), fusions, and computations with shardings.
  std::vector<std::string> left_out;
};

// Reads sizes by get-dimension-size from the operands that have them, and
// symbols from the computation's parameters. Omits checks that facts prove, and
// checks that the computation has already.
RunTimeChecks AddRunTimeChecks(Module module, CheckForm form);

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_RUN_TIME_CHECKS_H_
