#include "indim/passes/node_verifier.h"

#include <string>
#include <utility>

#include "indim/ir/attribute_wire.h"
#include "indim/ir/byte_hash.h"
#include "indim/ir/literal_wire.h"
#include "indim/ir/module.h"
#include "indim/ir/printable.h"
#include "indim/ir/wire.h"
#include "indim/ir/wire_table.h"
#include "indim/shape/verify_inferred.h"

namespace indim {
namespace {

Diagnostic Of(Rule rule, std::string arg) {
  Diagnostic diagnostic;
  diagnostic.rule = rule;
  diagnostic.args.push_back(std::move(arg));
  return diagnostic;
}

// Fields one after the other, each once and of its type, from which a number
// can always be read: what real files say of parameters and elements.
bool IsSurelyUnderstood(const BlobView& blob) {
  static const WireMessageInfo* const kInfo =
      &GetWireMessageInfo(WireMessage::kHloInstructionProto);
  uint32_t last = 0;
  for (absl::string_view run :
       {blob.before_id, blob.control, blob.after_callees}) {
    WireReader reader(run);
    while (!reader.done()) {
      uint32_t tag;
      if (!reader.ReadTag(&tag) || TagNumber(tag) <= last) return false;
      last = TagNumber(tag);
      const WireField* const field = kInfo->Find(last);
      if (field == nullptr || field->wire_type != TagType(tag) ||
          !reader.SkipValue(tag, kMaxWireDepth)) {
        return false;
      }
    }
  }
  return true;
}

// Of HloInstructionProto.
constexpr uint32_t kParameterNumber = 9;
constexpr uint32_t kTupleIndex = 13;

}  // namespace

NodeVerifier::NodeVerifier(const ModuleData* data, BroadcastableMode mode,
                           Report* report)
    : NodeVerifier(
          data, data->recorded ? InferPolicy::kBuilder : InferPolicy::kVerifier,
          mode, report) {}

NodeVerifier::NodeVerifier(const ModuleData* data, InferPolicy policy,
                           BroadcastableMode mode, Report* report)
    : data_(*data), report_(*report), inputs_(data), context_(policy, mode) {}

void NodeVerifier::Add(uint32_t c, uint32_t i, Diagnostic diagnostic) {
  report_.Add({std::move(diagnostic), c, i});
}

bool NodeVerifier::OperandsHaveShapes(uint32_t c,
                                      const InstructionRecord& r) const {
  for (const uint32_t operand : data_.Operands(r)) {
    if (!data_.instructions[data_.computations[c].first + operand].shape) {
      return false;
    }
  }
  return true;
}

bool NodeVerifier::CheckReadable(uint32_t c, uint32_t i,
                                 const InstructionRecord& r) {
  const Instruction instruction(&data_, c, i);
  if (r.opcode == Opcode::kInvalid) {
    Diagnostic d =
        Of(Rule::kUnknownOpcode, Printable(instruction.opcode_name()));
    const auto nearest = NearestOpcode(instruction.opcode_name());
    d.args.push_back(nearest
                         ? "; did you mean " + std::string(Name(*nearest)) + "?"
                         : std::string());
    Add(c, i, std::move(d));
    return false;
  }
  const absl::Status& attributes =
      data_.pools->attributes_status(r.opcode, r.blob);
  if (!attributes.ok()) {
    Add(c, i,
        Of(Rule::kAttributesUnreadable, std::string(attributes.message())));
    return false;
  }
  if (r.opcode == Opcode::kConstant && !HasPlainLiteral(r)) {
    const absl::StatusOr<Literal> literal = instruction.literal();
    if (absl::IsNotFound(literal.status())) return true;  // dropped by a dump
    if (!literal.ok()) {
      Add(c, i,
          Of(Rule::kLiteralUnreadable,
             std::string(literal.status().message())));
      return false;
    }
    if (r.shape && !SameStructure(literal->shape(), instruction.shape())) {
      Add(c, i, Of(Rule::kLiteralShape, literal->shape().ToString()));
    }
  }
  return true;
}

bool NodeVerifier::HasPlainLiteral(const InstructionRecord& r) const {
  const ShapeTable& shapes = data_.pools->shapes();
  return IsPlainLiteralOf(shapes.shape(r.shape), shapes.wire(r.shape),
                          BlobField(data_.pools->blob(r.blob), kLiteralField));
}

NodeCheck NodeVerifier::CheckAnew(uint32_t c, uint32_t i,
                                  const OpInputs* inputs,
                                  const Shape* inferred) {
  const InstructionRecord& r =
      data_.instructions[data_.computations[c].first + i];
  NodeCheck check;
  if (!CheckReadable(c, i, r)) {
    check.ok = false;
    return check;
  }
  if (!r.shape) {
    Diagnostic d;
    d.rule = Rule::kShapeMissing;
    Add(c, i, std::move(d));
    check.ok = false;
    return check;
  }
  // An operand without a shape was reported itself.
  if (!OperandsHaveShapes(c, r)) {
    check.ok = false;
    return check;
  }
  context_.Clear();
  check = inferred != nullptr ? VerifyInferred(&context_, *inputs, *inferred)
                              : VerifyNode(&context_, inputs_.Gather(c, r));
  for (Diagnostic& d : *context_.mutable_diagnostics()) {
    Add(c, i, std::move(d));
    check.ok = false;  // not to be remembered, warnings too
  }
  return check;
}

bool NodeVerifier::ReadNumberAlone(const BlobView& blob, uint32_t field,
                                   uint64_t* number) {
  *number = 0;
  WireReader reader(blob.before_id);
  const bool is_alone =
      blob.control.empty() &&
      (reader.done() || (reader.ConsumeTag(MakeTag(field, WireType::kVarint)) &&
                         reader.ReadVarint(number) && reader.done()));
  if (!is_alone) return false;
  if (SameBytes(blob.after_callees, understood_rest_)) return true;
  if (!IsSurelyUnderstood(blob)) return false;
  understood_rest_ = blob.after_callees;
  return true;
}

bool NodeVerifier::UnderstandsParameter(BlobId id) {
  const BlobView& blob = data_.pools->blob(id);
  uint64_t number;
  return ReadNumberAlone(blob, kParameterNumber, &number) ||
         IsSurelyUnderstood(blob) ||
         data_.pools->attributes_status(Opcode::kParameter, id).ok();
}

bool NodeVerifier::IsElement(uint32_t c, const InstructionRecord& r) {
  const ShapeTable& shapes = data_.pools->shapes();
  const uint32_t operand = data_.operands[r.first_operand];
  const Shape& tuple = shapes.shape(
      data_.instructions[data_.computations[c].first + operand].shape);
  uint64_t index;
  return ReadNumberAlone(data_.pools->blob(r.blob), kTupleIndex, &index) &&
         index < tuple.elements().size() &&
         SameStructure(tuple.elements()[index], shapes.shape(r.shape));
}

bool NodeVerifier::IsSurelyRight(uint32_t c, const InstructionRecord& r,
                                 NodeCheck* check) {
  const bool is_element = r.opcode == Opcode::kGetTupleElement;
  if (!is_element && r.opcode != Opcode::kParameter &&
      r.opcode != Opcode::kConstant) {
    return false;
  }
  if (r.operand_count != (is_element ? 1 : 0) || r.callee_count != 0) {
    return false;
  }
  // No size in bytes that is too large is ever near.
  constexpr int64_t kMostElements = int64_t{1} << 48;
  const Shape& shape = data_.pools->shapes().shape(r.shape);
  if (!shape.is_array() || !shape.is_static() ||
      shape.ElementCount().value_or(kMostElements) >= kMostElements) {
    return false;
  }
  check->kind = is_element ? CheckKind::kInferred : CheckKind::kRelated;
  if (is_element) return IsElement(c, r);
  uint64_t number;
  return r.opcode == Opcode::kConstant
             ? HasPlainLiteral(r)
             : ReadNumberAlone(data_.pools->blob(r.blob), kParameterNumber,
                               &number);
}

NodeCheck NodeVerifier::Check(uint32_t c, uint32_t i) {
  const InstructionRecord& r =
      data_.instructions[data_.computations[c].first + i];
  NodeCheck sure;
  if (IsSurelyRight(c, r, &sure)) return sure;
  NodeKey key;
  const bool memoised =
      KeyOf(c, r, data_.pools->shapes().structure(r.shape).value, &key);
  const NodeCheck* known = memoised ? memo_.Find(key) : nullptr;
  if (known != nullptr) return *known;
  const NodeCheck check = CheckAnew(c, i);
  if (memoised && check.ok) memo_.Insert(key, check);
  return check;
}

}  // namespace indim
