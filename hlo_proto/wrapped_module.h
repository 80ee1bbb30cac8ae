// Reading and writing a module inside the message that wraps it
// (module_wrapper.h).
//
//   absl::StatusOr<WrappedModule> file = ReadAnyModuleProto(bytes);
//   ... file->module ...
//   bytes = SerializeWrapped(changed, file->wrapper);
//
// Nothing in such bytes says which message they are: all of them begin with
// field 1, which is the module (in a snapshot the HloProto around it) or, in a
// bare HloModuleProto, its name. They are told apart by what field 1 holds. It
// is a module when it has computations with instructions in them; a name that
// could be taken for one has control characters in it. The innermost module
// counts: a module is in field 1 of field 1, or in field 1, or it is all.
//
// XLA dumps an HloUnoptimizedSnapshot in a form of its own, for arguments past
// 2 GiB: the length of the message, the message, and the arguments as they lie
// in memory. That form is known too.

#ifndef INDIM_HLO_PROTO_WRAPPED_MODULE_H_
#define INDIM_HLO_PROTO_WRAPPED_MODULE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/hlo_proto/module_serializer.h"
#include "indim/hlo_proto/module_wrapper.h"
#include "indim/ir/module.h"
#include "indim/storage/byte_pieces.h"

namespace indim {

// The bytes of the module inside `bytes` (`bytes` themselves when nothing is
// around it), and its wrapper. InvalidArgument where the wrapper is one that
// libprotobuf would refuse.
struct UnwrappedBytes {
  absl::string_view module;
  ModuleWrapper wrapper;
};
absl::StatusOr<UnwrappedBytes> UnwrapModuleProto(absl::string_view bytes);

// Reads a module from a serialized HloModuleProto or any wrapper of one. Errors
// as UnwrapModuleProto and ReadHloModuleProto (module_reader.h).
absl::StatusOr<WrappedModule> ReadAnyModuleProto(absl::string_view bytes);

// The same without copying: `bytes` must live as long as `owner`, which the
// module keeps.
absl::StatusOr<WrappedModule> ReadAnyModuleProto(
    absl::string_view bytes, std::shared_ptr<const void> owner);

// The module's bytes (module_serializer.h) in their wrapper. A module that was
// read and not changed gives back the file, if its own bytes were canonical.
// ResourceExhausted past 2 GiB, unless allowed.
absl::StatusOr<std::string> SerializeWrapped(const Module& module,
                                             const ModuleWrapper& wrapper,
                                             bool allow_over_2gib = false);

// The same in pieces (module_serializer.h).
absl::StatusOr<BytePieces> SerializeWrappedInPieces(
    const Module& module, const ModuleWrapper& wrapper,
    const SerializeOptions& options);

}  // namespace indim

#endif  // INDIM_HLO_PROTO_WRAPPED_MODULE_H_
