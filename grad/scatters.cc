// SPDX-License-Identifier: Apache-2.0
// Tangents of scatter and select-and-scatter.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/scalar_fold.h"

namespace indim::internal {
namespace {

// One array of a scatter.
struct ScatterPart {
  ComputationBuilder& b;
  Tape& tape;
  const ScatterAttributes& scatter;
  Op indices;
  Op operand, updates, result;
  Tangent t, t_updates;
  Shape shape, updates_shape;

  Op Zeros() const { return b.Splat(0, shape); }
  // `added` is of the tape.
  Op AddInto(Op to, Op added) const {
    const Op operands[] = {to, tape.In(indices), added};
    return tape.Record(Opcode::kScatter, operands, scatter, shape,
                       AddersOf(tape, shape));
  }
  GatherAttributes gather() const {
    return GatherOf(scatter, shape, updates_shape);
  }
  Op Inside() const {
    return InsideMask(b, indices, shape, updates_shape, scatter);
  }
};

// The last of the updates of one place: those whose number is there in the end.
Op Winners(const ScatterPart& part) {
  ComputationBuilder& b = part.b;
  Shape places = part.shape, updates = part.updates_shape;
  places.set_element_type(ElementType::kS32);
  updates.set_element_type(ElementType::kS32);
  const Op numbers = ReshapeTo(
      b,
      b.Iota(Shape::Of(ElementType::kS32, {updates.ElementCount().value_or(0)}),
             0),
      updates);
  const Op written = b.Scatter(
      b.Splat(-1, places), part.indices, numbers, [](Op, Op y) { return y; },
      part.scatter);
  return b.And(b.Eq(b.Gather(written, part.indices, part.gather()), numbers),
               part.Inside());
}

// Where nothing is written.
Op Untouched(const ScatterPart& part) {
  ComputationBuilder& b = part.b;
  Shape marks = part.shape, updates = part.updates_shape;
  marks.set_element_type(ElementType::kS32);
  updates.set_element_type(ElementType::kS32);
  const Op zeros = b.Splat(0, marks);
  return b.Eq(b.Scatter(
                  zeros, part.indices, b.Splat(1, updates),
                  [](Op, Op y) { return y; }, part.scatter),
              zeros);
}

Tangent OfSum(const ScatterPart& part) {
  return part.AddInto(part.tape.OrZeros(part.t, part.shape),
                      part.tape.OrZeros(part.t_updates, part.updates_shape));
}

Tangent OfAssigned(const ScatterPart& part) {
  Op rest = part.tape.OrZeros(part.t, part.shape);
  if (part.t) rest = part.tape.Where(Untouched(part), rest);
  if (!part.t_updates) return rest;
  Op updates = *part.t_updates;
  if (!part.scatter.unique_indices) {
    updates = part.tape.Where(Winners(part), updates);
  }
  return part.AddInto(rest, updates);
}

// The product of the other updates of its place, and of what was there: what
// isn't 0 is divided out, and a 0 leaves the product of those that aren't 0, if
// it is the only one.
Op ProductOfOthers(const ScatterPart& part) {
  ComputationBuilder& b = part.b;
  const auto times = [](Op x, Op y) { return x * y; };
  const Op inside = part.Inside();
  const Op none = b.Splat(0, part.updates_shape);
  const auto taken = [&](Op array) {
    return b.Select(inside, b.Gather(array, part.indices, part.gather()), none);
  };
  if (part.scatter.unique_indices) return taken(part.operand);
  const Op is_zero = b.Eq(part.updates, none);
  const Op ones = b.Splat(1, part.updates_shape);
  const Op safe = b.Select(is_zero, ones, part.updates);
  const Op product =
      taken(b.Scatter(part.operand, part.indices, safe, times, part.scatter));
  const Op zeros = taken(ScatterAdd(
      b, part.Zeros(), part.indices,
      ConvertTo(b, is_zero, part.shape.element_type()), part.scatter));
  return b.Select(is_zero, b.Select(b.Eq(zeros, ones), product, none),
                  b.Select(b.Eq(zeros, none), b.Div(product, safe), none));
}

Tangent OfProduct(const ScatterPart& part) {
  ComputationBuilder& b = part.b;
  Tangent sum;
  if (part.t) {
    sum = part.tape.Times(
        *part.t, b.Scatter(
                     b.Splat(1, part.shape), part.indices, part.updates,
                     [](Op x, Op y) { return x * y; }, part.scatter));
  }
  if (part.t_updates) {
    sum = part.AddInto(part.tape.OrZeros(sum, part.shape),
                       part.tape.Times(*part.t_updates, ProductOfOthers(part)));
  }
  return sum;
}

// Shared equally among those that are the result.
Tangent OfExtremum(const ScatterPart& part) {
  ComputationBuilder& b = part.b;
  const ElementType type = part.shape.element_type();
  const Op chosen = b.Eq(part.operand, part.result);
  const Op chosen_updates = b.And(
      b.Eq(b.Gather(part.result, part.indices, part.gather()), part.updates),
      part.Inside());
  const Op count = ScatterAdd(b, ConvertTo(b, chosen, type), part.indices,
                              ConvertTo(b, chosen_updates, type), part.scatter);
  Tangent sum;
  if (part.t) sum = part.tape.Where(chosen, *part.t);
  if (part.t_updates) {
    sum = part.AddInto(part.tape.OrZeros(sum, part.shape),
                       part.tape.Where(chosen_updates, *part.t_updates));
  }
  if (!sum) return sum;
  return part.tape.Over(*sum, count);
}

// The numbers of the elements that the windows of a select-and-scatter choose,
// of the array as one dim; -1: a window has none.
Op ChosenPlaces(ComputationBuilder& b, Op operand, Op like,
                const Callee& select, const std::vector<WindowDim>& window) {
  const Shape shape = ShapeIn(b, operand);
  Shape numbers = shape;
  numbers.set_element_type(ElementType::kS32);
  const Op places = ReshapeTo(
      b,
      b.Iota(Shape::Of(ElementType::kS32, {shape.ElementCount().value_or(0)}),
             0),
      numbers);
  ComputationBuilder choose = b.SubBuilder("choose");
  const Shape value = Shape::Scalar(shape.element_type());
  const Shape place = Shape::Scalar(ElementType::kS32);
  const Op x = choose.Parameter(0, value), i = choose.Parameter(1, place);
  const Op y = choose.Parameter(2, value), j = choose.Parameter(3, place);
  const Op stays = choose.And(
      choose.Ge(i, 0), choose.Or(choose.Lt(j, 0), choose.Call(select, {x, y})));
  const Callee chosen = choose.BuildCallee(
      choose.Tuple({choose.Select(stays, x, y), choose.Select(stays, i, j)}));
  const Op both = b.ReduceWindow({operand, places},
                                 {b.ConstantR0(shape.element_type(), 0),
                                  b.ConstantR0(ElementType::kS32, -1)},
                                 chosen, window);
  return ReshapeTo(b, b.GetTupleElement(both, 1), ShapeIn(b, like));
}

}  // namespace

absl::Status TangentScatter(Primal& node) {
  const auto& scatter = As<ScatterAttributes>(node.node().attributes());
  const int count = node.node().operand_count() / 2;
  for (int i = 0; i < count; ++i) {
    if (!node.t(i) && !node.t(count + 1 + i)) continue;
    if (!IsDifferentiable(node.shape(i))) continue;
    const ScalarFold reducer = ScalarFoldOf(node.node().callee(0), i, count);
    if (reducer == ScalarFold::kOther) {
      if (scatter.unique_indices || FoldsUpdates(node.node())) {
        return node.SetByExpansion(ExpandScatter(node.node()));
      }
      return node.Refuse(
          "its computation is none of add, subtract, multiply, divide, "
          "maximum and minimum of what was there with what it makes of the "
          "update, nor the latter alone",
          "if no place is written twice, say unique_indices=true");
    }
    const Op result = node.shape().is_tuple()
                          ? node.b().GetTupleElement(node.r(), i)
                          : node.r();
    const int u = count + 1 + i;
    const ScatterPart part{node.b(),
                           node.tape(),
                           scatter,
                           node.x(count),
                           node.x(i),
                           node.x(u),
                           result,
                           node.t(i),
                           node.t(u),
                           node.shape(i).WithoutLayout(),
                           node.shape(u).WithoutLayout()};
    Tangent& t = node.tangents()[static_cast<size_t>(i)];
    if (reducer == ScalarFold::kAdd) t = OfSum(part);
    if (reducer == ScalarFold::kFirst) t = part.t;
    if (reducer == ScalarFold::kSecond) t = OfAssigned(part);
    if (reducer == ScalarFold::kMultiply) t = OfProduct(part);
    if (reducer == ScalarFold::kMaximum || reducer == ScalarFold::kMinimum) {
      t = OfExtremum(part);
    }
  }
  return absl::OkStatus();
}

// Linear in the source and in the initial value.
absl::Status TangentSelectAndScatter(Primal& node) {
  if (!node.t(1) && !node.t(2)) return absl::OkStatus();
  if (ScalarFoldOf(node.node().callee(1)) != ScalarFold::kAdd) {
    return node.Refuse("what it chooses isn't added");
  }
  GradientContext* const context = &node.context();
  const Instruction instruction = node.node();
  ComputationBuilder* const b = &node.b();
  const Op operand = node.x(0);
  const Shape source = node.shape(1).WithoutLayout();
  const Shape init = node.shape(2).WithoutLayout();
  LinearFunction function;
  function.apply = [=](absl::Span<const Tangent> t) -> std::vector<Tangent> {
    return {b->AddInstruction(Opcode::kSelectAndScatter,
                              {operand, t[0] ? *t[0] : b->Splat(0, source),
                               t[1] ? *t[1] : b->Splat(0, init)},
                              instruction.attributes(), {},
                              context->copies.CalleesOf(instruction))};
  };
  function.transpose =
      [=](ComputationBuilder* builder, const std::function<Op(Op)>& value_of,
          absl::Span<const Tangent> cotangents) -> std::vector<Tangent> {
    ComputationBuilder& out = *builder;
    const Op g = *cotangents[0];
    const Shape shape = ShapeIn(out, g);
    const Op places =
        ChosenPlaces(out, value_of(operand), out.Splat(0, source),
                     context->copies.CalleeOf(instruction.callee(0)),
                     As<WindowAttributes>(instruction.attributes()).window);
    const Op none = out.Splat(-1, ShapeIn(out, places));
    GatherAttributes gather;
    gather.slice_sizes = {1};
    gather.collapsed_slice_dims = {0};
    gather.start_index_map = {0};
    gather.index_vector_dim = source.rank();
    const Op flat = ReshapeTo(
        out, g,
        Shape::Of(shape.element_type(), {shape.ElementCount().value_or(0)}));
    const Op taken = out.Select(out.Eq(places, none), out.Splat(0, source),
                                out.Gather(flat, places, gather));
    return {taken, SumOver(out, g, Range(0, shape.rank()))};
  };
  node.Set(node.tape().Apply(std::move(function), {node.t(1), node.t(2)},
                             {node.shape()})[0]);
  return absl::OkStatus();
}

absl::Status TangentOfWindowExtremum(Primal& node, bool maximum) {
  const auto& window = As<WindowAttributes>(node.node().attributes()).window;
  ComputationBuilder* const b = &node.b();
  const Op x = node.x(0), init = node.x(1);
  // Where the initial value is the result, nothing is chosen.
  const Op chosen =
      b->Ne(node.r(), SpreadTo(*b, init, {}, node.shape().WithoutLayout()));
  const ElementType type = node.shape(0).element_type();
  const Shape operand = node.shape(0).WithoutLayout();
  LinearFunction function;
  function.apply = [=](absl::Span<const Tangent> t) -> std::vector<Tangent> {
    ComputationBuilder choose = b->SubBuilder("choose");
    const Shape scalar = Shape::Scalar(type);
    const Op v = choose.Parameter(0, scalar), dv = choose.Parameter(1, scalar);
    const Op w = choose.Parameter(2, scalar), dw = choose.Parameter(3, scalar);
    const Op stays = maximum ? choose.Ge(v, w) : choose.Le(v, w);
    const Callee fold = choose.BuildCallee(choose.Tuple(
        {choose.Select(stays, v, w), choose.Select(stays, dv, dw)}));
    const Op both = b->ReduceWindow({x, *t[0]}, {init, b->ConstantR0(type, 0)},
                                    fold, window);
    return {b->GetTupleElement(both, 1)};
  };
  function.transpose =
      [=](ComputationBuilder* builder, const std::function<Op(Op)>& value_of,
          absl::Span<const Tangent> cotangents) -> std::vector<Tangent> {
    ComputationBuilder select = builder->SubBuilder("select");
    const Op v = select.Parameter(0, Shape::Scalar(type));
    const Op w = select.Parameter(1, Shape::Scalar(type));
    const Callee stays =
        select.BuildCallee(maximum ? select.Ge(v, w) : select.Le(v, w));
    return {builder->SelectAndScatter(
        value_of(x), stays, window,
        builder->Select(value_of(chosen), *cotangents[0],
                        builder->Splat(0, ShapeIn(*builder, *cotangents[0]))),
        builder->ConstantR0(type, 0), AdderOf(builder, operand))};
  };
  node.Set(
      node.tape().Apply(std::move(function), {node.t(0)}, {node.shape()})[0]);
  return absl::OkStatus();
}

}  // namespace indim::internal
