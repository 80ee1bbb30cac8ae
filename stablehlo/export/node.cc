#include "indim/stablehlo/export/node.h"

#include <utility>

#include "indim/ir/module_access.h"
#include "indim/stablehlo/export/members.h"

namespace indim {
namespace stablehlo_export {

Node::Node(GraphWriter* writer, const Instruction& instruction,
           mlir::BlockId block, std::vector<mlir::RegionId> regions)
    : writer_(*writer),
      instruction_(instruction),
      opcode_(instruction.opcode()),
      block_(block),
      regions_(std::move(regions)) {}

const FieldList& Node::fields() {
  if (!fields_.has_value()) {
    fields_.emplace(WireMessage::kHloInstructionProto);
    fields_->Append(internal::AttributeBytesOf(instruction_));
  }
  return *fields_;
}

absl::Span<const mlir::ValueId> Node::Operand(int i) {
  const absl::Span<const mlir::ValueId> values =
      writer_.ValuesOf(instruction_.operand(i));
  for (const mlir::ValueId value : values) {
    if (!value.valid()) {
      Refuse("uses the context of an asynchronous operation",
             "use the values that its done gives");
      break;
    }
  }
  return values;
}

std::vector<mlir::ValueId> Node::Operands(int first, int last) {
  std::vector<mlir::ValueId> values;
  const int end = last < 0 ? instruction_.operand_count() : last;
  for (int i = first; i < end; ++i) {
    const absl::Span<const mlir::ValueId> operand = Operand(i);
    values.insert(values.end(), operand.begin(), operand.end());
  }
  return values;
}

absl::Span<const mlir::TypeId> Node::ResultTypes() {
  return writer_.types().Leaves(internal::RecordOf(instruction_).shape);
}

mlir::NamedAttr Node::Named(absl::string_view name, mlir::AttrId value) {
  return {ir().Intern(name), value};
}

void Node::Set(absl::string_view name, mlir::AttrId value) {
  properties_.push_back(Named(name, value));
}

void Node::SetDiscardable(absl::string_view name, mlir::AttrId value) {
  discardable_.push_back(Named(name, value));
}

std::vector<mlir::NamedAttr> Node::TakeProperties() {
  return std::exchange(properties_, {});
}

void Node::SetMembers(absl::string_view op) {
  std::vector<mlir::NamedAttr> members =
      MemberProperties(op, instruction_.attributes(), &ir());
  properties_.insert(properties_.end(), members.begin(), members.end());
}

mlir::OpId Node::Emit(absl::string_view name,
                      absl::Span<const mlir::ValueId> operands,
                      absl::Span<const mlir::TypeId> results) {
  mlir::Ir::OpParts parts;
  parts.name = ir().Intern(name);
  parts.operands = operands;
  parts.results = results;
  parts.properties = TakeProperties();
  parts.discardable = std::exchange(discardable_, {});
  for (const mlir::NamedAttr& note : writer_.DiscardableOf(instruction_)) {
    // This operation says it itself.
    if (name == "sdy.sharding_constraint" &&
        ir().text(note.name) == "sdy.sharding") {
      continue;
    }
    parts.discardable.push_back(note);
  }
  parts.regions = std::exchange(regions_, {});
  parts.location = writer_.locations().Of(instruction_);
  return ir().AddOp(block_, std::move(parts));
}

mlir::ValueId Node::EmitHelper(absl::string_view name,
                               absl::Span<const mlir::ValueId> operands,
                               mlir::TypeId result,
                               std::vector<mlir::NamedAttr> properties) {
  mlir::Ir::OpParts parts;
  parts.name = ir().Intern(name);
  parts.operands = operands;
  parts.results = absl::MakeConstSpan(&result, 1);
  parts.properties = std::move(properties);
  parts.location = writer_.locations().Of(instruction_);
  const mlir::OpId op = ir().AddOp(block_, std::move(parts));
  return ir().result(ir().op(op), 0);
}

mlir::ValueId Node::Constant(mlir::AttrId dense) {
  return EmitHelper("stablehlo.constant", {}, ir().attr(dense).type,
                    {Named("value", dense)});
}

void Node::SetResult(std::vector<mlir::ValueId> values) {
  result_ = std::move(values);
  has_result_ = true;
}

void Node::SetResultOf(mlir::OpId op) {
  std::vector<mlir::ValueId> values;
  const mlir::Op& o = ir().op(op);
  values.reserve(o.result_count);
  for (uint32_t i = 0; i < o.result_count; ++i) {
    values.push_back(ir().result(o, i));
  }
  SetResult(std::move(values));
}

void Node::Refuse(absl::string_view reason, absl::string_view fix) {
  if (refused_) return;
  refused_ = true;
  writer_.Refuse(instruction_, reason, fix);
}

}  // namespace stablehlo_export
}  // namespace indim
