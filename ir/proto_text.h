// A module as protobuf text format (.pbtxt), for people: read and written
// through the generated classes, which appear in the .cc alone.

#ifndef INDIM_IR_PROTO_TEXT_H_
#define INDIM_IR_PROTO_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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
// ResourceExhausted over 2 GiB.
absl::StatusOr<Module> ReadHloModuleText(absl::string_view text);

// The text format of SerializeModule's message; unknown fields are printed by
// number and do not come back (text format can't). Errors: as SerializeModule.
absl::StatusOr<std::string> WriteHloModuleText(const Module& module);

}  // namespace indim

#endif  // INDIM_IR_PROTO_TEXT_H_
