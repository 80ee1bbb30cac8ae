// The bytes of an instruction's attributes, as fields: what they mean is told
// by attribute_wire.h.
//
// Attribute bytes are an instruction's canonical bytes without the fields of
// its record (name, opcode, shape, metadata, id, operand ids, callee ids).
// Reading them never loses a field that isn't understood: the bytes stay.
// Writing an edited struct replaces whole fields and keeps every other byte.

#ifndef INDIM_WIRE_ATTRIBUTE_BYTES_H_
#define INDIM_WIRE_ATTRIBUTE_BYTES_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// The canonical fields of one instruction, in three runs as they stand around
// the fields of the record: numbers below 35, number 37, numbers above 38 and
// unknown ones.
struct AttributeBytesView {
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
struct OwnedAttributeBytes {
  std::string before_id;
  std::string control;
  std::string after_callees;
  AttributeBytesView view() const {
    return {before_id, control, after_callees};
  }
};
// A copy of `attribute_bytes`.
OwnedAttributeBytes Owned(AttributeBytesView attribute_bytes);

// The bytes inside field `number` (a string, bytes or message field; of its
// first occurrence), or empty. `present`, unless null, tells empty from absent.
absl::string_view AttributeBytesField(AttributeBytesView attribute_bytes,
                                      int number, bool* present = nullptr);

// `attribute_bytes` with field `number` (string, bytes, message) set to
// `value`, in canonical order.
OwnedAttributeBytes WithField(AttributeBytesView attribute_bytes, int number,
                              absl::string_view value);
// `attribute_bytes` without field `number`.
OwnedAttributeBytes WithoutField(AttributeBytesView attribute_bytes,
                                 int number);

}  // namespace indim

#endif  // INDIM_WIRE_ATTRIBUTE_BYTES_H_
