// Groups of devices that are given by a formula or by axes of a mesh (XLA:
// IotaReplicaGroupList, MeshAxesReplicaGroupList, Mesh, AxisRef), and the form
// of an all-to-all.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/field_list.h"
#include "indim/ir/structure_checks.h"

namespace indim {
namespace structure {
namespace {

// HloInstructionProto.
constexpr int kIotaGroups = 92;
constexpr int kMeshGroups = 93;

// The product of positive sizes; nullopt: one isn't, or it passes 2^62.
std::optional<int64_t> Product(const DimIndices& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) {
    if (size <= 0 || product > (int64_t{1} << 62) / size) return std::nullopt;
    product *= size;
  }
  return product;
}

bool IsPermutation(const DimIndices& order) {
  std::vector<bool> seen(order.size());
  for (const int64_t i : order) {
    if (i < 0 || i >= static_cast<int64_t>(order.size()) ||
        seen[static_cast<size_t>(i)]) {
      return false;
    }
    seen[static_cast<size_t>(i)] = true;
  }
  return true;
}

// What is wrong with 0..devices-1 reshaped to `dims` and transposed; "":
// nothing.
std::string IotaFault(int64_t devices, const DimIndices& dims,
                      const DimIndices& order) {
  const std::optional<int64_t> product = Product(dims);
  if (!product || *product != devices) {
    return absl::StrCat("reshapes ", devices, " devices to ",
                        product ? absl::StrCat(*product) : "no sizes");
  }
  if (order.size() != dims.size() || !IsPermutation(order)) {
    return "doesn't transpose each of its dims once";
  }
  return "";
}

std::string FormulaFault(absl::string_view wire) {
  FieldList list(WireMessage::kIotaReplicaGroupListProto);
  list.Append(wire);
  const std::optional<int64_t> devices =
      Product({list.Number(1), list.Number(2)});
  if (!devices) return "names no devices";
  return IotaFault(*devices, list.Numbers(3), list.Numbers(4));
}

// A mesh: axes of different names, and each device once.
std::string MeshFault(const FieldList& mesh, std::vector<int64_t>* sizes) {
  absl::flat_hash_set<std::string> names;
  DimIndices all;
  for (absl::string_view text : mesh.Texts(1)) {
    FieldList axis(WireMessage::kMeshProto_MeshAxis);
    axis.Append(text);
    if (!names.insert(std::string(axis.Text(1))).second) {
      return absl::StrCat("has two axes '", axis.Text(1), "'");
    }
    sizes->push_back(axis.Number(2));
    all.push_back(axis.Number(2));
  }
  const std::optional<int64_t> devices = Product(all);
  if (!devices) return "has an axis without a size";
  const DimIndices ids = mesh.Numbers(2);
  if (mesh.has(3)) {
    FieldList iota(WireMessage::kMeshProto_IotaTransform);
    iota.Append(mesh.Text(3));
    return IotaFault(*devices, iota.Numbers(1), iota.Numbers(2));
  }
  if (!ids.empty() && !all.empty() &&
      (static_cast<int64_t>(ids.size()) != *devices || !IsPermutation(ids))) {
    return absl::StrCat("doesn't name each of its ", *devices, " devices once");
  }
  return "";
}

// [start, end) of an axis seen from its most major factor on.
struct AxisPart {
  int64_t axis;
  int64_t pre_size;
  int64_t end;
};

std::string AxesFault(absl::string_view wire) {
  FieldList list(WireMessage::kMeshAxesReplicaGroupListProto);
  list.Append(wire);
  FieldList mesh(WireMessage::kMeshProto);
  mesh.Append(list.Text(1));
  std::vector<int64_t> sizes;
  const std::string fault = MeshFault(mesh, &sizes);
  if (!fault.empty()) return fault;
  std::vector<AxisPart> parts;
  for (absl::string_view text : list.Texts(2)) {
    FieldList axis(WireMessage::kAxisRefProto);
    axis.Append(text);
    const int64_t index = axis.Number(1);
    // Axes that the mesh lacks: the attributes can't be read at all.
    if (index < 0 || index >= static_cast<int64_t>(sizes.size())) return "";
    AxisPart part = {index, 1, sizes[static_cast<size_t>(index)]};
    if (axis.has(2)) {
      FieldList factor(WireMessage::kAxisRefProto_SubAxis);
      factor.Append(axis.Text(2));
      const auto end = Product({factor.Number(1), factor.Number(2)});
      if (!end || part.end % *end != 0 || factor.Number(2) >= part.end) {
        return absl::StrCat("takes a part of axis ", index,
                            " that doesn't divide it");
      }
      part.pre_size = factor.Number(1);
      part.end = *end;
    }
    for (const AxisPart& other : parts) {
      if (other.axis == index && part.pre_size < other.end &&
          other.pre_size < part.end) {
        return absl::StrCat("takes axis ", index, " twice");
      }
    }
    parts.push_back(part);
  }
  return "";
}

}  // namespace

void CheckGroupFormulas(Context* context) {
  // Many collectives share their groups.
  absl::flat_hash_set<absl::string_view> good;
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (Info(r.opcode).attributes != AttributesKind::kCollective) return;
        const BlobView blob = context->data.pools->blob(r.blob);
        const absl::string_view formula = BlobField(blob, kIotaGroups);
        const absl::string_view axes = BlobField(blob, kMeshGroups);
        const absl::string_view wire = formula.empty() ? axes : formula;
        if (wire.empty() || good.contains(wire)) return;
        const std::string fault =
            formula.empty() ? AxesFault(axes) : FormulaFault(formula);
        if (fault.empty()) {
          good.insert(wire);
        } else {
          context->Add(Rule::kGroupFormula, c, i, fault);
        }
      });
}

// HloInstruction::CreateFromProto. How much each member gets is inference's
// business.
void CheckSplits(Context* context) {
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (r.opcode != Opcode::kAllToAll) return;
        const auto& attributes =
            As<CollectiveAttributes>(context->At(c, i).attributes());
        const int64_t dims = static_cast<int64_t>(attributes.dimensions.size());
        if (dims == 0 || (dims == 1 && r.operand_count == 1)) return;
        context->Add(Rule::kSplitForm, c, i, dims, int64_t{r.operand_count});
      });
}

}  // namespace structure
}  // namespace indim
