// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/op.h"

#include <utility>

#include "indim/builder/recorder.h"

namespace indim {
namespace {

using internal::Recorder;

Op Unary(Opcode opcode, const OperandAtCaller& operand) {
  Recorder* recorder = Recorder::Of(operand.operand.op());
  if (recorder->is_none()) return operand.operand.op();
  return recorder->Unary(opcode, operand.operand.op(), operand.caller);
}

Recorder* RecorderOf(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  Recorder* recorder = Recorder::Of(lhs.operand.op());
  return recorder->is_none() ? Recorder::Of(rhs.operand.op()) : recorder;
}

// The first that had a builder: a use of the result reports that one.
Op GoneOf(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return lhs.operand.op() != Op() ? lhs.operand.op() : rhs.operand.op();
}

Op Binary(Opcode opcode, const OperandAtCaller& lhs,
          const OperandAtCaller& rhs) {
  Recorder* recorder = RecorderOf(lhs, rhs);
  if (recorder->is_none()) return GoneOf(lhs, rhs);
  return recorder->Binary(opcode, lhs.operand, rhs.operand, BroadcastSpec(),
                          lhs.caller);
}

Op Ordered(ComparisonDirection direction, const OperandAtCaller& lhs,
           const OperandAtCaller& rhs) {
  Recorder* recorder = RecorderOf(lhs, rhs);
  if (recorder->is_none()) return GoneOf(lhs, rhs);
  CompareAttributes attributes;
  attributes.direction = direction;
  return recorder->Compare(lhs.operand, rhs.operand, attributes, lhs.caller);
}

}  // namespace

Callee::Callee(absl::StatusOr<Module> module) {
  if (module.ok()) {
    module_ = *std::move(module);
  } else {
    status_ = module.status();
  }
}
Callee::Callee(Module module) : module_(std::move(module)) {}

size_t StartsArg::size() const {
  return std::visit([](const auto& list) { return list.size(); }, starts_);
}
Operand StartsArg::operator[](size_t i) const {
  return std::visit([i](const auto& list) { return Operand(list[i]); },
                    starts_);
}

Op operator<(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Ordered(ComparisonDirection::kLt, lhs, rhs);
}
Op operator<=(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Ordered(ComparisonDirection::kLe, lhs, rhs);
}
Op operator>(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Ordered(ComparisonDirection::kGt, lhs, rhs);
}
Op operator>=(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Ordered(ComparisonDirection::kGe, lhs, rhs);
}
Op operator+(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Binary(Opcode::kAdd, lhs, rhs);
}
Op operator-(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Binary(Opcode::kSubtract, lhs, rhs);
}
Op operator*(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Binary(Opcode::kMultiply, lhs, rhs);
}
Op operator/(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Binary(Opcode::kDivide, lhs, rhs);
}
Op operator%(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Binary(Opcode::kRemainder, lhs, rhs);
}
Op operator-(const OperandAtCaller& operand) {
  return Unary(Opcode::kNegate, operand);
}
Op operator&(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Binary(Opcode::kAnd, lhs, rhs);
}
Op operator|(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Binary(Opcode::kOr, lhs, rhs);
}
Op operator^(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Binary(Opcode::kXor, lhs, rhs);
}
Op operator~(const OperandAtCaller& operand) {
  return Unary(Opcode::kNot, operand);
}
Op operator<<(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  return Binary(Opcode::kShiftLeft, lhs, rhs);
}
Op operator>>(const OperandAtCaller& lhs, const OperandAtCaller& rhs) {
  const Recorder* recorder = RecorderOf(lhs, rhs);
  const Shape* shape = recorder->ShapeOf(
      lhs.operand.is_number() ? rhs.operand.op() : lhs.operand.op());
  const bool is_signed = shape != nullptr && IsSigned(shape->element_type());
  return Binary(
      is_signed ? Opcode::kShiftRightArithmetic : Opcode::kShiftRightLogical,
      lhs, rhs);
}

Op& operator+=(Op& lhs, const OperandAtCaller& rhs) {
  return lhs = OperandAtCaller(lhs, rhs.caller) + rhs;
}
Op& operator-=(Op& lhs, const OperandAtCaller& rhs) {
  return lhs = OperandAtCaller(lhs, rhs.caller) - rhs;
}
Op& operator*=(Op& lhs, const OperandAtCaller& rhs) {
  return lhs = OperandAtCaller(lhs, rhs.caller) * rhs;
}
Op& operator/=(Op& lhs, const OperandAtCaller& rhs) {
  return lhs = OperandAtCaller(lhs, rhs.caller) / rhs;
}
Op& operator%=(Op& lhs, const OperandAtCaller& rhs) {
  return lhs = OperandAtCaller(lhs, rhs.caller) % rhs;
}
Op& operator&=(Op& lhs, const OperandAtCaller& rhs) {
  return lhs = OperandAtCaller(lhs, rhs.caller) & rhs;
}
Op& operator|=(Op& lhs, const OperandAtCaller& rhs) {
  return lhs = OperandAtCaller(lhs, rhs.caller) | rhs;
}
Op& operator^=(Op& lhs, const OperandAtCaller& rhs) {
  return lhs = OperandAtCaller(lhs, rhs.caller) ^ rhs;
}

}  // namespace indim
