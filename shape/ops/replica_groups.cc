#include "indim/shape/ops/replica_groups.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/shape/dims/dim_math.h"

namespace indim {
namespace {

// The number of devices that an axis of the mesh, or a part of one, spans; 0
// when `ref` names no axis.
int64_t AxisSize(const MeshAxes::AxisRef& ref,
                 const std::vector<MeshAxes::Axis>& mesh) {
  if (ref.axis < 0 || ref.axis >= static_cast<int64_t>(mesh.size())) return 0;
  if (ref.size == 0 && ref.pre_size == 0) return mesh[ref.axis].size;
  return std::max<int64_t>(ref.size, 0);
}

}  // namespace

bool CountMeshGroups(ReplicaGroups* groups) {
  if (!groups->mesh) return true;
  DimIndices sizes, axes;
  for (const MeshAxes::Axis& axis : groups->mesh->mesh) {
    if (axis.size < 1) return false;
    sizes.push_back(axis.size);
  }
  for (const MeshAxes::AxisRef& ref : groups->mesh->axes) {
    axes.push_back(AxisSize(ref, groups->mesh->mesh));
  }
  const std::optional<int64_t> devices = CheckedProduct(sizes);
  const std::optional<int64_t> size = CheckedProduct(axes);
  if (!devices || !size || *size == 0 || *devices % *size != 0) return false;
  groups->iota_groups = *devices / *size;
  groups->iota_group_size = *size;
  return true;
}

std::optional<int64_t> ProductOfSizes(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) {
    if (size <= 0 || product > (int64_t{1} << 62) / size) return std::nullopt;
    product *= size;
  }
  return product;
}

bool IsPermutation(absl::Span<const int64_t> order) {
  std::vector<bool> seen(order.size());
  for (const int64_t i : order) {
    if (i < 0 || i >= static_cast<int64_t>(order.size()) ||
        seen[static_cast<size_t>(i)]) {
      return false;
    }
    seen[static_cast<size_t>(i)] = true;
  }
  return true;
}

std::string IotaFault(int64_t devices, absl::Span<const int64_t> dims,
                      absl::Span<const int64_t> order) {
  const std::optional<int64_t> product = ProductOfSizes(dims);
  if (!product || *product != devices) {
    return absl::StrCat("reshapes ", devices, " devices to ",
                        product ? absl::StrCat(*product) : "no sizes");
  }
  if (order.size() != dims.size() || !IsPermutation(order)) {
    return "doesn't transpose each of its dims once";
  }
  return "";
}

std::vector<int64_t> IotaDevices(absl::Span<const int64_t> dims,
                                 absl::Span<const int64_t> order) {
  const int64_t count = ProductOfSizes(dims).value_or(0);
  std::vector<int64_t> devices(static_cast<size_t>(count));
  DimIndices index(dims.size());
  for (int64_t place = 0; place < count; ++place) {
    // The index of the place in the transposed array, from the most minor dim.
    int64_t rest = place;
    for (size_t k = order.size(); k-- > 0;) {
      const size_t dim = static_cast<size_t>(order[k]);
      index[dim] = rest % dims[dim];
      rest /= dims[dim];
    }
    int64_t device = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      device = device * dims[d] + index[d];
    }
    devices[static_cast<size_t>(place)] = device;
  }
  return devices;
}

int64_t IndexInFactor(int64_t along, int64_t size, int64_t pre_size,
                      int64_t part) {
  return along / (size / (pre_size * part)) % part;
}

