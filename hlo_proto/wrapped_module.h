// Files that wrap a module, as XLA's dump flags write them: HloProto,
// HloModuleProtoWithConfig, HloSnapshot, HloUnoptimizedSnapshot. The wrapper is
// kept, so that the module in it can be replaced and all else stays.
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

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/codec/device_counts.h"
#include "indim/codec/literal.h"
#include "indim/hlo_proto/module_serializer.h"
#include "indim/ir/module.h"
#include "indim/storage/byte_pieces.h"

namespace indim {

enum class WrapperKind : uint8_t {
  kNone,        // a bare HloModuleProto
  kHloProto,    // with the assignment of buffers
  kWithConfig,  // HloModuleProtoWithConfig
  kSnapshot,    // HloSnapshot: an HloProto, arguments and a result
  kUnoptimizedSnapshot,
};
// "HloProto"; "HloModuleProto" for kNone.
absl::string_view Name(WrapperKind kind);

// All of a file but the module in it. A default one wraps nothing.
class ModuleWrapper {
 public:
  WrapperKind kind() const { return kind_; }
  // The file, with `module` in the module's place.
  std::string Wrap(absl::string_view module) const;
  // The message alone: of XLA's own form of an HloUnoptimizedSnapshot (above)
  // neither its length nor what follows it.
  std::string WrapMessage(absl::string_view module) const;
  // What follows the message.
  absl::string_view tail() const { return tail_; }
  // What stands before and after a module of `size` bytes.
  struct Around {
    std::string before;
    std::string after;
  };
  Around AroundModule(uint64_t size) const;

  // How many devices the module is compiled for, as far as the wrapper says so:
  // HloModuleProtoWithConfig does.
  const DeviceCounts& devices() const { return devices_; }

 private:
  friend class WrapperReader;

  // What stands around the field that holds a message.
  struct Level {
    std::string before;
    std::string after;
  };
  WrapperKind kind_ = WrapperKind::kNone;
  std::vector<Level> levels_;  // the innermost first
  // The length of it all stands before, and this after it.
  bool delimited_ = false;
  std::string tail_;
  DeviceCounts devices_;
};

// The bytes of the module inside `bytes` (`bytes` themselves when nothing is
// around it), and its wrapper. InvalidArgument where the wrapper is one that
// libprotobuf would refuse.
struct UnwrappedBytes {
  absl::string_view module;
  ModuleWrapper wrapper;
};
absl::StatusOr<UnwrappedBytes> UnwrapModuleProto(absl::string_view bytes);

struct WrappedModule {
  Module module;
  ModuleWrapper wrapper;
};

// What a wrapper holds beside the module, for people: "2 arguments", "the
// result", "the platform \"Host\"", "the assignment of buffers", "the
// configuration". Empty: nothing.
std::vector<std::string> PartsBesideModule(const ModuleWrapper& wrapper);

// One run of a module, as a snapshot keeps it.
struct RecordedRun {
  std::vector<Literal> arguments;
  std::optional<Literal> result;
};
// That of an HloSnapshot, or the arguments of the first partition of an
// HloUnoptimizedSnapshot; nothing of other wrappers. InvalidArgument: a literal
// that is none. Unimplemented: arguments that follow the message (tail()).
absl::StatusOr<RecordedRun> ReadRecordedRun(const ModuleWrapper& wrapper);

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
