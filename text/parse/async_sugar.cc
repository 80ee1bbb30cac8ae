// Asynchronous ops. `negate-start(p)`, `negate-update(s)`, `negate-done(u)` are
// short for an async-start, async-update, async-done that call a computation of
// parameters and a negate; the start has the attributes of the negate.
// Attributes that any instruction may have (sharding, metadata ...) belong to
// the async op; most are repeated inside.

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/text/parse/hlo_op_rules.h"
#include "indim/text/parse/hlo_parser.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

using field::HloInstructionProto::kAsyncExecutionThread;
using field::HloInstructionProto::kBackendConfig;
using field::HloInstructionProto::kFrontendAttributes;
using field::HloInstructionProto::kOriginalValue;
using field::HloInstructionProto::kOutputOperandAliasing;
using field::HloInstructionProto::kParameterNumber;
using field::HloInstructionProto::kSharding;
using field::HloInstructionProto::kStatisticsViz;

// Attributes that an async op and the op inside it both have.
constexpr uint32_t kShared[] = {kBackendConfig, kFrontendAttributes,
                                kStatisticsViz, kOriginalValue};

// Ops with native pairs: for example all-gather, because all-gather-done
// exists.
bool HasNativePair(Opcode opcode) {
  return OpcodeFromName(absl::StrCat(Name(opcode), "-done")).has_value();
}

void MoveField(uint32_t number, FieldList* from, FieldList* to) {
  if (!from->has(number)) return;
  to->SetText(number, from->Text(number));
  from->Remove(number);
}

}  // namespace

// Splits "negate-start"; false: the opcode isn't such a word.
bool HloParser::ReadAsyncSugar(Node* node) {
  static constexpr std::pair<absl::string_view, Opcode> kSuffixes[] = {
      {"-start", Opcode::kAsyncStart},
      {"-update", Opcode::kAsyncUpdate},
      {"-done", Opcode::kAsyncDone}};
  for (const auto& [suffix, opcode] : kSuffixes) {
    absl::string_view wrapped = node->opcode_text;
    if (!absl::ConsumeSuffix(&wrapped, suffix)) continue;
    const std::optional<Opcode> known = OpcodeFromName(wrapped);
    if (!known.has_value() || HasNativePair(*known)) return false;
    node->opcode = opcode;
    node->wrapped = *known;
    return true;
  }
  return false;
}

const InstructionRecord* HloParser::ChainStart(uint32_t position) {
  const Frame& f = *frame();
  while (true) {
    const InstructionRecord& record = f.instructions[position];
    if (record.opcode == Opcode::kAsyncStart) return &record;
    if (record.opcode != Opcode::kAsyncUpdate || record.operand_count == 0) {
      return nullptr;
    }
    position = data_->operands[record.first_operand];
  }
}

// Checks and completes an async op; does nothing to others.
bool HloParser::FinishAsync(Node* node) {
  if (!IsAsync(node->opcode)) return true;
  const auto fail = [&](absl::string_view why) {
    return lexer_.ErrorAt(node->opcode_offset, node->opcode_text.size(),
                          std::string(why));
  };
  const Shape& shape = pools_->shapes().shape(node->shape);
  // The op inside gets its operands and result from here.
  if (node->opcode == Opcode::kAsyncStart &&
      node->wrapped != Opcode::kInvalid &&
      (!shape.is_tuple() || shape.tuple_size() < 2 ||
       !shape.elements()[0].is_tuple())) {
    return fail(absl::StrCat(node->opcode_text,
                             "'s result is ((operands ...), result, ...), not ",
                             shape.ToString()));
  }
  if (node->opcode == Opcode::kAsyncStart) {
    if (node->wrapped != Opcode::kInvalid) return WrapAsync(node);
    const std::string thread =
        node->attributes.async_thread.value_or(std::string(kMainThread));
    if (thread != kMainThread) {
      node->attributes.fields.SetText(kAsyncExecutionThread, thread);
    }
    if (recorded_) return true;  // its callee has its own attributes
    async_starts_.emplace_back(node->callees[0], thread);
    ShareWithRoot(node->attributes, node->callees[0]);
    return true;
  }
  return FollowAsync(node);
}

// The op inside gets a copy of the chain's last attributes, as in XLA.
void HloParser::ShareWithRoot(const AttributesRead& attributes,
                              uint32_t computation) {
  const ComputationRecord& record = data_->computations[computation];
  if (record.root >= record.count) return;  // it is broken
  InstructionRecord& root = data_->instructions[record.first + record.root];
  if (attributes.metadata.has_value()) {
    root.metadata = pools_->AddMetadata(*attributes.metadata);
  }
  for (uint32_t number : kShared) {
    if (!attributes.fields.has(number)) continue;
    const OwnedAttributeBytes attribute_bytes =
        WithField(pools_->attribute_bytes(root.attribute_bytes),
                  static_cast<int>(number), attributes.fields.Text(number));
    root.attribute_bytes = pools_->AddAttributeBytes(attribute_bytes.view());
  }
}

