// Reading modules: from bytes, text or a file, in every format.
//
//   absl::StatusOr<Module> module = ReadModuleFile("m.hlo");
//
// The formats are HloModuleProto, serialized or in protobuf's text format, and
// HLO text. A message that XLA's dumps wrap around a module (HloProto,
// HloSnapshot, ...) may stand for the module. The content tells the format, not
// the name. A recorded graph of Indim says itself that it is one
// (Module::is_recorded).
//
// What is read is believed: InferAndVerify (passes/check/infer_and_verify.h)
// checks every instruction.

#ifndef INDIM_IO_READ_H_
#define INDIM_IO_READ_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/hlo_proto/module_wrapper.h"
#include "indim/ir/module.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/text/parse/module_format.h"

namespace indim {

struct ReadOptions {
  // kUnknown: the content tells; where it doesn't, the name of the file does.
  // kMlir is no format that can be read.
  ModuleFormat format = ModuleFormat::kUnknown;
  // Names bytes or text in errors. ReadModuleFile says the path.
  std::string name;
  // HLO text may say `constant({...})`: the constant is read without values
  // instead of refused.
  bool allow_elided_constants = false;
  // HLO text gets the default layout {rank-1, ..., 0} where it leaves one out,
  // as in XLA.
  bool fill_missing_layouts = true;
  // Sizes in HLO text may be expressions of named sizes, f32[2*n+1,m]. `scope`
  // says what is known of the names (docs/symbols.md).
  bool symbols = false;
  SymbolScope scope;
};

// Reads a module from `bytes` of any format. `bytes` may go away afterwards.
// InvalidArgument: the bytes are no module; the message says where and what was
// expected. MLIR is refused with what makes HLO of it.
absl::StatusOr<Module> ReadModuleBytes(absl::string_view bytes,
                                       const ReadOptions& options = {});

// Reads a module from HLO text or from protobuf's text format, whichever it is;
// text that looks like neither is read as HLO text. InvalidArgument as above:
// with line and column, and of HLO text all errors found, each with its line
// and a caret.
absl::StatusOr<Module> ReadModuleText(absl::string_view text,
                                      const ReadOptions& options = {});

// Reads a module from a file ("-": standard input), and opens the files that
// its constants refer to (hlo_proto/external_constants.h). Every error names
// the file. NotFound, PermissionDenied and others of the operating system: it
// can't be read; InvalidArgument: as above, or the file is empty.
absl::StatusOr<Module> ReadModuleFile(absl::string_view path,
                                      const ReadOptions& options = {});

// The same three, for a program that writes the wrapper again
// (WriteOptions::wrapper) or looks into it (ReadRecordedRun).
absl::StatusOr<WrappedModule> ReadWrappedModuleBytes(
    absl::string_view bytes, const ReadOptions& options = {});
absl::StatusOr<WrappedModule> ReadWrappedModuleText(
    absl::string_view text, const ReadOptions& options = {});
absl::StatusOr<WrappedModule> ReadWrappedModuleFile(
    absl::string_view path, const ReadOptions& options = {});

// The format that the extension of `path` names: .pb, .pbtxt or .textproto,
// .hlo; kUnknown: another.
ModuleFormat FormatOfName(absl::string_view path);

// `status` with the name of the file before its message, unless the message
// names the file already; "-" is called standard input.
absl::Status WithFileName(absl::string_view path, const absl::Status& status);

}  // namespace indim

#endif  // INDIM_IO_READ_H_
