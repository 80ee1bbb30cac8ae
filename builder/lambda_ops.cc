#include "indim/builder/lambda_ops.h"

#include <cstddef>
#include <utility>

#include "indim/builder/record_util.h"

namespace indim {

// --- Loops, calls ------------------------------------------------------------

std::vector<Op> LambdaOps::WhileOf(Ops init, OneResult condition,
                                   Recording body, Caller caller, size_t own) {
  std::vector<Shape> shapes;
  Op failed;
  if (!ShapesOf(Opcode::kWhile, init, &shapes, &failed, caller)) {
    return {failed};
  }
  Region test = BeginRegion("condition", shapes, CaptureForm::kTuple, caller);
  EndRegion(&test, {condition(test.arguments())}, caller);
  Region step = BeginRegion("body", shapes, CaptureForm::kTuple, caller);
  EndRegion(&step, body(step.arguments()), caller);
  return Loop(init, own, std::move(test), std::move(step), caller);
}

std::vector<Op> LambdaOps::ForLoopOf(const Operand& count, std::vector<Op> init,
                                     LoopBody body, Caller caller) {
  Op counter, end, failed;
  if (!MakeCounter(count, &counter, &end, &failed, caller)) return {failed};
  init.insert(init.begin(), counter);
  std::vector<Op> last = WhileOf(
      init, [&](Ops state) { return Lt(state[0], end, {}, caller); },
      [&](Ops state) {
        std::vector<Op> next = body(state[0], state.subspan(1));
        next.insert(next.begin(), Add(state[0], 1, {}, caller));
        return next;
      },
      caller, /*own=*/1);
  if (last.size() > 1) last.erase(last.begin());
  return last;
}

LambdaOps::ScanParts LambdaOps::ScanOf(Ops init, Ops inputs, ScanBody body,
                                       Caller caller) {
  std::vector<Op> state(init.begin(), init.end());
  std::vector<Shape> shapes, stacked;
  ScanSteps steps;
  Op counter, end, failed;
  if (!BeginScan(inputs, &steps, &failed, caller) ||
      !ShapesOf(Opcode::kWhile, state, &shapes, &failed, caller) ||
      !MakeCounter(steps.count, &counter, &end, &failed, caller)) {
    return {{failed}, {failed}};
  }
  state.insert(state.begin(), counter);
  shapes.insert(shapes.begin(), Shape::Scalar(ElementType::kS32));

  Region step = BeginRegion("body", shapes, CaptureForm::kTuple, caller);
  const Op i = step.arguments()[0];
  std::vector<Op> elements;
  for (const Op input : inputs) {
    elements.push_back(ElementAt(input, i, caller));
  }
  ScanParts given = body(step.arguments().subspan(1), elements);
  std::vector<Op> next = std::move(given.carry);
  next.insert(next.begin(), Add(i, 1, {}, caller));
  if (Stacked(given.outputs, steps, &stacked, &failed, caller)) {
    for (size_t k = 0; k < stacked.size(); ++k) {
      const Op array = AddArgument(&step, stacked[k], caller);
      next.push_back(WithElement(array, given.outputs[k], i, caller));
    }
  }
  EndRegion(&step, next, caller);
  for (const Shape& shape : stacked) {
    shapes.push_back(shape);
    state.push_back(Zeros(shape, caller));
  }
  Region test = BeginRegion("condition", shapes, CaptureForm::kTuple, caller);
  EndRegion(&test, {Lt(test.arguments()[0], end, {}, caller)}, caller);
  const std::vector<Op> last =
      Loop(state, /*own=*/1, std::move(test), std::move(step), caller);
  const auto outputs = last.begin() + 1 + static_cast<ptrdiff_t>(init.size());
  return {{last.begin() + 1, outputs}, {outputs, last.end()}};
}

std::vector<Op> LambdaOps::CallOf(absl::string_view name, Ops arguments,
                                  Recording body, Caller caller) {
  std::vector<Shape> shapes;
  Op failed;
  if (!ShapesOf(Opcode::kCall, arguments, &shapes, &failed, caller)) {
    return {failed};
  }
  Region region = BeginRegion(name, shapes, CaptureForm::kParameters, caller);
  EndRegion(&region, body(region.arguments()), caller);
  return Call(std::move(region), arguments, caller);
}

// --- Computations of scalars -------------------------------------------------

std::optional<Callee> LambdaOps::ComputationOf(Opcode opcode,
                                               absl::string_view name,
                                               Ops operands, OneResult function,
                                               Op* failed, Caller caller) {
  std::vector<Op> pairs;
  for (const Op operand : operands) {
    pairs.push_back(operand);
    pairs.push_back(operand);
  }
  std::vector<Shape> shapes;
  if (!ScalarShapesOf(opcode, pairs, &shapes, failed, caller)) {
    return std::nullopt;
  }
  Region region = BeginRegion(name, shapes, CaptureForm::kNone, caller);
  EndRegion(&region, {function(region.arguments())}, caller);
  Callee callee = CalleeOf(std::move(region), caller);
  if (!IsBuilt(opcode, callee, failed, caller)) return std::nullopt;
  return callee;
}

Op LambdaOps::MapOf(Ops operands, OneResult function, Caller caller) {
  std::vector<Shape> shapes, scalars;
  Op failed;
  if (!ShapesOf(Opcode::kMap, operands, &shapes, &failed, caller) ||
      !ScalarShapesOf(Opcode::kMap, operands, &scalars, &failed, caller)) {
    return failed;
  }
  Region region =
      BeginRegion("mapped", scalars, CaptureForm::kScalarParameters, caller);
  EndRegion(&region, {function(region.arguments())}, caller);
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; !shapes.empty() && d < shapes[0].rank(); ++d) {
    dimensions.push_back(d);
  }
  return Map(operands, std::move(region), dimensions, caller);
}

