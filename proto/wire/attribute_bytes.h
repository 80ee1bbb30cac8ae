// SPDX-License-Identifier: Apache-2.0
// Attribute bytes: the bytes of an instruction's attributes, as fields.
// attribute_wire.h (codec) decodes them.
//
// Attribute bytes are an instruction's canonical bytes without the fields of
// its record (name, opcode, shape, metadata, id, operand ids, callee ids). They
// keep every field, known or not. Replacing a struct replaces whole fields and
// keeps every other byte.

#ifndef INDIM_PROTO_WIRE_ATTRIBUTE_BYTES_H_
#define INDIM_PROTO_WIRE_ATTRIBUTE_BYTES_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// A view of one instruction's attribute bytes: three runs of canonical fields,
// separated by the record's fields. Their numbers are below 35, 37, and above
// 38; unknown fields are in the last run.
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

// The three runs as owned strings.
struct OwnedAttributeBytes {
  std::string before_id;
  std::string control;
  std::string after_callees;
  AttributeBytesView view() const {
    return {before_id, control, after_callees};
  }
};
// Copies `attribute_bytes`.
OwnedAttributeBytes Owned(AttributeBytesView attribute_bytes);

// The contents of the first record of field `number` (a string, bytes or
// message field); empty where there is none. *present, unless null, tells empty
// from absent.
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

#endif  // INDIM_PROTO_WIRE_ATTRIBUTE_BYTES_H_
