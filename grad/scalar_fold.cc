// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/scalar_fold.h"

#include "indim/grad/emit.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim::internal {

ScalarFold ScalarFoldOf(const Computation& computation, int i, int count) {
  Instruction root = computation.root();
  if (root.opcode() == Opcode::kTuple) root = root.operand(i);
  const auto is_parameter = [](const Instruction& node, int number) {
    return node.opcode() == Opcode::kParameter &&
           As<ParameterAttributes>(node.attributes()).number == number;
  };
  if (is_parameter(root, i)) return ScalarFold::kFirst;
  if (is_parameter(root, count + i)) return ScalarFold::kSecond;
  if (root.operand_count() != 2 ||
      !((is_parameter(root.operand(0), i) &&
         is_parameter(root.operand(1), count + i)) ||
        (is_parameter(root.operand(1), i) &&
         is_parameter(root.operand(0), count + i)))) {
    return ScalarFold::kOther;
  }
  switch (root.opcode()) {
    case Opcode::kAdd:
      return ScalarFold::kAdd;
    case Opcode::kMultiply:
      return ScalarFold::kMultiply;
    case Opcode::kMaximum:
      return ScalarFold::kMaximum;
    case Opcode::kMinimum:
      return ScalarFold::kMinimum;
    default:
      return ScalarFold::kOther;
  }
}

ScalarFold ScalarFoldOf(const Computation& computation) {
  return ScalarFoldOf(computation, 0, 1);
}

Callee AdderOf(ComputationBuilder* builder, const Shape& shape) {
  ComputationBuilder add = builder->SubBuilder("add");
  const Shape scalar = Shape::Scalar(shape.element_type());
  const Op lhs = add.Parameter(0, scalar), rhs = add.Parameter(1, scalar);
  return add.BuildCallee(add.Add(lhs, rhs));
}

std::vector<Callee> AddersOf(const Tape& tape, const Shape& shape) {
  if (!tape.is_forward()) return {};
  return {AdderOf(&tape.primal(), shape)};
}

}  // namespace indim::internal
