// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/record_util.h"

#include "indim/builder/regions.h"
#include "indim/sharding/sharding.h"

namespace indim::internal {
namespace {

// The sharding of each of a call's results, elements of `tuple`.
std::vector<std::optional<std::string>> ShardingsOf(const Recorder* recorder,
                                                    Op tuple, size_t own,
                                                    size_t count) {
  std::vector<std::optional<std::string>> shardings(count);
  const Shape* const shape = recorder->ShapeOf(tuple);
  if (!recorder->settings().sharding() || shape == nullptr) return shardings;
  const auto parts = TupleParts(*recorder->settings().sharding());
  const bool apart = parts && parts->size() == count - own;
  bool carried = false;
  for (size_t i = own; i < count; ++i) {
    shardings[i] = apart
                       ? std::string((*parts)[i - own])
                       : recorder->settings().ShardingFor(shape->elements()[i]);
    carried |= shardings[i].has_value();
  }
  if (!carried && own < count)
    shardings[own] = recorder->settings().sharding();  // is reported
  return shardings;
}

}  // namespace

std::vector<Op> ElementsOf(Recorder* recorder, Op tuple, size_t own,
                           size_t count, Caller caller) {
  const std::vector<std::optional<std::string>> shardings =
      ShardingsOf(recorder, tuple, own, count);
  std::vector<Op> elements;
  for (size_t i = 0; i < count; ++i) {
    const SwappedSharding scope(recorder, shardings[i]);
    const Attributes attributes =
        GetTupleElementAttributes{static_cast<int64_t>(i)};
    elements.push_back(recorder->Record(
        {Opcode::kGetTupleElement, {tuple}, &attributes}, caller));
  }
  return elements;
}

Op RecordConditional(Recorder* recorder, ElementType type,
                     absl::Span<const Op> operands,
                     absl::Span<const Callee> branches, Caller caller) {
  const Shape* index = recorder->ShapeOf(operands[0]);
  if (index != nullptr && index->element_type() != type) {
    Diagnostic wrong;
    wrong.code = Code::kBranchIndex;
    wrong.operand = 0;
    wrong.args = {Shape::Scalar(type)};
    return recorder->Reject(Opcode::kConditional, operands, {wrong}, caller);
  }
  return recorder->Record(
      {Opcode::kConditional, operands, nullptr, nullptr, branches}, caller);
}

bool ShapesOf(Recorder* recorder, Opcode opcode, absl::Span<const Op> operands,
              std::vector<Shape>* shapes, Op* failed, Caller caller) {
  Nodes nodes;
  if (!recorder->Resolve(opcode, operands, caller, &nodes, failed))
    return false;
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
  return MakeScalars(recorder, opcode, operands, typed, caller, ops->data(),
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
      Regions(recorder).Begin(name, shapes, CaptureForm::kNone, caller);
  Regions(recorder).End(&region, {function(region.arguments())}, caller);
  Callee callee = Regions(recorder).CalleeOf(std::move(region), caller);
  if (!IsBuilt(recorder, opcode, callee, failed, caller)) return std::nullopt;
  return callee;
}

}  // namespace indim::internal
