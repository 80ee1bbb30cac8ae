// SPDX-License-Identifier: Apache-2.0
// Numbers among the operands of a call.

#include <cmath>
#include <string>

#include "indim/builder/record_util.h"

namespace indim::internal {
namespace {

// The scalar, if the type has a value that is the number (a float type: that
// is near it).
absl::StatusOr<Literal> ExactScalar(ElementType type, const Number& number) {
  absl::StatusOr<Literal> literal = Literal::Scalar(type, number);
  if (!literal.ok()) return literal;
  const double wanted = number.AsDouble(), got = literal->AsDouble(0);
  const bool ok = type == ElementType::kPred
                      ? got == wanted
                      : std::isfinite(wanted) == std::isfinite(got);
  if (!ok) return absl::InvalidArgumentError("not a value of the type");
  return literal;
}

// Records a number, operand `operand` of a call, as a constant of `type`.
// Returns false after an error (IND0636). *op is the result.
bool MakeScalar(Recorder* recorder, Opcode opcode, const Number& number,
                int operand, ElementType type, Caller caller, Op* op) {
  const absl::StatusOr<Literal> literal = ExactScalar(type, number);
  if (!literal.ok()) {
    *op = recorder->Reject(
        opcode, {}, Code::kScalarValue,
        {int64_t{operand}, number.ToString(), std::string(Name(type))}, caller);
    return false;
  }
  *op = OwnConstant(recorder, *literal, caller);
  return true;
}

}  // namespace

bool MakeScalars(Recorder* recorder, Opcode opcode,
                 absl::Span<const Operand> operands, size_t typed,
                 Caller caller, Op* ops, Op* result) {
  for (size_t i = 0; i < operands.size(); ++i) ops[i] = operands[i].op();
  for (size_t i = 0; operands[typed].is_number() && i < operands.size(); ++i) {
    if (!operands[i].is_number()) typed = i;
  }
  if (operands[typed].is_number()) {
    *result = recorder->Reject(opcode, {}, Code::kScalarAlone,
                               {operands[typed].number().ToString()}, caller);
    return false;
  }
  const Shape* const like = recorder->ShapeOf(ops[typed]);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].is_number()) continue;
    if (like == nullptr || !like->is_array()) {
      ops[i] = ops[typed];  // it is reported for what it is
      continue;
    }
    if (!MakeScalar(recorder, opcode, operands[i].number(), static_cast<int>(i),
                    like->element_type(), caller, &ops[i])) {
      *result = ops[i];
      return false;
    }
  }
  return true;
}

bool AddStarts(Recorder* recorder, Opcode opcode, const StartsArg& starts,
               Caller caller, std::vector<Op>* operands, Op* result) {
  ElementType type = ElementType::kS32;
  for (size_t i = starts.size(); i-- > 0;) {
    const Shape* const shape = recorder->ShapeOf(starts[i].op());
    if (shape != nullptr && shape->is_array()) type = shape->element_type();
  }
  for (size_t i = 0; i < starts.size(); ++i) {
    Op start = starts[i].op();
    const int operand = static_cast<int>(operands->size());
    if (starts[i].is_number() &&
        !MakeScalar(recorder, opcode, starts[i].number(), operand, type, caller,
                    &start)) {
      *result = start;
      return false;
    }
    operands->push_back(start);
  }
  return true;
}

}  // namespace indim::internal