Op LambdaOps::ReduceOf(Op operand, const Operand& init, OneResult fold,
                       absl::Span<const int64_t> dimensions, Caller caller) {
  std::vector<Op> ops;
  Op failed;
  if (!WithScalars(Opcode::kReduce, {operand, init}, 0, &ops, &failed,
                   caller)) {
    return failed;
  }
  const std::optional<Callee> reducer = ComputationOf(
      Opcode::kReduce, "reducer", {ops[1]}, fold, &failed, caller);
  return reducer ? Reduce(ops[0], ops[1], *reducer, dimensions, caller)
                 : failed;
}

std::vector<Op> LambdaOps::ReduceOf(Ops operands, Ops inits, Recording fold,
                                    absl::Span<const int64_t> dimensions,
                                    Caller caller) {
  std::vector<Op> both(inits.begin(), inits.end());
  both.insert(both.end(), inits.begin(), inits.end());
  std::vector<Shape> shapes;
  Op failed;
  if (!ScalarShapesOf(Opcode::kReduce, both, &shapes, &failed, caller)) {
    return std::vector<Op>(operands.size(), failed);
  }
  Region region = BeginRegion("reducer", shapes, CaptureForm::kNone, caller);
  EndRegion(&region, fold(region.arguments()), caller);
  const Callee reducer = CalleeOf(std::move(region), caller);
  if (!IsBuilt(Opcode::kReduce, reducer, &failed, caller)) {
    return std::vector<Op>(operands.size(), failed);
  }
  Op reduced;
  {
    const internal::ForItself part(recorder_.get());
    reduced = Reduce(operands, inits, reducer, dimensions, caller);
  }
  return ElementsOf(reduced, operands.size(), caller);
}

Op LambdaOps::ReduceWindowOf(Op operand, const Operand& init, OneResult fold,
                             absl::Span<const WindowDim> window,
                             Caller caller) {
  std::vector<Op> ops;
  Op failed;
  if (!WithScalars(Opcode::kReduceWindow, {operand, init}, 0, &ops, &failed,
                   caller)) {
    return failed;
  }
  const std::optional<Callee> reducer = ComputationOf(
      Opcode::kReduceWindow, "reducer", {ops[1]}, fold, &failed, caller);
  return reducer ? ReduceWindow(ops[0], ops[1], *reducer, window, caller)
                 : failed;
}

Op LambdaOps::ScatterOf(Op input, Op scatter_indices, Op updates,
                        OneResult fold, const ScatterAttributes& attributes,
                        Caller caller) {
  Op failed;
  const std::optional<Callee> combiner = ComputationOf(
      Opcode::kScatter, "combiner", {input}, fold, &failed, caller);
  return combiner ? Scatter(input, scatter_indices, updates, *combiner,
                            attributes, caller)
                  : failed;
}

Op LambdaOps::SortOf(Ops operands, OneResult less, int64_t dimension,
                     bool is_stable, Caller caller) {
  Op failed;
  const std::optional<Callee> comparator = ComputationOf(
      Opcode::kSort, "comparator", operands, less, &failed, caller);
  return comparator ? Sort(operands, *comparator, dimension, is_stable, caller)
                    : failed;
}

Op LambdaOps::AllReduceOf(Op operand, OneResult fold,
                          CollectiveAttributes attributes, Caller caller) {
  Op failed;
  const std::optional<Callee> reducer = ComputationOf(
      Opcode::kAllReduce, "reducer", {operand}, fold, &failed, caller);
  return reducer
             ? AllReduce(operand, *reducer, std::move(attributes), {}, caller)
             : failed;
}

Op LambdaOps::ReduceScatterOf(Op operand, OneResult fold,
                              int64_t scatter_dimension, int64_t shard_count,
                              CollectiveAttributes attributes, Caller caller) {
  Op failed;
  const std::optional<Callee> reducer = ComputationOf(
      Opcode::kReduceScatter, "reducer", {operand}, fold, &failed, caller);
  return reducer ? ReduceScatter(operand, *reducer, scatter_dimension,
                                 shard_count, std::move(attributes), {}, caller)
                 : failed;
}

}  // namespace indim
