// SPDX-License-Identifier: Apache-2.0
// Writes a module as canonical HloModuleProto bytes, equal to libprotobuf's
// deterministic serialization of the message.
//
// It writes the graph as it is, with implicit broadcasts (the recorded form),
// or what an Expander makes of it. WriteHloModuleProto of
// passes/export/export.h, which has one, writes bytes that XLA compiles.

#ifndef INDIM_PROTO_HLO_MODULE_MODULE_SERIALIZER_H_
#define INDIM_PROTO_HLO_MODULE_MODULE_SERIALIZER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"
#include "indim/ir/storage/byte_pieces.h"
#include "indim/proto/hlo_module/expansion.h"

namespace indim {

struct SerializeOptions {
  // Accept more than 2 GiB, which XLA's protobuf can't read, as far as memory
  // suffices.
  bool allow_over_2gib = false;
  // Write literals in compact form (splats, references to other files), which
  // XLA can't read. Only SerializeInPieces does.
  bool keep_compact = false;
  // Write the module that this makes of a module that a builder recorded (with
  // no ids of its own), without making it; null: the module as it is.
  std::shared_ptr<Expander> expander;
};

// The bytes of `module`. A module that was read and not changed gives the same
// message. Missing program_shape, host_program_shape and names are made, and
// instruction names made unique in the module. Literals have all their values,
// as XLA reads them, even if the module keeps them in compact form.
//
// ResourceExhausted: more than 2 GiB; the message has the exact size and the
// three largest literals. For values in another file: FailedPrecondition, it
// wasn't opened with the module (module_file.h); InvalidArgument, it was cut
// short or altered. With an expander also FailedPrecondition: a node has no
// expansion, or a given name may clash with that of a new instruction.
absl::StatusOr<std::string> SerializeModule(
    const Module& module, const SerializeOptions& options = {});

// The size of SerializeModule's result, without making it; 2^62 if it is that
// or more.
uint64_t SerializedSize(const Module& module);

// SerializeModule for files, in pieces: values in compact form don't get into
// memory. Errors as SerializeModule; errors of reading other files come when
// the pieces are used.
absl::StatusOr<BytePieces> SerializeInPieces(const Module& module,
                                             const SerializeOptions& options);

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_MODULE_SERIALIZER_H_
