// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/scalar_fold.h"

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/recorder.h"
#include "indim/builder/shared_state.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/tape.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim::internal {
namespace {

bool IsParameter(const Instruction& node, int number) {
  return node.opcode() == Opcode::kParameter &&
         As<ParameterAttributes>(node.attributes()).number == number;
}

ScalarFold FoldOf(Opcode opcode) {
  switch (opcode) {
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

// The value that a node only hands on: behind elements of tuples that are made
// here, behind copies and reshapes to the same shape, and behind notes of
// shardings. TensorFlow's computations end in such nodes, JAX's in notes.
Instruction SourceOf(Instruction node) {
  for (;;) {
    const bool same_shape =
        (node.opcode() == Opcode::kReshape || node.opcode() == Opcode::kCopy ||
         (IsShardingNote(node) && node.operand_count() == 1)) &&
        node.shape() == node.operand(0).shape();
    if (same_shape) {
      node = node.operand(0);
    } else if (node.opcode() == Opcode::kGetTupleElement &&
               node.operand(0).opcode() == Opcode::kTuple) {
      node = node.operand(0).operand(static_cast<int>(
          As<GetTupleElementAttributes>(node.attributes()).index));
    } else {
      return node;
    }
  }
}

// What the computation gives for array i.
Instruction RootOf(const Computation& computation, int i) {
  const Instruction root = SourceOf(computation.root());
  return root.opcode() == Opcode::kTuple ? SourceOf(root.operand(i)) : root;
}

// An operation of two values.
struct FoldParts {
  Opcode opcode;
  Instruction lhs, rhs;
};

// What a root is: also in a computation that it calls, and in a wider type, in
// `depth` of these at most.
std::optional<FoldParts> FoldPartsOf(const Instruction& root, int depth = 8) {
  if (depth == 0) return std::nullopt;
  if (root.opcode() == Opcode::kConvert) {
    std::optional<FoldParts> parts = FoldPartsOf(root.operand(0), depth - 1);
    if (!parts) return std::nullopt;
    for (Instruction* const side : {&parts->lhs, &parts->rhs}) {
      if (side->opcode() != Opcode::kConvert) return std::nullopt;
      *side = side->operand(0);
      if (side->shape().element_type() != root.shape().element_type()) {
        return std::nullopt;
      }
    }
    return parts;
  }
  if (root.operand_count() != 2) return std::nullopt;
  if (root.opcode() != Opcode::kCall) {
    return FoldParts{root.opcode(), root.operand(0), root.operand(1)};
  }
  std::optional<FoldParts> parts =
      FoldPartsOf(root.callee(0).root(), depth - 1);
  if (!parts) return std::nullopt;
  for (Instruction* const side : {&parts->lhs, &parts->rhs}) {
    if (side->opcode() != Opcode::kParameter) return std::nullopt;
    *side = root.operand(
        static_cast<int>(As<ParameterAttributes>(side->attributes()).number));
  }
  return parts;
}

// The extremum that a selection by comparison is.
std::optional<FoldParts> SelectedParts(const Instruction& root) {
  if (root.opcode() != Opcode::kSelect ||
      root.operand(0).opcode() != Opcode::kCompare) {
    return std::nullopt;
  }
  const Instruction compare = root.operand(0);
  const Instruction lhs = root.operand(1), rhs = root.operand(2);
  const Instruction first = compare.operand(0), second = compare.operand(1);
  const bool in_order = first == lhs && second == rhs;
  if (!in_order && !(first == rhs && second == lhs)) return std::nullopt;
  switch (As<CompareAttributes>(compare.attributes()).direction) {
    case ComparisonDirection::kGe:
    case ComparisonDirection::kGt:
      return FoldParts{in_order ? Opcode::kMaximum : Opcode::kMinimum, lhs,
                       rhs};
    case ComparisonDirection::kLe:
    case ComparisonDirection::kLt:
      return FoldParts{in_order ? Opcode::kMinimum : Opcode::kMaximum, lhs,
                       rhs};
    default:
      return std::nullopt;
  }
}

}  // namespace

ScalarFold ScalarFoldOf(const Computation& computation, int i, int count) {
  const Instruction root = RootOf(computation, i);
  if (IsParameter(root, i)) return ScalarFold::kFirst;
  if (IsParameter(root, count + i)) return ScalarFold::kSecond;
  const std::optional<FoldParts> parts = FoldPartsOf(root);
  if (!parts) return ScalarFold::kOther;
  const bool in_order =
      IsParameter(parts->lhs, i) && IsParameter(parts->rhs, count + i);
  const bool swapped =
      IsParameter(parts->rhs, i) && IsParameter(parts->lhs, count + i);
  return in_order || swapped ? FoldOf(parts->opcode) : ScalarFold::kOther;
}

ScalarFold ScalarFoldOf(const Computation& computation) {
  return ScalarFoldOf(computation, 0, 1);
}

ScalarFold UpdateFoldOf(const Computation& computation, int i, int count) {
  // Which instructions read the arrays.
  std::vector<bool> reads;
  for (const Instruction node : computation.instructions()) {
    bool any = node.opcode() == Opcode::kParameter &&
               As<ParameterAttributes>(node.attributes()).number < count;
    for (const Instruction operand : node.operands()) {
      any = any || reads[static_cast<size_t>(operand.index())];
    }
    reads.push_back(any);
  }
  const auto of_updates = [&](const Instruction& node) {
    return !reads[static_cast<size_t>(node.index())];
  };
  const Instruction root = RootOf(computation, i);
  if (IsParameter(root, i)) return ScalarFold::kFirst;
  if (of_updates(root)) return ScalarFold::kSecond;
  std::optional<FoldParts> parts = FoldPartsOf(root);
  if (!parts) parts = SelectedParts(root);
  if (!parts) return ScalarFold::kOther;
  if (IsParameter(parts->lhs, i) && of_updates(parts->rhs)) {
    if (parts->opcode == Opcode::kSubtract) return ScalarFold::kAdd;
    if (parts->opcode == Opcode::kDivide) return ScalarFold::kMultiply;
    return FoldOf(parts->opcode);
  }
  return IsParameter(parts->rhs, i) && of_updates(parts->lhs)
             ? FoldOf(parts->opcode)
             : ScalarFold::kOther;
}

bool FoldsUpdates(const Instruction& scatter) {
  const int count = scatter.operand_count() / 2;
  for (int i = 0; i < count; ++i) {
    if (!IsDifferentiable(scatter.operand(i).shape()) ||
        UpdateFoldOf(scatter.callee(0), i, count) == ScalarFold::kOther) {
      return false;
    }
  }
  return true;
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
