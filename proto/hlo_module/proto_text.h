// SPDX-License-Identifier: Apache-2.0
// Reads and writes modules in protobuf's text format (.pbtxt), for people. Only
// the .cc uses the generated classes.

#ifndef INDIM_PROTO_HLO_MODULE_PROTO_TEXT_H_
#define INDIM_PROTO_HLO_MODULE_PROTO_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/proto/hlo_module/wrapped_module.h"

namespace indim {

// HloModuleProto in text format. A person may omit values that follow from
// others:
//
// - In a module without host_program_shape: ids of computations that nothing
//   calls, and entry_computation_id (the last computation).
// - In a computation without program_shape: ids of instructions that nothing
//   refers to, root_id (the last instruction), the numbers of parameters (their
//   order), layouts of constants (row-major), and of a constant either its
//   shape or that of its literal.
// - Everywhere names, and in a recorded module (`recorded {}`) the shapes that
//   inference finds.
//
// Text from a program has the program shapes, so nothing is filled in.
// examples/recorded.pbtxt is a module written by hand.
//
// InvalidArgument, with line and column: invalid text, nesting deeper than 100,
// or a field that its message doesn't have. Other errors as ReadHloModuleProto.
// Unknown fields that are printed by number are skipped. ResourceExhausted:
// over 2 GiB. A wrapper (below) is removed.
absl::StatusOr<Module> ReadHloModuleText(absl::string_view text);

// Reads an HloModuleProto or any message that wraps one (wrapped_module.h). Its
// fields determine the message: `hlo` means HloSnapshot; `hlo_module` with
// `partitions` or `version` HloUnoptimizedSnapshot, with `config`
// HloModuleProtoWithConfig, else HloProto. Errors as ReadHloModuleText.
absl::StatusOr<WrappedModule> ReadAnyModuleText(absl::string_view text);

// The text format of SerializeModule's message. Unknown fields are printed by
// number and can't be read back. Errors as SerializeModule.
absl::StatusOr<std::string> WriteHloModuleText(const Module& module);

// WriteHloModuleText with the wrapper. Text has no place for arguments that
// follow an HloUnoptimizedSnapshot in its file (ModuleWrapper::tail()).
absl::StatusOr<std::string> WriteWrappedText(const Module& module,
                                             const ModuleWrapper& wrapper);

// How many NaN of the module lose their bits in text format, which has one NaN:
// those of floats (literals of f32, f64, c64 and c128) with a sign or a payload
// of their own. Narrower floats are bytes, which text keeps. 0 where the module
// can't be written.
int64_t NansChangedByText(const Module& module);

// The number of bytes before the message in `text`: a byte order mark, and the
// words that protobuf prints before a message for people ("goo.gle/debugstr",
// "go/debugproto").
size_t ProtoTextMark(absl::string_view text);

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_PROTO_TEXT_H_
