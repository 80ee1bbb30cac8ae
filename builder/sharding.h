// Sharding: how XLA's partitioner spreads a value over devices. Here are the
// annotations; XLA does the work.
//
//   // 8 devices, rows over 2 of them, columns over 4:
//   ScopedSharding scope(&b, TileSharding({2, 4}));
//   Op y = b.Dot(x, w);                       // annotated, until scope ends
//
// A sharding is the bytes of an OpSharding message, canonical. Sources: XLA's
// xla_data.proto, hlo_sharding.cc.

#ifndef INDIM_BUILDER_SHARDING_H_
#define INDIM_BUILDER_SHARDING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"

namespace indim {

// Every device has all of it.
std::string ReplicateSharding();

// One device, `device` (>= 0; XLA refuses others), has all of it.
std::string MaximalSharding(int64_t device);

// What each device has is up to the program (shard_map, manual collectives).
std::string ManualSharding();

// The array is cut into a grid of tiles, tile_dims[i] along dim i, and tile
// number k (row-major) goes to device k. With `replicate_on_last_dim` there is
// one more entry in tile_dims than the array has dims: that many devices hold
// the same tile. XLA wants sizes > 0.
std::string TileSharding(absl::Span<const int64_t> tile_dims,
                         bool replicate_on_last_dim = false);

// The same, tile k on devices[k]. XLA wants each device once, as many as the
// product of tile_dims.
std::string TileShardingOnDevices(absl::Span<const int64_t> tile_dims,
                                  absl::Span<const int64_t> devices,
                                  bool replicate_on_last_dim = false);

// The same, tile k on the device that stands at place k of 0, 1, 2, ...
// reshaped to `reshape_dims` and transposed by `transpose_perm`: how meshes
// whose axes are not in order are written.
std::string TileShardingByIota(absl::Span<const int64_t> tile_dims,
                               absl::Span<const int64_t> reshape_dims,
                               absl::Span<const int64_t> transpose_perm,
                               bool replicate_on_last_dim = false);

// Of a tuple: one for each leaf, depth first.
std::string TupleSharding(absl::Span<const std::string> leaves);

// Annotates everything that a builder records while it lives, then goes back to
// what was before; nullopt: annotates nothing. Scopes nest. The builder may go,
// or be moved, before the scope ends.
class ScopedSharding {
 public:
  ScopedSharding(ComputationBuilder* builder,
                 std::optional<std::string> op_sharding,
                 Caller caller = Caller::Here());
  ~ScopedSharding();
  ScopedSharding(const ScopedSharding&) = delete;
  ScopedSharding& operator=(const ScopedSharding&) = delete;

 private:
  internal::BuilderControl* control_ = nullptr;
  uint32_t generation_ = 0;
  std::optional<std::string> before_;
};

}  // namespace indim

#endif  // INDIM_BUILDER_SHARDING_H_
