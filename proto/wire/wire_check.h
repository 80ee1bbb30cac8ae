// SPDX-License-Identifier: Apache-2.0
// Two linear walks over the bytes of a message, driven by the wire table: one
// checks canonical form, the other validity. Use proto/wire/canonical.h; this
// is its implementation.
#ifndef INDIM_PROTO_WIRE_WIRE_CHECK_H_
#define INDIM_PROTO_WIRE_WIRE_CHECK_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/proto/wire/wire_table.h"

namespace indim {

// Null if `bytes` are canonical (see IsCanonical). Otherwise the place in
// `bytes` where the check failed: every message that ends at or before it is
// canonical, and the innermost message around it (begin <= place < end) isn't.
const char* FindNonCanonical(const WireMessageInfo& info,
                             absl::string_view bytes, int depth);

// OK iff libprotobuf parses `bytes` as the message; else InvalidArgument, with
// the offset and the messages around it. Messages that end at or before
// `checked` are known to be canonical and are skipped; null: none is known.
absl::Status ValidateWire(const WireMessageInfo& info, absl::string_view bytes,
                          int depth, const char* checked);

}  // namespace indim

#endif  // INDIM_PROTO_WIRE_WIRE_CHECK_H_
