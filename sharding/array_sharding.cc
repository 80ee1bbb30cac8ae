#include "indim/sharding/array_sharding.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

namespace of_sharding = field::OpSharding;

using sharding_type::kManual;
using sharding_type::kMaximal;
using sharding_type::kOther;
using sharding_type::kReplicated;
using sharding_type::kTuple;
using sharding_type::kUnknown;
using sharding_type::kUnreduced;
constexpr size_t kTypes = static_cast<size_t>(sharding_type::kCount);

// Makes tiles whose last dimension has copies. False: too many devices to list.
bool MakePartial(ArraySharding* leaf) {
  const DimIndices& dims = leaf->tiles.dims();
  const int64_t copies = dims.back();
  if (dims.size() == 1 || copies == leaf->tiles.count()) {
    leaf->Become(kReplicated);
    return true;
  }
  if (copies == 1) {
    leaf->tiles =
        leaf->tiles.Reshaped(DimIndices(dims.begin(), dims.end() - 1));
    leaf->replicate_on_last = false;
    return true;
  }
  std::optional<TileAssignment> sorted = leaf->tiles.SortedInGroups(copies);
  if (!sorted) return false;
  leaf->tiles = *std::move(sorted);
  leaf->replicate_on_last = true;
  return true;
}

// Merges subgroups to one trailing dim per type, in XLA's order of types,
// without dims of size 1. False: too many devices to list.
bool MergeByType(ArraySharding* leaf) {
  constexpr std::array<int64_t, kTypes> kOrder = {
      kMaximal, kTuple, kOther, kManual, kUnreduced, kReplicated, kUnknown};
  const DimIndices dims = leaf->tiles.dims();
  const size_t data_dims = dims.size() - leaf->subgroup_types.size();
  DimIndices order, removed, types;
  DimIndices merged(dims.begin(), dims.begin() + data_dims);
  for (size_t i = 0; i < data_dims; ++i) {
    order.push_back(static_cast<int64_t>(i));
  }
  for (const int64_t type : kOrder) {
    int64_t size = 1;
    for (size_t i = data_dims; i < dims.size(); ++i) {
      if (leaf->subgroup_types[i - data_dims] != type) continue;
      (dims[i] == 1 ? removed : order).push_back(static_cast<int64_t>(i));
      size *= dims[i];
    }
    if (size == 1) continue;
    merged.push_back(size);
    types.push_back(type);
  }
  const bool same = removed.empty() && types.size() <= 1 &&
                    types.size() == leaf->subgroup_types.size();
  leaf->subgroup_types = types;
  if (same) return true;
  order.insert(order.end(), removed.begin(), removed.end());
  std::optional<TileAssignment> tiles = leaf->tiles.Transposed(order, merged);
  if (!tiles) return false;
  leaf->tiles = *std::move(tiles);
  return true;
}

// The tiles of an OpSharding; nullopt: XLA would refuse them.
std::optional<TileAssignment> TilesOf(const FieldList& from) {
  const DimIndices dims = from.Numbers(of_sharding::kTileAssignmentDimensions);
  DimIndices devices = from.Numbers(of_sharding::kTileAssignmentDevices);
  if (dims.empty()) return std::nullopt;
  if (!from.has(of_sharding::kIotaReshapeDims)) {
    return TileAssignment::List(dims, std::move(devices));
  }
  if (!devices.empty()) return std::nullopt;
  return TileAssignment::Iota(dims, from.Numbers(of_sharding::kIotaReshapeDims),
                              from.Numbers(of_sharding::kIotaTransposePerm));
}

}  // namespace

void ArraySharding::Become(int64_t new_type) {
  type = new_type;
  tiles = TileAssignment();
  subgroup_types.clear();
  replicate_on_last = false;
}

bool ArraySharding::MergeSubgroups() {
  DimIndices& types = subgroup_types;
  if (types.empty()) return true;
  const DimIndices& dims = tiles.dims();
  const size_t data_dims = dims.size() - types.size();
  const bool is_split = std::any_of(dims.begin(), dims.begin() + data_dims,
                                    [](int64_t size) { return size != 1; });
  const int64_t first = types[0];
  if (!is_split && std::count(types.begin(), types.end(), first) ==
                       static_cast<int64_t>(types.size())) {
    if (first == kManual || first == kReplicated || first == kUnreduced) {
      Become(first);
      return true;
    }
  }
  if (!MergeByType(this)) return false;
  if (types.empty()) return true;
  if (types.size() == 1 && types[0] == kReplicated) {
    types.clear();
    return MakePartial(this);
  }
  if (types.size() == 1 && types[0] == kManual &&
      tiles.count() == tiles.dims().back()) {
    Become(kManual);
    return true;
  }
  if (types.back() == kReplicated) {
    // Copies are sorted by device here too.
    const DimIndices kept = types;
    if (!MakePartial(this)) return false;
    replicate_on_last = false;
    types = kept;
  }
  return true;
}

