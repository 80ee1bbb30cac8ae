// The check of one constraint. Only check_constraint.cc and check_attributes.cc
// include this header.

#ifndef INDIM_SHAPE_INFER_CONSTRAINT_CHECKER_H_
#define INDIM_SHAPE_INFER_CONSTRAINT_CHECKER_H_

#include <cstdint>

#include "indim/shape/infer/infer.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Checks one constraint of one operation.
class ConstraintChecker {
 public:
  ConstraintChecker(InferContext* context, const OpInputs& inputs,
                    const Constraint& c)
      : context_(context),
        inputs_(inputs),
        c_(c),
        count_(static_cast<int>(inputs.operands.size())) {}

  bool Check();

 private:
  // A row of the table from kinds of constraints to the functions that check
  // them.
  struct Row;
  static const Row kRows[];
  static constexpr bool RowsAreInOrder();

  const Shape& Operand(int i) const { return *inputs_.operands[i]; }
  int begin() const { return c_.operands.begin(count_); }
  int end() const { return c_.operands.end(count_); }
  Code code() const { return c_.codes[0]; }
  NumberList Numbers(const AttributeRef* ref) const;
  int64_t LengthOf(const AttributeRef* ref) const;

  // Calls `kStep` for each operand of the set, until one call fails.
  template <bool (ConstraintChecker::*kStep)(int operand)>
  bool Each() {
    const int last = end();
    for (int i = begin(); i < last; ++i) {
      if (!(this->*kStep)(i)) return false;
    }
    return true;
  }

  // --- One operand
  bool Array(int i) { return ExpectArray(context_, inputs_, i); }
  bool ArrayOrBuffer(int i);
  bool Elements(int i) {
    return ExpectClass(context_, inputs_, i, c_.elements);
  }
  bool ElementsWhere(int i);
  bool ElementTypeIs(int i);
  bool Scalar(int i) { return ExpectScalar(context_, inputs_, i); }
  bool SizeScalar(int i);
  bool Token(int i) { return ExpectToken(context_, inputs_, i); }
  bool IsTuple(int i);
  bool Form(int i);
  bool RankAtLeast(int i);
  bool RankAtMost(int i);
  bool Square(int i);
  // --- Operands
  bool SameType(int i);
  bool SameFloatType(int i);
  bool SameWidth(int i);
  bool CommonTypes(int i) {
    return Operand(i).element_type() == Operand(c_.other).element_type() ||
           CommonType(context_, inputs_, i, c_.other).has_value();
  }
  bool SameRank();
  bool SameDims();
  bool ExactDims(int i);
  bool ScalarOrDims();
  bool SameShape(int i);
  bool Vector(int i);
  bool VectorOrMore(int i);
  // --- Attributes
  bool AtLeast();
  bool Length();
  bool LengthIsRank();
  bool Dims();
  bool Permutation();
  bool Pairs();
  bool SizeInInt32(int i);
  bool ElementIndex(int i);
  // --- The recorded result, counts, callees
  bool RecordedType();
  bool RecordedForm();
  bool ElementCount();
  bool SizesForDims();
  bool RecordedArray();
  bool Even() {
    return count_ % 2 == 0 || context_->Diagnose(code()).Arg(int64_t{count_});
  }
  bool Odd() {
    return count_ % 2 == 1 || context_->Diagnose(code()).Arg(int64_t{count_});
  }
  bool Arguments(bool all);
  bool AllArguments() { return Arguments(/*all=*/true); }
  bool SomeArguments() { return Arguments(/*all=*/false); }
  bool Reducer();
  bool Comparator();

  // The operand that the others are compared with: `other`, or the first
  // operand of the set whose rank is known; -1: no rank is known.
  int Reference() const;
  // The size of the dim that the attribute names: the features of a batch norm.
  Dim NamedDim() const;

  InferContext* const context_;
  const OpInputs& inputs_;
  const Constraint& c_;
  const int count_;
};

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_CONSTRAINT_CHECKER_H_
