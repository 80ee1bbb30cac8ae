// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/stacks.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/grad/emit.h"
#include "indim/grad/tape.h"

namespace indim::internal {

Shape StackOf(const Shape& shape, int64_t count) {
  Shape stack = Shape::Scalar(shape.element_type());
  stack.add_dim(Dim::Static(count));
  for (const Dim dim : shape.dims()) stack.add_dim(dim);
  return stack;
}

Op ConstantSteps(ComputationBuilder& b, int64_t number) {
  return b.ConstantR0(ElementType::kS64, number);
}

std::vector<Op> StackStarts(ComputationBuilder& b, Op k, int rank) {
  std::vector<Op> starts(static_cast<size_t>(rank) + 1, ConstantSteps(b, 0));
  starts[0] = k;
  return starts;
}

std::vector<Op> Unstacked(ComputationBuilder& b, absl::Span<const Op> stacks,
                          Op k) {
  std::vector<Op> values;
  for (const Op stack : stacks) {
    const Shape all = ShapeIn(b, stack);
    Shape one = Shape::Scalar(all.element_type());
    for (int i = 1; i < all.rank(); ++i) one.add_dim(all.dim(i));
    values.push_back(
        ReshapeTo(b,
                  b.DynamicSlice(stack, StackStarts(b, k, one.rank()),
                                 SizesArg(StackOf(one, 1).dims())),
                  one));
  }
  return values;
}

std::vector<Op> ElementsFrom(ComputationBuilder& b, Op tuple, int64_t first) {
  std::vector<Op> elements;
  const int64_t size = ShapeIn(b, tuple).tuple_size();
  for (int64_t i = first; i < size; ++i) {
    elements.push_back(ElementOf(b, tuple, i));
  }
  return elements;
}

void AddLeaves(ComputationBuilder& b, Op op, std::vector<Op>* leaves) {
  const Shape shape = ShapeIn(b, op);
  if (!shape.is_tuple()) leaves->push_back(op);
  for (int64_t i = 0; shape.is_tuple() && i < shape.tuple_size(); ++i) {
    AddLeaves(b, ElementOf(b, op, i), leaves);
  }
}

Shape TupleShapeOf(const ComputationBuilder& b, const std::vector<Op>& parts) {
  std::vector<Shape> shapes;
  for (const Op part : parts) shapes.push_back(ShapeIn(b, part));
  return Shape::Tuple(std::move(shapes));
}

std::vector<Op> RunBackwards(ComputationBuilder& b, Op last,
                             absl::Span<const Op> cotangents,
                             absl::Span<const Op> others,
                             const StepBack& step) {
  std::vector<Op> init = {last};
  init.insert(init.end(), cotangents.begin(), cotangents.end());
  // Constants are made again.
  const auto is_constant = [&](Op op) {
    return ScalarConstant(b, op).has_value();
  };
  absl::c_remove_copy_if(others, std::back_inserter(init), is_constant);
  const Shape shape = TupleShapeOf(b, init);
  ComputationBuilder condition = b.SubBuilder("condition");
  const Callee more = condition.BuildCallee(
      condition.Ge(condition.GetTupleElement(condition.Parameter(0, shape), 0),
                   ConstantSteps(condition, 0)));
  ComputationBuilder body = b.SubBuilder("body");
  const std::vector<Op> given = ElementsFrom(body, body.Parameter(0, shape), 0);
  const auto cotangents_here =
      absl::MakeConstSpan(given).subspan(1, cotangents.size());
  const auto carried =
      absl::MakeConstSpan(given).subspan(1 + cotangents.size());
  auto next_carried = carried.begin();
  std::vector<Op> others_here;
  for (const Op op : others) {
    others_here.push_back(is_constant(op) ? body.ConstantLiteral(*b.literal(op))
                                          : *next_carried++);
  }
  std::vector<Op> results = {body.Sub(given[0], ConstantSteps(body, 1))};
  const std::vector<Op> next =
      step(body, given[0], cotangents_here, others_here);
  results.insert(results.end(), next.begin(), next.end());
  results.insert(results.end(), carried.begin(), carried.end());
  const Op loop =
      b.While(more, body.BuildCallee(body.Tuple(results)), b.Tuple(init));
  std::vector<Op> gradients = ElementsFrom(b, loop, 1);
  gradients.resize(cotangents.size());
  return gradients;
}

}  // namespace indim::internal
