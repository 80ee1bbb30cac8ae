// SPDX-License-Identifier: Apache-2.0
// ExpandBroadcasts: replaces every implicit broadcast by explicit broadcast and
// reshape instructions, which XLA requires. The result obeys XLA's rules and
// lacks the mark of a recorded graph.
//
// For BroadcastRule::kXla it emits the instructions of XLA's builder (source:
// XLA, xla_builder.cc BinaryOp), unless those compute something other than the
// rule; other rules expand by their BroadcastPlan.
//
// Named sizes keep their names, in the broadcasts too: Refine
// (passes/sizes/refine.h) gives them the values that XLA needs.

#ifndef INDIM_PASSES_EXPORT_EXPAND_BROADCASTS_H_
#define INDIM_PASSES_EXPORT_EXPAND_BROADCASTS_H_

#include "absl/functional/function_ref.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"

namespace indim {

struct ExpandResult {
  Module module;  // unchanged when the report has an error
  Report report;  // why an instruction couldn't be expanded

  bool ok() const { return report.ok(); }
};

// Every instruction must have its shape (InferShapes). Existing instructions
// keep their names and ids; new ones get unique names. Computations without
// implicit broadcasts are copied whole.
ExpandResult ExpandBroadcasts(Module module);

// What every writer of other formats begins with: infers missing shapes,
// verifies the module (without `verify` only the shapes), calls
// prepare(&module, &report), and expands. A module that a builder recorded is
// verified again, since a builder accepts more than XLA's verifier. Ends with
// the first error.
ExpandResult VerifyAndExpand(
    Module module, bool verify,
    absl::FunctionRef<void(Module* module, Report* report)> prepare);

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_EXPAND_BROADCASTS_H_
