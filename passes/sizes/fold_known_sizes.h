// SPDX-License-Identifier: Apache-2.0
// Folds known sizes: assertions about sizes, and operations whose result's
// sizes are values of the graph.

#ifndef INDIM_PASSES_SIZES_FOLD_KNOWN_SIZES_H_
#define INDIM_PASSES_SIZES_FOLD_KNOWN_SIZES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"

namespace indim {

// The target of the custom-call that asserts conditions on sizes: its operands
// are a pred[], then the sizes for its message. JAX exports it and
// AddRunTimeChecks makes it; no XLA backend runs it.
inline constexpr absl::string_view kShapeAssertion = "shape_assertion";

struct FoldedSizes {
  Module module;
  Report report;
  int64_t assertions = 0;  // that hold and were removed
  int64_t sizes = 0;       // results that became static
};

// Evaluates in every computation the values that depend only on constants and
// static sizes (eval/fold.h), and changes instructions in place:
//   shape_assertion of true            an empty tuple
//   dynamic-reshape to known sizes     reshape, of a static operand
//   set-dimension-size to the bound    copy, of a static operand
//   slice to the end ([0:?])           the number, of a static or bounded dim
// Unknown sizes stay. Users of a result that became static keep their shapes:
// infer again when `sizes` isn't 0. Error: IND0194, an assertion of false.
FoldedSizes FoldKnownSizes(Module module);

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_FOLD_KNOWN_SIZES_H_
