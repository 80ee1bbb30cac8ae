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

#ifndef INDIM_SHARDING_TILE_ASSIGNMENT_H_
#define INDIM_SHARDING_TILE_ASSIGNMENT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"

namespace indim {

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

  // 0, 1, ... reshaped to `reshape_dims`, transposed by `transpose_perm`,
  // reshaped to `dims`. nullopt: a size isn't positive, a product exceeds 2^62
  // or differs, or transpose_perm isn't a permutation.
  static std::optional<TileAssignment> Iota(
      const DimIndices& dims, absl::Span<const int64_t> reshape_dims,
      absl::Span<const int64_t> transpose_perm);

  const DimIndices& dims() const { return dims_; }
  bool is_iota() const { return !reshape_dims_.empty(); }
  // For a formula.
  const DimIndices& reshape_dims() const { return reshape_dims_; }
  const DimIndices& transpose_perm() const { return transpose_perm_; }
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

  // "[2,2]<=[4]", "[2,2]0,2,1,3".
  std::string ToString() const;
  // ToString without the dims: "[4,2]T(1,0)", "0,2,1,3".
  std::string DevicesText() const;

 private:
  DimIndices dims_;
  int64_t count_ = 0;
  DimIndices reshape_dims_;
  DimIndices transpose_perm_;
  DimIndices devices_;
};

}  // namespace indim

#endif  // INDIM_SHARDING_TILE_ASSIGNMENT_H_
