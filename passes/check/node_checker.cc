// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/check/node_checker.h"

#include <string>
#include <utility>

#include "indim/ir/missing_values.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/literal_wire.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/printable.h"

namespace indim {
namespace {

// Whether `general` allows every size that `precise` allows.
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
      precise.tuple_size() != general.tuple_size()) {
    return false;
  }
  if (general.is_unranked()) return true;
  if (precise.is_unranked() || precise.rank() != general.rank()) return false;
  for (int i = 0; i < precise.rank(); ++i) {
    if (!IsWithin(precise.dim(i), general.dim(i))) return false;
  }
  for (int i = 0; i < precise.tuple_size(); ++i) {
    if (!IsWithin(precise.elements()[i], general.elements()[i])) return false;
  }
  return true;
}

Diagnostic Of(Code code, std::string arg) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.args.push_back(std::move(arg));
  return diagnostic;
}

}  // namespace

template <typename I, typename V>
NodeChecker<I, V>::NodeChecker(Data* data, InferPolicy rules, I inference,
                               V verification)
    : data_(*data),
      inference_(inference),
      verification_(verification),
      inputs_(data),
      context_(rules) {
  if constexpr (V::kOn) context_ = InferContext(rules, verification.mode);
}

template <typename I, typename V>
void NodeChecker<I, V>::Sweep() {
  for (uint32_t c = 0; c < data_.computations.size(); ++c) {
    bool signature_changed = false;
    for (uint32_t i = 0; i < data_.computations[c].count; ++i) {
      signature_changed |= Visit(c, i);
    }
    if (signature_changed) ForgetSignature(c);
  }
  if constexpr (V::kOn) {
    VerifyResult& result = *verification_.result;
    result.broadcastable =
        result.by_broadcastability[static_cast<size_t>(Broadcastability::kYes)];
  }
}

template <typename I, typename V>
bool NodeChecker<I, V>::HasPlainLiteral(const InstructionRecord& r) const {
  const ShapeTable& shapes = data_.pools->shapes();
  return IsPlainLiteralOf(
      shapes.shape(r.shape), shapes.wire(r.shape),
      AttributeBytesField(data_.pools->attribute_bytes(r.attribute_bytes),
                          field::HloInstructionProto::kLiteral));
}

// A parameter's number and a constant's values don't affect shapes: where they
// are readable, nodes that differ only in them have one key.
template <typename I, typename V>
inline bool NodeChecker<I, V>::KeyOf(uint32_t c, const InstructionRecord& r,
                                     NodeKey* key) {
  const bool is_alike =
      r.opcode == Opcode::kParameter
          ? data_.pools->attributes_status(r.opcode, r.attribute_bytes).ok()
          : r.opcode == Opcode::kConstant && HasPlainLiteral(r);
  return inputs_.KeyOf(c, r, is_alike ? AttributeBytesId() : r.attribute_bytes,
                       MetadataId(), key);
}

template <typename I, typename V>
inline void NodeChecker<I, V>::Count(const NodeCheck& check,
                                     uint32_t position) {
  if constexpr (V::kOn) {
    VerifyResult& result = *verification_.result;
    ++result.by_broadcastability[static_cast<size_t>(check.broadcastable)];
    if (check.kind == CheckKind::kInferred) {
      ++result.inferred;
    } else if (check.kind == CheckKind::kRelated) {
      ++result.related;
    } else {
      CountUnchecked(position);
    }
  }
}

template <typename I, typename V>
void NodeChecker<I, V>::CountUnchecked(uint32_t position) {
  if constexpr (V::kOn) {
    VerifyResult& result = *verification_.result;
    ++result.unchecked;
    ++result.unchecked_ops[std::string(data_.OpcodeName(position))];
  }
}

template <typename I, typename V>
bool NodeChecker<I, V>::Visit(uint32_t c, uint32_t i) {
  const uint32_t position = data_.computations[c].first + i;
  const InstructionRecord& r = data_.instructions[position];
  if (!V::kOn && !MayChange(r)) return false;
  NodeKey key;
  const bool has_key = KeyOf(c, r, &key);
  if (const Known* known = has_key ? memo_.Find(key) : nullptr) {
    Count(known->check, position);
    return known->shape != r.shape && Record(c, i, known->shape);
  }
  Inferred inferred = InferNode(c, i);
  const bool signature_changed = Record(c, i, inferred.shape);
  const NodeCheck check = Verify(c, i, &inferred);
  Count(check, position);
  if (has_key && inferred.silent && check.ok) {
    memo_.Insert(key, {inferred.shape, check});
  }
  return signature_changed;
}

