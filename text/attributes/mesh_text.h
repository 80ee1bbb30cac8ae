// Meshes in HLO text: a grid of devices with named axes, and lists of its axes.
//
//   mesh['a'=2,'b'=4]   mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0))
//   maximal_mesh[device_id=3]                              {'a', 'b':(2)2}
//
// 'b':(2)2 is a factor of axis b, which is seen as [2,2,rest].

#ifndef INDIM_TEXT_ATTRIBUTES_MESH_TEXT_H_
#define INDIM_TEXT_ATTRIBUTES_MESH_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/text/attributes/tile_assignment.h"
#include "indim/text/base/lexer.h"

namespace indim {

struct Mesh {
  bool is_maximal = false;  // one device, no axes
  std::vector<std::string> names;
  DimIndices sizes;
  absl::flat_hash_map<std::string, int64_t> index;  // of a name
  std::string wire;                                 // canonical MeshProto
};

// An axis of a mesh, or a factor of one.
struct MeshAxis {
  int64_t axis = 0;
  int64_t pre_size = 0;  // 0: the whole axis
  int64_t size = 0;

  std::string Serialize() const;  // canonical AxisRefProto
};

// Reads from `mesh` or `maximal_mesh`, the present token, to the end of the
// device ids. False after an error: names or sizes that can't be, device ids
// that are no permutation of 0, 1, ... (or that one: it is left out).
bool ReadMesh(Lexer* lexer, Mesh* mesh);

// True at such a word.
bool AtMesh(const Lexer& lexer);

// Reads 'a' or 'b':(2)2; a number in quotes is an axis too. False after an
// error: an axis that the mesh lacks, a factor that isn't one of its size.
bool ReadMeshAxis(Lexer* lexer, const Mesh& mesh, MeshAxis* axis);
// Reads {'a', 'b'}; appends.
bool ReadMeshAxes(Lexer* lexer, const Mesh& mesh, std::vector<MeshAxis>* axes);

// Whether no two of them share devices' coordinates and their factors can be
// those of one axis (XLA: AxesCanCoexistWithoutOverlap).
bool AxesAreDisjoint(std::vector<MeshAxis> axes);

// Whether a whole is made by neighbours `a` and `b`, which should then be
// written as one.
bool CanMerge(const MeshAxis& a, const MeshAxis& b);

// Canonical MeshProto bytes, taken apart for printing.
class MeshPrinter {
 public:
  explicit MeshPrinter(absl::string_view wire);

  // As above. A name is escaped where it must be.
  std::string ToString() const;
  // Of canonical AxisRefProto bytes: "'a'", "'b':(2)2"; of an axis that isn't
  // there its number in quotes.
  std::string AxisText(absl::string_view wire) const;

  // The groups of devices that differ along these axes (AxisRefProtos), as a
  // grid of groups and members. nullopt: axes or sizes that can't be, or too
  // many devices.
  std::optional<TileAssignment> Groups(
      absl::Span<const absl::string_view> axes) const;

  bool is_maximal() const { return sizes_.empty() && devices_.size() == 1; }
  // Whether these AxisRefProtos are all axes of more than one device, in order
  // and whole (XLA: ContainsAllMeshAxesInOrder).
  bool AreAllAxes(absl::Span<const absl::string_view> axes) const;

 private:
  std::vector<std::string> names_;  // in their quotes
  DimIndices sizes_;
  DimIndices devices_;
  TileAssignment tiles_;  // the devices; none where they can't be
};

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_MESH_TEXT_H_
