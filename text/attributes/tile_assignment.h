// TileAssignment: which device has which tile, as a list or as a formula.
//
//   [2,2]0,2,1,3           a list, row by row
//   [2,2]<=[4]             0, 1, 2, 3
//   [4,2]<=[2,4]T(1,0)     0, 1, ... 7 as [2,4], transposed, as [4,2]
//
// A formula has one canonical form, and keeps its size however many devices
// there are. The regrouping of tiles that XLA does when it reads a sharding
// keeps formulas where they can be kept (XLA: tile_assignment.cc,
// HloSharding::Subgroup and ::PartialTile).

#ifndef INDIM_TEXT_ATTRIBUTES_TILE_ASSIGNMENT_H_
#define INDIM_TEXT_ATTRIBUTES_TILE_ASSIGNMENT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/text/base/lexer.h"

namespace indim {

class TileAssignment {
 public:
  // A formula that can't be regrouped becomes a list; not of more devices than
  // this.
  static constexpr int64_t kMaxListed = int64_t{1} << 20;

  // No tiles.
  TileAssignment() = default;

  // `devices` row by row. nullopt: a size isn't positive, or their product
  // isn't the count of devices.
  static std::optional<TileAssignment> List(const DimIndices& dims,
                                            DimIndices devices);

  // 0, 1, ... as `reshape_dims`, transposed by `transpose_perm`, as `dims`.
  // nullopt: a size isn't positive, a product passes 2^62 or differs, or the
  // permutation is none.
  static std::optional<TileAssignment> Iota(
      const DimIndices& dims, absl::Span<const int64_t> reshape_dims,
      absl::Span<const int64_t> transpose_perm);

  const DimIndices& dims() const { return dims_; }
  bool is_iota() const { return !reshape_dims_.empty(); }
  // Of a formula.
  const DimIndices& reshape_dims() const { return reshape_dims_; }
  const DimIndices& transpose_perm() const { return transpose_perm_; }
  // Of a list.
  const DimIndices& devices() const { return devices_; }
  int64_t count() const { return count_; }

  // Dimensions in the order of `order`, a permutation, then seen as `dims`,
  // which has as many tiles. nullopt: it would be a list of too many devices.
  std::optional<TileAssignment> Transposed(const DimIndices& order,
                                           const DimIndices& dims) const;

  // Every `size` neighbours (the count is a multiple) in the order of their
  // numbers. nullopt as above.
  std::optional<TileAssignment> SortedInGroups(int64_t size) const;

  // As other sizes of the same product.
  TileAssignment Reshaped(const DimIndices& dims) const;

  // The devices row by row. nullopt: a formula of too many.
  std::optional<DimIndices> Listed() const;

  // "[2,2]<=[4]", "[2,2]0,2,1,3".
  std::string ToString() const;
  // Without the dims: "[4,2]T(1,0)", "0,2,1,3".
  std::string DevicesText() const;

 private:
  DimIndices dims_;
  int64_t count_ = 0;
  DimIndices reshape_dims_;
  DimIndices transpose_perm_;
  DimIndices devices_;
};

// Reads `[4]` or `[4,2]T(1,0)`: the dims, and their permutation ({0} for one).
// The present token is the "[". False after an error.
bool ReadIota(Lexer* lexer, DimIndices* reshape_dims,
              DimIndices* transpose_perm);

// Reads `[2,2]<=[4]`, or, where `list` is allowed, `[2,2]0,2,1,3`. False after
// an error: one that makes no TileAssignment too.
bool ReadTileAssignment(Lexer* lexer, bool list, TileAssignment* tiles);

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_TILE_ASSIGNMENT_H_
