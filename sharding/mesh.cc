#include "indim/sharding/mesh.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/ops/replica_groups.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

namespace of_mesh = field::MeshProto;
namespace of_iota = field::MeshProto_IotaTransform;
namespace of_axis = field::MeshProto_MeshAxis;
namespace of_factor = field::AxisRefProto_SubAxis;
using field::AxisRefProto::kMeshAxisIndex;
using field::AxisRefProto::kSubAxisInfo;

FieldList Parse(WireMessage message, absl::string_view wire) {
  FieldList fields(message);
  fields.Append(wire);
  return fields;
}

// The fault of the order of a mesh's devices.
std::string OrderFault(const Mesh& mesh, int64_t devices) {
  const DimIndices& ids = mesh.device_ids;
  if (mesh.order) {
    if (!ids.empty()) return "lists devices and gives a formula for them";
    return IotaFault(devices, mesh.order->reshape_dims,
                     mesh.order->transpose_perm);
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

// Whether a factor's sizes divide its axis's.
bool Divides(const AxisRef& factor, int64_t axis_size) {
  return factor.pre_size >= 1 && factor.size >= 1 &&
         factor.pre_size <= axis_size / factor.size &&
         axis_size % (factor.pre_size * factor.size) == 0;
}

}  // namespace

AxisRef AxisRef::FromWire(absl::string_view wire) {
  const FieldList fields = Parse(WireMessage::kAxisRefProto, wire);
  AxisRef ref;
  ref.axis = fields.Number(kMeshAxisIndex);
  if (!fields.has(kSubAxisInfo)) return ref;
  const FieldList factor =
      Parse(WireMessage::kAxisRefProto_SubAxis, fields.Text(kSubAxisInfo));
  ref.is_whole = false;
  ref.pre_size = factor.Number(of_factor::kPreSize);
  ref.size = factor.Number(of_factor::kSize);
  return ref;
}

std::string AxisRef::ToWire() const {
  FieldList fields(WireMessage::kAxisRefProto);
  fields.SetNumber(kMeshAxisIndex, axis);
  if (!is_whole) {
    FieldList factor(WireMessage::kAxisRefProto_SubAxis);
    factor.SetNumber(of_factor::kPreSize, pre_size);
    factor.SetNumber(of_factor::kSize, size);
    fields.SetText(kSubAxisInfo, factor.Serialize());
  }
  return fields.Serialize();
}

AxisRefs AxesFromWire(absl::Span<const absl::string_view> wires) {
  AxisRefs axes;
  for (absl::string_view wire : wires) axes.push_back(AxisRef::FromWire(wire));
  return axes;
}

std::vector<std::string> AxesToWire(const AxisRefs& axes) {
  std::vector<std::string> wires;
  for (const AxisRef& axis : axes) wires.push_back(axis.ToWire());
  return wires;
}

bool CanMerge(const AxisRef& a, const AxisRef& b) {
  int64_t end = 0;
  return a.axis == b.axis && !a.is_whole && !b.is_whole &&
         !__builtin_mul_overflow(a.pre_size, a.size, &end) && end == b.pre_size;
}

bool Overlap(const AxisRef& a, const AxisRef& b) {
  return a.axis == b.axis && (a.is_whole || b.is_whole ||
                              (a.pre_size < b.pre_size * b.size &&
                               b.pre_size < a.pre_size * a.size));
}

// --- Meshes -----------------------------------------------------------------

Mesh Mesh::FromWire(absl::string_view wire) {
  const FieldList fields = Parse(WireMessage::kMeshProto, wire);
  Mesh mesh;
  for (absl::string_view text : fields.Texts(of_mesh::kAxes)) {
    const FieldList axis = Parse(WireMessage::kMeshProto_MeshAxis, text);
    mesh.axes.push_back(
        {std::string(axis.Text(of_axis::kName)), axis.Number(of_axis::kSize)});
  }
  mesh.device_ids = fields.Numbers(of_mesh::kDeviceIds);
  if (fields.has(of_mesh::kIotaTransform)) {
    const FieldList iota = Parse(WireMessage::kMeshProto_IotaTransform,
                                 fields.Text(of_mesh::kIotaTransform));
    mesh.order = {iota.Numbers(of_iota::kReshapeDims),
                  iota.Numbers(of_iota::kTransposePerm)};
  }
  return mesh;
}

std::string Mesh::ToWire() const {
  FieldList fields(WireMessage::kMeshProto);
  std::vector<std::string> texts;
  for (const MeshAxes::Axis& axis : axes) {
    FieldList to(WireMessage::kMeshProto_MeshAxis);
    to.SetText(of_axis::kName, axis.name);
    to.SetNumber(of_axis::kSize, axis.size);
    texts.push_back(to.Serialize());
  }
  fields.SetTexts(of_mesh::kAxes, texts);
  fields.SetNumbers(of_mesh::kDeviceIds, device_ids);
  if (order) {
    FieldList iota(WireMessage::kMeshProto_IotaTransform);
    iota.SetNumbers(of_iota::kReshapeDims, order->reshape_dims);
    iota.SetNumbers(of_iota::kTransposePerm, order->transpose_perm);
    fields.SetText(of_mesh::kIotaTransform, iota.Serialize());
  }
  return fields.Serialize();
}

DimIndices Mesh::sizes() const {
  DimIndices sizes;
  for (const MeshAxes::Axis& axis : axes) sizes.push_back(axis.size);
  return sizes;
}

absl::flat_hash_map<std::string, int64_t> Mesh::IndexOfNames() const {
  absl::flat_hash_map<std::string, int64_t> index;
  for (size_t i = 0; i < axes.size(); ++i) {
    index.emplace(axes[i].name, static_cast<int64_t>(i));
  }
  return index;
}

bool operator==(const Mesh& a, const Mesh& b) {
  const auto axis = [](const MeshAxes::Axis& x, const MeshAxes::Axis& y) {
    return x.name == y.name && x.size == y.size;
  };
  return a.device_ids == b.device_ids && absl::c_equal(a.axes, b.axes, axis) &&
         a.order.has_value() == b.order.has_value() &&
         (!a.order || (a.order->reshape_dims == b.order->reshape_dims &&
                       a.order->transpose_perm == b.order->transpose_perm));
}

std::string Mesh::Fault() const {
  absl::flat_hash_set<absl::string_view> names;
  for (const MeshAxes::Axis& axis : axes) {
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
  if (!devices) return "has an axis without a size";
  return OrderFault(*this, *devices);
}

std::optional<TileAssignment> Mesh::Devices() const {
  if (!device_ids.empty()) return TileAssignment::List(sizes(), device_ids);
  if (order) {
    return TileAssignment::Iota(sizes(), order->reshape_dims,
                                order->transpose_perm);
  }
  const std::optional<int64_t> count = ProductOfSizes(sizes());
  if (!count) return std::nullopt;
  return TileAssignment::Iota(sizes(), {*count}, {0});
}

std::optional<TileAssignment> Mesh::Move(absl::Span<const AxisRef> refs,
                                         bool to_front) const {
  const std::optional<TileAssignment> tiles = Devices();
  if (!tiles || tiles->count() == 0) return std::nullopt;
  std::vector<std::vector<size_t>> uses(axes.size());
  for (size_t k = 0; k < refs.size(); ++k) {
    if (!has(refs[k])) return std::nullopt;
    const size_t axis = static_cast<size_t>(refs[k].axis);
    if (!refs[k].is_whole && !Divides(refs[k], axes[axis].size)) {
      return std::nullopt;
    }
    uses[axis].push_back(k);
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
      return refs[a].pre_size < refs[b].pre_size;
    });
    int64_t done = 1;
    const auto add = [&](int64_t size) {
      dims.push_back(size);
      done *= size;
      return static_cast<int64_t>(dims.size()) - 1;
    };
    for (const size_t k : used) {
      const int64_t before = refs[k].is_whole ? 1 : refs[k].pre_size;
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
      if (!refs[next].is_whole) return false;
      ++next;
    } else if (axes[i].size != 1) {
      return false;
    }
  }
  return next == refs.size();
}

