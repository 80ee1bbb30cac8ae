// SPDX-License-Identifier: Apache-2.0
// Reads and prints meshes in HLO text: grids of devices with named axes, and
// lists of their axes.
//
//   mesh['a'=2,'b'=4]   mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0))
//   maximal_mesh[device_id=3]                              {'a', 'b':(2)2}
//
// Newer XLA writes single_device for maximal_mesh, and reads both.
// 'b':(2)2 is a factor of axis b, which is split into [2,2,rest].

#ifndef INDIM_SHARDING_TEXT_MESH_TEXT_H_
#define INDIM_SHARDING_TEXT_MESH_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/sharding/values/mesh.h"
#include "indim/text/base/lexer.h"

namespace indim {

// A mesh that was read, and the axes of its names.
struct MeshRead {
  Mesh mesh;
  absl::flat_hash_map<std::string, int64_t> index;
};

// Reads a mesh, from `mesh`, `maximal_mesh` or `single_device`, the current
// token, to the end of the device ids. False after an error: invalid names or
// sizes, device ids that aren't a permutation of 0, 1, ..., or are the
// identity, which must be omitted.
bool ReadMesh(Lexer* lexer, MeshRead* mesh);

// Whether the current token is one of these words.
bool AtMesh(const Lexer& lexer);

// Reads 'a' or 'b':(2)2; a number in quotes is an axis too. False after an
// error: an axis that the mesh lacks, or a factor that doesn't fit the axis's
// size.
bool ReadMeshAxis(Lexer* lexer, const MeshRead& mesh, AxisRef* axis);
// Reads {'a', 'b'} and appends the axes.
bool ReadMeshAxes(Lexer* lexer, const MeshRead& mesh, AxisRefs* axes);

// The mesh's text, with names escaped where needed.
std::string MeshText(const Mesh& mesh);
// "'a'", "'b':(2)2", with `separator` between them; for an axis that the mesh
// lacks, its number in quotes.
std::string AxesText(const Mesh& mesh, absl::Span<const AxisRef> axes,
                     absl::string_view separator);

}  // namespace indim

#endif  // INDIM_SHARDING_TEXT_MESH_TEXT_H_