// async-update and async-done get the attributes of their start.
bool HloParser::FollowAsync(Node* node) {
  if (recorded_) {  // they have their own
    if (node->attributes.async_thread.has_value()) {
      node->attributes.fields.SetText(kAsyncExecutionThread,
                                      *node->attributes.async_thread);
    }
    return true;
  }
  const auto fail = [&](std::string why) {
    return lexer_.ErrorAt(node->opcode_offset, node->opcode_text.size(),
                          std::move(why));
  };
  if (operands_.size() == node->first_operand) {
    return fail(
        absl::StrCat(node->opcode_text,
                     " takes 1 operand, the operation that it continues"));
  }
  const uint32_t before = operands_[node->first_operand];
  if (frame()->instructions[before].opcode == Opcode::kAsyncDone) {
    return fail(absl::StrCat(node->opcode_text,
                             " can't continue an operation that is done"));
  }
  const InstructionRecord* start = ChainStart(before);
  if (start == nullptr) {
    node->callees.clear();
    return true;
  }
  const uint32_t computation =
      data_->operands[start->first_operand + start->operand_count];
  if (!node->callees.empty() && node->callees[0] != computation) {
    return fail(absl::StrCat("the chain that begins here calls ",
                             facts_[computation].name));
  }
  node->callees.clear();
  const ComputationRecord& record = data_->computations[computation];
  const InstructionRecord& root =
      data_->instructions[record.first + record.root];
  if (node->wrapped != Opcode::kInvalid && node->wrapped != root.opcode) {
    return fail(absl::StrCat(node->opcode_text, " goes on with a ",
                             Name(root.opcode), "-start"));
  }
  const AttributesRead& attributes = node->attributes;
  const absl::string_view thread = AttributeBytesField(
      pools_->attribute_bytes(start->attribute_bytes), kAsyncExecutionThread);
  if (attributes.async_thread.has_value() &&
      *attributes.async_thread != (thread.empty() ? kMainThread : thread)) {
    return fail(absl::StrCat("the chain runs on thread \"",
                             thread.empty() ? kMainThread : thread, "\""));
  }
  ShareWithRoot(attributes, computation);
  return true;
}

// Makes the computation of `negate-start(p)`.
bool HloParser::WrapAsync(Node* node) {
  const Shape& shape = pools_->shapes().shape(node->shape);
  Node inner;
  inner.opcode = node->wrapped;
  inner.offset = node->offset;
  inner.place = node->place;
  inner.opcode_offset = node->opcode_offset;
  inner.opcode_text = node->opcode_text;
  inner.shape = pools_->shapes().Intern(Shape(shape.elements()[1]));
  inner.callees = std::move(node->callees);
  inner.attributes = std::move(node->attributes);
  node->callees.clear();
  node->attributes = AttributesRead();
  node->attributes.async_thread = inner.attributes.async_thread;
  node->attributes.metadata = inner.attributes.metadata;
  node->attributes.control_predecessors =
      std::move(inner.attributes.control_predecessors);
  inner.attributes.control_predecessors.clear();
  FieldList& outer_fields = node->attributes.fields;
  MoveField(kSharding, &inner.attributes.fields, &outer_fields);
  for (uint32_t number : kShared) {
    if (inner.attributes.fields.has(number)) {
      outer_fields.SetText(number, inner.attributes.fields.Text(number));
    }
  }
  outer_fields.SetTexts(kOutputOperandAliasing,
                        inner.attributes.async_aliasing);
  inner.attributes.async_aliasing.clear();
  const std::string thread =
      node->attributes.async_thread.value_or(std::string(kMainThread));
  if (thread != kMainThread) {
    outer_fields.SetText(kAsyncExecutionThread, thread);
  }

  names_unique_ = false;
  const size_t outer_operands = operands_.size();
  OpenFrame("async_wrapped");
  std::vector<uint32_t> parameters;
  for (const Shape& operand : shape.elements()[0].elements()) {
    Node parameter;
    parameter.name = "async_param";
    parameter.place = node->place;
    parameter.opcode = Opcode::kParameter;
    parameter.shape = pools_->shapes().Intern(operand);
    parameter.first_operand = operands_.size();
    parameter.attributes.fields.SetNumber(
        kParameterNumber, static_cast<int64_t>(parameters.size()));
    parameters.push_back(AddNode(&parameter));
  }
  inner.name = Name(node->wrapped);
  inner.first_operand = operands_.size();
  operands_.insert(operands_.end(), parameters.begin(), parameters.end());
  const bool ok = CheckOperandCount(inner) && CheckGivenAttributes(inner) &&
                  SetResultShape(&inner);
  if (ok) {
    RecordCallers(inner);
    frame()->root = AddNode(&inner);
    node->callees.push_back(CloseFrame());
    async_starts_.emplace_back(node->callees[0], thread);
  } else {
    --open_frames_;
  }
  operands_.resize(outer_operands);
  return ok;
}

}  // namespace indim
