// SPDX-License-Identifier: Apache-2.0
// Reads a module from HloModuleProto bytes.
//
// The reader decodes some fields of a module, computation and instruction into
// the graph (name, opcode, shape, id, operands, callees, metadata). Others stay
// canonical bytes, so nothing is lost: SerializeModule (module_serializer.h)
// writes the same message. Bytes that aren't canonical are first made so
// (canonical.h), by libprotobuf's rules.

#ifndef INDIM_PROTO_HLO_MODULE_MODULE_READER_H_
#define INDIM_PROTO_HLO_MODULE_MODULE_READER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"

namespace indim {

// Reads a serialized HloModuleProto, XLA's or a recorded one of ours (marked).
// The module doesn't refer to `bytes`.
//
// Structural errors (InvalidArgument, with computation and instruction named):
// bytes that libprotobuf would refuse; the id of an operand or callee that
// doesn't come before its user; duplicate ids; the id of a missing root or
// entry computation; an invalid shape (shape_wire.h). An instruction may lack a
// shape (Kind::kNone) or have an unknown opcode: the passes report these.
// Memory is proportional to the bytes.
absl::StatusOr<Module> ReadHloModuleProto(absl::string_view bytes);

// Reads without copying: `bytes` must live as long as `owner`, which the module
// keeps. Names, attributes, metadata and literals are views of `bytes`; the
// module takes about half as much memory besides:
//
//   auto file = std::make_shared<const std::string>(*ReadFile("m.hlo.pb"));
//   absl::StatusOr<Module> module = ReadHloModuleProto(*file, file);
absl::StatusOr<Module> ReadHloModuleProto(absl::string_view bytes,
                                          std::shared_ptr<const void> owner);

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_MODULE_READER_H_
