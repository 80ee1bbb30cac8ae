// The structure of a module: everything that must hold besides shapes. Names,
// parameters, calls, fusion bodies, asynchronous pairs and channels, devices,
// the entry's layout and aliasing, the schedule.
//
// What is demanded is what XLA's HloVerifier and its importer demand; which
// checks there are is read off one table, in structure.cc. Shapes are the
// business of passes/check/verify_shapes.h; passes/check/verify_module.h does
// both.

#ifndef INDIM_STRUCTURE_STRUCTURE_H_
#define INDIM_STRUCTURE_STRUCTURE_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/codec/device_counts.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"

namespace indim {

struct StructureResult {
  // Rules 710 to 799. What is about no single instruction has a position that
  // the module doesn't have (kNowhere, report.h).
  Report report;
  // Operands come before their users and callees before their callers, and
  // every computation has its root. Passes rely on it: they must not see a
  // module without, and no other check is made then. Files that a reader took
  // in have it.
  bool in_order = true;

  bool ok() const { return report.ok(); }
};

// Checks all of it and changes nothing; takes time in proportion to the module.
// Names that a file gives must be there and unique, and so must be its entry's
// layout; those of a builder or of a recorded module may be missing or repeat,
// since they are made when it is written for XLA.
// `max_per_rule` diagnostics of one rule are kept. `devices` are those that the
// module's file counts beside it (hlo_proto/wrapped_module.h); where both
// counts are 1, those of the module's own header hold.
StructureResult VerifyStructure(const Module& module,
                                int64_t max_per_rule = Report::kMaxPerRule,
                                DeviceCounts devices = {});

// Adds to `report`, of VerifyStructure, what `shapes` has about the same module
// (passes/check/verify_shapes.h), but for warnings of what `report` already
// tells as an error of the same instruction.
void AppendWithoutRepeats(const Report& shapes, Report* report);

// What is checked, one line a check, in the order in which it is done.
std::vector<absl::string_view> StructureChecks();

}  // namespace indim

#endif  // INDIM_STRUCTURE_STRUCTURE_H_
