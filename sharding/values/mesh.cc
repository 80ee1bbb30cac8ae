// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/values/mesh.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/sharding/values/axis_use.h"

namespace indim {
namespace {

// The fault of the order of a mesh's devices.
std::string OrderFault(const Mesh& mesh, int64_t devices) {
  const DimIndices& ids = mesh.device_ids;
  if (mesh.order) {
    if (!ids.empty()) return "lists devices and gives a formula for them";
    return IotaFault(devices, *mesh.order);
  }
  if (ids.empty()) return "";
  if (static_cast<int64_t>(ids.size()) != devices || !IsPermutation(ids)) {
    return absl::StrCat("doesn't name each of its ", devices, " devices once");
  }
  // XLA accepts only one form of each mesh.
  return std::is_sorted(ids.begin(), ids.end())
             ? "lists its devices in the order that they have without a list"
             : "";
}

}  // namespace

bool CanMerge(const AxisRef& a, const AxisRef& b) {
  int64_t end = 0;
  return a.axis == b.axis && a.factor && b.factor &&
         !__builtin_mul_overflow(a.factor->pre_size, a.factor->size, &end) &&
         end == b.factor->pre_size;
}

// --- Meshes -----------------------------------------------------------------

bool Mesh::HasPart(const AxisRef& ref) const {
  if (!has(ref)) return false;
  const int64_t of = axes[static_cast<size_t>(ref.axis)].size;
  const int64_t size = SizeOf(ref);
  return size >= 1 && ref.pre_size() >= 1 && ref.pre_size() <= of / size &&
         of % (ref.pre_size() * size) == 0;
}

DimIndices Mesh::sizes() const {
  DimIndices sizes;
  for (const Mesh::Axis& axis : axes) sizes.push_back(axis.size);
  return sizes;
}

bool operator==(const Mesh& a, const Mesh& b) {
  const auto axis = [](const Mesh::Axis& x, const Mesh::Axis& y) {
    return x.name == y.name && x.size == y.size;
  };
  return a.device_ids == b.device_ids && absl::c_equal(a.axes, b.axes, axis) &&
         a.order.has_value() == b.order.has_value() &&
         (!a.order || *a.order == *b.order);
}

std::string Mesh::Fault() const {
  absl::flat_hash_set<absl::string_view> names;
  for (const Mesh::Axis& axis : axes) {
    if (!names.insert(axis.name).second) {
      return absl::StrCat("has two axes '", axis.name, "'");
    }
  }
  if (axes.empty()) {
    return device_ids.size() > 1 ? absl::StrCat("has no axes, but ",
                                                device_ids.size(), " devices")
                                 : "";
  }
  const std::optional<int64_t> devices = ProductOfSizes(sizes());
  if (!devices) {
    const auto is_empty = [](const Axis& axis) { return axis.size < 1; };
    return absl::c_any_of(axes, is_empty) ? "has an axis without a size"
                                          : "has more than 2^62 devices";
  }
  return OrderFault(*this, *devices);
}

std::optional<TileAssignment> Mesh::Devices() const {
  if (!device_ids.empty()) return TileAssignment::List(sizes(), device_ids);
  if (order) return TileAssignment::Iota(sizes(), *order);
  const std::optional<int64_t> count = ProductOfSizes(sizes());
  if (!count) return std::nullopt;
  return TileAssignment::Iota(sizes(), {{*count}, {0}});
}

std::optional<TileAssignment> Mesh::Move(absl::Span<const AxisRef> refs,
                                         bool to_front) const {
  const std::optional<TileAssignment> tiles = Devices();
  if (!tiles || tiles->count() == 0) return std::nullopt;
  std::vector<std::vector<size_t>> uses(axes.size());
  for (size_t k = 0; k < refs.size(); ++k) {
    if (!HasPart(refs[k])) return std::nullopt;
    uses[static_cast<size_t>(refs[k].axis)].push_back(k);
  }
  if (!AxisUse(*this).Add(refs)) return std::nullopt;
  // Splits each axis into used factors and those between them; notes the
  // position of each used one.
  DimIndices dims, moved;
  std::vector<int64_t> place(refs.size());
  int64_t members = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    std::vector<size_t>& used = uses[i];
    std::sort(used.begin(), used.end(), [&](size_t a, size_t b) {
      return refs[a].pre_size() < refs[b].pre_size();
    });
    int64_t done = 1;
    const auto add = [&](int64_t size) {
      dims.push_back(size);
      done *= size;
      return static_cast<int64_t>(dims.size()) - 1;
    };
    for (const size_t k : used) {
      const int64_t before = refs[k].pre_size();
      if (before != done) moved.push_back(add(before / done));
      place[k] = add(SizeOf(refs[k]));
      members *= SizeOf(refs[k]);
    }
    if (done != axes[i].size) moved.push_back(add(axes[i].size / done));
  }
  moved.insert(to_front ? moved.begin() : moved.end(), place.begin(),
               place.end());
  const int64_t rest = tiles->count() / members;
  return tiles->Reshaped(dims).Transposed(
      moved, to_front ? DimIndices{members, rest} : DimIndices{rest, members});
}

std::optional<TileAssignment> Mesh::Groups(
    absl::Span<const AxisRef> refs) const {
  return Move(refs, /*to_front=*/false);
}

std::optional<TileAssignment> Mesh::Cut(absl::Span<const AxisRef> refs) const {
  return Move(refs, /*to_front=*/true);
}

bool Mesh::AreAllAxes(absl::Span<const AxisRef> refs) const {
  size_t next = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (next < refs.size() && refs[next].axis == static_cast<int64_t>(i)) {
      if (!refs[next].is_whole()) return false;
      ++next;
    } else if (axes[i].size != 1) {
      return false;
    }
  }
  return next == refs.size();
}

}  // namespace indim
