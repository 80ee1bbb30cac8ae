// SPDX-License-Identifier: Apache-2.0
// What is said of a program that became a graph (ModuleData::means_nothing).

#ifndef INDIM_IR_PROGRAM_WARNINGS_H_
#define INDIM_IR_PROGRAM_WARNINGS_H_

#include <vector>

#include "indim/ir/module.h"
#include "indim/ir/report.h"

namespace indim {

// IND0815 of each, at the root of the entry.
std::vector<ModuleDiagnostic> WarningsOfProgram(const Module& module);

}  // namespace indim

#endif  // INDIM_IR_PROGRAM_WARNINGS_H_
