// SPDX-License-Identifier: Apache-2.0
// Checks of a module's structure: every requirement besides shapes. It covers
// names, parameters, calls, fusion bodies, asynchronous pairs and channels,
// devices, the entry's layout and aliasing, and the schedule.
//
// The requirements are those of XLA's HloVerifier and importer; the table in
// structure.cc lists the checks. passes/check/verify_shapes.h checks shapes;
// passes/check/verify_module.h does both.

#ifndef INDIM_PASSES_STRUCTURE_STRUCTURE_H_
#define INDIM_PASSES_STRUCTURE_STRUCTURE_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/proto/codec/device_counts.h"

namespace indim {

struct StructureResult {
  // Diagnostics of codes 710 to 799. One about no single instruction has the
  // position kNowhere (report.h).
  Report report;
  // Operands come before their users, callees before their callers, and every
  // computation has its root. If false, no other check ran, and no pass may get
  // the module. Modules from a reader are always in order.
  bool in_order = true;

  bool ok() const { return report.ok(); }
};

// Runs all checks, changes nothing, and takes time in proportion to the module.
// Names from a file must be present and unique, and so must its entry's layout.
// In a builder's or a recorded module names may be missing or repeated, because
// the export for XLA makes them. At most `max_per_code` diagnostics of each
// code are kept. `devices` are the counts that the module's file gives beside
// it (proto/hlo_module/wrapped_module.h); if both are 1, the counts in the
// module's own header are used.
StructureResult VerifyStructure(const Module& module,
                                int64_t max_per_code = Report::kMaxPerCode,
                                DeviceCounts devices = {});

// Appends to `report`, VerifyStructure's, the diagnostics of `shapes` about the
// same module (passes/check/verify_shapes.h), except a warning for whose cause
// `report` has an error on the same instruction.
void AppendWithoutRepeats(const Report& shapes, Report* report);

// A line about each check, in the order in which they run.
std::vector<absl::string_view> StructureChecks();

}  // namespace indim

#endif  // INDIM_PASSES_STRUCTURE_STRUCTURE_H_
