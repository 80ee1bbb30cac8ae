// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/scalar_fold.h"

#include "absl/strings/str_cat.h"
#include "indim/builder/recorder.h"
#include "indim/builder/shared_state.h"
#include "indim/grad/tape.h"
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
  return SharedState::Shared(
      RecorderOf(*builder)->family(), "sum", shape.element_type(), [&] {
        const ElementType type = shape.element_type();
        ComputationBuilder sum =
            builder->SubBuilder(absl::StrCat("sum_", Name(type)));
        const Shape scalar = Shape::Scalar(type);
        const Op lhs = sum.Parameter(0, scalar, "x");
        const Op rhs = sum.Parameter(1, scalar, "y");
        return sum.BuildCallee(sum.Add(lhs, rhs));
      });
}

std::vector<Callee> AddersOf(const Tape& tape, const Shape& shape) {
  if (!tape.is_forward()) return {};
  return {AdderOf(&tape.primal(), shape)};
}

}  // namespace indim::internal
