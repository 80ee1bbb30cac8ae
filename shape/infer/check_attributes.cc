// SPDX-License-Identifier: Apache-2.0
// Checks of constraints on attributes, the recorded result, the number of
// operands, and callees.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/infer/constraint_checker.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/infer/reducer.h"

namespace indim {

// --- Attributes -------------------------------------------------------------

bool ConstraintChecker::AtLeast(int) {
  const int64_t value = Numbers(c_.attribute)[0];
  if (value >= c_.number) return true;
  return context_->Diagnose(code())
      .Arg(std::string(c_.attribute->name))
      .Arg(value)
      .Arg(c_.number);
}

bool ConstraintChecker::Length(int) {
  const int64_t length = LengthOf(c_.attribute);
  if (length == c_.number) return true;
  return context_->Diagnose(code()).Arg(c_.number).Arg(length);
}

bool ConstraintChecker::LengthIsRank(int) {
  const Shape& operand = Operand(c_.other);
  const int64_t length = LengthOf(c_.attribute);
  if (c_.or_none && length == 0) return true;
  if (!operand.has_rank() && c_.second == nullptr) return true;
  const int64_t rank =
      operand.has_rank() ? operand.rank() : LengthOf(c_.second);
  if (length == rank) return true;
  DiagnosticBuilder error = context_->Diagnose(code(), c_.other);
  if (!c_.value.empty()) error.Arg(std::string(c_.value));
  return error.Arg(length).Arg(rank);
}

bool ConstraintChecker::Dims(int) {
  const NumberList list = Numbers(c_.attribute);
  absl::Span<const int64_t> dims = list.span();
  absl::string_view what = c_.attribute->name;
  DimIndices both;
  if (c_.second != nullptr) {
    const NumberList more = Numbers(c_.second);
    what = c_.value;
    if (more.size() > 0) {
      both.assign(list.begin(), list.end());
      both.insert(both.end(), more.begin(), more.end());
      dims = both;
    }
  }
  for (int i = begin(); i < end(); ++i) {
    if (!ExpectUniqueDimIndices(context_, inputs_, i, dims, what)) return false;
  }
  return true;
}

bool ConstraintChecker::Permutation(int) {
  const NumberList dims = Numbers(c_.attribute);
  const Shape& operand = Operand(c_.other);
  // An unranked operand takes its rank from the permutation.
  const int64_t rank =
      operand.has_rank() ? int64_t{operand.rank()} : Number(dims.size());
  bool ok = Number(dims.size()) == rank;
  absl::InlinedVector<bool, 16> seen(ok ? dims.size() : 0);
  for (size_t i = 0; ok && i < dims.size(); ++i) {
    ok = dims[i] >= 0 && dims[i] < rank && !seen[dims[i]];
    if (ok) seen[dims[i]] = true;
  }
  if (ok) return true;
  return context_->Diagnose(code(), c_.other)
      .Arg(ListText(dims.span()))
      .Arg(rank);
}

bool ConstraintChecker::Pairs(int) {
  const NumberList lhs = Numbers(c_.attribute);
  const NumberList rhs = Numbers(c_.second);
  if (lhs.size() != rhs.size()) {
    return context_->Diagnose(code())
        .Arg(Number(lhs.size()))
        .Arg(Number(rhs.size()))
        .Arg(std::string(c_.value));
  }
  if (!Operand(0).has_rank() || !Operand(1).has_rank()) return true;
  bool ok = true;
  for (size_t i = 0; i < lhs.size(); ++i) {
    ok = ExpectEqualSizes(context_, inputs_, {0, static_cast<int>(lhs[i])},
                          {1, static_cast<int>(rhs[i])}) &&
         ok;
  }
  return ok;
}

bool ConstraintChecker::OneForEach(int) {
  const int64_t length = LengthOf(c_.attribute);
  const int64_t wanted = LengthOf(c_.second);
  if (wanted == 0) {
    return context_->Diagnose(Code::kAttributeRange)
        .Arg(absl::StrCat("the number of ", c_.second->name))
        .Arg(wanted)
        .Arg(int64_t{1});
  }
  if (length == wanted) return true;
  return context_->Diagnose(code())
      .Arg(std::string(c_.attribute->name))
      .Arg(length)
      .Arg(wanted)
      .Arg(absl::StrCat("of ", c_.second->name))
      .Arg(std::string());
}

// XLA keeps run-time sizes in 32 bits.
bool ConstraintChecker::SizeInInt32(int i) {
  if (!Operand(i).has_rank()) return true;
  const int dim = static_cast<int>(Numbers(c_.attribute)[0]);
  const Dim size = Operand(i).dim(dim);
  const int64_t largest = size.is_symbolic() ? size.lower() : size.upper();
  if (largest == Dim::kInfinity ||
      largest <= std::numeric_limits<int32_t>::max()) {
    return true;
  }
  return context_->Diagnose(code(), i, dim);
}

bool ConstraintChecker::ElementIndex(int i) {
  const int64_t index = Numbers(c_.attribute)[0];
  const int64_t elements = Operand(i).tuple_size();
  if (index >= 0 && index < elements) return true;
  return context_->Diagnose(code(), i).Arg(index).Arg(elements);
}

// --- The recorded result, counts, callees -----------------------------------

bool ConstraintChecker::RecordedType(int) {
  if (inputs_.declared != nullptr && inputs_.declared->is_array()) return true;
  return context_->Diagnose(code());
}

// inputs_.declared is not null: the row's ResultSource requires a record.
bool ConstraintChecker::RecordedForm(int) {
  if (HasForm(*inputs_.declared, c_.form)) return true;
  return context_->Diagnose(code()).Arg(std::string(Describe(c_.form)));
}

bool ConstraintChecker::ElementCount(int) {
  Shape result = inputs_.declared->WithoutLayout();
  result.set_element_type(Operand(0).element_type());
  if (!Operand(0).has_rank() || !result.has_rank()) return true;
  return ExpectEqualElementCounts(context_, Operand(0), result);
}

bool ConstraintChecker::SizesForDims(int) {
  const int sizes = end() - begin();
  if (!inputs_.declared->has_rank() || sizes == inputs_.declared->rank()) {
    return true;
  }
  return context_->Diagnose(code())
      .Arg(int64_t{sizes})
      .Arg(int64_t{inputs_.declared->rank()});
}

bool ConstraintChecker::Even(int) {
  return count_ % 2 == 0 || context_->Diagnose(code()).Arg(int64_t{count_});
}

bool ConstraintChecker::Odd(int) {
  return count_ % 2 == 1 || context_->Diagnose(code()).Arg(int64_t{count_});
}

bool ConstraintChecker::Arguments(int) { return CheckArguments(/*all=*/true); }
bool ConstraintChecker::AtLeastOperands(int) {
  return CheckArguments(/*all=*/false);
}

bool ConstraintChecker::CheckArguments(bool all) {
  const std::vector<Shape>& parameters = inputs_.callees[0]->parameters;
  const size_t used = parameters.size();
  if (all ? used != inputs_.operands.size() : used > inputs_.operands.size()) {
    return ExpectArity(context_, inputs_, 0, inputs_.operands.size());
  }
  for (size_t i = 0; i < used; ++i) {
    const int index = static_cast<int>(i);
    if (!ExpectArgument(context_, inputs_, index, 0, index)) return false;
  }
  return true;
}

bool ConstraintChecker::Reducer(int) {
  const size_t inputs = inputs_.operands.size() / 2;
  std::vector<ElementType> types;
  for (size_t i = 0; i < inputs; ++i) {
    types.push_back(inputs_.operands[i]->element_type());
  }
  const Signature& reducer = *inputs_.callees[0];
  return ExpectReducer(context_, reducer, inputs_.operands.subspan(inputs),
                       types) &&
         ExpectParameterTypes(context_, inputs_, reducer, count_);
}

}  // namespace indim
