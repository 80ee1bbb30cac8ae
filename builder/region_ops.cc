#include "indim/builder/region_ops.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/builder/limits.h"
#include "indim/builder/record_util.h"
#include "indim/builder/recorder.h"

namespace indim {
namespace {

using internal::ForItself;
using internal::Recorder;

std::vector<Op> All(Op op, size_t count) { return std::vector<Op>(count, op); }

Literal ScalarOf(ElementType type, int64_t value) {
  return *Literal::Scalar(type, value);  // callers pass what every type has
}

// The value that a fold starts with: it changes no other.
absl::StatusOr<Literal> IdentityOf(ReduceKind kind, ElementType type) {
  switch (kind) {
    case ReduceKind::kAdd:
    case ReduceKind::kOr:
    case ReduceKind::kXor:
      return Literal::Scalar(type, 0);
    case ReduceKind::kMul:
      return Literal::Scalar(type, 1);
    case ReduceKind::kMax:
      return internal::LeastLiteral(type);
    case ReduceKind::kMin:
      return internal::GreatestLiteral(type);
    case ReduceKind::kAnd:
      return IsSigned(type) ? Literal::Scalar(type, -1)
                            : internal::GreatestLiteral(type);
  }
  return absl::InvalidArgumentError("not a ReduceKind");
}

struct Fold {
  const char* name;
  Opcode opcode;
};

Fold FoldOf(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kAdd:
      return {"sum", Opcode::kAdd};
    case ReduceKind::kMul:
      return {"product", Opcode::kMultiply};
    case ReduceKind::kMax:
      return {"max", Opcode::kMaximum};
    case ReduceKind::kMin:
      return {"min", Opcode::kMinimum};
    case ReduceKind::kAnd:
      return {"and", Opcode::kAnd};
    case ReduceKind::kOr:
      return {"or", Opcode::kOr};
    case ReduceKind::kXor:
      return {"xor", Opcode::kXor};
  }
  return {"none", Opcode::kInvalid};
}

}  // namespace

// --- Regions -----------------------------------------------------------------

Region RegionOps::BeginRegion(absl::string_view name,
                              absl::Span<const Shape> arguments,
                              CaptureForm form, Caller caller) {
  return recorder_->BeginRegion(name, arguments, form, caller);
}

Op RegionOps::AddArgument(Region* region, const Shape& shape, Caller caller) {
  return recorder_->AddArgument(region, shape, caller);
}

void RegionOps::EndRegion(Region* region, absl::Span<const Op> results,
                          Caller caller) {
  recorder_->EndRegion(region, results, caller);
}

std::vector<Op> RegionOps::While(absl::Span<const Op> init, Region condition,
                                 Region body, Caller caller) {
  return Loop(init, /*own=*/0, std::move(condition), std::move(body), caller);
}

std::vector<Op> RegionOps::Loop(absl::Span<const Op> init, size_t own,
                                Region condition, Region body, Caller caller) {
  Op failed;
  if (!recorder_->CheckOperands(Opcode::kWhile, init, caller, &failed)) {
    return All(failed, init.size());
  }
  return recorder_->While(init, own, std::move(condition), std::move(body),
                          caller);
}

std::vector<Op> RegionOps::Conditional(Op predicate, Region on_true,
                                       Region on_false, Caller caller) {
  Region branches[] = {std::move(on_true), std::move(on_false)};
  return recorder_->Conditional(predicate, ElementType::kPred,
                                absl::MakeSpan(branches), caller);
}

std::vector<Op> RegionOps::Conditional(Op branch_index,
                                       std::vector<Region> branches,
                                       Caller caller) {
  return recorder_->Conditional(branch_index, ElementType::kS32,
                                absl::MakeSpan(branches), caller);
}

std::vector<Op> RegionOps::Call(Region body, absl::Span<const Op> operands,
                                Caller caller) {
  return recorder_->Call(std::move(body), operands, caller);
}

Op RegionOps::Map(absl::Span<const Op> operands, Region body,
                  absl::Span<const int64_t> dimensions, Caller caller) {
  return recorder_->Map(std::move(body), operands, dimensions, caller);
}

Callee RegionOps::CalleeOf(Region region, Caller caller) {
  return recorder_->CalleeOf(std::move(region), caller);
}

// --- What the forms for lambdas share ----------------------------------------

