// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/op_settings.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/canonical.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/sharding/sharding_faults.h"

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
    wire_fields::AppendNumber(kMode, accuracy.highest ? 1 : 0, &bytes);
    return bytes;
  }
  std::string tolerance;
  AppendDouble(kAtol, accuracy.tolerance->absolute, &tolerance);
  AppendDouble(kRtol, accuracy.tolerance->relative, &tolerance);
  wire_fields::AppendInt(kUlps, accuracy.tolerance->ulps, &tolerance);
  wire_fields::AppendBytes(kTolerance, tolerance, &bytes);
  return bytes;
}

// The depth of an instruction's sharding in its file.
constexpr int kShardingDepth = 3;

}  // namespace

void OpSettings::SetOpName(absl::string_view op_name, Caller caller) {
  if (CanName("set_op_name", "the op_name", op_name, caller)) {
    recorder_.settings().set_op_name(NameOf(op_name));
  }
}

void OpSettings::SetOpType(absl::string_view op_type, Caller caller) {
  if (CanName("set_op_type", "the op_type", op_type, caller)) {
    recorder_.settings().set_op_type(NameOf(op_type));
  }
}

void OpSettings::EnterOpName(absl::string_view scope, Caller caller) {
  if (!CanName("ScopedOpName", "the name", scope, caller)) return;
  Settings& settings = recorder_.settings();
  Pools& pools = recorder_.family()->pools();
  const absl::string_view outer = pools.name(settings.op_name());
  settings.set_op_name(pools.AddName(
      outer.empty() ? std::string(scope) : absl::StrCat(outer, "/", scope)));
}

bool OpSettings::CanName(absl::string_view what, absl::string_view role,
                         absl::string_view name, Caller caller) {
  if (!recorder_.built()) return CheckUtf8(what, role, name, caller);
  recorder_.AddDiagnostic(what, MakeDiagnostic(Code::kUsedAfterBuild), caller);
  return false;
}

NameId OpSettings::NameOf(absl::string_view name) {
  return name.empty() ? NameId{} : recorder_.family()->pools().AddName(name);
}

void OpSettings::SetSharding(std::optional<std::string> sharding,
                             Caller caller) {
  if (sharding) {
    absl::StatusOr<std::string> canonical =
        Canonicalize(WireMessage::kOpSharding, *sharding, kShardingDepth);
    if (!canonical.ok()) {
      Diagnostic diagnostic;
      diagnostic.code = Code::kAttributeBytes;
      diagnostic.args = {absl::StrCat(
          "a sharding is the bytes of an OpSharding, which "
          "ReplicateSharding(), "
          "TileSharding({2, 4}) and others of builder/sharding.h make; in \"",
          absl::CHexEscape(absl::string_view(*sharding).substr(0, 40)), "\" ",
          canonical.status().message())};
      return recorder_.AddDiagnostic("set_sharding", std::move(diagnostic),
                                     caller);
    }
    sharding = *std::move(canonical);
    std::vector<Diagnostic> errors =
        ShardingErrors(*sharding, Shape(), /*devices=*/0);
    for (Diagnostic& error : errors) {
      recorder_.AddDiagnostic("set_sharding", std::move(error), caller);
    }
    if (!errors.empty()) return;
  }
  recorder_.settings().set_sharding(std::move(sharding));
}

void OpSettings::ChangeFields(absl::string_view what, Op op, Caller caller,
                              absl::FunctionRef<void(FieldList*)> change) {
  InstructionRecord* record = Changeable(what, op, caller);
  if (record == nullptr) return;
  FieldList fields(WireMessage::kHloInstructionProto);
  // Our own attribute bytes are canonical.
  if (!fields.Append(
          recorder_.family()->pools().attribute_bytes(record->attribute_bytes)))
    return;
  change(&fields);
  record->attribute_bytes = recorder_.family()->AddAttributeBytes(fields);
}

void OpSettings::SetBackendConfig(Op op, absl::string_view config,
                                  Caller caller) {
  ChangeFields("SetBackendConfig", op, caller, [&](FieldList* fields) {
    fields->SetText(kBackendConfig, config);
  });
}

