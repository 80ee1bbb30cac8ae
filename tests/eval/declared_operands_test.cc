// SPDX-License-Identifier: Apache-2.0
// Every op on random operands, attributes and results that keep what its row of
// the op table declares: the evaluator's result has the inferred shape. The
// evaluator finds sizes by its own means.

#include <gtest/gtest.h>

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/builder/callee_of.h"
#include "indim/tests/shape/infer/declared_inputs.h"

namespace indim {
namespace {

constexpr int kDraws = 60;  // of an op

// Every dim a size, small ones as they are.
Shape Static(const Shape& shape, RandomStream* random) {
  if (shape.is_array() && shape.is_unranked()) {
    return Shape::Of(shape.element_type(), {2, 3});
  }
  return shape.is_none() ? shape : RandomConcrete(shape, random);
}

OwnedInputs Static(OwnedInputs inputs, RandomStream* random) {
  for (Shape& operand : inputs.operands) operand = Static(operand, random);
  inputs.declared = Static(inputs.declared, random);
  return inputs;
}

struct OpTally {
  int inferred = 0;
  int evaluated = 0;
  std::string refused;  // the last reason
};

// What the builder says of it, or else the verifier: some operations only
// graphs have. nullopt: the shape function asks for more.
std::optional<Shape> Inferred(OwnedInputs* inputs) {
  for (const InferPolicy policy :
       {InferPolicy::kBuilder, InferPolicy::kVerifier}) {
    InferContext context(policy);
    std::optional<Shape> shape = InferShape(&context, inputs->View());
    if (shape) return shape;
  }
  return std::nullopt;
}

void Try(OwnedInputs inputs, RandomStream* random, OpTally* tally) {
  const std::optional<Shape> inferred = Inferred(&inputs);
  if (!inferred) return;
  ++tally->inferred;
  std::vector<Literal> operands;
  std::string text;
  for (const Shape& shape : inputs.operands) {
    const absl::StatusOr<Literal> operand = RandomLiteral(shape, random);
    if (!operand.ok()) return;
    operands.push_back(*operand);
    absl::StrAppend(&text, " ", shape.ToString());
  }
  std::vector<Module> modules;
  std::vector<Computation> callees;
  for (const Signature& signature : inputs.callees) {
    absl::StatusOr<Module> module = CalleeOf(signature);
    if (!module.ok()) return;
    modules.push_back(*std::move(module));
    callees.push_back(modules.back().entry());
  }
  OpCall call;
  call.opcode = inputs.opcode;
  call.operands = operands;
  call.attributes = &inputs.attributes;
  call.callees = callees;
  call.declared = inputs.declared.is_none() ? nullptr : &inputs.declared;
  EvalOptions options;
  options.max_steps = 100'000;  // a loop may have no end
  const absl::StatusOr<Literal> value = EvaluateOp(call, options);
  if (!value.ok()) {
    tally->refused = std::string(value.status().message());
    EXPECT_NE(CodeOf(value.status()), Code::kEvalShape)
        << Name(inputs.opcode) << text << ": " << tally->refused;
    return;
  }
  ++tally->evaluated;
  EXPECT_TRUE(Contains(*inferred, value->shape()) ||
              SameStructure(*inferred, value->shape()))
      << Name(inputs.opcode) << text << " is " << value->shape()
      << ", inferred " << *inferred;
}

// What a graph says, not an operation's operands; and what its operands' values
// would have to be for the sizes that are recorded.
bool NeedsMore(Opcode opcode) {
  return opcode == Opcode::kParameter || opcode == Opcode::kConstant ||
         opcode == Opcode::kDynamicReshape;
}

TEST(DeclaredOperandsTest, EvaluatedShapesAreTheInferredOnes) {
  int ops = 0, draws = 0;
  for (const OpInfo& op : AllOps()) {
    if (!WhyNotEvaluated(op.opcode).empty() || NeedsMore(op.opcode)) continue;
    DeclaredInputs inputs(static_cast<uint32_t>(op.opcode) + 1);
    RandomStream random(static_cast<uint64_t>(op.opcode) + 1);
    OpTally tally;
    for (int i = 0; i < kDraws; ++i) {
      const std::optional<OwnedInputs> drawn = inputs.Keeping(op.opcode);
      if (drawn) Try(Static(*drawn, &random), &random, &tally);
    }
    ++ops;
    draws += tally.evaluated;
    // Some have a meaning for few of the types that XLA lets through.
    EXPECT_GE(tally.evaluated, kDraws / 20)
        << op.wire << ": inferred " << tally.inferred << "; " << tally.refused;
  }
  std::cout << ops << " ops, " << draws << " operations evaluated\n";
}

}  // namespace
}  // namespace indim
