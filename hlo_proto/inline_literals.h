// Modules whose literals keep values elsewhere (literal_wire.h), made into what
// XLA reads: all values in the module's own bytes.
//
// Few modules have such literals, so writers know nothing of them: they write
// them as they are kept, and here the lengths around each literal are mended
// and its values put in.

#ifndef INDIM_HLO_PROTO_INLINE_LITERALS_H_
#define INDIM_HLO_PROTO_INLINE_LITERALS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/pools.h"
#include "indim/storage/byte_pieces.h"
#include "indim/storage/external_files.h"

namespace indim {

// Whether a literal in `pools` is compact.
bool HasCompactLiterals(const Pools& pools);

// How many bytes the canonical HloModuleProto `bytes` takes with all values;
// kMostBytes (literal_wire.h): as many or more.
uint64_t PlainModuleSize(absl::string_view bytes);

// Those bytes, less than kMostBytes; `bytes` must outlive the pieces.
// FailedPrecondition, with computation and instruction: the file with values
// isn't in `files`; InvalidArgument: it is too short.
absl::Status AppendPlainModule(absl::string_view bytes,
                               const ExternalFiles* files, BytePieces* pieces);

}  // namespace indim

#endif  // INDIM_HLO_PROTO_INLINE_LITERALS_H_
