// SPDX-License-Identifier: Apache-2.0
// Running sums and their like along one dim.
//
//   CumSum(x, 0)                         // {1, 2, 3} -> {1, 3, 6}
//   CumSum(x, 0, /*reverse=*/true)       // {1, 2, 3} -> {6, 5, 3}
//   CumSum(x, 0, false, /*exclusive=*/true)   // {1, 2, 3} -> {0, 1, 3}
//
// They record a reduce-window over all earlier positions; XLA makes a scan of
// it. The rank must be known (IND0612). `dim` (negative: from the end; IND0111)
// must be static, because it is the window's size (IND0617); the other dims may
// be any. Each comment gives the element types (else IND0102). Floats below 32
// bits are folded in f32. computation_builder.h says how composites treat wrong
// Ops, lines and sharding.

#ifndef INDIM_BUILDER_COMPOSITES_CUMULATIVE_H_
#define INDIM_BUILDER_COMPOSITES_CUMULATIVE_H_

#include <cstdint>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// `reverse`: from the last position to the first. `exclusive`: each position
// leaves out its own element; the first one gets the fold of no elements (0 for
// a sum, 1 for a product, the type's least or greatest value).

// Integers, floats, complex.
Op CumSum(Op x, int64_t dim, bool reverse = false, bool exclusive = false,
          Caller caller = Caller::Here());
Op CumProd(Op x, int64_t dim, bool reverse = false, bool exclusive = false,
           Caller caller = Caller::Here());
// Integers, floats.
Op CumMax(Op x, int64_t dim, bool reverse = false, bool exclusive = false,
          Caller caller = Caller::Here());
Op CumMin(Op x, int64_t dim, bool reverse = false, bool exclusive = false,
          Caller caller = Caller::Here());
// log(sum(exp(x))). Floats.
Op CumLogSumExp(Op x, int64_t dim, bool reverse = false, bool exclusive = false,
                Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_CUMULATIVE_H_
