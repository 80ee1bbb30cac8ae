// SPDX-License-Identifier: Apache-2.0
// Random graphs of f64, of operations of all families, with values of about
// [-1, 1] and derivatives of about that size.

#ifndef INDIM_TESTS_GRAD_RANDOM_GRAPH_H_
#define INDIM_TESTS_GRAD_RANDOM_GRAPH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim {

// The graph with this number: the same one each time.
absl::StatusOr<Module> RandomGraph(uint64_t number);

}  // namespace indim

#endif  // INDIM_TESTS_GRAD_RANDOM_GRAPH_H_
