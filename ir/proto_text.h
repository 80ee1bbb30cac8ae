// A module as protobuf text format (.pbtxt), for people: read and written
// through the generated classes, which appear in the .cc alone.

#ifndef INDIM_IR_PROTO_TEXT_H_
#define INDIM_IR_PROTO_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"

namespace indim {

// HloModuleProto in text format. InvalidArgument with line and column for text
// that is none; otherwise as ReadHloModuleProto. Ids may be left out where
// nothing refers to them.
absl::StatusOr<Module> ReadHloModuleText(absl::string_view text);

// The text format of SerializeModule's message; unknown fields are printed by
// number and do not come back (text format can't). Errors: as SerializeModule.
absl::StatusOr<std::string> WriteHloModuleText(const Module& module);

}  // namespace indim

#endif  // INDIM_IR_PROTO_TEXT_H_
