// SPDX-License-Identifier: Apache-2.0
// Reductions along dims: sums, means, extremes and their indices.
//
//   Op rows = ReduceSum(x, {1});              // f32[8,10] -> f32[8]
//   Op mean = Mean(x, {-1}, /*keep_dims=*/true);   // f32[8,10] -> f32[8,1]
//   Op all = ReduceMax(x);                    // f32[8,10] -> f32[]
//
// Dims may be bounded, and unknown unless a comment says otherwise. The rank
// must be known (IND0612). Errors: IND0111, not a dim of the operand; IND0112,
// a dim twice; IND0102, an element type that the comment doesn't name.
// computation_builder.h says how composites treat wrong Ops, lines and
// sharding. The dims are those to reduce; none, or {}: all. Negative dims count
// from the end. keep_dims keeps each reduced dim with size 1.

#ifndef INDIM_BUILDER_COMPOSITES_REDUCTIONS_H_
#define INDIM_BUILDER_COMPOSITES_REDUCTIONS_H_

#include <cstdint>

#include "indim/builder/arguments.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// Integers, floats, complex. Floats below 32 bits are accumulated in f32.
Op ReduceSum(Op x, const DimsArg& dims = {}, bool keep_dims = false,
             Caller caller = Caller::Here());
Op ReduceProd(Op x, const DimsArg& dims = {}, bool keep_dims = false,
              Caller caller = Caller::Here());
// pred, integers, floats. A NaN gives NaN; no elements give the type's least
// (ReduceMax) or greatest (ReduceMin) value.
Op ReduceMax(Op x, const DimsArg& dims = {}, bool keep_dims = false,
             Caller caller = Caller::Here());
Op ReduceMin(Op x, const DimsArg& dims = {}, bool keep_dims = false,
             Caller caller = Caller::Here());
// pred: whether all, or any, hold. Integers: the bits that all, or any, have.
Op ReduceAnd(Op x, const DimsArg& dims = {}, bool keep_dims = false,
             Caller caller = Caller::Here());
Op ReduceOr(Op x, const DimsArg& dims = {}, bool keep_dims = false,
            Caller caller = Caller::Here());

// Whether all, or any, elements are something else than 0, as pred. Any type; a
// NaN isn't 0, and of a complex number the real part counts. Source: JAX,
// numpy.all, numpy.any.
Op All(Op x, const DimsArg& dims = {}, bool keep_dims = false,
       Caller caller = Caller::Here());
Op Any(Op x, const DimsArg& dims = {}, bool keep_dims = false,
       Caller caller = Caller::Here());

// Floats, complex. The count of elements is exact for dynamic dims, at run
// time. No elements give NaN.
Op Mean(Op x, const DimsArg& dims = {}, bool keep_dims = false,
        Caller caller = Caller::Here());
// Floats. The mean of the squared distances from the mean; `correction` is
// subtracted from the count (1: the unbiased estimate; NumPy's ddof).
Op Variance(Op x, const DimsArg& dims = {}, bool keep_dims = false,
            int64_t correction = 0, Caller caller = Caller::Here());
// The square root of Variance.
Op StdDev(Op x, const DimsArg& dims = {}, bool keep_dims = false,
          int64_t correction = 0, Caller caller = Caller::Here());
// log(sum(exp(x))) without overflow. Floats.
Op LogSumExp(Op x, const DimsArg& dims = {}, bool keep_dims = false,
             Caller caller = Caller::Here());

// The index of the greatest or least value along `dim`, the first of equal
// ones; the first NaN wins, as in NumPy. pred, integers, floats. `index_type`
// is an integer type that holds the indices (else IND0614). Dims need upper
// ends (IND0613). No elements give the greatest index_type.
Op ArgMax(Op x, int64_t dim, ElementType index_type = ElementType::kS32,
          bool keep_dims = false, Caller caller = Caller::Here());
Op ArgMin(Op x, int64_t dim, ElementType index_type = ElementType::kS32,
          bool keep_dims = false, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_REDUCTIONS_H_
