// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/reductions.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/composites/composite.h"
#include "indim/builder/limits.h"

namespace indim {
namespace {

using internal::Composite;

using Combine = Op(ComputationBuilder& b, Op x, Op y);
using Indices = std::vector<int64_t>;

Op And(ComputationBuilder& b, Op x, Op y) { return b.And(x, y); }
Op Or(ComputationBuilder& b, Op x, Op y) { return b.Or(x, y); }

// Sets *out to the dims of operand 0 that `dims` names, ascending.
bool Resolve(Composite& c, const DimsArg& dims, TypeMask allowed,
             Indices* out) {
  return c.Ranked(0, allowed) && c.ResolveDims(0, dims, out);
}

// The dims of operand 0 that remain.
Indices Kept(const Composite& c, const Indices& dims) {
  return c.OtherDims(0, dims);
}

// `reduced`, with a 1 for each of the reduced `dims` of operand 0.
Op WithOnes(Composite& c, Op reduced, const Indices& dims, bool keep_dims) {
  if (!keep_dims || dims.empty()) return reduced;
  Shape shape = c.shape(0);
  shape.clear_layout();
  for (int64_t d : dims) shape.set_dim(static_cast<int>(d), Dim::Static(1));
  return c.BroadcastTo(reduced, shape, Kept(c, dims));
}

Op Reduced(Composite& c, Op x, Op init, const char* name, Combine fold,
           const Indices& dims) {
  const ElementType type = c.ShapeOf(x).element_type();
  return c.b().Reduce(x, init, c.Reducer(name, type, fold), dims);
}

Op Sum(Composite& c, Op x, const Indices& dims) {
  const ElementType type = c.ShapeOf(x).element_type();
  return Reduced(c, x, c.Scalar(type, 0), "sum", internal::Add, dims);
}

// A reduction that keeps the element type.
Op Simple(const char* name, Op x, const DimsArg& dims, bool keep_dims,
          TypeMask allowed, const char* reducer, Combine fold,
          absl::StatusOr<Literal> (*init)(ElementType), Caller caller) {
  Composite c(name, {x}, caller);
  Indices which;
  if (!Resolve(c, dims, allowed, &which)) return c.failed();
  const absl::StatusOr<Literal> start = init(c.type(0));
  if (!start.ok()) {
    c.Fail(Code::kLiteralValue, {std::string(start.status().message())});
    return c.failed();
  }
  Op reduced = Reduced(c, x, c.Scalar(*start), reducer, fold, which);
  return c.Done(WithOnes(c, reduced, which, keep_dims));
}

// The number of reduced elements minus `correction`, at least 0, as `type`.
Op Count(Composite& c, const Indices& dims, ElementType type,
         int64_t correction) {
  double known = 1;
  std::vector<Op> sizes;  // the dynamic sizes, at run time
  for (int64_t d : dims) {
    const Dim dim = c.shape(0).dim(static_cast<int>(d));
    if (dim.is_static()) {
      known *= static_cast<double>(dim.size());
    } else {
      sizes.push_back(c.b().ConvertElementType(
          c.b().GetDimensionSize(c.operand(0), d), type));
    }
  }
  if (sizes.empty()) {
    return c.Scalar(type,
                    std::max(known - static_cast<double>(correction), 0.0));
  }
  Op count = c.Scalar(type, known);
  for (Op size : sizes) count = count * size;
  if (correction == 0) return count;
  return c.b().Max(count - c.Scalar(type, static_cast<double>(correction)),
                   c.Scalar(type, 0));
}

Op MeanOf(Composite& c, Op wide, const Indices& dims, int64_t correction) {
  const ElementType type = c.ShapeOf(wide).element_type();
  return Sum(c, wide, dims) / Count(c, dims, type, correction);
}

Op VarianceOf(Composite& c, const Indices& dims, int64_t correction) {
  const Op wide = c.Widen(c.operand(0));
  const Op off = c.b().Sub(wide, MeanOf(c, wide, dims, 0), Kept(c, dims));
  return MeanOf(c, off * off, dims, correction);
}

// Ends a composite of floats that was computed wide.
Op Finish(Composite& c, Op wide, const Indices& dims, bool keep_dims) {
  return c.Done(WithOnes(c, c.Narrow(wide, c.type(0)), dims, keep_dims));
}

// --- ArgMax and ArgMin -------------------------------------------------------

// Whether `index_type` holds every index along dim `dim` of operand 0. A named
// size without a known upper end counts as 31 bits.
bool HoldsIndices(Composite& c, int64_t dim, ElementType index_type) {
  const Dim size = c.shape(0).dim(static_cast<int>(dim));
  const int64_t greatest =
      size.has_upper() ? size.upper() : std::numeric_limits<int32_t>::max();
  const int digits = Info(index_type).bits - (IsSigned(index_type) ? 1 : 0);
  if (IsIntegral(index_type) &&
      (digits >= 63 || greatest <= int64_t{1} << digits)) {
    return true;
  }
  return c.Fail(Code::kIndexType, {index_type}, 0, dim);
}

// The better of two pairs of value and index.
Op BetterPair(ComputationBuilder& b, ElementType type, ElementType index_type,
              bool greatest) {
  const Shape value = Shape::Scalar(type), index = Shape::Scalar(index_type);
  const Op x = b.Parameter(0, value), x_index = b.Parameter(1, index);
  const Op y = b.Parameter(2, value), y_index = b.Parameter(3, index);
  Op better = greatest ? b.Gt(x, y) : b.Lt(x, y);
  Op equal = b.Eq(x, y);
  if (IsFloat(type)) {  // NaN beats everything but NaN
    const Op x_nan = b.Ne(x, x), y_nan = b.Ne(y, y);
    better = better | (x_nan & ~y_nan);
    equal = equal | (x_nan & y_nan);
  }
  const Op take_x = better | (equal & b.Lt(x_index, y_index));
  return b.Tuple({b.Select(take_x, x, y), b.Select(take_x, x_index, y_index)});
}

Op ArgBest(const char* name, Op x, int64_t dim, ElementType index_type,
           bool keep_dims, bool greatest, Caller caller) {
  Composite c(name, {x}, caller);
  if (!c.Ranked(0, TypeMask::kPredReal) || !c.ResolveDim(0, "dim", &dim) ||
      !c.AllMakable(0) || !HoldsIndices(c, dim, index_type)) {
    return c.failed();
  }
  const ElementType type = c.type(0);
  const absl::StatusOr<Literal> worst =
      greatest ? internal::LeastLiteral(type) : internal::GreatestLiteral(type);
  // This start value loses against an equal value.
  const absl::StatusOr<Literal> last = internal::GreatestLiteral(index_type);
  if (!worst.ok() || !last.ok()) {
    c.Fail(Code::kLiteralValue,
           {std::string((worst.ok() ? last : worst).status().message())});
    return c.failed();
  }
  const Callee better = c.Computation(
      absl::StrCat(greatest ? "argmax_" : "argmin_", indim::Name(index_type)),
      type, [&](ComputationBuilder& b) {
        return BetterPair(b, type, index_type, greatest);
      });
  const Op both =
      c.b().Reduce({x, c.IotaLike(x, index_type, dim)},
                   {c.Scalar(*worst), c.Scalar(*last)}, better, {dim});
  return c.Done(WithOnes(c, c.b().GetTupleElement(both, 1), {dim}, keep_dims));
}

// 0, whose complement is all bits.
absl::StatusOr<Literal> NoBits(ElementType type) {
  return type == ElementType::kPred ? internal::LeastLiteral(type)
                                    : Literal::Scalar(type, 0);
}
absl::StatusOr<Literal> AllBits(ElementType type) {
  return IsSigned(type) ? Literal::Scalar(type, -1)
                        : internal::GreatestLiteral(type);
}

// Whether elements are something else than 0, folded.
Op OfTruths(const char* name, Op x, const DimsArg& dims, bool keep_dims,
            bool all, Caller caller) {
  Composite c(name, {x}, caller);
  Indices which;
  if (!Resolve(c, dims, TypeMask::kArray, &which)) return c.failed();
  const Op real = IsComplex(c.type(0)) ? c.b().Real(x) : x;
  const Op truths = c.Narrow(real, ElementType::kPred);
  const Op folded = Reduced(c, truths, c.Scalar(ElementType::kPred, all),
                            all ? "and" : "or", all ? And : Or, which);
  return c.Done(WithOnes(c, folded, which, keep_dims));
}

}  // namespace

Op ReduceSum(Op x, const DimsArg& dims, bool keep_dims, Caller caller) {
  Composite c("ReduceSum", {x}, caller);
  Indices which;
  if (!Resolve(c, dims, TypeMask::kNumber, &which)) return c.failed();
  return Finish(c, Sum(c, c.Widen(x), which), which, keep_dims);
}
Op ReduceProd(Op x, const DimsArg& dims, bool keep_dims, Caller caller) {
  Composite c("ReduceProd", {x}, caller);
  Indices which;
  if (!Resolve(c, dims, TypeMask::kNumber, &which)) return c.failed();
  const Op wide = c.Widen(x);
  const Op one = c.Scalar(c.ShapeOf(wide).element_type(), 1);
  return Finish(c, Reduced(c, wide, one, "prod", internal::Multiply, which),
                which, keep_dims);
}
Op ReduceMax(Op x, const DimsArg& dims, bool keep_dims, Caller caller) {
  return Simple("ReduceMax", x, dims, keep_dims, TypeMask::kPredReal, "max",
                internal::Maximum, internal::LeastLiteral, caller);
}
Op ReduceMin(Op x, const DimsArg& dims, bool keep_dims, Caller caller) {
  return Simple("ReduceMin", x, dims, keep_dims, TypeMask::kPredReal, "min",
                internal::Minimum, internal::GreatestLiteral, caller);
}
Op ReduceAnd(Op x, const DimsArg& dims, bool keep_dims, Caller caller) {
  return Simple("ReduceAnd", x, dims, keep_dims, TypeMask::kPredIntegral, "and",
                And, AllBits, caller);
}
Op ReduceOr(Op x, const DimsArg& dims, bool keep_dims, Caller caller) {
  return Simple("ReduceOr", x, dims, keep_dims, TypeMask::kPredIntegral, "or",
                Or, NoBits, caller);
}

Op All(Op x, const DimsArg& dims, bool keep_dims, Caller caller) {
  return OfTruths("All", x, dims, keep_dims, true, caller);
}
Op Any(Op x, const DimsArg& dims, bool keep_dims, Caller caller) {
  return OfTruths("Any", x, dims, keep_dims, false, caller);
}

Op Mean(Op x, const DimsArg& dims, bool keep_dims, Caller caller) {
  Composite c("Mean", {x}, caller);
  Indices which;
  if (!Resolve(c, dims, TypeMask::kFloatComplex, &which)) return c.failed();
  return Finish(c, MeanOf(c, c.Widen(x), which, 0), which, keep_dims);
}
Op Variance(Op x, const DimsArg& dims, bool keep_dims, int64_t correction,
            Caller caller) {
  Composite c("Variance", {x}, caller);
  Indices which;
  if (!Resolve(c, dims, TypeMask::kFloat, &which)) return c.failed();
  return Finish(c, VarianceOf(c, which, correction), which, keep_dims);
}
Op StdDev(Op x, const DimsArg& dims, bool keep_dims, int64_t correction,
          Caller caller) {
  Composite c("StdDev", {x}, caller);
  Indices which;
  if (!Resolve(c, dims, TypeMask::kFloat, &which)) return c.failed();
  return Finish(c, c.b().Sqrt(VarianceOf(c, which, correction)), which,
                keep_dims);
}

Op LogSumExp(Op x, const DimsArg& dims, bool keep_dims, Caller caller) {
  Composite c("LogSumExp", {x}, caller);
  Indices which;
  if (!Resolve(c, dims, TypeMask::kFloat, &which)) return c.failed();
  ComputationBuilder& b = c.b();
  const Op wide = c.Widen(x);
  const ElementType type = c.ShapeOf(wide).element_type();
  Op greatest = Reduced(c, wide, c.Scalar(type, -internal::kInfinity), "max",
                        internal::Maximum, which);
  // Infinities can't be subtracted; exponentials without subtraction are right.
  greatest = b.Select(b.IsFinite(greatest), greatest, c.Scalar(type, 0));
  const Op sum = Sum(c, b.Exp(b.Sub(wide, greatest, Kept(c, which))), which);
  return Finish(c, b.Log(sum) + greatest, which, keep_dims);
}

Op ArgMax(Op x, int64_t dim, ElementType index_type, bool keep_dims,
          Caller caller) {
  return ArgBest("ArgMax", x, dim, index_type, keep_dims, true, caller);
}
Op ArgMin(Op x, int64_t dim, ElementType index_type, bool keep_dims,
          Caller caller) {
  return ArgBest("ArgMin", x, dim, index_type, keep_dims, false, caller);
}

}  // namespace indim
