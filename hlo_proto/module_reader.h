// Reading a module from HloModuleProto bytes.
//
// The fields of records (of a module, a computation, an instruction: name,
// opcode, shape, id, operands, callees, metadata) are read into the graph;
// everything else stays canonical bytes, so nothing is lost: SerializeModule
// (module_serializer.h) gives back what came in. Bytes that aren't canonical
// are normalised first (canonical.h), by libprotobuf's own rules.

#ifndef INDIM_HLO_PROTO_MODULE_READER_H_
#define INDIM_HLO_PROTO_MODULE_READER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"

namespace indim {

// Reads a serialized HloModuleProto, XLA's or a recorded one of ours (marked).
// `bytes` may go away afterwards.
//
// Structural errors (InvalidArgument, with computation and instruction named):
// bytes that libprotobuf would refuse; an operand or callee id that names
// nothing before its user; duplicate ids; a root id that names nothing; an
// entry computation that isn't there; a shape that is no shape (shape_wire.h).
// An instruction without a shape is fine (Kind::kNone), so is an unknown
// opcode: the passes report them. Memory stays in proportion to the bytes.
absl::StatusOr<Module> ReadHloModuleProto(absl::string_view bytes);

// The same without copying: `bytes` must live as long as `owner`, which the
// module keeps. Names, attributes, metadata and literals then are views of
// `bytes`; beyond them a module takes about half as much memory again:
//
//   auto file = std::make_shared<const std::string>(*ReadFile("m.hlo.pb"));
//   absl::StatusOr<Module> module = ReadHloModuleProto(*file, file);
absl::StatusOr<Module> ReadHloModuleProto(absl::string_view bytes,
                                          std::shared_ptr<const void> owner);

}  // namespace indim

#endif  // INDIM_HLO_PROTO_MODULE_READER_H_
