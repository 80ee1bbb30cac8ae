// SPDX-License-Identifier: Apache-2.0
// Small modules of random instructions, for tests of edits.

#ifndef INDIM_TESTS_EDIT_RANDOM_MODULE_H_
#define INDIM_TESTS_EDIT_RANDOM_MODULE_H_

#include "absl/status/statusor.h"
#include "indim/eval/values/random_literal.h"
#include "indim/ir/module.h"

namespace indim {

// A valid module of 10 to 50 instructions, with calls, loops, reductions,
// tuples and constants, which the evaluator computes; recorded or for XLA. An
// error is one of the maker's.
absl::StatusOr<Module> RandomModule(RandomStream* random);

}  // namespace indim

#endif  // INDIM_TESTS_EDIT_RANDOM_MODULE_H_
