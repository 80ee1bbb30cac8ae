// Sharding annotations: they tell XLA's partitioner how to spread a value over
// devices.
//
//   // 8 devices, rows over 2 of them, columns over 4:
//   ScopedSharding scope(&b, TileSharding({2, 4}));
//   Op y = b.Dot(x, w);                       // annotated, until scope ends
//
// A sharding is the canonical bytes of an OpSharding message. Sources: XLA's
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

// Sets the sharding of the results of a builder's calls while the scope lives,
// then restores the previous one; nullopt: no sharding. What a call makes for
// itself has none: the constant of `x + 1`, the counter of a loop, the steps of
// a composite. Of several results (of a loop, a branch, a call) those have it
// that can carry it, and a tuple's sharding has a part for each. A call without
// a result that can is an error, as in XLA (IND0785, IND0786). Scopes nest. The
// builder may be destroyed or moved before the scope ends.
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
