// SPDX-License-Identifier: Apache-2.0
// What is wrong with a file, for SARIF, JUnit and GitHub's workflow commands.

#ifndef INDIM_TOOLS_CHECK_CHECK_FINDINGS_H_
#define INDIM_TOOLS_CHECK_CHECK_FINDINGS_H_

#include <string>
#include <vector>

#include "indim/ir/module.h"
#include "indim/shape/diagnostics/rendered.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tools/check/check_output.h"

namespace indim {

// One for each diagnostic of the file, or for each reason why nobody can read
// it.
std::vector<RenderedDiagnostic> FindingsOf(const CheckedFile& file);

// Why nobody can read the file, as text; "" where it can be read.
std::string RenderStatus(const CheckedFile& file);

// The path on one line, without what a terminal or XML would take for its own.
std::string PrintedPath(const CheckedFile& file);

// The summary of a file on one line, without its name: "ok: 3 instructions: 3
// inferred, ...", "2 errors: ...", "can't be read".
std::string CheckSummary(const CheckedFile& file,
                         const CheckOutputOptions& options);

// An instruction that MLIR's trait Broadcastable doesn't apply to, and why.
struct NotBroadcastable {
  Instruction instruction;
  Broadcastability why;
};
// All of a module that was checked, in its order.
std::vector<NotBroadcastable> NotBroadcastables(const Module& module);

}  // namespace indim

#endif  // INDIM_TOOLS_CHECK_CHECK_FINDINGS_H_
