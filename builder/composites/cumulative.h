// Running sums and their like along one dim.
//
//   CumSum(x, 0)                         // {1, 2, 3} -> {1, 3, 6}
//   CumSum(x, 0, /*reverse=*/true)       // {1, 2, 3} -> {6, 5, 3}
//   CumSum(x, 0, false, /*exclusive=*/true)   // {1, 2, 3} -> {0, 1, 3}
//
// Recorded as a reduce-window over all places before; XLA makes a scan of it.
// The rank is known (IND0612), `dim` (negative: from the end; IND0111) is
// static, as it is the window's size (IND0617). The other dims are any.
// Elements of another kind than said: IND0102. Floats below 32 bits are folded
// in f32. What composites do about wrong Ops, lines and sharding: composite.h.

#ifndef INDIM_BUILDER_COMPOSITES_CUMULATIVE_H_
#define INDIM_BUILDER_COMPOSITES_CUMULATIVE_H_

#include <cstdint>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// `reverse`: from the last place to the first. `exclusive`: each place without
// its own element; the first is what a sum (0), a product (1), the least or
// greatest of nothing is.

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
