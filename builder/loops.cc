// SPDX-License-Identifier: Apache-2.0
// ControlOps with lambdas and regions.

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/builder/record_util.h"
#include "indim/builder/regions.h"

namespace indim {
namespace {

using internal::ForItself;
using internal::Nodes;
using internal::OneResult;
using internal::Ops;
using internal::Recorder;
using internal::RecorderOf;
using internal::Recording;
using internal::Regions;
using internal::ShapesOf;

Literal ScalarOf(ElementType type, int64_t value) {
  return *Literal::Scalar(type, value);  // callers pass what every type has
}

// A while, whose first `own` values are the call's own.
std::vector<Op> Loop(Recorder* recorder, absl::Span<const Op> init, size_t own,
                     Region condition, Region body, Caller caller) {
  Nodes nodes;
  Op failed;
  if (!recorder->Resolve(Opcode::kWhile, init, caller, &nodes, &failed)) {
    return std::vector<Op>(init.size(), failed);
  }
  return Regions(recorder).While(init, own, std::move(condition),
                                 std::move(body), caller);
}

// A loop's counter, 0, and its end, as scalars of one integer type: that of an
// Op (else IND0638), or s32 or s64 for a number.
bool MakeCounter(Recorder* recorder, const Operand& count, Op* counter, Op* end,
                 Op* failed, Caller caller) {
  if (!count.is_number()) {
    std::vector<Shape> shapes;
    if (!ShapesOf(recorder, Opcode::kWhile, {count.op()}, &shapes, failed,
                  caller)) {
      return false;
    }
    if (!shapes[0].is_scalar() || !IsIntegral(shapes[0].element_type())) {
      *failed = recorder->Reject(Opcode::kWhile, {count.op()}, Code::kLoopCount,
                                 {shapes[0]}, caller);
      return false;
    }
    *end = count.op();
    *counter =
        OwnConstant(recorder, ScalarOf(shapes[0].element_type(), 0), caller);
    return true;
  }
  const Number& number = count.number();
  const bool fits = std::abs(number.AsDouble()) <=
                    double{std::numeric_limits<int32_t>::max()};
  const ElementType type = fits ? ElementType::kS32 : ElementType::kS64;
  const absl::StatusOr<Literal> limit = Literal::Scalar(type, number);
  if (!limit.ok()) {
    *failed = recorder->Reject(
        Opcode::kWhile, {}, Code::kScalarValue,
        {int64_t{0}, number.ToString(), std::string(Name(type))}, caller);
    return false;
  }
  *end = OwnConstant(recorder, *limit, caller);
  *counter = OwnConstant(recorder, ScalarOf(type, 0), caller);
  return true;
}

// --- Scans -------------------------------------------------------------------

// How many steps a scan takes, as a Dim and as an s32[].
struct ScanSteps {
  Dim size;
  Op count;
};

// The inputs are arrays whose dims 0 are equal (IND0203), static or named, and
// whose other dims are static.
bool BeginScan(ComputationBuilder& b, absl::Span<const Op> inputs,
               ScanSteps* steps, Op* failed, Caller caller) {
  Recorder* const recorder = RecorderOf(b);
  std::vector<Shape> shapes;
  if (!ShapesOf(recorder, Opcode::kWhile, inputs, &shapes, failed, caller))
    return false;
  const auto fail = [&](Code code, size_t operand, int dim) {
    Diagnostic wrong;
    wrong.code = code;
    wrong.operand = static_cast<int32_t>(operand);
    wrong.dim = dim;
    if (code == Code::kSizesMustMatch) {
      wrong.other_operand = 0;
      wrong.other_dim = 0;
    }
    *failed = recorder->Reject(Opcode::kWhile, inputs, {wrong}, caller);
    return false;
  };
  if (inputs.empty()) {
    *failed =
        recorder->Reject(Opcode::kWhile, {}, Code::kScanInputs, {}, caller);
    return false;
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].is_array()) return fail(Code::kOperandNotArray, i, -1);
    if (!shapes[i].has_rank()) return fail(Code::kRankNeeded, i, -1);
    if (shapes[i].rank() == 0) return fail(Code::kScanScalar, i, -1);
    if (!shapes[i].dim(0).is_exact()) return fail(Code::kScanSize, i, 0);
    if (shapes[i].dim(0) != shapes[0].dim(0)) {
      return fail(Code::kSizesMustMatch, i, 0);
    }
    for (int d = 1; d < shapes[i].rank(); ++d) {
      if (!shapes[i].dim(d).is_static()) return fail(Code::kScanSize, i, d);
    }
  }
  steps->size = shapes[0].dim(0);
  const ForItself part(recorder);
  steps->count =
      steps->size.is_static() &&
              steps->size.size() <= std::numeric_limits<int32_t>::max()
          ? recorder->Constant(ScalarOf(ElementType::kS32, steps->size.size()),
                               caller)
          : b.GetDimensionSize(inputs[0], 0, caller);
  return true;
}

