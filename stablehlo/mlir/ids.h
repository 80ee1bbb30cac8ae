// SPDX-License-Identifier: Apache-2.0
// Ids of the things that an mlir::Ir owns. Each is an index into its array, so
// an id is only meaningful together with its Ir.

#ifndef INDIM_STABLEHLO_MLIR_IDS_H_
#define INDIM_STABLEHLO_MLIR_IDS_H_

#include <cstdint>
#include <utility>

namespace indim::mlir {

// Tag tells the kinds of id apart.
template <typename Tag>
struct Id {
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t index = kNone;

  bool valid() const { return index != kNone; }
  friend bool operator==(Id a, Id b) { return a.index == b.index; }
  friend bool operator!=(Id a, Id b) { return a.index != b.index; }
  template <typename H>
  friend H AbslHashValue(H h, Id id) {
    return H::combine(std::move(h), id.index);
  }
};

using StringId = Id<struct StringTag>;  // interned: equal text, equal id
using TypeId = Id<struct TypeTag>;      // interned
using AttrId = Id<struct AttrTag>;      // interned
using OpId = Id<struct OpTag>;
using ValueId = Id<struct ValueTag>;  // a result or a block argument
using BlockId = Id<struct BlockTag>;
using RegionId = Id<struct RegionTag>;

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_MLIR_IDS_H_
