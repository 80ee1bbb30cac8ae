// SPDX-License-Identifier: Apache-2.0
// Files of modules as the command's flags and arguments name them; io/ reads
// and writes them.

#ifndef INDIM_TOOLS_FORMATS_H_
#define INDIM_TOOLS_FORMATS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/io/read.h"

namespace indim {

struct StablehloRelease;  // stablehlo/read.h

// `flag` (--from, --to) when it isn't empty, else by the extension of `path`.
// InvalidArgument says what was expected.
absl::StatusOr<ModuleFormat> FormatOf(absl::string_view path,
                                      absl::string_view flag,
                                      absl::string_view flag_name);

// Reads `path` ("-": standard input) as the flags say: --from, --symbols,
// --facts, --allow-elided-constants; with --set sizes have names too. Every
// error names the file. `left_out` as in io/read.h.
absl::StatusOr<WrappedModule> ReadModule(
    absl::string_view path, std::vector<std::string>* left_out = nullptr);
// The same, for `indim check`: `further`, `violations` and `release` as in
// io/read.h.
absl::StatusOr<WrappedModule> ReadModuleToCheck(
    absl::string_view path, std::vector<Module>* further,
    std::vector<absl::Status>* violations, StablehloRelease* release);
// "for StableHLO 1.10.0, needs 1.4.0: stablehlo.tan"; "" of no artifact.
std::string ReleaseText(const StablehloRelease& release);

// The same, for a command that goes on without the values of constants that the
// file leaves out: standard error says so, once.
absl::StatusOr<WrappedModule> ReadModuleAndWarn(
    absl::string_view path, std::vector<std::string>* left_out = nullptr,
    StablehloRelease* release = nullptr);

// A file, or a folder that stands for none: InvalidArgument: no module's file
// is in it; NotFound, PermissionDenied: it can't be read.
struct PathInFolder {
  std::string path;
  absl::Status status;
};

// The paths, each folder among them replaced by the files in it and below it
// whose extension is a module's or which hold HLO text under another name, in
// the order of their names.
std::vector<PathInFolder> ModuleFiles(absl::Span<const std::string> paths);

}  // namespace indim

#endif  // INDIM_TOOLS_FORMATS_H_
