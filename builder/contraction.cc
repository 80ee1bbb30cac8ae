// Products, convolutions and reductions of ArrayOps.

#include <optional>
#include <utility>
#include <vector>

#include "indim/builder/array_ops.h"
#include "indim/builder/record_util.h"

namespace indim {
namespace {

using internal::One;
using internal::OrNothing;

}  // namespace

// --- Contraction and reduction
// ----------------------------------------------------

Op ArrayOps::Dot(Op lhs, Op rhs,
                 std::optional<ElementType> preferred_element_type,
                 Caller caller) {
  if (recorder_ == nullptr) return Op();
  const Shape* shape = recorder_->ShapeOf(lhs);
  DotAttributes dims;
  dims.lhs_contracting_dims = {shape != nullptr && shape->rank() == 1 ? 0 : 1};
  dims.rhs_contracting_dims = {0};
  return DotGeneral(lhs, rhs, dims, preferred_element_type, caller);
}

Op ArrayOps::DotGeneral(Op lhs, Op rhs, const DotAttributes& dimension_numbers,
                        std::optional<ElementType> preferred_element_type,
                        Caller caller) {
  const Attributes attributes = dimension_numbers;
  const Shape type =
      Shape::Scalar(preferred_element_type.value_or(ElementType::kInvalid));
  return OrNothing(recorder_.get(),
                   {Opcode::kDot,
                    {lhs, rhs},
                    &attributes,
                    preferred_element_type ? &type : nullptr},
                   caller);
}

Op ArrayOps::Reduce(absl::Span<const Op> operands,
                    absl::Span<const Op> init_values, const Callee& computation,
                    absl::Span<const int64_t> dimensions_to_reduce,
                    Caller caller) {
  std::vector<Op> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  const Attributes attributes = DimensionsAttributes{
      DimIndices(dimensions_to_reduce.begin(), dimensions_to_reduce.end())};
  return OrNothing(
      recorder_.get(),
      {Opcode::kReduce, all, &attributes, nullptr, One(computation)}, caller);
}

Op ArrayOps::Reduce(Op operand, Op init_value, const Callee& computation,
                    absl::Span<const int64_t> dimensions_to_reduce,
                    Caller caller) {
  return Reduce(absl::MakeConstSpan(&operand, 1),
                absl::MakeConstSpan(&init_value, 1), computation,
                dimensions_to_reduce, caller);
}

Op ArrayOps::ReduceAll(Op operand, Op init_value, const Callee& computation,
                       Caller caller) {
  if (recorder_ == nullptr) return Op();
  const Shape* shape = recorder_->ShapeOf(operand);
  if (shape != nullptr && shape->is_unranked()) {
    Diagnostic diagnostic;
    diagnostic.rule = Rule::kRankNeeded;
    diagnostic.operand = 0;
    return recorder_->Reject(Opcode::kReduce, {operand, init_value},
                             {std::move(diagnostic)}, caller);
  }
  DimIndices all;
  for (int i = 0; shape != nullptr && i < shape->rank(); ++i) all.push_back(i);
  return Reduce(operand, init_value, computation, all, caller);
}

}  // namespace indim