bool ArraySharding::ReadTiles(const FieldList& from) {
  const DimIndices iota = from.Numbers(of_sharding::kIotaReshapeDims);
  const bool one_device =
      iota.empty()
          ? from.Numbers(of_sharding::kTileAssignmentDevices).size() == 1
          : std::all_of(iota.begin(), iota.end(),
                        [](int64_t size) { return size == 1; });
  if (one_device) {
    Become(kReplicated);
    return true;
  }
  std::optional<TileAssignment> read = TilesOf(from);
  if (!read) return false;
  tiles = *std::move(read);
  subgroup_types = from.Numbers(of_sharding::kLastTileDims);
  if (subgroup_types.empty()) {
    return from.Number(of_sharding::kReplicateOnLastTileDim) == 0 ||
           MakePartial(this);
  }
  for (const int64_t each : subgroup_types) {
    if (each < 0 || each >= sharding_type::kCount) return false;
  }
  return from.Number(of_sharding::kReplicateOnLastTileDim) == 0 &&
         subgroup_types.size() <= tiles.dims().size() && MergeSubgroups();
}

std::string ArraySharding::ToWire() const {
  FieldList to(WireMessage::kOpSharding);
  to.SetNumber(of_sharding::kType, type);
  to.SetTexts(of_sharding::kMetadata, metadata);
  if (type == kMaximal) {
    to.SetNumbers(of_sharding::kTileAssignmentDevices, {device});
  }
  if (type == kOther) {
    to.SetNumbers(of_sharding::kTileAssignmentDimensions, tiles.dims());
    to.SetNumbers(of_sharding::kTileAssignmentDevices, tiles.devices());
    to.SetNumbers(of_sharding::kIotaReshapeDims, tiles.reshape_dims());
    to.SetNumbers(of_sharding::kIotaTransposePerm, tiles.transpose_perm());
    to.SetNumber(of_sharding::kReplicateOnLastTileDim,
                 replicate_on_last ? 1 : 0);
    to.SetNumbers(of_sharding::kLastTileDims, subgroup_types);
  }
  if (shard_group) {
    to.SetNumber(of_sharding::kIsShardGroup, 1);
    to.SetNumber(of_sharding::kShardGroupId, *shard_group);
    to.SetNumber(of_sharding::kShardGroupType, shard_like ? 1 : 0);
  }
  return to.Serialize();
}

std::optional<ArraySharding> WithoutMesh(const NamedSharding& named) {
  const Mesh& mesh = named.mesh;
  ArraySharding sharding;
  if (mesh.is_maximal()) {
    sharding.type = kMaximal;
    sharding.device = mesh.device_ids[0];
    return sharding;
  }
  AxisRefs used;
  DimIndices dims;
  int64_t tiles = 1;
  const auto take = [&](const AxisRefs& axes) {
    int64_t size = 1;
    for (const AxisRef& axis : axes) size *= mesh.SizeOf(axis);
    used.insert(used.end(), axes.begin(), axes.end());
    dims.push_back(size);
    tiles *= size;
  };
  for (const NamedSharding::DimSharding& dim : named.dims) take(dim.axes);
  if (!named.unreduced.empty()) {
    take(named.unreduced);
    sharding.subgroup_types.push_back(kUnreduced);
  }
  if (tiles == 1) return sharding;
  std::optional<TileAssignment> cut = mesh.Cut(used);
  if (!cut) return std::nullopt;
  const int64_t copies = cut->count() / tiles;
  if (copies > 1) {
    dims.push_back(copies);
    sharding.subgroup_types.push_back(kReplicated);
  }
  sharding.type = kOther;
  sharding.tiles = cut->Reshaped(dims);
  if (!sharding.MergeSubgroups()) return std::nullopt;
  return sharding;
}

}  // namespace indim
