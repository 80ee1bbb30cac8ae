// Writing a module as HloModuleProto bytes: canonical, what libprotobuf's
// deterministic serialization of the same message would be.
//
// This writes the graph as it is, implicit broadcasts included (the recorded
// form). For bytes that XLA compiles use WriteHloModuleProto of
// passes/export/export.h, which expands first.

#ifndef INDIM_HLO_PROTO_MODULE_SERIALIZER_H_
#define INDIM_HLO_PROTO_MODULE_SERIALIZER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"
#include "indim/storage/byte_pieces.h"

namespace indim {

// How many bytes SerializeModule gives, without making them; 2^62 when they are
// as many or more. `keep_compact` as below.
uint64_t SerializedSize(const Module& module, bool keep_compact = false);

// The bytes. What a reader took in and nobody changed comes out the same;
// program_shape, host_program_shape and names that nobody gave are made here.
// Instruction names are made unique in the module. Literals are written as XLA
// reads them, with all their values, however the module keeps them.
//
// ResourceExhausted when they pass 2 GiB, which XLA's protobuf can't read: the
// message says the exact size and names the three largest literals;
// `allow_over_2gib` writes all the same, as far as memory goes. Where values
// are in another file: FailedPrecondition when it wasn't opened with the module
// (module_file.h), InvalidArgument when it was cut short or altered since.
absl::StatusOr<std::string> SerializeModule(const Module& module,
                                            bool allow_over_2gib = false);

// The same for files: values that the module keeps elsewhere, or once, aren't
// in memory. Errors as SerializeModule, those of reading other files when the
// pieces are used.
struct SerializeOptions {
  bool allow_over_2gib = false;
  // Splats stay splats, references to other files stay that: XLA can't read it.
  bool keep_compact = false;
};
absl::StatusOr<BytePieces> SerializeInPieces(const Module& module,
                                             const SerializeOptions& options);

}  // namespace indim

#endif  // INDIM_HLO_PROTO_MODULE_SERIALIZER_H_
