// What sizes must meet and isn't known before the run, as checks in the graph.

#ifndef INDIM_PASSES_SIZES_RUN_TIME_CHECKS_H_
#define INDIM_PASSES_SIZES_RUN_TIME_CHECKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "indim/ir/module.h"
#include "indim/ir/report.h"

namespace indim {

enum class CheckForm {
  // A custom-call "shape_assertion" of the condition and the two sizes, with
  // side effect and an error_message that shows them, before the instruction
  // that needs it: the form that JAX exports. What refines the module later
  // evaluates it.
  kAssertion,
  // The entry's result becomes (result, pred[]): all conditions together, in
  // plain HLO. So does that of what it calls, where something is to be checked
  // there: computations of call, branches of conditional, bodies of while
  // (whose state becomes (state, pred[]): every turn counts).
  kPredicate,
};

struct RunTimeChecks {
  Module module;
  int64_t emitted = 0;
  // Conditions that could not be written, as texts: a symbol that no parameter
  // of the computation has alone in a dim, numbers past 32 bits, and, under
  // kPredicate, those of computations whose callers can't pass a pred on:
  // loops' conditions, what is applied to elements (map, reduce, sort, ...),
  // fusions, and what carries shardings.
  std::vector<std::string> left_out;
};

// Sizes are read by get-dimension-size from the operands that have them;
// symbols from the computation's parameters. What facts prove is left out, and
// so is what was checked in the computation already.
RunTimeChecks AddRunTimeChecks(Module module, CheckForm form);

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_RUN_TIME_CHECKS_H_
