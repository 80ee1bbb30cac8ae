// SPDX-License-Identifier: Apache-2.0
// Constants by element type, and arrays filled with one value.
//
//   Op zeros = ZerosLike(x);                  // x's dims and type, all 0
//   Op odd = Progression(b, ElementType::kS32, 5, 1, 2);  // 1, 3, 5, 7, 9
//   Op lowest = MinValue(b, ElementType::kF32);   // -inf
//
// Functions that take a builder record in it; functions that take an Op record
// in its builder (computation_builder.h says how they treat a wrong Op).

#ifndef INDIM_BUILDER_COMPOSITES_CONSTANTS_H_
#define INDIM_BUILDER_COMPOSITES_CONSTANTS_H_

#include "indim/builder/arguments.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// Scalars of `type`. IND0610: an invalid type, or one without such a value
// (Zero of f8e8m0fnu). Source: XLA's client library, constants.h.
Op Zero(ComputationBuilder& b, ElementType type,
        Caller caller = Caller::Here());
Op One(ComputationBuilder& b, ElementType type, Caller caller = Caller::Here());
// The distance from 1 to the next larger float. Floats (else IND0610).
Op Epsilon(ComputationBuilder& b, ElementType type,
           Caller caller = Caller::Here());
// The least and the greatest value: an infinity, where the type has it. pred,
// integers, floats (else IND0610).
Op MinValue(ComputationBuilder& b, ElementType type,
            Caller caller = Caller::Here());
Op MaxValue(ComputationBuilder& b, ElementType type,
            Caller caller = Caller::Here());
// The least and the greatest finite value.
Op MinFiniteValue(ComputationBuilder& b, ElementType type,
                  Caller caller = Caller::Here());
Op MaxFiniteValue(ComputationBuilder& b, ElementType type,
                  Caller caller = Caller::Here());
// A NaN. Floats that have one (else IND0610).
Op NanValue(ComputationBuilder& b, ElementType type,
            Caller caller = Caller::Here());

// An array of x's type and dims, filled with `value`. A bounded dim has x's
// run-time size; a dim with a name keeps it. Errors: IND0101, not an array;
// IND0612, an unknown rank; IND0613, a dim with neither a name nor an upper
// end; IND0610.
Op FullLike(Op x, Number value, Caller caller = Caller::Here());
Op ZerosLike(Op x, Caller caller = Caller::Here());
Op OnesLike(Op x, Caller caller = Caller::Here());
// A scalar of x's type, which suffices wherever a scalar broadcasts. x is any
// array.
Op ScalarLike(Op x, Number value, Caller caller = Caller::Here());

// start, start + step, ...: `count` elements, computed in `type`. Integers,
// floats, complex. A negative count: IND0120; a start or a step that `type`
// doesn't have: IND0610. Source: JAX, numpy.arange.
Op Progression(ComputationBuilder& b, ElementType type, SizeArg count,
               Number start = 0, Number step = 1,
               Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_CONSTANTS_H_
