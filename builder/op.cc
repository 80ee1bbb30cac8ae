#include "indim/builder/op.h"

#include <utility>

#include "indim/builder/recorder.h"

namespace indim {
namespace {

using internal::Recorder;

Op Unary(Opcode opcode, const OpAtCaller& operand) {
  Recorder* recorder = Recorder::Of(operand.op);
  if (recorder == nullptr) return Op();
  return recorder->Unary(opcode, operand.op, operand.caller);
}

Recorder* RecorderOf(const OpAtCaller& lhs, const OpAtCaller& rhs) {
  Recorder* recorder = Recorder::Of(lhs.op);
  return recorder != nullptr ? recorder : Recorder::Of(rhs.op);
}

Op Binary(Opcode opcode, const OpAtCaller& lhs, const OpAtCaller& rhs) {
  Recorder* recorder = RecorderOf(lhs, rhs);
  if (recorder == nullptr) return Op();
  return recorder->Binary(opcode, lhs.op, rhs.op, BroadcastSpec(), lhs.caller);
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

Op operator+(OpAtCaller lhs, OpAtCaller rhs) {
  return Binary(Opcode::kAdd, lhs, rhs);
}
Op operator-(OpAtCaller lhs, OpAtCaller rhs) {
  return Binary(Opcode::kSubtract, lhs, rhs);
}
Op operator*(OpAtCaller lhs, OpAtCaller rhs) {
  return Binary(Opcode::kMultiply, lhs, rhs);
}
Op operator/(OpAtCaller lhs, OpAtCaller rhs) {
  return Binary(Opcode::kDivide, lhs, rhs);
}
Op operator%(OpAtCaller lhs, OpAtCaller rhs) {
  return Binary(Opcode::kRemainder, lhs, rhs);
}
Op operator-(OpAtCaller operand) { return Unary(Opcode::kNegate, operand); }
Op operator&(OpAtCaller lhs, OpAtCaller rhs) {
  return Binary(Opcode::kAnd, lhs, rhs);
}
Op operator|(OpAtCaller lhs, OpAtCaller rhs) {
  return Binary(Opcode::kOr, lhs, rhs);
}
Op operator^(OpAtCaller lhs, OpAtCaller rhs) {
  return Binary(Opcode::kXor, lhs, rhs);
}
Op operator~(OpAtCaller operand) { return Unary(Opcode::kNot, operand); }
Op operator<<(OpAtCaller lhs, OpAtCaller rhs) {
  return Binary(Opcode::kShiftLeft, lhs, rhs);
}
Op operator>>(OpAtCaller lhs, OpAtCaller rhs) {
  const Recorder* recorder = RecorderOf(lhs, rhs);
  const Shape* shape =
      recorder == nullptr ? nullptr : recorder->ShapeOf(lhs.op);
  const bool is_signed = shape != nullptr && IsSigned(shape->element_type());
  return Binary(
      is_signed ? Opcode::kShiftRightArithmetic : Opcode::kShiftRightLogical,
      lhs, rhs);
}

}  // namespace indim
