// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/values/sharding_value.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "indim/sharding/values/axis_use.h"

namespace indim {
namespace {

// "[2,1099511627776,...]": the first few, because a file can hold a million.
std::string SomeOf(const DimIndices& sizes) {
  constexpr size_t kMax = 8;
  return absl::StrCat(
      "[", absl::StrJoin(absl::MakeConstSpan(sizes).subspan(0, kMax), ","),
      sizes.size() > kMax ? ",...]" : "]");
}

// With one device everything is replicated, whatever the other fields are.
bool IsOneDevice(const Sharding& sharding) {
  const DimIndices& iota = sharding.iota.reshape_dims;
  return iota.empty()
             ? sharding.devices.size() == 1
             : absl::c_all_of(iota, [](int64_t size) { return size == 1; });
}

// --- XLA's form of tiles ----------------------------------------------------

// Makes tiles whose last dimension has copies. False: too many devices to list.
bool MakePartial(TileAssignment* tiles, Sharding* sharding) {
  const DimIndices& dims = tiles->dims();
  const int64_t copies = dims.back();
  if (dims.size() == 1 || copies == tiles->count()) {
    sharding->Become(Sharding::kReplicated);
    return true;
  }
  sharding->replicate_on_last = copies != 1;
  if (copies == 1) {
    *tiles = tiles->Reshaped(DimIndices(dims.begin(), dims.end() - 1));
    return true;
  }
  std::optional<TileAssignment> sorted = tiles->SortedInGroups(copies);
  if (!sorted) return false;
  *tiles = *std::move(sorted);
  return true;
}

// Merges subgroups to one trailing dim per type, in XLA's order of types,
// without dims of size 1. False: too many devices to list.
bool MergeByType(TileAssignment* tiles, DimIndices* subgroup_types) {
  constexpr std::array<int64_t, Sharding::kTypeCount> kOrder = {
      Sharding::kMaximal, Sharding::kTuple,     Sharding::kOther,
      Sharding::kManual,  Sharding::kUnreduced, Sharding::kReplicated,
      Sharding::kUnknown};
  const DimIndices dims = tiles->dims();
  const size_t data_dims = dims.size() - subgroup_types->size();
  DimIndices order, removed, types;
  DimIndices merged(dims.begin(), dims.begin() + data_dims);
  for (size_t i = 0; i < data_dims; ++i) {
    order.push_back(static_cast<int64_t>(i));
  }
  for (const int64_t type : kOrder) {
    int64_t size = 1;
    for (size_t i = data_dims; i < dims.size(); ++i) {
      if ((*subgroup_types)[i - data_dims] != type) continue;
      (dims[i] == 1 ? removed : order).push_back(static_cast<int64_t>(i));
      size *= dims[i];
    }
    if (size == 1) continue;
    merged.push_back(size);
    types.push_back(type);
  }
  const bool same = removed.empty() && types.size() <= 1 &&
                    types.size() == subgroup_types->size();
  *subgroup_types = types;
  if (same) return true;
  order.insert(order.end(), removed.begin(), removed.end());
  std::optional<TileAssignment> transposed = tiles->Transposed(order, merged);
  if (!transposed) return false;
  *tiles = *std::move(transposed);
  return true;
}

// False: too many devices to list.
bool MergeSubgroups(TileAssignment* tiles, Sharding* sharding) {
  DimIndices& types = sharding->subgroup_types;
  if (types.empty()) return true;
  const DimIndices& dims = tiles->dims();
  const size_t data_dims = dims.size() - types.size();
  const bool is_split = std::any_of(dims.begin(), dims.begin() + data_dims,
                                    [](int64_t size) { return size != 1; });
  const int64_t first = types[0];
  if (!is_split &&
      absl::c_count(types, first) == static_cast<int64_t>(types.size())) {
    if (first == Sharding::kManual || first == Sharding::kReplicated ||
        first == Sharding::kUnreduced) {
      sharding->Become(first);
      return true;
    }
  }
  if (!MergeByType(tiles, &types)) return false;
  if (types.empty()) return true;
  if (types.size() == 1 && types[0] == Sharding::kReplicated) {
    types.clear();
    return MakePartial(tiles, sharding);
  }
  if (types.size() == 1 && types[0] == Sharding::kManual &&
      tiles->count() == tiles->dims().back()) {
    sharding->Become(Sharding::kManual);
    return true;
  }
  if (types.back() == Sharding::kReplicated) {
    // Copies are sorted by device here too.
    const DimIndices kept = types;
    if (!MakePartial(tiles, sharding)) return false;
    sharding->replicate_on_last = false;
    types = kept;
  }
  return true;
}

void KeepTiles(const TileAssignment& tiles, Sharding* sharding) {
  if (sharding->type != Sharding::kOther) return;
  sharding->tile_dims = tiles.dims();
  sharding->devices = tiles.devices();
  sharding->iota = tiles.iota();
}

}  // namespace

void Sharding::Become(int64_t new_type) {
  type = new_type;
  tile_dims.clear();
  devices.clear();
  iota = IotaTransform();
  subgroup_types.clear();
  replicate_on_last = false;
}

bool Sharding::SetTiles(TileAssignment tiles) {
  type = kOther;
  if (!MergeSubgroups(&tiles, this)) return false;
  KeepTiles(tiles, this);
  return true;
}

std::optional<TileAssignment> Sharding::Tiles() const {
  if (tile_dims.empty()) return std::nullopt;
  if (iota.reshape_dims.empty()) {
    return TileAssignment::List(tile_dims, devices);
  }
  if (!devices.empty()) return std::nullopt;
  return TileAssignment::Iota(tile_dims, iota);
}

bool Sharding::NormalizeTiles() {
  if (IsOneDevice(*this)) {
    Become(kReplicated);
    return true;
  }
  std::optional<TileAssignment> tiles = Tiles();
  if (!tiles) return false;
  if (subgroup_types.empty()) {
    if (replicate_on_last && !MakePartial(&*tiles, this)) return false;
    KeepTiles(*tiles, this);
    return true;
  }
  const bool are_types = absl::c_all_of(subgroup_types, [](int64_t each) {
    return each >= 0 && each < kTypeCount;
  });
  return are_types && !replicate_on_last &&
         subgroup_types.size() <= tiles->dims().size() &&
         SetTiles(*std::move(tiles));
}

std::optional<Sharding> Sharding::WithoutMesh(const Named& named) {
  const Mesh& mesh = named.mesh;
  Sharding sharding;
  if (mesh.is_maximal()) {
    sharding.type = kMaximal;
    sharding.devices = mesh.device_ids;
    return sharding;
  }
  AxisRefs used;
  for (const Dim& dim : named.dims) {
    used.insert(used.end(), dim.axes.begin(), dim.axes.end());
  }
  used.insert(used.end(), named.unreduced.begin(), named.unreduced.end());
  // So the products below divide the mesh's size.
  if (!absl::c_all_of(used,
                      [&](const AxisRef& ref) { return mesh.HasPart(ref); }) ||
      !AxisUse(mesh).Add(used)) {
    return std::nullopt;
  }
  DimIndices dims;
  int64_t tiles = 1;
  const auto take = [&](const AxisRefs& axes) {
    int64_t size = 1;
    for (const AxisRef& axis : axes) size *= mesh.SizeOf(axis);
    dims.push_back(size);
    tiles *= size;
  };
  for (const Dim& dim : named.dims) take(dim.axes);
  if (!named.unreduced.empty()) {
    take(named.unreduced);
    sharding.subgroup_types.push_back(kUnreduced);
  }
  if (tiles == 1) {
    sharding.subgroup_types.clear();
    return sharding;
  }
  std::optional<TileAssignment> cut = mesh.Cut(used);
  if (!cut) return std::nullopt;
  const int64_t copies = cut->count() / tiles;
  if (copies > 1) {
    dims.push_back(copies);
    sharding.subgroup_types.push_back(kReplicated);
  }
  if (!sharding.SetTiles(cut->Reshaped(dims))) return std::nullopt;
  return sharding;
}

// --- Faults -----------------------------------------------------------------

std::string NamedSharding::Fault() const {
  std::string fault = mesh.Fault();
  if (!fault.empty()) return absl::StrCat("is of a mesh that ", fault);
  AxisUse use(mesh);
  for (const ShardingDim& dim : dims) {
    fault = use.Take(dim.axes, /*sorted=*/false);
    if (!fault.empty()) return fault;
  }
  for (const AxisRefs* list : {&replicated, &unreduced, &manual}) {
    fault = use.Take(*list, /*sorted=*/true);
    if (!fault.empty()) return fault;
  }
  return "";
}

std::string Sharding::Fault(bool* is_count) const {
  if (named) return named->Fault();
  if (type == kTuple) return "has a tuple inside a tuple";
  if (type == kMaximal && devices.size() != 1) {
    return absl::StrCat("of one device names ", devices.size());
  }
  if (type != kOther || IsOneDevice(*this)) return "";
  if (tile_dims.empty()) return "has no tiles";
  const std::optional<int64_t> tiles = ProductOfSizes(tile_dims);
  if (!tiles) {
    return absl::StrCat("has impossible tiles, ", SomeOf(tile_dims));
  }
  if (!iota.reshape_dims.empty()) {
    if (!devices.empty()) return "lists devices and gives a formula for them";
    if (DeviceCount() == 0 ||
        iota.transpose_perm.size() != iota.reshape_dims.size()) {
      return absl::StrCat("has an impossible formula for its devices, ",
                          SomeOf(iota.reshape_dims));
    }
  }
  if (DeviceCount() != *tiles) {
    if (is_count != nullptr) *is_count = true;
    return absl::StrCat("has ", *tiles, " tiles, but names ", DeviceCount(),
                        " devices");
  }
  if (replicate_on_last && !subgroup_types.empty()) {
    return "says twice what its last tiles are";
  }
  const size_t subgroups = replicate_on_last ? 1 : subgroup_types.size();
  if (subgroups <= tile_dims.size()) return "";
  return absl::StrCat("has ", tile_dims.size(), " dims of tiles, but ",
                      subgroups, " subgroups");
}

// --- What it means ----------------------------------------------------------

bool Sharding::IsTiled() const {
  if (!named) return type == kOther && !IsOneDevice(*this);
  const Mesh& mesh = named->mesh;
  if (mesh.is_maximal()) return false;
  for (const AxisRefs* list : {&named->unreduced, &named->manual}) {
    if (!list->empty() && mesh.AreAllAxes(*list)) return false;
  }
  return !named->unreduced.empty() || !named->manual.empty() ||
         absl::c_any_of(named->dims, [&mesh](const Dim& dim) {
           return absl::c_any_of(dim.axes, [&mesh](const AxisRef& axis) {
             return mesh.SizeOf(axis) != 1;
           });
         });
}

int64_t Sharding::TiledRank() const {
  if (named) return static_cast<int64_t>(named->dims.size());
  return static_cast<int64_t>(tile_dims.size() -
                              (replicate_on_last ? 1 : subgroup_types.size()));
}

int64_t Sharding::DeviceCount() const {
  if (named) {
    return named->mesh.axes.empty()
               ? 0
               : ProductOfSizes(named->mesh.sizes()).value_or(0);
  }
  return iota.reshape_dims.empty()
             ? static_cast<int64_t>(devices.size())
             : ProductOfSizes(iota.reshape_dims).value_or(0);
}

const DimIndices& Sharding::ListedDevices() const {
  static const auto* const kNone = new DimIndices();
  if (named) return named->mesh.is_maximal() ? named->mesh.device_ids : *kNone;
  return type == kMaximal || IsTiled() ? devices : *kNone;
}

}  // namespace indim
