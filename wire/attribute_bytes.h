// The bytes of an instruction's attributes, as fields: what they mean is told
// by attribute_wire.h.
//
// A blob is an instruction's canonical bytes without its spine (name, opcode,
// shape, metadata, id, operand ids, callee ids). Reading one never loses what
// it doesn't understand: the blob stays. Writing an edited struct replaces
// whole fields and keeps every other byte.

#ifndef INDIM_WIRE_ATTRIBUTE_BYTES_H_
#define INDIM_WIRE_ATTRIBUTE_BYTES_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// The canonical fields of one instruction, in three runs as they stand around
// the spine: numbers below 35, number 37, numbers above 38 and unknown ones.
struct BlobView {
  absl::string_view before_id;
  absl::string_view control;  // control_predecessor_ids
  absl::string_view after_callees;

  bool empty() const {
    return before_id.empty() && control.empty() && after_callees.empty();
  }
  size_t size() const {
    return before_id.size() + control.size() + after_callees.size();
  }
};

// The same three runs, owned.
struct EncodedBlob {
  std::string before_id;
  std::string control;
  std::string after_callees;
  BlobView view() const { return {before_id, control, after_callees}; }
};
// A copy of `blob`.
EncodedBlob Owned(BlobView blob);

// The bytes inside field `number` (a string, bytes or message field; of its
// first occurrence), or empty. `present`, unless null, tells empty from absent.
absl::string_view BlobField(BlobView blob, int number, bool* present = nullptr);

// `blob` with field `number` (string, bytes, message) set to `value`, in
// canonical order.
EncodedBlob WithField(BlobView blob, int number, absl::string_view value);
// `blob` without field `number`.
EncodedBlob WithoutField(BlobView blob, int number);

}  // namespace indim

#endif  // INDIM_WIRE_ATTRIBUTE_BYTES_H_
