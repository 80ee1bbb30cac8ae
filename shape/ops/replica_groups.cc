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

}  // namespace indim
