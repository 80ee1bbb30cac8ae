// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/loop_writes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "indim/grad/linearizer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim::internal {
namespace {

// Where a value holds the array.
struct HeldArray {
  static constexpr int64_t kNowhere = -2, kItself = -1;
  int64_t element = kNowhere;  // of the tuple that the value is
  bool is_written = false;
};

// Follows an array from the state through the body.
class ArrayPath {
 public:
  ArrayPath(const CallChain* body, int64_t count, int64_t* budget)
      : body_(body), count_(count), budget_(budget) {}

  // Where the root holds it, if parameter `number` is `given`; nullopt: the
  // array is used in another way than to be written once.
  std::optional<HeldArray> Through(const Computation& computation,
                                   int64_t number, HeldArray given,
                                   const CallChain* site) {
    *budget_ -= computation.instruction_count();
    if (*budget_ < 0) return std::nullopt;
    const std::vector<bool> needed = NeededByRoot(computation);
    std::vector<HeldArray> held(needed.size());
    for (const Instruction node : computation.instructions()) {
      const auto i = static_cast<size_t>(node.index());
      if (!needed[i]) continue;
      if (node.opcode() == Opcode::kParameter) {
        if (As<ParameterAttributes>(node.attributes()).number == number) {
          held[i] = given;
        }
        continue;
      }
      int operand = -1;
      for (int k = 0; k < node.operand_count(); ++k) {
        if (At(held, node.operand(k)).element == HeldArray::kNowhere) continue;
        if (operand >= 0) return std::nullopt;
        operand = k;
      }
      if (operand < 0) continue;
      const auto result =
          Of(node, operand, At(held, node.operand(operand)), site);
      if (!result) return std::nullopt;
      held[i] = *result;
    }
    return At(held, computation.root());
  }

  LoopWrites writes() const { return writes_; }

 private:
  static HeldArray At(const std::vector<HeldArray>& held,
                      const Instruction& node) {
    return held[static_cast<size_t>(node.index())];
  }

  // Of an instruction whose operand k holds it.
  std::optional<HeldArray> Of(const Instruction& node, int k, HeldArray held,
                              const CallChain* site) {
    const bool is_array = held.element == HeldArray::kItself;
    switch (node.opcode()) {
      case Opcode::kGetTupleElement:
        if (As<GetTupleElementAttributes>(node.attributes()).index !=
            held.element) {
          return HeldArray();
        }
        return HeldArray{HeldArray::kItself, held.is_written};
      case Opcode::kTuple:
        if (!is_array) return std::nullopt;
        return HeldArray{k, held.is_written};
      case Opcode::kCall: {
        const CallChain inner{node, 0, site};
        return Through(node.callee(0), k, held, &inner);
      }
      case Opcode::kDynamicUpdateSlice:
        if (!is_array || k != 0 || held.is_written) return std::nullopt;
        writes_ = WritesOf(node, site);
        if (writes_ == LoopWrites::kOther) return std::nullopt;
        return HeldArray{HeldArray::kItself, true};
      default:
        return std::nullopt;
    }
  }

  LoopWrites WritesOf(const Instruction& write, const CallChain* site) const {
    const Shape& array = write.shape();
    const Shape& slice = write.operand(1).shape();
    if (!array.is_static() || !slice.is_static()) return LoopWrites::kOther;
    LoopWrites writes = LoopWrites::kOther;
    bool is_whole = true;  // but for one dim
    for (int d = 0; d < array.rank(); ++d) {
      const int64_t size = array.dim(d).size(), part = slice.dim(d).size();
      if (writes == LoopWrites::kOther && 2 + d < write.operand_count() &&
          write.operand(2 + d).shape().is_scalar()) {
        const std::optional<StepNumber> start =
            NumberInStep(write.operand(2 + d), site, body_, count_);
        if (start && IsApart(*start, size, part)) {
          writes =
              part * count_ == size ? LoopWrites::kAll : LoopWrites::kApart;
          continue;
        }
      }
      is_whole = is_whole && size == part;
    }
    return writes == LoopWrites::kAll && !is_whole ? LoopWrites::kApart
                                                   : writes;
  }

  // Whether slices don't meet, and none is moved to lie inside.
  bool IsApart(const StepNumber& start, int64_t size, int64_t part) const {
    for (const int64_t at : {start.At(0), start.At(count_ - 1)}) {
      if (at < 0 || at > size - part) return false;
    }
    return count_ == 1 || start.step >= part || start.step <= -part;
  }

  const CallChain* const body_;
  const int64_t count_;
  int64_t* const budget_;
  LoopWrites writes_ = LoopWrites::kOther;
};

}  // namespace

LoopWrites WritesOf(const CallChain* body, int64_t element, int64_t count,
                    int64_t* budget) {
  ArrayPath path(body, count, budget);
  const std::optional<HeldArray> next =
      path.Through(body->caller.callee(0), 0, HeldArray{element}, body);
  return next && next->is_written && next->element == element
             ? path.writes()
             : LoopWrites::kOther;
}

}  // namespace indim::internal