// --- Inference --------------------------------------------------------------

template <typename I, typename V>
bool NodeChecker<I, V>::MayChange(const InstructionRecord& r) const {
  if constexpr (I::kOn) {
    if (!IsInferable(r.opcode)) return false;
    if (!r.shape) return true;
    if (inference_.only_missing) return false;
    if (Info(r.opcode).result != ResultSource::kGiven) return true;
    // Given sizes stay; open ones may follow from the operands' (reshape,
    // broadcast).
    return r.operand_count > 0 &&
           data_.pools->shapes().shape(r.shape).is_unbounded();
  }
  return false;
}

template <typename I, typename V>
typename NodeChecker<I, V>::Inferred NodeChecker<I, V>::InferNode(uint32_t c,
                                                                  uint32_t i) {
  const InstructionRecord& r =
      data_.instructions[data_.computations[c].first + i];
  Inferred answer;
  answer.shape = r.shape;
  answer.silent = true;
  if (!MayChange(r)) return answer;
  if constexpr (I::kOn) {
    answer.inputs = inputs_.Gather(c, r);
    OpInputs inputs = answer.inputs;
    const ResultSource source = Info(r.opcode).result;
    Shape type_only;
    if (source == ResultSource::kInferred) {
      inputs.declared = nullptr;
    } else if (source == ResultSource::kTypeGiven &&
               inputs.declared != nullptr) {
      type_only = Shape::Unranked(inputs.declared->element_type());
      if (inference_.drop) inputs.declared = &type_only;
    }
    Shape value_shape;
    if (r.opcode == Opcode::kConstant && inputs.declared == nullptr) {
      const absl::StatusOr<Literal> value =
          internal::InstructionOf(&data_, c, i).literal();
      if (value.ok()) {
        value_shape = value->shape();
        inputs.declared = &value_shape;
      }
    }
    answer.silent = false;
    for (const Shape* operand : inputs.operands) {
      if (operand->is_none()) return answer;  // reported at its own node
    }
    context_.Clear();
    std::optional<Shape> inferred = InferShape(&context_, inputs);
    answer.silent = inferred.has_value() && context_.diagnostics().empty();
    for (Diagnostic& d : *context_.mutable_diagnostics()) {
      inference_.report->Add({std::move(d), c, i});
    }
    if (!inferred) return answer;
    answer.shape = Merge(r.shape, *inferred);
    // The verifier would infer the same, unless inference depended on the
    // record and the record changes.
    if (answer.silent &&
        (answer.shape == r.shape || source == ResultSource::kInferred)) {
      answer.again = std::move(inferred);
    }
  }
  return answer;
}

template <typename I, typename V>
ShapeId NodeChecker<I, V>::Merge(ShapeId recorded, const Shape& inferred) {
  if constexpr (I::kOn) {
    ShapeTable& shapes = data_.pools->shapes();
    if (!recorded) return shapes.Intern(inferred);
    const Shape& old = shapes.shape(recorded);
    if (SameStructure(old, inferred)) return recorded;
    if (!inference_.drop && IsWithin(old, inferred)) return recorded;
    if (!old.has_layout_anywhere()) return shapes.Intern(inferred);
    Shape laid_out = inferred;
    if (old.layout() != nullptr && old.rank() == inferred.rank()) {
      laid_out.set_layout(*old.layout());
    }
    return shapes.Intern(laid_out.WithDefaultLayout());
  }
  return recorded;
}

template <typename I, typename V>
bool NodeChecker<I, V>::Record(uint32_t c, uint32_t i, ShapeId shape) {
  if constexpr (I::kOn) {
    const ComputationRecord& computation = data_.computations[c];
    InstructionRecord& r = data_.instructions[computation.first + i];
    const ShapeId old = r.shape;
    if (shape == old) return false;
    r.shape = shape;
    const ShapeTable& shapes = data_.pools->shapes();
    return !SameStructure(shapes.shape(shape), shapes.shape(old)) &&
           (r.opcode == Opcode::kParameter || computation.root == i);
  }
  return false;
}

