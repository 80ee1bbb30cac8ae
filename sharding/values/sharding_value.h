// SPDX-License-Identifier: Apache-2.0
// Sharding: how one array is spread over devices, the value of an OpSharding
// message. ParseSharding (sharding.h) reads its bytes, sharding_text.h its text
// in HLO, shardy_text.h Shardy's. A tuple's is a list of bytes (TupleParts).
//
// Source: XLA, HloSharding and NamedSharding.

#ifndef INDIM_SHARDING_VALUES_SHARDING_VALUE_H_
#define INDIM_SHARDING_VALUES_SHARDING_VALUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/shape/dims/dim.h"
#include "indim/sharding/values/mesh.h"
#include "indim/sharding/values/tile_assignment.h"

namespace indim {

// How a dim is cut by axes of a mesh.
struct ShardingDim {
  AxisRefs axes;  // from major to minor
  bool is_closed = true;
  std::optional<int64_t> priority;  // Shardy's alone
};

// By axes of a mesh: HLO's NamedShardingProto, and what #sdy.sharding says.
struct NamedSharding {
  Mesh mesh;
  std::vector<ShardingDim> dims;
  AxisRefs replicated;
  AxisRefs unreduced;
  AxisRefs manual;  // HLO's alone
  int64_t reduction = 0;
  std::vector<std::string> metadata;  // OpMetadata

  std::string Fault() const;  // as of Sharding
};

// As the bytes say it, so it may have a fault.
struct Sharding {
  using Dim = ShardingDim;
  using Named = NamedSharding;
  // OpSharding.Type.
  enum Type : int64_t {
    kReplicated = 0,  // every device has the whole array
    kMaximal = 1,     // one device has it
    kTuple = 2,
    kOther = 3,   // tiles
    kManual = 4,  // the program decides which part each device has
    kUnknown = 5,
    kUnreduced = 6,  // each device has a part of a sum
  };
  static constexpr int64_t kTypeCount = 7;
  // The reductions of unreduced axes, by number.
  static constexpr absl::string_view kReductions[] = {"sum", "max", "min"};

  int64_t type = kReplicated;
  DimIndices tile_dims;       // kOther
  DimIndices devices;         // in the order of the tiles; kMaximal: one
  IotaTransform iota;         // instead of `devices`
  DimIndices subgroup_types;  // of the trailing tile_dims
  bool replicate_on_last = false;
  std::vector<std::string> metadata;  // OpMetadata
  bool is_shard_group = false;
  int64_t shard_group = 0;
  bool shard_like = false;     // else shard_as
  std::optional<Named> named;  // then all above count for nothing

  // What `named` says without a mesh, as XLA writes it beside Shardy's
  // sharding; its manual axes don't count. nullopt: it has a fault, or too many
  // devices to list.
  static std::optional<Sharding> WithoutMesh(const Named& named);

  // The fault for which XLA's importer refuses it (HloSharding::FromProto,
  // VerifyNamedSharding), as the predicate of a sentence; "": none. `is_count`
  // is set where it has other numbers of tiles and of devices.
  std::string Fault(bool* is_count = nullptr) const;

  // All below are of one without a fault.

  // Whether it cuts an array into tiles. If not, it fits all shapes.
  bool IsTiled() const;
  // The rank of the arrays that it cuts.
  int64_t TiledRank() const;
  // The devices that it names, one for each tile or copy of it; 0: the formula
  // for them is impossible.
  int64_t DeviceCount() const;
  // Those that it lists; none where a formula gives them.
  const DimIndices& ListedDevices() const;

  // The tiles of kOther. nullopt: XLA would refuse them.
  std::optional<TileAssignment> Tiles() const;

  // Makes it one of a type that has no tiles.
  void Become(int64_t new_type);
  // Makes it one of these tiles, in XLA's form of their subgroups, without
  // which it leaves replicate_on_last as it is. False: too many devices to
  // list.
  bool SetTiles(TileAssignment tiles);
  // Brings tiles that were read to XLA's form. False: XLA would refuse them, or
  // as of SetTiles.
  bool NormalizeTiles();
};

}  // namespace indim

#endif  // INDIM_SHARDING_VALUES_SHARDING_VALUE_H_
