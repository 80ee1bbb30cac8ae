// Replica groups: a list of lists, a formula, or axes of a mesh.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/sharding/text/mesh_text.h"
#include "indim/sharding/text/sharding_text.h"
#include "indim/sharding/text/tile_assignment_text.h"
#include "indim/sharding/tile_assignment.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

using field::HloInstructionProto::kCollectiveDeviceList;
using field::HloInstructionProto::kIotaCollectiveDeviceList;
using field::HloInstructionProto::kMeshAxesReplicaGroupList;
namespace of_iota_groups = field::IotaReplicaGroupListProto;
namespace of_mesh_groups = field::MeshAxesReplicaGroupListProto;
using field::ReplicaGroup::kReplicaIds;

bool ReadLists(Lexer* lexer, FieldList* to) {
  lexer->Next();
  std::vector<std::string> groups;
  if (lexer->token() != Token::kRightBrace) {
    do {
      DimIndices ids;
      if (!lexer->ReadInts(&ids)) return false;
      FieldList group(WireMessage::kReplicaGroup);
      group.SetNumbers(kReplicaIds, ids);
      groups.push_back(group.Serialize());
    } while (lexer->Accept(Token::kComma));
  }
  FieldList list(WireMessage::kCollectiveDeviceListProto);
  list.SetTexts(field::CollectiveDeviceListProto::kReplicaGroups, groups);
  to->SetText(kCollectiveDeviceList, list.Serialize());
  return lexer->Expect(Token::kRightBrace, "\",\" or \"}\"");
}

bool ReadMeshGroups(Lexer* lexer, FieldList* to) {
  MeshRead mesh;
  AxisRefs axes;
  if (!ReadMesh(lexer, &mesh)) return false;
  const size_t start = lexer->offset();
  if (!ReadMeshAxes(lexer, mesh, &axes)) return false;
  if (!AxisUse(mesh.mesh).Add(axes)) {
    return lexer->ErrorAt(start, lexer->offset() - start,
                          "an axis is used twice");
  }
  FieldList list(WireMessage::kMeshAxesReplicaGroupListProto);
  list.SetText(of_mesh_groups::kMesh, mesh.mesh.ToWire());
  list.SetTexts(of_mesh_groups::kAxes, AxesToWire(axes));
  to->SetText(kMeshAxesReplicaGroupList, list.Serialize());
  return true;
}

std::string GroupsText(const std::vector<absl::string_view>& groups) {
  std::string text = "{";
  for (size_t i = 0; i < groups.size(); ++i) {
    FieldList group(WireMessage::kReplicaGroup);
    group.Append(groups[i]);
    absl::StrAppend(&text, i > 0 ? ",{" : "{",
                    absl::StrJoin(group.Numbers(kReplicaIds), ","), "}");
  }
  return text + "}";
}

// {{0,1},{2,3}} for a grid of groups; empty: it has too many members.
std::string FullText(const TileAssignment& tiles) {
  const std::optional<DimIndices> devices = tiles.Listed();
  if (!devices || tiles.dims().size() != 2) return "";
  std::string text = "{";
  const size_t size = static_cast<size_t>(tiles.dims()[1]);
  for (size_t i = 0; i < devices->size(); i += size) {
    absl::StrAppend(
        &text, i > 0 ? ",{" : "{",
        absl::StrJoin(absl::MakeSpan(*devices).subspan(i, size), ","), "}");
  }
  return text + "}";
}

std::string IotaText(absl::string_view wire, bool full) {
  FieldList iota(WireMessage::kIotaReplicaGroupListProto);
  iota.Append(wire);
  const DimIndices dims = {iota.Number(of_iota_groups::kNumReplicaGroups),
                           iota.Number(of_iota_groups::kNumDevicesPerGroup)};
  const DimIndices reshape_dims =
      iota.Numbers(of_iota_groups::kIotaReshapeDims);
  const DimIndices transpose_perm =
      iota.Numbers(of_iota_groups::kIotaTransposePerm);
  const std::optional<TileAssignment> tiles =
      TileAssignment::Iota(dims, reshape_dims, transpose_perm);
  if (tiles) {
    const std::string text = full ? FullText(*tiles) : "";
    return text.empty() ? tiles->ToString() : text;
  }
  // XLA would refuse it; this prints it unchanged.
  return absl::StrCat("[", dims[0], ",", dims[1], "]<=[",
                      absl::StrJoin(reshape_dims, ","), "]T(",
                      absl::StrJoin(transpose_perm, ","), ")");
}

std::string MeshGroupsText(absl::string_view wire, bool full) {
  FieldList list(WireMessage::kMeshAxesReplicaGroupListProto);
  list.Append(wire);
  const Mesh mesh = Mesh::FromWire(list.Text(of_mesh_groups::kMesh));
  const AxisRefs axes = AxesFromWire(list.Texts(of_mesh_groups::kAxes));
  if (const auto tiles = full ? mesh.Groups(axes) : std::nullopt) {
    const std::string text = FullText(*tiles);
    if (!text.empty()) return text;
  }
  return absl::StrCat(MeshText(mesh), " {", AxesText(mesh, axes, ","), "}");
}

}  // namespace

bool ReadReplicaGroups(Lexer* lexer, FieldList* to) {
  if (lexer->token() == Token::kLeftBrace) return ReadLists(lexer, to);
  if (AtMesh(*lexer)) return ReadMeshGroups(lexer, to);
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
  FieldList iota(WireMessage::kIotaReplicaGroupListProto);
  iota.SetNumber(of_iota_groups::kNumReplicaGroups, tiles.dims()[0]);
  iota.SetNumber(of_iota_groups::kNumDevicesPerGroup, tiles.dims()[1]);
  iota.SetNumbers(of_iota_groups::kIotaReshapeDims, tiles.reshape_dims());
  iota.SetNumbers(of_iota_groups::kIotaTransposePerm, tiles.transpose_perm());
  to->SetText(kIotaCollectiveDeviceList, iota.Serialize());
  return true;
}

std::string ReplicaGroupsText(const FieldList& from, bool full) {
  if (from.has(kIotaCollectiveDeviceList)) {
    return IotaText(from.Text(kIotaCollectiveDeviceList), full);
  }
  if (from.has(kMeshAxesReplicaGroupList)) {
    return MeshGroupsText(from.Text(kMeshAxesReplicaGroupList), full);
  }
  if (from.has(field::HloInstructionProto::kReplicaGroups)) {
    return GroupsText(from.Texts(field::HloInstructionProto::kReplicaGroups));
  }
  FieldList list(WireMessage::kCollectiveDeviceListProto);
  list.Append(from.Text(kCollectiveDeviceList));
  return GroupsText(
      list.Texts(field::CollectiveDeviceListProto::kReplicaGroups));
}

}  // namespace indim
