// Two walks over the bytes of a message, both linear and driven by the wire
// table: is it canonical, and is it valid at all? wire/canonical.h is what
// others use; this is what it is made of.
#ifndef INDIM_WIRE_WIRE_CHECK_H_
#define INDIM_WIRE_WIRE_CHECK_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/wire/wire_table.h"

namespace indim {

// Null if `bytes` are canonical (see IsCanonical). Otherwise the place in
// `bytes` where that was found out: every message that ends at or before it is
// canonical, and the innermost one that it is inside of (begin <= place < end)
// isn't.
const char* FindNonCanonical(const WireMessageInfo& info,
                             absl::string_view bytes, int depth);

// OK iff libprotobuf parses `bytes` as the message; else InvalidArgument, with
// the offset and the messages around it. Messages that end at or before
// `checked` are known to be canonical and are not looked into; null: none is.
absl::Status ValidateWire(const WireMessageInfo& info, absl::string_view bytes,
                          int depth, const char* checked);

}  // namespace indim

#endif  // INDIM_WIRE_WIRE_CHECK_H_
