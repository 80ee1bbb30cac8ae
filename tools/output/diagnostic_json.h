// SPDX-License-Identifier: Apache-2.0
// Diagnostics of modules as JSON objects, for --json.

#ifndef INDIM_TOOLS_OUTPUT_DIAGNOSTIC_JSON_H_
#define INDIM_TOOLS_OUTPUT_DIAGNOSTIC_JSON_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/tools/output/json_writer.h"

namespace indim {

// What names an instruction: "instruction", "computation", and where they are
// known "source_file" and "source_line" of its metadata, "line" and "column" of
// the HLO text that it was read from.
void AddInstruction(const Instruction& instruction, JsonWriter* json);

// code, name, severity, instruction and what else is known: places, operand and
// dimension, message, fix.
std::string DiagnosticJson(const Module& module, const ModuleDiagnostic& d);

// The same of each error that `status`, of a file that can't be read, tells of.
std::vector<std::string> ErrorsJson(const absl::Status& status);

}  // namespace indim

#endif  // INDIM_TOOLS_OUTPUT_DIAGNOSTIC_JSON_H_
