// Shape functions of calls, control flow, tuples, tokens and of operations
// whose result is given.
// Source: XLA's ShapeInference and HLO verifier.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "indim/shape/dim_math.h"
#include "indim/shape/infer_util.h"
#include "indim/shape/shape_functions.h"

namespace indim {
namespace {

Shape ScalarOf(ElementType type) { return Shape::Scalar(type); }

bool ExpectTuple(InferContext* context, const OpInputs& inputs, int i) {
  if (inputs.operands[i]->is_tuple()) return true;
  return context->Error(Rule::kOperandNotTuple, i);
}

// Callee number `callee` takes `count` parameters; else IND0401.
bool CheckArity(InferContext* context, const OpInputs& inputs, int callee,
                size_t count) {
  const size_t arity = inputs.callees[callee]->parameters.size();
  if (arity == count) return true;
  return context->Error(Rule::kCalleeArity)
      .Arg(int64_t{callee})
      .Arg(static_cast<int64_t>(arity))
      .Arg(static_cast<int64_t>(count));
}

// Operand `operand` may be passed as parameter `parameter`; else IND0402.
bool CheckArgument(InferContext* context, const OpInputs& inputs, int operand,
                   int callee, int parameter) {
  const Shape& taken = inputs.callees[callee]->parameters[parameter];
  if (Compatible(*inputs.operands[operand], taken)) return true;
  return context->Error(Rule::kCalleeParameter, operand)
      .Arg(int64_t{callee})
      .Arg(int64_t{parameter})
      .Arg(taken);
}

}  // namespace

// --- Calls -------------------------------------------------------------------
std::optional<Shape> InferCall(InferContext* context, const OpInputs& inputs) {
  if (!CheckArity(context, inputs, 0, inputs.operands.size())) {
    return std::nullopt;
  }
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    const int index = static_cast<int>(i);
    if (!CheckArgument(context, inputs, index, 0, index)) return std::nullopt;
  }
  return inputs.callees[0]->result.WithoutLayout();
}

// As a call, except that a fusion may have operands that its body ignores.
std::optional<Shape> InferFusion(InferContext* context,
                                 const OpInputs& inputs) {
  const size_t used = inputs.callees[0]->parameters.size();
  if (used > inputs.operands.size()) {
    CheckArity(context, inputs, 0, inputs.operands.size());
    return std::nullopt;
  }
  for (size_t i = 0; i < used; ++i) {
    const int index = static_cast<int>(i);
    if (!CheckArgument(context, inputs, index, 0, index)) return std::nullopt;
  }
  return inputs.callees[0]->result.WithoutLayout();
}

// Callees as on the wire: the body, then the condition.
std::optional<Shape> InferWhile(InferContext* context, const OpInputs& inputs) {
  constexpr int kBody = 0;
  constexpr int kCondition = 1;
  if (!CheckArity(context, inputs, kBody, 1) ||
      !CheckArity(context, inputs, kCondition, 1)) {
    return std::nullopt;
  }
  const Signature& body = *inputs.callees[kBody];
  const Signature& condition = *inputs.callees[kCondition];
  if (!Compatible(condition.result, ScalarOf(ElementType::kPred))) {
    return context->Error(Rule::kCalleeResult)
        .Arg(int64_t{kCondition})
        .Arg(condition.result)
        .Arg(ScalarOf(ElementType::kPred));
  }
  // `?` goes with every size, so all three are compared with the body's result.
  const std::pair<const Shape*, const char*> others[] = {
      {&condition.parameters[0], "condition's parameter"},
      {&body.parameters[0], "body's parameter"},
      {inputs.operands[0], "initial value"}};
  for (const auto& other : others) {
    if (Compatible(body.result, *other.first)) continue;
    return context->Error(Rule::kLoopShape, 0)
        .Arg(body.result)
        .Arg(*other.first)
        .Arg(std::string(other.second));
  }
  return inputs.operands[0]->WithoutLayout();
}

