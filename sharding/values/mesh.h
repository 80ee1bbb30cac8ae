// SPDX-License-Identifier: Apache-2.0
// Meshes of devices, and their axes: what shardings and replica groups name.
//
//   mesh['a'=2,'b'=4]          HLO text (mesh_text.h)
//   #sdy.mesh<["a"=2, "b"=4]>  Shardy's text (shardy_text.h)
//
// This folder stands below shape/ops, because the attributes of collectives
// hold a mesh and groups of devices. It knows neither bytes nor texts: those of
// a mesh are rows of attribute_members.def.
//
// Source: XLA, Mesh and AxisRef; Shardy, MeshAttr and AxisRefAttr.

#ifndef INDIM_SHARDING_VALUES_MESH_H_
#define INDIM_SHARDING_VALUES_MESH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/sharding/values/tile_assignment.h"

namespace indim {

// A factor of an axis, which is split into [pre_size, size, rest]: the middle.
struct AxisFactor {
  int64_t pre_size = 0;
  int64_t size = 0;
};

// An axis of a mesh, or a factor of one.
struct AxisRef {
  using Factor = AxisFactor;
  int64_t axis = 0;
  std::optional<Factor> factor;  // absent: the whole axis

  bool is_whole() const { return !factor.has_value(); }
  int64_t pre_size() const { return factor ? factor->pre_size : 1; }

  friend bool operator==(const AxisRef& a, const AxisRef& b) {
    return a.axis == b.axis && a.is_whole() == b.is_whole() &&
           (a.is_whole() || (a.factor->pre_size == b.factor->pre_size &&
                             a.factor->size == b.factor->size));
  }
};

using AxisRefs = std::vector<AxisRef>;

// Whether neighbours `a` and `b` form one axis or factor, as which they should
// then be written.
bool CanMerge(const AxisRef& a, const AxisRef& b);

// Devices as an array with an axis for each name. It may have faults; all but
// Fault() take that into account.
struct Mesh {
  struct Axis {
    std::string name;
    int64_t size = 0;
  };
  std::vector<Axis> axes;  // major first
  DimIndices device_ids;   // empty: 0, 1, ..., or `order`
  std::optional<IotaTransform> order;

  // One device without axes; it may have any number.
  bool is_maximal() const { return axes.empty() && device_ids.size() == 1; }
  bool has(const AxisRef& ref) const {
    return ref.axis >= 0 && ref.axis < static_cast<int64_t>(axes.size());
  }
  // Whether `ref` is of the mesh, and a factor of it divides its axis.
  bool HasPart(const AxisRef& ref) const;
  DimIndices sizes() const;
  // Into how many parts `ref` cuts; `ref` is of the mesh.
  int64_t SizeOf(const AxisRef& ref) const {
    return ref.factor ? ref.factor->size
                      : axes[static_cast<size_t>(ref.axis)].size;
  }

  friend bool operator==(const Mesh& a, const Mesh& b);

  // The fault (XLA: Mesh::FromProto, Mesh::Validate), as the predicate of a
  // sentence about a mesh; "": none.
  std::string Fault() const;

  // The devices on the grid; nullopt: a fault.
  std::optional<TileAssignment> Devices() const;
  // The groups of devices that differ along these axes, as a grid of groups and
  // members. nullopt: invalid axes or sizes, or too many devices.
  std::optional<TileAssignment> Groups(absl::Span<const AxisRef> refs) const;
  // Likewise with the members of all groups together: a row for each part into
  // which the axes cut, of the devices that have it.
  std::optional<TileAssignment> Cut(absl::Span<const AxisRef> refs) const;
  // Whether these are, in order and whole, all axes of more than one device
  // (XLA: ContainsAllMeshAxesInOrder).
  bool AreAllAxes(absl::Span<const AxisRef> refs) const;

  // The devices with the parts of these axes moved to the front or the end.
  std::optional<TileAssignment> Move(absl::Span<const AxisRef> refs,
                                     bool to_front) const;
};

}  // namespace indim

#endif  // INDIM_SHARDING_VALUES_MESH_H_
