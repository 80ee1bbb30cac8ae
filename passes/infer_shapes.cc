#include "indim/passes/infer_shapes.h"

#include <memory>
#include <utility>
#include <vector>

#include "indim/passes/node_inputs.h"
#include "indim/passes/node_memo.h"
#include "indim/shape/infer.h"

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

class Inferrer {
 public:
  Inferrer(Module module, const InferOptions& options)
      : options_(options),
        data_(Module::Take(std::move(module))),
        pools_(data_->MutablePools()),
        inputs_(data_.get()),
        context_(data_->recorded ? InferPolicy::kBuilder
                                 : InferPolicy::kVerifier),
        report_(options.max_per_rule) {}

  InferResult Run() {
    for (uint32_t c = 0; c < data_->computations.size(); ++c) {
      bool signature_changed = false;
      for (uint32_t i = 0; i < data_->computations[c].count; ++i) {
        signature_changed |= Visit(c, i);
      }
      if (signature_changed) ForgetSignature(c);
    }
    InferResult result;
    result.report = std::move(report_);
    result.module = Module(std::move(data_));
    return result;
  }

 private:
  // True when the shape of a parameter or of the root changed.
  bool Visit(uint32_t c, uint32_t i);
  // Remembers the answer under `key` (unless null) when there is nothing to say
  // about it.
  ShapeId Infer(uint32_t c, uint32_t i, const InstructionRecord& r,
                const NodeKey* key);
  // What to record where inference says `inferred`.
  ShapeId Merge(ShapeId recorded, Shape inferred);
  void ForgetSignature(uint32_t c);

  const InferOptions options_;
  std::shared_ptr<ModuleData> data_;
  Pools& pools_;
  NodeInputs inputs_;
  InferContext context_;
  Report report_;
  // The declared part of a key is a ShapeId: layouts matter to Merge.
  NodeMemo<ShapeId> memo_;
};

void Inferrer::ForgetSignature(uint32_t c) {
  ComputationRecord& record = data_->computations[c];
  record.program_shape = {};
  record.program_shape_when_empty = WhenEmpty::kMake;
  if (c != data_->entry) return;
  data_->host_program_shape = {};
  data_->host_program_shape_when_empty = WhenEmpty::kMake;
}

ShapeId Inferrer::Merge(ShapeId recorded, Shape inferred) {
  if (!recorded) return pools_.shapes().Intern(inferred);
  const Shape& old = pools_.shapes().shape(recorded);
  if (SameStructure(old, inferred)) return recorded;
  if (!options_.drop && IsWithin(old, inferred)) return recorded;
  if (old.has_layout_anywhere()) {
    if (old.layout() != nullptr && old.rank() == inferred.rank()) {
      inferred.set_layout(*old.layout());
    }
    inferred = inferred.WithDefaultLayout();
  }
  return pools_.shapes().Intern(inferred);
}

ShapeId Inferrer::Infer(uint32_t c, uint32_t i, const InstructionRecord& r,
                        const NodeKey* key) {
  OpInputs inputs = inputs_.Gather(c, r);
  const ResultSource source = Info(r.opcode).result;
  Shape type_only;
  if (source == ResultSource::kInferred) {
    inputs.declared = nullptr;
  } else if (source == ResultSource::kTypeGiven && inputs.declared != nullptr) {
    type_only = Shape::Unranked(inputs.declared->element_type());
    if (options_.drop) inputs.declared = &type_only;
  }
  Shape value_shape;
  if (r.opcode == Opcode::kConstant && inputs.declared == nullptr) {
    const absl::StatusOr<Literal> value =
        Instruction(data_.get(), c, i).literal();
    if (value.ok()) {
      value_shape = value->shape();
      inputs.declared = &value_shape;
    }
  }
  for (const Shape* operand : inputs.operands) {
    if (operand->is_none()) return r.shape;  // reported where it arose
  }
  context_.Clear();
  std::optional<Shape> inferred = InferShape(&context_, inputs);
  const bool silent = context_.diagnostics().empty();
  for (Diagnostic& d : *context_.mutable_diagnostics()) {
    report_.Add({std::move(d), c, i});
  }
  if (!inferred) return r.shape;
  const ShapeId merged = Merge(r.shape, std::move(*inferred));
  if (silent && key != nullptr) memo_.Insert(*key, merged);
  return merged;
}

bool Inferrer::Visit(uint32_t c, uint32_t i) {
  const uint32_t position = data_->computations[c].first + i;
  InstructionRecord& r = data_->instructions[position];
  if (!IsInferable(r.opcode)) return false;
  if (options_.only_missing && r.shape) return false;
  if (Info(r.opcode).result == ResultSource::kGiven && r.shape) return false;
  NodeKey key;
  const bool memoised = inputs_.KeyOf(c, r, r.shape.value, &key);
  const ShapeId* known = memoised ? memo_.Find(key) : nullptr;
  const ShapeId shape =
      known != nullptr ? *known : Infer(c, i, r, memoised ? &key : nullptr);
  if (shape == r.shape) return false;
  const bool changed = !SameStructure(pools_.shapes().shape(shape),
                                      pools_.shapes().shape(r.shape));
  r.shape = shape;
  return changed &&
         (r.opcode == Opcode::kParameter || data_->computations[c].root == i);
}

}  // namespace

InferResult InferShapes(Module module, const InferOptions& options) {
  return Inferrer(std::move(module), options).Run();
}

}  // namespace indim
