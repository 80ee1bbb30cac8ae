// SPDX-License-Identifier: Apache-2.0
// The derivative of while. Forward: the state carries tangents too. Reverse:
// the loop keeps what its transpose needs of each step on stacks, and a second
// loop runs from the last step to the first.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/loop_state.h"
#include "indim/grad/rules.h"
#include "indim/grad/transposer.h"
#include "indim/grad/trip_count.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::internal {
namespace {

// The parts of a loop's state that have tangents.
struct ActiveState {
  std::vector<size_t> leaves;
  std::vector<Shape> shapes;
};

ActiveState ActiveStateOf(const Primal& node) {
  ActiveLeaves active;
  for (const Tangent& t : node.traced(0).tangents) {
    active.push_back(t.has_value());
  }
  active = ActiveInLoop(node.node().callee(0), active);
  const std::vector<Shape> shapes = LeafShapes(node.shape());
  ActiveState state;
  for (size_t i = 0; i < active.size(); ++i) {
    if (!active[i]) continue;
    state.leaves.push_back(i);
    state.shapes.push_back(shapes[i].WithoutLayout());
  }
  return state;
}

// The old state as the result of the loop that is written.
Traced ResultOf(Primal& node, const LoopState& state, Op all) {
  return {state.Old(node.b(), all),
          TangentLeaves(node.traced(0).tangents.size())};
}

absl::Status Forward(Primal& node, const ActiveState& active) {
  ComputationBuilder& b = node.b();
  const LoopState state(node.node());
  const Shape shape = state.With(active.shapes);
  ComputationBuilder body = b.SubBuilder("body");
  const Op given = body.Parameter(0, shape);
  Traced inner{state.Old(body, given),
               TangentLeaves(node.traced(0).tangents.size())};
  for (size_t i = 0; i < active.leaves.size(); ++i) {
    inner.tangents[active.leaves[i]] =
        body.GetTupleElement(given, state.size() + static_cast<int64_t>(i));
  }
  Tape tape(&body, &body);
  absl::StatusOr<Traced> next =
      Linearizer(&node.context(), &tape).Run(node.node().callee(0), {inner});
  if (!next.ok()) return next.status();
  std::vector<Op> results = state.Next(body, next->value, given);
  std::vector<Op> init = state.Parts(b, node.x(0));
  for (size_t i = 0; i < active.leaves.size(); ++i) {
    const size_t leaf = active.leaves[i];
    results.push_back(tape.OrZeros(next->tangents[leaf], active.shapes[i]));
    init.push_back(
        node.tape().OrZeros(node.traced(0).tangents[leaf], active.shapes[i]));
  }
  const Op all = b.While(state.Condition(node, shape),
                         body.BuildCallee(body.Tuple(results)), b.Tuple(init));
  Traced traced = ResultOf(node, state, all);
  for (size_t i = 0; i < active.leaves.size(); ++i) {
    traced.tangents[active.leaves[i]] =
        b.GetTupleElement(all, state.size() + static_cast<int64_t>(i));
  }
  node.Set(std::move(traced));
  return absl::OkStatus();
}

// One step of the loop as two computations: forward(state) gives the next state
// and what backward needs; backward(cotangents, that) gives the cotangents of
// the state's parts.
class LoopStep {
 public:
  LoopStep(Primal* node, const LoopState& state, const ActiveState& active)
      : node_(*node),
        loop_state_(state),
        active_(active),
        forward_(node->b().SubBuilder("step")),
        backward_(node->b().SubBuilder("step_back")) {}

  absl::Status Record() {
    state_ = forward_.Parameter(0, node_.shape().WithoutLayout());
    ComputationBuilder linear = forward_.SubBuilder("linear");
    Tape tape(&forward_, &linear);
    Traced inner{state_, TangentLeaves(LeafCount(node_.shape()))};
    for (size_t i = 0; i < active_.leaves.size(); ++i) {
      inner.tangents[active_.leaves[i]] = tape.Argument(active_.shapes[i]);
    }
    absl::StatusOr<Traced> next = Linearizer(&node_.context(), &tape)
                                      .Run(node_.node().callee(0), {inner});
    if (!next.ok()) return next.status();
    Transposer transposer(tape, &backward_,
                          [this](Op value) { return InBackward(value); });
    for (size_t i = 0; i < active_.leaves.size(); ++i) {
      const Op cotangent = backward_.Parameter(active_.shapes[i]);
      const Tangent& t = next->tangents[active_.leaves[i]];
      if (t) transposer.Give(*t, cotangent);
    }
    if (absl::Status s = transposer.Run(); !s.ok()) return s;
    std::vector<Op> gradients;
    for (size_t i = 0; i < active_.leaves.size(); ++i) {
      const Tangent g = transposer.Take(*inner.tangents[active_.leaves[i]]);
      gradients.push_back(g ? *g : backward_.Splat(0, active_.shapes[i]));
    }
    back = backward_.BuildCallee(backward_.Tuple(gradients));
    std::vector<Op> results = {next->value};
    for (const Op value : kept_) results.push_back(value);
    step = forward_.BuildCallee(forward_.Tuple(results));
    return absl::OkStatus();
  }

