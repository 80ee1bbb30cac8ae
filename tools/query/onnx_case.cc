// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/query/onnx_case.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/infer/builder_forms.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/element_type.h"

namespace indim {
namespace {

bool ExpectCount(InferContext* context, const Case& c, size_t count) {
  if (c.operands.size() == count) return true;
  return context->Diagnose(Code::kOperandCount)
      .Arg(static_cast<int64_t>(count))
      .Arg(static_cast<int64_t>(c.operands.size()));
}

// Arrays of one element type, from operand `first` on.
bool ExpectOneType(InferContext* context, const Case& c, int first) {
  for (int i = first; i < static_cast<int>(c.operands.size()); ++i) {
    const Shape& operand = c.operands[i];
    if (!operand.is_array())
      return context->Diagnose(Code::kOperandNotArray, i);
    if (operand.element_type() != c.operands[first].element_type()) {
      return context->Diagnose(Code::kOperandTypesDiffer, i).Other(first);
    }
  }
  return true;
}

bool AnyUnranked(const Case& c) {
  return std::any_of(c.operands.begin(), c.operands.end(),
                     [](const Shape& shape) { return shape.is_unranked(); });
}

// An axis that may count from the end, in 0..rank-1.
std::optional<int> Axis(InferContext* context, const Case& c, int64_t rank) {
  const int64_t axis = c.axis.value_or(0);
  if (axis >= -rank && axis < rank) {
    return static_cast<int>(axis < 0 ? axis + rank : axis);
  }
  context->Diagnose(Code::kDimIndexRange, 0)
      .Arg(std::string("axis"))
      .Arg(axis)
      .Arg(rank);
  return std::nullopt;
}

// NumPy's rule; the conditions' operands are those of `shapes`.
std::optional<Shape> Broadcast(InferContext* context,
                               absl::Span<const Shape* const> shapes,
                               ElementType type) {
  BroadcastSpec spec;
  spec.rule = BroadcastRule::kNumpy;
  BroadcastPlan plan;
  if (!PlanBroadcast(spec, shapes, &plan, context->mutable_diagnostics())) {
    return std::nullopt;
  }
  context->AddConditions(plan.conditions);
  return Shape::Array(type, plan.dims);
}

// Operators of whose operands all broadcast.
struct Elementwise {
  absl::string_view name;
  int min_operands;
  int max_operands;      // -1: any number
  bool is_pred = false;  // the result; else of operand 0's element type
};

constexpr Elementwise kElementwise[] = {
    {"add", 2, 2},
    {"and", 2, 2},
    {"bitshift", 2, 2},
    {"bitwiseand", 2, 2},
    {"bitwiseor", 2, 2},
    {"bitwisexor", 2, 2},
    {"div", 2, 2},
    {"equal", 2, 2, true},
    {"greater", 2, 2, true},
    {"greaterorequal", 2, 2, true},
    {"less", 2, 2, true},
    {"lessorequal", 2, 2, true},
    {"max", 1, -1},
    {"mean", 1, -1},
    {"min", 1, -1},
    {"mod", 2, 2},
    {"mul", 2, 2},
    {"or", 2, 2},
    {"pow", 2, 2},
    {"sub", 2, 2},
    {"sum", 1, -1},
    {"xor", 2, 2},
    // Of one operand.
    {"abs", 1, 1},
    {"acos", 1, 1},
    {"acosh", 1, 1},
    {"asin", 1, 1},
    {"asinh", 1, 1},
    {"atan", 1, 1},
    {"atanh", 1, 1},
    {"bitwisenot", 1, 1},
    {"ceil", 1, 1},
    {"cos", 1, 1},
    {"cosh", 1, 1},
    {"elu", 1, 1},
    {"erf", 1, 1},
    {"exp", 1, 1},
    {"floor", 1, 1},
    {"gelu", 1, 1},
    {"identity", 1, 1},
    {"isinf", 1, 1, true},
    {"isnan", 1, 1, true},
    {"leakyrelu", 1, 1},
    {"log", 1, 1},
    {"neg", 1, 1},
    {"not", 1, 1},
    {"reciprocal", 1, 1},
    {"relu", 1, 1},
    {"round", 1, 1},
    {"sigmoid", 1, 1},
    {"sign", 1, 1},
    {"sin", 1, 1},
    {"sinh", 1, 1},
    {"softplus", 1, 1},
    {"sqrt", 1, 1},
    {"tan", 1, 1},
    {"tanh", 1, 1},
};

const Elementwise* FindElementwise(absl::string_view name) {
  for (const Elementwise& op : kElementwise) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

std::optional<Shape> InferElementwise(InferContext* context, const Case& c,
                                      const Elementwise& op) {
  const int count = static_cast<int>(c.operands.size());
  if (count < op.min_operands ||
      (op.max_operands >= 0 && count > op.max_operands)) {
    DiagnosticBuilder error = context->Diagnose(Code::kOperandCount);
    if (op.max_operands < 0) {
      return error.Arg(std::string("one or more")).Arg(int64_t{count});
    }
    return error.Arg(int64_t{op.min_operands}).Arg(int64_t{count});
  }
  // An exponent may be of any type.
  if (op.name != "pow" && !ExpectOneType(context, c, 0)) return std::nullopt;
  std::vector<const Shape*> operands;
  for (int i = 0; i < count; ++i) {
    operands.push_back(&c.operands[i]);
    if (!operands.back()->is_array()) {
      return context->Diagnose(Code::kOperandNotArray, i);
    }
  }
  const ElementType type =
      op.is_pred ? ElementType::kPred : c.operands[0].element_type();
  if (AnyUnranked(c)) return Shape::Unranked(type);
  return Broadcast(context, operands, type);
}

std::optional<Shape> InferWhere(InferContext* context, const Case& c) {
  if (!ExpectCount(context, c, 3) || !ExpectOneType(context, c, 1)) {
    return std::nullopt;
  }
  if (c.operands[0].element_type() != ElementType::kPred) {
    return context->Diagnose(Code::kTypeMismatch, 0).Arg(ElementType::kPred);
  }
  const ElementType type = c.operands[1].element_type();
  if (AnyUnranked(c)) return Shape::Unranked(type);
  return Broadcast(context, {&c.operands[0], &c.operands[1], &c.operands[2]},
                   type);
}

std::optional<Shape> InferExpand(InferContext* context, const Case& c) {
  if (!ExpectCount(context, c, 1) || !ExpectOneType(context, c, 0)) {
    return std::nullopt;
  }
  const ElementType type = c.operands[0].element_type();
  const std::optional<DimVector> target = DimsFromSizes(context, c.sizes);
  if (!target) return std::nullopt;
  if (AnyUnranked(c)) return Shape::Unranked(type);
  const Shape wanted = Shape::Array(type, *target);
  return Broadcast(context, {&c.operands[0], &wanted}, type);
}

std::optional<Shape> InferConcat(InferContext* context, const Case& c) {
  if (!ExpectOneType(context, c, 0)) return std::nullopt;
  std::vector<const Shape*> operands;
  int64_t rank = -1;
  for (const Shape& operand : c.operands) {
    operands.push_back(&operand);
    if (rank < 0 && operand.has_rank()) rank = operand.rank();
  }
  if (rank < 0) {
    if (c.operands.empty())
      return context->Diagnose(Code::kOperandCount)
          .Arg(std::string("one or more"))
          .Arg(int64_t{0});
    return Shape::Unranked(c.operands[0].element_type());
  }
  const std::optional<int> axis = Axis(context, c, rank);
  if (!axis) return std::nullopt;
  DimensionsAttributes along;
  along.dimensions = {*axis};
  const Attributes attributes = along;
  OpInputs inputs;
  inputs.opcode = Opcode::kConcatenate;
  inputs.operands = operands;
  inputs.attributes = &attributes;
  return InferShape(context, inputs);
}

// All but the last two dims.
Shape Batch(const Shape& matrix) {
  return Shape::Array(matrix.element_type(),
                      matrix.dims().subspan(0, matrix.dims().size() - 2));
}

// A vector is a row on the left and a column on the right, which the result
// then lacks.
std::optional<Shape> InferMatMul(InferContext* context, const Case& c) {
  if (!ExpectCount(context, c, 2) || !ExpectOneType(context, c, 0)) {
    return std::nullopt;
  }
  const ElementType type = c.operands[0].element_type();
  for (int i = 0; i < 2; ++i) {
    if (c.operands[i].is_scalar()) {
      return context->Diagnose(Code::kRankTooLow, i).Arg(int64_t{1});
    }
  }
  if (AnyUnranked(c)) return Shape::Unranked(type);
  Shape lhs = c.operands[0], rhs = c.operands[1];
  const bool row = lhs.rank() == 1, column = rhs.rank() == 1;
  if (row) lhs = Shape::Array(type, {Dim::Static(1), lhs.dim(0)});
  if (column) rhs = Shape::Array(type, {rhs.dim(0), Dim::Static(1)});
  const Dim inner = lhs.dim(lhs.rank() - 1), outer = rhs.dim(rhs.rank() - 2);
  if (!CompatibleDims(inner, outer)) {
    return context
        ->Diagnose(Code::kSizesMustMatch, 1, column ? 0 : rhs.rank() - 2)
        .Other(0, c.operands[0].rank() - 1);
  }
  context->Require({Condition::Kind::kEqual, inner, outer});
  const Shape lhs_batch = Batch(lhs), rhs_batch = Batch(rhs);
  std::optional<Shape> result =
      Broadcast(context, {&lhs_batch, &rhs_batch}, type);
  if (!result) return std::nullopt;
  if (!row) result->add_dim(lhs.dim(lhs.rank() - 2));
  if (!column) result->add_dim(rhs.dim(rhs.rank() - 1));
  return result;
}

std::optional<Shape> InferGather(InferContext* context, const Case& c) {
  if (!ExpectCount(context, c, 2)) return std::nullopt;
  const Shape& data = c.operands[0];
  const Shape& indices = c.operands[1];
  for (int i = 0; i < 2; ++i) {
    if (!c.operands[i].is_array()) {
      return context->Diagnose(Code::kOperandNotArray, i);
    }
  }
  if (!IsIntegral(indices.element_type())) {
    return context->Diagnose(Code::kOperandTypeClass, 1)
        .Arg(std::string("integral"));
  }
  if (data.is_unranked()) return data;
  const std::optional<int> axis = Axis(context, c, data.rank());
  if (!axis) return std::nullopt;
  if (indices.is_unranked()) return Shape::Unranked(data.element_type());
  Shape result = Shape::Scalar(data.element_type());
  for (int i = 0; i < *axis; ++i) result.add_dim(data.dim(i));
  for (const Dim dim : indices.dims()) result.add_dim(dim);
  for (int i = *axis + 1; i < data.rank(); ++i) result.add_dim(data.dim(i));
  return result;
}

// --- Reshape -----------------------------------------------------------------

// 0 takes the operand's dim of that place over (unless allowzero), one -1 is
// what is left.
struct OnnxReshapeTarget {
  DimVector dims;
  int missing = -1;
  std::vector<bool> copied;  // of the operand's dims
};

std::optional<OnnxReshapeTarget> ReadTarget(InferContext* context,
                                            const Case& c) {
  const Shape& operand = c.operands[0];
  OnnxReshapeTarget target;
  target.copied.resize(operand.dims().size());
  for (size_t i = 0; i < c.sizes.size(); ++i) {
    const int64_t size = c.sizes[i];
    const int dim = static_cast<int>(i);
    if (size == -1 && target.missing >= 0) {
      context->Diagnose(Code::kReshapeTwoMissing, 0);
      return std::nullopt;
    }
    if (size < -1) {
      context->Diagnose(Code::kNegativeSize, -1, dim)
          .Arg(size)
          .Arg(std::string());
      return std::nullopt;
    }
    if (size == -1) target.missing = dim;
    if (size != 0 || c.allow_zero) {
      target.dims.push_back(size < 0 ? Dim::Unknown() : Dim::Static(size));
    } else if (operand.is_unranked()) {
      target.dims.push_back(Dim::Unknown());
    } else if (dim < operand.rank()) {
      target.dims.push_back(operand.dim(dim));
      target.copied[i] = true;
    } else {
      context->Diagnose(Code::kReshapeCopiesNothing, 0, dim)
          .Arg(int64_t{operand.rank()});
      return std::nullopt;
    }
  }
  return target;
}

std::optional<Shape> InferReshape(InferContext* context, const Case& c) {
  if (!ExpectCount(context, c, 1) || !ExpectOneType(context, c, 0)) {
    return std::nullopt;
  }
  const Shape& operand = c.operands[0];
  const std::optional<OnnxReshapeTarget> target = ReadTarget(context, c);
  if (!target) return std::nullopt;
  Shape result = Shape::Array(operand.element_type(), target->dims);
  if (operand.is_unranked()) return result;
  if (target->missing < 0) {
    // ONNX doesn't count; what can't be gets a warning.
    InferContext counting;
    std::optional<Shape> counted =
        InferReshapeTo(&counting, operand, target->dims);
    if (counting.has_error()) {
      context->Diagnose(Code::kReshapeCountsOdd, 0).Arg(result);
    }
    for (const Condition& condition : counting.conditions()) {
      context->Require(condition);
    }
    return result;
  }
  // What is copied is on both sides, whatever its size: but not 0, which would
  // leave the missing size open.
  DimVector left, others;
  for (int i = 0; i < operand.rank(); ++i) {
    const Dim dim = operand.dim(i);
    if (!target->copied[i]) {
      left.push_back(dim);
    } else if (!context->Require(
                   {Condition::Kind::kAtMost, Dim::Static(1), dim})) {
      return context->Diagnose(Code::kReshapeZeroWithMissing, 0, i);
    }
  }
  for (int i = 0; i < result.rank(); ++i) {
    const bool copied =
        i < operand.rank() && target->copied[static_cast<size_t>(i)];
    if (i == target->missing || copied) continue;
    if (result.dim(i).is(0)) {
      return context->Diagnose(Code::kReshapeZeroWithMissing, -1, i);
    }
    others.push_back(result.dim(i));
  }
  // Nothing is left of no elements, however many sizes are not known.
  const auto is_zero = [](Dim dim) { return dim.is(0); };
  const auto is_positive = [](Dim dim) { return dim.lower() > 0; };
  if (std::any_of(left.begin(), left.end(), is_zero) &&
      std::all_of(others.begin(), others.end(), is_positive)) {
    result.set_dim(target->missing, Dim::Static(0));
    return result;
  }
  const std::optional<Dim> missing = InferMissingSize(
      context, Shape::Array(operand.element_type(), left), others, result);
  if (!missing) return std::nullopt;
  result.set_dim(target->missing, *missing);
  return result;
}

}  // namespace

bool IsOnnxOperator(absl::string_view name) {
  const std::string op = absl::AsciiStrToLower(name);
  for (absl::string_view other :
       {"concat", "matmul", "reshape", "expand", "where", "gather"}) {
    if (op == other) return true;
  }
  return FindElementwise(op) != nullptr;
}

std::optional<Shape> InferOnnxCase(InferContext* context, const Case& c) {
  const std::string op = absl::AsciiStrToLower(c.op);
  if (op == "concat") return InferConcat(context, c);
  if (op == "matmul") return InferMatMul(context, c);
  if (op == "reshape") return InferReshape(context, c);
  if (op == "expand") return InferExpand(context, c);
  if (op == "where") return InferWhere(context, c);
  if (op == "gather") return InferGather(context, c);
  static constexpr Elementwise kOther = {"", 2, 2};
  const Elementwise* const elementwise = FindElementwise(op);
  return InferElementwise(context, c,
                          elementwise != nullptr ? *elementwise : kOther);
}

}  // namespace indim
