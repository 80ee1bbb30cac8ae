#include "indim/pjrt/compile/port_tilings.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/codec/frontend_attributes.h"
#include "indim/ir/module_access.h"
#include "indim/pjrt/abi/coded_error.h"
#include "indim/structure/tiling/sharding_tiling.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace pjrt {
namespace {

constexpr char kShardySharding[] = "xla.sdy.sharding";
constexpr char kShardyMeshes[] = "xla.sdy.meshes";

size_t LeafCount(const Shape& shape) {
  if (!shape.is_tuple()) return 1;
  size_t count = 0;
  for (const Shape& element : shape.elements()) count += LeafCount(element);
  return count;
}

class TilingSetter {
 public:
  TilingSetter(const Module& module, int64_t partitions)
      : partitions_(partitions) {
    FieldList fields(WireMessage::kHloModuleProto);
    fields.Append(internal::DataOf(module).other_fields);
    meshes_ = FrontendAttribute(
                  fields.Text(field::HloModuleProto::kFrontendAttributes),
                  kShardyMeshes)
                  .value_or("");
  }

  // The ports are the leaves of the instruction's value. False: it has no
  // sharding.
  absl::StatusOr<bool> Set(const Instruction& instruction,
                           absl::Span<Port> ports) const {
    FieldList fields(WireMessage::kHloInstructionProto);
    fields.Append(internal::AttributeBytesOf(instruction));
    const std::optional<std::string> shardy = FrontendAttribute(
        fields.Text(field::HloInstructionProto::kFrontendAttributes),
        kShardySharding);
    if (shardy) {
      const absl::Status status = SetByShardy(*shardy, ports);
      if (!status.ok()) return status;
      return true;
    }
    const absl::string_view sharding =
        fields.Text(field::HloInstructionProto::kSharding);
    if (sharding.empty()) return false;
    const absl::Status status = SetBySharding(sharding, ports);
    if (!status.ok()) return status;
    return true;
  }

 private:
  absl::Status SetByShardy(absl::string_view text,
                           absl::Span<Port> ports) const {
    const std::vector<std::string> shardings = ShardyShardings(text);
    for (size_t i = 0; i < ports.size() && i < shardings.size(); ++i) {
      const absl::Status status = Keep(
          TilingOfShardy(shardings[i], meshes_, ports[i].shape, partitions_),
          &ports[i]);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status SetBySharding(absl::string_view sharding,
                             absl::Span<Port> ports) const {
    FieldList fields(WireMessage::kOpSharding);
    fields.Append(sharding);
    const std::vector<absl::string_view> elements =
        fields.Texts(field::OpSharding::kTupleShardings);
    for (size_t i = 0; i < ports.size(); ++i) {
      if (!elements.empty() && i >= elements.size()) break;
      const absl::Status status =
          Keep(TilingOfSharding(elements.empty() ? sharding : elements[i],
                                ports[i].shape, partitions_),
               &ports[i]);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  static absl::Status Keep(absl::StatusOr<Tiling> tiling, Port* port) {
    if (!tiling.ok()) {
      return CodedError(
          tiling.status().code(), Code::kPjrtDevices,
          absl::StrCat(port->name, ": ", tiling.status().message()));
    }
    port->tiling = *std::move(tiling);
    return absl::OkStatus();
  }

  const int64_t partitions_;
  std::string meshes_;
};

absl::Status SetOfParameters(const TilingSetter& setter, const Module& module,
                             Interface* interface) {
  std::vector<size_t> firsts;  // leaf of each parameter
  size_t count = 0;
  for (const Shape& shape : interface->parameters) {
    firsts.push_back(count);
    count += LeafCount(shape);
  }
  for (const Instruction i : module.entry().instructions()) {
    if (i.opcode() != Opcode::kParameter) continue;
    const int64_t number = As<ParameterAttributes>(i.attributes()).number;
    if (number < 0 || static_cast<size_t>(number) >= firsts.size()) continue;
    const size_t at = static_cast<size_t>(number);
    const absl::StatusOr<bool> set = setter.Set(
        i, absl::MakeSpan(interface->inputs)
               .subspan(firsts[at], LeafCount(interface->parameters[at])));
    if (!set.ok()) return set.status();
  }
  return absl::OkStatus();
}

// By the root's own sharding, or by those of its elements.
absl::Status SetOfResults(const TilingSetter& setter, const Instruction& root,
                          Interface* interface) {
  const absl::StatusOr<bool> set =
      setter.Set(root, absl::MakeSpan(interface->outputs));
  if (!set.ok() || *set || root.opcode() != Opcode::kTuple) return set.status();
  size_t first = 0;
  for (int i = 0; i < root.operand_count(); ++i) {
    const Instruction element = root.operand(i);
    const size_t leaves = LeafCount(element.shape());
    if (element.opcode() == Opcode::kCustomCall) {
      const absl::StatusOr<bool> of_element = setter.Set(
          element, absl::MakeSpan(interface->outputs).subspan(first, leaves));
      if (!of_element.ok()) return of_element.status();
    }
    first += leaves;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SetTilings(const Module& module, int64_t partitions,
                        Interface* interface) {
  if (partitions <= 1) return absl::OkStatus();
  const TilingSetter setter(module, partitions);
  const absl::Status status = SetOfParameters(setter, module, interface);
  if (!status.ok()) return status;
  return SetOfResults(setter, module.entry().root(), interface);
}

}  // namespace pjrt
}  // namespace indim
