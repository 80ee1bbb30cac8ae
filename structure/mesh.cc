#include "indim/structure/mesh.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/ops/replica_groups.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace structure {
namespace {

using field::MeshProto::kAxes;
using field::MeshProto::kDeviceIds;
using field::MeshProto::kIotaTransform;

// The fault of the order of a mesh's devices.
std::string OrderFault(const FieldList& mesh, int64_t devices) {
  const DimIndices ids = mesh.Numbers(kDeviceIds);
  if (mesh.has(kIotaTransform)) {
    if (!ids.empty()) return "lists devices and gives a formula for them";
    FieldList iota(WireMessage::kMeshProto_IotaTransform);
    iota.Append(mesh.Text(kIotaTransform));
    return IotaFault(
        devices, iota.Numbers(field::MeshProto_IotaTransform::kReshapeDims),
        iota.Numbers(field::MeshProto_IotaTransform::kTransposePerm));
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

std::string ReadMesh(absl::string_view wire, DeviceMesh* mesh) {
  namespace of = field::MeshProto_MeshAxis;
  FieldList fields(WireMessage::kMeshProto);
  fields.Append(wire);
  absl::flat_hash_set<absl::string_view> names;
  for (absl::string_view text : fields.Texts(kAxes)) {
    FieldList axis(WireMessage::kMeshProto_MeshAxis);
    axis.Append(text);
    if (!names.insert(axis.Text(of::kName)).second) {
      return absl::StrCat("has two axes '", axis.Text(of::kName), "'");
    }
    mesh->sizes.push_back(axis.Number(of::kSize));
  }
  if (mesh->sizes.empty()) {
    const DimIndices ids = fields.Numbers(kDeviceIds);
    if (ids.size() > 1) {
      return absl::StrCat("has no axes, but ", ids.size(), " devices");
    }
    mesh->devices = static_cast<int64_t>(ids.size());
    if (!ids.empty()) mesh->only_device = ids[0];
    return "";
  }
  const std::optional<int64_t> devices = ProductOfSizes(mesh->sizes);
  if (!devices) return "has an axis without a size";
  mesh->devices = *devices;
  return OrderFault(fields, *devices);
}

std::string AxisUse::Read(absl::string_view wire, Part* part) const {
  FieldList fields(WireMessage::kAxisRefProto);
  fields.Append(wire);
  const int64_t axis = fields.Number(field::AxisRefProto::kMeshAxisIndex);
  if (axis < 0 || axis >= static_cast<int64_t>(mesh_.sizes.size())) {
    return "names axes that its mesh doesn't have";
  }
  const int64_t size = mesh_.sizes[static_cast<size_t>(axis)];
  *part = {axis, true, 1, size};
  if (!fields.has(field::AxisRefProto::kSubAxisInfo)) return "";
  FieldList factor(WireMessage::kAxisRefProto_SubAxis);
  factor.Append(fields.Text(field::AxisRefProto::kSubAxisInfo));
  const int64_t part_size = factor.Number(field::AxisRefProto_SubAxis::kSize);
  const auto end = ProductOfSizes(
      {factor.Number(field::AxisRefProto_SubAxis::kPreSize), part_size});
  if (!end || size % *end != 0 || part_size < 2 || part_size >= size) {
    return absl::StrCat("takes a part of axis ", axis,
                        " that doesn't divide it");
  }
  *part = {axis, false, factor.Number(field::AxisRefProto_SubAxis::kPreSize),
           *end};
  return "";
}

// Whether two parts of an axis exclude each other: they overlap, or the range
// between them isn't a factor of the axis.
bool AxisUse::Exclude(const Part& a, const Part& b) {
  if (a.whole || b.whole) return true;
  if (a.pre_size < b.end && b.pre_size < a.end) return true;
  return std::max(a.pre_size, b.pre_size) % std::min(a.end, b.end) != 0;
}

bool AxisUse::Less(const Part& a, const Part& b) {
  if (a.axis != b.axis) return a.axis < b.axis;
  if (a.whole) return b.pre_size > 1;
  if (b.whole) return a.pre_size == 1;
  return std::make_pair(a.pre_size, a.end) < std::make_pair(b.pre_size, b.end);
}

std::string AxisUse::Take(absl::Span<const absl::string_view> axes,
                          bool sorted) {
  parts_ = 1;
  took_all_ = true;
  size_t next = 0;  // the first axis not yet taken in order
  const auto pass_ones = [&](size_t end) {
    while (next < end && mesh_.sizes[next] == 1) ++next;
  };
  Part before{};
  for (size_t k = 0; k < axes.size(); ++k) {
    Part part{};
    const std::string fault = Read(axes[k], &part);
    if (!fault.empty()) return fault;
    if (k > 0) {
      if (sorted && Less(part, before)) return "names axes out of order";
      if (before.axis == part.axis && !before.whole && !part.whole &&
          before.end == part.pre_size) {
        return absl::StrCat("names two parts of axis ", part.axis,
                            " that are one");
      }
    }
    before = part;
    auto& of_axis = taken_[part.axis];
    for (const Part& other : of_axis) {
      if (Exclude(part, other)) {
        return absl::StrCat("takes axis ", part.axis,
                            " twice, or parts of it that don't go together");
      }
    }
    of_axis.push_back(part);
    parts_ *= part.end / part.pre_size;
    const size_t axis = static_cast<size_t>(part.axis);
    pass_ones(axis);
    took_all_ = took_all_ && part.whole && next == axis;
    next = axis + 1;
  }
  pass_ones(mesh_.sizes.size());
  took_all_ = took_all_ && next == mesh_.sizes.size();
  return "";
}

}  // namespace structure
}  // namespace indim
