// Attributes with fields that no member of HLO's structs equals:
// algorithms of products, meshes of devices.

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/types/element_type.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/text/attribute_text.h"

namespace indim::mlir {

// --- Algorithms of products --------------------------------------------------

namespace {

struct Algorithm {
  DotAlgorithm number;
  absl::string_view lhs;
  absl::string_view rhs;
  absl::string_view accumulation;
  int64_t operations;
  bool imprecise;
};
constexpr Algorithm kAlgorithms[] = {
#define INDIM_MLIR_DOT_ALGORITHM(name, ...) {DotAlgorithm::name, __VA_ARGS__},
#include "indim/stablehlo/ops/dot_algorithms.def"
};

// "f32", "tf32"
std::string TypeName(const Ir& ir, const Attribute& algorithm,
                     absl::string_view field) {
  const Type& type = ir.type(ir.attr(ir.Find(algorithm, field)).type);
  if (type.kind == TypeKind::kElement) {
    return std::string(Info(type.element_type).name);
  }
  return type.text;
}

bool Matches(absl::string_view wanted, absl::string_view type) {
  return wanted == type || (wanted == "f8" && absl::StartsWith(type, "f8"));
}

}  // namespace

bool ReadAlgorithm(OpImport* op, DotAlgorithm* to) {
  const Ir& ir = op->ir();
  const Attribute& algorithm = ir.attr(op->Find("algorithm"));
  if (algorithm.kind != AttrKind::kDialect) {
    op->WrongKind("algorithm");
    return false;
  }
  const auto number = [&](absl::string_view field) {
    const AttrId id = ir.Find(algorithm, field);
    return id.valid() ? ReadNumber(ir, id).value_or(0) : 0;
  };
  const int64_t lhs_components = number("lhs_component_count");
  const int64_t rhs_components = number("rhs_component_count");
  const int64_t operations = number("num_primitive_operations");
  const bool imprecise = number("allow_imprecise_accumulation") != 0;
  const std::string lhs = TypeName(ir, algorithm, "lhs_precision_type");
  const std::string rhs = TypeName(ir, algorithm, "rhs_precision_type");
  const std::string sum = TypeName(ir, algorithm, "accumulation_type");
  for (const auto& [what, count] : {std::pair<absl::string_view, int64_t>{
                                        "lhs component count", lhs_components},
                                    {"rhs component count", rhs_components},
                                    {"num primitive operations", operations}}) {
    if (count > 0) continue;
    op->Error(absl::StrCat(what, " must be positive, got ", count));
    return false;
  }
  for (const Algorithm& known : kAlgorithms) {
    if (lhs_components == 1 && rhs_components == 1 &&
        operations == known.operations && imprecise == known.imprecise &&
        Matches(known.lhs, lhs) && Matches(known.rhs, rhs) &&
        Matches(known.accumulation, sum)) {
      *to = known.number;
      return true;
    }
  }
  op->Error(absl::StrCat(
      "dot algorithm not known to be supported on any hardware: {lhs:", lhs,
      ", rhs:", rhs, ", accum:", sum, ", lhs_components:", lhs_components,
      ", rhs_components:", rhs_components, ", primitive_ops:", operations,
      ", imprecise:", imprecise ? 1 : 0, "}"));
  return false;
}

// --- Meshes ------------------------------------------------------------------

namespace {

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
    const Op& mesh = ir.op(id);
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
  op->Error(absl::StrCat("replica_groups are axes of the mesh @", name,
                         ", which no sdy.mesh of the module defines"));
  return false;
}

// A #stablehlo.mesh<...>, or the symbol of one.
bool ReadMesh(OpImport* op, const Attribute& mesh, Mesh* to) {
  const Ir& ir = op->ir();
  if (mesh.kind == AttrKind::kSymbol) {
    return ReadNamedMesh(op, mesh.text, to);
  }
  if (mesh.kind != AttrKind::kDialect) {
    op->Error("replica_groups must be a tensor, or axes of a mesh");
    return false;
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

bool ReadMeshAxes(OpImport* op, const Attribute& attribute,
                  ReplicaGroups* groups) {
  const Ir& ir = op->ir();
  if (attribute.text != "stablehlo.replica_group_mesh_axes") {
    op->Error("replica_groups must be a tensor, or axes of a mesh");
    return false;
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
      op->Error(absl::StrCat("the mesh has no axis '", name, "'"));
      return false;
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

}  // namespace indim::mlir
