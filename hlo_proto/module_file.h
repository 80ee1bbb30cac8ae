// Writing a module as HloModuleProto into a file, and the values of its large
// constants into a file beside it (external_constants.h).

#ifndef INDIM_HLO_PROTO_MODULE_FILE_H_
#define INDIM_HLO_PROTO_MODULE_FILE_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/hlo_proto/module_wrapper.h"
#include "indim/ir/module.h"

namespace indim {

struct ProtoFileOptions {
  // Also a module that XLA's protobuf can't read.
  bool allow_over_2gib = false;
  // Literals whose values take so many bytes or more are kept outside, or, when
  // all elements are the same, once. XLA refuses such a module; without this
  // option the same comes back whole.
  std::optional<uint64_t> external_min_bytes;
};

// Writes the graph as it is (no broadcasts expanded), in its wrapper,
// atomically: on an error `path` is as it was. Memory: a few MiB beside the
// module; where it has literals that are kept outside or once, all its bytes
// but their values. Errors as SerializeModule (module_serializer.h) and
// WriteFile (file.h); InvalidArgument: constants beside what is no file.
absl::Status WriteProtoFile(
    const Module& module, const ModuleWrapper& wrapper, absl::string_view path,
    const ProtoFileOptions& options = ProtoFileOptions());

}  // namespace indim

#endif  // INDIM_HLO_PROTO_MODULE_FILE_H_
