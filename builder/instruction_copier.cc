// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/instruction_copier.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/builder/op_settings.h"
#include "indim/ir/constant_bytes.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/empty_fields.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/printable.h"

namespace indim::internal {

InstructionCopier::InstructionCopier(Module module,
                                     std::shared_ptr<SharedState> family)
    : module_(std::move(module)),
      family_(std::move(family)),
      map_(DataOf(module_).pools, &family_->pools()) {}

Op InstructionCopier::Copy(Recorder* recorder, const Instruction& node,
                           absl::Span<const Op> operands, const Shape* declared,
                           Caller caller) {
  const auto refuse = [&](Code code, std::vector<DiagnosticArg> args) {
    return recorder->Reject(node.opcode(), operands, code, std::move(args),
                            caller);
  };
  if (node.opcode() == Opcode::kInvalid) {
    return refuse(Code::kUnknownOpcode,
                  {Printable(node.opcode_name()), std::string()});
  }
  const ModuleData& data = DataOf(module_);
  const AttributeBytesId own = RecordOf(node).attribute_bytes;
  const absl::Status& readable =
      data.pools->attributes_status(node.opcode(), own);
  if (!readable.ok()) {
    return refuse(Code::kAttributesUnreadable,
                  {std::string(readable.message())});
  }
  std::string why;
  const std::optional<AttributeBytesId> bytes = BytesOf(node, &why);
  if (!bytes) return refuse(Code::kLiteralUnreadable, {why});
  const std::vector<Callee> callees = CalleesOf(node);
  Recorder::Request request{node.opcode(), operands};
  request.attributes = &data.pools->attributes(node.opcode(), own);
  request.callees = callees;
  request.attribute_bytes = bytes;
  request.declared = declared;
  const size_t before = recorder->open().current().instructions.size();
  const Op op = recorder->Record(request, caller);
  if (AddMetadata(recorder, before, op, node)) {
    OpSettings(recorder).SetNameOf(&recorder->open().current(),
                                   OpAccess::Node(op),
                                   data.pools->name(RecordOf(node).name));
  }
  return op;
}

Op InstructionCopier::CopyVerified(Recorder* recorder, const Instruction& node,
                                   absl::Span<const Op> operands,
                                   Caller caller) {
  std::string why;
  const std::optional<AttributeBytesId> bytes = BytesOf(node, &why);
  if (!bytes) {
    return recorder->Reject(node.opcode(), operands, Code::kLiteralUnreadable,
                            {why}, caller);
  }
  const std::vector<Callee> callees = CalleesOf(node);
  Recorder::Request request{node.opcode(), operands};
  request.callees = callees;
  request.attribute_bytes = bytes;
  request.result = ShapeWithoutLayout(node);
  const size_t before = recorder->open().current().instructions.size();
  const Op op = recorder->Record(request, caller);
  AddMetadata(recorder, before, op, node);
  return op;
}

ShapeId InstructionCopier::ShapeWithoutLayout(const Instruction& node) {
  ShapeTable& shapes = family_->pools().shapes();
  // Constrained calls have the layouts of scalars too.
  if (node.opcode() == Opcode::kCustomCall) return shapes.Intern(node.shape());
  const auto [known, is_new] =
      shapes_.try_emplace(RecordOf(node).shape.value, ShapeId());
  if (is_new) known->second = shapes.Intern(node.shape().WithoutLayout());
  return known->second;
}

bool InstructionCopier::AddMetadata(Recorder* recorder, size_t before, Op op,
                                    const Instruction& node) {
  Frame& frame = recorder->open().current();
  const size_t after = frame.instructions.size();
  // A new op, and not a poisoned operand.
  if (after == before ||
      op != recorder->open().OpOf(static_cast<uint32_t>(after - 1))) {
    return false;
  }
  const MetadataId metadata = MetadataOf(node);
  if (metadata) frame.instructions[OpAccess::Node(op)].metadata = metadata;
  return true;
}

void InstructionCopier::Describe(Recorder* recorder, Op op,
                                 const Instruction& node) {
  if (recorder->open().StateOf(op) != OpState::kGood) return;
  std::string why;
  const std::optional<AttributeBytesId> bytes = BytesOf(node, &why);
  InstructionRecord& record =
      recorder->open().current().instructions[OpAccess::Node(op)];
  if (bytes) record.attribute_bytes = *bytes;
  record.metadata = MetadataOf(node);
}

Callee InstructionCopier::CalleeOf(const Computation& computation) {
  const absl::StatusOr<uint32_t> linked =
      family_->Link(module_, static_cast<uint32_t>(computation.index()));
  return linked.ok() ? SharedState::CalleeOf(family_, *linked)
                     : Callee(absl::StatusOr<Module>(linked.status()));
}

std::vector<Callee> InstructionCopier::CalleesOf(const Instruction& node) {
  std::vector<Callee> callees;
  for (int i = 0; i < node.callee_count(); ++i) {
    callees.push_back(CalleeOf(node.callee(i)));
  }
  return callees;
}

MetadataId InstructionCopier::MetadataOf(const Instruction& node) {
  return map_.MapMetadata(DataOf(module_),
                          static_cast<uint32_t>(node.computation().index()),
                          static_cast<uint32_t>(node.index()));
}

MetadataId InstructionCopier::Derived(MetadataId metadata,
                                      absl::string_view suffix) {
  if (!metadata) return metadata;
  const auto [known, is_new] =
      derived_.try_emplace(metadata.value, MetadataId());
  if (!is_new) return known->second;
  Pools& pools = family_->pools();
  FieldList fields(WireMessage::kOpMetadata, pools.metadata(metadata));
  const absl::string_view op_name = fields.Text(field::OpMetadata::kOpName);
  known->second = metadata;
  if (!op_name.empty()) {
    fields.SetText(field::OpMetadata::kOpName, absl::StrCat(op_name, suffix));
    known->second = pools.AddMetadata(fields.Serialize());
  }
  return known->second;
}

std::optional<AttributeBytesId> InstructionCopier::BytesOf(
    const Instruction& node, std::string* why) {
  const Pools& from = *DataOf(module_).pools;
  const AttributeBytesId own = RecordOf(node).attribute_bytes;
  const AttributeBytesView bytes = from.attribute_bytes(own);
  Pools& pools = family_->pools();
  // The files with values belong to the module's pools.
  if (node.opcode() == Opcode::kConstant && from.external_files() != nullptr) {
    const absl::StatusOr<Literal> literal = node.literal();
    if (!literal.ok()) {
      *why = std::string(literal.status().message());
      return std::nullopt;
    }
    return pools.AddAttributeBytes(ConstantBytes(*literal, bytes).view());
  }
  const auto [known, is_new] = bytes_.try_emplace(own.value);
  if (!is_new) return known->second;
  OwnedAttributeBytes shorter;
  bool is_shorter = !bytes.control.empty();
  AttributeBytesView view = {bytes.before_id, "", bytes.after_callees};
  for (const uint32_t field : kNothingWhenEmpty) {
    bool present = false;
    if (AttributeBytesField(view, static_cast<int>(field), &present).empty() &&
        present) {
      shorter = WithoutField(view, static_cast<int>(field));
      view = shorter.view();
      is_shorter = true;
    }
  }
  // Mapped bytes of long constants aren't copied.
  known->second = is_shorter ? pools.AddAttributeBytes(view) : map_.Map(own);
  return known->second;
}

MetadataId MetadataOf(const ComputationBuilder& builder, Op op) {
  const OpenComputations& open = RecorderOf(builder)->open();
  return open.StateOf(op) == OpState::kGood
             ? open.current().instructions[OpAccess::Node(op)].metadata
             : MetadataId();
}

}  // namespace indim::internal