void OpSettings::SetResultAccuracy(Op op, const ResultAccuracy& accuracy,
                                   Caller caller) {
  const std::string bytes = AccuracyBytes(accuracy);
  ChangeFields("SetResultAccuracy", op, caller, [&](FieldList* fields) {
    fields->SetText(kResultAccuracy, bytes);
  });
}

void OpSettings::AddControlDependency(Op from, Op to, Caller caller) {
  constexpr absl::string_view kWhat = "AddControlDependency";
  if (Changeable(kWhat, from, caller) == nullptr) return;
  if (recorder_.ShapeOf(to) != nullptr &&
      recorder_.open().FrameOf(to) != recorder_.open().FrameOf(from)) {
    return recorder_.AddDiagnostic(kWhat, MakeDiagnostic(Code::kControlAcross),
                                   caller);
  }
  if (recorder_.ShapeOf(to) != nullptr &&
      OpAccess::Node(to) <= OpAccess::Node(from)) {
    Diagnostic diagnostic;
    diagnostic.code = Code::kControlBackwards;
    return recorder_.AddDiagnostic(kWhat, std::move(diagnostic), caller);
  }
  ChangeFields(kWhat, to, caller, [&](FieldList* fields) {
    // Control predecessors are positions until the computation is finished.
    DimIndices predecessors = fields->Numbers(kControlPredecessorIds);
    const int64_t position = OpAccess::Node(from);
    if (std::count(predecessors.begin(), predecessors.end(), position) == 0) {
      predecessors.push_back(position);
    }
    fields->SetNumbers(kControlPredecessorIds, predecessors);
  });
}

void OpSettings::SetComposite(Op call, Caller caller) {
  ChangeFields("CompositeCall", call, caller,
               [](FieldList* fields) { fields->SetNumber(kIsComposite, 1); });
}

void OpSettings::SetReplication(Op parameter,
                                const std::vector<bool>& replicated,
                                Caller caller) {
  FieldList message(WireMessage::kParameterReplication);
  message.SetNumbers(kReplicatedAtLeafBuffers,
                     DimIndices(replicated.begin(), replicated.end()));
  ChangeFields("Parameter", parameter, caller, [&](FieldList* fields) {
    fields->SetText(kParameterReplication, message.Serialize());
  });
}

InstructionRecord* OpSettings::Changeable(absl::string_view what, Op op,
                                          Caller caller) {
  if (recorder_.built()) {
    recorder_.AddDiagnostic(what, MakeDiagnostic(Code::kUsedAfterBuild),
                            caller);
    return nullptr;
  }
  const OpState op_state = recorder_.open().StateOf(op);
  if (op_state == OpState::kGood || op_state == OpState::kOuter) {
    return &recorder_.open().FrameOf(op)->instructions[OpAccess::Node(op)];
  }
  if (op_state != OpState::kPoisoned) {
    recorder_.AddDiagnostic(what, MisuseOf(recorder_, op, 0), caller);
  }
  return nullptr;
}

bool OpSettings::CheckUtf8(absl::string_view what, absl::string_view role,
                           absl::string_view text, Caller caller) {
  if (IsValidUtf8(text)) return true;
  recorder_.AddDiagnostic(
      what, MakeDiagnostic(Code::kNotUtf8, {std::string(role)}), caller);
  return false;
}

void OpSettings::SetName(Op op, absl::string_view name, Caller caller) {
  InstructionRecord* record = Changeable("SetName", op, caller);
  if (record == nullptr || !CheckUtf8("SetName", "the name", name, caller)) {
    return;
  }
  SetNameOf(recorder_.open().FrameOf(op), OpAccess::Node(op), name);
}

void OpSettings::SetNameOf(Frame* frame, uint32_t node,
                           absl::string_view name) {
  NameId& known = frame->instructions[node].name;
  if (!known && !name.empty()) frame->named.push_back(node);
  known = NameOf(name);
}

void OpSettings::SetFrontendAttribute(Op op, absl::string_view key,
                                      absl::string_view value, Caller caller) {
  constexpr absl::string_view kWhat = "SetFrontendAttribute";
  InstructionRecord* record = Changeable(kWhat, op, caller);
  if (record == nullptr || !CheckUtf8(kWhat, "the key", key, caller) ||
      !CheckUtf8(kWhat, "the value", value, caller)) {
    return;
  }
  Pools& pools = recorder_.family()->pools();
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
