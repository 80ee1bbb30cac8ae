// SPDX-License-Identifier: Apache-2.0
// Writing modules to bytes, text or a file, as they are or for XLA.
//
//   absl::Status written =
//       WriteModuleFile(module, "m.pb", ModuleForm::kForXla);
//
//                       | recorded (as it is)        | for XLA
//   --------------------+----------------------------+-----------------------
//   WriteModuleBytes    | HloModuleProto, with the   | HloModuleProto that XLA
//                       | mark of a recorded graph   | compiles
//   WriteModuleText     | HLO text or protobuf text, | what XLA would print of
//                       | which Indim reads back     | it
//   WriteModuleFile     | any of these, by the name of the file
//
// All three also write StableHLO (stablehlo/write.h), in the form that its
// options name, whatever the ModuleForm. A program that writes one format alone
// includes write_pb.h, write_pbtxt.h, write_hlo.h or write_mlir.h instead: it
// is linked with no other writer.

#ifndef INDIM_IO_WRITE_H_
#define INDIM_IO_WRITE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/io/module_form.h"
#include "indim/io/module_format.h"
#include "indim/io/write_pb.h"
#include "indim/ir/module.h"
#include "indim/proto/hlo_module/module_wrapper.h"
#include "indim/stablehlo/write.h"
#include "indim/text/base/print_options.h"

namespace indim {

struct WriteOptions : PbOptions {
  // A form converts to the options of that form. There is no default form.
  WriteOptions(ModuleForm form) : PbOptions(form) {}  // NOLINT

  // kUnknown: for a file the format of its name, for bytes kProto, for text
  // kHloText.
  ModuleFormat format = ModuleFormat::kUnknown;
  // Omit parts of the wrapper that the format has no place for (LeftOut).
  // Otherwise they are an error.
  bool allow_left_out = false;
  // Options of HLO text. PrintOptions::LargeConstants() omits nothing.
  PrintOptions hlo_text = PrintOptions::LargeConstants();
  // Options of StableHLO (ModuleFormat::kMlir), but `verify`, which stands
  // above. A file whose name is an artifact's
  // (NamesArtifact, write_mlir.h) is written as one.
  StablehloWriteOptions stablehlo;
};

// Errors of all three. InvalidArgument: for XLA, the first error of the module,
// or a shape that XLA can't express (unranked, a lower bound, a named size);
// options that the format doesn't have. ResourceExhausted: the bytes exceed 2
// GiB (the message names the three largest literals), or a text is too long.
// As StableHLO: also the errors of WriteStablehlo; an artifact is no text.
// FailedPrecondition: the file with a constant's values isn't open.
absl::StatusOr<std::string> WriteModuleBytes(const Module& module,
                                             const WriteOptions& options);
absl::StatusOr<std::string> WriteModuleText(const Module& module,
                                            const WriteOptions& options);
// Writes atomically: after an error `path` ("-": standard output) is unchanged.
// Errors of the file name it. InvalidArgument also: the name determines no
// format.
absl::Status WriteModuleFile(const Module& module, absl::string_view path,
                             const WriteOptions& options);

// The parts of `wrapper` that a file of `format` has no place for: "2
// arguments, the result and the platform "Host""; empty: none.
std::string LeftOut(const ModuleWrapper& wrapper, ModuleFormat format);

// How many fields of the module's file this version doesn't know, where a file
// of `format` has no place for them: HLO text and StableHLO. 0 where the module
// can't be written.
int64_t UnknownFieldsLeftOut(const Module& module, ModuleFormat format);

// What of a module that comes from StableHLO only that has a place for, a text
// for each kind: "mhlo.memory_kind of 2 arguments". Other formats omit it.
std::vector<std::string> LostAsHlo(const Module& module);

}  // namespace indim

#endif  // INDIM_IO_WRITE_H_
