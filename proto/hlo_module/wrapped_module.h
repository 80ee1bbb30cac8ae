// SPDX-License-Identifier: Apache-2.0
// Reads and writes a module inside the message that wraps it
// (module_wrapper.h).
//
//   absl::StatusOr<WrappedModule> file = ReadAnyModuleProto(bytes);
//   ... file->module ...
//   bytes = SerializeWrapped(changed, file->wrapper);
//
// The bytes don't name their message type: all types begin with field 1, which
// is the module (in a snapshot the HloProto around it) or, in a bare
// HloModuleProto, its name. The content of field 1 distinguishes them: it is a
// module if it has computations with instructions (only a name with control
// characters could look like one). The innermost module counts: in field 1 of
// field 1, else in field 1, else the whole.
//
// XLA dumps an HloUnoptimizedSnapshot in a special form, for arguments past 2
// GiB: the length of the message, the message, and the arguments as in memory.
// This reads that form too.

#ifndef INDIM_PROTO_HLO_MODULE_WRAPPED_MODULE_H_
#define INDIM_PROTO_HLO_MODULE_WRAPPED_MODULE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/ir/storage/byte_pieces.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/module_wrapper.h"

namespace indim {

// The bytes of the module inside `bytes` (all of them if there is no wrapper),
// and its wrapper. InvalidArgument: libprotobuf would refuse the wrapper.
struct UnwrappedBytes {
  absl::string_view module;
  ModuleWrapper wrapper;
};
absl::StatusOr<UnwrappedBytes> UnwrapModuleProto(absl::string_view bytes);

// Reads a module from a serialized HloModuleProto or any wrapper of one. Errors
// as UnwrapModuleProto and ReadHloModuleProto (module_reader.h).
absl::StatusOr<WrappedModule> ReadAnyModuleProto(absl::string_view bytes);

// Reads without copying: `bytes` must live as long as `owner`, which the module
// keeps.
absl::StatusOr<WrappedModule> ReadAnyModuleProto(
    absl::string_view bytes, std::shared_ptr<const void> owner);

// The module's bytes (module_serializer.h) in their wrapper. A module that was
// read and not changed gives the same file, if its bytes were canonical.
// ResourceExhausted: over 2 GiB, unless allowed.
absl::StatusOr<std::string> SerializeWrapped(const Module& module,
                                             const ModuleWrapper& wrapper,
                                             bool allow_over_2gib = false);

// SerializeWrapped in pieces (module_serializer.h).
absl::StatusOr<BytePieces> SerializeWrappedInPieces(
    const Module& module, const ModuleWrapper& wrapper,
    const SerializeOptions& options);

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_WRAPPED_MODULE_H_
