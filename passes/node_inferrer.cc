#include "indim/passes/node_inferrer.h"

#include <utility>

#include "indim/ir/module.h"

namespace indim {
namespace {

// Every size that `precise` allows, `general` allows too.
bool IsWithin(Dim precise, Dim general) {
  if (general.is_symbolic()) {
    return precise == general ||
           (precise.is_static() && general.Contains(precise.size()));
  }
  return general.lower() <= precise.lower() &&
         precise.upper() <= general.upper();
}
bool IsWithin(const Shape& precise, const Shape& general) {
  if (precise.kind() != general.kind() ||
      precise.element_type() != general.element_type() ||
      precise.element_count() != general.element_count()) {
    return false;
  }
  if (general.is_unranked()) return true;
  if (precise.is_unranked() || precise.rank() != general.rank()) return false;
  for (int i = 0; i < precise.rank(); ++i) {
    if (!IsWithin(precise.dim(i), general.dim(i))) return false;
  }
  for (int i = 0; i < precise.element_count(); ++i) {
    if (!IsWithin(precise.elements()[i], general.elements()[i])) return false;
  }
  return true;
}

}  // namespace

NodeInferrer::NodeInferrer(ModuleData* data, bool drop, bool only_missing,
                           NodeInputs* inputs, Report* report)
    : drop_(drop),
      only_missing_(only_missing),
      data_(*data),
      inputs_(*inputs),
      context_(data->recorded ? InferPolicy::kBuilder : InferPolicy::kVerifier),
      report_(*report) {}

bool NodeInferrer::MayChange(const InstructionRecord& r) const {
  if (!IsInferable(r.opcode)) return false;
  if (!r.shape) return true;
  if (only_missing_) return false;
  if (Info(r.opcode).result != ResultSource::kGiven) return true;
  // Sizes that are given stay; those that are left open may follow from the
  // operands' (reshape, broadcast).
  return r.operand_count > 0 &&
         data_.pools->shapes().shape(r.shape).is_unbounded();
}

ShapeId NodeInferrer::Merge(ShapeId recorded, const Shape& inferred) {
  ShapeTable& shapes = data_.pools->shapes();
  if (!recorded) return shapes.Intern(inferred);
  const Shape& old = shapes.shape(recorded);
  if (SameStructure(old, inferred)) return recorded;
  if (!drop_ && IsWithin(old, inferred)) return recorded;
  if (!old.has_layout_anywhere()) return shapes.Intern(inferred);
  Shape laid_out = inferred;
  if (old.layout() != nullptr && old.rank() == inferred.rank()) {
    laid_out.set_layout(*old.layout());
  }
  return shapes.Intern(laid_out.WithDefaultLayout());
}

NodeInferrer::Answer NodeInferrer::Infer(uint32_t c, uint32_t i) {
  const InstructionRecord& r =
      data_.instructions[data_.computations[c].first + i];
  Answer answer;
  answer.shape = r.shape;
  answer.inputs = inputs_.Gather(c, r);
  OpInputs inputs = answer.inputs;
  const ResultSource source = Info(r.opcode).result;
  Shape type_only;
  if (source == ResultSource::kInferred) {
    inputs.declared = nullptr;
  } else if (source == ResultSource::kTypeGiven && inputs.declared != nullptr) {
    type_only = Shape::Unranked(inputs.declared->element_type());
    if (drop_) inputs.declared = &type_only;
  }
  Shape value_shape;
  if (r.opcode == Opcode::kConstant && inputs.declared == nullptr) {
    const absl::StatusOr<Literal> value = Instruction(&data_, c, i).literal();
    if (value.ok()) {
      value_shape = value->shape();
      inputs.declared = &value_shape;
    }
  }
  for (const Shape* operand : inputs.operands) {
    if (operand->is_none()) return answer;  // reported where it arose
  }
  context_.Clear();
  answer.inferred = InferShape(&context_, inputs);
  const bool silent = context_.diagnostics().empty();
  for (Diagnostic& d : *context_.mutable_diagnostics()) {
    report_.Add({std::move(d), c, i});
  }
  if (!answer.inferred) return answer;
  answer.silent = silent;
  answer.shape = Merge(r.shape, *answer.inferred);
  return answer;
}

bool NodeInferrer::Record(uint32_t c, uint32_t i, ShapeId shape) {
  const ComputationRecord& computation = data_.computations[c];
  InstructionRecord& r = data_.instructions[computation.first + i];
  if (shape == r.shape) return false;
  const ShapeTable& shapes = data_.pools->shapes();
  const bool changed =
      !SameStructure(shapes.shape(shape), shapes.shape(r.shape));
  r.shape = shape;
  return changed && (r.opcode == Opcode::kParameter || computation.root == i);
}

void NodeInferrer::ForgetSignature(uint32_t c) {
  ComputationRecord& record = data_.computations[c];
  record.program_shape = {};
  record.program_shape_when_empty = WhenEmpty::kMake;
  if (c != data_.entry) return;
  data_.host_program_shape = {};
  data_.host_program_shape_when_empty = WhenEmpty::kMake;
}

}  // namespace indim
