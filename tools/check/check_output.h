// SPDX-License-Identifier: Apache-2.0
// Outputs of `indim check`: text for people, JSON, SARIF, GitHub's workflow
// commands and JUnit's XML for programs. docs/check.md shows each.
//
//   std::unique_ptr<CheckOutput> output =
//       MakeCheckOutput(CheckFormat::kSarif, options, std::cout);
//   output->Begin();
//   for (...) output->Add(file);
//   output->End(exit);

#ifndef INDIM_TOOLS_CHECK_CHECK_OUTPUT_H_
#define INDIM_TOOLS_CHECK_CHECK_OUTPUT_H_

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/passes/check/verify_shapes.h"

namespace indim {

enum class CheckFormat { kText, kJson, kSarif, kGithub, kJunit };

// The format that --format names: "text", "json", "sarif", "github" or "junit";
// nullopt for any other word.
std::optional<CheckFormat> CheckFormatFromName(absl::string_view name);

// The number in the field "version" of the JSON. It grows when a field goes
// away or changes its meaning; a new field leaves it as it is.
inline constexpr int kCheckJsonVersion = 1;

struct CheckOutputOptions {
  // Without summaries: text and GitHub's commands have diagnostics alone, JSON
  // has no object for a file without any, JUnit no summary. SARIF stays as it
  // is.
  bool quiet = false;
  // Text and JSON list the instructions that MLIR's trait Broadcastable doesn't
  // apply to, and say why.
  bool verbose = false;
  // A summary says that a file with warnings fails.
  bool warnings_are_errors = false;
};

// One file, or one module of a file that holds several, and what the check of
// it found.
struct CheckedFile {
  std::string path;  // "-": standard input
  // Why nobody can read it; then the module and the result are empty. Else, of
  // StableHLO, the constraints that it breaks (stablehlo/read.h).
  absl::Status status;
  const Module* module = nullptr;
  const VerifyResult* result = nullptr;
  // Of a file that holds several modules: which it is, from 1, and how many
  // there are.
  int64_t number = 1;
  int64_t count = 1;
  // Of an artifact of StableHLO: the release that it was written for, and what
  // in it needs which (stablehlo/read.h); both as a text.
  std::string release;
  std::vector<std::string> needs;
  std::string release_text;
};

// Writes what the check of each file found, file by file.
class CheckOutput {
 public:
  virtual ~CheckOutput() = default;
  // Before the first file.
  virtual void Begin() {}
  virtual void Add(const CheckedFile& file) = 0;
  // After the last file; `exit` is the command's exit status.
  virtual void End(int /*exit*/) {}
};

// `out` must outlive the output. Never null.
std::unique_ptr<CheckOutput> MakeCheckOutput(CheckFormat format,
                                             const CheckOutputOptions& options,
                                             std::ostream& out);

}  // namespace indim

#endif  // INDIM_TOOLS_CHECK_CHECK_OUTPUT_H_
