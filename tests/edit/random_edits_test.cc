// SPDX-License-Identifier: Apache-2.0
// Random edits that keep what a module computes: its values stay, bit for bit,
// and it stays valid. 100 modules, or 10,000 (sample.h).

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "indim/edit/editor.h"
#include "indim/edit/passes/common_subexpressions.h"
#include "indim/edit/passes/constants_to_parameters.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/edit/passes/fold_constants.h"
#include "indim/edit/passes/inline_calls.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/passes/check/verify_module.h"
#include "indim/tests/edit/edit_util.h"
#include "indim/tests/edit/random_module.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

class RandomEdits {
 public:
  RandomEdits(Editor* editor, RandomStream* random)
      : e_(*editor), random_(*random) {}

  void Run() {
    for (int64_t steps = random_.Between(1, 12); steps > 0; --steps) Step();
  }
  // Values of parameters that the edits added, by number.
  const std::vector<TakenConstant>& taken() const { return taken_; }
  // A pass folded: a compiler's values would differ, the evaluator's don't.
  const std::string& done() const { return done_; }

 private:
  int64_t Below(size_t count) {
    return random_.Between(0, static_cast<int64_t>(count) - 1);
  }
  ComputationRef AnyComputation() {
    const std::vector<ComputationRef> all = e_.computations();
    return all[static_cast<size_t>(Below(all.size()))];
  }
  InstructionRef Any(ComputationRef c) {
    const std::vector<InstructionRef> all = e_.instructions(c);
    return all[static_cast<size_t>(Below(all.size()))];
  }
  void Step();
  void CloneForOneUse();
  void InsertCopy(bool at_end);
  void Outline();
  void CloneCallee();
  void AddAndRemoveResult();

  Editor& e_;
  RandomStream& random_;
  std::vector<TakenConstant> taken_;
  std::string done_;
};

void RandomEdits::CloneForOneUse() {
  const InstructionRef x = Any(AnyComputation());
  const std::vector<InstructionRef> users = e_.users(x);
  if (e_.must_stay(x) || users.empty()) return;
  const InstructionRef copy = e_.Clone(x);
  const InstructionRef user = users[static_cast<size_t>(Below(users.size()))];
  const std::vector<InstructionRef> operands = e_.operands(user);
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k] == x) e_.SetOperand(user, static_cast<int>(k), copy);
  }
}

// Copies stand for what they copy. At the end, what uses them moves nothing but
// them.
void RandomEdits::InsertCopy(bool at_end) {
  const ComputationRef c = AnyComputation();
  const InstructionRef x = Any(c);
  if (!e_.shape(x).is_array()) return;
  Insertion at = at_end ? e_.AtEnd(c) : e_.After(x);
  const Op copy = at->Copy(at.Use(x));
  e_.ReplaceAllUses(x, at.Insert(copy));
}

// A run of instructions is a valid region, unless the order is disturbed.
void RandomEdits::Outline() {
  const std::vector<InstructionRef> all = e_.PostOrder(AnyComputation());
  std::vector<InstructionRef> region;
  const size_t first = static_cast<size_t>(Below(all.size()));
  for (size_t k = first; k < all.size() && region.size() < 4; ++k) {
    if (e_.opcode(all[k]) == Opcode::kParameter) break;
    region.push_back(all[k]);
  }
  if (!region.empty()) e_.Outline(region, "region");
}

void RandomEdits::CloneCallee() {
  for (const InstructionRef caller : e_.instructions(AnyComputation())) {
    const std::vector<ComputationRef> callees = e_.callees(caller);
    if (callees.empty()) continue;
    const int k = static_cast<int>(Below(callees.size()));
    return e_.SetCallee(caller, k,
                        e_.CloneComputation(callees[static_cast<size_t>(k)]));
  }
}

void RandomEdits::AddAndRemoveResult() {
  const ComputationRef c = e_.entry();
  if (e_.opcode(e_.root(c)) != Opcode::kTuple) return;
  const int64_t count = static_cast<int64_t>(e_.operands(e_.root(c)).size());
  e_.AddResult(c, Any(c));
  e_.RemoveResult(c, count);
}

void RandomEdits::Step() {
  const int64_t kind = random_.Between(0, 13);
  done_ += std::to_string(kind) + " ";
  switch (kind) {
    case 0:
      RemoveDeadCode(&e_);
      return;
    case 1:
      MergeCommonSubexpressions(&e_);
      return;
    case 2:
      FoldConstants(&e_);
      return;
    case 3:
      InlineCalls(&e_);
      return;
    case 4:
      for (TakenConstant& taken : ConstantsToParameters(&e_)) {
        taken_.push_back(std::move(taken));
      }
      return;
    case 5:
      return CloneForOneUse();
    case 6:
    case 7:
      return InsertCopy(/*at_end=*/kind == 7);
    case 8:
    case 9:
      return Outline();
    case 10:
      return CloneCallee();
    case 11:
      return AddAndRemoveResult();
    case 12:
      return e_.SetName(Any(AnyComputation()), "name");
    default:
      for (const InstructionRef call : e_.FindAll(Opcode::kCall)) {
        e_.InlineCall(call);
        return;
      }
  }
}

void Check(uint64_t seed) {
  RandomStream random(seed);
  const absl::StatusOr<Module> made = RandomModule(&random);
  ASSERT_TRUE(made.ok()) << made.status();
  const Module& before = *made;
  std::vector<Literal> arguments;
  for (const Shape& shape : before.entry().signature().parameters) {
    arguments.push_back(*RandomLiteral(shape, &random));
  }
  const absl::StatusOr<Literal> expected = Evaluate(before, arguments);
  ASSERT_TRUE(expected.ok()) << expected.status();
  const std::string bytes = ToBytes(before);
  Editor editor(before);
  RandomEdits edits(&editor, &random);
  edits.Run();
  const EditResult result = editor.Finish();
  ASSERT_TRUE(result.ok()) << edits.done() << "\n"
                           << result.text() << ToText(before);
  EXPECT_TRUE(ToBytes(before) == bytes);
  const VerifyResult verified = VerifyModule(result.module);
  EXPECT_TRUE(verified.ok())
      << edits.done() << RenderReport(result.module, verified.report);
  for (const TakenConstant& taken : edits.taken()) {
    ASSERT_EQ(taken.parameter, static_cast<int64_t>(arguments.size()));
    arguments.push_back(taken.value);
  }
  const absl::StatusOr<Literal> actual = Evaluate(result.module, arguments);
  ASSERT_TRUE(actual.ok()) << actual.status() << edits.done();
  EXPECT_EQ(actual->ToString(), expected->ToString())
      << edits.done() << "\n"
      << ToText(before) << ToText(result.module);
  const Module again =
      FromText(PrintHloText(result.module, PrintOptions::LargeConstants()));
  EXPECT_EQ(again.instruction_count(), result.module.instruction_count());
}

TEST(RandomEditsTest, KeepWhatIsComputed) {
  const int count = 10000 / SampleStep(100);
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(seed);
    Check(seed);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace indim
