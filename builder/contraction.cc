// SPDX-License-Identifier: Apache-2.0
// Products of ArrayOps.

#include <optional>

#include "indim/builder/computation_builder.h"
#include "indim/builder/record_util.h"

namespace indim {
namespace {

using internal::Recorder;

// A product; the caller may choose the result's element type.
Op Product(Recorder* recorder, Opcode opcode, absl::Span<const Op> operands,
           const DotAttributes& dimension_numbers,
           std::optional<ElementType> preferred_element_type, Caller caller) {
  const Shape type =
      Shape::Scalar(preferred_element_type.value_or(ElementType::kInvalid));
  return recorder->RecordAgain(
      {opcode, operands, nullptr, preferred_element_type ? &type : nullptr},
      dimension_numbers, caller);
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
  const Shape* shape = recorder()->ShapeOf(lhs);
  DotAttributes dims;
  dims.lhs_contracting_dims = {shape != nullptr && shape->rank() == 1 ? 0 : 1};
  dims.rhs_contracting_dims = {0};
  dims.precision = precision_config;
  return DotGeneral(lhs, rhs, dims, preferred_element_type, caller);
}

Op ArrayOps::DotGeneral(Op lhs, Op rhs, const DotAttributes& dimension_numbers,
                        std::optional<ElementType> preferred_element_type,
                        Caller caller) {
  return Product(recorder(), Opcode::kDot, {lhs, rhs}, dimension_numbers,
                 preferred_element_type, caller);
}

Op ArrayOps::ScaledDot(Op lhs, Op rhs, Op lhs_scale, Op rhs_scale,
                       const DotAttributes& dimension_numbers,
                       std::optional<ElementType> preferred_element_type,
                       Caller caller) {
  return Product(recorder(), Opcode::kScaledDot,
                 {lhs, rhs, lhs_scale, rhs_scale}, dimension_numbers,
                 preferred_element_type, caller);
}

Op ArrayOps::RaggedDot(Op lhs, Op rhs, Op group_sizes,
                       const DotAttributes& dimension_numbers,
                       std::optional<ElementType> preferred_element_type,
                       Caller caller) {
  return Product(recorder(), Opcode::kRaggedDot, {lhs, rhs, group_sizes},
                 dimension_numbers, preferred_element_type, caller);
}

}  // namespace indim
