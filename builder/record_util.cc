#include "indim/builder/record_util.h"

namespace indim::internal {

bool ShapesOf(Recorder* recorder, Opcode opcode, absl::Span<const Op> operands,
              std::vector<Shape>* shapes, Op* failed, Caller caller) {
  if (!recorder->CheckOperands(opcode, operands, caller, failed)) return false;
  for (const Op operand : operands) {
    shapes->push_back(*recorder->ShapeOf(operand));
  }
  return true;
}

bool ScalarShapesOf(Recorder* recorder, Opcode opcode,
                    absl::Span<const Op> operands, std::vector<Shape>* shapes,
                    Op* failed, Caller caller) {
  if (!ShapesOf(recorder, opcode, operands, shapes, failed, caller))
    return false;
  for (size_t i = 0; i < shapes->size(); ++i) {
    Shape& shape = (*shapes)[i];
    if (!shape.is_array()) {
      Diagnostic wrong;
      wrong.code = Code::kOperandNotArray;
      wrong.operand = static_cast<int32_t>(i);
      *failed = recorder->Reject(opcode, operands, {wrong}, caller);
      return false;
    }
    shape = Shape::Scalar(shape.element_type());
  }
  return true;
}

bool WithScalars(Recorder* recorder, Opcode opcode,
                 absl::Span<const Operand> operands, size_t typed,
                 std::vector<Op>* ops, Op* failed, Caller caller) {
  ops->resize(operands.size());
  return recorder->MakeScalars(opcode, operands, typed, caller, ops->data(),
                               failed);
}

bool IsBuilt(Recorder* recorder, Opcode opcode, const Callee& computation,
             Op* failed, Caller caller) {
  if (computation.status().ok()) return true;
  *failed = recorder->Reject(opcode, {}, {}, caller);
  return false;
}

std::optional<Callee> ComputationOf(Recorder* recorder, Opcode opcode,
                                    absl::string_view name, Ops operands,
                                    OneResult function, Op* failed,
                                    Caller caller) {
  std::vector<Op> pairs;
  for (const Op operand : operands) {
    pairs.push_back(operand);
    pairs.push_back(operand);
  }
  std::vector<Shape> shapes;
  if (!ScalarShapesOf(recorder, opcode, pairs, &shapes, failed, caller)) {
    return std::nullopt;
  }
  Region region =
      recorder->BeginRegion(name, shapes, CaptureForm::kNone, caller);
  recorder->EndRegion(&region, {function(region.arguments())}, caller);
  Callee callee = recorder->CalleeOf(std::move(region), caller);
  if (!IsBuilt(recorder, opcode, callee, failed, caller)) return std::nullopt;
  return callee;
}

}  // namespace indim::internal
