// Attributes with fields that no member of HLO's structs equals:
// algorithms of products, meshes of devices.

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/ops/dot_algorithms.h"
#include "indim/stablehlo/text/attribute_text.h"

namespace indim::stablehlo_import {

namespace {

bool Matches(absl::string_view wanted, absl::string_view type) {
  return wanted == type || (wanted == "f8" && absl::StartsWith(type, "f8"));
}

int64_t FieldNumber(const Ir& ir, const Attribute& a, absl::string_view field) {
  const AttrId id = ir.Find(a, field);
  return id.valid() ? ReadNumber(ir, id).value_or(0) : 0;
}

std::string FieldText(const Ir& ir, const Attribute& a,
                      absl::string_view field) {
  const AttrId id = ir.Find(a, field);
  return std::string(id.valid() ? ReadText(ir, id).value_or("") : "");
}

// The mesh that an sdy.mesh of the module names.
bool ReadNamedMesh(OpImport* op, absl::string_view name, Mesh* to) {
  const Ir& ir = op->ir();
  for (const OpId id : ir.block(ir.module_block()).ops) {
    const mlir::Op& mesh = ir.op(id);
    if (ir.name(mesh) != "sdy.mesh" ||
        ir.attr(ir.Find(mesh, "sym_name")).text != name) {
      continue;
    }
    absl::StatusOr<Mesh> read =
        ReadShardyMesh(AttributeText(ir, ir.Find(mesh, "mesh")));
    if (!read.ok()) break;
    *to = *std::move(read);
    return true;
  }
  return op->Fail(absl::StrCat("replica_groups are axes of the mesh @", name,
                               ", which no sdy.mesh of the module defines"));
}

// A #stablehlo.mesh<...>, or the symbol of one.
bool ReadMesh(OpImport* op, const Attribute& mesh, Mesh* to) {
  const Ir& ir = op->ir();
  if (mesh.kind == AttrKind::kSymbol) {
    return ReadNamedMesh(op, mesh.text, to);
  }
  if (mesh.kind != AttrKind::kDialect) {
    return op->Fail("replica_groups must be a tensor, or axes of a mesh");
  }
  for (const AttrId id : ir.attr(ir.Find(mesh, "axes")).elements) {
    to->axes.push_back({FieldText(ir, ir.attr(id), "name"),
                        FieldNumber(ir, ir.attr(id), "size")});
  }
  const AttrId devices = ir.Find(mesh, "device_ids");
  if (devices.valid()) {
    to->device_ids = ReadNumbers(ir, devices).value_or(DimIndices());
  }
  return true;
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
  for (const auto& [number, known] : mlir::kDotAlgorithms) {
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

// --- Meshes ------------------------------------------------------------------

bool ReadMeshAxes(OpImport* op, const Attribute& attribute,
                  ReplicaGroups* groups) {
  const Ir& ir = op->ir();
  if (attribute.text != "stablehlo.replica_group_mesh_axes") {
    return op->Fail("replica_groups must be a tensor, or axes of a mesh");
  }
  MeshAxes axes;
  const std::vector<Mesh::Axis>& of_mesh = axes.mesh.axes;
  if (!ReadMesh(op, ir.attr(ir.Find(attribute, "mesh")), &axes.mesh)) {
    return false;
  }
  for (const AttrId id : ir.attr(ir.Find(attribute, "axes")).elements) {
    const Attribute& ref = ir.attr(id);
    const std::string name = FieldText(ir, ref, "name");
    const auto found =
        std::find_if(of_mesh.begin(), of_mesh.end(),
                     [&](const Mesh::Axis& a) { return a.name == name; });
    if (found == of_mesh.end()) {
      return op->Fail(absl::StrCat("the mesh has no axis '", name, "'"));
    }
    AxisRef to;
    to.axis = found - of_mesh.begin();
    const AttrId part = ir.Find(ref, "sub_axis_info");
    if (part.valid()) {
      to.factor = {FieldNumber(ir, ir.attr(part), "pre_size"),
                   FieldNumber(ir, ir.attr(part), "size")};
    }
    axes.axes.push_back(to);
  }
  groups->mesh = std::move(axes);
  return true;
}

}  // namespace indim::stablehlo_import
