// SPDX-License-Identifier: Apache-2.0
#include "indim/run/compile/port_tilings.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/sharding/tiling/sharding_tiling.h"

namespace indim::pjrt {
namespace {

// Adds whether each leaf of `shape` is an array, which has a port, or a token.
void AddLeaves(const Shape& shape, std::vector<bool>* leaves) {
  ForEachLeaf(shape, [leaves](const Shape& leaf) {
    leaves->push_back(!leaf.is_token());
  });
}

size_t PortCount(const Shape& shape) {
  std::vector<bool> leaves;
  AddLeaves(shape, &leaves);
  return static_cast<size_t>(absl::c_count(leaves, true));
}

class TilingSetter {
 public:
  TilingSetter(const Module& module, int64_t partitions)
      : partitions_(partitions),
        meshes_(ShardyMeshes(internal::DataOf(module).other_fields)) {}

  // The ports are the leaves of the instruction's value. False: it has no
  // sharding.
  absl::StatusOr<bool> Set(const Instruction& instruction,
                           absl::Span<Port> ports) const {
    const FieldList fields = internal::FieldsOf(instruction);
    const std::optional<std::string> shardy = FrontendAttribute(
        fields.Text(field::HloInstructionProto::kFrontendAttributes),
        kSdySharding);
    if (shardy) {
      const absl::Status status =
          SetByShardy(*shardy, instruction.shape(), ports);
      if (!status.ok()) return status;
      return true;
    }
    const absl::string_view sharding =
        fields.Text(field::HloInstructionProto::kSharding);
    if (!fields.has(field::HloInstructionProto::kSharding)) return false;
    const absl::Status status =
        SetBySharding(sharding, instruction.shape(), ports);
    if (!status.ok()) return status;
    return true;
  }

 private:
  // `tile(text, shape)`: the tiling by one of `shardings`, which are those of
  // the leaves. One that isn't a tuple's holds for all.
  template <typename Texts, typename Tile>
  absl::Status SetEach(const Shape& shape, const Texts& shardings, bool is_all,
                       absl::Span<Port> ports, Tile tile) const {
    std::vector<bool> leaves;
    AddLeaves(shape, &leaves);
    size_t port = 0;
    for (size_t i = 0; i < leaves.size() && port < ports.size(); ++i) {
      if (!leaves[i]) continue;
      Port& here = ports[port++];
      if (!is_all && i >= shardings.size()) break;
      const absl::Status status =
          Keep(tile(shardings[is_all ? 0 : i], here.shape), &here);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status SetByShardy(absl::string_view text, const Shape& shape,
                           absl::Span<Port> ports) const {
    return SetEach(shape, ShardyShardings(text), /*is_all=*/false, ports,
                   [this](const std::string& sharding, const Shape& of) {
                     return TilingOfShardy(sharding, meshes_, of, partitions_);
                   });
  }

  absl::Status SetBySharding(absl::string_view sharding, const Shape& shape,
                             absl::Span<Port> ports) const {
    auto elements = TupleParts(sharding);
    const bool is_all = !elements || elements->empty();
    if (is_all) elements = {sharding};
    return SetEach(shape, *elements, is_all, ports,
                   [this](absl::string_view of_leaf, const Shape& of) {
                     return TilingOfSharding(of_leaf, of, partitions_);
                   });
  }

  static absl::Status Keep(absl::StatusOr<Tiling> tiling, Port* port) {
    if (!tiling.ok()) {
      return ErrorWithCode(
          tiling.status().code(), Code::kPjrtDevices,
          absl::StrCat(port->name, ": ", tiling.status().message()));
    }
    port->tiling = *std::move(tiling);
    port->has_sharding = true;
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
    count += PortCount(shape);
  }
  for (const Instruction i : module.entry().instructions()) {
    if (i.opcode() != Opcode::kParameter) continue;
    const int64_t number = As<ParameterAttributes>(i.attributes()).number;
    if (number < 0 || static_cast<size_t>(number) >= firsts.size()) continue;
    const size_t at = static_cast<size_t>(number);
    const absl::StatusOr<bool> set = setter.Set(
        i, absl::MakeSpan(interface->inputs)
               .subspan(firsts[at], PortCount(interface->parameters[at])));
    if (!set.ok()) return set.status();
  }
  return absl::OkStatus();
}

// Whether the instruction says how a result is cut. Other shardings are those
// of values on the way there, and the partitioner may choose another for the
// result.
bool IsResultSharding(const Instruction& i) {
  return i.opcode() == Opcode::kCustomCall &&
         As<CustomCallAttributes>(i.attributes()).target ==
             "xla.sdy.FuncResultSharding";
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
    const size_t leaves = PortCount(element.shape());
    if (IsResultSharding(element)) {
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

}  // namespace indim::pjrt
