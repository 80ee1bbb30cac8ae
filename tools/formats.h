// Which format a file has, and modules in and out of files. What is read is
// told by its content (module_format.h), what is written by its name.

#ifndef INDIM_TOOLS_FORMATS_H_
#define INDIM_TOOLS_FORMATS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/hlo_proto/module_file.h"
#include "indim/hlo_proto/wrapped_module.h"
#include "indim/ir/module.h"

namespace indim {

enum class Format { kPb, kPbtxt, kHlo };

// `flag` (--from, --to) when it isn't empty, else by the extension of `path`:
// .pb, .pbtxt (also .textproto), .hlo. InvalidArgument says what was expected.
absl::StatusOr<Format> FormatOf(absl::string_view path, absl::string_view flag,
                                absl::string_view flag_name);

struct ReadOptions {
  std::string from;  // --from; empty: by content
  // HLO text may say {...} for a constant: it is read without values.
  bool allow_elided_constants = true;
  // HLO text may name sizes, of which `facts` says what is known ("n>=1,
  // n%8==0").
  bool symbols = false;
  std::string facts;
};

// --from, --allow-elided-constants, --symbols and --facts; with --set sizes
// have names too.
ReadOptions ReadOptionsFromFlags();

// Reads `path` ("-": standard input). The format is `options.from` when that
// isn't empty, else what the content looks like, and where that tells nothing
// that of the extension. A .pb or .pbtxt file may be a module or any message
// that XLA's dumps wrap one in; which, is told by its content. MLIR is an error
// that says what makes HLO of it.
absl::StatusOr<WrappedModule> ReadModule(absl::string_view path,
                                         const ReadOptions& options);

// The same, for a command that goes on without the values of constants that the
// file leaves out: standard error says so, once.
absl::StatusOr<WrappedModule> ReadModuleAndNote(absl::string_view path,
                                                const ReadOptions& options);

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

// `status` with the file's name before its message, unless it is there already,
// as in the errors of HLO text ("x.hlo:3:5: error: ...") and of files ("can't
// open x.hlo: ..."). Standard input is called so.
absl::Status WithFileName(absl::string_view path, const absl::Status& status);

// Writes the graph as it is, atomically ("-": standard output): as .pb and
// .pbtxt in the wrapper that it came in, as HLO text alone. FailedPrecondition:
// a recorded module as HLO text, which can't say how it broadcasts.
// InvalidArgument: constants beside a text, which has them in it.
// ResourceExhausted: over 2 GiB (a text: whatever the options allow).
absl::Status WriteModule(const Module& module, const ModuleWrapper& wrapper,
                         absl::string_view path, Format format,
                         const WriteOptions& options);

// What of `wrapper` WriteModule has no place for in `format`: "2 arguments, the
// result and the platform "Host""; empty: nothing.
std::string LeftOut(const ModuleWrapper& wrapper, Format format);

}  // namespace indim

#endif  // INDIM_TOOLS_FORMATS_H_
