// Meshes of devices, and their axes: what shardings and replica groups name.
//
//   mesh['a'=2,'b'=4]          HLO text (sharding_text.h)
//   #sdy.mesh<["a"=2, "b"=4]>  Shardy's text (shardy_text.h)
//
// Source: XLA, Mesh and AxisRef; Shardy, MeshAttr and AxisRefAttr.

#ifndef INDIM_SHARDING_MESH_H_
#define INDIM_SHARDING_MESH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/ops/attributes.h"
#include "indim/sharding/tile_assignment.h"

namespace indim {

// An axis of a mesh, or a factor of one: the axis is split into [pre_size,
// size, rest].
struct AxisRef {
  int64_t axis = 0;
  bool is_whole = true;
  int64_t pre_size = 1;  // of a factor
  int64_t size = 0;

  static AxisRef FromWire(absl::string_view wire);  // an AxisRefProto
  std::string ToWire() const;

  friend bool operator==(const AxisRef& a, const AxisRef& b) {
    return a.axis == b.axis && a.is_whole == b.is_whole &&
           (a.is_whole || (a.pre_size == b.pre_size && a.size == b.size));
  }
};

using AxisRefs = std::vector<AxisRef>;

// Of the records of a repeated field, and back.
AxisRefs AxesFromWire(absl::Span<const absl::string_view> wires);
std::vector<std::string> AxesToWire(const AxisRefs& axes);

// Whether neighbours `a` and `b` form one axis or factor, as which they should
// then be written.
bool CanMerge(const AxisRef& a, const AxisRef& b);
// Whether devices that differ along one differ along the other.
bool Overlap(const AxisRef& a, const AxisRef& b);

// Devices as an array with an axis for each name. It may have faults; all but
// Fault() take that into account.
struct Mesh {
  std::vector<MeshAxes::Axis> axes;  // major first
  DimIndices device_ids;             // empty: 0, 1, ..., or `order`
  std::optional<IotaTransform> order;

  static Mesh FromWire(absl::string_view wire);  // a canonical MeshProto
  std::string ToWire() const;

  // One device without axes; it may have any number.
  bool is_maximal() const { return axes.empty() && device_ids.size() == 1; }
  bool has(const AxisRef& ref) const {
    return ref.axis >= 0 && ref.axis < static_cast<int64_t>(axes.size());
  }
  DimIndices sizes() const;
  // Into how many parts `ref` cuts; `ref` is of the mesh.
  int64_t SizeOf(const AxisRef& ref) const {
    return ref.is_whole ? axes[static_cast<size_t>(ref.axis)].size : ref.size;
  }
  // Of each axis; of equal names the first.
  absl::flat_hash_map<std::string, int64_t> IndexOfNames() const;

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

// Tracks which parts of a mesh's axes are in use: each at most once.
class AxisUse {
 public:
  // In XLA the range between two parts of an axis must be a factor of it too;
  // Shardy lacks this rule.
  enum class Rules { kXla, kShardy };

  // `mesh` must outlive it.
  explicit AxisUse(const Mesh& mesh, Rules rules = Rules::kXla)
      : mesh_(mesh), rules_(rules) {}

  // Takes `axes`, which cut one thing together; from major to minor in the mesh
  // if `sorted`. Returns the fault (XLA: VerifyNamedSharding,
  // ValidateSpanOfAxes; Shardy: verifyTensorShardingAttr), as the predicate of
  // a sentence about the user; "": none.
  std::string Take(absl::Span<const AxisRef> axes, bool sorted);
  // Takes `axes`, which are of the mesh. False: they exclude each other, or one
  // that was taken before.
  bool Add(absl::Span<const AxisRef> axes);
  // The number of parts into which the axes of the last Take cut.
  int64_t parts() const { return parts_; }

 private:
  // A factor of an axis: from `pre_size` to `end`, both products of sizes
  // counted from the most major.
  struct Part {
    int64_t axis;
    bool whole;
    int64_t pre_size;
    int64_t end;
  };
  // Makes the part that `ref` names. Returns its fault; "": none.
  std::string Read(const AxisRef& ref, Part* part) const;
  bool Exclude(const Part& a, const Part& b) const;
  // False: it excludes another one.
  bool Add(const Part& part);
  // The order in the mesh.
  static bool Less(const Part& a, const Part& b);

  const Mesh& mesh_;
  const Rules rules_;
  absl::flat_hash_map<int64_t, absl::InlinedVector<Part, 1>> taken_;  // by axis
  int64_t parts_ = 1;
};

}  // namespace indim

#endif  // INDIM_SHARDING_MESH_H_
