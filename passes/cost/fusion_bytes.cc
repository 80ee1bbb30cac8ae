// SPDX-License-Identifier: Apache-2.0
// What a fusion reads and writes: its inner results stay where they are
// computed. Source: XLA, HloCostAnalysis::HandleFusion.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "indim/passes/cost/op_costs.h"
#include "indim/passes/cost/sizes.h"
#include "indim/shape/ops/attributes.h"

namespace indim::internal {
namespace {

// How deep fusions may be in fusions, for reads of their parameters.
constexpr int kMaxNested = 64;

// The instructions of a computation that use each other one, each once.
class FusedUsers {
 public:
  explicit FusedUsers(const Computation& computation)
      : computation_(computation),
        users_(static_cast<size_t>(computation.instruction_count())) {
    for (const Instruction node : computation.instructions()) {
      for (const Instruction operand : node.operands()) {
        std::vector<int>& users = users_[static_cast<size_t>(operand.index())];
        if (users.empty() || users.back() != node.index()) {
          users.push_back(node.index());
        }
      }
    }
  }
  const std::vector<int>& Of(const Instruction& node) const {
    return users_[static_cast<size_t>(node.index())];
  }
  Instruction At(int i) const { return computation_.instruction(i); }

 private:
  Computation computation_;
  std::vector<std::vector<int>> users_;
};

Instruction ParameterOf(const Computation& computation, int64_t number) {
  for (const Instruction node : computation.instructions()) {
    if (node.opcode() == Opcode::kParameter &&
        As<ParameterAttributes>(node.attributes()).number == number) {
      return node;
    }
  }
  return Instruction::Nothing();
}

// What a slicing user reads of `value`; nullptr of any other user.
struct Reads {
  const Instruction& value;
  bool* whole_is_read;

  Amount Whole() const {
    if (*whole_is_read) return Amount(0);
    *whole_is_read = true;
    return BytesOf(value.shape());
  }
  bool BySlice(const Instruction& user, Amount* bytes) const {
    const bool is_first = user.operand(0) == value;
    switch (user.opcode()) {
      case Opcode::kSlice:
        *bytes = BytesOf(user.shape());
        return true;
      case Opcode::kDynamicSlice:
        *bytes = is_first ? BytesOf(user.shape()) : Whole();
        return true;
      case Opcode::kDynamicUpdateSlice:
        // The first operand is where the result is written.
        *bytes = is_first ? Amount(0) : Whole();
        return true;
      default:
        return false;
    }
  }
};

Amount ReadBytes(const Instruction& value, const FusedUsers& users, int depth);

// What fusions inside a fusion read of `value`, for each use of their results.
Amount ReadByFusion(const Instruction& value, const Instruction& fusion,
                    const FusedUsers& users, int depth) {
  Amount sum;
  const Computation inner = fusion.callee(0);
  const Instruction root = inner.root();
  for (int i = 0; i < fusion.operand_count(); ++i) {
    if (!(fusion.operand(i) == value)) continue;
    const Instruction parameter = ParameterOf(inner, i);
    const bool is_simple =
        root.operand_count() == 0 || parameter == root.operand(0);
    bool whole_is_read = false;
    for (const int u : users.Of(fusion)) {
      Amount bytes;
      if (is_simple &&
          Reads{fusion, &whole_is_read}.BySlice(users.At(u), &bytes)) {
        sum += bytes;
      } else if (!whole_is_read && depth < kMaxNested) {
        whole_is_read = true;
        if (parameter.index() < inner.instruction_count() &&
            parameter.computation() == inner) {
          sum += ReadBytes(parameter, FusedUsers(inner), depth + 1);
        }
      }
    }
  }
  return sum;
}

// What is read of a parameter of a fusion, or of an element of one.
Amount ReadBytes(const Instruction& value, const FusedUsers& users, int depth) {
  Amount sum;
  bool whole_is_read = false;
  const Reads reads{value, &whole_is_read};
  for (const int u : users.Of(value)) {
    const Instruction user = users.At(u);
    Amount bytes;
    if (user.opcode() == Opcode::kFusion) {
      sum += ReadByFusion(value, user, users, depth);
    } else if (reads.BySlice(user, &bytes)) {
      sum += bytes;
    } else if (user.opcode() == Opcode::kBroadcast ||
               user.opcode() == Opcode::kReshape) {
      sum += BytesOf(value.shape());
    } else {
      sum += reads.Whole();
    }
  }
  return sum;
}

// Of each array of the shape, which may be in tuples, through the
// get-tuple-elements that lead to it.
Amount ReadLeaves(const Instruction& value, const Shape& shape,
                  const FusedUsers& users) {
  if (!shape.is_tuple()) return ReadBytes(value, users, 0);
  Amount sum;
  for (int i = 0; i < shape.tuple_size(); ++i) {
    // Without one XLA counts what reads the tuple.
    Instruction element = value;
    for (const int u : users.Of(value)) {
      const Instruction user = users.At(u);
      if (user.opcode() == Opcode::kGetTupleElement &&
          As<GetTupleElementAttributes>(user.attributes()).index == i) {
        element = user;
        break;
      }
    }
    sum += ReadLeaves(element, shape.elements()[static_cast<size_t>(i)], users);
  }
  return sum;
}

Amount WrittenBytes(const Instruction& root, const Shape& shape) {
  if (shape.is_array()) {
    return root.opcode() == Opcode::kDynamicUpdateSlice
               ? BytesOf(root.operand(1).shape())
               : BytesOf(shape);
  }
  Amount sum;
  const bool is_tuple = root.opcode() == Opcode::kTuple;
  for (int i = 0; i < shape.tuple_size(); ++i) {
    const Shape& element = shape.elements()[static_cast<size_t>(i)];
    const bool is_known = is_tuple && i < root.operand_count();
    sum += WrittenBytes(is_known && element.is_array() ? root.operand(i) : root,
                        element);
  }
  return sum;
}

}  // namespace

Amount BytesOfFusion(const Instruction& fusion) {
  if (fusion.callee_count() == 0) return Amount(0);
  const Computation body = fusion.callee(0);
  const FusedUsers users(body);
  Amount sum = WrittenBytes(body.root(), fusion.shape());
  for (const Instruction node : body.instructions()) {
    if (node.opcode() == Opcode::kParameter) {
      sum += ReadLeaves(node, node.shape(), users);
    } else if (node.opcode() == Opcode::kConstant) {
      const Amount elements = ElementsOf(node.shape());
      // One element is part of the code.
      if (!elements.is_number() || elements.number() > 1) {
        sum += BytesOf(node.shape());
      }
    }
  }
  return sum;
}

}  // namespace indim::internal
