// SPDX-License-Identifier: Apache-2.0
// Attributes with fields that no member of HLO's structs equals:
// algorithms of products, meshes of devices.

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/import/shardings.h"
#include "indim/stablehlo/ops/dot_algorithms.h"
#include "indim/stablehlo/text/attribute_text.h"

namespace indim::stablehlo_import {

namespace {

bool Matches(absl::string_view wanted, absl::string_view type) {
  return wanted == type || (wanted == "f8" && absl::StartsWith(type, "f8"));
}

int64_t FieldNumber(const Ir& ir, const Attribute& a, absl::string_view field) {
  return ReadNumber(ir, ir.Find(a, field)).value_or(0);
}

std::string FieldText(const Ir& ir, const Attribute& a,
                      absl::string_view field) {
  return std::string(ReadText(ir, ir.Find(a, field)).value_or(""));
}

constexpr absl::string_view kNoTensor =
    "replica_groups must be a tensor, or axes of a mesh";

// A #stablehlo.mesh<...>, or the symbol of an sdy.mesh. Why it is none; "".
std::string ReadMesh(const Ir& ir, const Attribute& mesh, Mesh* to) {
  if (mesh.kind == AttrKind::kSymbol) {
    absl::StatusOr<Mesh> read = FindMesh(ir, mesh.text);
    if (read.ok()) *to = *std::move(read);
    return read.ok() ? ""
                     : absl::StrCat(
                           "replica_groups are axes of the mesh @", mesh.text,
                           ", which no sdy.mesh of the module defines");
  }
  if (mesh.kind != AttrKind::kDialect) return std::string(kNoTensor);
  for (const AttrId id : ir.attr(ir.Find(mesh, "axes")).elements) {
    to->axes.push_back({FieldText(ir, ir.attr(id), "name"),
                        FieldNumber(ir, ir.attr(id), "size")});
  }
  to->device_ids =
      ReadNumbers(ir, ir.Find(mesh, "device_ids")).value_or(DimIndices());
  return "";
}

// #stablehlo.replica_group_mesh_axes<...>. Why it is none; "".
std::string ReadMeshAxes(const Ir& ir, const Attribute& attribute,
                         MeshAxes* axes) {
  if (attribute.text != "stablehlo.replica_group_mesh_axes") {
    return std::string(kNoTensor);
  }
  const std::vector<Mesh::Axis>& of_mesh = axes->mesh.axes;
  std::string why =
      ReadMesh(ir, ir.attr(ir.Find(attribute, "mesh")), &axes->mesh);
  if (!why.empty()) return why;
  for (const AttrId id : ir.attr(ir.Find(attribute, "axes")).elements) {
    const Attribute& ref = ir.attr(id);
    const std::string name = FieldText(ir, ref, "name");
    const Mesh::Axis* const found =
        mlir::FindRow(of_mesh, &Mesh::Axis::name, name);
    if (found == nullptr) {
      return absl::StrCat("the mesh has no axis '", name, "'");
    }
    AxisRef to;
    to.axis = found - of_mesh.data();
    const AttrId part = ir.Find(ref, "sub_axis_info");
    if (part.valid()) {
      to.factor = {FieldNumber(ir, ir.attr(part), "pre_size"),
                   FieldNumber(ir, ir.attr(part), "size")};
    }
    axes->axes.push_back(to);
  }
  return "";
}

}  // namespace

// --- Algorithms of products --------------------------------------------------

bool ReadAlgorithm(OpImport* op, DotAlgorithm* to) {
  mlir::DotAlgorithmParts parts;
  if (!ReadFields(op->ir(), op->Find("algorithm"), &parts)) {
    return op->WrongKind("algorithm");
  }
  for (const auto& [what, count] :
       {std::pair<absl::string_view, int64_t>{"lhs component count",
                                              parts.lhs_components},
        {"rhs component count", parts.rhs_components},
        {"num primitive operations", parts.operations}}) {
    if (count > 0) continue;
    return op->Fail(absl::StrCat(what, " must be positive, got ", count));
  }
  for (const auto& [number, known, since] : mlir::kDotAlgorithms) {
    if (parts.lhs_components == known.lhs_components &&
        parts.rhs_components == known.rhs_components &&
        parts.operations == known.operations &&
        parts.imprecise == known.imprecise && Matches(known.lhs, parts.lhs) &&
        Matches(known.rhs, parts.rhs) &&
        Matches(known.accumulation, parts.accumulation)) {
      *to = number;
      return true;
    }
  }
  return op->Fail(absl::StrCat(
      "dot algorithm not known to be supported on any hardware: {lhs:",
      parts.lhs, ", rhs:", parts.rhs, ", accum:", parts.accumulation,
      ", lhs_components:", parts.lhs_components, ", rhs_components:",
      parts.rhs_components, ", primitive_ops:", parts.operations,
      ", imprecise:", parts.imprecise ? 1 : 0, "}"));
}

// --- Groups of devices -------------------------------------------------------

bool ReadGroups(const Ir& ir, AttrId id, ReplicaGroups* groups,
                std::string* why) {
  if (ir.attr(id).kind == AttrKind::kDialect) {
    *why = ReadMeshAxes(ir, ir.attr(id), &groups->mesh.emplace());
    return why->empty();
  }
  const auto rows = ReadRows(ir, id);
  if (!rows.has_value()) *why = "replica groups should be a rank 2 tensor";
  for (const std::vector<int64_t>& row :
       rows.value_or(std::vector<std::vector<int64_t>>())) {
    groups->groups.emplace_back();
    absl::c_copy_if(row, std::back_inserter(groups->groups.back()),
                    [](int64_t member) { return member != -1; });
  }
  return rows.has_value();
}

}  // namespace indim::stablehlo_import
