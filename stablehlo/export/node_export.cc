// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/node_export.h"

#include <iterator>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/sharding.h"
#include "indim/stablehlo/export/discardable.h"
#include "indim/stablehlo/export/loop_captures.h"
#include "indim/stablehlo/export/members.h"
#include "indim/stablehlo/text/attribute_text.h"

namespace indim::stablehlo_export {
namespace {

// The sharding of an operation's results: the parts of its tuple's that aren't
// of elements that a loop captures; of a single one that part itself.
std::string PartsOfTuple(absl::string_view wire, std::vector<bool> captures) {
  const auto parts = TupleParts(wire);
  if (parts && captures.empty()) captures.resize(parts->size());
  if (!parts || parts->size() != captures.size()) return std::string(wire);
  const std::vector<absl::string_view> kept = WithoutCaptures(*parts, captures);
  return kept.size() == 1 ? std::string(kept[0])
                          : TupleSharding(std::vector<std::string>(kept.begin(),
                                                                   kept.end()));
}

}  // namespace

NodeExport::NodeExport(MlirWriter* writer, const Instruction& instruction,
                       BlockId block, std::vector<RegionId> regions)
    : writer_(*writer),
      instruction_(instruction),
      opcode_(instruction.opcode()),
      block_(block),
      regions_(std::move(regions)) {}

const FieldList& NodeExport::fields() {
  if (!fields_.has_value()) {
    fields_.emplace(WireMessage::kHloInstructionProto);
    fields_->Append(internal::AttributeBytesOf(instruction_));
  }
  return *fields_;
}

absl::Span<const ValueId> NodeExport::Operand(int i) {
  const absl::Span<const ValueId> values =
      writer_.ValuesOf(instruction_.operand(i));
  for (const ValueId value : values) {
    if (!value.valid()) {
      Refuse("uses the context of an asynchronous operation",
             "use the values that its done gives");
      break;
    }
  }
  return values;
}

std::vector<ValueId> NodeExport::Operands(int first, int last) {
  std::vector<ValueId> values;
  const int end = last < 0 ? instruction_.operand_count() : last;
  for (int i = first; i < end; ++i) {
    const absl::Span<const ValueId> operand = Operand(i);
    values.insert(values.end(), operand.begin(), operand.end());
  }
  return values;
}

absl::Span<const TypeId> NodeExport::ResultTypes() {
  return writer_.types().Leaves(internal::RecordOf(instruction_).shape);
}

NamedAttr NodeExport::Named(absl::string_view name, AttrId value) {
  return {ir().Intern(name), value};
}

AttrId NodeExport::CalleeSymbol(int k) {
  return ir().SymbolAttr(writer_.symbols().Function(instruction_.callee(k)));
}

void NodeExport::Set(absl::string_view name, AttrId value) {
  properties_.push_back(Named(name, value));
}

void NodeExport::SetDiscardable(absl::string_view name, AttrId value) {
  discardable_.push_back(Named(name, value));
}

std::vector<NamedAttr> NodeExport::TakeProperties() {
  return std::exchange(properties_, {});
}

void NodeExport::SetMembers(absl::string_view op,
                            const Attributes& attributes) {
  const std::vector<NamedAttr> members =
      MemberProperties(op, attributes, &ir());
  properties_.insert(properties_.end(), members.begin(), members.end());
}

void NodeExport::AddSharding(const NamedAttr& note, absl::string_view op,
                             absl::Span<const TypeId> results,
                             std::vector<NamedAttr>* attrs) {
  if (ir().text(note.name) == note::kHloSharding) {
    namespace of = field::HloInstructionProto;
    attrs->push_back(
        captures_.empty() && results.size() != 1
            ? note
            : ShardingNote(
                  PartsOfTuple(fields().Text(of::kSharding), captures_),
                  &ir()));
    return;
  }
  // Shardy's attribute where it has a sharding for each result; else the
  // frontend attribute stays.
  Shardy& shardy = writer_.shardy();
  const bool is_loop = op == "stablehlo.while";
  AttrId of_results =
      shardy.ForValues(note.value, results, is_loop && captures_.empty());
  if (!of_results.valid() && !captures_.empty()) {
    of_results = shardy.Without(
        shardy.ForValues(note.value, ResultTypes(), is_loop), captures_);
  }
  if (of_results.valid()) {
    attrs->push_back(Named(note::kShardySharding, of_results));
  } else {
    AddFrontendEntry(kSdySharding, mlir::AttributeText(ir(), note.value), attrs,
                     &ir());
  }
}

void NodeExport::AddRule(const NamedAttr& note,
                         absl::Span<const ValueId> operands,
                         absl::Span<const TypeId> results,
                         std::vector<NamedAttr>* attrs) {
  if (writer_.shardy().Fits(note.value, ir().types_of(operands), results)) {
    attrs->push_back(note);
  } else {
    AddFrontendEntry(kSdyRule, mlir::AttributeText(ir(), note.value), attrs,
                     &ir());
  }
}

std::vector<ValueId> NodeExport::Emit(absl::string_view name,
                                      absl::Span<const ValueId> operands,
                                      absl::Span<const TypeId> results) {
  Ir::OpParts parts;
  parts.name = ir().Intern(name);
  parts.operands = operands;
  parts.results = results;
  parts.properties = TakeProperties();
  parts.discardable = std::exchange(discardable_, {});
  const std::vector<NamedAttr>& notes = writer_.DiscardableOf(instruction_);
  const auto is_sharding = [&](const NamedAttr& note) {
    const absl::string_view of = ir().text(note.name);
    return of == note::kShardySharding || of == note::kHloSharding ||
           of == note::kShardyRule;
  };
  absl::c_copy_if(notes, std::back_inserter(parts.discardable),
                  [&](const NamedAttr& note) { return !is_sharding(note); });
  // Then shardings and rules: one may become a frontend attribute.
  for (const NamedAttr& note : notes) {
    if (!is_sharding(note)) continue;
    // A constraint says itself what Shardy's attribute says.
    if (name == "sdy.sharding_constraint" &&
        ir().text(note.name) == note::kShardySharding) {
      continue;
    }
    if (ir().text(note.name) == note::kShardyRule) {
      AddRule(note, operands, results, &parts.discardable);
    } else {
      AddSharding(note, name, results, &parts.discardable);
    }
  }
  parts.regions = std::exchange(regions_, {});
  parts.location = writer_.locations().Of(instruction_);
  parts.offset = OffsetOf(instruction_);
  return ir().results(ir().op(ir().AddOp(block_, std::move(parts))));
}

ValueId NodeExport::EmitHelper(absl::string_view name,
                               absl::Span<const ValueId> operands,
                               TypeId result,
                               std::vector<NamedAttr> properties) {
  Ir::OpParts parts;
  parts.name = ir().Intern(name);
  parts.operands = operands;
  parts.results = absl::MakeConstSpan(&result, 1);
  parts.properties = std::move(properties);
  parts.location = writer_.locations().Of(instruction_);
  parts.offset = OffsetOf(instruction_);
  const OpId op = ir().AddOp(block_, std::move(parts));
  return ir().result(ir().op(op), 0);
}

ValueId NodeExport::Constant(AttrId dense) {
  return EmitHelper("stablehlo.constant", {}, ir().attr(dense).type,
                    {Named("value", dense)});
}

void NodeExport::EmitResult(absl::string_view name,
                            absl::Span<const ValueId> operands) {
  const std::vector<TypeId> folded = FoldedTypes();
  if (folded.empty()) return SetResult(Emit(name, operands, ResultTypes()));
  std::vector<ValueId> results = Emit(name, operands, folded);
  for (size_t i = 0; i < results.size(); ++i) {
    const TypeId recorded = ResultTypes()[i];
    if (folded[i] == recorded) continue;
    results[i] = EmitHelper("stablehlo.convert", {results[i]}, recorded);
  }
  SetResult(std::move(results));
}

std::vector<TypeId> NodeExport::FoldedTypes() {
  std::vector<TypeId> types;
  const CalleeForm form = Info(opcode_).callee_form;
  if ((form != CalleeForm::kApplied && form != CalleeForm::kSelectAndScatter) ||
      instruction_.callee_count() == 0) {
    return types;
  }
  const int fold = instruction_.callee_count() - 1;
  const Shape given = instruction_.callee(fold).root().shape();
  ForEachLeaf(instruction_.shape(), [&](const Shape& result) {
    Shape type = result;
    const Shape* value = &given;
    if (given.is_tuple()) {
      value = types.size() < given.elements().size()
                  ? &given.elements()[types.size()]
                  : nullptr;
    }
    if (value != nullptr && value->is_array() && result.is_array() &&
        SameTypeIgnoringFloatPrecision(value->element_type(),
                                       result.element_type())) {
      type.set_element_type(value->element_type());
    }
    types.push_back(writer_.types().Whole(type));
  });
  return types;
}

void NodeExport::SetResult(std::vector<ValueId> values) {
  result_ = std::move(values);
  has_result_ = true;
}

void NodeExport::Refuse(absl::string_view reason, absl::string_view fix) {
  if (refused_) return;
  refused_ = true;
  writer_.Refuse(instruction_, reason, fix);
}

}  // namespace indim::stablehlo_export