namespace {

// A dim of a conditional's result: `result` is that of the branches before,
// `branch` what one more branch gives. The first branch's size stays, and is
// bounded as soon as any branch's is not static.
Dim BranchDim(Dim result, Dim branch) {
  if (result.is_interval() || branch.is_interval()) {
    return Dim::Hull(std::min(result.lower(), branch.lower()),
                     std::max(result.upper(), branch.upper()));
  }
  if (!result.is_static() || branch.is_static()) return result;
  return Dim::Bounded(result.upper());
}

// The same at every depth of two compatible shapes.
Shape BranchShape(const Shape& result, const Shape& branch) {
  if (result == branch) return result;
  if (result.has_rank() && branch.has_rank()) {
    Shape merged = result;
    for (int i = 0; i < merged.rank(); ++i) {
      merged.set_dim(i, BranchDim(result.dim(i), branch.dim(i)));
    }
    return merged;
  }
  if (branch.is_unranked()) return branch;
  if (!result.is_tuple()) return result;
  std::vector<Shape> elements;
  for (int i = 0; i < result.element_count(); ++i) {
    elements.push_back(BranchShape(result.elements()[i], branch.elements()[i]));
  }
  return Shape::Tuple(std::move(elements));
}

// Operand 0 chooses the branch: pred[] of two, or s32[] of any number.
bool CheckBranches(InferContext* context, const OpInputs& inputs) {
  const Shape& index = *inputs.operands[0];
  const bool is_pred = index.element_type() == ElementType::kPred;
  if (!(index.is_scalar() || index.is_unranked()) ||
      !(is_pred || index.element_type() == ElementType::kS32)) {
    return context->Error(Rule::kBranchIndex, 0);
  }
  const size_t branches = inputs.callees.size();
  if (branches == 0 || branches + 1 != inputs.operands.size() ||
      (is_pred && branches != 2)) {
    return context->Error(Rule::kBranchCount)
        .Arg(static_cast<int64_t>(branches))
        .Arg(static_cast<int64_t>(inputs.operands.size()) - 1);
  }
  return true;
}

}  // namespace

std::optional<Shape> InferConditional(InferContext* context,
                                      const OpInputs& inputs) {
  if (!CheckBranches(context, inputs)) return std::nullopt;
  const Shape& first = inputs.callees[0]->result;
  Shape result = first.WithoutLayout();
  for (size_t i = 0; i < inputs.callees.size(); ++i) {
    const int branch = static_cast<int>(i);
    if (!CheckArity(context, inputs, branch, 1) ||
        !CheckArgument(context, inputs, branch + 1, branch, 0)) {
      return std::nullopt;
    }
    const Shape& shape = inputs.callees[i]->result;
    if (!Compatible(first, shape)) {
      return context->Error(Rule::kCalleeResult)
          .Arg(int64_t{branch})
          .Arg(shape)
          .Arg(first);
    }
    result = BranchShape(result, shape.WithoutLayout());
  }
  return result;
}

// --- Tuples ------------------------------------------------------------------
std::optional<Shape> InferTuple(InferContext* context, const OpInputs& inputs) {
  std::vector<Shape> elements;
  elements.reserve(inputs.operands.size());
  for (const Shape* operand : inputs.operands) {
    elements.push_back(operand->WithoutLayout());
  }
  return MakeTuple(context, std::move(elements));
}

std::optional<Shape> InferGetTupleElement(InferContext* context,
                                          const OpInputs& inputs) {
  if (!ExpectTuple(context, inputs, 0)) return std::nullopt;
  const absl::Span<const Shape> elements = inputs.operands[0]->elements();
  const int64_t index = inputs.attributes_as<GetTupleElementAttributes>().index;
  if (index < 0 || index >= static_cast<int64_t>(elements.size())) {
    return context->Error(Rule::kTupleIndexRange, 0)
        .Arg(index)
        .Arg(static_cast<int64_t>(elements.size()));
  }
  return elements[index].WithoutLayout();
}

// --- Tokens and order --------------------------------------------------------
std::optional<Shape> InferAfterAll(InferContext* context,
                                   const OpInputs& inputs) {
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    if (!ExpectToken(context, inputs, static_cast<int>(i))) {
      return std::nullopt;
    }
  }
  return Shape::Token();
}

std::optional<Shape> InferAddDependency(InferContext* context,
                                        const OpInputs& inputs) {
  if (!ExpectToken(context, inputs, 1)) return std::nullopt;
  return inputs.operands[0]->WithoutLayout();
}

