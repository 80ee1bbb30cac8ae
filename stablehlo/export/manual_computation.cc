// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/manual_computation.h"

#include <string>
#include <utility>

#include "indim/ir/module_access.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::stablehlo_export {
namespace {

namespace of = field::HloInstructionProto;

using Notes = std::vector<std::pair<std::string, std::string>>;

// Its frontend attributes, sorted; nullopt: it has a sharding.
std::optional<Notes> NotesOf(const Instruction& instruction) {
  const FieldList fields = internal::FieldsOf(instruction);
  if (fields.has(of::kSharding)) return std::nullopt;
  return FrontendAttributesWithPrefix(fields.Text(of::kFrontendAttributes), "");
}

// The values of `axes` and `shardings`, if a custom call of this target has
// these frontend attributes and no others of Shardy's.
struct ManualBorder {
  std::string axes, shardings;
};

std::optional<ManualBorder> BorderOf(const Instruction& call,
                                     absl::string_view target,
                                     absl::string_view shardings) {
  if (call.opcode() != Opcode::kCustomCall ||
      As<CustomCallAttributes>(call.attributes()).target != target) {
    return std::nullopt;
  }
  const FieldList fields = internal::FieldsOf(call);
  const Notes notes = FrontendAttributesWithPrefix(
      fields.Text(of::kFrontendAttributes), kSdyPrefix);
  if (notes.size() != 2) return std::nullopt;
  ManualBorder border;
  for (const auto& [key, value] : notes) {
    if (key == kSdyManualAxes) border.axes = value;
    if (key == shardings) border.shardings = value;
  }
  if (border.axes.empty() || border.shardings.empty()) return std::nullopt;
  return border;
}

// Whether it has a sharding, or frontend attributes that aren't Shardy's. The
// end's become the operation's, which has no place for those of the begin.
bool NotesMore(const Instruction& begin) {
  const std::optional<Notes> notes = NotesOf(begin);
  return !notes.has_value() || notes->size() != 2;
}

bool AreArrays(const Shape& shape, int count) {
  if (count == 1) return shape.is_array();
  if (!shape.is_tuple() || shape.tuple_size() != count) return false;
  for (const Shape& element : shape.elements()) {
    if (!element.is_array()) return false;
  }
  return true;
}

// The instruction whose value the operands of `user` are, in order: the only
// operand, or one whose elements they are. Nullopt: they are something else, or
// have users beside. Adds the elements and the instruction to *parts. What
// elements note isn't asked: StableHLO has none (lost.def).
std::optional<Instruction> SourceOf(const Instruction& user,
                                    const std::vector<uint32_t>& uses,
                                    std::vector<uint32_t>* parts) {
  const int count = user.operand_count();
  const auto used = [&uses](const Instruction& i) {
    return uses[static_cast<size_t>(i.index())];
  };
  if (count == 0) return std::nullopt;
  const Instruction first = user.operand(0);
  const Instruction source = count == 1 ? first : first.operand(0);
  if (count == 1) {
    if (used(source) != 1) return std::nullopt;
    parts->push_back(source.position());
    return source;
  }
  for (int i = 0; i < count; ++i) {
    const Instruction element = user.operand(i);
    if (element.opcode() != Opcode::kGetTupleElement || used(element) != 1 ||
        !(element.operand(0) == source) ||
        As<GetTupleElementAttributes>(element.attributes()).index != i) {
      return std::nullopt;
    }
    parts->push_back(element.position());
  }
  if (used(source) != static_cast<uint32_t>(count)) return std::nullopt;
  parts->push_back(source.position());
  return source;
}

bool IsCallOfBody(const Instruction& call) {
  if (call.opcode() != Opcode::kCall || call.callee_count() != 1) return false;
  const std::optional<Notes> notes = NotesOf(call);
  return notes.has_value() &&
         (notes->empty() || *notes == Notes{{"inlineable", "false"}});
}

}  // namespace

std::optional<ManualComputation> ManualComputations::Read(
    const Instruction& end, const std::vector<uint32_t>& uses,
    std::vector<uint32_t>* parts) {
  const std::optional<ManualBorder> out =
      BorderOf(end, "xla.sdy.LocalToGlobalShape", kSdyOutShardings);
  if (!out.has_value() || !AreArrays(end.shape(), end.operand_count())) {
    return std::nullopt;
  }
  const std::optional<Instruction> call = SourceOf(end, uses, parts);
  if (!call.has_value() || !IsCallOfBody(*call) ||
      !AreArrays(call->shape(), end.operand_count())) {
    return std::nullopt;
  }
  ManualComputation manual;
  manual.body = call->callee(0);
  std::string in_shardings = "#sdy.sharding_per_value<[]>";
  const int count = call->operand_count();
  if (count > 0) {
    const std::optional<Instruction> begin = SourceOf(*call, uses, parts);
    if (!begin.has_value() || begin->operand_count() != count ||
        !AreArrays(begin->shape(), count)) {
      return std::nullopt;
    }
    const std::optional<ManualBorder> in =
        BorderOf(*begin, "xla.sdy.GlobalToLocalShape", kSdyInShardings);
    if (!in.has_value() || in->axes != out->axes || NotesMore(*begin)) {
      return std::nullopt;
    }
    in_shardings = in->shardings;
    for (const Instruction operand : begin->operands()) {
      if (!operand.shape().is_array()) return std::nullopt;
      manual.operands.push_back(operand);
    }
  }
  manual.in_shardings = shardy_.PerValues(in_shardings, count);
  manual.out_shardings = shardy_.PerValues(out->shardings, end.operand_count());
  manual.manual_axes = shardy_.ManualAxes(out->axes);
  if (!manual.in_shardings.valid() || !manual.out_shardings.valid() ||
      !manual.manual_axes.valid()) {
    return std::nullopt;
  }
  return manual;
}

void ManualComputations::Search(const Computation& computation) {
  if (!shardy_.has_meshes() || !searched_.insert(computation.index()).second) {
    return;
  }
  std::vector<uint32_t> uses(
      static_cast<size_t>(computation.instruction_count()), 0);
  for (const Instruction i : computation.instructions()) {
    for (const Instruction operand : i.operands()) {
      ++uses[static_cast<size_t>(operand.index())];
    }
  }
  ++uses[static_cast<size_t>(computation.root().index())];
  for (const Instruction i : computation.instructions()) {
    std::vector<uint32_t> parts;
    std::optional<ManualComputation> manual = Read(i, uses, &parts);
    if (!manual.has_value()) continue;
    by_end_.emplace(i.position(), *std::move(manual));
    parts_.insert(parts.begin(), parts.end());
  }
}

const ManualComputation* ManualComputations::EndingAt(
    const Instruction& instruction) {
  Search(instruction.computation());
  const auto found = by_end_.find(instruction.position());
  return found == by_end_.end() ? nullptr : &found->second;
}

bool ManualComputations::IsPart(const Instruction& instruction) {
  Search(instruction.computation());
  return parts_.contains(instruction.position());
}

}  // namespace indim::stablehlo_export
