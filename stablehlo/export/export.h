// SPDX-License-Identifier: Apache-2.0
// A module of HLO as a program of StableHLO.
//
//   StablehloProgram program = ToStablehlo(module);
//   if (!program.ok()) std::cerr << ...;   // program.report
//
// It writes operations of StableHLO and CHLO only, never of XLA's own dialect
// mhlo. An instruction without a form there is an error that says what to do.
// docs/stablehlo.md has a table of the forms, and of what StableHLO can't keep.

#ifndef INDIM_STABLEHLO_EXPORT_EXPORT_H_
#define INDIM_STABLEHLO_EXPORT_EXPORT_H_

#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim {

struct StablehloOptions {
  // Write op_name and source positions as locations.
  bool locations = true;
  // Write functions of CHLO as composites of their names, with decompositions
  // in StableHLO: for portable artifacts. An operation of CHLO without one is
  // refused (IND1280).
  bool composites = false;
  // False: write gather and scatter without batching dims, which StableHLO has
  // since 1.1.0; the positions along these become indices.
  bool batching_dims = true;
  // Write what XLA keeps of Shardy in frontend attributes as Shardy's
  // attributes and operations.
  bool shardy = true;
  // False: check only each node's shape, which the writer relies on.
  bool verify = true;
};

// The offset of the operations that stand for an instruction; 0 is nobody's.
inline mlir::Offset OffsetOf(const Instruction& instruction) {
  return mlir::Offset{instruction.position()} + 1;
}

struct StablehloProgram {
  mlir::Ir ir;    // complete where the report has no error
  Module module;  // that the report's diagnostics are about
  Report report;

  bool ok() const { return report.ok(); }
};

// Infers missing shapes, verifies the module, makes implicit broadcasts
// explicit and writes it. The report has the errors of the first step that
// finds one: the errors of ExportModule (passes/export/export.h), or one for
// each instruction that has no form (IND1280).
StablehloProgram ToStablehlo(Module module,
                             const StablehloOptions& options = {});

}  // namespace indim

#endif  // INDIM_STABLEHLO_EXPORT_EXPORT_H_
