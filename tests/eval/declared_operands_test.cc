// Every op on random operands, attributes and results that keep what its row of
// the op table declares: the evaluator's result has the inferred shape. The
// evaluator finds sizes by its own means.

#include <gtest/gtest.h>

#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/random_literal.h"
#include "indim/shape/constraint.h"
#include "indim/shape/infer.h"
#include "indim/shape/opcode.h"
#include "indim/tests/builder/callee_of.h"
#include "indim/tests/shape/declared_inputs.h"

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

struct Outcome {
  int evaluated = 0;
  std::string refused;  // the last reason
};

void Try(OwnedInputs inputs, RandomStream* random, Outcome* outcome) {
  InferContext context;
  const std::optional<Shape> inferred = InferShape(&context, inputs.View());
  if (!inferred) return;  // the shape function asks for more
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
  options.max_steps = 10'000'000;
  const absl::StatusOr<Literal> value = EvaluateOp(call, options);
  if (!value.ok()) {
    outcome->refused = std::string(value.status().message());
    EXPECT_FALSE(absl::StrContains(outcome->refused, "IND0853"))
        << Name(inputs.opcode) << text << ": " << outcome->refused;
    return;
  }
  ++outcome->evaluated;
  EXPECT_TRUE(Contains(*inferred, value->shape()) ||
              SameStructure(*inferred, value->shape()))
      << Name(inputs.opcode) << text << " is " << value->shape()
      << ", inferred " << *inferred;
}

TEST(DeclaredOperandsTest, EvaluatedShapesAreTheInferredOnes) {
  std::set<std::string> evaluated, others;
  for (const OpInfo& op : AllOps()) {
    if (!WhyNotEvaluated(op.opcode).empty()) continue;
    // What is recorded are sizes that its operands' values would have to be.
    if (op.opcode == Opcode::kDynamicReshape) continue;
    DeclaredInputs inputs(static_cast<uint32_t>(op.opcode) + 1);
    RandomStream random(static_cast<uint64_t>(op.opcode) + 1);
    Outcome outcome;
    for (int i = 0; i < kDraws; ++i) {
      const std::optional<OwnedInputs> drawn = inputs.Keeping(op.opcode);
      if (drawn) Try(Static(*drawn, &random), &random, &outcome);
    }
    (outcome.evaluated > 0 ? evaluated : others).insert(std::string(op.wire));
  }
  // The others need attributes that fit their operands, which no declaration
  // gives (gather, convolution, ...), a graph around them, or more devices.
  std::cout << evaluated.size() << " ops evaluated; not";
  for (const std::string& op : others) std::cout << " " << op;
  std::cout << "\n";
  EXPECT_GE(evaluated.size(), 95);
}

}  // namespace
}  // namespace indim
