// SPDX-License-Identifier: Apache-2.0
// The commands of `indim`. Each takes its files and returns the exit status:
// 0 fine, 1 errors found, 2 something could not be read, written or understood.

#ifndef INDIM_TOOLS_COMMANDS_H_
#define INDIM_TOOLS_COMMANDS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "indim/tools/help/program.h"

namespace indim {

int RunCheck(absl::Span<const std::string> files);
int RunInfer(absl::Span<const std::string> files);
int RunConvert(absl::Span<const std::string> files);
int RunGrad(absl::Span<const std::string> files);
int RunExtract(absl::Span<const std::string> arguments);
int RunReduce(absl::Span<const std::string> files);
int RunPrint(absl::Span<const std::string> files);
int RunDiff(absl::Span<const std::string> files);
int RunFingerprint(absl::Span<const std::string> files);
int RunExpect(absl::Span<const std::string> arguments);
int RunStats(absl::Span<const std::string> paths);
int RunList(absl::Span<const std::string> arguments);
int RunCost(absl::Span<const std::string> paths);
int RunDot(absl::Span<const std::string> arguments);
int RunExport(absl::Span<const std::string> arguments);
int RunEval(absl::Span<const std::string> files);
int RunRun(absl::Span<const std::string> files);
int RunDevices(absl::Span<const std::string> arguments);
int RunTestReturnTypes(absl::Span<const std::string> files);
int RunQuery(absl::Span<const std::string> files);
int RunExplain(absl::Span<const std::string> arguments);
int RunHelp(absl::Span<const std::string> arguments);
int RunVersion(absl::Span<const std::string> arguments);
int RunCompletion(absl::Span<const std::string> arguments);
int RunMan(absl::Span<const std::string> arguments);

// The table of them (command_table.cc).
const CommandProgram& IndimProgram();

constexpr int kExitOk = 0;
constexpr int kExitErrors = 1;
constexpr int kExitUsage = 2;

// Prints "indim: message" to standard error; returns kExitUsage.
int Fail(const absl::Status& status);
// Prints what is wrong with the graph in `file` there, as `indim check` does;
// returns kExitErrors.
int FailOnGraph(const std::string& file, const absl::Status& status);

}  // namespace indim

#endif  // INDIM_TOOLS_COMMANDS_H_
