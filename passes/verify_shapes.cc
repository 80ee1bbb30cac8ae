#include "indim/passes/verify_shapes.h"

#include <utility>

#include "indim/passes/node_inputs.h"
#include "indim/passes/node_memo.h"
#include "indim/shape/infer.h"

namespace indim {
namespace {

class Verifier {
 public:
  Verifier(const Module& module, const VerifyOptions& options)
      : data_(module.data()),
        inputs_(&module.data()),
        context_(module.is_recorded() ? InferPolicy::kBuilder
                                      : InferPolicy::kVerifier,
                 options.mode) {
    result_.report = indim::Report(options.max_per_rule);
  }

  VerifyResult Run() {
    for (uint32_t c = 0; c < data_.computations.size(); ++c) {
      for (uint32_t i = 0; i < data_.computations[c].count; ++i) {
        Visit(c, i);
      }
    }
    return std::move(result_);
  }

 private:
  void Visit(uint32_t c, uint32_t i);
  NodeCheck Check(uint32_t c, uint32_t i, const InstructionRecord& r);
  // Things that shapes don't know: an opcode or attributes that can't be read,
  // a literal that doesn't fit. False when inference would only repeat it.
  bool CheckReadable(uint32_t c, uint32_t i, const InstructionRecord& r);
  bool OperandsHaveShapes(uint32_t c, const InstructionRecord& r) const;
  void Report(uint32_t c, uint32_t i, Diagnostic diagnostic) {
    result_.report.Add({std::move(diagnostic), c, i});
  }
  void Count(const NodeCheck& check, const Instruction& instruction);

  const ModuleData& data_;
  NodeInputs inputs_;
  InferContext context_;
  VerifyResult result_;
  // Nodes that passed without a word.
  NodeMemo<NodeCheck> memo_;
};

Diagnostic Of(Rule rule, std::string arg) {
  Diagnostic diagnostic;
  diagnostic.rule = rule;
  diagnostic.args.push_back(std::move(arg));
  return diagnostic;
}

bool Verifier::OperandsHaveShapes(uint32_t c,
                                  const InstructionRecord& r) const {
  for (const uint32_t operand : data_.Operands(r)) {
    if (!data_.instructions[data_.computations[c].first + operand].shape) {
      return false;
    }
  }
  return true;
}

bool Verifier::CheckReadable(uint32_t c, uint32_t i,
                             const InstructionRecord& r) {
  const Instruction instruction(&data_, c, i);
  if (r.opcode == Opcode::kInvalid) {
    Diagnostic d =
        Of(Rule::kUnknownOpcode, std::string(instruction.opcode_name()));
    const auto nearest = NearestOpcode(instruction.opcode_name());
    d.args.push_back(nearest
                         ? "; did you mean " + std::string(Name(*nearest)) + "?"
                         : std::string());
    Report(c, i, std::move(d));
    return false;
  }
  const absl::Status& attributes =
      data_.pools->attributes_status(r.opcode, r.blob);
  if (!attributes.ok()) {
    Report(c, i,
           Of(Rule::kAttributesUnreadable, std::string(attributes.message())));
    return false;
  }
  if (r.opcode == Opcode::kConstant) {
    const absl::StatusOr<Literal> literal = instruction.literal();
    if (absl::IsNotFound(literal.status())) return true;  // dropped by a dump
    if (!literal.ok()) {
      Report(c, i,
             Of(Rule::kLiteralUnreadable,
                std::string(literal.status().message())));
      return false;
    }
    if (r.shape && !SameStructure(literal->shape(), instruction.shape())) {
      Report(c, i, Of(Rule::kLiteralShape, literal->shape().ToString()));
    }
  }
  return true;
}

NodeCheck Verifier::Check(uint32_t c, uint32_t i, const InstructionRecord& r) {
  NodeCheck check;
  if (!CheckReadable(c, i, r)) {
    check.ok = false;
    return check;
  }
  if (!r.shape) {
    Diagnostic d;
    d.rule = Rule::kShapeMissing;
    Report(c, i, std::move(d));
    check.ok = false;
    return check;
  }
  // An operand without a shape was reported itself.
  if (!OperandsHaveShapes(c, r)) {
    check.ok = false;
    return check;
  }
  context_.Clear();
  check = VerifyNode(&context_, inputs_.Gather(c, r));
  for (Diagnostic& d : *context_.mutable_diagnostics()) {
    Report(c, i, std::move(d));
    check.ok = false;  // not to be remembered, warnings too
  }
  return check;
}

void Verifier::Count(const NodeCheck& check, const Instruction& instruction) {
  if (check.broadcastable) ++result_.broadcastable;
  switch (check.kind) {
    case CheckKind::kInferred:
      ++result_.inferred;
      return;
    case CheckKind::kRelated:
      ++result_.related;
      return;
    case CheckKind::kUnchecked:
      ++result_.unchecked;
      ++result_.unchecked_ops[std::string(instruction.opcode_name())];
  }
}

void Verifier::Visit(uint32_t c, uint32_t i) {
  const Instruction instruction(&data_, c, i);
  const InstructionRecord& r = instruction.record();
  NodeKey key;
  const bool memoised =
      inputs_.KeyOf(c, r, data_.pools->shapes().structure(r.shape).value, &key);
  if (memoised && r.opcode == Opcode::kParameter &&
      data_.pools->attributes_status(r.opcode, r.blob).ok()) {
    key.blob = 0;  // its number is no matter of shapes
  }
  const NodeCheck* known = memoised ? memo_.Find(key) : nullptr;
  if (known != nullptr) return Count(*known, instruction);
  const NodeCheck check = Check(c, i, r);
  Count(check, instruction);
  if (memoised && check.ok) memo_.Insert(key, check);
}

}  // namespace

VerifyResult VerifyShapes(const Module& module, const VerifyOptions& options) {
  return Verifier(module, options).Run();
}

}  // namespace indim