  Callee step = absl::StatusOr<Module>(absl::UnknownError("not recorded"));
  Callee back = absl::StatusOr<Module>(absl::UnknownError("not recorded"));
  // What each step keeps, and which elements of the state the whole loop keeps.
  std::vector<Shape> kept_shapes;
  std::vector<int64_t> invariants;
  // The parameters of `back` behind the cotangents: an index in kept_shapes, or
  // of an invariant.
  struct Source {
    bool is_kept = false;
    size_t index = 0;
  };
  std::vector<Source> sources;

 private:
  // A value of the forward step in the backward one: made again where that
  // costs nothing, else kept.
  Op InBackward(Op value) {
    const auto found = in_backward_.find(value);
    if (found != in_backward_.end()) return found->second;
    const Op op = MadeAgain(value);
    in_backward_.emplace(value, op);
    return op;
  }

  Op MadeAgain(Op value) {
    const Opcode opcode = *forward_.opcode(value);
    const std::vector<Op> operands = *forward_.operands(value);
    switch (opcode) {
      case Opcode::kConstant:
        return backward_.ConstantLiteral(*forward_.literal(value));
      case Opcode::kIota:
      case Opcode::kTuple:
        break;
      case Opcode::kGetTupleElement: {
        if (!IsFree(value)) return Kept(value);
        sources.push_back({false, invariants.size()});
        invariants.push_back(
            As<GetTupleElementAttributes>(*forward_.attributes(value)).index);
        return backward_.Parameter(ShapeIn(forward_, value));
      }
      case Opcode::kDynamicSlice:
      case Opcode::kBroadcast:
      case Opcode::kReshape:
      case Opcode::kTranspose:
      case Opcode::kConvert:
        if (!IsFree(operands[0])) return Kept(value);
        break;
      default:
        return Kept(value);
    }
    std::vector<Op> here;
    for (const Op operand : operands) here.push_back(InBackward(operand));
    return backward_.AddInstruction(opcode, here, *forward_.attributes(value),
                                    ShapeIn(forward_, value));
  }

  // Whether a value needs no stack.
  bool IsFree(Op value) {
    const Opcode opcode = *forward_.opcode(value);
    const std::vector<Op> operands = *forward_.operands(value);
    switch (opcode) {
      case Opcode::kConstant:
      case Opcode::kIota:
        return true;
      case Opcode::kGetTupleElement:
        return operands[0] == state_ &&
               loop_state_.is_handed_on(
                   As<GetTupleElementAttributes>(*forward_.attributes(value))
                       .index);
      case Opcode::kBroadcast:
      case Opcode::kReshape:
      case Opcode::kTranspose:
      case Opcode::kConvert:
        return IsFree(operands[0]);
      default:
        return false;
    }
  }

  Op Kept(Op value) {
    const Shape shape = ShapeIn(forward_, value);
    if (shape.is_tuple()) {
      std::vector<Op> parts;
      for (int64_t i = 0; i < shape.tuple_size(); ++i) {
        parts.push_back(InBackward(forward_.GetTupleElement(value, i)));
      }
      return backward_.Tuple(parts);
    }
    sources.push_back({true, kept_.size()});
    kept_.push_back(value);
    kept_shapes.push_back(shape);
    return backward_.Parameter(shape);
  }

