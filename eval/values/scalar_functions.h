// SPDX-License-Identifier: Apache-2.0
// The scalar functions that the rows of evaluations.def name.

#ifndef INDIM_EVAL_VALUES_SCALAR_FUNCTIONS_H_
#define INDIM_EVAL_VALUES_SCALAR_FUNCTIONS_H_

#include "indim/eval/values/scalar.h"

namespace indim {

#define INDIM_EVAL_SCALAR(op, function, types) \
  Scalar Scalar##function(const ScalarCall& call);
#include "indim/eval/values/evaluations.def"

}  // namespace indim

#endif  // INDIM_EVAL_VALUES_SCALAR_FUNCTIONS_H_
