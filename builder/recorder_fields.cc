// The recorder's settings of single ops, beside their attributes.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/recorder.h"
#include "indim/codec/frontend_attributes.h"
#include "indim/codec/literal_proto.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"

namespace indim::internal {
namespace {

using field::HloInstructionProto::kBackendConfig;
using field::HloInstructionProto::kControlPredecessorIds;
using field::HloInstructionProto::kIsComposite;
using field::HloInstructionProto::kParameterReplication;
using field::HloInstructionProto::kResultAccuracy;
using field::ParameterReplication::kReplicatedAtLeafBuffers;
using field::ResultAccuracy::kMode;
using field::ResultAccuracy::kTolerance;
using field::ResultAccuracy_Tolerance::kAtol;
using field::ResultAccuracy_Tolerance::kRtol;
using field::ResultAccuracy_Tolerance::kUlps;

void AppendDouble(uint32_t field, double value, std::string* out) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (bits == 0) return;
  AppendTag(field, WireType::kFixed64, out);
  AppendFixed64(bits, out);
}

// Writes the mode even if it is 0: its presence matters.
std::string AccuracyBytes(const ResultAccuracy& accuracy) {
  std::string bytes;
  if (!accuracy.tolerance) {
    AppendTag(kMode, WireType::kVarint, &bytes);
    AppendVarint(accuracy.highest ? 1 : 0, &bytes);
    return bytes;
  }
  std::string tolerance;
  AppendDouble(kAtol, accuracy.tolerance->absolute, &tolerance);
  AppendDouble(kRtol, accuracy.tolerance->relative, &tolerance);
  if (accuracy.tolerance->ulps != 0) {
    AppendTag(kUlps, WireType::kVarint, &tolerance);
    AppendVarint(static_cast<uint64_t>(accuracy.tolerance->ulps), &tolerance);
  }
  AppendTag(kTolerance, WireType::kLengthDelimited, &bytes);
  AppendLengthDelimited(tolerance, &bytes);
  return bytes;
}

}  // namespace

const Attributes* Recorder::AttributesOf(Op op) const {
  if (ShapeOf(op) == nullptr) return nullptr;
  const InstructionRecord& record = FrameOf(op)->instructions[op.node_];
  return &shared_->pools().attributes(record.opcode, record.attribute_bytes);
}

absl::StatusOr<Opcode> Recorder::opcode(Op op) const {
  if (ShapeOf(op) == nullptr) return shape(op).status();
  return FrameOf(op)->instructions[op.node_].opcode;
}

absl::StatusOr<std::vector<Op>> Recorder::operands(Op op) const {
  if (ShapeOf(op) == nullptr) return shape(op).status();
  const Frame& frame = *FrameOf(op);
  const InstructionRecord& record = frame.instructions[op.node_];
  std::vector<Op> operands;
  for (uint32_t i = 0; i < record.operand_count; ++i) {
    operands.push_back(OpIn(frame, frame.operands[record.first_operand + i]));
  }
  return operands;
}

absl::StatusOr<Literal> Recorder::literal(Op op) const {
  if (ShapeOf(op) == nullptr) return shape(op).status();
  const InstructionRecord& record = FrameOf(op)->instructions[op.node_];
  if (record.opcode != Opcode::kConstant) {
    return absl::InvalidArgumentError(
        absl::StrCat("literal: ", Describe(op), " is no constant"));
  }
  const Pools& pools = shared_->pools();
  return ParseLiteralProto(
      AttributeBytesField(pools.attribute_bytes(record.attribute_bytes),
                          field::HloInstructionProto::kLiteral),
      pools.external_files());
}

const Signature* Recorder::SignatureOf(const Callee& callee) {
  if (built_) return nullptr;
  const absl::StatusOr<uint32_t> linked = shared_->Link(callee);
  return linked.ok() ? &shared_->signature(*linked) : nullptr;
}

AttributeBytesId Recorder::AddAttributeBytes(const FieldList& fields) {
  return shared_->pools().AddAttributeBytes(fields.ToAttributeBytes().view());
}

void Recorder::ChangeFields(absl::string_view what, Op op, Caller caller,
                            absl::FunctionRef<void(FieldList*)> change) {
  InstructionRecord* record = Changeable(what, op, caller);
  if (record == nullptr) return;
  FieldList fields(WireMessage::kHloInstructionProto);
  // Our own attribute bytes are canonical.
  if (!fields.Append(shared_->pools().attribute_bytes(record->attribute_bytes)))
    return;
  change(&fields);
  record->attribute_bytes = AddAttributeBytes(fields);
}

void Recorder::SetBackendConfig(Op op, absl::string_view config,
                                Caller caller) {
  ChangeFields("SetBackendConfig", op, caller, [&](FieldList* fields) {
    fields->SetText(kBackendConfig, config);
  });
}

void Recorder::SetResultAccuracy(Op op, const ResultAccuracy& accuracy,
                                 Caller caller) {
  const std::string bytes = AccuracyBytes(accuracy);
  ChangeFields("SetResultAccuracy", op, caller, [&](FieldList* fields) {
    fields->SetText(kResultAccuracy, bytes);
  });
}

