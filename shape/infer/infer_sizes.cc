// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/infer/infer_sizes.h"

#include <optional>

#include "absl/strings/str_join.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_math.h"
#include "indim/shape/types/shape.h"

namespace indim {
namespace {

// The product of the dims' lower or upper ends; Dim::kInfinity where an end is
// infinite or the product doesn't fit.
int64_t ProductOfEnds(const Shape& shape, bool upper) {
  int64_t product = 1;
  for (Dim dim : shape.dims()) {
    const int64_t end = upper ? dim.upper() : dim.lower();
    if (end == 0) return 0;
    if (product == Dim::kInfinity || end == Dim::kInfinity) {
      product = Dim::kInfinity;
    } else {
      product = CheckedMultiply(product, end).value_or(Dim::kInfinity);
    }
  }
  return product;
}

bool CountsAsStatic(const Shape& shape) {
  for (Dim dim : shape.dims()) {
    if (!dim.is_static() && !dim.is_bounded()) return false;
  }
  return true;
}

// The product of the dims; invalid where a dim is neither static nor symbolic.
DimExpr ProductOf(const Shape& shape) {
  DimExpr product = 1;
  for (const Dim dim : shape.dims()) product = product * DimExpr(dim);
  return product;
}

// ExpectEqualElementCounts for static and symbolic dims. It also returns true
// where a dim is neither, or a product is too large.
bool ExpectEqualProducts(InferContext* context, const Shape& operand,
                         const Shape& result) {
  const std::optional<Dim> from = ProductOf(operand).ToDim();
  const std::optional<Dim> to = ProductOf(result).ToDim();
  if (!from || !to) return true;
  if (context->Require({Condition::Kind::kEqual, *from, *to})) return true;
  return context->Diagnose(Code::kElementCountsDiffer, 0)
      .Arg(*from)
      .Arg(result)
      .Arg(*to);
}

// Adds a condition on `dim`, which is at `a`.
void AddRunTimeCondition(InferContext* context, const OpInputs& inputs, Dim dim,
                         const Condition& condition) {
  if (dim.is_static() || dim.is_bounded()) return;
  const std::optional<Condition> sizes =
      WithSizes(condition, inputs.operands, nullptr);
  if (sizes && Decide(*sizes) == Answer::kProven) return;
  context->AddConditions({condition});
}

}  // namespace

void AddAtLeastCondition(InferContext* context, const OpInputs& inputs,
                         DimRef a, int64_t value) {
  const Dim dim = inputs.operands[a.operand]->dim(a.dim);
  if (dim.lower() >= value) return;
  AddRunTimeCondition(context, inputs, dim,
                      {Condition::Kind::kAtMost, Dim::Static(value), a});
}

void AddDivisibleCondition(InferContext* context, const OpInputs& inputs,
                           DimRef a, int64_t value) {
  if (value == 1) return;
  AddRunTimeCondition(context, inputs, inputs.operands[a.operand]->dim(a.dim),
                      {Condition::Kind::kDivisible, a, Dim::Static(value)});
}

void AddEqualDimsConditions(InferContext* context, const Shape& a,
                            const Shape& b) {
  const int rank = std::min(a.rank(), b.rank());
  for (int i = 0; i < rank; ++i) {
    if (!a.dim(i).is_symbolic() && !b.dim(i).is_symbolic()) continue;
    context->Require({Condition::Kind::kEqual, a.dim(i), b.dim(i)});
  }
  const int elements = std::min(a.tuple_size(), b.tuple_size());
  for (int i = 0; i < elements; ++i) {
    AddEqualDimsConditions(context, a.elements()[i], b.elements()[i]);
  }
}

bool ExpectEqualSizes(InferContext* context, const OpInputs& inputs, DimRef a,
                      DimRef b) {
  if (a == b) return true;
  const Dim a_dim = inputs.operands[a.operand]->dim(a.dim);
  const Dim b_dim = inputs.operands[b.operand]->dim(b.dim);
  if (!CompatibleDims(a_dim, b_dim)) {
    return context->Diagnose(Code::kSizesMustMatch, b.operand, b.dim)
        .Other(a.operand, a.dim);
  }
  if (DimsEqual(a_dim, b_dim) == Answer::kDepends) {
    context->AddConditions({{Condition::Kind::kEqual, a, b}});
  }
  return true;
}

bool ExpectEqualDims(InferContext* context, const OpInputs& inputs, int a,
                     int b) {
  const Shape& a_shape = *inputs.operands[a];
  const Shape& b_shape = *inputs.operands[b];
  if (!a_shape.has_rank() || !b_shape.has_rank()) return true;
  if (a_shape.rank() != b_shape.rank()) {
    return context->Diagnose(Code::kOperandRanksDiffer, b).Other(a);
  }
  bool ok = true;
  for (int i = 0; i < a_shape.rank(); ++i) {
    ok = ExpectEqualSizes(context, inputs, {a, i}, {b, i}) && ok;
  }
  return ok;
}

bool ExpectEqualElementCounts(InferContext* context, const Shape& operand,
                              const Shape& result) {
  if (!CountsAsStatic(operand) || !CountsAsStatic(result)) {
    if (!ExpectEqualProducts(context, operand, result)) return false;
    const int64_t from_low = ProductOfEnds(operand, /*upper=*/false);
    const int64_t from_high = ProductOfEnds(operand, /*upper=*/true);
    const int64_t to_low = ProductOfEnds(result, /*upper=*/false);
    const int64_t to_high = ProductOfEnds(result, /*upper=*/true);
    if (from_low <= to_high && to_low <= from_high) return true;
    return context->Diagnose(Code::kElementCountsDiffer, 0)
        .Arg(from_low > to_high ? from_low : from_high)
        .Arg(result)
        .Arg(from_low > to_high ? to_high : to_low);
  }
  const std::optional<int64_t> from = operand.ElementCount();
  const std::optional<int64_t> to = result.ElementCount();
  if (!from || !to) {
    return context->Diagnose(Code::kSizeOverflow)
        .Arg(std::string("the number of elements"));
  }
  if (*from == *to) return true;
  return context->Diagnose(Code::kElementCountsDiffer, 0)
      .Arg(*from)
      .Arg(result)
      .Arg(*to);
}

Dim MergeDims(Dim winner, Dim other) {
  if (winner.is_xla() && other.is_xla()) return winner;
  return MostSpecificDim(winner, other).value_or(winner);
}

bool SizeFits(Dim whole, Dim size) {
  if (size.is_static() || size.is_bounded()) {
    return size.size() <= whole.upper();
  }
  return DimsLessOrEqual(size, whole) != Answer::kRefuted;
}

const Shape* ExpectDeclaredArray(InferContext* context,
                                 const OpInputs& inputs) {
  if (inputs.declared == nullptr || inputs.declared->is_none()) {
    context->Diagnose(Code::kResultShapeNeeded);
    return nullptr;
  }
  if (!inputs.declared->is_array()) {
    context->Diagnose(Code::kResultNotArray);
    return nullptr;
  }
  return inputs.declared;
}

std::string ListText(absl::Span<const int64_t> numbers) {
  return absl::StrJoin(numbers, ",");
}

}  // namespace indim