// partition-id, replica-id.
std::optional<Shape> InferDeviceId(InferContext*, const OpInputs&) {
  return ScalarOf(ElementType::kU32);
}

// --- Results that are given --------------------------------------------------
std::optional<Shape> InferGiven(InferContext*, const OpInputs& inputs) {
  return inputs.declared->WithoutLayout();
}

std::optional<Shape> InferInfeed(InferContext* context,
                                 const OpInputs& inputs) {
  if (!ExpectToken(context, inputs, 0)) return std::nullopt;
  const Shape& declared = *inputs.declared;
  if (!declared.is_tuple() || declared.element_count() != 2 ||
      !declared.elements()[1].is_token()) {
    return context->Error(Rule::kDeclaredShape)
        .Arg(std::string("a tuple of data and token[]"));
  }
  return declared.WithoutLayout();
}

std::optional<Shape> InferOutfeed(InferContext* context,
                                  const OpInputs& inputs) {
  if (!ExpectToken(context, inputs, 1)) return std::nullopt;
  const Shape& shape = inputs.attributes_as<OutfeedAttributes>().outfeed_shape;
  if (!shape.is_none() && !Compatible(shape, *inputs.operands[0])) {
    return context->Error(Rule::kOperandShape, 0).Arg(shape);
  }
  return Shape::Token();
}

// --- Halves of a transfer ----------------------------------------------------
namespace {

// (data, u32[], token[]): what a transfer carries until it is done.
std::optional<Shape> TransferState(InferContext* context, const Shape& data) {
  return MakeTuple(context, {data.WithoutLayout(), ScalarOf(ElementType::kU32),
                             Shape::Token()});
}

bool IsTransferState(const Shape& shape) {
  return shape.is_tuple() && shape.element_count() == 3 &&
         SameStructure(shape.elements()[1], ScalarOf(ElementType::kU32)) &&
         shape.elements()[2].is_token();
}

bool ExpectTransferState(InferContext* context, const OpInputs& inputs) {
  if (IsTransferState(*inputs.operands[0])) return true;
  return context->Error(Rule::kOperandShape, 0)
      .Arg(std::string("a tuple of data, u32[] and token[]"));
}

}  // namespace

std::optional<Shape> InferSend(InferContext* context, const OpInputs& inputs) {
  if (!ExpectToken(context, inputs, 1)) return std::nullopt;
  return TransferState(context, *inputs.operands[0]);
}

std::optional<Shape> InferSendDone(InferContext* context,
                                   const OpInputs& inputs) {
  if (!ExpectTransferState(context, inputs)) return std::nullopt;
  return Shape::Token();
}

std::optional<Shape> InferRecv(InferContext* context, const OpInputs& inputs) {
  if (!ExpectToken(context, inputs, 0)) return std::nullopt;
  if (!IsTransferState(*inputs.declared)) {
    return context->Error(Rule::kDeclaredShape)
        .Arg(std::string("a tuple of data, u32[] and token[]"));
  }
  return inputs.declared->WithoutLayout();
}

std::optional<Shape> InferRecvDone(InferContext* context,
                                   const OpInputs& inputs) {
  if (!ExpectTransferState(context, inputs)) return std::nullopt;
  return MakeTuple(context, {inputs.operands[0]->elements()[0].WithoutLayout(),
                             Shape::Token()});
}

// (destination, source, u32[]).
std::optional<Shape> InferCopyStart(InferContext* context,
                                    const OpInputs& inputs) {
  const Shape copied = inputs.operands[0]->WithoutLayout();
  return MakeTuple(context, {copied, copied, ScalarOf(ElementType::kU32)});
}

std::optional<Shape> InferCopyDone(InferContext* context,
                                   const OpInputs& inputs) {
  const Shape& started = *inputs.operands[0];
  if (!started.is_tuple() || started.element_count() != 3 ||
      !Compatible(started.elements()[0], started.elements()[1])) {
    return context->Error(Rule::kOperandShape, 0)
        .Arg(std::string("a tuple of destination, source and u32[]"));
  }
  return started.elements()[0].WithoutLayout();
}

}  // namespace indim