namespace {

using Groups = std::vector<std::vector<int64_t>>;

std::vector<int64_t> FirstDevices(int64_t count) {
  std::vector<int64_t> devices(static_cast<size_t>(count));
  for (size_t i = 0; i < devices.size(); ++i) {
    devices[i] = static_cast<int64_t>(i);
  }
  return devices;
}

// The device at each place of the mesh; nullopt: the formula has an error.
std::optional<std::vector<int64_t>> MeshDevices(const MeshAxes& mesh,
                                                int64_t count) {
  if (!mesh.device_ids.empty()) {
    if (static_cast<int64_t>(mesh.device_ids.size()) != count) {
      return std::nullopt;
    }
    return std::vector<int64_t>(mesh.device_ids.begin(), mesh.device_ids.end());
  }
  if (!mesh.order) return FirstDevices(count);
  const IotaTransform& order = *mesh.order;
  if (!IotaFault(count, order.reshape_dims, order.transpose_perm).empty()) {
    return std::nullopt;
  }
  return IotaDevices(order.reshape_dims, order.transpose_perm);
}

// Where a place of the mesh lies in the groups.
struct GroupPlace {
  int64_t group = 0;  // the place of its device 0
  int64_t member = 0;
};

// nullopt: an axis is cut into parts that don't divide it.
std::optional<GroupPlace> PlaceInGroups(const MeshAxes& mesh, int64_t place) {
  GroupPlace found;
  found.group = place;
  for (const MeshAxes::AxisRef& ref : mesh.axes) {
    const int64_t size = mesh.mesh[static_cast<size_t>(ref.axis)].size;
    const bool is_whole = ref.size == 0 && ref.pre_size == 0;
    const int64_t pre_size = is_whole ? 1 : ref.pre_size;
    const int64_t part = is_whole ? size : ref.size;
    if (pre_size < 1 || part < 1 || size % pre_size != 0 ||
        size / pre_size % part != 0) {
      return std::nullopt;
    }
    int64_t minor = 1;  // places between neighbours along the axis
    for (size_t a = static_cast<size_t>(ref.axis) + 1; a < mesh.mesh.size();
         ++a) {
      minor *= mesh.mesh[a].size;
    }
    const int64_t index =
        IndexInFactor(place / minor % size, size, pre_size, part);
    found.member = found.member * part + index;
    found.group -= index * (size / (pre_size * part)) * minor;
  }
  return found;
}

// Groups of devices that differ along axes of a mesh. Source: XLA,
// MeshAxesReplicaGroupList::flattened_replica_groups.
std::optional<Groups> ListMeshGroups(const ReplicaGroups& counted) {
  const MeshAxes& mesh = *counted.mesh;
  const int64_t count = counted.iota_groups * counted.iota_group_size;
  const std::optional<std::vector<int64_t>> devices = MeshDevices(mesh, count);
  if (!devices) return std::nullopt;
  Groups groups;
  std::vector<int64_t> group_at(static_cast<size_t>(count), -1);
  for (int64_t place = 0; place < count; ++place) {
    const std::optional<GroupPlace> at = PlaceInGroups(mesh, place);
    if (!at || at->group < 0 || at->member >= counted.iota_group_size) {
      return std::nullopt;
    }
    int64_t& group = group_at[static_cast<size_t>(at->group)];
    if (group < 0) {
      group = static_cast<int64_t>(groups.size());
      groups.emplace_back(static_cast<size_t>(counted.iota_group_size), -1);
    }
    groups[static_cast<size_t>(group)][static_cast<size_t>(at->member)] =
        (*devices)[static_cast<size_t>(place)];
  }
  return groups;
}

}  // namespace

std::optional<Groups> ListGroups(const ReplicaGroups& groups, int64_t devices) {
  ReplicaGroups counted = groups;
  if (!CountMeshGroups(&counted)) return std::nullopt;
  if (counted.iota_group_size <= 0) {
    if (groups.groups.empty() ||
        (groups.groups.size() == 1 && groups.groups[0].empty())) {
      return Groups{FirstDevices(devices)};
    }
    return groups.groups;
  }
  if (counted.iota_groups < 0 ||
      counted.iota_groups > devices / counted.iota_group_size) {
    return std::nullopt;
  }
  if (counted.mesh) return ListMeshGroups(counted);
  const int64_t count = counted.iota_groups * counted.iota_group_size;
  const IotaTransform& iota = counted.iota;
  std::vector<int64_t> ids;
  if (iota.reshape_dims.empty()) {
    ids = FirstDevices(count);
  } else if (IotaFault(count, iota.reshape_dims, iota.transpose_perm).empty()) {
    ids = IotaDevices(iota.reshape_dims, iota.transpose_perm);
  } else {
    return std::nullopt;
  }
  Groups listed;
  for (size_t begin = 0; begin < ids.size();
       begin += static_cast<size_t>(counted.iota_group_size)) {
    const auto first = ids.begin() + static_cast<int64_t>(begin);
    listed.emplace_back(first, first + counted.iota_group_size);
  }
  return listed;
}

}  // namespace indim
