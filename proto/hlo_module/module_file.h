// SPDX-License-Identifier: Apache-2.0
// Writes a module as HloModuleProto into a file, and the values of its large
// constants into a second one (external_constants.h).

#ifndef INDIM_PROTO_HLO_MODULE_MODULE_FILE_H_
#define INDIM_PROTO_HLO_MODULE_MODULE_FILE_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/proto/hlo_module/module_wrapper.h"

namespace indim {

struct ProtoFileOptions {
  // Accept more than 2 GiB, which XLA's protobuf can't read.
  bool allow_over_2gib = false;
  // Literals of so many bytes or more go to the second file, or, when all
  // elements are equal, are stored as one element. XLA refuses such a module;
  // read and written without this option it is whole again.
  std::optional<uint64_t> external_min_bytes;
};

// Writes the graph as it is (without expanding broadcasts), in its wrapper,
// atomically: after an error `path` is unchanged. Memory: a few MiB beside the
// module; if it has external or splat literals, all its bytes except their
// values. Errors as SerializeModule (module_serializer.h) and WriteFile
// (file.h). InvalidArgument: external constants beside a path that isn't a
// file.
absl::Status WriteProtoFile(
    const Module& module, const ModuleWrapper& wrapper, absl::string_view path,
    const ProtoFileOptions& options = ProtoFileOptions());

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_MODULE_FILE_H_
