// A module as protobuf text format (.pbtxt), for people: read and written
// through the generated classes, which appear in the .cc alone.

#ifndef INDIM_HLO_PROTO_PROTO_TEXT_H_
#define INDIM_HLO_PROTO_PROTO_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/hlo_proto/wrapped_module.h"
#include "indim/ir/module.h"

namespace indim {

// HloModuleProto in text format. A person may leave out what follows from the
// rest:
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
// What was written by a program has the program shapes, and nothing is filled
// in. examples/recorded.pbtxt shows a module by hand.
//
// InvalidArgument with line and column for text that is none, that nests more
// than 100 deep, or that sets a field which no message has; then errors as
// ReadHloModuleProto. Unknown fields that are printed by number are skipped.
// ResourceExhausted over 2 GiB. A wrapper (below) is taken off.
absl::StatusOr<Module> ReadHloModuleText(absl::string_view text);

// The same for text of an HloModuleProto or of any message that wraps one
// (wrapped_module.h); which, its fields tell: `hlo` is an HloSnapshot's;
// `hlo_module` with `partitions` or `version` an HloUnoptimizedSnapshot's, with
// `config` an HloModuleProtoWithConfig's, else an HloProto's.
absl::StatusOr<WrappedModule> ReadAnyModuleText(absl::string_view text);

// The text format of SerializeModule's message; unknown fields are printed by
// number and do not come back (text format can't). Errors: as SerializeModule.
absl::StatusOr<std::string> WriteHloModuleText(const Module& module);

// The same in its wrapper. Arguments that follow an HloUnoptimizedSnapshot in
// its file (ModuleWrapper::tail()) have no place in a text.
absl::StatusOr<std::string> WriteWrappedText(const Module& module,
                                             const ModuleWrapper& wrapper);

// How many bytes at the beginning of `text` are no part of a message: a byte
// order mark, and the words by which protobuf marks a message that it has
// printed for people ("goo.gle/debugstr", "go/debugproto").
size_t ProtoTextMark(absl::string_view text);

}  // namespace indim

#endif  // INDIM_HLO_PROTO_PROTO_TEXT_H_
