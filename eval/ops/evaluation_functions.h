// SPDX-License-Identifier: Apache-2.0
// The functions that the rows of evaluations.def name.

#ifndef INDIM_EVAL_OPS_EVALUATION_FUNCTIONS_H_
#define INDIM_EVAL_OPS_EVALUATION_FUNCTIONS_H_

#include <optional>

#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/exchange.h"

namespace indim {

// Each returns nullopt after adding an error to the evaluation.
#define INDIM_EVAL(op, function) \
  std::optional<Value> Eval##function(Evaluation& e);
#include "indim/eval/values/evaluations.def"

// Evaluates every op with a row INDIM_EVAL_SCALAR.
std::optional<Value> EvalElementwise(Evaluation& e);

// Each returns false after adding an error to the exchange's evaluation.
#define INDIM_EVAL_EXCHANGE(op, function) bool Exchange##function(Exchange* x);
#include "indim/eval/values/evaluations.def"

// Evaluates every op with a row INDIM_EVAL_EXCHANGE on one device alone.
std::optional<Value> EvalCollective(Evaluation& e);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_EVALUATION_FUNCTIONS_H_
