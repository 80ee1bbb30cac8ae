// SPDX-License-Identifier: Apache-2.0
// The derivative of conditional: branch by branch. Its transpose computes the
// branch again, from its operand.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/transposer.h"

namespace indim::internal {
namespace {

// A branch that is recorded: one parameter, a tuple of the operand and of
// arrays.
class Branch {
 public:
  Branch(ComputationBuilder* family, const Shape& operand,
         const std::vector<Shape>& arrays)
      : b_(family->SubBuilder("branch")) {
    std::vector<Shape> parts = {operand.WithoutLayout()};
    for (const Shape& shape : arrays) parts.push_back(shape.WithoutLayout());
    state_ = b_.Parameter(0, Shape::Tuple(std::move(parts)));
  }
  ComputationBuilder& b() { return b_; }
  Op operand() { return b_.GetTupleElement(state_, 0); }
  Op array(size_t i) {
    return b_.GetTupleElement(state_, static_cast<int64_t>(i) + 1);
  }

 private:
  ComputationBuilder b_;
  Op state_;
};

// The shapes of the parts of a value that have tangents.
std::vector<Shape> ShapesOf(const TangentLeaves& tangents, const Shape& shape) {
  const std::vector<Shape> leaves = LeafShapes(shape);
  std::vector<Shape> active;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (tangents[i]) active.push_back(leaves[i]);
  }
  return active;
}

Op Conditional(ComputationBuilder& b, Op selector, const Shape& type,
               const std::vector<Callee>& branches,
               const std::vector<Op>& operands) {
  if (type.element_type() == ElementType::kPred) {
    return b.Conditional(selector, operands[0], branches[0], operands[1],
                         branches[1]);
  }
  return b.Conditional(selector, branches, operands);
}

absl::Status Forward(Primal& node, const ActiveLeaves& wanted) {
  ComputationBuilder& b = node.b();
  const Instruction& conditional = node.node();
  const std::vector<Shape> results = LeafShapes(conditional.shape());
  std::vector<Callee> branches;
  std::vector<Op> operands;
  for (int k = 0; k < conditional.callee_count(); ++k) {
    const Traced& given = node.traced(k + 1);
    Branch branch(&b, node.shape(k + 1),
                  ShapesOf(given.tangents, node.shape(k + 1)));
    Traced inner{branch.operand(), TangentLeaves(given.tangents.size())};
    std::vector<Op> operand = {given.value};
    for (size_t i = 0; i < given.tangents.size(); ++i) {
      if (!given.tangents[i]) continue;
      inner.tangents[i] = branch.array(operand.size() - 1);
      operand.push_back(*given.tangents[i]);
    }
    Tape tape(&branch.b(), Tape::Mode::kForward);
    absl::StatusOr<Traced> result =
        Linearizer(&node.context(), &tape, node.SiteOf(k))
            .Run(conditional.callee(k), {inner});
    if (!result.ok()) return result.status();
    std::vector<Op> outputs = {result->value};
    for (size_t i = 0; i < results.size(); ++i) {
      if (wanted[i]) {
        outputs.push_back(tape.OrZeros(result->tangents[i], results[i]));
      }
    }
    branches.push_back(branch.b().BuildCallee(branch.b().Tuple(outputs)));
    operands.push_back(b.Tuple(operand));
  }
  const Op both = Conditional(b, node.x(0), node.shape(0), branches, operands);
  Traced traced{b.GetTupleElement(both, 0), TangentLeaves(results.size())};
  int64_t next = 1;
  for (size_t i = 0; i < results.size(); ++i) {
    if (wanted[i]) traced.tangents[i] = b.GetTupleElement(both, next++);
  }
  node.Set(std::move(traced));
  return absl::OkStatus();
}

// What the transpose of a conditional needs, when it comes.
struct Branches {
  GradientContext* context;
  Instruction conditional;
  const CallChain* site;
  Op selector;
  std::vector<Traced> operands;  // in the primal builder
  absl::Status* status;
};

// The branch that computes cotangents: of all operands' parts with tangents.
Callee Backward(ComputationBuilder* builder, const Branches& branches, int k,
                absl::Span<const Tangent> cotangents,
                const std::vector<Shape>& results, absl::Status* status) {
  std::vector<Shape> given;
  for (size_t i = 0; i < results.size(); ++i) {
    if (cotangents[i]) given.push_back(results[i]);
  }
  const Shape& operand = branches.conditional.operand(k + 1).shape();
  Branch branch(builder, operand, given);
  Tape tape(&branch.b(), Tape::Mode::kReverse);
  const TangentLeaves& active =
      branches.operands[static_cast<size_t>(k)].tangents;
  const std::vector<Shape> leaves = LeafShapes(operand);
  Traced inner{branch.operand(), TangentLeaves(active.size())};
  for (size_t i = 0; i < active.size(); ++i) {
    if (active[i]) inner.tangents[i] = tape.Argument(leaves[i]);
  }
  absl::StatusOr<Traced> result =
      Linearizer(
          branches.context, &tape,
          branches.context->AddSite(branches.conditional, k, branches.site))
          .Run(branches.conditional.callee(k), {inner});
  if (!result.ok()) {
    *status = result.status();
    return Callee(absl::StatusOr<Module>(*status));
  }
  Transposer transposer(tape, &branch.b(), [](Op value) { return value; });
  size_t next = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!cotangents[i]) continue;
    const Op cotangent = branch.array(next++);
    if (result->tangents[i]) transposer.Give(*result->tangents[i], cotangent);
  }
  if (absl::Status s = transposer.Run(); !s.ok()) *status = s;
  std::vector<Op> outputs;
  for (int j = 0; j < branches.conditional.callee_count(); ++j) {
    const TangentLeaves& parts =
        branches.operands[static_cast<size_t>(j)].tangents;
    const std::vector<Shape> shapes =
        LeafShapes(branches.conditional.operand(j + 1).shape());
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i]) continue;
      Tangent g;
      if (j == k) g = transposer.Take(*inner.tangents[i]);
      outputs.push_back(g ? *g
                          : branch.b().Splat(0, shapes[i].WithoutLayout()));
    }
  }
  return branch.b().BuildCallee(branch.b().Tuple(outputs));
}

