// Findings: what is wrong with a file, in the fields that SARIF and GitHub's
// workflow commands have.

#ifndef INDIM_TOOLS_CHECK_CHECK_FINDINGS_H_
#define INDIM_TOOLS_CHECK_CHECK_FINDINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tools/check/check_output.h"

namespace indim {

struct Finding {
  Code code = Code::kNone;
  Severity severity = Severity::kError;
  std::string message;  // one line
  std::string fix;      // what would have worked; "" where nobody knows
  // Where in the file, of HLO text, both from 1; 0: the place isn't known.
  int64_t line = 0;
  int64_t column = 0;       // counts bytes
  std::string instruction;  // "" where the finding is about none
  std::string computation;
  // Which line of which program made the instruction; "" where nobody knows.
  std::string source_file;
  int64_t source_line = 0;
};

// One finding for each diagnostic of the file, or for each reason why nobody
// can read it.
std::vector<Finding> FindingsOf(const CheckedFile& file);

// `message` without the file's name: "can't open a.pb: No such file" becomes
// "can't open it: No such file".
std::string WithoutFileName(absl::string_view message, absl::string_view path);

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
