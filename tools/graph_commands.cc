// SPDX-License-Identifier: Apache-2.0
// indim dot, indim export: modules for what draws them.

#include <cstdint>
#include <iostream>
#include <string>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/file.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/formats.h"
#include "indim/tools/output/dot_graph.h"
#include "indim/tools/output/model_explorer.h"
#include "indim/tools/output/progress.h"
#include "indim/tools/shell.h"

namespace indim {
namespace {

// Writes what --output names, or to standard output.
int WriteText(absl::string_view text) {
  const std::string out = absl::GetFlag(FLAGS_output);
  const absl::Status written = WriteFile(out.empty() ? "-" : out, text);
  return written.ok() ? kExitOk : Fail(written);
}

// Graphviz draws what --output names.
int WriteSvg(const std::string& graph) {
  const std::string out = absl::GetFlag(FLAGS_output);
  const std::string line = absl::StrCat("dot -Tsvg -o ", ShellQuoted(out));
  if (RunShell(line, graph) == 0) return kExitOk;
  return Fail(absl::NotFoundError(
      "Graphviz's command dot draws SVG, and isn't there or failed; the "
      "package graphviz of most systems has it"));
}

}  // namespace

int RunDot(absl::Span<const std::string> arguments) {
  StartProgress(absl::GetFlag(FLAGS_quiet));
  const std::string& file = arguments[0];
  const ProgressStage stage(ReadingText(file));
  const absl::StatusOr<WrappedModule> read = ReadModuleAndWarn(file);
  if (!read.ok()) return Fail(WithFileName(file, read.status()));
  const Module& module = read->module;
  for (const Computation computation : module.computations()) {
    if (arguments.size() > 1 ? computation.name() != arguments[1]
                             : !computation.is_entry()) {
      continue;
    }
    const int64_t most = absl::GetFlag(FLAGS_max_nodes);
    if (computation.instruction_count() > most) {
      std::cerr << "indim: " << computation.name() << " has "
                << computation.instruction_count()
                << " instructions, more than Graphviz draws well; "
                   "--max-nodes allows more than "
                << most << "\n";
      return kExitErrors;
    }
    const std::string graph = DotGraph(computation);
    return absl::EndsWith(absl::GetFlag(FLAGS_output), ".svg")
               ? WriteSvg(graph)
               : WriteText(graph);
  }
  return Fail(WithFileName(
      file, NoComputation(module, arguments.size() > 1 ? arguments[1] : "")));
}

int RunExport(absl::Span<const std::string> arguments) {
  StartProgress(absl::GetFlag(FLAGS_quiet));
  if (!absl::GetFlag(FLAGS_model_explorer)) {
    return Fail(absl::InvalidArgumentError(
        "export writes for another program; expected --model-explorer"));
  }
  const std::string& file = arguments[0];
  const ProgressStage stage(ReadingText(file));
  const absl::StatusOr<WrappedModule> read = ReadModuleAndWarn(file);
  if (!read.ok()) return Fail(WithFileName(file, read.status()));
  return WriteText(absl::StrCat(ModelExplorerJson(read->module), "\n"));
}

}  // namespace indim
