// Writing modules: to bytes, text or a file, as they are or for XLA.
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

#ifndef INDIM_IO_WRITE_H_
#define INDIM_IO_WRITE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/hlo_proto/module_wrapper.h"
#include "indim/ir/module.h"
#include "indim/text/base/print_options.h"
#include "indim/text/parse/module_format.h"

namespace indim {

enum class ModuleForm : uint8_t {
  // The graph as it is: implicit broadcasts, shapes that aren't inferred yet
  // and all. Nothing is checked.
  kRecorded,
  // What XLA compiles: missing shapes inferred, everything verified, implicit
  // broadcasts made explicit, every array laid out (ExpandForXla,
  // passes/export/export.h).
  kForXla,
};

struct WriteOptions {
  // A form converts to the options of that form; there is no default form.
  WriteOptions(ModuleForm form) : form(form) {}  // NOLINT(runtime/explicit)

  ModuleForm form;
  // kUnknown: of a file the format that its name says, of bytes kProto, of text
  // kHloText.
  ModuleFormat format = ModuleFormat::kUnknown;
  // What the module came in; it is written around the module.
  ModuleWrapper wrapper;
  // Parts of the wrapper that the format has no place for (LeftOut) are left
  // out instead of refused.
  bool allow_left_out = false;
  // For XLA: false leaves out the checks that XLA makes itself when it
  // compiles; shapes are checked always.
  bool verify = true;
  // Also a module that XLA's protobuf can't read.
  bool allow_over_2gib = false;
  // Of a .pb file: literals whose values take so many bytes or more are kept in
  // a file beside it (hlo_proto/external_constants.h), which XLA can't read.
  std::optional<uint64_t> external_min_bytes;
  // How HLO text is printed. PrintOptions::LargeConstants() leaves nothing out.
  PrintOptions hlo_text = PrintOptions::LargeConstants();
};

// Errors of all three. InvalidArgument: for XLA, the first diagnostic of what
// is wrong with the module, or a shape that XLA has no spelling for (unranked,
// a lower bound, a named size); options that don't go with the format.
// ResourceExhausted: the bytes pass 2 GiB (the message names the three largest
// literals), or a text would be too long. FailedPrecondition: values of a
// constant are in a file that isn't open.
absl::StatusOr<std::string> WriteModuleBytes(const Module& module,
                                             const WriteOptions& options);
absl::StatusOr<std::string> WriteModuleText(const Module& module,
                                            const WriteOptions& options);
// Atomically: after an error `path` ("-": standard output) is as it was. Every
// error names the file. InvalidArgument also: the name tells no format.
absl::Status WriteModuleFile(const Module& module, absl::string_view path,
                             const WriteOptions& options);

// What of `wrapper` a file of `format` has no place for: "2 arguments, the
// result and the platform "Host""; empty: nothing.
std::string LeftOut(const ModuleWrapper& wrapper, ModuleFormat format);

}  // namespace indim

#endif  // INDIM_IO_WRITE_H_
