// Operations of ArrayOps: products and reductions.

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "indim/builder/array_ops.h"
#include "indim/builder/record_util.h"

namespace indim {
namespace {

using internal::CallWords;
using internal::Indices;
using internal::One;
using internal::Recorder;
using internal::WithCallees;

}  // namespace

// --- Contraction and reduction -----------------------------------------------

namespace {

// The attributes of a product as words.
CallWords WordsOf(const DotAttributes& dims,
                  std::optional<ElementType> preferred_element_type) {
  CallWords words({dims.lhs_contracting_dims, dims.rhs_contracting_dims,
                   dims.lhs_batch_dims, dims.rhs_batch_dims,
                   dims.lhs_ragged_dims, dims.rhs_group_dims});
  words.Add(preferred_element_type.has_value()
                ? static_cast<int64_t>(*preferred_element_type)
                : -1);
  words.Add(static_cast<int64_t>(dims.precision.algorithm));
  for (const Precision precision : dims.precision.operand_precision) {
    words.Add(static_cast<int64_t>(precision));
  }
  return words;
}

// A product; the caller may choose the result's element type.
Op Product(Recorder* recorder, Opcode opcode, absl::Span<const Op> operands,
           const DotAttributes& dimension_numbers,
           std::optional<ElementType> preferred_element_type, Caller caller) {
  const CallWords words = WordsOf(dimension_numbers, preferred_element_type);
  return recorder->Repeat(opcode, operands, nullptr, words, caller, [&] {
    const Attributes attributes = dimension_numbers;
    const Shape type =
        Shape::Scalar(preferred_element_type.value_or(ElementType::kInvalid));
    return recorder->Record({opcode, operands, &attributes,
                             preferred_element_type ? &type : nullptr},
                            caller);
  });
}

}  // namespace

Op ArrayOps::Dot(Op lhs, Op rhs,
                 std::optional<ElementType> preferred_element_type,
                 Caller caller) {
  return Dot(lhs, rhs, PrecisionConfig(), preferred_element_type, caller);
}

Op ArrayOps::Dot(Op lhs, Op rhs, const PrecisionConfig& precision_config,
                 std::optional<ElementType> preferred_element_type,
                 Caller caller) {
  const Shape* shape = recorder_->ShapeOf(lhs);
  DotAttributes dims;
  dims.lhs_contracting_dims = {shape != nullptr && shape->rank() == 1 ? 0 : 1};
  dims.rhs_contracting_dims = {0};
  dims.precision = precision_config;
  return DotGeneral(lhs, rhs, dims, preferred_element_type, caller);
}

Op ArrayOps::DotGeneral(Op lhs, Op rhs, const DotAttributes& dimension_numbers,
                        std::optional<ElementType> preferred_element_type,
                        Caller caller) {
  return Product(recorder_.get(), Opcode::kDot, {lhs, rhs}, dimension_numbers,
                 preferred_element_type, caller);
}

Op ArrayOps::ScaledDot(Op lhs, Op rhs, Op lhs_scale, Op rhs_scale,
                       const DotAttributes& dimension_numbers,
                       std::optional<ElementType> preferred_element_type,
                       Caller caller) {
  return Product(recorder_.get(), Opcode::kScaledDot,
                 {lhs, rhs, lhs_scale, rhs_scale}, dimension_numbers,
                 preferred_element_type, caller);
}

Op ArrayOps::RaggedDot(Op lhs, Op rhs, Op group_sizes,
                       const DotAttributes& dimension_numbers,
                       std::optional<ElementType> preferred_element_type,
                       Caller caller) {
  return Product(recorder_.get(), Opcode::kRaggedDot, {lhs, rhs, group_sizes},
                 dimension_numbers, preferred_element_type, caller);
}

Op ArrayOps::Reduce(absl::Span<const Op> operands,
                    absl::Span<const Op> init_values, const Callee& computation,
                    absl::Span<const int64_t> dimensions_to_reduce,
                    Caller caller) {
  absl::InlinedVector<Op, 4> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  return recorder_->Repeat(
      Opcode::kReduce, all, &computation, CallWords({dimensions_to_reduce}),
      caller, [&] {
        const Attributes attributes =
            DimensionsAttributes{Indices(dimensions_to_reduce)};
        return recorder_->Record(
            {Opcode::kReduce, all, &attributes, nullptr, One(computation)},
            caller);
      });
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
  const Shape* shape = recorder_->ShapeOf(operand);
  if (shape != nullptr && shape->is_unranked()) {
    Diagnostic diagnostic;
    diagnostic.code = Code::kRankNeeded;
    diagnostic.operand = 0;
    return recorder_->Reject(Opcode::kReduce, {operand, init_value},
                             {std::move(diagnostic)}, caller);
  }
  DimIndices all;
  for (int i = 0; shape != nullptr && i < shape->rank(); ++i) all.push_back(i);
  return Reduce(operand, init_value, computation, all, caller);
}

Op ArrayOps::Scan(absl::Span<const Op> inputs, absl::Span<const Op> inits,
                  const Callee& computation, int64_t scan_dimension,
                  bool is_reverse, std::optional<bool> is_associative,
                  Caller caller) {
  std::vector<Op> all(inputs.begin(), inputs.end());
  all.insert(all.end(), inits.begin(), inits.end());
  ScanAttributes attributes;
  attributes.dimensions = {scan_dimension};
  attributes.num_carries = static_cast<int64_t>(inits.size());
  attributes.is_reverse = is_reverse;
  if (is_associative) attributes.is_associative = *is_associative ? 1 : 2;
  return WithCallees(recorder_.get(), Opcode::kScan, all, attributes,
                     One(computation), caller);
}

}  // namespace indim