  Primal& node_;
  const LoopState& loop_state_;
  const ActiveState& active_;
  ComputationBuilder forward_;
  ComputationBuilder backward_;
  Op state_;
  std::vector<Op> kept_;
  absl::flat_hash_map<Op, Op> in_backward_;
};

Shape StackOf(const Shape& shape, int64_t count) {
  Shape stack = Shape::Scalar(shape.element_type());
  stack.add_dim(Dim::Static(count));
  for (const Dim dim : shape.dims()) stack.add_dim(dim);
  return stack;
}

// The starts of step k of a stack.
std::vector<Op> StackStarts(ComputationBuilder& b, Op k, int rank) {
  std::vector<Op> starts = {k};
  const Op zero = b.ConstantR0(ElementType::kS64, 0);
  for (int i = 0; i < rank; ++i) starts.push_back(zero);
  return starts;
}

const Shape& CounterShape() {
  static const Shape* const shape = new Shape(Shape::Scalar(ElementType::kS64));
  return *shape;
}

// The loop with stacks: its state is (the old state, step number, stacks).
Op StackingLoop(Primal& node, const LoopState& state, const LoopStep& step,
                int64_t count) {
  ComputationBuilder& b = node.b();
  std::vector<Shape> others = {CounterShape()};
  std::vector<Op> init = state.Parts(b, node.x(0));
  init.push_back(b.ConstantR0(ElementType::kS64, 0));
  for (const Shape& shape : step.kept_shapes) {
    others.push_back(StackOf(shape, count));
    init.push_back(b.Splat(0, others.back()));
  }
  const Shape shape = state.With(others);
  const int64_t number = state.size();
  ComputationBuilder condition = b.SubBuilder("condition");
  const Callee more = condition.BuildCallee(condition.Lt(
      condition.GetTupleElement(condition.Parameter(0, shape), number),
      condition.ConstantR0(ElementType::kS64, count)));
  ComputationBuilder body = b.SubBuilder("body");
  const Op given = body.Parameter(0, shape);
  const Op k = body.GetTupleElement(given, number);
  const Op made = body.Call(step.step, {state.Old(body, given)});
  std::vector<Op> results =
      state.Next(body, body.GetTupleElement(made, 0), given);
  results.push_back(body.Add(k, body.ConstantR0(ElementType::kS64, 1)));
  for (size_t i = 0; i < step.kept_shapes.size(); ++i) {
    const Shape& kept = step.kept_shapes[i];
    const auto n = static_cast<int64_t>(i);
    const Op value =
        ReshapeTo(body, body.GetTupleElement(made, n + 1), StackOf(kept, 1));
    results.push_back(
        body.DynamicUpdateSlice(body.GetTupleElement(given, number + 1 + n),
                                value, StackStarts(body, k, kept.rank())));
  }
  return b.While(more, body.BuildCallee(body.Tuple(results)), b.Tuple(init));
}

// What the transpose needs, when it comes.
struct StackedLoop {
  Callee back;
  ActiveState active;
  std::vector<LoopStep::Source> sources;
  int64_t count;
  std::vector<Op> stacks, invariants;  // of the primal builder
  std::vector<Shape> kept_shapes, invariant_shapes;
};

// The loop from the last step to the first: its state is (step number,
// cotangents, stacks, invariants).
std::vector<Tangent> TransposeLoop(ComputationBuilder* builder,
                                   const StackedLoop& loop,
                                   const std::function<Op(Op)>& value_of,
                                   absl::Span<const Tangent> cotangents) {
  ComputationBuilder& b = *builder;
  const size_t active = loop.active.leaves.size();
  std::vector<Op> init = {b.ConstantR0(ElementType::kS64, loop.count - 1)};
  std::vector<Shape> others;
  for (size_t i = 0; i < active; ++i) {
    others.push_back(loop.active.shapes[i]);
    init.push_back(cotangents[i] ? *cotangents[i]
                                 : b.Splat(0, loop.active.shapes[i]));
  }
  for (size_t i = 0; i < loop.stacks.size(); ++i) {
    others.push_back(StackOf(loop.kept_shapes[i], loop.count));
    init.push_back(value_of(loop.stacks[i]));
  }
  for (size_t i = 0; i < loop.invariants.size(); ++i) {
    others.push_back(loop.invariant_shapes[i]);
    init.push_back(value_of(loop.invariants[i]));
  }
  others.insert(others.begin(), CounterShape());
  const Shape state = Shape::Tuple(std::move(others));
  ComputationBuilder condition = b.SubBuilder("condition");
  const Callee more = condition.BuildCallee(
      condition.Ge(condition.GetTupleElement(condition.Parameter(0, state), 0),
                   condition.ConstantR0(ElementType::kS64, 0)));
  ComputationBuilder body = b.SubBuilder("body");
  const Op given = body.Parameter(0, state);
  const auto part = [&](size_t i) {
    return body.GetTupleElement(given, static_cast<int64_t>(i));
  };
  const Op k = part(0);
  std::vector<Op> arguments;
  for (size_t i = 0; i < active; ++i) arguments.push_back(part(i + 1));
  for (const LoopStep::Source& source : loop.sources) {
    if (!source.is_kept) {
      arguments.push_back(part(1 + active + loop.stacks.size() + source.index));
      continue;
    }
    const Shape& shape = loop.kept_shapes[source.index];
    const Shape one = StackOf(shape, 1);
    arguments.push_back(
        ReshapeTo(body,
                  body.DynamicSlice(part(1 + active + source.index),
                                    StackStarts(body, k, shape.rank()),
                                    SizesArg(one.dims())),
                  shape));
  }
  const Op made = body.Call(loop.back, arguments);
  std::vector<Op> results = {
      body.Sub(k, body.ConstantR0(ElementType::kS64, 1))};
  for (size_t i = 0; i < active; ++i) {
    results.push_back(body.GetTupleElement(made, static_cast<int64_t>(i)));
  }
  for (size_t i = active + 1; i < init.size(); ++i) results.push_back(part(i));
  const Op last =
      b.While(more, body.BuildCallee(body.Tuple(results)), b.Tuple(init));
  std::vector<Tangent> gradients;
  for (size_t i = 0; i < active; ++i) {
    gradients.push_back(b.GetTupleElement(last, static_cast<int64_t>(i) + 1));
  }
  return gradients;
}

absl::Status Reverse(Primal& node, const ActiveState& active, int64_t count) {
  ComputationBuilder& b = node.b();
  const LoopState state(node.node());
  LoopStep step(&node, state, active);
  if (absl::Status s = step.Record(); !s.ok()) return s;
  for (const Shape& shape : step.kept_shapes) {
    if (!shape.is_array()) {
      return node.Refuse(absl::StrCat(
          "its steps would have to keep a value of ", shape.ToString()));
    }
  }
  const Op all = StackingLoop(node, state, step, count);
  StackedLoop loop{step.back, active, step.sources,     count,
                   {},        {},     step.kept_shapes, {}};
  Traced traced = ResultOf(node, state, all);
  for (size_t i = 0; i < step.kept_shapes.size(); ++i) {
    loop.stacks.push_back(
        b.GetTupleElement(all, state.size() + 1 + static_cast<int64_t>(i)));
  }
  for (const int64_t index : step.invariants) {
    const Op value = b.GetTupleElement(node.x(0), index);
    loop.invariants.push_back(value);
    loop.invariant_shapes.push_back(ShapeIn(b, value));
  }
  LinearFunction function;
  function.transpose = [loop](ComputationBuilder* builder,
                              const std::function<Op(Op)>& value_of,
                              absl::Span<const Tangent> cotangents) {
    return TransposeLoop(builder, loop, value_of, cotangents);
  };
  std::vector<Tangent> given;
  for (const size_t leaf : active.leaves) {
    given.push_back(node.traced(0).tangents[leaf]);
  }
  const std::vector<Tangent> results =
      node.tape().Apply(std::move(function), given, active.shapes);
  for (size_t i = 0; i < active.leaves.size(); ++i) {
    traced.tangents[active.leaves[i]] = results[i];
  }
  node.Set(std::move(traced));
  return absl::OkStatus();
}

}  // namespace

absl::Status TangentWhile(Primal& node) {
  const ActiveState active = ActiveStateOf(node);
  if (node.tape().is_forward()) return Forward(node, active);
  const LoopState state(node.node());
  if (state.HandsOnAll(active.leaves)) {
    node.Set({CopyInstruction(&node.b(), node.node(), {node.x(0)},
                              &node.context().copies),
              node.traced(0).tangents});
    return absl::OkStatus();
  }
  const std::optional<int64_t> count = TripCount(node.node());
  if (!count) {
    return node.Refuse(
        "how often the loop runs isn't known before it runs",
        "count by a constant step to a constant bound, or use --forward");
  }
  if (*count == 0) {
    node.Set(node.traced(0));
    return absl::OkStatus();
  }
  return Reverse(node, active, *count);
}

}  // namespace indim::internal
