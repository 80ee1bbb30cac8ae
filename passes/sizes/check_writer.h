// SPDX-License-Identifier: Apache-2.0
// CheckWriter: emits the instructions of run-time checks.

#ifndef INDIM_PASSES_SIZES_CHECK_WRITER_H_
#define INDIM_PASSES_SIZES_CHECK_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/constant_bytes.h"
#include "indim/ir/module_builder.h"
#include "indim/passes/sizes/fold_known_sizes.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

class CheckWriter {
 public:
  explicit CheckWriter(ModuleBuilder* builder) : builder_(*builder) {}

  uint32_t ConstantS32(int32_t value) {
    const absl::StatusOr<Literal> literal =
        Literal::Array(absl::MakeConstSpan(&value, 1), {});
    return builder_.Add(
        Opcode::kConstant,
        pools().shapes().Intern(
            Shape::Scalar(ElementType::kS32).WithDefaultLayout()),
        AddConstant(*literal, &pools()), {});
  }
  uint32_t GetDimensionSize(uint32_t value, int64_t dim) {
    return builder_.Add(Opcode::kGetDimensionSize,
                        Shape::Scalar(ElementType::kS32),
                        DimensionsAttributes{{dim}}, {value});
  }
  uint32_t Compare(uint32_t lhs, uint32_t rhs, ComparisonDirection direction) {
    CompareAttributes attributes;
    attributes.direction = direction;
    return builder_.Add(Opcode::kCompare, Shape::Scalar(ElementType::kPred),
                        attributes, {lhs, rhs});
  }
  uint32_t Equal(uint32_t lhs, uint32_t rhs) {
    return Compare(lhs, rhs, ComparisonDirection::kEq);
  }
  // pred[] true, as a comparison.
  uint32_t True() {
    const uint32_t zero = ConstantS32(0);
    return Equal(zero, zero);
  }
  // An elementwise op on two values of one shape.
  uint32_t Binary(Opcode opcode, uint32_t lhs, uint32_t rhs) {
    return builder_.Add(opcode, builder_.shape(lhs).WithoutLayout(),
                        ElementwiseAttributes(), {lhs, rhs});
  }
  // JAX's custom-call shape_assertion, without a result; `message` shows the
  // sizes at {0}, {1}.
  void ShapeAssertion(uint32_t pred, absl::Span<const uint32_t> sizes,
                      absl::string_view message) {
    CustomCallAttributes attributes;
    attributes.target = std::string(kShapeAssertion);
    attributes.has_side_effect = true;
    attributes.api_version = kApiStatusReturning;
    const OwnedAttributeBytes call =
        EncodeAttributes(Opcode::kCustomCall, attributes);
    const OwnedAttributeBytes attribute_bytes =
        WithField(call.view(), field::HloInstructionProto::kFrontendAttributes,
                  WithFrontendAttribute("", "error_message", message));
    std::vector<uint32_t> operands = {pred};
    operands.insert(operands.end(), sizes.begin(), sizes.end());
    builder_.Add(Opcode::kCustomCall, pools().shapes().Intern(Shape::Tuple({})),
                 pools().AddAttributeBytes(attribute_bytes.view()), operands);
  }

 private:
  Pools& pools() { return builder_.pools(); }

  ModuleBuilder& builder_;
};

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_CHECK_WRITER_H_
