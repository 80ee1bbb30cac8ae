// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/async_parser.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/text/parse/instruction_parser.h"

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

bool AsyncParser::Split(ParsedInstruction* node) {
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

const InstructionRecord* AsyncParser::ChainStart(uint32_t position) {
  const OpenBody& body = names_.body();
  while (true) {
    const InstructionRecord& record = body.instructions[position];
    if (record.opcode == Opcode::kAsyncStart) return &record;
    if (record.opcode != Opcode::kAsyncUpdate || record.operand_count == 0) {
      return nullptr;
    }
    position = module_.data->operands[record.first_operand];
  }
}

bool AsyncParser::Fail(const ParsedInstruction& node, absl::string_view why) {
  return in_.lexer.ErrorAt(node.opcode_offset, node.opcode_text.size(),
                           std::string(why));
}

bool AsyncParser::Finish(ParsedInstruction* node) {
  if (!IsAsync(node->opcode)) return true;
  const Shape& shape = module_.pools.shapes().shape(node->shape);
  // The op inside gets its operands and result from here.
  if (node->opcode == Opcode::kAsyncStart &&
      node->wrapped != Opcode::kInvalid &&
      (!shape.is_tuple() || shape.tuple_size() < 2 ||
       !shape.elements()[0].is_tuple())) {
    return Fail(*node,
                absl::StrCat(node->opcode_text,
                             "'s result is ((operands ...), result, ...), not ",
                             shape.ToString()));
  }
  if (node->opcode == Opcode::kAsyncStart) {
    if (node->wrapped != Opcode::kInvalid) return Wrap(node);
    const std::string thread =
        node->attributes.async_thread.value_or(std::string(kMainThread));
    if (thread != kMainThread) {
      node->attributes.fields.SetText(kAsyncExecutionThread, thread);
    }
    if (in_.recorded) return true;  // its callee has its own attributes
    module_.async_starts.emplace_back(node->callees[0], thread);
    ShareWithRoot(node->attributes, node->callees[0]);
    return true;
  }
  return Follow(node);
}

// The op inside gets a copy of the chain's last attributes, as in XLA.
void AsyncParser::ShareWithRoot(const AttributesRead& attributes,
                                uint32_t computation) {
  const ComputationRecord& record = module_.data->computations[computation];
  if (record.root >= record.count) return;  // it is broken
  InstructionRecord& root =
      module_.data->instructions[record.first + record.root];
  if (attributes.metadata.has_value()) {
    root.metadata = module_.pools.AddMetadata(*attributes.metadata);
  }
  for (uint32_t number : kShared) {
    if (!attributes.fields.has(number)) continue;
    const OwnedAttributeBytes attribute_bytes =
        WithField(module_.pools.attribute_bytes(root.attribute_bytes),
                  static_cast<int>(number), attributes.fields.Text(number));
    root.attribute_bytes =
        module_.pools.AddAttributeBytes(attribute_bytes.view());
  }
}

// async-update and async-done get the attributes of their start.
bool AsyncParser::Follow(ParsedInstruction* node) {
  if (in_.recorded) {  // they have their own
    if (node->attributes.async_thread.has_value()) {
      node->attributes.fields.SetText(kAsyncExecutionThread,
                                      *node->attributes.async_thread);
    }
    return true;
  }
  const std::vector<uint32_t>& operands = instructions_.operands();
  if (operands.size() == node->first_operand) {
    return Fail(
        *node,
        absl::StrCat(node->opcode_text,
                     " takes 1 operand, the operation that it continues"));
  }
  const uint32_t before = operands[node->first_operand];
  if (names_.body().instructions[before].opcode == Opcode::kAsyncDone) {
    return Fail(*node,
                absl::StrCat(node->opcode_text,
                             " can't continue an operation that is done"));
  }
  const InstructionRecord* start = ChainStart(before);
  if (start == nullptr) {
    node->callees.clear();
    return true;
  }
  const uint32_t computation =
      module_.data->operands[start->first_operand + start->operand_count];
  if (!node->callees.empty() && node->callees[0] != computation) {
    return Fail(*node, absl::StrCat("the chain that begins here calls ",
                                    module_.facts[computation].name));
  }
  node->callees.clear();
  const ComputationRecord& record = module_.data->computations[computation];
  const InstructionRecord& root =
      module_.data->instructions[record.first + record.root];
  if (node->wrapped != Opcode::kInvalid && node->wrapped != root.opcode) {
    return Fail(*node, absl::StrCat(node->opcode_text, " goes on with a ",
                                    Name(root.opcode), "-start"));
  }
  const AttributesRead& attributes = node->attributes;
  const absl::string_view thread =
      AttributeBytesField(module_.pools.attribute_bytes(start->attribute_bytes),
                          kAsyncExecutionThread);
  if (attributes.async_thread.has_value() &&
      *attributes.async_thread != (thread.empty() ? kMainThread : thread)) {
    return Fail(*node,
                absl::StrCat("the chain runs on thread \"",
                             thread.empty() ? kMainThread : thread, "\""));
  }
  ShareWithRoot(attributes, computation);
  return true;
}

// Takes out of `outer`, an op that starts `negate`, what is said of the negate:
// its attributes but for those that the async-start keeps or shares.
AttributesRead AsyncParser::TakeInnerAttributes(AttributesRead* outer,
                                                absl::string_view thread) {
  AttributesRead inner = std::move(*outer);
  *outer = AttributesRead();
  outer->async_thread = inner.async_thread;
  outer->metadata = inner.metadata;
  outer->control_predecessors = std::move(inner.control_predecessors);
  inner.control_predecessors.clear();
  MoveField(kSharding, &inner.fields, &outer->fields);
  for (uint32_t number : kShared) {
    if (inner.fields.has(number)) {
      outer->fields.SetText(number, inner.fields.Text(number));
    }
  }
  outer->fields.SetTexts(kOutputOperandAliasing, inner.async_aliasing);
  inner.async_aliasing.clear();
  if (thread != kMainThread) {
    outer->fields.SetText(kAsyncExecutionThread, thread);
  }
  return inner;
}

std::vector<uint32_t> AsyncParser::AddParameters(const Shape& shapes,
                                                 const TextPlace& place) {
  std::vector<uint32_t> parameters;
  for (const Shape& shape : shapes.elements()) {
    ParsedInstruction parameter;
    parameter.name = "async_param";
    parameter.place = place;
    parameter.opcode = Opcode::kParameter;
    parameter.shape = module_.pools.shapes().Intern(shape);
    parameter.first_operand = instructions_.operands().size();
    parameter.attributes.fields.SetNumber(
        kParameterNumber, static_cast<int64_t>(parameters.size()));
    parameters.push_back(instructions_.Add(&parameter));
  }
  return parameters;
}

// Makes the computation of `negate-start(p)`.
bool AsyncParser::Wrap(ParsedInstruction* node) {
  const Shape& shape = module_.pools.shapes().shape(node->shape);
  const std::string thread =
      node->attributes.async_thread.value_or(std::string(kMainThread));
  ParsedInstruction inner;
  inner.opcode = node->wrapped;
  inner.offset = node->offset;
  inner.place = node->place;
  inner.opcode_offset = node->opcode_offset;
  inner.opcode_text = node->opcode_text;
  inner.shape = module_.pools.shapes().Intern(Shape(shape.elements()[1]));
  inner.callees = std::move(node->callees);
  node->callees.clear();
  inner.attributes = TakeInnerAttributes(&node->attributes, thread);

  module_.names_unique = false;
  std::vector<uint32_t>& operands = instructions_.operands();
  const size_t outer_operands = operands.size();
  names_.Open("async_wrapped");
  const std::vector<uint32_t> parameters =
      AddParameters(shape.elements()[0], node->place);
  inner.name = Name(node->wrapped);
  inner.first_operand = operands.size();
  operands.insert(operands.end(), parameters.begin(), parameters.end());
  const bool ok = instructions_.CheckOperandCount(inner) &&
                  instructions_.CheckAndShape(&inner);
  if (ok) {
    for (const uint32_t callee : inner.callees) {
      module_.AddCaller(inner.opcode, inner.opcode_offset, callee);
    }
    names_.body().root = instructions_.Add(&inner);
    node->callees.push_back(names_.Close());
    module_.async_starts.emplace_back(node->callees[0], thread);
  } else {
    names_.Drop();
  }
  operands.resize(outer_operands);
  return ok;
}

}  // namespace indim