// Drops the program shape that was read.
template <typename I, typename V>
void NodeChecker<I, V>::ForgetSignature(uint32_t c) {
  if constexpr (I::kOn) {
    ComputationRecord& record = data_.computations[c];
    record.program_shape = {};
    record.program_shape_when_empty = WhenEmpty::kMake;
    if (c != data_.entry) return;
    data_.host_program_shape = {};
    data_.host_program_shape_when_empty = WhenEmpty::kMake;
  }
}

// --- Verification -----------------------------------------------------------

template <typename I, typename V>
bool NodeChecker<I, V>::OperandsHaveShapes(uint32_t c,
                                           const InstructionRecord& r) const {
  for (const uint32_t operand : data_.Operands(r)) {
    if (!data_.instructions[data_.computations[c].first + operand].shape) {
      return false;
    }
  }
  return true;
}

template <typename I, typename V>
bool NodeChecker<I, V>::IsReadable(uint32_t c, uint32_t i,
                                   const InstructionRecord& r) {
  if constexpr (V::kOn) {
    Report& report = verification_.result->report;
    const Instruction instruction = internal::InstructionOf(&data_, c, i);
    if (r.opcode == Opcode::kInvalid) {
      Diagnostic d =
          Of(Code::kUnknownOpcode, Printable(instruction.opcode_name()));
      const auto nearest = NearestOpcode(instruction.opcode_name());
      d.args.push_back(nearest ? "; did you mean " +
                                     std::string(Name(*nearest)) + "?"
                               : std::string());
      report.Add({std::move(d), c, i});
      return false;
    }
    const absl::Status& attributes =
        data_.pools->attributes_status(r.opcode, r.attribute_bytes);
    if (!attributes.ok()) {
      report.Add(
          {Of(Code::kAttributesUnreadable, std::string(attributes.message())),
           c, i});
      return false;
    }
    if (r.opcode != Opcode::kConstant || HasPlainLiteral(r)) return true;
    const absl::StatusOr<Literal> literal = instruction.literal();
    if (absl::IsNotFound(literal.status())) {  // a dump omitted the values
      if (!told_of_values_) report.Add(*MissingValuesWarning(data_));
      told_of_values_ = true;
      return true;
    }
    if (!literal.ok()) {
      report.Add({Of(Code::kLiteralUnreadable,
                     std::string(literal.status().message())),
                  c, i});
      return false;
    }
    if (r.shape && !SameStructure(literal->shape(), instruction.shape())) {
      report.Add({Of(Code::kLiteralShape, literal->shape().ToString()), c, i});
    }
  }
  return true;
}

template <typename I, typename V>
NodeCheck NodeChecker<I, V>::Verify(uint32_t c, uint32_t i,
                                    Inferred* inferred) {
  NodeCheck check;
  if constexpr (V::kOn) {
    const InstructionRecord& r =
        data_.instructions[data_.computations[c].first + i];
    Report& report = verification_.result->report;
    const int64_t reported = report.error_count() + report.warning_count();
    check.ok = false;
    if (!IsReadable(c, i, r)) return check;
    if (!r.shape) {
      Diagnostic d;
      d.code = Code::kShapeMissing;
      report.Add({std::move(d), c, i});
      return check;
    }
    // An operand without a shape was reported at its own node.
    if (!OperandsHaveShapes(c, r)) return check;
    context_.Clear();
    if (inferred->again) {
      inferred->inputs.declared = &data_.pools->shapes().shape(r.shape);
      check = VerifyInferred(&context_, inferred->inputs, *inferred->again);
    } else {
      check = VerifyNode(&context_, inputs_.Gather(c, r));
    }
    for (Diagnostic& d : *context_.mutable_diagnostics()) {
      report.Add({std::move(d), c, i});
    }
    // What has warnings isn't remembered: its next likeness has them too.
    if (report.error_count() + report.warning_count() != reported) {
      check.ok = false;
    }
  }
  return check;
}

template class NodeChecker<Inference, NoVerification>;
template class NodeChecker<NoInference, Verification>;
template class NodeChecker<Inference, Verification>;

}  // namespace indim
