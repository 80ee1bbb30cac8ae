// Writes a module as canonical HloModuleProto bytes, equal to libprotobuf's
// deterministic serialization of the message.
//
// It writes the graph as it is, with implicit broadcasts (the recorded form).
// WriteHloModuleProto of passes/export/export_bytes.h writes bytes that XLA
// compiles.

#ifndef INDIM_HLO_PROTO_MODULE_SERIALIZER_H_
#define INDIM_HLO_PROTO_MODULE_SERIALIZER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"
#include "indim/storage/byte_pieces.h"

namespace indim {

// The size of SerializeModule's result, without making it; 2^62 if it is that
// or more. `keep_compact` as in SerializeOptions.
uint64_t SerializedSize(const Module& module, bool keep_compact = false);

// The bytes of `module`. A module that was read and not changed gives the same
// message. Missing program_shape, host_program_shape and names are made, and
// instruction names made unique in the module. Literals have all their values,
// as XLA reads them, even if the module keeps them in compact form.
//
// ResourceExhausted: more than 2 GiB, which XLA's protobuf can't read; the
// message has the exact size and the three largest literals. `allow_over_2gib`
// permits this, as far as memory suffices. For values in another file:
// FailedPrecondition, it wasn't opened with the module (module_file.h);
// InvalidArgument, it was cut short or altered.
absl::StatusOr<std::string> SerializeModule(const Module& module,
                                            bool allow_over_2gib = false);

// SerializeModule for files, in pieces: values in compact form don't get into
// memory. Errors as SerializeModule; errors of reading other files come when
// the pieces are used.
struct SerializeOptions {
  bool allow_over_2gib = false;
  // Write literals in compact form (splats, references to other files), which
  // XLA can't read.
  bool keep_compact = false;
};
absl::StatusOr<BytePieces> SerializeInPieces(const Module& module,
                                             const SerializeOptions& options);

}  // namespace indim

#endif  // INDIM_HLO_PROTO_MODULE_SERIALIZER_H_
