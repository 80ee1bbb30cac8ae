// Reads and prints meshes in HLO text: grids of devices with named axes, and
// lists of their axes.
//
//   mesh['a'=2,'b'=4]   mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0))
//   maximal_mesh[device_id=3]                              {'a', 'b':(2)2}
//
// 'b':(2)2 is a factor of axis b, which is split into [2,2,rest].

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

// Reads a mesh, from `mesh` or `maximal_mesh`, the current token, to the end of
// the device ids. False after an error: invalid names or sizes, device ids that
// aren't a permutation of 0, 1, ..., or are the identity, which must be
// omitted.
bool ReadMesh(Lexer* lexer, Mesh* mesh);

// Whether the current token is one of these words.
bool AtMesh(const Lexer& lexer);

// Reads 'a' or 'b':(2)2; a number in quotes is an axis too. False after an
// error: an axis that the mesh lacks, or a factor that doesn't fit the axis's
// size.
bool ReadMeshAxis(Lexer* lexer, const Mesh& mesh, MeshAxis* axis);
// Reads {'a', 'b'} and appends the axes.
bool ReadMeshAxes(Lexer* lexer, const Mesh& mesh, std::vector<MeshAxis>* axes);

// Whether no two of them share device coordinates, and their factors can belong
// to one axis (XLA: AxesCanCoexistWithoutOverlap).
bool AxesAreDisjoint(std::vector<MeshAxis> axes);

// Whether neighbours `a` and `b` form one axis or factor, as which they should
// then be written.
bool CanMerge(const MeshAxis& a, const MeshAxis& b);

// MeshPrinter: prints canonical MeshProto bytes.
class MeshPrinter {
 public:
  explicit MeshPrinter(absl::string_view wire);

  // The mesh's text, with names escaped where needed.
  std::string ToString() const;
  // The text of canonical AxisRefProto bytes: "'a'", "'b':(2)2"; for an axis
  // that the mesh lacks, its number in quotes.
  std::string AxisText(absl::string_view wire) const;

  // The groups of devices that differ along these axes (AxisRefProtos), as a
  // grid of groups and members. nullopt: invalid axes or sizes, or too many
  // devices.
  std::optional<TileAssignment> Groups(
      absl::Span<const absl::string_view> axes) const;

  bool is_maximal() const { return sizes_.empty() && devices_.size() == 1; }
  // Whether these AxisRefProtos are, in order and whole, all axes of more than
  // one device (XLA: ContainsAllMeshAxesInOrder).
  bool AreAllAxes(absl::Span<const absl::string_view> axes) const;

 private:
  std::vector<std::string> names_;  // with their quotes
  DimIndices sizes_;
  DimIndices devices_;
  TileAssignment tiles_;  // the devices; none if they are invalid
};

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_MESH_TEXT_H_