std::vector<Tangent> TransposeBranches(ComputationBuilder* builder,
                                       const Branches& branches,
                                       const std::function<Op(Op)>& value_of,
                                       absl::Span<const Tangent> cotangents) {
  const std::vector<Shape> results = LeafShapes(branches.conditional.shape());
  std::vector<Callee> callees;
  std::vector<Op> operands;
  size_t count = 0;
  for (const Traced& operand : branches.operands) {
    for (const Tangent& t : operand.tangents) count += t ? 1 : 0;
  }
  for (int k = 0; k < branches.conditional.callee_count(); ++k) {
    const Traced& operand = branches.operands[static_cast<size_t>(k)];
    callees.push_back(
        Backward(builder, branches, k, cotangents, results, branches.status));
    // Else branches in branches would all be tried after the first error.
    if (!branches.status->ok()) return std::vector<Tangent>(count);
    std::vector<Op> parts = {value_of(operand.value)};
    for (const Tangent& cotangent : cotangents) {
      if (cotangent) parts.push_back(*cotangent);
    }
    operands.push_back(builder->Tuple(parts));
  }
  const Op all =
      Conditional(*builder, value_of(branches.selector),
                  branches.conditional.operand(0).shape(), callees, operands);
  std::vector<Tangent> gradients;
  for (size_t i = 0; i < count; ++i) {
    gradients.push_back(builder->GetTupleElement(all, static_cast<int64_t>(i)));
  }
  return gradients;
}

}  // namespace

absl::Status TangentConditional(Primal& node) {
  for (int k = 0; !node.tape().is_forward() && k < node.node().callee_count();
       ++k) {
    if (node.context().CantRunTwice(node.node().callee(k))) {
      return node.Refuse(
          "its transpose computes the branch again, and a branch draws random "
          "numbers, moves data or has side effects",
          "do that before the conditional");
    }
  }
  const Instruction& conditional = node.node();
  std::vector<Shape> results = LeafShapes(conditional.shape());
  ActiveLeaves wanted(results.size());
  for (int k = 0; k < conditional.callee_count(); ++k) {
    ActiveLeaves given;
    for (const Tangent& t : node.tangents(k + 1)) {
      given.push_back(t.has_value());
    }
    const ActiveLeaves some = ActiveResults(conditional.callee(k), {given});
    for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = wanted[i] || some[i];
  }
  if (node.tape().is_forward()) return Forward(node, wanted);
  std::vector<Op> values;
  for (int i = 0; i < conditional.operand_count(); ++i) {
    values.push_back(node.x(i));
  }
  node.Set(
      {CopyInstruction(&node.b(), conditional, values, &node.context().copies),
       TangentLeaves(results.size())});
  Branches branches{&node.context(), conditional, node.linearizer().site(),
                    node.x(0),       {},          &node.context().status};
  std::vector<Tangent> tangents;
  for (int k = 0; k < conditional.callee_count(); ++k) {
    branches.operands.push_back(node.traced(k + 1));
    for (const Tangent& t : node.tangents(k + 1)) {
      if (t) tangents.push_back(t);
    }
  }
  LinearFunction function;
  function.transpose = [branches](ComputationBuilder* builder,
                                  const std::function<Op(Op)>& value_of,
                                  absl::Span<const Tangent> cotangents) {
    return TransposeBranches(builder, branches, value_of, cotangents);
  };
  const std::vector<Tangent> given =
      node.tape().Apply(std::move(function), tangents, results);
  for (size_t i = 0; i < results.size(); ++i) {
    node.tangents()[i] = wanted[i] ? given[i] : std::nullopt;
  }
  return absl::OkStatus();
}

}  // namespace indim::internal
