// SPDX-License-Identifier: Apache-2.0
// From a module to the program that a plugin compiles.

#ifndef INDIM_RUN_COMPILE_PROGRAM_H_
#define INDIM_RUN_COMPILE_PROGRAM_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"
#include "indim/run/compile/compile_options.h"
#include "indim/run/compile/interface.h"

namespace indim::pjrt {

// A program in a plugin's own terms.
struct Program {
  // "hlo": an HloModuleProto. "mlir": StableHLO, as text, bytecode or portable
  // artifact.
  std::string format;
  std::string code;
  // Its inputs and outputs.
  Interface interface;
  // Its one parameter is a tuple.
  bool tupled = false;
};

// Infers, verifies, expands and lays out the module (passes/export/export.h),
// lists groups of collectives (listed_groups.h) and flattens nested tuples of
// its parameters and results (flat_border.h), so that plugins take it. Errors:
// the errors of ExportModule, InterfaceOf, SetTilings and SerializeModule.
absl::StatusOr<Program> ProgramOf(const Module& module, int64_t partitions);

bool HasSharding(const Instruction& instruction);

// Whether the module has notes of Shardy, xla.sdy.*, or its custom calls.
bool UsesShardy(const Module& module);

// `options` for the module: counts that are 0 become those of the module's
// configuration, or what `devices` means, or 1; kByModule becomes kShardy for a
// module with annotations of xla.sdy.*, kSpmd for another one on several
// partitions, else kNone.
CompileOptions OptionsFor(const Module& module, CompileOptions options);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_COMPILE_PROGRAM_H_
