// SPDX-License-Identifier: Apache-2.0
// The return-type driver: MLIR's TestReturnTypeDriver for a module, with the
// evaluator as the judge.
//
// First every instruction's recorded result is compared with inference. Then
// every binary op is created again, without a result type, from each distinct
// value of a computation as both operands, and from all pairs of them. What
// inference says of each is compared with what evaluation on made-up values of
// these shapes gives: a shape must be the value's, and what inference refuses
// the evaluator must refuse too.

#ifndef INDIM_TOOLS_RETURN_TYPES_H_
#define INDIM_TOOLS_RETURN_TYPES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "indim/ir/module.h"

namespace indim {

struct ReturnTypeOptions {
  uint64_t seed = 1;
  // Distinct shapes of a computation that are tried; the rest is left out and
  // counted.
  int64_t max_shapes = 24;
  // Values of more elements are not made up.
  int64_t max_elements = 1024;
};

struct ReturnTypeResult {
  int64_t verified = 0;  // instructions whose result agrees with inference
  // Ops created again, refused ones included. An op of two static shapes is
  // created once, however many computations have such shapes.
  int64_t created = 0;
  int64_t agreed = 0;   // a shape, and the value has it
  int64_t refused = 0;  // by both
  // Inference has a shape, but the op no meaning for such elements (IND0851).
  int64_t without_meaning = 0;
  int64_t left_out = 0;  // shapes beyond the options' limits
  // What doesn't agree, a line each.
  std::vector<std::string> disagreements;
};

// `module` should have passed VerifyModule; its recorded results are compared
// all the same.
ReturnTypeResult TestReturnTypes(const Module& module,
                                 const ReturnTypeOptions& options = {});

}  // namespace indim

#endif  // INDIM_TOOLS_RETURN_TYPES_H_
