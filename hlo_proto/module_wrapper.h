// What a file wraps around a module, as XLA's dump flags write it: HloProto,
// HloModuleProtoWithConfig, HloSnapshot, HloUnoptimizedSnapshot. A reader keeps
// the wrapper (io/read.h), so that a program can replace the module and write
// all else as it was.

#ifndef INDIM_HLO_PROTO_MODULE_WRAPPER_H_
#define INDIM_HLO_PROTO_MODULE_WRAPPER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/codec/device_counts.h"
#include "indim/codec/literal.h"
#include "indim/ir/module.h"

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
  // The message alone: of XLA's own form of an HloUnoptimizedSnapshot
  // (wrapped_module.h) neither its length nor what follows it.
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

}  // namespace indim

#endif  // INDIM_HLO_PROTO_MODULE_WRAPPER_H_