bool RegionOps::ShapesOf(Opcode opcode, absl::Span<const Op> operands,
                         std::vector<Shape>* shapes, Op* failed,
                         Caller caller) {
  if (!recorder_->CheckOperands(opcode, operands, caller, failed)) return false;
  for (const Op operand : operands) {
    shapes->push_back(*recorder_->ShapeOf(operand));
  }
  return true;
}

bool RegionOps::ScalarShapesOf(Opcode opcode, absl::Span<const Op> operands,
                               std::vector<Shape>* shapes, Op* failed,
                               Caller caller) {
  if (!ShapesOf(opcode, operands, shapes, failed, caller)) return false;
  for (size_t i = 0; i < shapes->size(); ++i) {
    Shape& shape = (*shapes)[i];
    if (!shape.is_array()) {
      Diagnostic wrong;
      wrong.code = Code::kOperandNotArray;
      wrong.operand = static_cast<int32_t>(i);
      *failed = recorder_->Reject(opcode, operands, {wrong}, caller);
      return false;
    }
    shape = Shape::Scalar(shape.element_type());
  }
  return true;
}

bool RegionOps::WithScalars(Opcode opcode, absl::Span<const Operand> operands,
                            size_t typed, std::vector<Op>* ops, Op* failed,
                            Caller caller) {
  ops->resize(operands.size());
  return recorder_->MakeScalars(opcode, operands, typed, caller, ops->data(),
                                failed);
}

bool RegionOps::IsBuilt(Opcode opcode, const Callee& computation, Op* failed,
                        Caller caller) {
  if (computation.status().ok()) return true;
  *failed = recorder_->Reject(opcode, {}, {}, caller);
  return false;
}

std::vector<Op> RegionOps::ElementsOf(Op tuple, size_t count, Caller caller) {
  return recorder_->Elements(tuple, /*own=*/0, count, caller);
}

bool RegionOps::MakeCounter(const Operand& count, Op* counter, Op* end,
                            Op* failed, Caller caller) {
  if (!count.is_number()) {
    std::vector<Shape> shapes;
    if (!ShapesOf(Opcode::kWhile, {count.op()}, &shapes, failed, caller)) {
      return false;
    }
    if (!shapes[0].is_scalar() || !IsIntegral(shapes[0].element_type())) {
      *failed = recorder_->Reject(Opcode::kWhile, {count.op()},
                                  Code::kLoopCount, {shapes[0]}, caller);
      return false;
    }
    *end = count.op();
    *counter =
        recorder_->OwnConstant(ScalarOf(shapes[0].element_type(), 0), caller);
    return true;
  }
  const Number& number = count.number();
  const bool fits = std::abs(number.AsDouble()) <=
                    double{std::numeric_limits<int32_t>::max()};
  const ElementType type = fits ? ElementType::kS32 : ElementType::kS64;
  const absl::StatusOr<Literal> limit = Literal::Scalar(type, number);
  if (!limit.ok()) {
    *failed = recorder_->Reject(
        Opcode::kWhile, {}, Code::kScalarValue,
        {int64_t{0}, number.ToString(), std::string(Name(type))}, caller);
    return false;
  }
  *end = recorder_->OwnConstant(*limit, caller);
  *counter = recorder_->OwnConstant(ScalarOf(type, 0), caller);
  return true;
}

// --- Scans -------------------------------------------------------------------

