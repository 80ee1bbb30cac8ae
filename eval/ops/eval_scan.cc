// SPDX-License-Identifier: Apache-2.0
// Scan: calls a computation for each slice along one dim, carrying values.

#include <optional>
#include <utility>
#include <vector>

#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/evaluation_functions.h"

namespace indim {
namespace {

// The slice of `array` at `at` along `dim`, without that dim.
std::optional<Value> SliceAt(Evaluation& e, const Value& array, size_t dim,
                             int64_t at) {
  Sizes sizes = array.sizes(), strides = StridesOf(sizes);
  const int64_t first = at * strides[dim];
  sizes.erase(sizes.begin() + static_cast<int64_t>(dim));
  strides.erase(strides.begin() + static_cast<int64_t>(dim));
  return MoveElements(e, array, sizes, nullptr, [&](const Sizes& index) {
    return first + LinearIndex(index, strides);
  });
}

// Stacks the outputs of the steps along `dim`. The first step determines the
// sizes; the other steps must have them too.
class Stack {
 public:
  bool Put(Evaluation& e, const Value& slice, size_t dim, int64_t at,
           int64_t steps) {
    if (!slice.is_array() || dim > static_cast<size_t>(slice.rank())) {
      e.Fail(
          "the rank of a step's output is too low to stack it along the "
          "scanned dim");
      return false;
    }
    if (slice_.is_none()) {
      slice_ = slice.shape();
      Sizes sizes = slice.sizes();
      sizes.insert(sizes.begin() + static_cast<int64_t>(dim), steps);
      if (!e.NewArray(slice.type(), sizes, &array_)) return false;
      strides_ = StridesOf(sizes);
      offset_ = strides_[dim];
      strides_.erase(strides_.begin() + static_cast<int64_t>(dim));
    } else if (!SameStructure(slice_, slice.shape())) {
      e.Fail("its steps give outputs of different shapes");
      return false;
    }
    int64_t number = 0;
    for (Counter i(slice.sizes()); !i.done(); i.Next(), ++number) {
      array_.Copy(at * offset_ + LinearIndex(i.index(), strides_), slice,
                  number);
    }
    return true;
  }
  Value Finish() && { return std::move(array_).Finish(); }

 private:
  Shape slice_;
  ArrayMaker array_;
  Sizes strides_;
  int64_t offset_ = 0;
};

// The output of zero steps; the step's signature gives its sizes.
std::optional<Value> EmptyOutput(Evaluation& e, const Shape& slice,
                                 size_t dim) {
  if (!slice.has_rank() || !slice.is_static() ||
      dim > static_cast<size_t>(slice.rank())) {
    return e.Fail("the size of its output isn't known");
  }
  Sizes sizes;
  for (Dim size : slice.dims()) sizes.push_back(size.size());
  sizes.insert(sizes.begin() + static_cast<int64_t>(dim), 0);
  ArrayMaker empty;
  if (!e.NewArray(slice.element_type(), sizes, &empty)) return std::nullopt;
  return std::move(empty).Finish();
}

}  // namespace

// Operands: inputs, of which each step takes a slice, then carries. A step
// returns outputs, which are stacked, then the carries of the next step.
std::optional<Value> EvalScan(Evaluation& e) {
  const auto& a = e.attributes_as<ScanAttributes>();
  const int64_t inputs = e.operand_count() - a.num_carries;
  if (a.num_carries < 0 || inputs < 1 || a.dimensions.size() != 1) {
    return e.Fail("it has no input, which gives the number of steps");
  }
  for (int i = 0; i < inputs; ++i) {
    if (!e.ExpectDim(i, a.dimensions[0])) return std::nullopt;
  }
  const size_t dim = static_cast<size_t>(a.dimensions[0]);
  const int64_t steps = e.operand(0).size(static_cast<int>(dim));
  for (int i = 0; i < inputs; ++i) {
    if (e.operand(i).size(static_cast<int>(dim)) != steps) {
      return e.Fail("its inputs are of different length");
    }
  }
  const Shape& step_result = e.callee(0).root().shape();
  const bool tuple = step_result.is_tuple();
  const int64_t outputs =
      (tuple ? step_result.tuple_size() : 1) - a.num_carries;
  if (outputs < 0) return e.Fail("a step returns too few carries");

  std::vector<Value> carries(e.operands().begin() + inputs, e.operands().end());
  std::vector<Stack> stacks(static_cast<size_t>(outputs));
  for (int64_t s = 0; s < steps; ++s) {
    const int64_t at = a.is_reverse ? steps - 1 - s : s;
    std::vector<Value> arguments;
    for (int i = 0; i < inputs; ++i) {
      std::optional<Value> slice = SliceAt(e, e.operand(i), dim, at);
      if (!slice) return std::nullopt;
      arguments.push_back(*std::move(slice));
    }
    arguments.insert(arguments.end(), carries.begin(), carries.end());
    const std::optional<Value> result = e.Run(0, arguments);
    if (!result) return std::nullopt;
    const absl::Span<const Value> parts =
        tuple ? result->elements() : absl::MakeConstSpan(&*result, 1);
    for (size_t i = 0; i < stacks.size(); ++i) {
      if (!stacks[i].Put(e, parts[i], dim, at, steps)) return std::nullopt;
    }
    carries.assign(parts.begin() + outputs, parts.end());
  }
  std::vector<Value> results;
  for (size_t i = 0; i < stacks.size(); ++i) {
    std::optional<Value> output =
        steps > 0
            ? std::move(stacks[i]).Finish()
            : EmptyOutput(e, tuple ? step_result.elements()[i] : step_result,
                          dim);
    if (!output) return std::nullopt;
    results.push_back(*std::move(output));
  }
  results.insert(results.end(), carries.begin(), carries.end());
  return tuple ? Value::Tuple(std::move(results)) : std::move(results[0]);
}

}  // namespace indim
