// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/inline.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/call_checks.h"
#include "indim/builder/op_settings.h"
#include "indim/ir/constant_bytes.h"
#include "indim/ir/link.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/printable.h"

namespace indim::internal {
namespace {

// The half of an id by which a field names an instruction.
int64_t LowHalf(int64_t id) { return id & 0xffffffff; }

class Inliner {
 public:
  Inliner(Recorder* recorder, const Module& module,
          absl::Span<const Op> arguments, Caller caller)
      : recorder_(*recorder),
        module_(module),
        data_(DataOf(module)),
        arguments_(arguments),
        caller_(caller) {}

  Op Run();

 private:
  Op Reject(Code code, std::vector<DiagnosticArg> args) {
    return recorder_.Reject(Opcode::kCall, arguments_, code, std::move(args),
                            caller_);
  }
  // Whether the entry takes the arguments, by the rule of a call; else *failed
  // is set.
  bool CheckArguments(Op* failed);
  Op Copy(uint32_t i);
  // The op of instruction `i` once its opcode and attributes are found good.
  Op Record(uint32_t i, const InstructionRecord& r);
  // Its attribute bytes here, without control predecessors; nullopt: *why says
  // what can't be read.
  std::optional<AttributeBytesId> BytesOf(uint32_t i,
                                          const InstructionRecord& r,
                                          std::string* why);
  // Gives a new op what an instruction has beside its operation.
  void Describe(uint32_t i, const InstructionRecord& r, uint32_t node);
  void SetControl(const InstructionRecord& r, InstructionRecord* here);

  Recorder& recorder_;
  const Module& module_;
  const ModuleData& data_;
  const absl::Span<const Op> arguments_;
  const Caller caller_;

