// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/least_steps.h"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/shape/dims/checked_math.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {
namespace {

constexpr int64_t kTooMany = std::numeric_limits<int64_t>::max();

int64_t Plus(int64_t a, int64_t b) {
  return CheckedAdd(a, b).value_or(kTooMany);
}
int64_t Times(int64_t a, int64_t b) {
  return CheckedMultiply(a, b).value_or(kTooMany);
}

// The number of elements; 0 for a shape that isn't a static array.
int64_t ElementsOf(const Shape& shape) {
  if (!shape.is_array() || !shape.is_static()) return 0;
  return shape.ElementCount().value_or(kTooMany);
}

// The product of these dims' sizes; 0 where a dim doesn't exist or isn't
// static.
int64_t SizeOver(const Shape& shape, const DimIndices& dims) {
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= shape.rank() ||
        !shape.dim(static_cast<int>(dim)).is_static()) {
      return 0;
    }
    product = Times(product, shape.dim(static_cast<int>(dim)).size());
  }
  return product;
}

// The steps of the instruction itself, without its callees.
int64_t StepsOf(const Instruction& instruction) {
  const int64_t elements = ElementsOf(instruction.shape());
  if (GetEvaluation(instruction.opcode()).scalar != nullptr) return elements;
  if (instruction.operand_count() < 2) return 0;
  switch (instruction.opcode()) {
    case Opcode::kDot: {
      const auto& a = As<DotAttributes>(instruction.attributes());
      return Times(elements, SizeOver(instruction.operand(0).shape(),
                                      a.lhs_contracting_dims));
    }
    case Opcode::kConvolution: {
      const auto& a = As<ConvolutionAttributes>(instruction.attributes());
      DimIndices dims = a.dims.kernel_spatial;
      dims.push_back(a.dims.kernel_input_feature);
      return Times(elements, SizeOver(instruction.operand(1).shape(), dims));
    }
    case Opcode::kReduce:
      return ElementsOf(instruction.operand(0).shape());
    default:
      return 0;
  }
}

// Whether the callee runs whenever the instruction does.
bool CallsAlways(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kFusion ||
         opcode == Opcode::kAsyncStart;
}

class CallCounter {
 public:
  const StepCount& Count(const Computation& computation, int depth) {
    const uint32_t key = static_cast<uint32_t>(computation.index());
    const auto found = counts_.find(key);
    if (found != counts_.end()) return *found->second;
    auto count = std::make_unique<StepCount>();
    const int root = computation.root().index();
    std::vector<bool> needed(static_cast<size_t>(root) + 1, false);
    needed.back() = true;
    for (int i = root; i >= 0; --i) {
      if (!needed[static_cast<size_t>(i)]) continue;
      const Instruction instruction = computation.instruction(i);
      for (Instruction operand : instruction.operands()) {
        needed[static_cast<size_t>(operand.index())] = true;
      }
      Add(instruction, depth, count.get());
    }
    return *counts_.emplace(key, std::move(count)).first->second;
  }

 private:
  void Add(const Instruction& instruction, int depth, StepCount* count) {
    const int64_t own = StepsOf(instruction);
    count->steps = Plus(count->steps, own);
    if (own > count->largest_steps) {
      count->largest = instruction;
      count->largest_steps = own;
    }
    if (depth == 0 || !CallsAlways(instruction.opcode()) ||
        instruction.callee_count() != 1) {
      return;
    }
    const StepCount& inner = Count(instruction.callee(0), depth - 1);
    count->steps = Plus(count->steps, inner.steps);
    if (inner.largest_steps > count->largest_steps) {
      count->largest = inner.largest;
      count->largest_steps = inner.largest_steps;
    }
  }

  absl::flat_hash_map<uint32_t, std::unique_ptr<StepCount>> counts_;
};

}  // namespace

StepCount LeastSteps(const Module& module, int max_depth) {
  return CallCounter().Count(module.entry(), max_depth);
}

}  // namespace indim