// Element `index` of an input along dim 0.
Op ElementAt(ComputationBuilder& b, Op array, Op index, Caller caller) {
  Recorder* const recorder = RecorderOf(b);
  const Shape shape = *recorder->ShapeOf(array);
  std::vector<Op> starts = {index};
  std::vector<int64_t> sizes = {1}, kept;
  for (int d = 1; d < shape.rank(); ++d) {
    starts.push_back(
        recorder->Constant(ScalarOf(ElementType::kS32, 0), caller));
    sizes.push_back(shape.dim(d).size());
    kept.push_back(shape.dim(d).size());
  }
  return b.Reshape(b.DynamicSlice(array, starts, sizes, caller), kept, caller);
}

// `array` with `element` at `index` along dim 0.
Op WithElement(ComputationBuilder& b, Op array, Op element, Op index,
               Caller caller) {
  Recorder* const recorder = RecorderOf(b);
  const Shape* const shape = recorder->ShapeOf(element);
  if (shape == nullptr) return element;
  std::vector<Op> starts = {index};
  std::vector<int64_t> sizes = {1};
  for (int d = 0; d < shape->rank(); ++d) {
    sizes.push_back(shape->dim(d).size());
  }
  for (size_t d = 1; d < sizes.size(); ++d) {
    starts.push_back(
        recorder->Constant(ScalarOf(ElementType::kS32, 0), caller));
  }
  return b.DynamicUpdateSlice(array, b.Reshape(element, sizes, caller), starts,
                              caller);
}

// The shapes of arrays of as many elements as there are steps. The elements are
// static arrays (IND0617).
bool Stacked(Recorder* recorder, absl::Span<const Op> elements,
             const ScanSteps& steps, std::vector<Shape>* stacked, Op* failed,
             Caller caller) {
  std::vector<Shape> shapes;
  if (!ShapesOf(recorder, Opcode::kWhile, elements, &shapes, failed, caller)) {
    return false;
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].is_array() || !shapes[i].has_rank() ||
        !shapes[i].is_static()) {
      Diagnostic wrong;
      wrong.code = Code::kStaticNeeded;
      wrong.operand = static_cast<int32_t>(i);
      *failed = recorder->Reject(Opcode::kWhile, elements, {wrong}, caller);
      return false;
    }
    Shape shape = Shape::Scalar(shapes[i].element_type());
    shape.add_dim(steps.size);
    for (const Dim dim : shapes[i].dims()) shape.add_dim(dim);
    stacked->push_back(std::move(shape));
  }
  return true;
}

// An array of zeros, with static or named sizes.
Op Zeros(ComputationBuilder& b, const Shape& shape, Caller caller) {
  Recorder* const recorder = RecorderOf(b);
  const ForItself part(recorder);
  return b.Broadcast(
      recorder->Constant(ScalarOf(shape.element_type(), 0), caller),
      shape.dims(), caller);
}

}  // namespace

// --- Regions -----------------------------------------------------------------

Region ControlOps::BeginRegion(absl::string_view name,
                               absl::Span<const Shape> arguments,
                               CaptureForm form, Caller caller) {
  return Regions(recorder()).Begin(name, arguments, form, caller);
}

Op ControlOps::AddArgument(Region* region, const Shape& shape, Caller caller) {
  return Regions(recorder()).AddArgument(region, shape, caller);
}

void ControlOps::EndRegion(Region* region, absl::Span<const Op> results,
                           Caller caller) {
  Regions(recorder()).End(region, results, caller);
}

std::vector<Op> ControlOps::While(absl::Span<const Op> init, Region condition,
                                  Region body, Caller caller) {
  return Loop(recorder(), init, /*own=*/0, std::move(condition),
              std::move(body), caller);
}

std::vector<Op> ControlOps::Conditional(Op predicate, Region on_true,
                                        Region on_false, Caller caller) {
  Region branches[] = {std::move(on_true), std::move(on_false)};
  return Regions(recorder())
      .Conditional(predicate, ElementType::kPred, absl::MakeSpan(branches),
                   caller);
}

std::vector<Op> ControlOps::Conditional(Op branch_index,
                                        std::vector<Region> branches,
                                        Caller caller) {
  return Regions(recorder())
      .Conditional(branch_index, ElementType::kS32, absl::MakeSpan(branches),
                   caller);
}

