// SPDX-License-Identifier: Apache-2.0
// Forms of collectives and of random bits that only a builder speaks.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indim/shape/infer/builder_forms.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/types/element_type.h"

namespace indim {

bool CheckCollectiveTuple(InferContext* context, Opcode opcode,
                          const Shape& tuple) {
  const absl::Span<const Shape> elements = tuple.elements();
  if (elements.empty()) return context->Diagnose(Code::kTupleEmpty, 0);
  // One computation folds elements of exactly one type.
  if (Info(opcode).callees == 0) return true;
  for (const Shape& element : elements) {
    if (element.element_type() == elements[0].element_type()) continue;
    return context->Diagnose(Code::kTupleMixesTypes, 0);
  }
  return true;
}

std::optional<Shape> InferCollectiveOfTuple(InferContext* context,
                                            const OpInputs& inputs) {
  if (inputs.operands.size() != 1 || inputs.operands[0] == nullptr ||
      !inputs.operands[0]->is_tuple()) {
    return InferShape(context, inputs);
  }
  if (!CheckCollectiveTuple(context, inputs.opcode, *inputs.operands[0])) {
    return std::nullopt;
  }
  const absl::Span<const Shape> elements = inputs.operands[0]->elements();
  std::vector<const Shape*> operands;
  for (const Shape& element : elements) operands.push_back(&element);
  OpInputs of_elements = inputs;
  of_elements.operands = operands;
  std::optional<Shape> result = InferShape(context, of_elements);
  if (!result || elements.size() > 1 || !IsAllReduce(inputs.opcode)) {
    return result;
  }
  return MakeTuple(context, {*std::move(result)});
}

std::optional<Shape> InferRandomBits(InferContext* context, const Shape& state,
                                     const Shape& bits) {
  if (!bits.is_array()) {
    return context->Diagnose(Code::kDeclaredShape).Arg(std::string("an array"));
  }
  // XLA treats a pred as one bit here: new versions have u1, old ones no such
  // type.
  const std::optional<ElementType> type =
      bits.element_type() == ElementType::kPred
          ? std::nullopt
          : UnsignedOfWidth(Info(bits.element_type()).bits);
  if (!type) {
    return context->Diagnose(Code::kRandomBitsType).Arg(bits.element_type());
  }
  Shape result = bits.WithoutLayout();
  result.set_element_type(*type);
  return MakeTuple(context, {state.WithoutLayout(), std::move(result)});
}

}  // namespace indim
