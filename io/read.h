// SPDX-License-Identifier: Apache-2.0
// Reading modules: from bytes, text or a file, in every format.
//
//   absl::StatusOr<Module> module = ReadModuleFile("m.hlo");
//
// The formats are HloModuleProto, serialized or in protobuf's text format, HLO
// text, and programs of StableHLO, as MLIR text or as portable artifacts, which
// become HLO (docs/stablehlo.md). A message that XLA's dumps wrap around a
// module (HloProto, HloSnapshot, ...) may stand for the module. The content
// determines the format, not the name. A recorded graph of Indim carries a mark
// (Module::is_recorded).
//
// A program that reads one format alone includes read_pb.h, read_pbtxt.h,
// read_hlo.h or read_mlir.h instead: it is linked with no other reader.
//
// Readers don't check shapes: InferAndVerify (passes/check/infer_and_verify.h)
// checks every instruction.

#ifndef INDIM_IO_READ_H_
#define INDIM_IO_READ_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/io/module_format.h"
#include "indim/ir/module.h"
#include "indim/proto/hlo_module/module_wrapper.h"
#include "indim/shape/dims/dim_expr.h"

namespace indim {

struct StablehloRelease;  // stablehlo/read.h

struct ReadOptions {
  // kUnknown: the content determines the format, or, if it can't, the file's
  // name.
  ModuleFormat format = ModuleFormat::kUnknown;
  // Where it isn't null, it gets the format in which the module was read.
  ModuleFormat* read_as = nullptr;
  // The name of bytes or text in errors. ReadModuleFile uses the path.
  std::string name;
  // HLO text may have `constant({...})`, and StableHLO's
  // `dense_resource<__elided__>`: accept it and read the constant without
  // values. Otherwise it is an error.
  bool allow_elided_constants = false;
  // Arrays without a layout in HLO text get the default {rank-1, ..., 0}, as in
  // XLA.
  bool fill_missing_layouts = true;
  // Sizes in HLO text may be expressions of named sizes, f32[2*n+1,m]. `scope`
  // holds known facts about the names (docs/symbols.md). The text of a recorded
  // module (recorded=true) and one with facts in its header (indim.facts), as
  // Indim writes it, may have such sizes in any case, and the unknown sizes of
  // a program of StableHLO get names.
  bool symbols = false;
  SymbolScope scope;
  // Where it isn't null, it gets what of a program of StableHLO the module has
  // no place for (stablehlo/read.h).
  std::vector<std::string>* left_out = nullptr;
  // Where it isn't null, it gets the modules of a text of StableHLO but the
  // first; otherwise a text with several is an error (stablehlo/read.h).
  std::vector<Module>* further = nullptr;
  // Where it isn't null, a program that breaks constraints of StableHLO is read
  // nevertheless, and it gets a status for each module (stablehlo/read.h).
  std::vector<absl::Status>* violations = nullptr;
  // Where it isn't null, it gets the release of StableHLO that an artifact was
  // written for, and what in it needs which (stablehlo/read.h).
  StablehloRelease* release = nullptr;
};

// Reads a module from `bytes` of any format. The module doesn't refer to
// `bytes`. InvalidArgument: the bytes aren't a module; the message has the
// position and what was expected there.
absl::StatusOr<Module> ReadModuleBytes(absl::string_view bytes,
                                       const ReadOptions& options = {});

// Reads a module from HLO text, protobuf's text format or StableHLO's text;
// text that looks like none of them is read as HLO text. InvalidArgument as
// above, with line and column; for HLO text and StableHLO it has all errors
// found, each with its line and a caret.
absl::StatusOr<Module> ReadModuleText(absl::string_view text,
                                      const ReadOptions& options = {});

// Reads a module from a file ("-": standard input), and opens the files that
// its constants refer to (proto/hlo_module/external_constants.h). Every error
// names the file. NotFound, PermissionDenied and other errors of the operating
// system: it can't be read. InvalidArgument: as above, or the file is empty.
absl::StatusOr<Module> ReadModuleFile(absl::string_view path,
                                      const ReadOptions& options = {});

// Readers that also return the wrapper, for a program that writes it again
// (WriteOptions::wrapper) or reads it (ReadRecordedRun). Errors as above.
absl::StatusOr<WrappedModule> ReadWrappedModuleBytes(
    absl::string_view bytes, const ReadOptions& options = {});
absl::StatusOr<WrappedModule> ReadWrappedModuleText(
    absl::string_view text, const ReadOptions& options = {});
absl::StatusOr<WrappedModule> ReadWrappedModuleFile(
    absl::string_view path, const ReadOptions& options = {});

}  // namespace indim

#endif  // INDIM_IO_READ_H_
