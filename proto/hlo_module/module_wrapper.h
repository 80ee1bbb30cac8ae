// SPDX-License-Identifier: Apache-2.0
// ModuleWrapper: the message around a module in a file that XLA's dump flags
// write: HloProto, HloModuleProtoWithConfig, HloSnapshot,
// HloUnoptimizedSnapshot. A reader keeps the wrapper (io/read.h), so that a
// program can replace the module and write everything else unchanged.

#ifndef INDIM_PROTO_HLO_MODULE_MODULE_WRAPPER_H_
#define INDIM_PROTO_HLO_MODULE_MODULE_WRAPPER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/device_counts.h"
#include "indim/proto/codec/literal.h"

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

// The contents of a file except the module. A default one wraps nothing.
class ModuleWrapper {
 public:
  WrapperKind kind() const { return kind_; }
  // The file, with `module` as its module.
  std::string Wrap(absl::string_view module) const;
  // The message alone, of XLA's own form of an HloUnoptimizedSnapshot
  // (wrapped_module.h) without its length and the bytes after it.
  std::string WrapMessage(absl::string_view module) const;
  // The bytes after the message.
  absl::string_view tail() const { return tail_; }
  // The bytes before and after a module of `size` bytes.
  struct Around {
    std::string before;
    std::string after;
  };
  Around AroundModule(uint64_t size) const;

  // How many devices the module is compiled for, where the wrapper says so:
  // only HloModuleProtoWithConfig does.
  const DeviceCounts& devices() const { return devices_; }

 private:
  friend class WrapperReader;

  // The bytes around the field that holds a message.
  struct Level {
    std::string before;
    std::string after;
  };
  WrapperKind kind_ = WrapperKind::kNone;
  std::vector<Level> levels_;  // the innermost first
  // The length of the message precedes it, and tail_ follows.
  bool delimited_ = false;
  std::string tail_;
  DeviceCounts devices_;
};

struct WrappedModule {
  Module module;
  ModuleWrapper wrapper;
};

// The parts of a wrapper beside the module, as texts for people: "2 arguments",
// "the result", "the platform \"Host\"", "the assignment of buffers", "the
// configuration". Empty: none.
std::vector<std::string> PartsBesideModule(const ModuleWrapper& wrapper);

// One run of a module, as recorded in a snapshot.
struct RecordedRun {
  std::vector<Literal> arguments;
  std::optional<Literal> result;
};
// The run of an HloSnapshot, or the arguments of the first partition of an
// HloUnoptimizedSnapshot; empty for other wrappers. InvalidArgument: an invalid
// literal. Unimplemented: arguments that follow the message (tail()).
absl::StatusOr<RecordedRun> ReadRecordedRun(const ModuleWrapper& wrapper);

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_MODULE_WRAPPER_H_
