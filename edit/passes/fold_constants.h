// SPDX-License-Identifier: Apache-2.0
// FoldConstants: replaces instructions that depend on constants alone by their
// values.

#ifndef INDIM_EDIT_PASSES_FOLD_CONSTANTS_H_
#define INDIM_EDIT_PASSES_FOLD_CONSTANTS_H_

#include <cstdint>

#include "indim/edit/editor.h"
#include "indim/eval/fold.h"

namespace indim {

struct FoldOptions {
  // Results with more elements aren't folded.
  int64_t max_elements = 1024;
  // Limits of the evaluation of one instruction.
  EvalOptions limits = ConstantFolder::DefaultLimits();
};

// Replaces every instruction with operands, all of which are constants (or were
// folded), by a constant of its value, in order. The constant has the
// instruction's shape, metadata and sharding; the instruction is erased, its
// operands stay (RemoveDeadCode). Not folded: tuples, instructions with side
// effects or control dependencies, operations that the evaluator doesn't
// compute (WhyNotEvaluated), instructions whose callees were edited, shapes
// without static sizes, and what exceeds the limits. The evaluator rounds each
// operation as its type does; a compiler may compute a transcendental function
// with other last bits. Returns how many it folded.
int64_t FoldConstants(Editor* editor, const FoldOptions& options = {},
                      Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_EDIT_PASSES_FOLD_CONSTANTS_H_
