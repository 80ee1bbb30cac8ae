// SPDX-License-Identifier: Apache-2.0
// Shardings: how a value is spread over devices, as the canonical bytes of an
// OpSharding message. Here they are made, taken apart and put together; the
// Sharding that ParseSharding makes of them has the members. sharding_text.h
// reads and prints them, sharding_faults.h finds their faults,
// sharding_tiling.h says which part of an array each device has.
//
// Sources: XLA's xla_data.proto, hlo_sharding.cc.

#ifndef INDIM_SHARDING_SHARDING_H_
#define INDIM_SHARDING_SHARDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/types/shape.h"
#include "indim/sharding/values/sharding_value.h"

namespace indim {

// The value of canonical bytes, and back; of a tuple's sharding only the type.
Sharding ParseSharding(absl::string_view wire);
std::string SerializeSharding(const Sharding& sharding);

// Every device holds the whole value.
std::string ReplicateSharding();

// Only `device` (>= 0; XLA refuses others) holds the value.
std::string MaximalSharding(int64_t device);

// The program decides which part each device holds (shard_map, manual
// collectives).
std::string ManualSharding();

// Cuts the array into a grid of tiles, tile_dims[i] along dim i; tile number k
// (row-major) goes to device k. With `replicate_on_last_dim`, tile_dims has one
// more entry than the array has dims: the number of devices that hold the same
// tile. XLA requires sizes > 0.
std::string TileSharding(absl::Span<const int64_t> tile_dims,
                         bool replicate_on_last_dim = false);

// TileSharding with tile k on devices[k]. XLA requires each device once, and as
// many devices as the product of tile_dims.
std::string TileShardingOnDevices(absl::Span<const int64_t> tile_dims,
                                  absl::Span<const int64_t> devices,
                                  bool replicate_on_last_dim = false);

// TileSharding with tile k on the device at position k of the sequence 0, 1, 2,
// ... reshaped to `reshape_dims` and transposed by `transpose_perm`. This form
// describes meshes whose axes are not in order.
std::string TileShardingByIota(absl::Span<const int64_t> tile_dims,
                               absl::Span<const int64_t> reshape_dims,
                               absl::Span<const int64_t> transpose_perm,
                               bool replicate_on_last_dim = false);

// The sharding of a tuple: one for each leaf, depth first.
std::string TupleSharding(absl::Span<const std::string> leaves);

// The sharding of a tuple each of whose leaves has `sharding`; of a tuple
// without leaves, one such part. XLA writes a single sharding of a tuple so.
// nullopt: `sharding` is a tuple's already, or the result would have more than
// 16 MB.
std::optional<std::string> SpreadSharding(absl::string_view sharding,
                                          size_t leaves);

// The parts of a tuple's sharding, which point into `sharding`; nullopt: it is
// one of an array, or of each array of a tuple.
std::optional<std::vector<absl::string_view>> TupleParts(
    absl::string_view sharding);

// The sharding of each of `count` leaves: its part of a tuple's sharding ("",
// replicated, beyond the parts), or `sharding` itself.
std::vector<absl::string_view> LeafShardings(absl::string_view sharding,
                                             size_t count);

// `sharding` (of a value of shape `before`) for the tuple `after`: its element
// k was element from[k] of `before`, or is new and replicated (-1). `wrapped`:
// element 0 means all of `before`. A sharding that holds for all elements of a
// tuple stays. nullopt: it doesn't fit `before`.
std::optional<std::string> ShardingOfElements(absl::string_view sharding,
                                              const Shape& before,
                                              const Shape& after,
                                              absl::Span<const int64_t> from,
                                              bool wrapped);

}  // namespace indim

#endif  // INDIM_SHARDING_SHARDING_H_
