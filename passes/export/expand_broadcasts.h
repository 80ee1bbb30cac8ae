// ExpandBroadcasts: every implicit broadcast becomes explicit broadcast and
// reshape instructions, as XLA wants them. Afterwards XLA's own rules hold, no
// node has an implicit broadcast, and the module carries no mark of ours.
//
// For BroadcastRule::kXla the instructions are those that XLA's builder emits
// (reference: XLA, xla_builder.cc BinaryOp), unless they compute something else
// than the rule says; other rules expand by their BroadcastPlan.

#ifndef INDIM_PASSES_EXPORT_EXPAND_BROADCASTS_H_
#define INDIM_PASSES_EXPORT_EXPAND_BROADCASTS_H_

#include "indim/ir/module.h"
#include "indim/ir/report.h"

namespace indim {

struct ExpandResult {
  Module module;  // as it was, when the report has an error
  Report report;  // why something couldn't be expanded

  bool ok() const { return report.ok(); }
};

// Every instruction must have its shape (InferShapes). Names and ids of
// existing instructions stay; new ones get names of their own. Computations
// without implicit broadcasts are copied whole.
ExpandResult ExpandBroadcasts(Module module);

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_EXPAND_BROADCASTS_H_
