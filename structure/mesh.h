// Meshes of devices and their axes, which shardings and replica groups name.
// Internal to structure/.

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

// The contents of a MeshProto.
struct DeviceMesh {
  DimIndices sizes;     // of the axes
  int64_t devices = 0;  // in all; 0: an empty mesh
  // In a mesh without axes, the one device, with any number.
  std::optional<int64_t> only_device;
};

// Reads `wire`, a canonical MeshProto. Returns its fault (XLA: Mesh::FromProto,
// Mesh::Validate), as the predicate of a sentence about a mesh; "": none.
std::string ReadMesh(absl::string_view wire, DeviceMesh* mesh);

// Tracks which parts of a mesh's axes are in use: each at most once.
class AxisUse {
 public:
  explicit AxisUse(const DeviceMesh& mesh) : mesh_(mesh) {}

  // Takes `axes`, canonical AxisRefProtos, which cut one thing together; from
  // major to minor in the mesh if `sorted`. Returns the fault (XLA:
  // VerifyNamedSharding, ValidateSpanOfAxes), as the predicate of a sentence
  // about the user; "": none.
  std::string Take(absl::Span<const absl::string_view> axes, bool sorted);
  // The number of parts into which the axes of the last Take cut.
  int64_t parts() const { return parts_; }
  // Whether the last Take took all axes of the mesh, each as a whole and in
  // order; axes of size 1 are ignored.
  bool took_all() const { return took_all_; }

 private:
  // A factor of an axis: from `pre_size` to `end`, both products of sizes
  // counted from the most major.
  struct Part {
    int64_t axis;
    bool whole;
    int64_t pre_size;
    int64_t end;
  };
  // Reads the part that `wire` names. Returns its fault; "": none.
  std::string Read(absl::string_view wire, Part* part) const;
  static bool Exclude(const Part& a, const Part& b);
  // The order in the mesh.
  static bool Less(const Part& a, const Part& b);

  const DeviceMesh& mesh_;
  absl::flat_hash_map<int64_t, absl::InlinedVector<Part, 1>> taken_;  // by axis
  int64_t parts_ = 1;
  bool took_all_ = false;
};

}  // namespace structure
}  // namespace indim

#endif  // INDIM_STRUCTURE_MESH_H_
