// SPDX-License-Identifier: Apache-2.0
// Inference on sizes that aren't known is judged by evaluation: for every op,
// as the builder makes it, dims of its operands are replaced by what leaves
// them open (?, an interval, a bound, an expression of names that has the size
// as its value), and what is inferred then holds what the evaluator computes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/eval/values/value.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/tests/tools/op_builders.h"

namespace indim {
namespace {

constexpr int kTrials = 100;  // of an op

// Whether `general` allows `concrete`, its names having the values of `names`.
bool Holds(const Shape& general, const Shape& concrete,
           const SymbolScope& names) {
  const std::optional<Shape> shape = Substitute(general, names);
  return shape && Contains(*shape, concrete);
}

class Generalizer {
 public:
  explicit Generalizer(uint64_t seed) : random_(seed) {}

  // Some static dims of `shape`, opened. Named ones get their value in names().
  Shape Open(const Shape& shape) {
    if (shape.is_tuple()) {
      std::vector<Shape> elements;
      for (const Shape& element : shape.elements()) {
        elements.push_back(Open(element));
      }
      return Shape::Tuple(elements);
    }
    Shape result = shape;
    for (int i = 0; shape.is_array() && i < shape.rank(); ++i) {
      if (shape.dim(i).is_static() && Pick(0, 1) == 0) {
        result.set_dim(i, OpenDim(shape.dim(i).size()));
      }
    }
    return result;
  }

  const SymbolScope& names() const { return names_; }

 private:
  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  // The value of a name is in it: k3 is 3.
  std::string NameOf(int64_t value) {
    const std::string name = absl::StrCat("k", value);
    EXPECT_TRUE(names_.Bind(name, DimExpr(value)).ok());
    return name;
  }

  Dim OpenDim(int64_t size) {
    switch (Pick(0, 5)) {
      case 0:
        return Dim::Unknown();
      case 1:
        return *Dim::Interval(std::max<int64_t>(0, size - Pick(0, 2)),
                              size + Pick(0, 3));
      case 2:
        return Dim::Bounded(size);
      case 3:
        if (size > 0) return *Dim::Parse(NameOf(size - 1) + "+1");
        break;
      case 4:
        if (size % 2 == 0) return *Dim::Parse("2*" + NameOf(size / 2));
        break;
    }
    return *Dim::Parse(NameOf(size));
  }

  std::mt19937_64 random_;
  SymbolScope names_;
};

// What an op computes here, or is inferred to have where it isn't evaluated.
Shape Concrete(const Module& module) {
  RandomStream random(1);
  std::vector<Literal> inputs;
  for (const Shape& shape : module.entry().signature().parameters) {
    absl::StatusOr<Literal> input = RandomLiteral(shape, &random);
    if (!input.ok()) return module.entry().root().shape();
    inputs.push_back(*std::move(input));
  }
  EvalOptions options;
  options.max_steps = 100000;
  const absl::StatusOr<Literal> value = Evaluate(module, inputs, options);
  return value.ok() ? value->shape() : module.entry().root().shape();
}

// An op with operands of any shapes in the place of its own.
std::optional<Shape> InferWith(const Instruction& op,
                               const std::vector<Shape>& operands,
                               InferContext* context) {
  std::vector<const Shape*> pointers;
  for (const Shape& shape : operands) pointers.push_back(&shape);
  std::vector<Signature> signatures;
  for (int i = 0; i < op.callee_count(); ++i) {
    signatures.push_back(op.callee(i).signature());
  }
  std::vector<const Signature*> callees;
  for (const Signature& signature : signatures) callees.push_back(&signature);
  OpInputs inputs;
  inputs.opcode = op.opcode();
  inputs.operands = pointers;
  inputs.attributes = &op.attributes();
  inputs.callees = callees;
  inputs.declared = &op.shape();
  return InferShape(context, inputs);
}

// The conditions that the answer hangs on hold for the names' values.
void CheckConditions(const InferContext& context, const SymbolScope& names) {
  for (Condition condition : context.conditions()) {
    if (condition.has_place()) continue;
    for (ConditionSize* size : {&condition.a, &condition.b}) {
      const std::optional<Dim> known = names.Apply(size->size());
      ASSERT_TRUE(known) << size->size().ToString();
      *size = *known;
    }
    EXPECT_EQ(Decide(condition), Answer::kProven) << ToString(condition);
  }
}

// What XLA refuses of dims that leave open a size which would do. `of` is what
// some operand must have for that: "<=", a bound, which XLA takes for the size;
// "?", which is smaller than any size; or "", any dim of a kernel that isn't
// exactly known.
struct Refusal {
  const char* of;
  Code code;
};
constexpr Refusal kRefusals[] = {
    {"", Code::kXlaBoundedWithStatic}, {"", Code::kShapesDiffer},
    {"", Code::kBroadcastMapSize},     {"", Code::kReshapeMixedDynamism},
    {"", Code::kElementCountsDiffer},  {"?", Code::kUpdateTooLarge},
    {"?", Code::kTopKRange},           {"", Code::kScaleBlocks},
    {"", Code::kKernelFeatures},       {"", Code::kKernelOutputDynamic},
    {"", Code::kKernelWindow},         {"", Code::kSourceShape},
    {"", Code::kDeclaredShape},        {"", Code::kAllToAllBounded},
    {"", Code::kOperandsDiffer},
};

bool IsXlas(const std::string& text, Code code) {
  return std::any_of(
      std::begin(kRefusals), std::end(kRefusals), [&](const Refusal& refusal) {
        return refusal.code == code && absl::StrContains(text, refusal.of);
      });
}

TEST(MembershipTest, WhatIsInferredHoldsWhatIsEvaluated) {
  std::set<Opcode> held;
  for (const OpBuilder& builder : AllOpBuilders()) {
    SCOPED_TRACE(builder.name);
    TestBuilder b("case");
    const absl::StatusOr<Module> module = b.Build(builder.build(b));
    ASSERT_TRUE(module.ok()) << module.status();
    const Instruction op = module->entry().root();
    if (op.operand_count() == 0) continue;
    const Shape concrete = Concrete(*module);
    for (int trial = 0; trial < kTrials; ++trial) {
      Generalizer generalizer(static_cast<uint64_t>(trial));
      std::vector<Shape> operands;
      std::string text(Name(op.opcode()));
      for (const Instruction operand : op.operands()) {
        operands.push_back(generalizer.Open(operand.shape()));
        absl::StrAppend(&text, " ", operands.back().ToString());
      }
      SCOPED_TRACE(text);
      InferContext context;
      const std::optional<Shape> general = InferWith(op, operands, &context);
      if (!general) {
        const Code code = context.diagnostics()[0].code;
        EXPECT_TRUE(IsXlas(text, code)) << CodeText(code);
        continue;
      }
      held.insert(op.opcode());
      EXPECT_TRUE(Holds(*general, concrete, generalizer.names()))
          << general->ToString() << " doesn't hold " << concrete.ToString();
      CheckConditions(context, generalizer.names());
    }
  }
  EXPECT_GE(held.size(), 100);
}

}  // namespace
}  // namespace indim