void Recorder::AddControlDependency(Op from, Op to, Caller caller) {
  constexpr absl::string_view kWhat = "AddControlDependency";
  if (Changeable(kWhat, from, caller) == nullptr) return;
  if (ShapeOf(to) != nullptr && FrameOf(to) != FrameOf(from)) {
    return AddDiagnostic(kWhat, Make(Code::kControlAcross), caller);
  }
  if (ShapeOf(to) != nullptr && to.node_ <= from.node_) {
    Diagnostic diagnostic;
    diagnostic.code = Code::kControlBackwards;
    return AddDiagnostic(kWhat, std::move(diagnostic), caller);
  }
  ChangeFields(kWhat, to, caller, [&](FieldList* fields) {
    // Control predecessors are positions until the computation is finished.
    DimIndices predecessors = fields->Numbers(kControlPredecessorIds);
    const int64_t position = from.node_;
    if (std::count(predecessors.begin(), predecessors.end(), position) == 0) {
      predecessors.push_back(position);
    }
    fields->SetNumbers(kControlPredecessorIds, predecessors);
  });
}

void Recorder::SetComposite(Op call, Caller caller) {
  ChangeFields("CompositeCall", call, caller,
               [](FieldList* fields) { fields->SetNumber(kIsComposite, 1); });
}

void Recorder::SetReplication(Op parameter, const std::vector<bool>& replicated,
                              Caller caller) {
  FieldList message(WireMessage::kParameterReplication);
  message.SetNumbers(kReplicatedAtLeafBuffers,
                     DimIndices(replicated.begin(), replicated.end()));
  ChangeFields("Parameter", parameter, caller, [&](FieldList* fields) {
    fields->SetText(kParameterReplication, message.Serialize());
  });
}

InstructionRecord* Recorder::Changeable(absl::string_view what, Op op,
                                        Caller caller) {
  if (built_) {
    AddDiagnostic(what, Make(Code::kUsedAfterBuild), caller);
    return nullptr;
  }
  const OpState op_state = StateOf(op);
  if (op_state == OpState::kGood || op_state == OpState::kOuter) {
    return &FrameOf(op)->instructions[op.node_];
  }
  if (op_state != OpState::kPoisoned) {
    AddDiagnostic(what, MisuseOf(op, op_state, 0), caller);
  }
  return nullptr;
}

bool Recorder::CheckUtf8(absl::string_view what, absl::string_view role,
                         absl::string_view text, Caller caller) {
  if (IsValidUtf8(text)) return true;
  AddDiagnostic(what, Make(Code::kNotUtf8, {std::string(role)}), caller);
  return false;
}

void Recorder::set_op_name(absl::string_view op_name, Caller caller) {
  if (built_) {
    AddDiagnostic("set_op_name", Make(Code::kUsedAfterBuild), caller);
  } else if (CheckUtf8("set_op_name", "the op_name", op_name, caller)) {
    op_name_ = op_name.empty() ? NameId{} : shared_->pools().AddName(op_name);
  }
}

void Recorder::set_op_type(absl::string_view op_type, Caller caller) {
  if (built_) {
    AddDiagnostic("set_op_type", Make(Code::kUsedAfterBuild), caller);
  } else if (CheckUtf8("set_op_type", "the op_type", op_type, caller)) {
    op_type_ = op_type.empty() ? NameId{} : shared_->pools().AddName(op_type);
  }
}

void Recorder::EnterOpName(absl::string_view scope, Caller caller) {
  if (built_) {
    return AddDiagnostic("ScopedOpName", Make(Code::kUsedAfterBuild), caller);
  }
  if (!CheckUtf8("ScopedOpName", "the name", scope, caller)) return;
  Pools& pools = shared_->pools();
  const absl::string_view outer = pools.name(op_name_);
  op_name_ = pools.AddName(outer.empty() ? std::string(scope)
                                         : absl::StrCat(outer, "/", scope));
}

void Recorder::SetName(Op op, absl::string_view name, Caller caller) {
  InstructionRecord* record = Changeable("SetName", op, caller);
  if (record == nullptr || !CheckUtf8("SetName", "the name", name, caller)) {
    return;
  }
  SetNameOf(FrameOf(op), op.node_, name);
}

void Recorder::SetNameOf(Frame* frame, uint32_t node, absl::string_view name) {
  NameId& known = frame->instructions[node].name;
  if (!known && !name.empty()) frame->named.push_back(node);
  known = name.empty() ? NameId{} : shared_->pools().AddName(name);
}

void Recorder::SetFrontendAttribute(Op op, absl::string_view key,
                                    absl::string_view value, Caller caller) {
  constexpr absl::string_view kWhat = "SetFrontendAttribute";
  InstructionRecord* record = Changeable(kWhat, op, caller);
  if (record == nullptr || !CheckUtf8(kWhat, "the key", key, caller) ||
      !CheckUtf8(kWhat, "the value", value, caller)) {
    return;
  }
  Pools& pools = shared_->pools();
  const AttributeBytesView attribute_bytes =
      pools.attribute_bytes(record->attribute_bytes);
  const std::string attributes = WithFrontendAttribute(
      AttributeBytesField(attribute_bytes,
                          field::HloInstructionProto::kFrontendAttributes),
      key, value);
  record->attribute_bytes = pools.AddAttributeBytes(
      WithField(attribute_bytes,
                field::HloInstructionProto::kFrontendAttributes, attributes)
          .view());
}

}  // namespace indim::internal
