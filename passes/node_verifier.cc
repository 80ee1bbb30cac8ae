#include "indim/passes/node_verifier.h"

#include <string>
#include <utility>

#include "indim/ir/missing_values.h"
#include "indim/ir/module.h"
#include "indim/ir/printable.h"
#include "indim/shape/verify_inferred.h"

namespace indim {
namespace {

Diagnostic Of(Rule rule, std::string arg) {
  Diagnostic diagnostic;
  diagnostic.rule = rule;
  diagnostic.args.push_back(std::move(arg));
  return diagnostic;
}

}  // namespace

NodeVerifier::NodeVerifier(const ModuleData* data, BroadcastableMode mode,
                           Report* report)
    : NodeVerifier(
          data, data->recorded ? InferPolicy::kBuilder : InferPolicy::kVerifier,
          mode, report) {}

NodeVerifier::NodeVerifier(const ModuleData* data, InferPolicy policy,
                           BroadcastableMode mode, Report* report)
    : data_(*data),
      report_(*report),
      inputs_(data),
      glance_(data, &inputs_),
      context_(policy, mode) {}

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
  if (r.opcode == Opcode::kConstant && !glance_.HasPlainLiteral(r)) {
    const absl::StatusOr<Literal> literal = instruction.literal();
    if (absl::IsNotFound(literal.status())) {  // dropped by a dump
      if (!told_of_values_) report_.Add(*MissingValuesWarning(data_));
      told_of_values_ = true;
      return true;
    }
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

NodeCheck NodeVerifier::Check(uint32_t c, uint32_t i) {
  const InstructionRecord& r =
      data_.instructions[data_.computations[c].first + i];
  NodeCheck sure;
  if (glance_.IsRight(c, r, &sure)) return sure;
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
