// SPDX-License-Identifier: Apache-2.0
// ReduceModule: makes a module small while a test goes on failing on it.

#ifndef INDIM_EDIT_PASSES_REDUCE_H_
#define INDIM_EDIT_PASSES_REDUCE_H_

#include <cstdint>
#include <functional>

#include "absl/functional/function_ref.h"
#include "indim/ir/module.h"

namespace indim {

struct ReduceOptions {
  // No more calls of the test than this.
  int64_t max_tests = 10000;
  // Called with every smaller module that fails, and the number of tests so
  // far.
  std::function<void(const Module& module, int64_t tests)> on_smaller;
  // Called after every test, with the smallest module that failed before it.
  std::function<void(const Module& module, int64_t tests)> on_tested = {};
};

struct ReduceResult {
  Module module;      // the smallest one that failed
  int64_t tests = 0;  // how often the test was called
  bool done = false;  // false: max_tests was reached
};

// `fails` must be true of `module`; it is called for smaller modules, each of
// which passes Indim's verifier (as far as `module` does), until no reduction
// is left of which it is true. Reductions, each of many instructions at once,
// then of fewer: a called computation becomes the entry; another instruction
// becomes the result; elements of the result go; an instruction becomes a
// parameter, its operand, or in called computations zero; calls and branches
// are inlined; instructions that nothing needs go; metadata, shardings,
// frontend attributes, configs and the state of the module go; constants become
// zeros; a size of dims becomes 1 or its half, wherever it stands.
ReduceResult ReduceModule(Module module,
                          absl::FunctionRef<bool(const Module&)> fails,
                          const ReduceOptions& options = {});

}  // namespace indim

#endif  // INDIM_EDIT_PASSES_REDUCE_H_
