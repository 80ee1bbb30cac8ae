// SPDX-License-Identifier: Apache-2.0
// TileAssignment: maps tiles to devices, by a list or a formula.
//
//   [2,2]0,2,1,3           a list, row by row
//   [2,2]<=[4]             0, 1, 2, 3
//   [4,2]<=[2,4]T(1,0)     0, 1, ... 7 as [2,4], transposed, as [4,2]
//
// A formula has one canonical form, whose size doesn't depend on the number of
// devices. XLA's regrouping of tiles when it reads a sharding keeps formulas
// where possible (XLA: tile_assignment.cc, HloSharding::Subgroup and
// ::PartialTile).

#ifndef INDIM_SHARDING_VALUES_TILE_ASSIGNMENT_H_
#define INDIM_SHARDING_VALUES_TILE_ASSIGNMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"

namespace indim {

// Devices 0, 1, ... as an array of `reshape_dims`, transposed, then flattened.
struct IotaTransform {
  DimIndices reshape_dims;
  DimIndices transpose_perm;

  friend bool operator==(const IotaTransform& a, const IotaTransform& b) {
    return a.reshape_dims == b.reshape_dims &&
           a.transpose_perm == b.transpose_perm;
  }
};

// The product of `sizes`; nullopt: a size is not positive, or the product
// passes 2^62.
std::optional<int64_t> ProductOfSizes(absl::Span<const int64_t> sizes);
// Whether `order` holds each of 0, 1, ..., size-1 once.
bool IsPermutation(absl::Span<const int64_t> order);
// The error of a formula for `devices` devices, as the predicate of a sentence;
// "": no error. Source: XLA, IotaTileAssignment::Create.
std::string IotaFault(int64_t devices, const IotaTransform& iota);

class TileAssignment {
 public:
  // Most devices in a list that replaces a formula which can't be regrouped.
  static constexpr int64_t kMaxListed = int64_t{1} << 20;

  // No tiles.
  TileAssignment() = default;

  // `devices` row by row. nullopt: a size isn't positive, or the product of
  // sizes isn't the number of devices.
  static std::optional<TileAssignment> List(const DimIndices& dims,
                                            DimIndices devices);

  // The devices of `iota`, reshaped to `dims`. nullopt: a size isn't positive,
  // or IotaFault finds an error.
  static std::optional<TileAssignment> Iota(const DimIndices& dims,
                                            const IotaTransform& iota);

  const DimIndices& dims() const { return dims_; }
  bool is_iota() const { return !iota_.reshape_dims.empty(); }
  // For a formula.
  const IotaTransform& iota() const { return iota_; }
  // For a list.
  const DimIndices& devices() const { return devices_; }
  int64_t count() const { return count_; }

  // Transposes the dims by `order`, a permutation, then reshapes to `dims`,
  // which must have as many tiles. nullopt: the result would be a list of too
  // many devices.
  std::optional<TileAssignment> Transposed(const DimIndices& order,
                                           const DimIndices& dims) const;

  // Sorts each group of `size` neighbours by device (`size` must divide the
  // count). nullopt as in Transposed.
  std::optional<TileAssignment> SortedInGroups(int64_t size) const;

  // Reshapes to other sizes with the same product.
  TileAssignment Reshaped(const DimIndices& dims) const;

  // The devices row by row. nullopt: a formula of too many devices.
  std::optional<DimIndices> Listed() const;
  // Likewise, in lists along the last dim.
  std::optional<std::vector<std::vector<int64_t>>> Rows() const;

  // "[2,2]<=[4]", "[2,2]0,2,1,3".
  std::string ToString() const;
  // ToString without the dims: "[4,2]T(1,0)", "0,2,1,3".
  std::string DevicesText() const;

 private:
  DimIndices dims_;
  int64_t count_ = 0;
  IotaTransform iota_;
  DimIndices devices_;
};

}  // namespace indim

#endif  // INDIM_SHARDING_VALUES_TILE_ASSIGNMENT_H_