std::vector<Op> ControlOps::Call(Region body, absl::Span<const Op> operands,
                                 Caller caller) {
  return Regions(recorder()).Call(std::move(body), operands, caller);
}

Callee ControlOps::CalleeOf(Region region, Caller caller) {
  return Regions(recorder()).CalleeOf(std::move(region), caller);
}

// --- Lambdas -----------------------------------------------------------------

std::vector<Op> ControlOps::WhileOf(Ops init, OneResult condition,
                                    Recording body, Caller caller, size_t own) {
  std::vector<Shape> shapes;
  Op failed;
  if (!ShapesOf(recorder(), Opcode::kWhile, init, &shapes, &failed, caller)) {
    return {failed};
  }
  Region test = BeginRegion("condition", shapes, CaptureForm::kTuple, caller);
  EndRegion(&test, {condition(test.arguments())}, caller);
  Region step = BeginRegion("body", shapes, CaptureForm::kTuple, caller);
  EndRegion(&step, body(step.arguments()), caller);
  return Loop(recorder(), init, own, std::move(test), std::move(step), caller);
}

std::vector<Op> ControlOps::ForLoopOf(const Operand& count,
                                      std::vector<Op> init, LoopBody body,
                                      Caller caller) {
  Op counter, end, failed;
  if (!MakeCounter(recorder(), count, &counter, &end, &failed, caller))
    return {failed};
  init.insert(init.begin(), counter);
  std::vector<Op> last = WhileOf(
      init, [&](Ops state) { return builder().Lt(state[0], end, {}, caller); },
      [&](Ops state) {
        std::vector<Op> next = body(state[0], state.subspan(1));
        next.insert(next.begin(), builder().Add(state[0], 1, {}, caller));
        return next;
      },
      caller, /*own=*/1);
  if (last.size() > 1) last.erase(last.begin());
  return last;
}

ControlOps::ScanParts ControlOps::ScanOf(Ops init, Ops inputs, ScanBody body,
                                         Caller caller) {
  std::vector<Op> state(init.begin(), init.end());
  std::vector<Shape> shapes, stacked;
  ScanSteps steps;
  Op counter, end, failed;
  if (!BeginScan(builder(), inputs, &steps, &failed, caller) ||
      !ShapesOf(recorder(), Opcode::kWhile, state, &shapes, &failed, caller) ||
      !MakeCounter(recorder(), steps.count, &counter, &end, &failed, caller)) {
    return {{failed}, {failed}};
  }
  state.insert(state.begin(), counter);
  shapes.insert(shapes.begin(), Shape::Scalar(ElementType::kS32));

  Region step = BeginRegion("body", shapes, CaptureForm::kTuple, caller);
  const Op i = step.arguments()[0];
  std::vector<Op> elements;
  for (const Op input : inputs) {
    elements.push_back(ElementAt(builder(), input, i, caller));
  }
  ScanParts given = body(step.arguments().subspan(1), elements);
  std::vector<Op> next = std::move(given.carry);
  next.insert(next.begin(), builder().Add(i, 1, {}, caller));
  if (Stacked(recorder(), given.outputs, steps, &stacked, &failed, caller)) {
    for (size_t k = 0; k < stacked.size(); ++k) {
      const Op array = AddArgument(&step, stacked[k], caller);
      next.push_back(
          WithElement(builder(), array, given.outputs[k], i, caller));
    }
  }
  EndRegion(&step, next, caller);
  for (const Shape& shape : stacked) {
    shapes.push_back(shape);
    state.push_back(Zeros(builder(), shape, caller));
  }
  Region test = BeginRegion("condition", shapes, CaptureForm::kTuple, caller);
  EndRegion(&test, {builder().Lt(test.arguments()[0], end, {}, caller)},
            caller);
  const std::vector<Op> last = Loop(recorder(), state, /*own=*/1,
                                    std::move(test), std::move(step), caller);
  const auto outputs = last.begin() + 1 + static_cast<ptrdiff_t>(init.size());
  return {{last.begin() + 1, outputs}, {outputs, last.end()}};
}

std::vector<Op> ControlOps::CallOf(absl::string_view name, Ops arguments,
                                   Recording body, Caller caller) {
  std::vector<Shape> shapes;
  Op failed;
  if (!ShapesOf(recorder(), Opcode::kCall, arguments, &shapes, &failed,
                caller)) {
    return {failed};
  }
  Region region = BeginRegion(name, shapes, CaptureForm::kParameters, caller);
  EndRegion(&region, body(region.arguments()), caller);
  return Call(std::move(region), arguments, caller);
}

}  // namespace indim
