// SPDX-License-Identifier: Apache-2.0
// Typed 32-bit ids of entries in a module's pools. 0 always means none.

#ifndef INDIM_IR_IDS_H_
#define INDIM_IR_IDS_H_

#include <cstdint>
#include <utility>

namespace indim {

template <typename Tag>
struct Id {
  uint32_t value = 0;

  explicit operator bool() const { return value != 0; }
  friend bool operator==(Id a, Id b) { return a.value == b.value; }
  friend bool operator!=(Id a, Id b) { return a.value != b.value; }
  friend bool operator<(Id a, Id b) { return a.value < b.value; }
  template <typename H>
  friend H AbslHashValue(H h, Id id) {
    return H::combine(std::move(h), id.value);
  }
};

using ShapeId = Id<struct ShapeIdTag>;  // a shape with layout and spelling
using StructureId = Id<struct StructureIdTag>;  // a shape without layout
using NameId = Id<struct NameIdTag>;            // 0: the printer makes one
using AttributeBytesId = Id<struct AttributeBytesIdTag>;  // 0: no fields
using MetadataId = Id<struct MetadataIdTag>;              // 0: none

}  // namespace indim

#endif  // INDIM_IR_IDS_H_