bool RegionOps::BeginScan(absl::Span<const Op> inputs, ScanSteps* steps,
                          Op* failed, Caller caller) {
  std::vector<Shape> shapes;
  if (!ShapesOf(Opcode::kWhile, inputs, &shapes, failed, caller)) return false;
  const auto fail = [&](Code code, size_t operand, int dim) {
    Diagnostic wrong;
    wrong.code = code;
    wrong.operand = static_cast<int32_t>(operand);
    wrong.dim = dim;
    if (code == Code::kSizesMustMatch) {
      wrong.other_operand = 0;
      wrong.other_dim = 0;
    }
    *failed = recorder_->Reject(Opcode::kWhile, inputs, {wrong}, caller);
    return false;
  };
  if (inputs.empty()) {
    *failed =
        recorder_->Reject(Opcode::kWhile, {}, Code::kScanInputs, {}, caller);
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
  const ForItself part(recorder_.get());
  steps->count =
      steps->size.is_static() &&
              steps->size.size() <= std::numeric_limits<int32_t>::max()
          ? recorder_->Constant(ScalarOf(ElementType::kS32, steps->size.size()),
                                caller)
          : GetDimensionSize(inputs[0], 0, caller);
  return true;
}

Op RegionOps::ElementAt(Op array, Op index, Caller caller) {
  const Shape shape = *recorder_->ShapeOf(array);
  std::vector<Op> starts = {index};
  std::vector<int64_t> sizes = {1}, kept;
  for (int d = 1; d < shape.rank(); ++d) {
    starts.push_back(
        recorder_->Constant(ScalarOf(ElementType::kS32, 0), caller));
    sizes.push_back(shape.dim(d).size());
    kept.push_back(shape.dim(d).size());
  }
  return Reshape(DynamicSlice(array, starts, sizes, caller), kept, caller);
}

Op RegionOps::WithElement(Op array, Op element, Op index, Caller caller) {
  const Shape* const shape = recorder_->ShapeOf(element);
  if (shape == nullptr) return element;
  std::vector<Op> starts = {index};
  std::vector<int64_t> sizes = {1};
  for (int d = 0; d < shape->rank(); ++d) {
    sizes.push_back(shape->dim(d).size());
  }
  for (size_t d = 1; d < sizes.size(); ++d) {
    starts.push_back(
        recorder_->Constant(ScalarOf(ElementType::kS32, 0), caller));
  }
  return DynamicUpdateSlice(array, Reshape(element, sizes, caller), starts,
                            caller);
}

bool RegionOps::Stacked(absl::Span<const Op> elements, const ScanSteps& steps,
                        std::vector<Shape>* stacked, Op* failed,
                        Caller caller) {
  std::vector<Shape> shapes;
  if (!ShapesOf(Opcode::kWhile, elements, &shapes, failed, caller)) {
    return false;
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].is_array() || !shapes[i].has_rank() ||
        !shapes[i].is_static()) {
      Diagnostic wrong;
      wrong.code = Code::kStaticNeeded;
      wrong.operand = static_cast<int32_t>(i);
      *failed = recorder_->Reject(Opcode::kWhile, elements, {wrong}, caller);
      return false;
    }
    Shape shape = Shape::Scalar(shapes[i].element_type());
    shape.add_dim(steps.size);
    for (const Dim dim : shapes[i].dims()) shape.add_dim(dim);
    stacked->push_back(std::move(shape));
  }
  return true;
}

Op RegionOps::Zeros(const Shape& shape, Caller caller) {
  const ForItself part(recorder_.get());
  return Broadcast(
      recorder_->Constant(ScalarOf(shape.element_type(), 0), caller),
      shape.dims(), caller);
}

// --- Folds -------------------------------------------------------------------

Op RegionOps::ReduceBy(
    ReduceKind kind, Op operand,
    const std::optional<absl::Span<const int64_t>>& dimensions, Caller caller) {
  std::vector<Shape> shapes;
  Op failed;
  if (!ScalarShapesOf(Opcode::kReduce, {operand}, &shapes, &failed, caller)) {
    return failed;
  }
  const ElementType type = shapes[0].element_type();
  const absl::StatusOr<Literal> identity = IdentityOf(kind, type);
  const Fold fold = FoldOf(kind);
  if (!identity.ok()) {
    return recorder_->Reject(Opcode::kReduce, {operand}, Code::kReduceKindType,
                             {std::string(fold.name), std::string(Name(type))},
                             caller);
  }
  const Callee reducer = recorder_->Shared(fold.name, type, [&] {
    Region region =
        BeginRegion(absl::StrCat(fold.name, "_", Name(type)),
                    {shapes[0], shapes[0]}, CaptureForm::kNone, caller);
    const Op result =
        recorder_->Binary(fold.opcode, region.arguments()[0],
                          region.arguments()[1], BroadcastSpec(), caller);
    EndRegion(&region, {result}, caller);
    return CalleeOf(std::move(region), caller);
  });
  const Op init = recorder_->OwnConstant(*identity, caller);
  return dimensions ? Reduce(operand, init, reducer, *dimensions, caller)
                    : ReduceAll(operand, init, reducer, caller);
}

}  // namespace indim
