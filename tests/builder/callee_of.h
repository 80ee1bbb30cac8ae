// SPDX-License-Identifier: Apache-2.0
// A computation to call, of any signature.

#ifndef INDIM_TESTS_BUILDER_CALLEE_OF_H_
#define INDIM_TESTS_BUILDER_CALLEE_OF_H_

#include "absl/status/statusor.h"
#include "indim/ir/module.h"
#include "indim/shape/infer/infer.h"

namespace indim {

// A fold keeps the first of its scalars, an order compares two of them,
// anything else gives one of its parameters, or an element of one. NotFound:
// none is what it returns.
absl::StatusOr<Module> CalleeOf(const Signature& signature);

}  // namespace indim

#endif  // INDIM_TESTS_BUILDER_CALLEE_OF_H_
