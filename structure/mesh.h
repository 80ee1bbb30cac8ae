// Meshes of devices and their axes, as shardings and replica groups name them.
// Not for others.

#ifndef INDIM_STRUCTURE_MESH_H_
#define INDIM_STRUCTURE_MESH_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/ops/attributes.h"

namespace indim {
namespace structure {

// What a MeshProto says.
struct DeviceMesh {
  DimIndices sizes;     // of its axes
  int64_t devices = 0;  // in all; 0: an empty mesh
  // Without axes: the one device that is meant, which is any number.
  std::optional<int64_t> only_device;
};

// Reads `wire`, a canonical MeshProto. What is wrong with it (XLA:
// Mesh::FromProto, Mesh::Validate), as what is said of a mesh; "": nothing.
std::string ReadMesh(absl::string_view wire, DeviceMesh* mesh);

// Who uses which axes of a mesh: each part of one at most once.
class AxisUse {
 public:
  explicit AxisUse(const DeviceMesh& mesh) : mesh_(mesh) {}

  // Takes `axes`, canonical AxisRefProtos, which cut one thing together; from
  // major to minor in the mesh if `sorted`. What is wrong with that (XLA:
  // VerifyNamedSharding, ValidateSpanOfAxes), as what is said of him who takes
  // them; "": nothing.
  std::string Take(absl::Span<const absl::string_view> axes, bool sorted);
  // Into how many parts the axes of the last Take cut.
  int64_t parts() const { return parts_; }
  // Whether they were all axes of the mesh, each as a whole and in order; those
  // of size 1 don't count.
  bool took_all() const { return took_all_; }

 private:
  // A factor of an axis: what lies between `pre_size` and `end`, both counted
  // from the most major.
  struct Part {
    int64_t axis;
    bool whole;
    int64_t pre_size;
    int64_t end;
  };
  // What is wrong with the part that `wire` names; "": nothing.
  std::string Read(absl::string_view wire, Part* part) const;
  static bool Exclude(const Part& a, const Part& b);
  // In the order of the mesh.
  static bool Less(const Part& a, const Part& b);

  const DeviceMesh& mesh_;
  absl::flat_hash_map<int64_t, absl::InlinedVector<Part, 1>> taken_;  // by axis
  int64_t parts_ = 1;
  bool took_all_ = false;
};

}  // namespace structure
}  // namespace indim

#endif  // INDIM_STRUCTURE_MESH_H_
