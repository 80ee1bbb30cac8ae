// Checks groups of devices given by a formula or by axes of a mesh (XLA:
// IotaReplicaGroupList, MeshAxesReplicaGroupList, Mesh, AxisRef), and the form
// of an all-to-all.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/ops/replica_groups.h"
#include "indim/structure/checks.h"
#include "indim/structure/group_form.h"
#include "indim/structure/mesh.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace structure {
namespace {

using field::HloInstructionProto::kIotaCollectiveDeviceList;
using field::HloInstructionProto::kMeshAxesReplicaGroupList;

std::string FormulaFault(absl::string_view wire) {
  namespace of = field::IotaReplicaGroupListProto;
  FieldList list(WireMessage::kIotaReplicaGroupListProto);
  list.Append(wire);
  const std::optional<int64_t> devices =
      ProductOfSizes({list.Number(of::kNumReplicaGroups),
                      list.Number(of::kNumDevicesPerGroup)});
  if (!devices) return "names no devices";
  return IotaFault(*devices, list.Numbers(of::kIotaReshapeDims),
                   list.Numbers(of::kIotaTransposePerm));
}

std::string AxesFault(absl::string_view wire) {
  FieldList list(WireMessage::kMeshAxesReplicaGroupListProto);
  list.Append(wire);
  DeviceMesh mesh;
  const std::string fault =
      ReadMesh(list.Text(field::MeshAxesReplicaGroupListProto::kMesh), &mesh);
  if (!fault.empty()) return fault;
  const auto axes = list.Texts(field::MeshAxesReplicaGroupListProto::kAxes);
  for (absl::string_view text : axes) {
    FieldList axis(WireMessage::kAxisRefProto);
    axis.Append(text);
    const int64_t index = axis.Number(field::AxisRefProto::kMeshAxisIndex);
    // The mesh lacks the axis: such attributes can't be read at all.
    if (index < 0 || index >= static_cast<int64_t>(mesh.sizes.size())) {
      return "";
    }
  }
  return AxisUse(mesh).Take(axes, /*sorted=*/false);
}

}  // namespace

std::string GroupFault(const AttributeBytesView& collective) {
  const absl::string_view formula =
      AttributeBytesField(collective, kIotaCollectiveDeviceList);
  if (!formula.empty()) return FormulaFault(formula);
  const absl::string_view axes =
      AttributeBytesField(collective, kMeshAxesReplicaGroupList);
  return axes.empty() ? "" : AxesFault(axes);
}

void CheckGroupFormulas(Context* context) {
  // Many collectives share their attribute bytes.
  absl::flat_hash_set<uint32_t> good;
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (Info(r.opcode).attributes != AttributesKind::kCollective ||
            good.contains(r.attribute_bytes.value)) {
          return;
        }
        const std::string fault =
            GroupFault(context->data.pools->attribute_bytes(r.attribute_bytes));
        if (fault.empty()) {
          good.insert(r.attribute_bytes.value);
        } else {
          context->Add(Code::kGroupFormula, c, i, fault);
        }
      });
}

namespace {

// The layout, without its memory space.
std::optional<Layout> LayoutAnywhere(const Shape& shape) {
  if (shape.layout() == nullptr) return std::nullopt;
  Layout layout = *shape.layout();
  layout.memory_space = 0;
  return layout;
}

// ShapeInference::InferAllToAllTupleShape. Inference, which ignores layouts,
// checks that the operands' shapes are equal.
void CheckLayoutsOfParts(Context* context, uint32_t c, uint32_t i) {
  const Instruction exchange = context->At(c, i);
  if (exchange.operand_count() == 0) return;  // its arity is reported elsewhere
  const Shape& first = exchange.operand(0).shape();
  for (int k = 1; k < exchange.operand_count(); ++k) {
    const Shape& part = exchange.operand(k).shape();
    if (LayoutAnywhere(part) == LayoutAnywhere(first)) continue;
    return context->Add(Code::kOperandLayoutsDiffer, c, i, int64_t{k},
                        part.ToString(), first.ToString());
  }
}

}  // namespace

// HloInstruction::CreateFromProto. Inference checks the sizes of the parts.
void CheckSplits(Context* context) {
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (r.opcode != Opcode::kAllToAll) return;
        const auto& attributes =
            As<CollectiveAttributes>(context->At(c, i).attributes());
        const int64_t dims = static_cast<int64_t>(attributes.dimensions.size());
        if (dims == 0) return CheckLayoutsOfParts(context, c, i);
        if (dims == 1 && r.operand_count == 1) return;
        context->Add(Code::kSplitForm, c, i, dims, int64_t{r.operand_count});
      });
}

}  // namespace structure
}  // namespace indim
