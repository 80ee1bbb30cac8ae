// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/infer/infer.h"

#include <algorithm>
#include <array>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/dims/dim_math.h"
#include "indim/shape/infer/check_constraint.h"
#include "indim/shape/infer/shape_functions.h"
#include "indim/shape/infer/warnings.h"
#include "indim/shape/ops/constraint.h"

namespace indim {

namespace {

// The parts of an op's row that inference reads.
struct InferRow {
  ShapeFunction function = nullptr;
  const OpInfo* op = nullptr;  // null: the table has no such op
  const OpDeclaration* declaration = nullptr;
};

struct InferTable {
  std::array<InferRow, 256> by_number;
  InferTable() {
#define INDIM_OP(number, name, wire, min, max, attributes, callees, operand, \
                 constraints, type, form, result, declared, traits,          \
                 broadcastable)                                              \
  by_number[static_cast<uint8_t>(Opcode::k##name)] = {                       \
      &Infer##declared, &Info(Opcode::k##name),                              \
      &DeclarationOf(Opcode::k##name)};
#include "indim/shape/ops/ops.def"
#undef INDIM_OP
  }
};

const InferRow& RowOf(Opcode opcode) {
  static const InferTable* const kTable = new InferTable();
  return kTable->by_number[static_cast<uint8_t>(opcode)];
}

// "2", "at least 1", "2 to 4".
std::string CountText(int min, int max) {
  if (min == max) return absl::StrCat(min);
  if (max < 0) return absl::StrCat("at least ", min);
  return absl::StrCat(min, " to ", max);
}

bool CheckCounts(InferContext* context, const OpInputs& inputs,
                 const OpInfo& op) {
  const int operands = static_cast<int>(inputs.operands.size());
  if (operands < op.min_operands ||
      (op.max_operands >= 0 && operands > op.max_operands)) {
    return context->Diagnose(Code::kOperandCount)
        .Arg(CountText(op.min_operands, op.max_operands))
        .Arg(int64_t{operands});
  }
  for (int i = 0; i < operands; ++i) {
    if (inputs.operands[i] == nullptr || inputs.operands[i]->is_none()) {
      return context->Diagnose(Code::kOperandMissing).Arg(int64_t{i});
    }
  }
  const int callees = static_cast<int>(inputs.callees.size());
  if (op.callees >= 0 && callees != op.callees) {
    return context->Diagnose(Code::kCalleeCount)
        .Arg(int64_t{op.callees})
        .Arg(int64_t{callees});
  }
  for (const Signature* callee : inputs.callees) {
    if (callee == nullptr) {
      return context->Diagnose(Code::kCalleeCount)
          .Arg(int64_t{callees})
          .Arg(int64_t{0});
    }
  }
  return true;
}

// Stores the first floating element type inside `shape` in *type, unless *type
// is set already. Sets *mixed when `shape` has a float type other than *type.
void CollectFloatType(const Shape& shape, ElementType* type, bool* mixed) {
  if (shape.is_array()) {
    if (!IsFloat(shape.element_type())) return;
    if (*type == ElementType::kInvalid) *type = shape.element_type();
    if (*type != shape.element_type()) *mixed = true;
    return;
  }
  // Depth is at most Shape::kMaxTupleDepth.
  for (const Shape& element : shape.elements()) {
    CollectFloatType(element, type, mixed);
  }
}

// XLA's verifier lets only few ops mix float types; the types inside tuples
// count.
bool CheckFloatTypes(InferContext* context, const OpInputs& inputs,
                     const OpInfo& op) {
  if (context->is_builder() || op.has(kMixesFloats)) return true;
  ElementType type = ElementType::kInvalid;
  int first = 0;  // the operand that gave `type`
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    const bool had_type = type != ElementType::kInvalid;
    bool mixed = false;
    CollectFloatType(*inputs.operands[i], &type, &mixed);
    if (!had_type) first = static_cast<int>(i);
    if (mixed) {
      return context->Diagnose(Code::kMixedFloatTypes, static_cast<int>(i))
          .Other(first);
    }
  }
  return true;
}

// Whether XLA can count the bytes of `shape`. XLA multiplies the sizes from the
// first dim on, then the bytes of an element; a 0 before the overflow keeps the
// product small. A bound counts as a size, an unknown size as 1.
bool FitsIn63Bits(const Shape& shape) {
  int64_t product = 1;
  for (const Dim dim : shape.dims()) {
    int64_t size = 1;
    if (dim.is_static()) {
      size = dim.size();
    } else if (dim.is_symbolic()) {
      // A symbolic size may be large at run time, but only its lower end is
      // certain.
      size = std::max<int64_t>(dim.lower(), 1);
    } else if (dim.has_upper()) {
      size = dim.upper();
    }
    if (__builtin_mul_overflow(product, size, &product)) return false;
  }
  const int64_t bytes = (Info(shape.element_type()).bits + 7) / 8;
  return !__builtin_mul_overflow(product, bytes, &product) &&
         absl::c_all_of(shape.elements(), FitsIn63Bits);
}

// Checks the number of operands, then everything that the row declares.
bool MeetsDeclaration(InferContext* context, const OpInputs& inputs,
                      const InferRow& row) {
  const OpInfo& op = *row.op;
  if (!CheckCounts(context, inputs, op)) return false;
  const bool lacks_result =
      op.result == ResultSource::kGiven &&
      (inputs.declared == nullptr || inputs.declared->is_none());
  absl::Span<const Constraint> constraints = row.declaration->constraints;
  if (op.operand != TypeMask::kAny) {
    if (!CheckConstraint(context, inputs, constraints[0])) return false;
    constraints.remove_prefix(1);
  }
  if (lacks_result) return context->Diagnose(Code::kResultShapeNeeded);
  if (!CheckFloatTypes(context, inputs, op)) return false;
  for (const Constraint& constraint : constraints) {
    if (!CheckConstraint(context, inputs, constraint)) return false;
  }
  return true;
}

}  // namespace

std::string Signature::ToString() const {
  const std::string types =
      absl::StrJoin(parameters, ", ", [](std::string* out, const Shape& shape) {
        absl::StrAppend(out, shape.ToString());
      });
  return absl::StrCat("(", types, ") -> ", result.ToString());
}

DiagnosticBuilder& DiagnosticBuilder::Arg(DiagnosticArg arg) {
  diagnostic_->args.push_back(std::move(arg));
  return *this;
}

DiagnosticBuilder InferContext::Diagnose(Code code, int operand, int dim) {
  diagnostics_.emplace_back();
  Diagnostic& diagnostic = diagnostics_.back();
  diagnostic.code = code;
  diagnostic.operand = operand;
  diagnostic.dim = dim;
  return DiagnosticBuilder(&diagnostic);
}

void InferContext::AddConditions(absl::Span<const Condition> conditions) {
  conditions_.insert(conditions_.begin() + on_dims_, conditions.begin(),
                     conditions.end());
  on_dims_ += static_cast<int>(conditions.size());
}

bool InferContext::Require(const Condition& condition) {
  const Dim a = condition.a.size(), b = condition.b.size();
  if (!a.is_exact() || !b.is_exact()) return true;
  if (a.is_static() && b.is_static()) {
    return Decide(condition) != Answer::kRefuted;
  }
  const std::optional<Condition> simple = Simplify(condition);
  if (!simple) return false;
  if (Decide(*simple) == Answer::kDepends) conditions_.push_back(*simple);
  return true;
}

bool InferContext::has_error() const {
  for (const Diagnostic& diagnostic : diagnostics_) {
    if (diagnostic.severity() == Severity::kError) return true;
  }
  return false;
}

bool IsInferable(Opcode opcode) { return RowOf(opcode).op != nullptr; }

std::optional<Shape> InferShape(InferContext* context, const OpInputs& inputs) {
  const InferRow& row = RowOf(inputs.opcode);
  if (row.op == nullptr) return std::nullopt;
  if (!MeetsDeclaration(context, inputs, row)) return std::nullopt;
  std::optional<Shape> result =
      row.declaration->is_complete()
          ? DeclaredResult(context, inputs, row.declaration->result)
          : row.function(context, inputs);
  if (!result) return std::nullopt;
  if (!FitsIn63Bits(*result)) {
    return context->Diagnose(Code::kSizeOverflow)
        .Arg(absl::StrCat("the byte size of ", result->ToString()));
  }
  AddWarnings(context, inputs);
  return result;
}

}  // namespace indim
