// CheckWriter: emits the instructions of run-time checks.

#ifndef INDIM_PASSES_SIZES_CHECK_WRITER_H_
#define INDIM_PASSES_SIZES_CHECK_WRITER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/codec/attribute_wire.h"
#include "indim/codec/frontend_attributes.h"
#include "indim/codec/literal.h"
#include "indim/codec/literal_proto.h"
#include "indim/passes/export/instruction_emitter.h"
#include "indim/passes/sizes/fold_known_sizes.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/field_numbers.h"

namespace indim {

class CheckWriter {
 public:
  explicit CheckWriter(InstructionEmitter* emitter) : emitter_(*emitter) {}

  uint32_t ConstantS32(int32_t value) {
    const absl::StatusOr<Literal> literal =
        Literal::Array(absl::MakeConstSpan(&value, 1), {});
    const OwnedAttributeBytes attribute_bytes = WithField(
        AttributeBytesView(), field::HloInstructionProto::kLiteral,
        literal.ok() ? SerializeLiteralProto(*literal) : std::string());
    return emitter_.Emit(Opcode::kConstant,
                         Shape::Scalar(ElementType::kS32).WithDefaultLayout(),
                         attribute_bytes.view(), {});
  }
  uint32_t GetDimensionSize(uint32_t value, int64_t dim) {
    return Emit(Opcode::kGetDimensionSize, Shape::Scalar(ElementType::kS32),
                {value}, DimensionsAttributes{{dim}});
  }
  uint32_t Compare(uint32_t lhs, uint32_t rhs, ComparisonDirection direction) {
    CompareAttributes attributes;
    attributes.direction = direction;
    return Emit(Opcode::kCompare, Shape::Scalar(ElementType::kPred), {lhs, rhs},
                attributes);
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
    return Emit(opcode, emitter_.shape(lhs).WithoutLayout(), {lhs, rhs},
                ElementwiseAttributes());
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
    emitter_.Emit(Opcode::kCustomCall, Shape::Tuple({}), attribute_bytes.view(),
                  operands);
  }
  uint32_t GetTupleElement(uint32_t value, int64_t index) {
    const Shape element =
        emitter_.shape(value).elements()[static_cast<size_t>(index)];
    return Emit(Opcode::kGetTupleElement, element, {value},
                GetTupleElementAttributes{index});
  }
  uint32_t Tuple(absl::Span<const uint32_t> values) {
    std::vector<Shape> shapes;
    for (const uint32_t value : values) shapes.push_back(emitter_.shape(value));
    return Emit(Opcode::kTuple, Shape::Tuple(std::move(shapes)), values,
                NoAttributes());
  }

 private:
  uint32_t Emit(Opcode opcode, const Shape& shape,
                absl::Span<const uint32_t> operands,
                const Attributes& attributes) {
    const OwnedAttributeBytes attribute_bytes =
        EncodeAttributes(opcode, attributes);
    return emitter_.Emit(opcode, shape, attribute_bytes.view(), operands);
  }
  InstructionEmitter& emitter_;
};

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_CHECK_WRITER_H_
