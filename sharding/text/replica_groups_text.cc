// SPDX-License-Identifier: Apache-2.0
// Replica groups: a list of lists, a formula, or axes of a mesh.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/text/mesh_text.h"
#include "indim/sharding/text/sharding_text.h"
#include "indim/sharding/text/tile_assignment_text.h"
#include "indim/sharding/values/axis_use.h"
#include "indim/sharding/values/replica_groups.h"

namespace indim {
namespace {

bool ReadLists(Lexer* lexer, ReplicaGroups* groups) {
  lexer->Next();
  if (lexer->token() != Token::kRightBrace) {
    do {
      DimIndices ids;
      if (!lexer->ReadInts(&ids)) return false;
      groups->groups.emplace_back(ids.begin(), ids.end());
    } while (lexer->Accept(Token::kComma));
  }
  return lexer->Expect(Token::kRightBrace, "\",\" or \"}\"");
}

bool ReadMeshGroups(Lexer* lexer, ReplicaGroups* groups) {
  MeshRead mesh;
  if (!ReadMesh(lexer, &mesh)) return false;
  const size_t start = lexer->offset();
  MeshAxes& axes = groups->mesh.emplace();
  if (!ReadMeshAxes(lexer, mesh, &axes.axes)) return false;
  if (!AxisUse(mesh.mesh).Add(axes.axes)) {
    return lexer->ErrorAt(start, lexer->offset() - start,
                          "an axis is used twice");
  }
  axes.mesh = std::move(mesh.mesh);
  return true;
}

bool ReadFormula(Lexer* lexer, ReplicaGroups* groups) {
  if (lexer->token() != Token::kLeftBracket) {
    return lexer->Expected("{{0,1}}, [1,2]<=[2] or mesh['a'=2] {'a'}");
  }
  const size_t start = lexer->offset();
  TileAssignment tiles;
  if (!ReadTileAssignment(lexer, /*list=*/false, &tiles)) return false;
  if (tiles.dims().size() != 2) {
    return lexer->ErrorAt(start, lexer->offset() - start,
                          "replica groups have two dims: how many groups, and "
                          "how many devices in each");
  }
  groups->iota_groups = tiles.dims()[0];
  groups->iota_group_size = tiles.dims()[1];
  groups->iota = tiles.iota();
  return true;
}

// {{0,1},{2,3}}
std::string ListsText(absl::Span<const std::vector<int64_t>> groups) {
  return absl::StrCat(
      "{",
      absl::StrJoin(groups, ",",
                    [](std::string* out, const std::vector<int64_t>& group) {
                      absl::StrAppend(out, "{", absl::StrJoin(group, ","), "}");
                    }),
      "}");
}

}  // namespace

bool ReadReplicaGroups(Lexer* lexer, FieldList* to) {
  ReplicaGroups groups;
  if (lexer->token() == Token::kLeftBrace) {
    if (!ReadLists(lexer, &groups)) return false;
    // An empty list is one too.
    to->SetText(field::HloInstructionProto::kCollectiveDeviceList, "");
    if (groups.groups.empty()) return true;
  } else if (!(AtMesh(*lexer) ? ReadMeshGroups(lexer, &groups)
                              : ReadFormula(lexer, &groups))) {
    return false;
  }
  SetReplicaGroups(groups, to);
  return true;
}

std::string ReplicaGroupsText(const FieldList& from, bool full) {
  const ReplicaGroups groups = ReplicaGroupsOf(from);
  if (!groups.mesh &&
      !from.has(field::HloInstructionProto::kIotaCollectiveDeviceList)) {
    return ListsText(groups.groups);
  }
  const DimIndices dims = {groups.iota_groups, groups.iota_group_size};
  const std::optional<TileAssignment> grid =
      groups.mesh ? groups.mesh->mesh.Groups(groups.mesh->axes)
                  : TileAssignment::Iota(dims, groups.iota);
  const auto lists = full && grid ? grid->Rows() : std::nullopt;
  if (lists) return ListsText(*lists);
  if (groups.mesh) {
    return absl::StrCat(MeshText(groups.mesh->mesh), " {",
                        AxesText(groups.mesh->mesh, groups.mesh->axes, ","),
                        "}");
  }
  if (grid) return grid->ToString();
  // XLA would refuse it; this prints it unchanged.
  return absl::StrCat("[", dims[0], ",", dims[1], "]<=[",
                      absl::StrJoin(groups.iota.reshape_dims, ","), "]T(",
                      absl::StrJoin(groups.iota.transpose_perm, ","), ")");
}

}  // namespace indim
