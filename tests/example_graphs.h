// SPDX-License-Identifier: Apache-2.0
// The graphs that examples/ build, for tests that run or compare them.

#ifndef INDIM_TESTS_EXAMPLE_GRAPHS_H_
#define INDIM_TESTS_EXAMPLE_GRAPHS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/builder/computation_builder.h"
#include "indim/ir/module.h"

namespace indim {

struct ExampleGraph {
  std::string name;
  absl::StatusOr<Module> module;
};

// Those of affine.cc (which quickstart.cc has too), consumer/softmax.cc and
// train_step.cc.
std::vector<ExampleGraph> ExampleGraphs(const BuildOptions& options = {});

}  // namespace indim

#endif  // INDIM_TESTS_EXAMPLE_GRAPHS_H_
