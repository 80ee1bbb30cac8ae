// What a row of the op table declares, checked and carried out.

#ifndef INDIM_SHAPE_CHECK_CONSTRAINT_H_
#define INDIM_SHAPE_CHECK_CONSTRAINT_H_

#include <optional>

#include "indim/shape/constraint.h"
#include "indim/shape/infer.h"
#include "indim/shape/shape.h"

namespace indim {

// Whether `constraint` holds; adds one of its rules to the context where it
// does not, and run-time conditions where only run time can tell. Operand and
// callee counts must be as the op's row says, and the constraints that stand
// before this one in its row must hold.
bool CheckConstraint(InferContext* context, const OpInputs& inputs,
                     const Constraint& constraint);

// A policy under which `constraint` is looked at.
inline InferPolicy PolicyOf(const Constraint& constraint) {
  return constraint.judge == ConstraintJudge::kBuilder ? InferPolicy::kBuilder
                                                       : InferPolicy::kVerifier;
}

// True only where `constraint` holds, without anything to say: what an
// operation that is right nearly always keeps, answered in place.
inline bool SurelyHolds(const OpInputs& inputs, const Constraint& c) {
  const auto each = [&](auto holds) {
    const int count = static_cast<int>(inputs.operands.size());
    const int end = c.operands.end(count);
    for (int i = c.operands.begin(count); i < end; ++i) {
      if (!holds(*inputs.operands[i])) return false;
    }
    return true;
  };
  const auto other = [&]() -> const Shape& {
    return *inputs.operands[c.other];
  };
  switch (c.kind) {
    case ConstraintKind::kArray:
      return each([](const Shape& s) { return s.is_array(); });
    case ConstraintKind::kElements:
      return each([&](const Shape& s) {
        return s.is_array() && IsAmong(c.types, s.element_type());
      });
    case ConstraintKind::kScalar:
      return each([](const Shape& s) { return s.is_scalar(); });
    case ConstraintKind::kToken:
      return each([](const Shape& s) { return s.is_token(); });
    case ConstraintKind::kTuple:
      return each([](const Shape& s) { return s.is_tuple(); });
    case ConstraintKind::kCommonType:
    case ConstraintKind::kSameType:
    case ConstraintKind::kSameFloatType: {
      const ElementType type = other().element_type();
      return each([&](const Shape& s) { return s.element_type() == type; });
    }
    case ConstraintKind::kSameRank: {
      const int rank = other().rank();
      return other().has_rank() && each([&](const Shape& s) {
               return s.has_rank() && s.rank() == rank;
             });
    }
    default:
      break;
  }
  if (c.attribute == nullptr || inputs.attributes == nullptr) return false;
  switch (c.kind) {
    case ConstraintKind::kElementsWhere:
      return c.attribute->numbers(*inputs.attributes)[0] != c.number;
    case ConstraintKind::kLength:
      return c.attribute->length(*inputs.attributes) == c.number;
    case ConstraintKind::kLengthIsRank: {
      const int64_t length = c.attribute->length(*inputs.attributes);
      return (c.or_none && length == 0) ||
             (other().has_rank() && length == other().rank());
    }
    case ConstraintKind::kDims: {
      if (c.second != nullptr) return false;
      const NumberList dims = c.attribute->numbers(*inputs.attributes);
      return dims.size() == 1 && each([&](const Shape& s) {
               return dims[0] >= 0 && dims[0] < s.rank();
             });
    }
    case ConstraintKind::kElementIndex: {
      const int64_t index = c.attribute->numbers(*inputs.attributes)[0];
      return each([&](const Shape& s) {
        return index >= 0 && index < s.element_count();
      });
    }
    default:
      return false;
  }
}

// The result of an op whose declaration is complete and whose constraints hold.
// Errors: those of broadcasting (IND0001..IND0018, IND0040), IND0409.
std::optional<Shape> DeclaredResult(InferContext* context,
                                    const OpInputs& inputs,
                                    const ResultForm& form);

}  // namespace indim

#endif  // INDIM_SHAPE_CHECK_CONSTRAINT_H_
