// Constants by element type, and arrays filled with one value.
//
//   Op zeros = ZerosLike(x);                  // x's dims and type, all 0
//   Op lowest = MinValue(b, ElementType::kF32);   // -inf
//
// The functions that take a builder record there; those that take an Op, in its
// builder (see composite.h for what becomes of a wrong one).

#ifndef INDIM_BUILDER_COMPOSITES_CONSTANTS_H_
#define INDIM_BUILDER_COMPOSITES_CONSTANTS_H_

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// Scalars of `type`. An invalid type, or a value that it can't hold (Zero of
// f8e8m0fnu): IND0610. Source: XLA's client library, constants.h.
Op Zero(ComputationBuilder& b, ElementType type,
        Caller caller = Caller::Here());
Op One(ComputationBuilder& b, ElementType type, Caller caller = Caller::Here());
// The distance from 1 to the next float. Floats (IND0610).
Op Epsilon(ComputationBuilder& b, ElementType type,
           Caller caller = Caller::Here());
// The least and the greatest value: infinities, where the type has them; pred,
// integers, floats (IND0610).
Op MinValue(ComputationBuilder& b, ElementType type,
            Caller caller = Caller::Here());
Op MaxValue(ComputationBuilder& b, ElementType type,
            Caller caller = Caller::Here());
// The same without infinities.
Op MinFiniteValue(ComputationBuilder& b, ElementType type,
                  Caller caller = Caller::Here());
Op MaxFiniteValue(ComputationBuilder& b, ElementType type,
                  Caller caller = Caller::Here());
// Floats that have it (IND0610).
Op NanValue(ComputationBuilder& b, ElementType type,
            Caller caller = Caller::Here());

// `value` in an array of x's type and dims; a bounded dim has x's run-time
// size, one with a name keeps it. Errors: no array (IND0101), a rank (IND0612)
// that isn't known, a dim with neither a name nor an upper end (IND0613),
// IND0610.
Op FullLike(Op x, Number value, Caller caller = Caller::Here());
Op ZerosLike(Op x, Caller caller = Caller::Here());
Op OnesLike(Op x, Caller caller = Caller::Here());
// A scalar of x's type: enough wherever a scalar broadcasts. Any array.
Op ScalarLike(Op x, Number value, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_CONSTANTS_H_
