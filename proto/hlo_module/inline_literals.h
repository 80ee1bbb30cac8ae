// SPDX-License-Identifier: Apache-2.0
// Inline literals: converts a module with compact literals, whose values are
// elsewhere (literal_wire.h), to the form that XLA reads, with all values in
// the module's bytes.
//
// Few modules have such literals, so writers write them in their compact form.
// The functions here insert the values and correct the lengths around each
// literal.

#ifndef INDIM_PROTO_HLO_MODULE_INLINE_LITERALS_H_
#define INDIM_PROTO_HLO_MODULE_INLINE_LITERALS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/pools.h"
#include "indim/ir/storage/byte_pieces.h"
#include "indim/ir/storage/external_files.h"

namespace indim {

// Whether a literal in `pools` is compact.
bool HasCompactLiterals(const Pools& pools);

// The size of the canonical HloModuleProto `bytes` with all values; kMaxBytes
// (literal_wire.h) if it is that or more.
uint64_t PlainModuleSize(absl::string_view bytes);

// Appends these bytes, which must be less than kMaxBytes; `bytes` must outlive
// the pieces. FailedPrecondition, with computation and instruction: the file
// with values isn't in `files`. InvalidArgument: it is too short.
absl::Status AppendPlainModule(absl::string_view bytes,
                               const ExternalFiles* files, BytePieces* pieces);

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_INLINE_LITERALS_H_