  std::optional<IdMap> map_;
  std::vector<Op> ops_;  // by position in the entry
  bool same_shapes_ = true;
  // The attribute bytes here of those in the module, by their ids.
  absl::flat_hash_map<uint32_t, AttributeBytesId> bytes_;
  absl::flat_hash_map<int64_t, uint32_t> by_id_;  // for control dependencies
};

Op Inliner::Run() {
  if (data_.computations.empty()) {
    return Reject(Code::kCalleeNotBuilt,
                  {CalleeRole(Opcode::kCall, 0),
                   std::string(": the module has no computation")});
  }
  Op failed;
  if (!CheckArguments(&failed)) return failed;
  map_.emplace(data_.pools, &recorder_.family()->pools());
  const ComputationRecord& entry = data_.computations[data_.entry];
  ops_.reserve(entry.count);
  for (uint32_t i = 0; i < entry.count; ++i) ops_.push_back(Copy(i));
  return ops_[entry.root];
}

bool Inliner::CheckArguments(Op* failed) {
  Nodes nodes;
  if (!recorder_.Resolve(Opcode::kCall, arguments_, caller_, &nodes, failed)) {
    return false;
  }
  const Signature signature = module_.entry().signature();
  OpInputs inputs;
  inputs.opcode = Opcode::kCall;
  absl::InlinedVector<const Shape*, 6> operands;
  for (const Op argument : arguments_) {
    operands.push_back(recorder_.ShapeOf(argument));
  }
  const Signature* const callees[] = {&signature};
  inputs.operands = operands;
  inputs.callees = callees;
  InferContext context;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    if (!signature.parameters[i].is_none()) continue;
    context.Diagnose(Code::kCalleeNotBuilt)
        .Arg(CalleeRole(Opcode::kCall, 0))
        .Arg(absl::StrCat(": its parameter ", i, " has no shape"));
    break;
  }
  if (!context.has_error()) InferShape(&context, inputs);
  if (context.has_error()) {
    *failed =
        recorder_.Reject(Opcode::kCall, arguments_,
                         std::move(*context.mutable_diagnostics()), caller_);
    return false;
  }
  for (size_t i = 0; i < arguments_.size(); ++i) {
    same_shapes_ &= SameStructure(*operands[i], signature.parameters[i]);
  }
  return true;
}

Op Inliner::Copy(uint32_t i) {
  const InstructionRecord& r = data_.Record(data_.entry, i);
  if (r.opcode == Opcode::kParameter) {
    // The signature has a shape for each number, so the number is good.
    return arguments_[static_cast<size_t>(data_.ParameterNumber(r))];
  }
  const size_t before = recorder_.open().current().instructions.size();
  const Op op = Record(i, r);
  const size_t after = recorder_.open().current().instructions.size();
  if (after > before &&
      op == recorder_.open().OpOf(static_cast<uint32_t>(after - 1))) {
    Describe(i, r, OpAccess::Node(op));
  }
  return op;
}

Op Inliner::Record(uint32_t i, const InstructionRecord& r) {
  std::vector<Op> operands;
  for (const uint32_t k : data_.Operands(r)) operands.push_back(ops_[k]);
  const auto refuse = [&](Code code, std::vector<DiagnosticArg> args) {
    return recorder_.Reject(r.opcode, operands, code, std::move(args), caller_);
  };
  if (r.opcode == Opcode::kInvalid) {
    const Instruction unknown = InstructionOf(&data_, data_.entry, i);
    return refuse(Code::kUnknownOpcode,
                  {Printable(unknown.opcode_name()), std::string()});
  }
  const absl::Status& readable =
      data_.pools->attributes_status(r.opcode, r.attribute_bytes);
  if (!readable.ok()) {
    return refuse(Code::kAttributesUnreadable,
                  {std::string(readable.message())});
  }
  std::string why;
  const std::optional<AttributeBytesId> bytes = BytesOf(i, r, &why);
  if (!bytes) return refuse(Code::kLiteralUnreadable, {why});
  std::vector<Callee> callees;
  for (const uint32_t c : data_.Callees(r)) {
    const absl::StatusOr<uint32_t> linked =
        recorder_.family()->Link(module_, c);
    callees.push_back(linked.ok()
                          ? SharedState::CalleeOf(recorder_.family(), *linked)
                          : Callee(absl::StatusOr<Module>(linked.status())));
  }
  Recorder::Request request{r.opcode, operands};
  request.attributes = &data_.pools->attributes(r.opcode, r.attribute_bytes);
  request.callees = callees;
  request.attribute_bytes = bytes;
  const Shape& recorded = data_.pools->shapes().shape(r.shape);
  if (r.shape &&
      (same_shapes_ || Info(r.opcode).result != ResultSource::kInferred)) {
    request.declared = &recorded;
  }
  return recorder_.Record(request, caller_);
}

std::optional<AttributeBytesId> Inliner::BytesOf(uint32_t i,
                                                 const InstructionRecord& r,
                                                 std::string* why) {
  const AttributeBytesView bytes =
      data_.pools->attribute_bytes(r.attribute_bytes);
  Pools& pools = recorder_.family()->pools();
  // The files with values belong to the module's pools.
  if (r.opcode == Opcode::kConstant &&
      data_.pools->external_files() != nullptr) {
    const absl::StatusOr<Literal> literal =
        InstructionOf(&data_, data_.entry, i).literal();
    if (!literal.ok()) {
      *why = std::string(literal.status().message());
      return std::nullopt;
    }
    return pools.AddAttributeBytes(ConstantBytes(*literal, bytes).view());
  }
  const auto [known, is_new] =
      bytes_.try_emplace(r.attribute_bytes.value, AttributeBytesId());
  if (!is_new) return known->second;
  OwnedAttributeBytes shorter;
  bool is_shorter = !bytes.control.empty();
  AttributeBytesView view = {bytes.before_id, "", bytes.after_callees};
  // XLA writes these also when they are empty. They say nothing then, and no
  // text has a place for them.
  for (const uint32_t field : {field::HloInstructionProto::kFrontendAttributes,
                               field::HloInstructionProto::kStatisticsViz}) {
    bool present = false;
    if (AttributeBytesField(view, static_cast<int>(field), &present).empty() &&
        present) {
      shorter = WithoutField(view, static_cast<int>(field));
      view = shorter.view();
      is_shorter = true;
    }
  }
  // Mapped bytes of long constants aren't copied.
  known->second =
      is_shorter ? pools.AddAttributeBytes(view) : map_->Map(r.attribute_bytes);
  return known->second;
}

void Inliner::Describe(uint32_t i, const InstructionRecord& r, uint32_t node) {
  const MetadataId metadata = map_->MapMetadata(data_, data_.entry, i);
  OpSettings(&recorder_)
      .SetNameOf(&recorder_.open().current(), node, data_.pools->name(r.name));
  InstructionRecord& here = recorder_.open().current().instructions[node];
  if (metadata) here.metadata = metadata;
  if (!here.shape) return;  // poisoned
  SetControl(r, &here);
  // Also where only dims are inferred the recorded shape may have a layout.
  const Shape& recorded = data_.pools->shapes().shape(r.shape);
  const Shape& inferred =
      recorder_.family()->pools().shapes().shape(here.shape);
  if (same_shapes_ && r.shape && Compatible(recorded, inferred)) {
    here.shape = InternGiven(recorded, &recorder_.family()->pools().shapes());
  }
}

void Inliner::SetControl(const InstructionRecord& r, InstructionRecord* here) {
  const AttributeBytesView bytes =
      data_.pools->attribute_bytes(r.attribute_bytes);
  if (bytes.control.empty()) return;
  const ComputationRecord& entry = data_.computations[data_.entry];
  if (by_id_.empty()) {
    for (uint32_t k = 0; k < entry.count; ++k) {
      by_id_.emplace(LowHalf(data_.InstructionId(entry.first + k)), k);
    }
  }
  const std::string control =
      MapControl(bytes.control, [&](uint64_t id) -> std::optional<uint64_t> {
        const auto found = by_id_.find(LowHalf(static_cast<int64_t>(id)));
        if (found == by_id_.end() || found->second >= ops_.size()) {
          return std::nullopt;
        }
        // An op of an enclosing computation is there before this one begins.
        const Op before = ops_[found->second];
        if (recorder_.open().StateOf(before) != OpState::kGood)
          return std::nullopt;
        return OpAccess::Node(before);
      });
  Pools& pools = recorder_.family()->pools();
  const AttributeBytesView own = pools.attribute_bytes(here->attribute_bytes);
  here->attribute_bytes =
      pools.AddAttributeBytes({own.before_id, control, own.after_callees});
}

}  // namespace

Op InlineEntry(Recorder* recorder, const Module& module,
               absl::Span<const Op> arguments, Caller caller) {
  const bool is_open = recorder->EnterComposite("Inline", caller);
  const Op result = Inliner(recorder, module, arguments, caller).Run();
  if (is_open) recorder->LeaveComposite(result);
  return result;
}

}  // namespace indim::internal