// --- The use of axes --------------------------------------------------------

std::string AxisUse::Read(const AxisRef& ref, Part* part) const {
  if (!mesh_.has(ref)) return "names axes that its mesh doesn't have";
  const int64_t size = mesh_.axes[static_cast<size_t>(ref.axis)].size;
  *part = {ref.axis, true, 1, size};
  if (ref.is_whole) return "";
  const auto end = ProductOfSizes({ref.pre_size, ref.size});
  if (!end || size % *end != 0 || ref.size < 2 || ref.size >= size) {
    return absl::StrCat("takes a part of axis ", ref.axis,
                        " that doesn't divide it");
  }
  *part = {ref.axis, false, ref.pre_size, *end};
  return "";
}

// Whether two parts of an axis exclude each other: they overlap, or the range
// between them isn't a factor of the axis.
bool AxisUse::Exclude(const Part& a, const Part& b) const {
  if (a.whole || b.whole) return true;
  if (a.pre_size < b.end && b.pre_size < a.end) return true;
  return rules_ == Rules::kXla &&
         std::max(a.pre_size, b.pre_size) % std::min(a.end, b.end) != 0;
}

bool AxisUse::Less(const Part& a, const Part& b) {
  if (a.axis != b.axis) return a.axis < b.axis;
  if (a.whole) return b.pre_size > 1;
  if (b.whole) return a.pre_size == 1;
  return std::make_pair(a.pre_size, a.end) < std::make_pair(b.pre_size, b.end);
}

bool AxisUse::Add(const Part& part) {
  auto& of_axis = taken_[part.axis];
  for (const Part& other : of_axis) {
    if (Exclude(part, other)) return false;
  }
  of_axis.push_back(part);
  return true;
}

bool AxisUse::Add(absl::Span<const AxisRef> axes) {
  return std::all_of(axes.begin(), axes.end(), [this](const AxisRef& ref) {
    return Add(ref.is_whole ? Part{ref.axis, true, 1, mesh_.SizeOf(ref)}
                            : Part{ref.axis, false, ref.pre_size,
                                   ref.pre_size * ref.size});
  });
}

std::string AxisUse::Take(absl::Span<const AxisRef> axes, bool sorted) {
  parts_ = 1;
  Part before{};
  for (size_t k = 0; k < axes.size(); ++k) {
    Part part{};
    const std::string fault = Read(axes[k], &part);
    if (!fault.empty()) return fault;
    if (k > 0) {
      if (sorted && Less(part, before)) return "names axes out of order";
      if (CanMerge(axes[k - 1], axes[k])) {
        return absl::StrCat("names two parts of axis ", part.axis,
                            " that are one");
      }
    }
    before = part;
    if (!Add(part)) {
      return absl::StrCat("takes axis ", part.axis,
                          " twice, or parts of it that don't go together");
    }
    parts_ *= part.end / part.pre_size;
  }
  return "";
}

}  // namespace indim
